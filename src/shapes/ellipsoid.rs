//! The ellipsoid, as a ball in a space in which each axis is stretched by the product of the other
//! two radii.

use super::plane::near_unit;
use super::sphere::ball_span;
use super::{ClosedForm, FormType, PrimitiveKind};
use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, FieldKind};
use crate::math::{Bounds, rotation_matrix, vec4};
use crate::ray::Line;
use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::PI;

/// A ball stretched along three axes of its own. The precision bound holds if the radii differ by
/// at most a factor of 1000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Its centre.
    pub center: DVec3,
    /// The radii along its own axes, each from 1e-9 to 1e9.
    pub radii: DVec3,
    /// The rotation of its own axes into the world's. After rounding to float32 its length is
    /// nearly 1. All uses normalise it in float64.
    pub rotation: DQuat,
}

impl Ellipsoid {
    pub(super) const TYPE: FormType<Self> = FormType {
        name: "ellipsoid",
        fields: &[
            Field::new("center", FieldKind::Position, "The centre of the ellipsoid."),
            Field::new("radii", FieldKind::Extents, "The radii along its own axes."),
            Field::ROTATION,
        ],
        is_solid: true,
        params: 3,
        allowance: 1.0,
        from_row: |row| Ellipsoid {
            center: DVec3::from_slice(row),
            radii: DVec3::from_slice(&row[3..]),
            rotation: DQuat::from_slice(&row[6..]),
        },
    };

    fn world_from_ellipsoid(&self) -> DMat3 {
        rotation_matrix(self.rotation)
    }

    /// Returns the ellipsoid with every radius longer by `growth`, or `None` if nothing is left.
    fn grown(&self, growth: f64) -> Option<Self> {
        let radii = self.radii + growth;
        (radii.min_element() > 0.0).then_some(Self { radii, ..*self })
    }

    /// Returns the growth of the radii that moves the surface by `delta` where the line passes it.
    /// Along a unit normal n an ellipsoid reaches √(Σ r² n²) from its centre. With the radii, this
    /// grows at the rate Σ r n² / √(Σ r² n²).
    fn growth(&self, line: &Line, delta: f64) -> f64 {
        let own_from_world = self.world_from_ellipsoid().transpose();
        let reach_grows = |t: f64| {
            let normal = own_from_world * self.normal(0, line.at(t));
            (self.radii * normal).dot(normal) / (self.radii * normal).length()
        };
        let near = (own_from_world * (self.center - line.origin)) / self.radii;
        let speed = (own_from_world * line.direction) / self.radii;
        let closest = near.dot(speed) / speed.length_squared();
        let crossings = self.crossings(line);
        let places = crossings.iter().map(|crossing| crossing.t).chain([closest]);
        delta / places.map(reach_grows).fold(1.0, f64::min)
    }
}

/// The ratio of radii up to which float64 certainly keeps the growth in the space in which the
/// ellipsoid is a ball.
const LONGEST: f64 = (1 << 16) as f64;

/// An ellipsoid with its stretched space precomputed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedEllipsoid {
    center: DVec3,
    /// The map into a space where the ellipsoid is a ball.
    ball_from_world: DMat3,
    radius: f64,
}

impl From<Ellipsoid> for PreparedEllipsoid {
    /// Multiplies each axis by the product of the other two radii instead of dividing by its own,
    /// so that integers stay exact.
    fn from(ellipsoid: Ellipsoid) -> Self {
        let ellipsoid_from_world = ellipsoid.world_from_ellipsoid().transpose();
        // A power of two scales the radii near 1, because products of large radii would overflow.
        let r = near_unit(ellipsoid.radii);
        let stretch = DVec3::new(r.y * r.z, r.z * r.x, r.x * r.y);
        Self {
            center: ellipsoid.center,
            ball_from_world: DMat3::from_diagonal(stretch) * ellipsoid_from_world,
            radius: r.x * r.y * ellipsoid.radii.z,
        }
    }
}

impl PreparedEllipsoid {
    fn span(&self, line: &Line) -> Option<Span> {
        let d = self.ball_from_world * line.direction;
        let to_center = self.ball_from_world * (self.center - line.origin);
        ball_span(to_center, d, self.radius)
    }

    pub(super) fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    pub(super) fn first_crossing(&self, line: &Line, t_min: f64) -> Option<Crossing> {
        self.span(line)?.first_from(t_min)
    }
}

