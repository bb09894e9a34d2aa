//! Casts beams on the device: it spreads them to their rays, casts these, and finds the echoes of
//! each beam. Only the lines of the beams and their echoes cross the bus.
//!
//! A beam has as many echoes as gaps between its rays' hits allow, and nearly always few. So there
//! is room for a few of each; beams with more are cast again with room for all.

use super::bindings::{bind, first, first_rays};
use super::buffer::{self, scoped};
use super::chunk_buffers::ChunkBuffers;
use super::chunk_tuner::ChunkTuner;
use super::dispatch::{one_thread_each, workgroups_of_query};
use super::hit::{ABANDONED_BITS, ChunkAnswers};
use super::kernel::{EntryPoint, RayHandling};
use super::kernel_variant::KernelVariant;
use super::pipeline_cache::GroupLayout;
use super::pipelines::group_layout;
use super::preparation::compile;
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job};
use super::scene_on_device::SceneOnDevice;
use super::surfaces::SurfacesOnDevice;
use crate::gpu_error::GpuError;
use crate::lidar::{BeamLine, Beams, NEAREST};
use crate::packed::PackedScene;
use crate::parallel::{ITEMS_A_TASK, RAYS_A_TASK, mapped};
use crate::query::Echo;
use crate::ray::Hit;
use crate::scan::PosedView;
use crate::scene::PrimitiveRef;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use std::ops::Range;
use wgpu::BufferUsages;

/// For how many echoes of each beam there is room at first.
const FEW_ECHOES: usize = 4;

/// The most rays of a beam for which a workgroup has room.
pub(super) const MOST_SUBRAYS: u32 = 1261;

/// The uniform `Beams` of `shaders/beams/spread.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct BeamsUniform {
    pub subrays: u32,
    pub count: u32,
    pub spread: f32,
    pub exit_radius: f32,
    pub range_resolution: f32,
    pub attenuation: f32,
    pub room: u32,
    pub segments: u32,
}

/// An echo as `shaders/beams/echoes.wgsl` writes it. The first row of a beam is none: there
/// `strongest` is one more than the number of the beam's echoes, 0 without an answer, or
/// [`ABANDONED_BITS`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct EchoBits {
    /// The distance from which the others count.
    pub reference: f32,
    pub mean: f32,
    /// The light, but for what distance and air take of it up to the reference.
    pub light: f32,
    pub weight: f32,
    pub strongest: u32,
    pub t: f32,
    pub primitive: u32,
    pub instance: u32,
}

/// The job of finding the echoes of some beams.
struct BeamJob<'a> {
    packed: &'a PackedScene,
    beams: &'a Beams<'a>,
    pixels: &'a [usize],
    /// For how many echoes of each beam there is room.
    room: usize,
    found: Vec<FoundEchoes>,
    /// True if the driver gave up on a ray.
    is_abandoned: bool,
}

/// The echoes that were found of a beam.
struct FoundEchoes {
    count: usize,
    /// All of them, or none if there was no room for them.
    echoes: Vec<Echo>,
}

