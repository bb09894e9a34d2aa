//! Casts rays that are on the device, or that it makes, and leaves the answers there: arrays of
//! distances, ids and labels. The device returns only counts, chunk by chunk, so that an answer
//! that was never written is an error here too.

use super::bindings::{bind, first};
use super::buffer::{self, scoped};
use super::chunk_buffers::ChunkBuffers;
use super::chunk_tuner::ChunkTuner;
use super::device::Gpu;
use super::dispatch::{one_thread_each, record_pass, workgroups_of_query};
use super::hit::{ChunkAnswers, RAY_BYTES};
use super::kernel::{EntryPoint, RayHandling};
use super::numbering::NumberingOnDevice;
use super::pipeline_cache::GroupLayout;
use super::pipelines::group_layout;
use super::recovery::RecoverableScene;
use super::ring::{Job, run_on};
use super::scene_on_device::{QueryBuffers, SceneOnDevice};
use super::view::ViewOnDevice;
use crate::camera::Projection;
use crate::gpu_error::GpuError;
use crate::query::{BatchError, Filters};
use crate::ray::NONE;
use crate::scan::Views;
use crate::scene::Scene;
use bytemuck::{Pod, Zeroable};
use std::ops::Range;
use wgpu::BufferUsages;

/// Chunks begin at multiples of this many rays, at which every device can bind a buffer.
const CHUNK_STEP: usize = 64;

/// The bytes of an answer in an array.
const WORD: u64 = size_of::<u32>() as u64;

/// An array on the device: a buffer with the usage `COPY_DST`, and the offset of the array in it.
#[derive(Clone, Copy, Debug)]
pub struct ArrayOnDevice<'a> {
    /// The buffer.
    pub buffer: &'a wgpu::Buffer,
    /// The offset of the array in bytes, a multiple of four.
    pub offset: u64,
}

/// Rays on the device, with filters on the host.
#[derive(Clone, Copy, Debug)]
pub struct RaysOnDevice<'a> {
    rays: ArrayOnDevice<'a>,
    count: usize,
    filters: Filters<'a>,
}

impl<'a> RaysOnDevice<'a> {
    /// Uses `count` rows in the layout of a [`Ray`](crate::Ray), in a storage buffer, without
    /// filters. They must begin at a multiple of 256 bytes.
    pub fn new(rays: ArrayOnDevice<'a>, count: usize) -> Self {
        Self { rays, count, filters: Filters::default() }
    }

    /// Gives each ray a mask, as [`Batch::with_masks`](crate::Batch::with_masks) does.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn with_masks(self, masks: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.with_masks(masks, self.count)?, ..self })
    }

    /// Gives each ray a geometry to ignore, as [`Batch::ignoring`](crate::Batch::ignoring) does.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn ignoring(self, geometry_ids: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.ignoring(geometry_ids, self.count)?, ..self })
    }

    /// Casts each ray in a world, as [`Batch::in_worlds`](crate::Batch::in_worlds) does.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn in_worlds(self, worlds: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.in_worlds(worlds, self.count)?, ..self })
    }

    /// Treats solids as solid, as [`Batch::solid`](crate::Batch::solid) does.
    pub fn solid(self) -> Self {
        Self { filters: Filters { is_solid: true, ..self.filters }, ..self }
    }

    /// Checks the filters.
    pub(super) fn check(&self, scene: &Scene) -> Result<(), BatchError> {
        self.filters.check(scene)
    }
}

/// The arrays to fill with answers. Each has a number of 32 bits for each ray or pixel.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswersOnDevice<'a> {
    /// float32: the position along the ray, or for an image the distance that the sensor reports.
    pub distance: Option<ArrayOnDevice<'a>>,
    /// float32, only for images: the distance along the camera's axis.
    pub z: Option<ArrayOnDevice<'a>>,
    /// uint32: the geometry that was hit; [`NONE`] for a miss.
    pub geometry_ids: Option<ArrayOnDevice<'a>>,
    /// uint32: the primitive of that geometry; [`NONE`] for a miss.
    pub primitive_ids: Option<ArrayOnDevice<'a>>,
    /// uint32: the label of that geometry; 0 for a geometry without a label and for a miss.
    pub label_ids: Option<ArrayOnDevice<'a>>,
}

