//! The shapes, and the one switch over them.
//!
//! A shape answers one question: *where does this line cross you?* Everything else (closest hit,
//! intervals, ties, the judging of a GPU's answer) is written once, on top. To add a shape: a file
//! here and its namesake in `shaders/shapes/`, a line in `each_shape!` and one in [`KINDS`], a line
//! in the switch of `shaders/shapes.wgsl`.

mod cuboid;
mod cylinder;
mod sphere;

pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use sphere::Sphere;

use crate::fields::{Field, Refusal};
use crate::math::{Bounds, U};
use crate::ray::Line;
use glam::DVec3;

/// Of the bound on surfaces, δ = `DELTA` u max(D, R).
pub const DELTA: f64 = 16.0;

/// A shape in world space.
///
/// Once in a [`Scene`](crate::Scene) its numbers are float32 numbers, held in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// An oriented box.
    Cuboid(Cuboid),
    /// A solid cylinder with flat caps.
    Cylinder(Cylinder),
}

/// What the program knows of a type of shape, for files and for the GPU.
#[derive(Debug)]
pub struct Kind {
    /// Its `type` in scene files, and its array's name in bulk files.
    pub name: &'static str,
    /// Its place in [`KINDS`], by which the GPU knows it.
    pub tag: u32,
    /// Its fields, in the order of a bulk array's columns.
    pub fields: &'static [Field],
    /// How many `vec4<f32>` the GPU reads of it.
    pub words: usize,
    /// The shape that a row of numbers describes.
    pub(crate) from_row: fn(&[f64]) -> Shape,
}

impl Kind {
    /// How many columns a bulk array of it has.
    pub fn columns(&self) -> usize {
        self.fields.iter().map(|field| field.kind.columns()).sum()
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}

/// Every kind, in the order in which bulk files number them.
pub const KINDS: &[Kind] = &[Sphere::KIND, Cuboid::KIND, Cylinder::KIND];

/// One place where a line passes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Where along the line.
    pub t: f64,
    /// Which face: 0 side, 1 start cap, 2 end cap; of a box 0..5 = −x +x −y +y −z +z.
    pub face: u32,
}

/// Where a line runs inside a convex solid, boundary included: `enter.t <= exit.t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Where the line comes in.
    pub enter: Crossing,
    /// Where it leaves.
    pub exit: Crossing,
}

impl Span {
    /// All of a line.
    pub(crate) fn whole(face: u32) -> Self {
        Self {
            enter: Crossing { t: f64::NEG_INFINITY, face },
            exit: Crossing { t: f64::INFINITY, face },
        }
    }

    /// The part that two spans share; each bound keeps the face that it came from.
    pub(crate) fn meet(self, other: Self) -> Option<Self> {
        let enter = if other.enter.t > self.enter.t { other.enter } else { self.enter };
        let exit = if other.exit.t < self.exit.t { other.exit } else { self.exit };
        (enter.t <= exit.t).then_some(Self { enter, exit })
    }

    /// The first crossing at `t_min` or after it.
    pub fn first_from(&self, t_min: f64) -> Option<Crossing> {
        [self.enter, self.exit].into_iter().find(|c| c.t >= t_min)
    }

    /// The crossing nearest to `t`.
    pub fn nearest_to(&self, t: f64) -> Crossing {
        if (self.exit.t - t).abs() < (self.enter.t - t).abs() { self.exit } else { self.enter }
    }
}

/// What every convex solid can say of itself, in float64 and by formulas of its own: none is the
/// shader's.
pub(crate) trait Solid: Sized + Into<Shape> {
    /// What files and the GPU need to know.
    const KIND: Kind;
    /// Its numbers, in the order of [`Kind::fields`].
    fn row(&self) -> Vec<f64>;
    /// What no single field can say, checked on the rounded numbers.
    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
    /// The smallest box that holds it, up to float64 rounding.
    fn bounds(&self) -> Bounds;
    /// The centre from which the precision promise measures the distance D.
    fn center(&self) -> DVec3;
    /// The radius R about that centre.
    fn bounding_radius(&self) -> f64;
    /// The smallest of its radii, half extents and lengths.
    fn smallest_size(&self) -> f64;
    /// Where the line runs inside it.
    fn span(&self, line: &Line) -> Option<Span>;
    /// The outward unit normal of a face at a point on (or near) it.
    fn normal(&self, face: u32, point: DVec3) -> DVec3;
    /// The same shape with every surface moved outwards by `delta`, inwards where negative; `None` where
    /// nothing is left of it.
    fn grown(&self, delta: f64) -> Option<Self>;
    /// Appends the words that the GPU reads, [`Kind::words`] of them.
    fn pack(&self, words: &mut Vec<[f32; 4]>);
}

