//! Long calls in pieces, between which Python's signals are obeyed and a bar moves.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The size of the first piece of a tracer, when nothing is known about the time that an answer
/// takes.
const FIRST: usize = 1 << 8;
/// The same for rays, few of which take more than some microseconds.
const FIRST_RAYS: usize = 1 << 14;
/// The most that a piece may be longer than the one before.
const GROWTH: usize = 16;
/// The time that a piece is to take: short enough for a person who presses Ctrl-C, long enough for
/// a device to be busy.
const TIME: Duration = Duration::from_millis(300);

/// A bar that shows progress: tqdm's, or none. It closes when it is dropped, so that it does after
/// an error, too.
pub(crate) struct Bar(Option<Py<PyAny>>);

impl Bar {
    /// Opens a bar if it is asked for.
    ///
    /// # Errors
    /// ImportError, if tqdm is not installed.
    pub fn new(py: Python<'_>, is_shown: bool, total: usize, unit: &str) -> PyResult<Self> {
        if !is_shown {
            return Ok(Self(None));
        }
        let open = py.import("raytwin.progress")?.getattr("bar")?;
        Ok(Self(Some(open.call1((total, unit))?.unbind())))
    }

    fn advance(&self, py: Python<'_>, count: usize) -> PyResult<()> {
        match &self.0 {
            Some(bar) => bar.call_method1(py, "update", (count,)).map(drop),
            None => Ok(()),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let Some(bar) = self.0.take() else { return };
        Python::attach(|py| {
            if let Err(error) = bar.call_method0(py, "close") {
                error.write_unraisable(py, None);
            }
        });
    }
}

/// The size of pieces, learnt from those that are done. Calls of one kind share it, so that a call
/// that follows another begins with a piece of the right size.
pub(crate) struct Pace(AtomicUsize);

impl Default for Pace {
    fn default() -> Self {
        Self(AtomicUsize::new(FIRST))
    }
}

impl Pace {
    /// Returns the size for rays.
    pub fn of_rays() -> Self {
        Self(AtomicUsize::new(FIRST_RAYS))
    }

    fn size(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Learns from a piece. The size grows by steps, because the next rays may take longer than
    /// those before, and a short piece says nothing about a longer one.
    fn learn(&self, done: usize, time: Duration) {
        let size = self.size();
        let fitting = (done as f64 * TIME.as_secs_f64() / time.as_secs_f64().max(1e-9)) as usize;
        if fitting < size || done >= size {
            self.0.store(fitting.clamp(1, done.saturating_mul(GROWTH)), Ordering::Relaxed);
        }
    }
}

thread_local! {
    /// True while this thread runs Python's code between two pieces.
    static IS_BETWEEN_PIECES: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on `0..total` in pieces, in order. The caller is detached from the interpreter, to
/// which this attaches between pieces alone; so other threads go on, and Ctrl-C ends the work.
pub(crate) fn in_pieces(
    total: usize,
    bar: &Bar,
    pace: &Pace,
    mut work: impl FnMut(Range<usize>) -> PyResult<()>,
) -> PyResult<()> {
    let mut done = 0;
    while done < total {
        let piece = done..total.min(done.saturating_add(pace.size()));
        let start = Instant::now();
        work(piece.clone())?;
        pace.learn(piece.len(), start.elapsed());
        done = piece.end;
        if done < total || bar.0.is_some() {
            IS_BETWEEN_PIECES.set(true);
            let obeyed = Python::attach(|py| {
                bar.advance(py, piece.len())?;
                py.check_signals()
            });
            IS_BETWEEN_PIECES.set(false);
            obeyed?;
        }
    }
    Ok(())
}

/// Refuses a call that the handler of a signal makes between the pieces of another one, because it
/// would wait for the lock that its own thread holds.
pub(crate) fn refuse_between_pieces() -> PyResult<()> {
    match IS_BETWEEN_PIECES.get() {
        true => Err(PyRuntimeError::new_err(
            "a tracer is busy in this thread: the handler of a signal, or of a progress bar, cannot call one",
        )),
        false => Ok(()),
    }
}
