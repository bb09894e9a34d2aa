//! An answer as an object for files and programs, and as one line of text.

use crate::{Answer, PartialHit};
use raytwin::query::PointHit;
use raytwin::ray::{Hit, NONE};
use schemars::JsonSchema;
use serde::Serialize;

/// An answer. Null stands for what its query does not ask for, for what its file lacks, and for
/// what a miss does not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct AnswerSummary {
    /// The t of the hit; for all crossings, of the first.
    pub t: Option<f32>,
    /// The same t for texts, which unlike JSON have infinities and NaN; none if t was not given.
    #[serde(skip)]
    t_in_text: Option<f32>,
    /// True if no ids were given.
    #[serde(skip)]
    lacks_ids: bool,
    /// The geometry that was hit, or that is nearest to a point.
    pub geometry_id: Option<u32>,
    /// Its path.
    pub path: Option<String>,
    /// The primitive of that geometry.
    pub primitive_id: Option<u32>,
    /// True if anything is hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occluded: Option<bool>,
    /// The number of crossings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intersections: Option<u32>,
    /// The t of all crossings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crossings: Option<Vec<f32>>,
    /// The number of solids that contain a point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<u32>,
    /// The lowest id of these solids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containing_id: Option<u32>,
}

impl AnswerSummary {
    pub(super) fn new(answer: &Answer, path: &dyn Fn(u32) -> Option<String>) -> Self {
        let of_hit = |hit: Hit| {
            let known = |id: u32| (hit.is_hit() && id != NONE).then_some(id);
            Self {
                t: hit.t.is_finite().then_some(hit.t),
                t_in_text: Some(hit.t),
                geometry_id: known(hit.geometry_id),
                primitive_id: known(hit.primitive_id),
                ..Self::default()
            }
        };
        let summary = match answer {
            Answer::Closest(hit) => of_hit(*hit),
            Answer::Partial(partial) => {
                let PartialHit { t, geometry_id, .. } = *partial;
                let (t_in_text, lacks_ids) = (t, geometry_id.is_none());
                Self { t_in_text, lacks_ids, ..of_hit(partial.hit()) }
            }
            Answer::Any(is_hit) => Self { occluded: Some(*is_hit), ..Self::default() },
            Answer::Count(count) => Self { intersections: Some(*count), ..Self::default() },
            Answer::All(hits) => {
                let crossings = Some(hits.iter().map(|hit| hit.t).collect());
                Self { crossings, ..of_hit(answer.hit()) }
            }
            Answer::Point(point) => {
                let &PointHit { contains, containing_id, geometry_id, primitive_id } = point;
                let known = |id: u32| (id != NONE).then_some(id);
                Self {
                    contains: Some(contains),
                    containing_id: known(containing_id),
                    geometry_id: known(geometry_id),
                    primitive_id: known(primitive_id),
                    ..Self::default()
                }
            }
        };
        Self { path: summary.geometry_id.and_then(path), ..summary }
    }
}

/// Writes an answer in one line, such as `t 3.25 id 17/3 (arm/elbow)`.
impl std::fmt::Display for AnswerSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(occluded) = self.occluded {
            return f.write_str(if occluded { "hit" } else { "no hit" });
        }
        if let Some(count) = self.intersections {
            return write!(f, "{count} crossings");
        }
        let id = |id: Option<u32>| id.map_or_else(|| "none".to_owned(), |id| id.to_string());
        if let Some(contains) = self.contains {
            let containing = id(self.containing_id);
            write!(f, "in {contains} solids, the lowest {containing}; nearest ")?;
        } else if let Some(crossings) = &self.crossings {
            return write!(f, "{} crossings, t {crossings:?}", crossings.len());
        } else if let Some(t) = self.t_in_text {
            write!(f, "t {t}")?;
            if self.lacks_ids {
                return Ok(());
            }
            f.write_str(" ")?;
        }
        match (self.geometry_id, self.primitive_id) {
            (Some(geometry), Some(primitive)) if primitive != 0 => {
                write!(f, "id {geometry}/{primitive}")?;
            }
            (geometry, _) => write!(f, "id {}", id(geometry))?,
        }
        self.path.as_ref().map_or(Ok(()), |path| write!(f, " ({path})"))
    }
}