impl<'a> AnswersOnDevice<'a> {
    /// Returns the arrays in the order of the shader's columns.
    fn columns(&self) -> [Option<ArrayOnDevice<'a>>; 5] {
        [self.distance, self.z, self.geometry_ids, self.primitive_ids, self.label_ids]
    }

    fn check(&self, count: usize) -> Result<(), GpuError> {
        let arrays = self.columns().into_iter().flatten();
        arrays.into_iter().try_for_each(|array| array.check("an array of answers", count, WORD))
    }
}

impl ArrayOnDevice<'_> {
    /// Returns an error for an array that does not fit its buffer.
    fn check(&self, what: &'static str, count: usize, each: u64) -> Result<(), GpuError> {
        let refused = |reason: String| Err(GpuError::Refused { what, reason });
        let end = (count as u64).checked_mul(each).and_then(|bytes| bytes.checked_add(self.offset));
        match end {
            Some(end) if end <= self.buffer.size() => match self.offset.is_multiple_of(WORD) {
                true => Ok(()),
                false => refused(format!(
                    "it begins at byte {}, which is not a multiple of 4",
                    self.offset
                )),
            },
            _ => refused(format!(
                "{count} rows from byte {} on do not fit a buffer of {} bytes",
                self.offset,
                self.buffer.size()
            )),
        }
    }
}

/// The uniform `Answering` of `shaders/answers.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Answering {
    pub count: u32,
    pub hit_words: u32,
    pub segments: u32,
    pub has_labels: u32,
    pub stride: u32,
    pub projection: u32,
    pub first_pixel: u32,
    pub pixels: u32,
    pub range_min: f32,
    pub range_max: f32,
}

pub(super) const RAYS: u32 = 0;
pub(super) const PARALLEL: u32 = 1;
const OTHER: u32 = 2;

/// The kernel's counts for a chunk: the first ray without an answer, counted from the end, or zero;
/// and the number of rays with an answer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Counts {
    unanswered: u32,
    answered: u32,
}

/// What is cast.
#[derive(Clone, Copy)]
enum Source<'a> {
    Rays(RaysOnDevice<'a>),
    Images(&'a Views),
}

/// The job of answering rays on the device.
struct DeviceJob<'a> {
    source: Source<'a>,
    answers: AnswersOnDevice<'a>,
    world: &'a Scene,
    kernel: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    numbering: NumberingOnDevice,
    /// The label of each geometry, if they are asked for.
    labels: Option<wgpu::Buffer>,
    /// The arrays of a chunk, side by side. Chunks are cast one after the other, so they share it.
    columns: wgpu::Buffer,
    counts: wgpu::Buffer,
    most: usize,
}

