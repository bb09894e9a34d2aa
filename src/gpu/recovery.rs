//! Recovery from the loss of a device, so that a batch goes on with another one.

use super::chunk_tuner::ChunkTuner;
use super::device::Gpu;
use super::fault_site::{FaultSite, HostFault};
use super::hit::HitKind;
use super::host_phases::PhaseTotals;
use super::lock::lock;
use super::scene_on_device::SceneOnDevice;
use crate::cpu::CpuTracer;
use crate::gpu_error::GpuError;
use crate::packed::{PackedScene, Update};
use crate::scene::Scene;
use crate::tracer::TraceError;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock};

/// A batch fails when its device is lost this often in a row before anything is done.
const LOSSES: usize = 3;

/// For how many crossings of each ray sampling makes room at first.
const FEW_CROSSINGS: u32 = 8;

/// A scene that is uploaded again where its device is lost.
#[derive(Debug)]
pub(super) struct RecoverableScene {
    /// Kept so that it can be uploaded again.
    packed: PackedScene,
    fault: Option<FaultSite>,
    /// It is replaced when the device is lost.
    on_device: Mutex<Arc<SceneOnDevice>>,
    /// The error of an update that moved the packed scene and not the one on the device.
    outdated: Option<GpuError>,
    pub tuner: ChunkTuner,
    pub phases: PhaseTotals,
    /// For how many crossings of each ray sampling makes room.
    pub most_crossings: AtomicU32,
    /// The scene's instances without its own geometries, for what devices cannot answer; made when
    /// it is first asked.
    instances_on_host: OnceLock<Box<CpuTracer>>,
    /// The whole scene, for what only the host answers; made when it is first asked.
    on_host: OnceLock<Box<CpuTracer>>,
}

impl RecoverableScene {
    /// Uploads a packed scene.
    pub async fn new(
        gpu: &Gpu,
        packed: &PackedScene,
        fault: Option<FaultSite>,
    ) -> Result<Self, GpuError> {
        let on_device = SceneOnDevice::new(gpu.clone(), packed, fault).await?;
        let mut tuner =
            ChunkTuner::new(&gpu.device.limits(), gpu.device.adapter_info().device_type);
        if let Some(rays) = fault.and_then(FaultSite::host_fault).and_then(HostFault::chunk) {
            tuner.limit(rays);
        }
        Ok(Self {
            packed: packed.clone(),
            fault,
            on_device: Mutex::new(Arc::new(on_device)),
            outdated: None,
            tuner,
            phases: PhaseTotals::default(),
            most_crossings: AtomicU32::new(FEW_CROSSINGS),
            instances_on_host: OnceLock::new(),
            on_host: OnceLock::new(),
        })
    }

    /// Moves the instances to where they are in a scene that differs from this one in their places
    /// alone.
    pub async fn update(&mut self, scene: &Scene) -> Result<Update, TraceError> {
        // It gives up its share of the scene and the tree, so that these need not be copied.
        self.on_host = OnceLock::new();
        let update = self.packed.update(scene)?;
        if update.moved() > 0 || self.outdated.is_some() {
            self.instances_on_host = OnceLock::new();
            let uploaded = self.upload(&update).await;
            self.outdated = uploaded.as_ref().err().cloned();
            uploaded?;
        }
        Ok(update)
    }

    /// Takes an update to the device, or the whole scene if that is needed: to the same device or,
    /// if it is lost, to one that is opened in its place.
    async fn upload(&self, update: &Update) -> Result<(), GpuError> {
        let on_device = self.on_device();
        let uploaded = match update.is_rebuilt || self.outdated.is_some() {
            true => self.replace(on_device.gpu.clone()).await.map(drop),
            false => on_device.update(&self.packed, update).await,
        };
        match uploaded {
            Err(lost @ GpuError::Lost(_)) => self.reopened(&on_device, lost).await.map(drop),
            end => end,
        }
    }

    /// Uploads the whole scene, in place of what was on a device.
    async fn replace(&self, gpu: Gpu) -> Result<Arc<SceneOnDevice>, GpuError> {
        let new = Arc::new(SceneOnDevice::new(gpu, &self.packed, self.fault).await?);
        *lock(&self.on_device) = Arc::clone(&new);
        Ok(new)
    }

    /// Returns the scene on its present device, where it may be as it was before an update that
    /// failed.
    pub fn on_device(&self) -> Arc<SceneOnDevice> {
        Arc::clone(&lock(&self.on_device))
    }

    /// Returns the scene on its present device, to cast rays into, or the error of an update that
    /// did not reach the device.
    pub fn current(&self) -> Result<Arc<SceneOnDevice>, GpuError> {
        self.outdated.clone().map_or_else(|| Ok(self.on_device()), Err)
    }

    pub fn packed(&self) -> &PackedScene {
        &self.packed
    }

    pub fn scene(&self) -> &Scene {
        self.packed.scene()
    }

    pub fn record_count(&self) -> usize {
        self.packed.record_count()
    }

    pub fn hit_kind(&self) -> HitKind {
        HitKind::of(self.all_worlds())
    }

    /// Returns what rays are cast into, by which the scene's primitives are numbered.
    pub fn all_worlds(&self) -> &Scene {
        self.packed.all_worlds()
    }

    /// Returns a tracer of the scene in float64.
    pub fn on_host(&self) -> &CpuTracer {
        self.on_host.get_or_init(|| Box::new(CpuTracer::new(&self.packed)))
    }

