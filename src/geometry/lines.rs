//! Segments that are picked within a radius: each is a capsule, and a leaf of the tree of its own.

use crate::fields::{Placed, Refusal, check_length, check_point, rounded};
use crate::math::{Bounds, Similarity};
use crate::shapes::Capsule;
use glam::DVec3;

/// Segments between points.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Where segments end. Once in a scene, float32 numbers held in float64.
    pub points: Vec<DVec3>,
    /// The two places in `points` of each segment.
    pub indices: Vec<[u32; 2]>,
    /// How near to a segment a ray meets it, from 1e-9 to 1e9.
    pub radius: f64,
}

impl Lines {
    /// Its `type` in scene files.
    pub const NAME: &'static str = "lines";

    /// Segments between points.
    ///
    /// # Errors
    /// A [`Refusal`] where there is no segment, and for a place that no point has.
    pub fn new(points: Vec<DVec3>, indices: Vec<[u32; 2]>, radius: f64) -> Result<Self, Refusal> {
        if indices.is_empty() {
            return Err(Refusal {
                field: "indices".to_owned(),
                reason: "are none: lines need at least one segment".to_owned(),
            });
        }
        for (place, segment) in indices.iter().enumerate() {
            if let Some(index) = segment.iter().find(|&&index| index as usize >= points.len()) {
                return Err(Refusal {
                    field: format!("indices[{place}]"),
                    reason: format!(
                        "speaks of point {index}, and there are {}: count them from 0",
                        points.len()
                    ),
                });
            }
        }
        Ok(Self { points, indices, radius })
    }

    /// One segment of it, as thick as it is picked.
    pub fn segment(&self, place: usize) -> Option<Capsule> {
        let [start, end] = self.indices.get(place)?.map(|index| self.points[index as usize]);
        Some(Capsule { start, end, radius: self.radius })
    }

    /// The smallest box that holds every segment.
    pub(crate) fn bounds(&self) -> Bounds {
        let used = self.indices.iter().flatten();
        used.fold(Bounds::EMPTY, |all, &index| {
            let point = self.points[index as usize];
            all.union(Bounds::around(point, DVec3::splat(self.radius)))
        })
    }

    pub(crate) fn placed(&self, world_from_lines: &Similarity) -> Result<Placed<Self>, Refusal> {
        let radius = world_from_lines.scale * self.radius;
        check_length(self.radius, "radius")?;
        check_length(radius, "radius")?;
        let mut drift: f64 = 0.0;
        let mut points = Vec::with_capacity(self.points.len());
        for (place, point) in self.points.iter().enumerate() {
            let name = || format!("points[{place}]");
            check_point(*point, name)?;
            let moved = world_from_lines.point(*point);
            check_point(moved, name)?;
            let point = rounded(moved);
            drift = drift.max((point - moved).length());
            points.push(point);
        }
        let lines =
            Self { points, indices: self.indices.clone(), radius: f64::from(radius as f32) };
        for place in 0..lines.indices.len() {
            let segment = lines.segment(place).map(crate::shapes::Shape::from);
            if let Some(Err(refusal)) = segment.map(|segment| segment.check()) {
                return Err(Refusal { field: format!("indices[{place}]"), ..refusal });
            }
        }
        let coarse = drift > crate::fields::COARSE * lines.radius;
        Ok(Placed { shape: lines, coarse })
    }
}
