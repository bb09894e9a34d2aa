//! Generates the rays of a camera's images on the device, so that they do not cross the bus. The
//! query kernel reads them where they are written, so an image's answers are, to the bit, those of
//! a query of its rays.

use super::buffer;
use super::dispatch::one_thread_each;
use super::hit::RAY_BYTES;
use super::kernel::{EntryPoint, RayHandling};
use super::scene_on_device::SceneOnDevice;
use crate::camera::{Extrinsics, Projection, View};
use crate::gpu_error::GpuError;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::scan::Views;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec4};
use std::ops::Range;
use wgpu::BufferUsages;

/// The uniform `View` of `shaders/camera.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct ViewUniform {
    pub width: u32,
    pub pixels: u32,
    pub first_pixel: u32,
    pub projection: u32,
    pub center: [f32; 2],
    pub center_part: [f32; 2],
    pub mask: u32,
    unused: u32,
}

/// The struct `ImagePlace` of `shaders/camera.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct ImagePlace {
    pub eye: [f32; 3],
    pub world: u32,
    pub right: [f32; 3],
    pub panorama: u32,
    pub up: [f32; 3],
    pub columns: u32,
    pub forward: [f32; 3],
    unused: u32,
}

const PERSPECTIVE: u32 = 0;
pub(super) const ORTHOGRAPHIC: u32 = 1;
pub(super) const PANORAMIC: u32 = 2;

impl ViewUniform {
    fn new(views: &Views, first: usize) -> Self {
        let view = views.view();
        Self {
            width: if view.is_listed() { LISTED } else { view.width },
            // An image has at most 2^28 pixels.
            pixels: view.pixels() as u32,
            first_pixel: views.locate(first)[1] as u32,
            projection: match view.camera.projection {
                Projection::Perspective { .. } | Projection::Pinhole { .. } => PERSPECTIVE,
                Projection::Orthographic { .. } => ORTHOGRAPHIC,
                Projection::Panoramic(_) | Projection::Pattern(_) => PANORAMIC,
            },
            center: view.center.map(|pixels| pixels.round() as f32),
            center_part: view.center.map(|pixels| (pixels - pixels.round()) as f32),
            mask: views.mask(),
            unused: 0,
        }
    }
}

impl ImagePlace {
    /// Makes the place of an image whose part of the panorama begins at an index.
    fn new(views: &Views, image: usize, panorama: usize, columns: usize) -> Self {
        let [step_right, step_up] = views.view().step;
        let Extrinsics { eye, right, up, forward } = views.places()[image];
        Self {
            eye: eye.as_vec3().to_array(),
            world: views.world_ids()[image],
            right: (step_right * right).as_vec3().to_array(),
            panorama: panorama as u32,
            up: (step_up * up).as_vec3().to_array(),
            columns: columns as u32,
            forward: forward.as_vec3().to_array(),
            unused: 0,
        }
    }
}

/// The width of an image whose pixels are listed: they all lie in its first row.
const LISTED: u32 = u32::MAX;

/// Returns how many columns `pixels` lie in.
fn columns(view: &View, pixels: &Range<usize>) -> usize {
    if view.is_listed() { pixels.len() } else { pixels.len().min(view.width as usize) }
}

/// Returns the table of the columns and rows of a panoramic image that `pixels` of it lie in, which
/// the shader combines to directions. For each column, beginning with that of the first pixel, it
/// has the direction at elevation 0; then, for each row, the vector that its elevation adds and the
/// factor by which it shortens the column's direction. The table is empty for other cameras.
///
/// A driver's sine may be wrong in its eleventh bit, so the host computes the sines. The table is
/// rounded once, and the shader's product and sum once each, which is at most 2.5 u. Columns and
/// rows that no pixel needs are left out, so that the table is never larger than the rays, however
/// wide or high the image is. Where rows have azimuths of their own, and where there are no rows,
/// each pixel has a column, which is its direction.
fn panorama(view: &View, place: &Extrinsics, pixels: &Range<usize>) -> Vec<Vec4> {
    if view.is_listed() {
        let line = |index| view.line_from(place, pixels.start + index);
        let direction = |index| line(index).direction.as_vec3().extend(0.0);
        let mut all = mapped(pixels.len(), RAYS_A_TASK, direction);
        all.push(Vec4::W);
        return all;
    }
    let Projection::Panoramic(panorama) = &view.camera.projection else {
        return Vec::new();
    };
    let width = view.width as usize;
    let column = |index: usize| {
        let middle = ((pixels.start + index) % width) as f64 + 0.5;
        let azimuth = panorama.azimuth(middle, view.width);
        place.level(azimuth).as_vec3().extend(0.0)
    };
    let row = |row: usize| {
        let elevation = panorama.elevation(row as f64 + 0.5, view.height);
        let rise: DVec3 = libm::sin(elevation) * place.up;
        rise.extend(libm::cos(elevation)).as_vec4()
    };
    let rows = pixels.start / width..pixels.end.div_ceil(width);
    (0..columns(view, pixels)).map(column).chain(rows.map(row)).collect()
}

/// The buffers and the kernel that generate the rays of a chunk of pixels of a view's images.
pub(super) struct ViewOnDevice {
    kernel: wgpu::ComputePipeline,
    uniform: wgpu::Buffer,
    panorama: wgpu::Buffer,
    pub places: wgpu::Buffer,
    /// For the kernel that casts the rays.
    pub row_length: wgpu::Buffer,
    count: u64,
}

impl ViewOnDevice {
    pub async fn new(
        on_device: &SceneOnDevice,
        views: &Views,
        pixels: Range<usize>,
    ) -> Result<Self, GpuError> {
        let (gpu, view) = (&on_device.gpu, views.view());
        let uniform = ViewUniform::new(views, pixels.start);
        let uniform = bytemuck::bytes_of(&uniform);
        let (mut panoramas, mut places) = (Vec::new(), Vec::new());
        for (image, pixels) in views.by_image(pixels.clone()) {
            places.push(ImagePlace::new(views, image, panoramas.len(), columns(view, &pixels)));
            panoramas.extend(panorama(view, &views.places()[image], &pixels));
        }
        Ok(Self {
            kernel: on_device.pipeline(EntryPoint::CameraRays, RayHandling::default()).await?,
            uniform: buffer::upload_with(gpu, "the view", uniform, BufferUsages::UNIFORM).await?,
            panorama: buffer::upload(gpu, "the panorama", bytemuck::cast_slice(&panoramas)).await?,
            places: buffer::upload(gpu, "the poses", bytemuck::cast_slice(&places)).await?,
            row_length: on_device.row_length(if view.is_listed() { 0 } else { view.width }).await?,
            count: pixels.len() as u64,
        })
    }

    /// Records the generation of the rays, and of their filters, into the beginning of buffers.
    pub fn record_rays(
        &self,
        on_device: &SceneOnDevice,
        encoder: &mut wgpu::CommandEncoder,
        [rays, filters]: [&wgpu::Buffer; 2],
        timestamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        // A ray that is not written keeps a direction of zero, which no ray of a camera has.
        encoder.clear_buffer(rays, 0, Some(self.count * RAY_BYTES));
        let buffers = [&self.uniform, &self.panorama, rays, &self.places, filters];
        let batch = on_device.bind_camera(buffers, self.count);
        on_device.record_pass(
            encoder,
            &self.kernel,
            &batch,
            one_thread_each(self.count),
            timestamps,
        );
    }
}