/// The switch: one arm for each kind.
macro_rules! each_shape {
    ($shape:expr, $solid:ident => $body:expr) => {
        match $shape {
            Shape::Sphere($solid) => $body,
            Shape::Cuboid($solid) => $body,
            Shape::Cylinder($solid) => $body,
        }
    };
}

/// The kind of a shape whose type is only known to the compiler.
const fn kind_of<S: Solid>(_: &S) -> &'static Kind {
    &S::KIND
}

impl Shape {
    /// What kind of shape it is.
    pub fn kind(&self) -> &'static Kind {
        each_shape!(self, solid => kind_of(solid))
    }

    /// Its numbers, in the order of its kind's fields.
    pub fn row(&self) -> Vec<f64> {
        each_shape!(self, solid => solid.row())
    }

    /// The smallest box that holds it, up to float64 rounding.
    pub fn bounds(&self) -> Bounds {
        each_shape!(self, solid => solid.bounds())
    }

    /// The centre from which the precision promise measures the distance D.
    pub fn center(&self) -> DVec3 {
        each_shape!(self, solid => solid.center())
    }

    /// The radius R about [`Self::center`].
    pub fn bounding_radius(&self) -> f64 {
        each_shape!(self, solid => solid.bounding_radius())
    }

    /// Where the line runs inside the solid; `None` where it passes by.
    pub fn span(&self, line: &Line) -> Option<Span> {
        each_shape!(self, solid => solid.span(line))
    }

    /// The outward unit normal of a face at a point on (or near) it.
    pub fn normal(&self, face: u32, point: DVec3) -> DVec3 {
        each_shape!(self, solid => solid.normal(face, point))
    }

    /// The same shape with every surface moved outwards by `delta`, inwards where negative; `None` where
    /// nothing is left of it.
    pub fn grown(&self, delta: f64) -> Option<Self> {
        each_shape!(self, solid => solid.grown(delta).map(Into::into))
    }

    /// δ = [`DELTA`] u max(D, R): what float32 may have moved the surface by, for rays from `origin`.
    pub fn delta(&self, origin: DVec3) -> f64 {
        DELTA * U * (origin - self.center()).length().max(self.bounding_radius())
    }

    pub(crate) fn smallest_size(&self) -> f64 {
        each_shape!(self, solid => solid.smallest_size())
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        each_shape!(self, solid => solid.check())
    }

    pub(crate) fn pack(&self, words: &mut Vec<[f32; 4]>) {
        each_shape!(self, solid => solid.pack(words));
    }
}

/// A word as the GPU reads it, from float64 numbers that are float32 numbers.
pub(crate) fn word(xyz: DVec3, w: f64) -> [f32; 4] {
    let [x, y, z] = xyz.as_vec3().to_array();
    [x, y, z, w as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kinds_tag_is_its_place_in_the_list() {
        for (place, kind) in KINDS.iter().enumerate() {
            assert_eq!(kind.tag as usize, place, "{}", kind.name);
        }
    }

    #[test]
    fn a_row_becomes_the_shape_that_gives_the_row_back() {
        for kind in KINDS {
            let row: Vec<f64> = (1..=kind.columns()).map(|c| c as f64).collect();
            let shape = (kind.from_row)(&row);
            assert_eq!(shape.row(), row, "{}", kind.name);
            assert_eq!(shape.kind().name, kind.name);
            let mut words = Vec::new();
            shape.pack(&mut words);
            assert_eq!(words.len(), kind.words, "{}", kind.name);
        }
    }
}
