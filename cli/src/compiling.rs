//! The time in which a device compiles its shaders, apart from that in which it casts.

use std::time::{Duration, Instant};

/// The times of a run that casts batch after batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CastTimes {
    /// The time until the first ray or point was answered.
    pub compile: Duration,
    pub trace: Duration,
    has_compiled: bool,
}

impl CastTimes {
    /// Calls `cast`, which casts a batch, and counts its time. Before the first batch it calls `cast_one`, which casts the
    /// batch's first ray alone: a driver compiles a shader when it is first dispatched, and this takes its time, whereas
    /// one ray takes none.
    pub fn measure<T, E>(
        &mut self,
        cast_one: impl FnOnce() -> Result<(), E>,
        cast: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.has_compiled {
            let start = Instant::now();
            cast_one()?;
            self.compile = start.elapsed();
            self.has_compiled = true;
        }
        let start = Instant::now();
        let answers = cast()?;
        self.trace += start.elapsed();
        Ok(answers)
    }

    /// Tells in a line of text how long compiling took, if a person would notice it.
    pub fn compiling(&self) -> String {
        match self.compile >= Duration::from_millis(50) {
            true => format!("shaders compiled in {:.2} s, ", self.compile.as_secs_f64()),
            false => String::new(),
        }
    }
}
