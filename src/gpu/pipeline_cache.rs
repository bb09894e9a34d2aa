//! All that a device has compiled for its scenes.

use super::kernel::{KernelKey, ModuleKey};
use super::once_map::OnceMap;
use super::record_storage::RecordStorage;
use crate::bvh::Layout;

/// Modules, pipelines and layouts by what they are made for; `pipelines.rs` makes them. Each stands here until the
/// device is let go.
#[derive(Debug, Default)]
pub(super) struct PipelineCache {
    pub layouts: OnceMap<GroupLayout, wgpu::BindGroupLayout>,
    pub modules: OnceMap<ModuleKey, wgpu::ShaderModule>,
    pub pipelines: OnceMap<KernelKey, wgpu::ComputePipeline>,
}

/// The bind groups that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupLayout {
    /// A scene's records, params and header, and the nodes of a binary tree.
    Scene(RecordStorage, Layout),
    /// Rays and hits, what each ray may meet, where its crossings begin, and the crossings.
    Query,
    /// A view, the table of a panoramic one, and its rays.
    Camera,
    /// Tests, points and answers.
    PointInShape,
}