impl BeamJob<'_> {
    /// Returns what the kernel reads of the beams of some pixels: a row for each of a beam's rays,
    /// and three rows for each beam.
    fn rows(&self, pixels: &[usize]) -> Vec<[f32; 4]> {
        let of_subrays = self.beams.subrays.iter().map(|subray| {
            let [x, y] = subray.offset;
            [x as f32, y as f32, subray.weight as f32, 0.0]
        });
        let row = |vector: DVec3, beside: f64| vector.extend(beside).as_vec4().to_array();
        let of_beams: Vec<[[f32; 4]; 3]> = mapped(pixels.len(), ITEMS_A_TASK, |index| {
            let BeamLine { line, across: [first, second] } = self.beams.beam_line(pixels[index]);
            [row(line.origin, second.x), row(line.direction, second.y), row(first, second.z)]
        });
        of_subrays.chain(of_beams.into_iter().flatten()).collect()
    }

    fn uniform(&self, count: usize, surfaces: &SurfacesOnDevice) -> BeamsUniform {
        let pulse = self.beams.pulse();
        let [spread, exit_radius] =
            self.beams.beam.map_or([0.0; 2], |beam| [beam.spread(), 0.5 * beam.exit_diameter]);
        // Beyond this nothing is left of the light behind the first hit of an echo.
        let attenuation = (2.0 * pulse.attenuation_per_km / 1000.0).min(MOST);
        BeamsUniform {
            subrays: self.beams.subrays.len() as u32,
            count: count as u32,
            spread: spread.min(MOST) as f32,
            exit_radius: exit_radius.min(MOST) as f32,
            range_resolution: pulse.rules().range_resolution.min(MOST) as f32,
            attenuation: attenuation as f32,
            room: self.room as u32,
            segments: surfaces.first_segment,
        }
    }

    fn echo(&self, bits: &EchoBits) -> Echo {
        let reference = f64::from(bits.reference);
        let far = reference.max(NEAREST);
        let through = self.beams.pulse().transmission(reference);
        let primitive = PrimitiveRef { instance: bits.instance, primitive: bits.primitive };
        let [geometry_id, primitive_id] = self.packed.all_worlds().ids_of(primitive);
        Echo {
            distance: reference + f64::from(bits.mean),
            intensity: f64::from(bits.light) * through / (far * far),
            weight: bits.weight.into(),
            strongest: bits.strongest as usize,
            hit: Hit { t: bits.t, geometry_id, primitive_id },
        }
    }
}

/// A number beyond all lengths of a scene, whose products with them are finite float32 numbers.
const MOST: f64 = 1e20;

impl Job for BeamJob<'_> {
    type Answer = EchoBits;

    fn answers_each(&self) -> usize {
        1 + self.room
    }

    fn hits_each(&self, hit_bytes: usize) -> usize {
        let of_rows = (self.answers_each() * size_of::<EchoBits>()).div_ceil(hit_bytes);
        of_rows.max(self.beams.subrays.len())
    }

    fn chunk(&self, tuner: &ChunkTuner, _batch: usize) -> usize {
        tuner.largest()
    }

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let gpu = &on_device.gpu;
        let beams = chunk.len();
        let rays = (beams * self.beams.subrays.len()) as u64;
        let Some(surfaces) = on_device.surfaces(self.packed).await? else {
            let reason = "it does not fit the device".to_owned();
            return Err(GpuError::Refused { what: "the surfaces", reason });
        };
        let uniform = self.uniform(beams, &surfaces);
        let uniform = bytemuck::bytes_of(&uniform);
        let uniform = buffer::upload_with(gpu, "the beams", uniform, BufferUsages::UNIFORM).await?;
        let rows = self.rows(&self.pixels[chunk]);
        let rows = buffer::upload(gpu, "the beams", bytemuck::cast_slice(&rows)).await?;
        let echo_bytes = (beams * self.answers_each() * size_of::<EchoBits>()) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let echoes = buffer::create(gpu, "the echoes", echo_bytes, usage).await?;
        let layout = group_layout(gpu, GroupLayout::Beams).await?;
        let [spread, light, find] =
            [EntryPoint::SpreadBeams, EntryPoint::LightBeams, EntryPoint::FindEchoes];
        let of_beams = [spread, light, find].map(|it| on_device.beam_kernel(it));
        let closest = on_device.kernel(EntryPoint::Closest, RayHandling::default());
        compile(gpu, of_beams.into_iter().chain([closest]));
        let spread = on_device.beam_pipeline(spread).await?;
        let light = on_device.beam_pipeline(light).await?;
        let find = on_device.beam_pipeline(find).await?;
        let closest = on_device.closest_pipeline().await?;
        scoped(gpu, "the beams", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            // What a kernel does not write is no ray, no hit and no answer.
            encoder.clear_buffer(&buffers.rays, 0, None);
            encoder.clear_buffer(&echoes, 0, None);
            buffers.forget_hits(&mut encoder, rays as usize);
            let of_beams = bind(
                &gpu.device,
                &layout,
                &[
                    uniform.as_entire_binding(),
                    first_rays(&buffers.rays, rays),
                    first(&buffers.hits, on_device.hit_kind.bytes() * rays),
                    rows.as_entire_binding(),
                    surfaces.words.as_entire_binding(),
                    echoes.as_entire_binding(),
                ],
            );
            let query = on_device.query(&buffers.rays, &buffers.hits);
            let query = on_device.bind_query(&query, [rays; 2]);
            let each = one_thread_each(rays);
            let (begin, end) =
                (buffers.timestamps([true, false]), buffers.timestamps([false, true]));
            on_device.record_pass(&mut encoder, &spread, &of_beams, each, begin);
            // Beams beside each other go the same way, and so do the rays of one.
            let workgroups = workgroups_of_query(gpu, rays, true);
            on_device.record_pass(&mut encoder, &closest, &query, workgroups, None);
            on_device.record_pass(&mut encoder, &light, &of_beams, each, None);
            on_device.record_pass(&mut encoder, &find, &of_beams, beams as u64, end);
            buffers.fetch(&mut encoder, &echoes, echo_bytes);
            encoder
        })
        .await
    }

    fn take(
        &mut self,
        chunk: Range<usize>,
        found: &ChunkAnswers<'_, EchoBits>,
    ) -> Result<(), GpuError> {
        let rows = found.answers();
        let mut heads = rows.iter().step_by(self.answers_each());
        if heads.clone().any(|head| head.strongest == ABANDONED_BITS) {
            self.is_abandoned = true;
            return Ok(());
        }
        if let Some(beam) = heads.position(|head| head.strongest == 0) {
            return Err(GpuError::Unanswered(self.pixels[chunk.start + beam]));
        }
        let each = self.answers_each();
        let found = mapped(rows.len() / each, RAYS_A_TASK, |beam| {
            let rows = &rows[beam * each..][..each];
            let count = rows[0].strongest as usize - 1;
            let rows = if count <= self.room { &rows[1..=count] } else { &[] };
            let echoes = rows.iter().map(|echo| self.echo(echo)).collect();
            FoundEchoes { count, echoes }
        });
        self.found.extend(found);
        Ok(())
    }
}

