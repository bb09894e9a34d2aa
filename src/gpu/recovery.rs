//! Recovery from the loss of a device, so that a batch goes on with another one.

use super::chunk_tuner::ChunkTuner;
use super::device::Gpu;
use super::error::GpuError;
use super::fault::Fault;
use super::hit::HitKind;
use super::lock::lock;
use super::scene_on_device::SceneOnDevice;
use crate::cpu::CpuTracer;
use crate::packed::{PackError, PackedScene, Update};
use crate::scene::Scene;
use crate::tracer::TraceError;
use std::sync::{Arc, Mutex, OnceLock};

/// A batch fails when its device is lost this often in a row before anything is done.
const LOSSES: usize = 3;

/// A scene that is uploaded again where its device is lost.
#[derive(Debug)]
pub(super) struct RecoverableScene {
    /// Kept so that it can be uploaded again.
    packed: PackedScene,
    fault: Option<Fault>,
    /// It is replaced when the device is lost.
    on_device: Mutex<Arc<SceneOnDevice>>,
    pub tuner: ChunkTuner,
    /// The scene's instances without its own geometries, for what devices cannot answer; made when it is first asked.
    instances_on_host: OnceLock<Box<CpuTracer>>,
}

impl RecoverableScene {
    /// Uploads a packed scene.
    pub async fn new(
        gpu: &Gpu,
        packed: &PackedScene,
        fault: Option<&Fault>,
    ) -> Result<Self, GpuError> {
        let on_device = SceneOnDevice::new(gpu.clone(), packed, fault).await?;
        Ok(Self {
            packed: packed.clone(),
            fault: fault.copied(),
            on_device: Mutex::new(Arc::new(on_device)),
            tuner: ChunkTuner::new(&gpu.device.limits(), gpu.device.adapter_info().device_type),
            instances_on_host: OnceLock::new(),
        })
    }

    /// Moves the instances to where they are in a scene that differs from this one in their places alone.
    pub async fn update(&mut self, scene: &Scene) -> Result<Update, TraceError> {
        let update = self.packed.update(scene)?;
        self.instances_on_host = OnceLock::new();
        let on_device = self.on_device();
        let done = match update.is_rebuilt {
            true => Err(None),
            false => on_device.update(&self.packed, &update).await.map_err(Some),
        };
        match done {
            Ok(()) => {}
            // The whole scene goes to the device, or to one that is opened in place of a lost one.
            Err(None) => {
                let gpu = on_device.gpu.clone();
                let new = SceneOnDevice::new(gpu, &self.packed, self.fault.as_ref()).await?;
                *lock(&self.on_device) = Arc::new(new);
            }
            Err(Some(lost @ GpuError::Lost(_))) => {
                self.reopened(&on_device, lost).await?;
            }
            Err(Some(error)) => return Err(error.into()),
        }
        Ok(update)
    }

    /// Returns the scene on its present device.
    pub fn on_device(&self) -> Arc<SceneOnDevice> {
        Arc::clone(&lock(&self.on_device))
    }

    /// Returns the scene.
    pub fn scene(&self) -> &Scene {
        self.packed.scene()
    }

    /// Returns the number of the scene's records.
    pub fn record_count(&self) -> usize {
        self.packed.record_count()
    }

    /// Returns the kind of hits that the kernels write.
    pub fn hit_kind(&self) -> HitKind {
        HitKind::of(self.world())
    }

    /// Returns what rays are cast into, by which the scene's primitives are numbered.
    pub fn world(&self) -> &Scene {
        self.packed.all_worlds()
    }

    /// Returns a tracer of the scene's instances without its own geometries. All ids stay.
    pub fn instances_on_host(&self) -> Result<&CpuTracer, GpuError> {
        if let Some(tracer) = self.instances_on_host.get() {
            return Ok(tracer);
        }
        // A scene has a world 0.
        let mut scene = self.scene().in_world(0).unwrap_or_default();
        for own in 0..scene.geometries().len() as u32 {
            scene.set_mask(scene.id_of_own(own), 0);
        }
        let refused = |reason: PackError| GpuError::Refused {
            what: "the instances on the host",
            reason: reason.to_string(),
        };
        let packed = PackedScene::new(scene).map_err(refused)?;
        Ok(self.instances_on_host.get_or_init(|| Box::new(CpuTracer::new(&packed))))
    }

    /// Does some work, and does it again on another device each time that the device is lost.
    pub async fn retry_on_loss<T>(
        &self,
        work: impl AsyncFn(&SceneOnDevice) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let mut losses = Losses::default();
        let mut scene = self.on_device();
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
        log::warn!("{} was lost; it was opened again, and the batch goes on", gpu.name());
        let new = Arc::new(SceneOnDevice::new(gpu, &self.packed, self.fault.as_ref()).await?);
        *lock(&self.on_device) = Arc::clone(&new);
        Ok(new)
    }
}

/// How often in a row the device was lost before anything was done.
#[derive(Default)]
pub(super) struct Losses(usize);

impl Losses {
    /// Returns the scene on a device that was opened again, or the error if the device was lost too often in a row.
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
