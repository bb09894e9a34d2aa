//! Casts rays again on which a driver gave up, part by part of the scene. A part on which it gives
//! up as well is divided further, down to single shapes and blocks of heightfields. What the parts
//! answer is put together here, and is what a single traversal of the whole would have answered.

use super::crossings;
use super::hit::KernelHit;
use super::kernel::{EntryPoint, RayHandling};
use super::part::ScenePart;
use super::query_job::hits_on;
use super::recovery::RecoverableScene;
use super::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::query::{Batch, Selection};
use crate::ray::{NONE, Ray};
use crate::scene::Scene;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What stands in place of t in the list of what shows which solids contain a point, as
/// `shaders/containment.wgsl` says.
pub(super) const IN_SOLID: u32 = 0;
pub(super) const CROSSES_MESH: u32 = 1;
pub(super) const ON_MESH: u32 = 2;

/// A part of the scene, and the rays on which the driver has not given up there.
type Cast = (ScenePart, Arc<[usize]>);

/// Casts each ray of a batch at parts of the scene that hold all of it between them. `cast` returns
/// `None` for a ray on which the driver gives up; `take` is given each other answer, with the index
/// of its ray.
pub(super) async fn in_parts<A>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    batch: &Batch<'_>,
    cast: impl AsyncFn(&SceneOnDevice, Batch<'_>) -> Result<Vec<Option<A>>, GpuError>,
    mut take: impl FnMut(usize, A),
) -> Result<(), GpuError> {
    let mut by_world = BTreeMap::<u32, Vec<usize>>::new();
    for ray in 0..batch.len() {
        by_world.entry(batch.world(ray)).or_default().push(ray);
    }
    let mut waiting: Vec<Cast> = Vec::new();
    for (world, rays) in by_world {
        divide(scene, &ScenePart::whole(scene.packed(), world), rays, &mut waiting)?;
    }
    while let Some((part, rays)) = waiting.pop() {
        let confined = on_device.confined_to(&part).await?;
        let answers = cast(&confined, Selection::new(batch, &rays).batch()).await;
        let answers = answers.map_err(|error| error.of_rays(&rays))?;
        let mut abandoned = Vec::new();
        for (&ray, answer) in rays.iter().zip(answers) {
            match answer {
                Some(answer) => take(ray, answer),
                None => abandoned.push(ray),
            }
        }
        if !abandoned.is_empty() {
            divide(scene, &part, abandoned, &mut waiting)?;
        }
    }
    Ok(())
}

/// Adds the smaller parts of a part on which the driver gave up for some rays.
fn divide(
    scene: &RecoverableScene,
    part: &ScenePart,
    rays: Vec<usize>,
    waiting: &mut Vec<Cast>,
) -> Result<(), GpuError> {
    let parts = part.divided(scene.packed());
    if parts.is_empty() {
        return Err(GpuError::Unanswered(rays[0]));
    }
    let rays: Arc<[usize]> = rays.into();
    waiting.extend(parts.into_iter().map(|part| (part, Arc::clone(&rays))));
    Ok(())
}

/// Returns the answers of a kernel that finds closest hits, any hits or numbers of crossings.
pub(super) async fn answers<H: KernelHit>(
    scene: &RecoverableScene,
    entry_point: EntryPoint,
    batch: Batch<'_>,
) -> Result<Vec<H>, GpuError> {
    if !batch.is_solid() {
        return answers_of_surfaces(scene, entry_point, batch).await;
    }
    let at_start = containers::<H>(scene, batch).await?;
    let hit_at_start = |(found, ray): (&FoundContainers<H>, Ray)| found.lowest.at(ray.t_min);
    let mut answers: Vec<H> = at_start.iter().zip(batch.rays().iter()).map(hit_at_start).collect();
    let outside: Vec<usize> = (0..batch.len()).filter(|&ray| at_start[ray].count == 0).collect();
    let rest = Selection::new(&batch.surfaces(), &outside);
    let found = answers_of_surfaces(scene, entry_point, rest.batch()).await;
    for (&ray, found) in outside.iter().zip(found.map_err(|error| error.of_rays(&outside))?) {
        answers[ray] = found;
    }
    Ok(answers)
}

