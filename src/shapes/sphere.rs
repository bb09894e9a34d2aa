//! The ball, by the distance of the line from its centre as an area over a length.

use super::{Crossing, Kind, Shape, Solid, Span, word};
use crate::fields::{Field, FieldKind};
use crate::math::Bounds;
use crate::ray::Line;
use glam::DVec3;

/// All points up to `radius` from `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its middle.
    pub center: DVec3,
    /// From 1e-9 to 1e9.
    pub radius: f64,
}

impl From<Sphere> for Shape {
    fn from(sphere: Sphere) -> Self {
        Self::Sphere(sphere)
    }
}

impl Solid for Sphere {
    const KIND: Kind = Kind {
        name: "sphere",
        tag: 0,
        fields: &[
            Field { name: "center", kind: FieldKind::Position, about: "The middle of the ball." },
            Field { name: "radius", kind: FieldKind::Length, about: "Its radius." },
        ],
        words: 1,
        from_row: |row| Shape::Sphere(Sphere { center: DVec3::from_slice(row), radius: row[3] }),
    };

    fn row(&self) -> Vec<f64> {
        let [x, y, z] = self.center.to_array();
        vec![x, y, z, self.radius]
    }

    fn bounds(&self) -> Bounds {
        Bounds::around(self.center, DVec3::splat(self.radius))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.radius
    }

    fn smallest_size(&self) -> f64 {
        self.radius
    }

    /// |f × d| is the line's distance from the centre times |d|: no b² − ac, which cancels far away.
    fn span(&self, line: &Line) -> Option<Span> {
        let d = line.direction;
        let to_center = self.center - line.origin;
        let dd = d.length_squared();
        let half_chord_squared =
            self.radius * self.radius * dd - to_center.cross(d).length_squared();
        if half_chord_squared < 0.0 {
            return None;
        }
        let middle = to_center.dot(d);
        let half = half_chord_squared.sqrt();
        let side = |t| Crossing { t, face: 0 };
        Some(Span { enter: side((middle - half) / dd), exit: side((middle + half) / dd) })
    }

    fn normal(&self, _face: u32, point: DVec3) -> DVec3 {
        (point - self.center).normalize_or(DVec3::Z)
    }

    fn grown(&self, delta: f64) -> Option<Self> {
        let radius = self.radius + delta;
        (radius > 0.0).then_some(Self { radius, ..*self })
    }

    /// centre, radius.
    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        words.push(word(self.center, self.radius));
    }
}