/// Returns the echoes of the beams of some pixels; `None` if the host has to cast their rays: those
/// of lines, in several worlds, and in scenes whose table of surfaces does not fit the device; and
/// if the driver gives up on one. With a software driver nothing crosses a bus, and its workgroups
/// take longer than the host.
pub(super) async fn echoes(
    scene: &RecoverableScene,
    posed: &PosedView,
    pixels: Range<usize>,
) -> Result<Option<Vec<Vec<Echo>>>, GpuError> {
    let packed = scene.packed();
    let beams = Beams::new(posed);
    let has_room = beams.subrays.len() <= MOST_SUBRAYS as usize;
    let has_bus = scene.on_device().gpu.kernel_variant == KernelVariant::Hardware;
    if beams.beam.is_none() || !has_room || !has_bus || scene.scene().world_count() > 1 {
        return Ok(None);
    }
    let is_fitting =
        async |on_device: &SceneOnDevice| Ok(on_device.surfaces(packed).await?.is_some());
    if !scene.retry_on_loss(is_fitting).await? {
        return Ok(None);
    }
    let mut all: Vec<Vec<Echo>> = vec![Vec::new(); pixels.len()];
    let mut left: Vec<usize> = pixels.clone().collect();
    let mut room = FEW_ECHOES;
    while !left.is_empty() {
        let found = Vec::with_capacity(left.len());
        let is_abandoned = false;
        let mut job = BeamJob { packed, beams: &beams, pixels: &left, room, found, is_abandoned };
        run_job(scene, &mut job, 0..left.len()).await?;
        if job.is_abandoned {
            return Ok(None);
        }
        let (mut more, mut most) = (Vec::new(), room);
        for (&pixel, FoundEchoes { count, echoes }) in left.iter().zip(job.found) {
            if count > room {
                more.push(pixel);
                most = most.max(count);
            }
            all[pixel - pixels.start] = echoes;
        }
        (left, room) = (more, most);
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests;
