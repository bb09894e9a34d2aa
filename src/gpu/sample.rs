//! Samples rays on the device: it makes them, casts them, and adds up their answers. Only sums
//! cross the bus.
//!
//! Several chunks are submitted one after the other, and their sums are read at once. Where the
//! device is lost meanwhile, none of them counts, and all are cast again. Where a ray has more
//! crossings than there is room for, its chunks are cast again with more.

mod on_device;
mod rays;
mod sums;
mod uniform;

pub(super) use rays::generate_rays;
#[cfg(test)]
pub(super) use {
    on_device::HITS_OF_THREAD,
    sums::{COUNTS, HIT_SUMS, PATH_SUMS},
    uniform::{IN_BOX, LINES, SamplingUniform},
};

use super::chunk_tuner::Moment;
use super::recovery::{Losses, RecoverableScene};
use super::scene_on_device::SceneOnDevice;
use super::{all::all, rays::closest};
use crate::gpu_error::GpuError;
use crate::query::Batch;
use crate::ray::Ray;
use crate::sample::{RayGenerator, Sampler, Tally};
use on_device::{ChunkGroup, SamplerOnDevice};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// The most geometries whose sums a device keeps. For more the answers are fewer than the sums.
const MOST_GEOMETRIES: usize = 1 << 20;

/// The number of chunks that are submitted before their sums are read.
const CHUNKS: usize = 16;

/// The most rays whose sums are read at once, so that no sum takes more than 64 bits, or a sum of
/// squares 96.
const MOST_RAYS: u64 = 1 << 25;

/// The most rays that are cast at a time where each is answered.
const ANSWERED_RAYS: u64 = 1 << 16;

/// The most crossings that one chunk has room for.
const MOST_CROSSINGS: usize = 1 << 22;

/// Returns true if a device can make such rays and keep this many sums.
pub(super) fn is_for_devices(sampler: &Sampler) -> bool {
    let makes_rays = match sampler.generator() {
        RayGenerator::Views(views) => views.iter().all(|view| view.is_still()),
        _ => true,
    };
    makes_rays && sampler.is_solid().len() <= MOST_GEOMETRIES
}

/// Casts the rays of these numbers, and adds up their answers.
pub(super) async fn sample(
    scene: &RecoverableScene,
    sampler: &Sampler,
    numbers: Range<u64>,
) -> Result<Tally, GpuError> {
    let mut tally = sampler.tally();
    let mut losses = Losses::default();
    let mut on_device = scene.current()?;
    let mut rest = numbers;
    loop {
        let before = rest.start;
        match sample_until_lost(scene, &on_device, sampler, &mut tally, &mut rest).await {
            Err(lost @ GpuError::Lost(_)) => {
                if rest.start > before {
                    losses = Losses::default();
                }
                scene.tuner.shrink_after_loss();
                on_device = losses.recover(scene, &on_device, lost).await?;
            }
            end => return end.map(|()| tally),
        }
    }
}

/// Adds the answers to the `rest` of the rays on one device, and takes off what is done.
async fn sample_until_lost(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    sampler: &Sampler,
    tally: &mut Tally,
    rest: &mut Range<u64>,
) -> Result<(), GpuError> {
    let mut sampled = SamplerOnDevice::new(on_device, scene.all_worlds(), sampler).await?;
    while !rest.is_empty() {
        let room = scene.most_crossings.load(Ordering::Relaxed);
        let left = usize::try_from(rest.end - rest.start).unwrap_or(usize::MAX);
        let mut chunk = scene.tuner.largest().min(left);
        if tally.has_paths() {
            chunk = chunk.min(MOST_CROSSINGS / room as usize).max(1);
        }
        let rays = (CHUNKS as u64 * chunk as u64).min(MOST_RAYS);
        let numbers = rest.start..rest.end.min(rest.start.saturating_add(rays));
        let group = ChunkGroup { numbers, chunk, room };
        let since = Moment::now();
        let sums = match sampled.cast(&group, scene.tuner.most()).await {
            Err(GpuError::OutOfMemory(_)) if scene.tuner.shrink_for_memory(chunk) => continue,
            sums => sums?,
        };
        if let Some(time) = sums.time.or(since.elapsed()) {
            scene.tuner.learn(chunk, time / group.chunk_count());
        }
        scene.tuner.add_kernel_time(sums.time.unwrap_or_default());
        if sums.is_abandoned() {
            add_answers(scene, sampler, &group.numbers, tally).await?;
            rest.start = group.numbers.end;
            continue;
        }
        let most_crossings = sums.most_crossings();
        if most_crossings > room {
            // Only a scene of more crossings than a buffer holds has a ray with more.
            let room = most_crossings.checked_next_power_of_two().unwrap_or(most_crossings);
            scene.most_crossings.fetch_max(room, Ordering::Relaxed);
            continue;
        }
        sums.add_to(tally, &group.numbers)?;
        rest.start = group.numbers.end;
    }
    Ok(())
}

/// Adds the answers to rays, on one of which the driver gave up as it added them up: they are cast
/// as those of a batch are.
async fn add_answers(
    scene: &RecoverableScene,
    sampler: &Sampler,
    numbers: &Range<u64>,
    tally: &mut Tally,
) -> Result<(), GpuError> {
    let mut added = sampler.tally();
    for numbers in sampler.by_view(numbers.clone(), ANSWERED_RAYS) {
        let rays = generate_rays(scene, sampler, numbers.clone()).await?;
        added.add_hits(&closest(scene, Batch::new(&rays), Vec::new()).await?);
        if sampler.has_paths() {
            let endless = |ray: &Ray| ray.within(ray.t_min, f32::INFINITY);
            let endless: Vec<Ray> = rays.iter().map(endless).collect();
            added.add_paths(sampler, &all(scene, Batch::new(&endless)).await?);
        }
        added.add_range(numbers);
    }
    tally.add(&added).map_err(|error| GpuError::Refused {
        what: "the sums of sampled rays",
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests;
