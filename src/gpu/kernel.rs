//! The keys of compiled kernels and modules, by which each is compiled only once.

use super::capabilities::Capabilities;
use super::fault_site::FaultSite;
use crate::query::Batch;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModuleKey {
    pub contents: ModuleContents,
    /// A fault of the shader.
    pub fault: Option<FaultSite>,
}

/// The kinds of modules.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ModuleContents {
    /// All kernels for scenes of these capabilities and for one handling of rays.
    Scene(Capabilities, RayHandling),
    /// The kernels by which beams are spread to rays, and by which the hits of these become echoes,
    /// for scenes of these capabilities.
    Beams(Capabilities),
    /// The tests of points against single shapes, which need no scene.
    PointInShape,
    /// Single operations, by which a device's arithmetic is measured.
    Arithmetic,
    /// The generation of sampled rays, and the sums over their answers.
    Sample,
    /// The arrays of hits that stay on the device.
    Answers,
}

/// The handling of rays. Each combination is a module of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RayHandling {
    /// True if each ray has a filter.
    pub is_filtered: bool,
    /// True if a ray that begins in or on a solid hits the solid there.
    pub is_solid: bool,
    /// True if the closest hit is a primitive that the host intersects in float64.
    pub is_canonical: bool,
    /// True if solids that contain a ray's start are listed for the host.
    pub is_listing: bool,
}

impl RayHandling {
    pub fn of(batch: &Batch<'_>) -> Self {
        let (is_filtered, is_solid) = (batch.is_filtered(), batch.is_solid());
        Self { is_filtered, is_solid, ..Self::default() }
    }
}

/// A function of a module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KernelKey {
    pub module: ModuleKey,
    pub entry_point: EntryPoint,
}

/// A kernel of a module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EntryPoint {
    Closest,
    Any,
    /// Counts a ray's crossings and writes them.
    All,
    /// Finds the nearest surface to the point where each ray begins, and the solids that contain
    /// it.
    Points,
    /// Lists what shows which solids contain the start of a ray.
    ContainerSet,
    /// Generates the rays of a camera.
    CameraRays,
    /// Spreads beams to their rays.
    SpreadBeams,
    /// Finds the light that the rays of beams send back.
    LightBeams,
    /// Finds the echoes of beams.
    FindEchoes,
    /// Tests points against a shape, by the function's name and the number of the shape's form.
    PointInShape(&'static str, u32),
    /// Computes single operations.
    Arithmetic,
    /// Makes sampled rays.
    SampledRays,
    /// Gives sampled rays their interval.
    SampledInterval,
    /// Adds up the closest hits of sampled rays.
    TallyHits,
    /// Adds up the paths of sampled rays.
    TallyPaths,
    /// Makes arrays of hits.
    AnswerOnDevice,
}

impl EntryPoint {
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "query_closest",
            Self::Any => "query_any",
            Self::All => "query_all",
            Self::Points => "query_points",
            Self::ContainerSet => "list_containers",
            Self::CameraRays => "generate_rays",
            Self::SpreadBeams => "spread_beams",
            Self::LightBeams => "light_beams",
            Self::FindEchoes => "find_echoes",
            Self::PointInShape(name, _) => name,
            Self::Arithmetic => "measure_arithmetic",
            Self::SampledRays => "generate_sample",
            Self::SampledInterval => "limit_sample",
            Self::TallyHits => "tally_hits",
            Self::TallyPaths => "tally_paths",
            Self::AnswerOnDevice => "answer_on_device",
        }
    }
}
