//! The solid cylinder with flat caps, as a chord of a circle between two planes.

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
    /// From start to end, not normalised: of numbers that float64 holds exactly, its products are exact.
    fn along(&self) -> DVec3 {
        self.end - self.start
    }

    /// A chord of a circle, in the plane across the axis; all of the line where it runs along inside,
    /// `None` where it passes by.
    fn side(&self, line: &Line) -> Option<Span> {
        let along = self.along();
        // Divided, not multiplied by a reciprocal: a world axis comes out exactly.
        let (e, f) = (along / along.length()).any_orthonormal_pair();
        let flat = |v: DVec3| DVec2::new(v.dot(e), v.dot(f));
        let from_axis = flat(line.origin - self.start);
        let speed = flat(line.direction);
        let speed_squared = speed.length_squared();
        let radius_squared = self.radius * self.radius;
        if speed_squared == 0.0 {
            let is_inside = from_axis.length_squared() <= radius_squared;
            return is_inside.then_some(Span::whole(SIDE));
        }
        // The distance from the axis times |speed|.
        let area = from_axis.perp_dot(speed);
        let half_chord_squared = radius_squared * speed_squared - area * area;
        if half_chord_squared < 0.0 {
            return None;
        }
        let middle = -from_axis.dot(speed);
        let half = half_chord_squared.sqrt();
        let wall = |t| Crossing { t, face: SIDE };
        Some(Span {
            enter: wall((middle - half) / speed_squared),
            exit: wall((middle + half) / speed_squared),
        })
    }

    /// Between the planes of the caps.
    fn slab(&self, line: &Line) -> Option<Span> {
        let along = self.along();
        // Times the length, as is the cylinder's own height.
        let height = (line.origin - self.start).dot(along);
        let climb = line.direction.dot(along);
        let top = along.length_squared();
        if climb == 0.0 {
            return (0.0..=top).contains(&height).then_some(Span::whole(SIDE));
        }
        let start = Crossing { t: -height / climb, face: START_CAP };
        let end = Crossing { t: (top - height) / climb, face: END_CAP };
        let (enter, exit) = if climb > 0.0 { (start, end) } else { (end, start) };
        Some(Span { enter, exit })
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
        // As float32, which 1e-9 is a hair below.
        let shortest = f64::from(crate::fields::MIN_SIZE as f32);
        let length = self.along().length();
        if length < shortest {
            return Err(Refusal {
                field: "end".to_owned(),
                reason: format!(
                    "is {length:?} from start, in float32: the axis needs a length of at least 1e-9"
                ),
            });
        }
        Ok(())
    }

    /// Each cap is a disc, whose reach along a world axis is `radius * sin(angle to it)`.
    fn bounds(&self) -> Bounds {
        let axis = self.along().normalize();
        let reach = self.radius * (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
        Bounds::around(self.start, reach).union(Bounds::around(self.end, reach))
    }

    fn center(&self) -> DVec3 {
        0.5 * (self.start + self.end)
    }

    fn bounding_radius(&self) -> f64 {
        0.5 * self.along().length() + self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius.min(self.along().length())
    }

    fn span(&self, line: &Line) -> Option<Span> {
        self.side(line)?.meet(self.slab(line)?)
    }

    fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        let axis = self.along().normalize();
        match face {
            START_CAP => -axis,
            END_CAP => axis,
            _ => (point - self.start)
                .reject_from_normalized(axis)
                .normalize_or(axis.any_orthonormal_vector()),
        }
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        let along = self.along();
        let stretch = delta / along.length();
        let radius = self.radius + delta;
        (radius > 0.0 && stretch > -0.5).then_some(Self {
            start: self.start - stretch * along,
            end: self.end + stretch * along,
            radius,
        })
    }

    /// start, radius | end − start, 0. The difference is taken in float64: two rounded points far from
    /// the world's origin would have lost the axis.
    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        words.push(word(self.start, self.radius));
        words.push(word(self.along(), 0.0));
    }
}
