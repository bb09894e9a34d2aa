//! The cylinder with flat caps, solid or a tube: a chord of a circle, clipped by two planes.

use super::caps::{
    END_CAP, SIDE, START_CAP, between_caps, check_axis, disc_bounds, farthest_of_discs,
};
use super::outline::{Outline, OutlinePiece};
use super::{ClosedForm, Convex, FormType, Parts, PrimitiveKind};
use crate::closest::AboutAxis;
use crate::crossings::{Crossing, Crossings, Span, Zone, Zones};
use crate::fields::{Field, FieldKind, ShapeError};
use crate::math::{Bounds, vec4};
use crate::ray::Line;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;

/// All points from `inner_radius` to `radius` from the axis, between the planes through its two
/// ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// The centre of the start cap.
    pub start: DVec3,
    /// The centre of the end cap, apart from `start`.
    pub end: DVec3,
    /// The radius, from 1e-9 to 1e9.
    pub radius: f64,
    /// The radius of the hole, below `radius`; 0 for a solid cylinder, above 0 for a tube.
    pub inner_radius: f64,
}

/// The distance from the world's origin, in sizes of the cylinder, up to which float64 certainly
/// keeps its growth.
const NEAR: f64 = (1 << 20) as f64;

/// The face number of a hole's wall.
const INNER_WALL: u32 = 3;

impl Cylinder {
    /// Returns a cylinder without a hole.
    pub fn solid(start: DVec3, end: DVec3, radius: f64) -> Self {
        Self { start, end, radius, inner_radius: 0.0 }
    }

    pub(super) const TYPE: FormType<Self> = FormType {
        name: "cylinder",
        fields: &[
            Field::new("start", FieldKind::Position, "The centre of the start cap."),
            Field::new("end", FieldKind::Position, "The centre of the end cap."),
            Field::new("radius", FieldKind::Length, "The radius."),
            Field::new(
                "inner_radius",
                FieldKind::LengthOrZero,
                "The radius of the hole along its axis, which makes a tube; 0 for none.",
            )
            .or(&[0.0]),
            Parts::FIELDS[0],
            Parts::FIELDS[1],
            Parts::FIELDS[2],
        ],
        is_solid: true,
        params: 3,
        allowance: 1.0,
        from_row: |row| Cylinder {
            start: DVec3::from_slice(row),
            end: DVec3::from_slice(&row[3..]),
            radius: row[6],
            inner_radius: row[7],
        },
    };

    /// It is not normalised, so that products of small integers stay exact.
    fn along(&self) -> DVec3 {
        self.end - self.start
    }

    /// The segments turn about the axis, and the number counts them: the last of the four is the
    /// wall of a hole.
    fn outline_segments(&self) -> ([[DVec2; 2]; 4], usize) {
        let top = self.along().length();
        let corner = |radius: f64, height: f64| DVec2::new(radius, height);
        let [inner, outer] = [self.inner_radius, self.radius];
        let [a, b, c, d] =
            [corner(inner, 0.0), corner(outer, 0.0), corner(outer, top), corner(inner, top)];
        ([[a, b], [b, c], [c, d], [d, a]], if inner > 0.0 { 4 } else { 3 })
    }

    /// Returns the line's spans inside the endless side and between the caps.
    pub(super) fn side_and_caps(&self, line: &Line) -> Option<[Span; 2]> {
        let prepared = PreparedCylinder::from(*self);
        let caps = between_caps(line, self.start, self.along())?;
        Some([prepared.wall(line, self.radius, SIDE)?, caps])
    }

    /// Returns the line's span inside the cylinder with its hole filled.
    pub(super) fn outer_span(&self, line: &Line) -> Option<Span> {
        PreparedCylinder::from(*self).outer_span(line)
    }