/// Returns the nearest point of an ellipsoid, or of an ellipse, to a point without negative
/// coordinates, by bisection; the radii are given from the longest to the shortest (Eberly,
/// Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013).
///
/// With radii r, the shortest of them s, the nearest point x to y has r² (y - x) = (w - s²) x for
/// one number w above zero, so x / r is r y / (w + r² - s²), and the squares of that add up to 1. w
/// can be 0 only if y has no component along the shortest axis. Then x's component along that axis
/// completes the sum to 1. If the sum is already 1, x has no component along that axis either, and
/// the search continues with the other axes.
pub(super) fn nearest_in_octant<const N: usize>(radii: [f64; N], point: [f64; N]) -> [f64; N] {
    let mut nearest = [0.0; N];
    let areas: [f64; N] = std::array::from_fn(|axis| radii[axis] * point[axis]);
    let beyond = |axis: usize, least: f64| (radii[axis] - least) * (radii[axis] + least);
    let mut count = N;
    while areas[count - 1] == 0.0 {
        count -= 1;
        let least = radii[count];
        // Equal radii make this NaN or infinite, and then `rest > 0.0` is false.
        let share = |axis: usize| areas[axis] / beyond(axis, least);
        let rest = 1.0 - (0..count).map(|axis| share(axis) * share(axis)).sum::<f64>();
        if rest > 0.0 || count == 0 {
            (0..count).for_each(|axis| nearest[axis] = radii[axis] * share(axis));
            nearest[count] = least * rest.sqrt();
            return nearest;
        }
    }
    let least = radii[count - 1];
    let share = |axis: usize, w: f64| areas[axis] / (w + beyond(axis, least));
    let squares = |w: f64| (0..count).map(|axis| share(axis, w) * share(axis, w)).sum::<f64>();
    // Positive numbers have the order of their bits, so the bisection halves the set of float64
    // numbers between.
    let mut low = areas[count - 1].to_bits();
    let mut high = areas.iter().map(|area| area * area).sum::<f64>().sqrt().to_bits();
    while high > low + 1 {
        let middle = low + (high - low) / 2;
        if squares(f64::from_bits(middle)) > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let w = f64::from_bits(low);
    (0..count).for_each(|axis| nearest[axis] = radii[axis] * share(axis, w));
    nearest
}

impl ClosedForm for Ellipsoid {
    fn primitive_kind(&self) -> PrimitiveKind {
        PrimitiveKind::Ellipsoid
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.center.to_array().to_vec();
        row.extend(self.radii.to_array());
        row.extend(self.rotation.to_array());
        row
    }

    /// Half the width along a world axis is the length of that axis in the ellipsoid's frame, with
    /// each component multiplied by its radius.
    fn bounds(&self) -> Option<Bounds> {
        let axes = self.world_from_ellipsoid();
        let stretched = DMat3::from_cols(
            self.radii.x * axes.x_axis,
            self.radii.y * axes.y_axis,
            self.radii.z * axes.z_axis,
        );
        let half = [0, 1, 2].map(|row| stretched.row(row).length());
        Some(Bounds::around(self.center, half.into()))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.radii.max_element()
    }

    fn smallest_size(&self) -> f64 {
        self.radii.min_element()
    }

    fn volume(&self) -> Option<f64> {
        Some(4.0 / 3.0 * PI * self.radii.element_product())
    }

    #[inline]
    fn convex_span(&self, line: &Line) -> Option<Span> {
        let is_round = self.radii.max_element() < LONGEST * self.radii.min_element();
        if is_round { PreparedEllipsoid::from(*self).span(line) } else { None }
    }

    /// The ellipsoid is the image of a ball, whose farthest point is known.
    fn support(&self, direction: DVec3) -> DVec3 {
        let world_from_ellipsoid = self.world_from_ellipsoid();
        let in_ball = self.radii * (world_from_ellipsoid.transpose() * direction);
        self.center + world_from_ellipsoid * (self.radii * in_ball.normalize_or_zero())
    }

    fn crossings(&self, line: &Line) -> Crossings {
        PreparedEllipsoid::from(*self).span(line).into()
    }

    /// The normal is the gradient of Σ (x / radius)².
    fn normal(&self, _face: u32, point: DVec3) -> DVec3 {
        let axes = self.world_from_ellipsoid();
        let local_point = axes.transpose() * (point - self.center);
        let least = self.radii.min_element();
        let gradient = local_point * (least / self.radii) * (least / self.radii);
        (axes * gradient).normalize_or(axes.z_axis)
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let axes = self.world_from_ellipsoid();
        let local_point = axes.transpose() * (point - self.center);
        // By symmetry the search is in the octant of positive coordinates, with the longest radius
        // first.
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| self.radii[b].total_cmp(&self.radii[a]));
        let mut nearest = DVec3::ZERO;
        let found = nearest_in_octant(
            order.map(|axis| self.radii[axis]),
            order.map(|axis| local_point[axis].abs()),
        );
        for (axis, coordinate) in order.into_iter().zip(found) {
            nearest[axis] = coordinate.copysign(local_point[axis]);
        }
        self.center + axes * nearest
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let growth = self.growth(line, delta);
        let moved = |growth| Some(self.grown(growth)?.crossings(line));
        Zones::of_solid([growth, -growth].map(moved))
    }

    /// The layout is centre, radius x | own x axis in the world, radius y | own y axis, radius z.
    /// The third axis is the cross product of the other two.
    fn pack(&self, params: &mut Vec<[f32; 4]>) {
        let axes = self.world_from_ellipsoid();
        params.push(vec4(self.center, self.radii.x));
        params.push(vec4(axes.x_axis, self.radii.y));
        params.push(vec4(axes.y_axis, self.radii.z));
    }
}
