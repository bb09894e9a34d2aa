//! Splits long calls into pieces. Between pieces, Python handles signals and a progress bar moves.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The size of a tracer's first piece, when the time for an answer is unknown.
const FIRST: usize = 1 << 8;
/// The same for rays, most of which take at most a few microseconds.
const FIRST_RAYS: usize = 1 << 14;
/// The largest factor by which a piece may be longer than the one before.
const GROWTH: usize = 16;
/// The intended time of a piece: short enough for Ctrl-C to respond, and long enough to keep a device
/// busy.
const TIME: Duration = Duration::from_millis(300);

/// A tqdm progress bar, or no bar. It closes when it is dropped, and so also after an error.
pub(crate) struct Bar(Option<Py<PyAny>>);

impl Bar {
    /// Opens a bar if `is_shown`.
    ///
    /// # Errors
    /// ImportError if tqdm is not installed.
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

/// The size of pieces, learnt from finished pieces. Calls of one kind share it, so that the next call
/// begins with a piece of the right size.
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

    /// Learns from a piece. The size grows in steps, because the next rays may take longer than those
    /// before. A short last piece does not show how long a longer one takes.
    fn learn(&self, done: usize, time: Duration) {
        let size = self.size();
        let fitting = (done as f64 * TIME.as_secs_f64() / time.as_secs_f64().max(1e-9)) as usize;
        if fitting < size || done >= size {
            self.0.store(fitting.clamp(1, done.saturating_mul(GROWTH)), Ordering::Relaxed);
        }
    }
}

thread_local! {
    /// True while this thread runs Python code between two pieces.
    static IS_BETWEEN_PIECES: Cell<bool> = const { Cell::new(false) };
}

/// Does the work on `0..total` in pieces, in order. The caller is detached from the interpreter. This
/// function attaches only between pieces, so other threads run, and Ctrl-C ends the work.
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

/// Rejects a call that a signal handler makes between the pieces of another call, because it would
/// wait for a lock that its own thread has.
pub(crate) fn refuse_between_pieces() -> PyResult<()> {
    match IS_BETWEEN_PIECES.get() {
        true => Err(PyRuntimeError::new_err(
            "a tracer is busy in this thread: a signal handler or a progress bar cannot call a tracer",
        )),
        false => Ok(()),
    }
}
