//! The times of the host's phases while a batch is cast chunk by chunk.

use super::chunk_tuner::Moment;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The times of the host's phases. In a browser there is no clock, and all are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostPhases {
    /// The time for writing rays to memory that the device reads, and for submitting their chunks.
    pub writing: Duration,
    /// The time in which the host waited for the device.
    pub waiting: Duration,
    /// The time for reading the device's results and making answers from them.
    pub reading: Duration,
}

/// A phase of [`HostPhases`].
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Writing,
    Waiting,
    Reading,
}

/// The nanoseconds of each phase, which threads that cast at the same time add up.
#[derive(Debug, Default)]
pub(super) struct PhaseTotals([AtomicU64; 3]);

impl PhaseTotals {
    /// Begins the first phase of a batch.
    pub fn begin(&self) -> PhaseClock<'_> {
        PhaseClock { totals: self, since: Moment::now() }
    }

    /// Returns what was added up since the last call.
    pub fn take(&self) -> HostPhases {
        let [writing, waiting, reading] = [Phase::Writing, Phase::Waiting, Phase::Reading]
            .map(|phase| Duration::from_nanos(self.0[phase as usize].swap(0, Ordering::Relaxed)));
        HostPhases { writing, waiting, reading }
    }
}

/// A clock that knows when the present phase of a batch began.
pub(super) struct PhaseClock<'a> {
    totals: &'a PhaseTotals,
    since: Moment,
}

impl PhaseClock<'_> {
    /// Adds the time since the last phase ended to a phase that ends now.
    pub fn end(&mut self, phase: Phase) {
        let time = self.since.elapsed().unwrap_or_default();
        self.totals.0[phase as usize].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        self.since = Moment::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_lasts_from_the_end_of_the_one_before_and_is_taken_once() {
        const STEP: Duration = Duration::from_millis(10);
        let totals = PhaseTotals::default();
        let mut clock = totals.begin();
        for phase in [Phase::Writing, Phase::Waiting, Phase::Reading, Phase::Writing] {
            std::thread::sleep(STEP);
            clock.end(phase);
        }
        let HostPhases { writing, waiting, reading } = totals.take();
        assert!(writing >= 2 * STEP && waiting >= STEP && reading >= STEP);
        assert_eq!(totals.take(), HostPhases::default());
    }
}
