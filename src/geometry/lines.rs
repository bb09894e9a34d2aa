//! Line segments that rays hit within a radius. Each segment is a capsule and a leaf of the tree.

use crate::fields::{ShapeError, check_length};
use crate::math::{Bounds, Similarity};
use crate::shapes::{Capsule, PlacedShape, PointRounding, place_points, uniform_scale};
use crate::transform::Affine;
use glam::DVec3;

/// Segments between points.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    points: Vec<DVec3>,
    indices: Vec<[u32; 2]>,
    radius: f64,
}

impl Lines {
    /// The `type` of lines in scene files.
    pub const NAME: &'static str = "lines";

    /// Makes line segments, each from two indices into `points`. A ray hits a segment if it comes
    /// within `radius` of it. The radius must be from 1e-9 to 1e9.
    ///
    /// # Errors
    /// A [`ShapeError`] for lines without a segment, and for an index that is out of range.
    pub fn new(
        points: Vec<DVec3>,
        indices: Vec<[u32; 2]>,
        radius: f64,
    ) -> Result<Self, ShapeError> {
        if indices.is_empty() {
            return Err(ShapeError {
                field: "indices".to_owned(),
                reason: "is empty: lines need at least one segment".to_owned(),
            });
        }
        for (number, segment) in indices.iter().enumerate() {
            if let Some(index) = segment.iter().find(|&&index| index as usize >= points.len()) {
                return Err(ShapeError {
                    field: format!("indices[{number}]"),
                    reason: format!(
                        "refers to point {index}, but there are only {} points: points are numbered from 0",
                        points.len()
                    ),
                });
            }
        }
        Ok(Self { points, indices, radius })
    }

    /// Returns the points that the segments join. In a scene they are float32 numbers, stored in
    /// float64.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Returns the segments: for each, two indices into [`Self::points`].
    pub fn indices(&self) -> &[[u32; 2]] {
        &self.indices
    }

    /// Returns the distance within which a ray hits a segment.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Returns one of its segments, as the capsule that rays hit.
    pub fn segment(&self, index: usize) -> Option<Capsule> {
        let [start, end] = self.indices.get(index)?.map(|index| self.points[index as usize]);
        Some(Capsule { start, end, radius: self.radius })
    }

    /// Returns the bounds. Points that no segment uses do not count.
    pub(crate) fn bounds(&self) -> Bounds {
        let used = self.indices.iter().flatten();
        used.fold(Bounds::EMPTY, |all, &index| {
            let point = self.points[index as usize];
            all.union(Bounds::around(point, DVec3::splat(self.radius)))
        })
    }

    /// Returns its image, if its segments stay round.
    pub(crate) fn image(&self, map: &Affine) -> Option<Self> {
        let scale = uniform_scale(&map.linear)?;
        Some(Self {
            points: self.points.iter().map(|&point| map.point(point)).collect(),
            indices: self.indices.clone(),
            radius: scale * self.radius,
        })
    }

    pub(crate) fn placed(
        &self,
        world_from_lines: &Similarity,
    ) -> Result<PlacedShape<Self>, ShapeError> {
        let radius = world_from_lines.scale * self.radius;
        check_length(self.radius, "radius")?;
        check_length(radius, "radius")?;
        let points = place_points(&self.points, "points", world_from_lines)?;
        let lines =
            Self { points, indices: self.indices.clone(), radius: f64::from(radius as f32) };
        for (number, [from, to]) in lines.indices.iter().enumerate() {
            let segment = lines.segment(number).map(crate::shapes::Shape::from);
            if segment.is_some_and(|segment| segment.check().is_err()) {
                return Err(ShapeError {
                    field: format!("indices[{number}]"),
                    reason: format!(
                        "joins points {from} and {to}, which are equal in float32: a segment needs a length of at least 1e-9"
                    ),
                });
            }
        }
        let used = self.indices.iter().flatten().map(|&index| self.points[index as usize]);
        let rounding = PointRounding::of(used.map(|point| world_from_lines.point(point)));
        let coarse = rounding.is_of_far_points(lines.radius);
        Ok(PlacedShape { shape: lines, coarse })
    }
}
