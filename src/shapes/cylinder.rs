//! The solid cylinder with flat caps, solved in the plane across its axis.

use super::{Crossing, Kind, Shape, Solid, Span, word};
use crate::fields::{Field, FieldKind, Refusal};
use crate::math::Bounds;
use crate::ray::Line;
use glam::{DVec2, DVec3};

/// All points up to `radius` from the axis, between the planes through its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// The middle of the start cap.
    pub start: DVec3,
    /// The middle of the end cap; not where `start` is.
    pub end: DVec3,
    /// From 1e-9 to 1e9.
    pub radius: f64,
}

/// Of the faces.
const SIDE: u32 = 0;
const START_CAP: u32 = 1;
const END_CAP: u32 = 2;

impl Cylinder {
    fn axis(&self) -> DVec3 {
        (self.end - self.start).normalize()
    }

    /// The line in the plane across the axis: origin and direction there. Its third coordinate, along
    /// the axis from `start`, comes apart from it.
    fn across(&self, line: &Line) -> ([DVec2; 2], [f64; 2]) {
        let axis = self.axis();
        let (e, f) = axis.any_orthonormal_pair();
        let o = line.origin - self.start;
        let d = line.direction;
        (
            [DVec2::new(o.dot(e), o.dot(f)), DVec2::new(d.dot(e), d.dot(f))],
            [o.dot(axis), d.dot(axis)],
        )
    }
}

impl From<Cylinder> for Shape {
    fn from(cylinder: Cylinder) -> Self {
        Self::Cylinder(cylinder)
    }
}

impl Solid for Cylinder {
    const KIND: Kind = Kind {
        name: "cylinder",
        tag: 2,
        fields: &[
            Field {
                name: "start",
                kind: FieldKind::Position,
                about: "The middle of the start cap.",
            },
            Field { name: "end", kind: FieldKind::Position, about: "The middle of the end cap." },
            Field { name: "radius", kind: FieldKind::Length, about: "Its radius." },
        ],
        words: 2,
        from_row: |row| {
            Shape::Cylinder(Cylinder {
                start: DVec3::from_slice(row),
                end: DVec3::from_slice(&row[3..]),
                radius: row[6],
            })
        },
    };

    fn row(&self) -> Vec<f64> {
        let mut row = self.start.to_array().to_vec();
        row.extend(self.end.to_array());
        row.push(self.radius);
        row
    }

    fn check(&self) -> Result<(), Refusal> {
        if (self.end - self.start).length() < crate::fields::MIN_SIZE {
            return Err(Refusal {
                field: "end".to_owned(),
                reason: format!(
                    "is where start is, {}, to float32: the axis needs a length of at least 1e-9",
                    self.start
                ),
            });
        }
        Ok(())
    }

    /// Each cap is a disc, whose reach along a world axis is `radius * sin(angle to it)`.
    fn bounds(&self) -> Bounds {
        let axis = self.axis();
        let reach = self.radius * (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
        Bounds::around(self.start, reach).union(Bounds::around(self.end, reach))
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.start + self.end)
    }

    fn bounding_radius(&self) -> f64 {
        0.5 * (self.end - self.start).length() + self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius.min((self.end - self.start).length())
    }

    /// A chord of a circle, met with the slab between the caps.
    fn span(&self, line: &Line) -> Option<Span> {
        let ([o, d], [height, climb]) = self.across(line);
        let length = (self.end - self.start).length();
        let whole = |face| Span {
            enter: Crossing { t: f64::NEG_INFINITY, face },
            exit: Crossing { t: f64::INFINITY, face },
        };

        let dd = d.length_squared();
        let side = if dd == 0.0 {
            if o.length_squared() > self.radius * self.radius {
                return None;
            }
            whole(SIDE)
        } else {
            // |o × d| is the distance from the axis times |d|.
            let area = o.perp_dot(d);
            let half_chord_squared = self.radius * self.radius * dd - area * area;
            if half_chord_squared < 0.0 {
                return None;
            }
            let middle = -o.dot(d) / dd;
            let half = half_chord_squared.sqrt() / dd;
            let wall = |t| Crossing { t, face: SIDE };
            Span { enter: wall(middle - half), exit: wall(middle + half) }
        };

        let slab = if climb == 0.0 {
            if !(0.0..=length).contains(&height) {
                return None;
            }
            whole(SIDE)
        } else {
            let start = Crossing { t: -height / climb, face: START_CAP };
            let end = Crossing { t: (length - height) / climb, face: END_CAP };
            if climb > 0.0 {
                Span { enter: start, exit: end }
            } else {
                Span { enter: end, exit: start }
            }
        };
        side.meet(slab)
    }

    fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        let axis = self.axis();
        match face {
            START_CAP => -axis,
            END_CAP => axis,
            _ => (point - self.start)
                .reject_from_normalized(axis)
                .normalize_or(axis.any_orthonormal_vector()),
        }
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        let axis = self.axis();
        let radius = self.radius + delta;
        let length = (self.end - self.start).length() + 2.0 * delta;
        (radius > 0.0 && length > 0.0).then_some(Self {
            start: self.start - delta * axis,
            end: self.end + delta * axis,
            radius,
        })
    }

    /// start, radius | end − start, 0. The difference is taken in float64: two rounded points far from
    /// the world's origin would have lost the axis.
    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        words.push(word(self.start, self.radius));
        words.push(word(self.end - self.start, 0.0));
    }
}
