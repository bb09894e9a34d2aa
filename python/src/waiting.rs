//! Long work that has no pieces: it is done on a thread of its own, so that Python's signals are
//! obeyed meanwhile.

use crate::error::{Error, caught, refuse_in_fork};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// The time between two looks at the signals.
const TIME: Duration = Duration::from_millis(50);
/// Files may be nested as deep as on the main thread, whose stack has this size on most systems.
const STACK: usize = 8 << 20;

/// Does some work of the library while the interpreter goes on. After Ctrl-C the thread goes on to the
/// end of the work, which is then dropped.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    refuse_in_fork()?;
    let (sender, mut receiver) = sync_channel(1);
    let thread = move || {
        // Nobody may wait any more.
        let _ = sender.send(caught(work));
    };
    let started = Builder::new().stack_size(STACK).spawn(thread);
    started.map_err(|error| Error::new_err(format!("no thread can be started: {error}")))?;
    loop {
        // No other thread has the receiver, which none may share.
        let receiver = &mut receiver;
        match py.detach(move || receiver.recv_timeout(TIME)) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new_err("a thread of raytwin has ended early"));
            }
        }
    }
}
