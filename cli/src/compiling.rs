//! The time in which a device compiles its shaders, separate from the time in which it casts.

use std::time::{Duration, Instant};

/// The times of a run that casts batch after batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CastTimes {
    /// The time until the first ray or point of each question was answered.
    pub compile: Duration,
    pub trace: Duration,
    has_compiled: bool,
}

impl CastTimes {
    /// Records that another question follows, which may need kernels to be compiled.
    pub fn begin_question(&mut self) {
        self.has_compiled = false;
    }

    /// Calls `cast`, which casts a batch, and adds its time. Before the first batch of a question,
    /// it calls `cast_one`, which casts only the first ray of the batch: a driver compiles a kernel
    /// when its pipeline is made or when it is first dispatched. Both take their time in
    /// `cast_one`, whereas one ray takes almost none.
    pub fn measure<T, E>(
        &mut self,
        cast_one: impl FnOnce() -> Result<(), E>,
        cast: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.has_compiled {
            let start = Instant::now();
            cast_one()?;
            self.compile += start.elapsed();
            self.has_compiled = true;
        }
        let start = Instant::now();
        let answers = cast()?;
        self.trace += start.elapsed();
        Ok(answers)
    }

    /// Returns the time for compiling as a text, if a person would notice it.
    pub fn compiling(&self) -> String {
        match self.compile >= Duration::from_millis(50) {
            true => format!("shaders compiled in {:.2} s, ", self.compile.as_secs_f64()),
            false => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    #[test]
    fn compiling_counts_before_the_first_batch_of_each_question() {
        const STEP: Duration = Duration::from_millis(20);
        let mut times = CastTimes::default();
        for question in 1..3 {
            times.begin_question();
            for _ in 0..2 {
                let compile = || {
                    sleep(STEP);
                    Ok::<(), ()>(())
                };
                times.measure(compile, || Ok(())).unwrap();
            }
            assert!(times.compile >= question * STEP, "{times:?}");
        }
    }
}
