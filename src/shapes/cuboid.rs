//! The oriented box (`cuboid`, because `box` is a keyword), by clipping the line at six half-spaces.

use super::{ClosedForm, Kind, Shape, Tag, word};
use crate::crossings::{Crossing, Crossings, Span, Zones};
use crate::fields::{Field, FieldKind, NO_TURN};
use crate::math::Bounds;
use crate::ray::Line;
use glam::{DMat3, DQuat, DVec3};

/// A box of any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Its middle.
    pub center: DVec3,
    /// Half its edges along its own axes, each from 1e-9 to 1e9.
    pub half_extents: DVec3,
    /// Turns its own axes into the world's. Of nearly unit length, being rounded to float32; its
    /// users normalise it in float64.
    pub rotation: DQuat,
}

impl Cuboid {
    pub(super) const KIND: Kind = Kind {
        name: "box",
        fields: &[
            Field::new("center", FieldKind::Position, "The middle of the box."),
            Field::new(
                "half_extents",
                FieldKind::Extents,
                "Half of its edges, along its own axes.",
            ),
            Field::new(
                "rotation_xyzw",
                FieldKind::Rotation,
                "Turns its own axes into the world's.",
            )
            .or(&NO_TURN),
        ],
        is_solid: true,
        words: 3,
        allowance: 1.0,
        from_row: |row| {
            Shape::Cuboid(Cuboid {
                center: DVec3::from_slice(row),
                half_extents: DVec3::from_slice(&row[3..]),
                rotation: DQuat::from_slice(&row[6..]),
            })
        },
    };

    /// The box's own axes in world space, as columns.
    fn world_from_box(&self) -> DMat3 {
        DMat3::from_quat(self.rotation.normalize())
    }

    /// Cyrus and Beck's clipping: each face bounds the half-space `outward · p <= half`.
    fn span(&self, line: &Line) -> Option<Span> {
        let axes = self.world_from_box();
        let from_center = line.origin - self.center;
        let mut span = Span::whole(0);
        for face in 0..6 {
            let axis = face as usize / 2;
            let outward = if face % 2 == 0 { -axes.col(axis) } else { axes.col(axis) };
            let behind = self.half_extents[axis] - from_center.dot(outward);
            let speed = line.direction.dot(outward);
            if speed == 0.0 {
                // Along the face: all of the line is on one side, and the face itself is inside.
                if behind < 0.0 {
                    return None;
                }
            } else {
                let t = behind / speed;
                if speed < 0.0 && t > span.enter.t {
                    span.enter = Crossing { t, face };
                } else if speed > 0.0 && t < span.exit.t {
                    span.exit = Crossing { t, face };
                }
            }
        }
        (span.enter.t <= span.exit.t).then_some(span)
    }

    /// The box with every face moved outwards.
    fn grown(&self, delta: f64) -> Option<Self> {
        let half_extents = self.half_extents + delta;
        (half_extents.min_element() > 0.0).then_some(Self { half_extents, ..*self })
    }
}

impl ClosedForm for Cuboid {
    fn kind(&self) -> &'static Kind {
        &Self::KIND
    }

    fn tag(&self) -> Tag {
        Tag::Cuboid
    }

    fn row(&self) -> Vec<f64> {
        let mut row = self.center.to_array().to_vec();
        row.extend(self.half_extents.to_array());
        row.extend(self.rotation.to_array());
        row
    }

    fn bounds(&self) -> Option<Bounds> {
        let axes = self.world_from_box();
        let half = axes.x_axis.abs() * self.half_extents.x
            + axes.y_axis.abs() * self.half_extents.y
            + axes.z_axis.abs() * self.half_extents.z;
        Some(Bounds::around(self.center, half))
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn bounding_radius(&self) -> f64 {
        self.half_extents.length()
    }

    fn smallest_size(&self) -> f64 {
        self.half_extents.min_element()
    }

    fn crossings(&self, line: &Line) -> Crossings {
        self.span(line).into()
    }

    fn normal(&self, face: u32, _point: DVec3) -> DVec3 {
        let axis = self.world_from_box().col(face as usize / 2);
        if face.is_multiple_of(2) { -axis } else { axis }
    }

    fn zones(&self, line: &Line, delta: f64) -> Zones {
        let moved = |delta| Some(self.grown(delta)?.crossings(line));
        Zones::of_solid([delta, -delta].map(moved))
    }

    /// centre, half x | own x axis in the world, half y | own y axis, half z. The third axis is their
    /// cross product.
    fn pack(&self, words: &mut Vec<[f32; 4]>) {
        let axes = self.world_from_box();
        words.push(word(self.center, self.half_extents.x));
        words.push(word(axes.x_axis, self.half_extents.y));
        words.push(word(axes.y_axis, self.half_extents.z));
    }
}