    /// Returns a tracer of the scene's instances without its own geometries. All ids stay.
    pub fn instances_on_host(&self) -> Result<&CpuTracer, GpuError> {
        if let Some(tracer) = self.instances_on_host.get() {
            return Ok(tracer);
        }
        let refused =
            |reason: String| GpuError::Refused { what: "the instances on the host", reason };
        let alone = self.scene().in_world(0).map_err(|error| refused(error.to_string()))?;
        // Every scene has a world 0.
        let mut scene = alone.unwrap_or_default();
        for own in 0..scene.geometries().len() as u32 {
            scene.set_mask(scene.id_of_own(own), 0);
        }
        let packed = PackedScene::new(scene).map_err(|error| refused(error.to_string()))?;
        Ok(self.instances_on_host.get_or_init(|| Box::new(CpuTracer::new(&packed))))
    }

    /// Does some work, and does it again on another device each time that the device is lost.
    pub async fn retry_on_loss<T>(
        &self,
        work: impl AsyncFn(&SceneOnDevice) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let mut losses = Losses::default();
        let mut scene = self.current()?;
        loop {
            match work(&scene).await {
                Err(lost @ GpuError::Lost(_)) => {
                    scene = losses.recover(self, &scene, lost).await?;
                }
                end => return end,
            }
        }
    }

    /// Returns the scene on another device of the same adapter, in place of the lost one.
    async fn reopened(
        &self,
        old: &Arc<SceneOnDevice>,
        lost: GpuError,
    ) -> Result<Arc<SceneOnDevice>, GpuError> {
        let current = self.on_device();
        // Another call has opened the device again already.
        if !Arc::ptr_eq(&current, old) {
            return Ok(current);
        }
        let gpu = old.gpu.reopened(lost).await?;
        log::warn!("{} was lost and opened again: the batch continues", gpu.name());
        self.replace(gpu).await
    }
}

/// How often in a row the device was lost before anything was done.
#[derive(Default)]
pub(super) struct Losses(usize);

impl Losses {
    /// Returns the scene on a device that was opened again, or the error if the device was lost too
    /// often in a row.
    pub async fn recover(
        &mut self,
        scene: &RecoverableScene,
        old: &Arc<SceneOnDevice>,
        lost: GpuError,
    ) -> Result<Arc<SceneOnDevice>, GpuError> {
        self.0 += 1;
        if self.0 == LOSSES {
            return Err(lost);
        }
        scene.reopened(old, lost).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{AdapterChoice, rays};
    use crate::math::Similarity;
    use crate::query::Batch;
    use crate::ray::{Hit, Ray};
    use crate::scene::{Definition, NodeId};
    use crate::shapes::Sphere;
    use crate::transform::Transform;
    use glam::DVec3;

    fn at(x: f64, y: f64) -> Transform {
        Similarity { translation: DVec3::new(x, y, 0.0), ..Similarity::IDENTITY }.into()
    }

    /// Makes a row of balls that move, the scene on a device of its own, and rays at the balls.
    fn row() -> (Scene, Vec<NodeId>, RecoverableScene, Vec<Ray>) {
        let mut ball = Scene::new();
        ball.add(Sphere { center: DVec3::ZERO, radius: 0.4 }).unwrap();
        let ball = Definition::new(ball);
        let mut scene = Scene::new();
        let nodes = (0..40).map(|index| {
            let node = scene.add_node(None, &at(f64::from(index), 0.0), None).unwrap();
            scene.add_instance_at(node, &ball, None).unwrap();
            node
        });
        let nodes = nodes.collect();
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let packed = PackedScene::new(scene.clone()).unwrap();
        let on_device = pollster::block_on(RecoverableScene::new(&gpu, &packed, None)).unwrap();
        let ray = |index: u16| Ray::new([0.1 * f32::from(index), 0.1, -3.0], [0.0, 0.0, 1.0]);
        (scene, nodes, on_device, (0..400).map(ray).collect())
    }

    /// Moves the balls by a little, or so that the tree is built anew.
    fn shift(scene: &mut Scene, nodes: &[NodeId], is_far: bool) {
        let place = |index: usize| match is_far {
            false => at(index as f64 + 0.3, 0.1),
            true => at((index * 7 % 40) as f64, 0.1),
        };
        let moved: Vec<_> = (0..).zip(nodes).map(|(index, node)| (*node, place(index))).collect();
        scene.set_transforms(&moved).unwrap();
    }

    fn hits(scene: &RecoverableScene, rays: &[Ray]) -> Vec<Hit> {
        pollster::block_on(rays::closest(scene, Batch::new(rays), Vec::new())).unwrap()
    }

    #[test]
    fn a_device_that_is_lost_about_an_update_changes_no_answer() {
        for is_far in [false, true] {
            for is_lost_before in [false, true] {
                let (mut moved, nodes, mut scene, rays) = row();
                let first = scene.on_device();
                let before = hits(&scene, &rays);
                shift(&mut moved, &nodes, is_far);
                if is_lost_before {
                    first.gpu.device.destroy();
                }
                let update = pollster::block_on(scene.update(&moved)).unwrap();
                assert_eq!(update.is_rebuilt, is_far);
                if !is_lost_before {
                    scene.on_device().gpu.device.destroy();
                }
                let after = hits(&scene, &rays);
                let anew = PackedScene::new(moved.clone()).unwrap();
                let gpu = scene.on_device().gpu.clone();
                let anew = RecoverableScene::new(&gpu, &anew, None);
                assert_eq!(after, hits(&pollster::block_on(anew).unwrap(), &rays));
                assert_ne!(after, before);
            }
        }
    }
}
