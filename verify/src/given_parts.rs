//! The parts of closest hits that a caller gave.

use raytwin::query::Hits;

/// The given parts of closest hits. Only these are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenParts {
    /// True if t was given.
    pub t: bool,
    /// True if geometry ids were given.
    pub geometry_ids: bool,
    /// True if primitive ids were given.
    pub primitive_ids: bool,
}

impl GivenParts {
    /// All parts.
    pub const ALL: Self = Self { t: true, geometry_ids: true, primitive_ids: true };

    /// Returns the parts whose arrays have rows; all parts if there are no rays.
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

    /// Returns what is judged, in words, such as `only distances`; `None` if everything is judged.
    pub fn judged(self) -> Option<&'static str> {
        let Self { t, geometry_ids, primitive_ids } = self;
        match [t, geometry_ids, primitive_ids] {
            [true, true, true] => None,
            [true, true, false] => Some("distances and geometry ids"),
            [true, false, _] => Some("only distances"),
            [false, _, true] => Some("only ids"),
            [false, _, false] => Some("only geometry ids"),
        }
    }

    /// Returns a sentence on the parts of closest hits that were judged; `None` if all were.
    pub fn sentence(self) -> Option<String> {
        let not_given = match [self.t, self.geometry_ids, self.primitive_ids] {
            [true, true, _] => "primitive ids",
            [true, false, _] => "ids",
            [false, _, true] => "distances",
            [false, _, false] => "distances and primitive ids",
        };
        self.judged().map(|judged| {
            format!("for closest hits, {judged} were judged: {not_given} were not given")
        })
    }
}
