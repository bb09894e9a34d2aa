//! The keys by which kernels and their modules are compiled once.

use super::capabilities::Capabilities;
use super::fault::Fault;
use crate::query::Batch;

/// The key of a WGSL module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModuleKey {
    pub contents: Contents,
    pub fault: Option<Fault>,
}

/// The two kinds of modules.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Contents {
    /// All kernels of the scenes of these capabilities, in one of their ways.
    Scene(Capabilities, RayHandling),
    /// The tests of points against single shapes, which need no scene.
    PointInShape,
}

/// How rays are treated: each way is a module of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RayHandling {
    /// Rays may differ in what they may meet.
    pub is_filtered: bool,
    /// Solids are met where a ray begins in or on them.
    pub is_solid: bool,
}

impl RayHandling {
    /// The way that a batch asks for.
    pub fn of(batch: &Batch<'_>) -> Self {
        Self { is_filtered: batch.is_filtered(), is_solid: batch.is_solid() }
    }
}

/// A function of a module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KernelKey {
    pub module: ModuleKey,
    pub entry_point: EntryPoint,
}

/// The question that a kernel answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EntryPoint {
    Closest,
    Any,
    /// How many crossings, and which.
    All,
    /// The surroundings of the point where each ray begins.
    Points,
    /// The rays of a camera.
    CameraRays,
    /// A test of points against a shape: the function's name, and the number of the shape's form.
    PointInShape(&'static str, u32),
}

impl EntryPoint {
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "query_closest",
            Self::Any => "query_any",
            Self::All => "query_all",
            Self::Points => "query_points",
            Self::CameraRays => "generate_rays",
            Self::PointInShape(name, _) => name,
        }
    }
}
