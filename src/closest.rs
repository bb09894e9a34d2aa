//! The nearest points of segments and of surfaces of revolution.

use glam::{DVec2, DVec3};

#[inline(always)]
pub(crate) fn on_segment(point: DVec3, start: DVec3, end: DVec3) -> DVec3 {
    let along = end - start;
    match along.length_squared() {
        0.0 => start,
        squared => start + ((point - start).dot(along) / squared).clamp(0.0, 1.0) * along,
    }
}

/// A point in cylindrical coordinates about an axis: its coordinates in the half-plane that starts
/// at the axis and contains the point.
pub(crate) struct AboutAxis {
    /// The point of the axis at height 0.
    origin: DVec3,
    axis: DVec3,
    /// The unit vector from the axis to the point; any unit vector across the axis for a point on
    /// it.
    outwards: DVec3,
    /// The point's distance from the axis, and its height.
    pub local_point: DVec2,
}

impl AboutAxis {
    /// Describes a point about the axis through `origin` along a unit vector.
    pub fn new(point: DVec3, origin: DVec3, axis: DVec3) -> Self {
        // Two vectors across the axis give the direction. The point minus its part along the axis
        // would not: far away that difference is mostly rounding.
        let (right, up) = axis.any_orthonormal_pair();
        let from_origin = point - origin;
        let across = DVec2::new(from_origin.dot(right), from_origin.dot(up));
        let direction = across.normalize_or(DVec2::X);
        Self {
            origin,
            axis,
            outwards: direction.x * right + direction.y * up,
            local_point: DVec2::new(across.length(), from_origin.dot(axis)),
        }
    }

    /// Returns a point of that half-plane in space.
    pub fn in_space(&self, local_point: DVec2) -> DVec3 {
        self.origin + local_point.y * self.axis + local_point.x * self.outwards
    }

    /// Returns the nearest point of a surface of revolution, given the segments that turn about the
    /// axis.
    pub fn on_turned(&self, outline: &[[DVec2; 2]]) -> DVec3 {
        let local_point = self.local_point.extend(0.0);
        let nearest = outline
            .iter()
            .map(|[start, end]| on_segment(local_point, start.extend(0.0), end.extend(0.0)))
            .min_by(|a, b| {
                a.distance_squared(local_point).total_cmp(&b.distance_squared(local_point))
            });
        self.in_space(nearest.unwrap_or(local_point).truncate())
    }
}