    /// Returns the cylinder with every surface moved outwards and the wall of its hole towards the
    /// axis, or `None` if nothing is left.
    pub(super) fn grown(&self, delta: f64) -> Option<Self> {
        let along = self.along();
        let stretch = delta / along.length();
        let radius = self.radius + delta;
        // Shrinking opens no hole in a solid cylinder.
        let inner_radius = match self.inner_radius {
            0.0 => 0.0,
            inner_radius => (inner_radius - delta).max(0.0),
        };
        (radius > inner_radius && stretch > -0.5).then_some(Self {
            start: self.start - stretch * along,
            end: self.end + stretch * along,
            radius,
            inner_radius,
        })
    }
}

/// A cylinder with a basis of the plane across its axis precomputed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedCylinder {
    start: DVec3,
    along: DVec3,
    /// Two unit vectors, perpendicular to the axis and to each other.
    across: [DVec3; 2],
    radius: f64,
    inner_radius: f64,
}

impl From<Cylinder> for PreparedCylinder {
    fn from(cylinder: Cylinder) -> Self {
        let along = cylinder.along();
        // A division makes a world axis exact, which a multiplication by the reciprocal would not.
        let (e, f) = (along / along.length()).any_orthonormal_pair();
        Self {
            start: cylinder.start,
            along,
            across: [e, f],
            radius: cylinder.radius,
            inner_radius: cylinder.inner_radius,
        }
    }
}

impl PreparedCylinder {
    /// Returns the span inside the infinite cylinder, as a chord of a circle in the plane across
    /// the axis. It is the whole line for a line inside and parallel to the axis, and `None` for
    /// one that misses.
    #[inline(always)]
    fn wall(&self, line: &Line, radius: f64, face: u32) -> Option<Span> {
        let flat = |v: DVec3| DVec2::from(self.across.map(|across| v.dot(across)));
        let from_axis = flat(line.origin - self.start);
        let speed = flat(line.direction);
        let speed_squared = speed.length_squared();
        let radius_squared = radius * radius;
        if speed_squared == 0.0 {
            let distance_squared = from_axis.length_squared();
            // The wall of a hole belongs to the tube, not to the hole.
            let is_inside = match face {
                INNER_WALL => distance_squared < radius_squared,
                _ => distance_squared <= radius_squared,
            };
            return is_inside.then_some(Span::whole(face));
        }
        // This is the distance from the axis times |speed|.
        let area = from_axis.perp_dot(speed);
        let half_chord_squared = radius_squared * speed_squared - area * area;
        if half_chord_squared < 0.0 {
            return None;
        }
        let middle = -from_axis.dot(speed);
        let half = half_chord_squared.sqrt();
        Some(Span::through(face, (middle - half) / speed_squared, (middle + half) / speed_squared))
    }

    /// Returns the line's span inside the cylinder with its hole filled.
    #[inline(always)]
    fn outer_span(&self, line: &Line) -> Option<Span> {
        self.wall(line, self.radius, SIDE)?.meet(between_caps(line, self.start, self.along)?)
    }

    pub(super) fn crossings(&self, line: &Line) -> Crossings {
        let Some(outer) = self.outer_span(line) else {
            return Crossings::none();
        };
        if self.inner_radius == 0.0 {
            return Some(outer).into();
        }
        outer.without(self.wall(line, self.inner_radius, INNER_WALL)).collect()
    }

    #[inline(always)]
    pub(super) fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        match self.inner_radius {
            0.0 => self.outer_span(line)?.first_from(t_min),
            _ => self.crossings(line).first_from(t_min),
        }
    }
}

impl ClosedForm for Cylinder {
    fn primitive_kind(&self) -> PrimitiveKind {
        if self.inner_radius > 0.0 { PrimitiveKind::Tube } else { PrimitiveKind::Cylinder }
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.start.to_array().to_vec();
        row.extend(self.end.to_array());
        row.extend([self.radius, self.inner_radius]);
        row.extend(Parts::ALL_FLAGS);
        row
    }

    fn check(&self) -> Result<(), ShapeError> {
        check_axis(self.start, self.end)?;
        check_hole(self.inner_radius, self.radius)
    }

