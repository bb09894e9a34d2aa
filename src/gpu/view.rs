//! A camera's rays, generated on the device: none of them crosses the bus.

use super::stream::{RAY_BYTES, record};
use super::{Gpu, GpuError, GpuTracer, buffer};
use crate::camera::{Projection, View};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;
use wgpu::BufferUsages;

/// As in `shaders/camera.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct ViewUniform {
    pub eye: [f32; 3],
    pub width: u32,
    pub right: [f32; 3],
    pub first_pixel: u32,
    pub up: [f32; 3],
    pub projection: u32,
    pub forward: [f32; 3],
    pub pad: u32,
    pub center: [f32; 2],
    pub center_part: [f32; 2],
}

const PERSPECTIVE: u32 = 0;
pub(super) const ORTHOGRAPHIC: u32 = 1;

impl ViewUniform {
    fn new(view: &View, pixels: &Range<usize>) -> Self {
        let camera = &view.camera;
        Self {
            eye: camera.eye.as_vec3().to_array(),
            width: view.width,
            right: (view.step[0] * camera.right).as_vec3().to_array(),
            // At most 2^28 pixels.
            first_pixel: pixels.start as u32,
            up: (view.step[1] * camera.up).as_vec3().to_array(),
            projection: match camera.projection {
                Projection::Orthographic { .. } => ORTHOGRAPHIC,
                _ => PERSPECTIVE,
            },
            forward: camera.forward.as_vec3().to_array(),
            pad: 0,
            center: view.center.map(|pixels| pixels.round() as f32),
            center_part: view.center.map(|pixels| (pixels - pixels.round()) as f32),
        }
    }
}

/// What the device must know of a view to generate the rays of a chunk of its pixels.
pub(super) struct ViewOnDevice {
    uniform: wgpu::Buffer,
    count: u64,
}

impl ViewOnDevice {
    pub async fn new(gpu: &Gpu, view: &View, pixels: Range<usize>) -> Result<Self, GpuError> {
        let uniform = ViewUniform::new(view, &pixels);
        let uniform = bytemuck::bytes_of(&uniform);
        Ok(Self {
            uniform: buffer::upload_with(gpu, "the view", uniform, BufferUsages::UNIFORM).await?,
            count: pixels.len() as u64,
        })
    }

    /// Records the generation of the rays into the beginning of a buffer.
    pub fn record_rays(
        &self,
        tracer: &GpuTracer,
        encoder: &mut wgpu::CommandEncoder,
        rays: &wgpu::Buffer,
    ) {
        // A ray that is then not written has no direction, and none of a camera's is like that.
        encoder.clear_buffer(rays, 0, Some(self.count * RAY_BYTES));
        let buffers = [&self.uniform, rays];
        let batch = tracer.pipelines.bind_camera(&tracer.gpu.device, buffers, self.count);
        record(tracer, encoder, &tracer.pipelines.generate_rays, &batch, self.count);
    }
}
