//! A pipeline of three threads that read, cast and write batches at the same time. Casting does not
//! wait for files, and memory does not grow with their length.

use super::Failure;
use super::folders::is_named_like_file;
use raytwin_files::FileError;
pub(super) use raytwin_files::has_extension;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The number of rays or points in a batch. Answers do not depend on it.
pub(super) const BATCH: usize = 1 << 20;

/// Runs three stages, the second one on this thread, and returns their results. Each stage works on
/// one batch, and one more batch may wait before the next stage. A stage that cannot hand on a
/// batch ends without an error, because the next stage reports why it stopped.
pub(super) fn in_stages<A: Send, B: Send, R: Send, S, W: Send>(
    read: impl FnOnce(SyncSender<A>) -> Result<R, Failure> + Send,
    ask: impl FnOnce(Receiver<A>, SyncSender<B>) -> Result<S, Failure>,
    write: impl FnOnce(Receiver<B>) -> Result<W, Failure> + Send,
) -> Result<(R, S, W), Failure> {
    thread::scope(|scope| {
        let (batches_out, batches_in) = sync_channel(1);
        let (answers_out, answers_in) = sync_channel(1);
        let thread = thread::Builder::new;
        let reading = thread().spawn_scoped(scope, move || read(batches_out)).map_err(no_thread)?;
        let writing = thread().spawn_scoped(scope, move || write(answers_in)).map_err(no_thread)?;
        let asked = ask(batches_in, answers_out);
        // If several stages fail, the failure of the earliest one is reported, because it may be
        // the cause of the others.
        Ok((join(reading)?, asked?, join(writing)?))
    })
}

/// Returns the failure of a thread that does not start, for `map_err`.
pub(super) fn no_thread(error: impl std::fmt::Display) -> Failure {
    let message = format!(
        "a thread cannot be started ({error}): allow the program more memory or more threads (ulimit -v, ulimit -u)"
    );
    Failure { code: 5, message, flags: &[] }
}

/// Waits for a thread's result, and continues its panic on this thread.
fn join<T>(thread: thread::ScopedJoinHandle<'_, Result<T, Failure>>) -> Result<T, Failure> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The reason why reading stops before the end of a file.
pub(super) enum ReadStop {
    Failure(Failure),
    /// The next stage has stopped.
    Closed,
}

impl From<Failure> for ReadStop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<FileError> for ReadStop {
    fn from(error: FileError) -> Self {
        Self::Failure(error.into())
    }
}

/// Returns the failure of reading. If the next stage has stopped, that stage reports why.
pub(super) fn read_result(read: Result<(), ReadStop>) -> Result<(), Failure> {
    match read {
        Err(ReadStop::Failure(failure)) => Err(failure),
        Ok(()) | Err(ReadStop::Closed) => Ok(()),
    }
}

/// Returns true if `-o` names a file with one of these extensions, and false for a folder: an
/// existing one, or a name that ends in a slash or has no extension. `formats` names the possible
/// files in the error message.
pub(super) fn is_file(output: &Path, extensions: &[&str], formats: &str) -> Result<bool, Failure> {
    let ends_in_slash = output.to_string_lossy().ends_with(std::path::is_separator);
    if !ends_in_slash && has_extension(output, extensions) {
        return Ok(true);
    }
    if has_extension(output, &["las", "laz", "ply", "pcd"]) {
        return Err(Failure::usage(format!(
            "-o {}: a cloud has points, but no answers: write a .parquet or a .csv, whose x y z other programs read as points",
            output.display()
        )));
    }
    if is_named_like_file(output) {
        return Err(Failure::usage(format!(
            "-o {}: answers go to {formats} file or to a folder: use such an extension, or end the name of the folder with a slash",
            output.display()
        )));
    }
    Ok(false)
}
