//! Does long work that has no pieces on a thread of its own, so that Python can handle signals
//! meanwhile.

use crate::error::{Error, caught, refuse_in_fork};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// The time between two checks for signals.
const TIME: Duration = Duration::from_millis(50);
/// The size of the thread's stack. It is that of the main thread on most systems, so that files may be
/// nested as deeply as there.
const STACK: usize = 8 << 20;

/// Does some work of the library while the interpreter runs other threads. After Ctrl-C the thread
/// completes the work, and its result is dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    refuse_in_fork()?;
    let (sender, mut receiver) = sync_channel(1);
    let thread = move || {
        // The caller may have stopped waiting.
        let _ = sender.send(caught(work));
    };
    let started = Builder::new().stack_size(STACK).spawn(thread);
    started.map_err(|error| Error::new_err(format!("cannot start a thread: {error}")))?;
    loop {
        // No other thread has the receiver, which threads cannot share.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(TIME)) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new_err("a thread of raytwin ended early"));
            }
        }
    }
}
