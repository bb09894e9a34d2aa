//! What a tracer is asked in a test scene.

/// What a tracer is asked in a test scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Question {
    /// The rays of a camera and their closest hits.
    Image,
    /// Closest hits.
    Closest,
    /// Any hits.
    Any,
    /// The number of crossings.
    Count,
    /// All crossings.
    All,
    /// Closest hits, where a ray that begins in a solid hits it there.
    Solid,
    /// Closest hits of rays with masks.
    Masks,
    /// Closest hits of rays that are cast in several worlds.
    Worlds,
    /// The nearest surface to points, and the solids that contain them.
    Points,
    /// Closest hits after an update.
    Update,
}

impl Question {
    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Closest => "closest",
            Self::Any => "any",
            Self::Count => "count",
            Self::All => "all",
            Self::Solid => "solid",
            Self::Masks => "masks",
            Self::Worlds => "worlds",
            Self::Points => "points",
            Self::Update => "update",
        }
    }
}