impl Job for DeviceJob<'_> {
    type Answer = Counts;

    fn answers_of(&self, _: usize) -> usize {
        1
    }

    fn hits_each(&self, _: usize) -> usize {
        1
    }

    fn chunk(&self, tuner: &ChunkTuner, _: usize) -> usize {
        (tuner.largest().min(self.most) / CHUNK_STEP).max(1) * CHUNK_STEP
    }

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let (gpu, count) = (&on_device.gpu, chunk.len() as u64);
        let view = match self.source {
            Source::Images(views) => {
                Some(ViewOnDevice::new(on_device, views, chunk.clone()).await?)
            }
            Source::Rays(_) => None,
        };
        let handling = match self.source {
            Source::Images(views) => {
                RayHandling { is_filtered: views.is_filtered(), ..RayHandling::default() }
            }
            Source::Rays(rays) => {
                let filters = rays.filters.slice(chunk.clone());
                buffers.order = None;
                buffers.write_ray_filters(gpu, &filters, chunk.len(), self.world).await?;
                let (is_filtered, is_solid) = (filters.is_filtered(), filters.is_solid);
                RayHandling { is_filtered, is_solid, ..RayHandling::default() }
            }
        };
        let kernel = on_device.pipeline(EntryPoint::Closest, handling).await?;
        let filters = match handling.is_filtered {
            true => Some(buffers.ray_filters(gpu).await?),
            false => None,
        };
        let answering = self.answering(on_device, chunk.clone());
        let answering = bytemuck::bytes_of(&answering);
        let uniform = BufferUsages::UNIFORM;
        let answering = buffer::upload_with(gpu, "the answers' layout", answering, uniform).await?;
        scoped(gpu, "the rays", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, chunk.len());
            let mut query = on_device.query(&buffers.rays, &buffers.hits);
            if let Source::Rays(RaysOnDevice { rays, .. }) = self.source {
                query.rays = rays.buffer;
                query.rays_offset = rays.offset + chunk.start as u64 * RAY_BYTES;
            }
            if let Some(view) = &view {
                let generated = [&buffers.rays, filters.as_ref().unwrap_or(&on_device.nowhere)];
                let first = buffers.timestamps([true, false]);
                view.record_rays(on_device, &mut encoder, generated, first);
                query.row_length = &view.row_length;
            }
            let ray_filters = filters.as_ref().unwrap_or(query.ray_filters);
            let query = on_device.bind_query(&QueryBuffers { ray_filters, ..query }, [count; 2]);
            let workgroups = workgroups_of_query(gpu, count, view.is_some());
            let timestamps = buffers.timestamps([view.is_none(), true]);
            on_device.record_pass(&mut encoder, &kernel, &query, workgroups, timestamps);
            self.record_answers(on_device, &mut encoder, buffers, &answering, view.as_ref(), count);
            for (index, array) in (0..).zip(self.answers.columns()) {
                if let Some(ArrayOnDevice { buffer, offset }) = array {
                    let from = index * self.most as u64 * WORD;
                    let to = offset + chunk.start as u64 * WORD;
                    encoder.copy_buffer_to_buffer(&self.columns, from, buffer, to, count * WORD);
                }
            }
            buffers.fetch(&mut encoder, &self.counts, size_of::<Counts>() as u64);
            encoder
        })
        .await
    }

    fn take(
        &mut self,
        chunk: Range<usize>,
        found: &ChunkAnswers<'_, Counts>,
    ) -> Result<(), GpuError> {
        match found.answers() {
            [counts] if counts.unanswered > 0 => {
                Err(GpuError::Unanswered(chunk.start + (NONE - counts.unanswered) as usize))
            }
            [counts] if counts.answered as usize == chunk.len() => Ok(()),
            _ => Err(GpuError::Unanswered(chunk.start)),
        }
    }
}

impl DeviceJob<'_> {
    fn answering(&self, on_device: &SceneOnDevice, chunk: Range<usize>) -> Answering {
        let mut answering = Answering {
            count: chunk.len() as u32,
            hit_words: (on_device.hit_kind.bytes() / WORD) as u32,
            segments: self.numbering.first_segment,
            has_labels: self.labels.is_some().into(),
            stride: self.most as u32,
            projection: RAYS,
            first_pixel: 0,
            pixels: 1,
            range_min: 0.0,
            range_max: f32::INFINITY,
        };
        if let Source::Images(views) = self.source {
            let camera = &views.view().camera;
            answering.projection = match camera.projection {
                Projection::Orthographic { .. } => PARALLEL,
                _ => OTHER,
            };
            answering.first_pixel = views.locate(chunk.start)[1] as u32;
            answering.pixels = views.view().pixels() as u32;
            let [least, most] = [camera.sensor.range_min, camera.sensor.range_max];
            (answering.range_min, answering.range_max) = float32_range(least, most);
        }
        answering
    }

    /// Records the pass that makes arrays of a chunk's hits.
    fn record_answers(
        &self,
        on_device: &SceneOnDevice,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &ChunkBuffers,
        answering: &wgpu::Buffer,
        view: Option<&ViewOnDevice>,
        count: u64,
    ) {
        let gpu = &on_device.gpu;
        encoder.clear_buffer(&self.counts, 0, None);
        let nothing = &on_device.nothing;
        let [rays, places] = match view {
            Some(view) => {
                [first(&buffers.rays, RAY_BYTES * count), view.places.as_entire_binding()]
            }
            None => [nothing.as_entire_binding(), nothing.as_entire_binding()],
        };
        let resources = [
            answering.as_entire_binding(),
            first(&buffers.hits, on_device.hit_kind.bytes() * count),
            self.numbering.words.as_entire_binding(),
            rays,
            places,
            self.labels.as_ref().unwrap_or(nothing).as_entire_binding(),
            self.columns.as_entire_binding(),
            self.counts.as_entire_binding(),
        ];
        let bound = bind(&gpu.device, &self.layout, &resources);
        record_pass(gpu, encoder, (&self.kernel, &[&bound]), one_thread_each(count), None);
    }
}

