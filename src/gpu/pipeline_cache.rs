//! The modules, layouts and pipelines that a device has compiled.

use super::kernel::{KernelKey, ModuleKey};
use super::kernel_variant::KernelVariant;
use super::once_map::OnceMap;

/// Layouts, modules and pipelines by their keys; `pipelines.rs` makes them. Each is kept as long as
/// the device.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    pub layouts: OnceMap<GroupLayout, wgpu::BindGroupLayout>,
    pub modules: OnceMap<ModuleKey, wgpu::ShaderModule>,
    pub pipelines: OnceMap<KernelKey, wgpu::ComputePipeline>,
}

/// The kinds of bind groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupLayout {
    /// A scene's records, params and header.
    Scene(KernelVariant),
    /// Rays, hits, ray filters, ray splits and crossings.
    Query,
    /// A view, the table of a panoramic one, its rays, the places of its images, and the rays'
    /// filters.
    Camera,
    /// The way in which beams are spread, their rays and hits, their lines, the table of surfaces,
    /// and the echoes.
    Beams,
    /// Two arrays, and an answer for each element.
    Elementwise,
    /// The way in which rays are sampled, the rays, their hits, their crossings, the numbering of
    /// geometries, a histogram's edges, and the sums.
    Sample,
    /// The layout of the answers, the hits, the numbering of geometries, the rays and places of
    /// images, the labels of geometries, the arrays, and the counts of answers.
    Answers,
}
