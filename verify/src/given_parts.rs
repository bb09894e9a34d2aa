//! The parts of closest hits that were given.

use raytwin::query::Hits;

/// The parts of closest hits that were given: those are judged, and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenParts {
    /// True if t was.
    pub t: bool,
    /// True if the ids of geometries were.
    pub geometry_ids: bool,
    /// True if the ids of primitives were.
    pub primitive_ids: bool,
}

impl GivenParts {
    /// All parts.
    pub const ALL: Self = Self { t: true, geometry_ids: true, primitive_ids: true };

    /// Returns the parts whose arrays have rows; all if there are no rays.
    pub fn of(hits: &Hits) -> Self {
        match hits.is_empty() {
            true => Self::ALL,
            false => Self {
                t: !hits.t_hit.is_empty(),
                geometry_ids: !hits.geometry_ids.is_empty(),
                primitive_ids: !hits.primitive_ids.is_empty(),
            },
        }
    }

    /// Returns what is judged, in words, such as `distances alone`; `None` if that is everything.
    pub fn judged(self) -> Option<&'static str> {
        let Self { t, geometry_ids, primitive_ids } = self;
        match [t, geometry_ids, primitive_ids] {
            [true, true, true] => None,
            [true, true, false] => Some("distances and geometry ids"),
            [true, false, _] => Some("distances alone"),
            [false, _, true] => Some("ids alone"),
            [false, _, false] => Some("geometry ids alone"),
        }
    }

    /// Returns a sentence on what was judged of closest hits and what was not; `None` if all was.
    pub fn sentence(self) -> Option<String> {
        let not_given = match [self.t, self.geometry_ids, self.primitive_ids] {
            [true, true, _] => "primitive ids",
            [true, false, _] => "ids",
            [false, _, true] => "distances",
            [false, _, false] => "distances and primitive ids",
        };
        self.judged().map(|judged| {
            format!(
                "of closest hits, {judged} were judged: {not_given} were not given, and are not judged"
            )
        })
    }
}
