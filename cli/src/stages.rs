//! RecordStorage, asking and writing at the same time, batch by batch: nobody waits for files, and memory does not grow with
//! them.

use super::Failure;
use raytwin::io::FileError;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The rays or points that are read, asked about and written at a time. Answers do not depend on it.
pub(super) const BATCH: usize = 1 << 20;

/// Runs three stages, of which the second is this thread's, and returns what they come to. One batch waits between two
/// stages, while each has one at work. A stage that has nobody to hand a batch to ends without an error: the one that
/// takes no more says why.
pub(super) fn in_stages<A: Send, B: Send, R: Send, S, W: Send>(
    read: impl FnOnce(SyncSender<A>) -> Result<R, Failure> + Send,
    ask: impl FnOnce(Receiver<A>, SyncSender<B>) -> Result<S, Failure>,
    write: impl FnOnce(Receiver<B>) -> Result<W, Failure> + Send,
) -> Result<(R, S, W), Failure> {
    thread::scope(|scope| {
        let (batches_out, batches_in) = sync_channel(1);
        let (answers_out, answers_in) = sync_channel(1);
        let reading = scope.spawn(move || read(batches_out));
        let writing = scope.spawn(move || write(answers_in));
        let asked = ask(batches_in, answers_out);
        // Of several failures the first in the batches' way: the others may follow from it.
        Ok((join(reading)?, asked?, join(writing)?))
    })
}

/// What a thread returns; its panic goes on here.
fn join<T>(thread: thread::ScopedJoinHandle<'_, Result<T, Failure>>) -> Result<T, Failure> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Why reading ended before the batches did.
pub(super) enum End {
    Failure(Failure),
    Unwanted,
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<FileError> for End {
    fn from(error: FileError) -> Self {
        Self::Failure(error.into())
    }
}

/// A failure, if it was one that ended the reading.
pub(super) fn read_to_its_end(read: Result<(), End>) -> Result<(), Failure> {
    match read {
        Err(End::Failure(failure)) => Err(failure),
        Ok(()) | Err(End::Unwanted) => Ok(()),
    }
}

/// Whether `-o` names a file, by one of these endings, or a folder, which is one that is there, ends in a slash or has
/// no ending. `formats` says for messages which files there are.
pub(super) fn is_file(output: &Path, endings: &[&str], formats: &str) -> Result<bool, Failure> {
    let ends_in_slash = output.to_string_lossy().ends_with(std::path::is_separator);
    if !ends_in_slash && ends_in(output, endings) {
        return Ok(true);
    }
    if !ends_in_slash && output.extension().is_some() && !output.is_dir() {
        return Err(Failure::usage(format!(
            "-o {}: answers are written as {formats} file, or into a folder, whose name ends in a slash",
            output.display()
        )));
    }
    Ok(false)
}

pub(super) fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let of_path = path.extension();
    of_path.is_some_and(|own| endings.iter().any(|ending| own.eq_ignore_ascii_case(ending)))
}

/// An error where an answer would take the place of what it is made from.
pub(super) fn refuse_own_input(outputs: &[PathBuf], inputs: &[&Path]) -> Result<(), Failure> {
    let inputs: HashSet<PathBuf> =
        inputs.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_input =
        |output: &&PathBuf| output.canonicalize().is_ok_and(|output| inputs.contains(&output));
    match outputs.iter().find(is_input) {
        Some(output) => Err(Failure::usage(format!(
            "-o: the answers would replace {}, which they are made from: choose another place",
            output.display()
        ))),
        None => Ok(()),
    }
}
