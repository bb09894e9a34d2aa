//! A plane that cuts a scene open.

use crate::camera::CameraError;
use crate::ray::Line;
use glam::DVec3;

/// A plane that cuts a scene open. The side to which its normal points is not shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    point: DVec3,
    normal: DVec3,
}

impl Section {
    /// Returns the section with the plane through a point.
    ///
    /// # Errors
    /// [`CameraError::Field`] for a point that is not finite, and for a normal without a direction.
    pub fn new(point: DVec3, normal: DVec3) -> Result<Self, CameraError> {
        let field = |field: &str, value: DVec3, rule| CameraError::Field {
            field: field.to_owned(),
            value: value.to_string(),
            rule,
        };
        if !point.is_finite() {
            return Err(field("point", point, "its coordinates must be numbers"));
        }
        let unit = normal.try_normalize();
        let unit = unit.ok_or_else(|| field("normal", normal, "it must have a direction"))?;
        Ok(Self { point, normal: unit })
    }

    /// Returns the unit normal, which points to the side that is cut away.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Returns true if a point is cut away.
    pub fn cuts_away(&self, point: DVec3) -> bool {
        self.height(point) > 0.0
    }

    /// Returns the distance of a point from the plane, positive on the side that is cut away.
    fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }

    /// Returns the part of a line, from its origin on, that is not cut away, as a range of t in
    /// float32; `None` if there is none.
    pub fn kept(&self, line: &Line) -> Option<[f32; 2]> {
        let height = self.height(line.origin);
        let slope = line.direction.dot(self.normal);
        let crossing = (-height / slope) as f32;
        match (height > 0.0, slope) {
            (true, slope) if slope < 0.0 => Some([crossing, f32::INFINITY]),
            (true, _) => None,
            (false, slope) if slope > 0.0 => Some([0.0, crossing]),
            (false, _) => Some([0.0, f32::INFINITY]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_kept_behind_the_plane() {
        let section = Section::new(DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.0, 0.0, 5.0)).unwrap();
        let kept = |height: f64, slope: f64| {
            let direction = DVec3::new(0.0, (1.0 - slope * slope).sqrt(), slope);
            section.kept(&Line { origin: DVec3::new(3.0, 4.0, height), direction })
        };
        assert_eq!(kept(5.0, -1.0), Some([3.0, f32::INFINITY]));
        assert_eq!(kept(5.0, -0.5), Some([6.0, f32::INFINITY]));
        assert_eq!(kept(0.0, 0.5), Some([0.0, 4.0]));
        assert_eq!(kept(0.0, -0.5), Some([0.0, f32::INFINITY]));
        assert_eq!(kept(0.0, 0.0), Some([0.0, f32::INFINITY]));
        assert_eq!((kept(5.0, 0.5), kept(5.0, 0.0)), (None, None));
        assert!(Section::new(DVec3::ZERO, DVec3::ZERO).is_err());
        assert!(Section::new(DVec3::NAN, DVec3::Z).is_err());
    }
}