    fn bounds(&self) -> Option<Bounds> {
        let axis = self.along().normalize();
        let cap = |center| disc_bounds(center, axis, self.radius);
        Some(cap(self.start).union(cap(self.end)))
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.start + self.end)
    }

    fn bounding_radius(&self) -> f64 {
        0.5 * self.along().length() + self.radius
    }

    fn smallest_size(&self) -> f64 {
        (self.radius - self.inner_radius).min(self.along().length())
    }

    fn volume(&self) -> Option<f64> {
        // The factors of the difference of two squares do not cancel for a thin wall.
        let ring = (self.radius - self.inner_radius) * (self.radius + self.inner_radius);
        Some(PI * ring * self.along().length())
    }

    fn convex(&self) -> Option<Convex> {
        let PreparedCylinder { along, across: [e, f], radius, .. } = (*self).into();
        let length = along.length();
        (self.inner_radius == 0.0).then(|| Convex::Column {
            center: self.center(),
            axes: [e, f, along / length],
            radius,
            half_length: 0.5 * length,
        })
    }

    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        // Far from the world's origin a growth that moves the ends is rounded away.
        let size_squared = self.along().length_squared().min(self.radius * self.radius);
        let near = NEAR * NEAR * size_squared;
        let is_near = [self.start, self.end].iter().all(|end| end.length_squared() < near);
        if self.inner_radius == 0.0 && is_near { self.outer_span(line) } else { None }
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        farthest_of_discs([(self.start, self.radius), (self.end, self.radius)], direction)
    }

    fn ends(&self) -> Option<[(DVec3, f64); 2]> {
        Some([(self.start, self.radius), (self.end, self.radius)])
    }

    fn bore(&self) -> f64 {
        self.inner_radius
    }

    fn crossings(&self, line: &Line) -> Crossings {
        PreparedCylinder::from(*self).crossings(line)
    }

    fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        let axis = self.along().normalize();
        let from_axis = || {
            let aside = (point - self.start).reject_from_normalized(axis);
            aside.normalize_or(axis.any_orthonormal_vector())
        };
        match face {
            START_CAP => -axis,
            END_CAP => axis,
            INNER_WALL => -from_axis(),
            _ => from_axis(),
        }
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let axis = self.along() / self.along().length();
        let (segments, walls) = self.outline_segments();
        AboutAxis::new(point, self.start, axis).on_turned(&segments[..walls])
    }

    fn outline(&self) -> Option<Outline> {
        let (segments, walls) = self.outline_segments();
        Some(Outline {
            origin: self.start,
            axis: self.along() / self.along().length(),
            pieces: segments[..walls].iter().copied().map(OutlinePiece::Segment).collect(),
        })
    }

    fn most_crossings(&self) -> u32 {
        if self.inner_radius > 0.0 { 4 } else { 2 }
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// In a zone that begins and ends in the same face, the mouth and the wall of a hole may both
    /// be met. A cylinder that grows while its hole widens, or shrinks while its hole narrows, is
    /// then crossed more than once there.
    fn may_meet_rim(&self, line: &Line, delta: f64, zone: &Zone) -> bool {
        let bounds = [zone.from.t, zone.to.t];
        self.inner_radius > 0.0
            && [delta, -delta].into_iter().any(|delta| {
                let inner_radius = (self.inner_radius + delta).max(0.0);
                let filled = Self { inner_radius: 0.0, ..*self }.grown(delta);
                let moved = filled.map(|filled| Self { inner_radius, ..filled });
                moved.is_some_and(|moved| moved.crossings(line).within(bounds).count() > 1)
            })
    }

    /// The layout is start, radius | end − start, inner radius. The difference is taken in float64,
    /// because in float32 two points far from the world's origin would lose the axis to rounding.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        params.push(vec4(self.start, self.radius));
        params.push(vec4(self.along(), self.inner_radius));
    }
}

/// Checks that a hole is narrower than the shape around it.
pub(crate) fn check_hole(inner_radius: f64, radius: f64) -> Result<(), ShapeError> {
    if inner_radius < radius {
        return Ok(());
    }
    Err(ShapeError {
        field: "inner_radius".to_owned(),
        reason: format!("is {inner_radius:?}: it must be below the radius, {radius:?}"),
    })
}
