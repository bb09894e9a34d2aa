//! The tracers of a scene: the float64 tracer, and one on the user's GPU if there is one.

use crate::parts::OPAQUE;
use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
use raytwin::query::Batch;
use raytwin::ray::Hit;
use raytwin::{CpuTracer, PackedScene, Ray, TraceError, Tracer, View};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The user's GPU.
#[wasm_bindgen]
pub struct Device(pub(crate) Gpu);

#[wasm_bindgen]
impl Device {
    /// Opens the GPU that the browser gives.
    pub async fn open() -> Result<Self, JsError> {
        Ok(Self(Gpu::open_async(&AdapterChoice::Any).await?))
    }

    /// Returns the name that the browser reports, which may be empty.
    pub fn name(&self) -> String {
        self.0.adapter().map_or_else(String::new, |adapter| adapter.name.clone())
    }
}

/// The tracers of one scene.
pub struct Caster {
    packed: PackedScene,
    pub cpu: CpuTracer,
    /// True if parts of the scene are transparent.
    pub has_glass: bool,
    gpu: RefCell<Option<Rc<GpuTracer>>>,
}

impl Caster {
    pub fn new(packed: PackedScene, has_glass: bool) -> Self {
        Self { cpu: CpuTracer::new(&packed), packed, has_glass, gpu: RefCell::new(None) }
    }

    /// Casts on a device from now on.
    pub async fn upload(&self, device: &Device) -> Result<(), JsError> {
        let tracer = GpuTracer::new_async(&device.0, &self.packed, None).await?;
        *self.gpu.borrow_mut() = Some(Rc::new(tracer));
        Ok(())
    }

    /// Casts in float64 from now on.
    pub fn leave_device(&self) {
        *self.gpu.borrow_mut() = None;
    }

    /// The tracer is cloned out of its cell, because a cell must not stay borrowed while other tasks run.
    pub fn gpu(&self) -> Option<Rc<GpuTracer>> {
        self.gpu.borrow().clone()
    }

    /// Returns the closest hit of each ray, cast on a device if one is given, and otherwise in float64.
    pub async fn closest(
        &self,
        gpu: Option<&GpuTracer>,
        batch: Batch<'_>,
    ) -> Result<Vec<Hit>, TraceError> {
        match gpu {
            Some(gpu) => gpu.closest_async(batch).await,
            None => self.cpu.closest(batch),
        }
    }

    /// Returns the closest hit of each pixel of a view.
    pub async fn render(&self, view: &View) -> Result<Vec<Hit>, TraceError> {
        let pixels = 0..view.pixels();
        match self.gpu() {
            Some(gpu) => Ok(gpu.render_async(view, pixels).await?),
            None => self.cpu.render(view, pixels),
        }
    }

    /// Returns, for each ray to a light, whether a shape hides the light. Light passes through glass.
    /// Invalid rays are not cast.
    pub async fn hidden(
        &self,
        gpu: Option<&GpuTracer>,
        rays: &[Ray],
    ) -> Result<Vec<bool>, TraceError> {
        let asked: Vec<Ray> = rays.iter().filter(|ray| ray.is_valid()).copied().collect();
        let masks = vec![OPAQUE; if self.has_glass { asked.len() } else { 0 }];
        let mut batch = Batch::new(&asked);
        if self.has_glass {
            batch = batch.with_masks(&masks).map_err(TraceError::from)?;
        }
        let answers = match gpu {
            Some(gpu) => gpu.any_async(batch).await?,
            None => self.cpu.any(batch)?,
        };
        let mut answers = answers.into_iter();
        Ok(rays.iter().map(|ray| ray.is_valid() && answers.next() == Some(true)).collect())
    }
}
