//! The tracers of a scene: the float64 tracer, and one on the visitor's GPU where there is one.

use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
use raytwin::query::Batch;
use raytwin::ray::Hit;
use raytwin::{CpuTracer, PackedScene, Ray, TraceError, Tracer, View};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The visitor's GPU.
#[wasm_bindgen]
pub struct Device(pub(crate) Gpu);

#[wasm_bindgen]
impl Device {
    /// Opens the GPU that the browser gives.
    pub async fn open() -> Result<Self, JsError> {
        Ok(Self(Gpu::open_async(&AdapterChoice::Any).await?))
    }

    /// Returns the name that the browser tells, which may be empty.
    pub fn name(&self) -> String {
        self.0.adapter().map_or_else(String::new, |adapter| adapter.name.clone())
    }
}

/// The tracers of one scene.
pub struct Caster {
    packed: PackedScene,
    pub cpu: CpuTracer,
    gpu: RefCell<Option<Rc<GpuTracer>>>,
}

impl Caster {
    pub fn new(packed: PackedScene) -> Self {
        Self { cpu: CpuTracer::new(&packed), packed, gpu: RefCell::new(None) }
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

    /// It is cloned out of its cell, because a cell must not stay borrowed while others run.
    pub fn gpu(&self) -> Option<Rc<GpuTracer>> {
        self.gpu.borrow().clone()
    }

    /// Returns the closest hit of each of those pixels, cast on a device if one is given, and else
    /// in float64.
    pub async fn render(
        &self,
        gpu: Option<&GpuTracer>,
        view: &View,
        pixels: Range<usize>,
    ) -> Result<Vec<Hit>, TraceError> {
        match gpu {
            Some(gpu) => Ok(gpu.render_async(view, pixels).await?),
            None => self.cpu.render(view, pixels),
        }
    }

    /// Tells for each ray whether it hits anything.
    pub async fn any(
        &self,
        gpu: Option<&GpuTracer>,
        rays: &[Ray],
    ) -> Result<Vec<bool>, TraceError> {
        match gpu {
            Some(gpu) => gpu.any_async(Batch::new(rays)).await,
            None => self.cpu.any(Batch::new(rays)),
        }
    }
}