async fn answers_of_surfaces<H: KernelHit>(
    scene: &RecoverableScene,
    entry_point: EntryPoint,
    batch: Batch<'_>,
) -> Result<Vec<H>, GpuError> {
    let kernel = (entry_point, RayHandling::of(&batch));
    let world = scene.all_worlds();
    let of_parts = async |on_device: &SceneOnDevice| {
        let mut answers: Vec<Option<H>> = vec![None; batch.len()];
        let cast = async |part: &SceneOnDevice, rays: Batch<'_>| {
            answers_of_part(scene, part, kernel, rays).await
        };
        let take = |ray: usize, found: H| {
            answers[ray] = Some(match answers[ray] {
                None => found,
                Some(before) if entry_point == EntryPoint::All => sum(before, found),
                Some(before) => nearer(world, before, found),
            });
        };
        in_parts(scene, on_device, &batch, cast, take).await.map(|()| answers)
    };
    let answers = scene.retry_on_loss(of_parts).await?;
    Ok(answers.into_iter().map(|answer| answer.unwrap_or(H::MISS)).collect())
}

async fn answers_of_part<H: KernelHit>(
    scene: &RecoverableScene,
    part: &SceneOnDevice,
    kernel: (EntryPoint, RayHandling),
    rays: Batch<'_>,
) -> Result<Vec<Option<H>>, GpuError> {
    let found: Vec<H> = hits_on(scene, part, kernel, rays).await?;
    Ok(found.into_iter().map(|found| (!found.is_abandoned()).then_some(found)).collect())
}

/// Adds numbers of crossings, which stand in place of t.
fn sum<H: KernelHit>(a: H, b: H) -> H {
    a.at(f32::from_bits(a.t().to_bits() + b.t().to_bits()))
}

/// Returns the nearer of two hits, at equal t that of the lower primitive. Each part of the scene
/// answers an invalid ray with NaN.
fn nearer<H: KernelHit>(world: &Scene, a: H, b: H) -> H {
    match a.t().partial_cmp(&b.t()) {
        Some(Ordering::Greater) => b,
        Some(Ordering::Equal) if world.precedes(b.primitive_ref(), a.primitive_ref()) => b,
        _ => a,
    }
}

/// Lists the crossings of each ray, in no order.
pub(super) async fn crossings<H: KernelHit>(
    scene: &RecoverableScene,
    batch: Batch<'_>,
) -> Result<Vec<Vec<H>>, GpuError> {
    lists(scene, (EntryPoint::All, RayHandling::of(&batch)), batch).await
}

async fn lists<H: KernelHit>(
    scene: &RecoverableScene,
    kernel: (EntryPoint, RayHandling),
    batch: Batch<'_>,
) -> Result<Vec<Vec<H>>, GpuError> {
    let of_parts = async |on_device: &SceneOnDevice| {
        let mut lists: Vec<Vec<H>> = vec![Vec::new(); batch.len()];
        let cast = async |part: &SceneOnDevice, rays: Batch<'_>| {
            crossings::lists::<H>(scene, part, kernel, rays).await
        };
        let take = |ray: usize, list: Vec<H>| lists[ray].extend(list);
        in_parts(scene, on_device, &batch, cast, take).await.map(|()| lists)
    };
    scene.retry_on_loss(of_parts).await
}

/// The solids that contain the start of a ray.
pub(super) struct FoundContainers<H> {
    pub count: u32,
    /// The lowest one, or a miss.
    pub lowest: H,
}

/// Finds the solids that contain the start of each ray; if solids are not solid to the batch, also
/// the half-spaces.
pub(super) async fn containers<H: KernelHit>(
    scene: &RecoverableScene,
    batch: Batch<'_>,
) -> Result<Vec<FoundContainers<H>>, GpuError> {
    let handling = RayHandling { is_listing: true, ..RayHandling::of(&batch) };
    let lists = lists::<H>(scene, (EntryPoint::ContainerSet, handling), batch).await?;
    let world = scene.all_worlds();
    Ok(lists.into_iter().map(|list| containers_in(world, list)).collect())
}

/// Finds the solids in a list of what shows them.
fn containers_in<H: KernelHit>(world: &Scene, mut list: Vec<H>) -> FoundContainers<H> {
    list.sort_unstable_by(|a, b| world.order(a.primitive_ref(), b.primitive_ref()));
    let mut containers = FoundContainers { count: 0, lowest: H::MISS };
    for of_solid in list.chunk_by(|a, b| a.primitive_ref() == b.primitive_ref()) {
        let signs = || of_solid.iter().map(|sign| sign.t().to_bits());
        let crossings = signs().filter(|sign| sign & CROSSES_MESH != 0).count();
        let is_on = signs().any(|sign| sign == IN_SOLID || sign & ON_MESH != 0);
        if is_on || crossings % 2 == 1 {
            containers.count += 1;
            if containers.lowest.primitive_ref().primitive == NONE {
                containers.lowest = of_solid[0];
            }
        }
    }
    containers
}
