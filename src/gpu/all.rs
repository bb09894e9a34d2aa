//! All crossings of each ray: a first pass counts them, and a second one writes them to a buffer of
//! that size, a piece of the rays at a time.

use super::crossings::{crossings, crossings_at_most, piece};
use super::hit::{GpuHit, GpuPlacedHit, HitKind, KernelHit};
use super::kernel::{EntryPoint, RayHandling};
use super::query_job::QueryAnswers;
use super::rays::counted;
use super::recast;
use super::recovery::RecoverableScene;
use super::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::query::{AllHits, Batch, Selection};
use crate::ray::Hit;
use crate::scene::Scene;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

pub(super) async fn all(scene: &RecoverableScene, batch: Batch<'_>) -> Result<AllHits, GpuError> {
    let batch = batch.surfaces();
    let QueryAnswers { answers: counts, abandoned } = counted(scene, batch).await?;
    let mut all = with_room_for(&counts)?;
    let mut done = 0;
    let mut most = scene.tuner.chunk(batch.len());
    let crossings = crossings_at_most(scene, &scene.on_device());
    while done < batch.len() {
        let piece = done..done + piece(&counts[done..], most, crossings);
        let [first, end] =
            [piece.start, piece.end].map(|end| abandoned.partition_point(|&ray| ray < end));
        let abandoned = &abandoned[first..end];
        let added = match scene.hit_kind() {
            HitKind::Own => {
                add_piece::<GpuHit>(scene, batch, piece.clone(), &counts, abandoned, &mut all).await
            }
            HitKind::Placed => {
                add_piece::<GpuPlacedHit>(scene, batch, piece.clone(), &counts, abandoned, &mut all)
                    .await
            }
        };
        match added {
            Err(GpuError::OutOfMemory(_)) if piece.len() > 1 => most = piece.len() / 2,
            noted => {
                noted?;
                done = piece.end;
            }
        }
    }
    Ok(all)
}

/// Returns empty answers with room for as many crossings as were counted. It is an error if the
/// host has not so much memory.
fn with_room_for(counts: &[u32]) -> Result<AllHits, GpuError> {
    let crossings = counts.iter().map(|&count| u64::from(count)).sum();
    AllHits::with_capacity(counts.len(), crossings).ok_or(GpuError::HostMemory {
        what: "the crossings of all rays",
        needed: AllHits::bytes(counts.len(), crossings),
    })
}

/// Adds the crossings of a piece of the rays, on some of which the driver gave up.
async fn add_piece<H: KernelHit>(
    scene: &RecoverableScene,
    batch: Batch<'_>,
    piece: Range<usize>,
    counts: &[u32],
    abandoned: &[usize],
    all: &mut AllHits,
) -> Result<(), GpuError> {
    let is_abandoned = |ray: &usize| abandoned.binary_search(ray).is_ok();
    let kept: Vec<usize> = piece.clone().filter(|ray| !is_abandoned(ray)).collect();
    let counts: Vec<u32> = kept.iter().map(|&ray| counts[ray]).collect();
    let selection;
    let rays = match abandoned {
        [] => batch.slice(piece.clone()),
        _ => {
            selection = Selection::new(&batch, &kept);
            selection.batch()
        }
    };
    let kernel = (EntryPoint::All, RayHandling::of(&batch));
    let listed = async |on_device: &SceneOnDevice| {
        crossings::<H>(scene, on_device, kernel, rays, &counts).await
    };
    let listed = scene.retry_on_loss(listed).await;
    let mut listed = listed.map_err(|error| error.of_rays(&kept))?;
    let mut of_rays: Vec<Option<&mut [H]>> = piece.clone().map(|_| None).collect();
    for (&ray, list) in kept.iter().zip(listed.of_rays()) {
        of_rays[ray - piece.start] = list;
    }
    let missing: Vec<usize> =
        piece.clone().filter(|ray| of_rays[ray - piece.start].is_none()).collect();
    let again = Selection::new(&batch, &missing);
    let again = recast::crossings::<H>(scene, again.batch()).await;
    let mut again = again.map_err(|error| error.of_rays(&missing))?;
    for (ray, list) in missing.iter().zip(&mut again) {
        of_rays[ray - piece.start] = Some(&mut list[..]);
    }
    let world = scene.all_worlds();
    let mut of_rays: Vec<&mut [H]> = of_rays.into_iter().flatten().collect();
    of_rays.par_iter_mut().for_each(|of_ray| of_ray.sort_unstable_by(|a, b| order(world, a, b)));
    for of_ray in of_rays {
        all.push(of_ray.iter().map(|found| found.hit(world)).collect::<Vec<Hit>>());
    }
    Ok(())
}

/// Compares two crossings by t, then by primitive. No t is NaN.
fn order<H: KernelHit>(world: &Scene, a: &H, b: &H) -> Ordering {
    let by_ids = || world.order(a.primitive_ref(), b.primitive_ref());
    a.t().partial_cmp(&b.t()).unwrap_or(Ordering::Equal).then_with(by_ids)
}

#[cfg(test)]
mod tests;
