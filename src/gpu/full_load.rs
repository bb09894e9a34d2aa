//! Keeps a device busy with the same work again and again, and measures how long it takes.
//!
//! A card that idles lowers its clock to a fifth, and raises it in steps while it works for half a
//! second. Work that is submitted alone, and waited for, measures such a card.

use super::buffer::{scoped, wait};
use super::chunk_tuner::Moment;
use super::device::Gpu;
use crate::gpu_error::GpuError;
use std::collections::VecDeque;
use std::time::Duration;

/// How long the device works before it is measured.
const WARM_UP: Duration = Duration::from_millis(500);
/// The time for which the work of one submission is chosen. Drivers reset a device that does not
/// respond for seconds, and a display waits meanwhile.
const SUBMISSION: Duration = Duration::from_millis(50);
/// The least time over which a run is measured. A short run is measured many times over.
const SHORTEST: Duration = Duration::from_millis(100);
/// The number of submissions that are under way, so that the device never waits for the host.
const UNDER_WAY: usize = 3;

/// Work that a device does again and again.
pub(super) struct FullLoad<'a, F> {
    pub gpu: &'a Gpu,
    /// The number of parts of one run of the work.
    pub parts: usize,
    /// Records a part, which is given by its index.
    pub record: F,
}

impl<F: Fn(&mut wgpu::CommandEncoder, usize)> FullLoad<'_, F> {
    /// Returns how many times over the longest part can be submitted at once, which is less than
    /// once if it takes too long; `None` if there is no clock.
    pub async fn share_of_submission(&self) -> Result<Option<f64>, GpuError> {
        let timed = async |part| {
            let begin = Moment::now();
            let submission = self.submit(part, 1).await?;
            wait(self.gpu, submission, Vec::new()).await?;
            Ok::<_, GpuError>(begin.elapsed())
        };
        // A driver may compile a kernel when it is first dispatched.
        timed(0).await?;
        let mut longest = None;
        for part in 0..self.parts {
            longest = longest.max(timed(part).await?);
        }
        let share = |time: Duration| SUBMISSION.as_secs_f64() / time.as_secs_f64().max(1e-9);
        Ok(longest.map(share))
    }

    /// Measures how long the device takes for each of `runs` runs of the work; `None` if there is
    /// no clock.
    pub async fn times(&self, runs: usize) -> Result<Option<Vec<Duration>>, GpuError> {
        let Some(share) = self.share_of_submission().await? else { return Ok(None) };
        let whole_runs = (share / self.parts as f64) as usize;
        let parts_each = (whole_runs * self.parts).max(1);
        let mut under_way = VecDeque::with_capacity(UNDER_WAY);
        let mut next = 0;
        // Waits for the first of the submissions that are under way.
        let mut advance = async || {
            while under_way.len() < UNDER_WAY {
                under_way.push_back(self.submit(next, parts_each).await?);
                next = (next + parts_each) % self.parts;
            }
            match under_way.pop_front() {
                Some(submission) => wait(self.gpu, submission, Vec::new()).await,
                None => Ok(()),
            }
        };

        let begin = Moment::now();
        while begin.elapsed().is_some_and(|time| time < WARM_UP) {
            advance().await?;
        }
        let mut times = Vec::with_capacity(runs);
        for _ in 0..runs {
            let begin = Moment::now();
            let mut done = 0;
            let time = loop {
                advance().await?;
                done += parts_each;
                let Some(time) = begin.elapsed() else { return Ok(None) };
                if done.is_multiple_of(self.parts) && time >= SHORTEST {
                    break time;
                }
            };
            times.push(time.div_f64((done / self.parts) as f64));
        }
        Ok(Some(times))
    }

    /// Submits this many parts from `first` on. After the last part comes the first.
    async fn submit(&self, first: usize, count: usize) -> Result<wgpu::SubmissionIndex, GpuError> {
        scoped(self.gpu, "a measurement", || {
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            for part in first..first + count {
                (self.record)(&mut encoder, part % self.parts);
            }
            self.gpu.queue.submit([encoder.finish()])
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;
    use std::cell::RefCell;

    #[test]
    fn times_are_taken_after_a_warm_up_and_every_part_is_cast_as_often() {
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let recorded = RefCell::new([0; 3]);
        let record = |_: &mut wgpu::CommandEncoder, part: usize| recorded.borrow_mut()[part] += 1;
        let load = FullLoad { gpu: &gpu, parts: 3, record };
        let begin = Moment::now();
        let times = pollster::block_on(load.times(2)).unwrap().unwrap();
        assert!(begin.elapsed().unwrap() >= WARM_UP + 2 * SHORTEST);
        assert_eq!(times.len(), 2);
        // The first part is also cast once in advance.
        let [first, others @ ..] = *recorded.borrow();
        assert!(first > 3 && others == [first - 1; 2], "{first}, {others:?}");
    }

    #[test]
    fn a_part_that_takes_longer_than_a_submission_may_is_submitted_alone() {
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let record = |_: &mut wgpu::CommandEncoder, _: usize| std::thread::sleep(2 * SUBMISSION);
        let load = FullLoad { gpu: &gpu, parts: 2, record };
        let share = pollster::block_on(load.share_of_submission()).unwrap().unwrap();
        assert!((0.01..=0.5).contains(&share), "{share}");
        let times = pollster::block_on(load.times(1)).unwrap().unwrap();
        assert!(times[0] >= 4 * SUBMISSION, "{times:?}");
    }
}
