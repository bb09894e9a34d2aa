//! The curves and faces of the component Geometry2D (X3D 14), in the plane z = 0.

use super::face_set::{FaceKind, plain_faces};
use super::faces::Faces;
use super::line_set::{Polylines, line_set};
use crate::mesh::Triangles;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// The number of segments of a whole circle. They deviate from it by three parts in ten thousand of
/// its radius.
const SEGMENTS: f64 = 128.0;

/// An arc about the origin, from one angle counter-clockwise to another, in radians from +x.
#[derive(Clone, Copy)]
pub(in crate::x3d) struct CircularArc {
    /// The radius, above 0.
    pub radius: f64,
    /// The angle where it starts.
    pub start_angle: f64,
    /// The angle where it ends. Where both are equal, or a turn or more apart, the arc is a circle.
    pub end_angle: f64,
}

impl CircularArc {
    /// Returns a circle.
    pub fn circle(radius: f64) -> Self {
        Self { radius, start_angle: 0.0, end_angle: 0.0 }
    }

    fn is_circle(&self) -> bool {
        let between = self.end_angle - self.start_angle;
        between == 0.0 || between.abs() >= TAU
    }

    /// Its points from end to end, without the second end of a circle.
    fn points(&self) -> Result<Vec<DVec3>, String> {
        // A comparison with NaN is false.
        let is_radius = self.radius > 0.0;
        if !is_radius {
            return Err(format!("has the radius {:?}: it must be above 0", self.radius));
        }
        let between = self.end_angle - self.start_angle;
        let sweep = match between {
            _ if self.is_circle() => TAU,
            _ if between < 0.0 => between + TAU,
            _ => between,
        };
        let steps = (sweep / TAU * SEGMENTS).ceil();
        let at = |step: u32| {
            let angle = self.start_angle + sweep * (f64::from(step) / steps);
            self.radius * DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
        };
        let count = steps as u32 + u32::from(!self.is_circle());
        Ok((0..count).map(at).collect())
    }

    /// Returns the segments of the curve of an Arc2D or a Circle2D.
    ///
    /// # Errors
    /// Returns the reason if the radius is not above 0.
    pub fn polyline(&self) -> Result<Polylines, String> {
        let points = self.points()?;
        let count = points.len() as u32;
        let mut segments: Vec<[u32; 2]> = (1..count).map(|end| [end - 1, end]).collect();
        if self.is_circle() {
            segments.push([count - 1, 0]);
        }
        Ok(Polylines { points, segments, left_out: 0 })
    }

    /// Returns the face of an ArcClose2D: a slice to the centre, or to the chord if the type of its
    /// closure is CHORD.
    ///
    /// # Errors
    /// Returns the reason if the radius is not above 0.
    pub fn face(&self, closure_type: &str) -> Result<Triangles, String> {
        let mut vertices = self.points()?;
        if closure_type != "CHORD" && !self.is_circle() {
            vertices.insert(0, DVec3::ZERO);
        }
        let mut face = Triangles { vertices, triangles: Vec::new() };
        let corners: Vec<u32> = (0..face.vertices.len() as u32).collect();
        face.add_polygon(&corners)?;
        match face.triangles.is_empty() {
            true => Err("has no area".to_owned()),
            false => Ok(face),
        }
    }
}

/// Returns the segments of a Polyline2D.
///
/// # Errors
/// Returns the reason if no segment has a length.
pub(in crate::x3d) fn polyline(points: &[DVec2]) -> Result<Polylines, String> {
    let count = i64::try_from(points.len()).unwrap_or(i64::MAX);
    line_set(&in_space(points), &[count])
}

/// Returns the two triangles of a Rectangle2D about the origin.
///
/// # Errors
/// Returns the reason if a side is not above 0.
pub(in crate::x3d) fn rectangle(size: DVec2) -> Result<Triangles, String> {
    if !size.cmpgt(DVec2::ZERO).all() {
        return Err(format!("has the sides {:?} and {:?}: both must be above 0", size.x, size.y));
    }
    let corner = |x: f64, y: f64| DVec3::new(0.5 * x * size.x, 0.5 * y * size.y, 0.0);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    Ok(Triangles { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] })
}

/// Returns the faces of a TriangleSet2D.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn planar_triangle_set(vertices: &[DVec2]) -> Result<Faces, String> {
    plain_faces(&in_space(vertices), FaceKind::Three, true)
}

/// Returns the points of a Polypoint2D and of other nodes of the plane, in space.
pub(in crate::x3d) fn in_space(points: &[DVec2]) -> Vec<DVec3> {
    points.iter().map(|point| point.extend(0.0)).collect()
}

#[cfg(test)]
mod tests;
