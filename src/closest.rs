//! The nearest point of what surfaces are made of: of a segment, and of an outline that is turned about an axis.

use glam::{DVec2, DVec3};

/// The point of a segment that is nearest.
pub(crate) fn on_segment(point: DVec3, start: DVec3, end: DVec3) -> DVec3 {
    let along = end - start;
    match along.length_squared() {
        0.0 => start,
        squared => start + ((point - start).dot(along) / squared).clamp(0.0, 1.0) * along,
    }
}

/// A point as a shape about an axis sees it: in the half of a plane that has the axis for its edge.
pub(crate) struct AboutAxis {
    /// On the axis, at height 0.
    origin: DVec3,
    axis: DVec3,
    /// Of unit length, across the axis; on the axis itself any such.
    outwards: DVec3,
    /// How far the point is from the axis, and its height.
    pub place: DVec2,
}

impl AboutAxis {
    /// A point about the axis through `origin` along a unit vector.
    pub fn new(point: DVec3, origin: DVec3, axis: DVec3) -> Self {
        // By two vectors across: what is left when a height is taken away may point anywhere, seen from afar.
        let (right, up) = axis.any_orthonormal_pair();
        let from_origin = point - origin;
        let across = DVec2::new(from_origin.dot(right), from_origin.dot(up));
        let way = across.normalize_or(DVec2::X);
        Self {
            origin,
            axis,
            outwards: way.x * right + way.y * up,
            place: DVec2::new(across.length(), from_origin.dot(axis)),
        }
    }

    /// The point of that half plane in space.
    pub fn in_space(&self, place: DVec2) -> DVec3 {
        self.origin + place.y * self.axis + place.x * self.outwards
    }

    /// The nearest point of a surface, by the segments that are turned about the axis.
    pub fn on_turned(&self, outline: &[[DVec2; 2]]) -> DVec3 {
        let place = self.place.extend(0.0);
        let nearest = outline
            .iter()
            .map(|[start, end]| on_segment(place, start.extend(0.0), end.extend(0.0)))
            .min_by(|a, b| a.distance_squared(place).total_cmp(&b.distance_squared(place)));
        self.in_space(nearest.unwrap_or(place).truncate())
    }
}
