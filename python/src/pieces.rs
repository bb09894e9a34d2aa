//! Long calls in pieces, between which Python's signals are obeyed and a bar moves.

use pyo3::prelude::*;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The size of the first piece, when nothing is known about the time that it takes.
const FIRST: usize = 1 << 16;
/// The time that a piece is to take: short enough for a person who presses Ctrl-C, long enough for a device to be busy.
const TIME: Duration = Duration::from_millis(400);

/// A bar that shows progress: tqdm's, or none.
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

    fn close(self) -> PyResult<()> {
        let Some(bar) = self.0 else { return Ok(()) };
        Python::attach(|py| bar.call_method0(py, "close").map(drop))
    }
}

/// Does the work on `0..total` in pieces, in order. The caller is detached from the interpreter, to which this attaches
/// between pieces alone; so other threads go on, and Ctrl-C ends the work.
pub(crate) fn in_pieces<E: From<PyErr>>(
    total: usize,
    bar: Bar,
    mut work: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    let mut done = 0;
    let mut size = FIRST;
    while done < total {
        let piece = done..total.min(done + size);
        let start = Instant::now();
        work(piece.clone())?;
        let time = start.elapsed();
        done = piece.end;
        if done < total || bar.0.is_some() {
            Python::attach(|py| {
                bar.advance(py, piece.len())?;
                py.check_signals()
            })?;
        }
        let fitting = piece.len() as f64 * TIME.as_secs_f64() / time.as_secs_f64().max(1e-9);
        // A piece grows by steps, because the next rays may take longer than those before.
        size = (fitting as usize).clamp(1 << 10, 4 * size);
    }
    bar.close()?;
    Ok(())
}