/// Returns the smallest and the largest float32 number of a range of float64 numbers.
fn float32_range(least: f64, most: f64) -> (f32, f32) {
    let (low, high) = (least as f32, most as f32);
    let low = if f64::from(low) < least { low.next_up() } else { low };
    (low, if f64::from(high) > most { high.next_down() } else { high })
}

/// Casts rays that lie on the device, and leaves the answers there.
pub(super) async fn closest(
    scene: &RecoverableScene,
    rays: RaysOnDevice<'_>,
    answers: AnswersOnDevice<'_>,
) -> Result<(), GpuError> {
    rays.rays.check("the rays", rays.count, RAY_BYTES)?;
    answer(scene, Source::Rays(rays), answers, rays.count).await
}

/// Casts the rays of images, and leaves the answers on the device.
pub(super) async fn render(
    scene: &RecoverableScene,
    views: &Views,
    answers: AnswersOnDevice<'_>,
) -> Result<(), GpuError> {
    answer(scene, Source::Images(views), answers, views.pixels()).await
}

/// Answers rays or pixels. Their buffers are of one device, so that its loss is an error.
async fn answer(
    scene: &RecoverableScene,
    source: Source<'_>,
    answers: AnswersOnDevice<'_>,
    count: usize,
) -> Result<(), GpuError> {
    answers.check(count)?;
    let on_device = scene.current()?;
    let gpu = &on_device.gpu;
    let labels = match answers.label_ids {
        Some(_) => Some(labels(gpu, scene.scene()).await?),
        None => None,
    };
    let most = (scene.tuner.most() / CHUNK_STEP).max(1) * CHUNK_STEP;
    let most = most.min(count.next_multiple_of(CHUNK_STEP)).max(CHUNK_STEP);
    let most = most.min((buffer::most_bytes(&gpu.device.limits()) / (5 * WORD)) as usize);
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let counts = size_of::<Counts>() as u64;
    let mut job = DeviceJob {
        source,
        answers,
        world: scene.all_worlds(),
        kernel: on_device.answering_pipeline().await?,
        layout: group_layout(gpu, GroupLayout::Answers).await?,
        numbering: on_device.numbering(scene.all_worlds()).await?,
        labels,
        columns: on_device.columns(5 * WORD * most as u64).await?,
        counts: buffer::create(gpu, "the counts of answers", counts, usage).await?,
        most,
    };
    run_on(scene, &on_device, &mut job, 0..count).await?;
    on_device.keep_columns(job.columns);
    Ok(())
}

/// Uploads the label of each geometry.
async fn labels(gpu: &Gpu, scene: &Scene) -> Result<wgpu::Buffer, GpuError> {
    let labels: Vec<u32> =
        (0..scene.geometry_count()).map(|id| u32::from(scene.label(id))).collect();
    buffer::upload(gpu, "the labels", bytemuck::cast_slice(&labels)).await
}
