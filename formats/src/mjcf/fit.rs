//! Fits primitives to a mesh, as MuJoCo does: to the box of uniform density that has the mesh's
//! inertia, or to the box around the mesh in its inertia frame.

use crate::mesh::VerticesAndTriangles;
use glam::{DMat3, DVec3};
use raytwin::math::{Bounds, Similarity, principal_axes};

/// The way in which a mesh's inertia is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Inertia {
    /// All pyramids under the triangles count as positive.
    Legacy,
    /// The mesh is closed, so pyramids cancel out.
    Exact,
    /// The inertia of the triangles themselves.
    Shell,
    /// The inertia of the convex hull.
    Convex,
}

/// The least volume or area of a mesh, as in MuJoCo.
const MIN_VOLUME: f64 = 1e-15;

/// The inertia frame of a mesh, and the boxes in it.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    mesh_from_inertia: Similarity,
    half_extents: DVec3,
    around: Bounds,
}

impl Fit {
    /// Returns the fit of a mesh, or the reason why there is none.
    pub fn new(
        (vertices, triangles): &VerticesAndTriangles,
        inertia: Inertia,
    ) -> Result<Self, String> {
        if inertia == Inertia::Convex {
            return Err("a primitive fitted to the inertia of a convex hull".to_owned());
        }
        let corners = || triangles.iter().map(|t| t.map(|index| vertices[index as usize]));
        let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
        let whole: f64 = corners().map(area).sum();
        let middle = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
        let centroid = corners().map(|t| area(t) * middle(t)).sum::<DVec3>() / whole;
        // The weight of a triangle: its area, or the volume of the pyramid from a point to it.
        let weight = |[a, b, c]: [DVec3; 3], apex: DVec3| {
            let volume = (a - apex).dot((b - apex).cross(c - apex)) / 6.0;
            match inertia {
                Inertia::Legacy => volume.abs(),
                Inertia::Shell => area([a, b, c]),
                Inertia::Exact | Inertia::Convex => volume,
            }
        };
        let volume: f64 = corners().map(|t| weight(t, centroid)).sum();
        let middle = |t| weight(t, centroid) * (0.75 * middle(t) + 0.25 * centroid);
        let center = corners().map(middle).sum::<DVec3>() / volume;
        if !(volume >= MIN_VOLUME && center.is_finite()) {
            return Err("a primitive fitted to a mesh without a volume".to_owned());
        }
        let mut products = DMat3::ZERO;
        let mut volume = 0.0;
        for triangle in corners() {
            let corners = triangle.map(|corner| corner - center);
            let share = weight(corners, DVec3::ZERO);
            volume += share;
            let sum: DVec3 = corners.iter().sum();
            let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
            let squares = corners.iter().fold(DMat3::ZERO, |all, c| all + outer(*c, *c));
            let divisor = if inertia == Inertia::Shell { 12.0 } else { 20.0 };
            products += (squares + outer(sum, sum)) * (share / divisor);
        }
        let trace = products.x_axis.x + products.y_axis.y + products.z_axis.z;
        let (values, rotation) =
            principal_axes(DMat3::from_diagonal(DVec3::splat(trace)) - products);
        let half = |axis: usize| {
            let others = values.element_sum() - 2.0 * values[axis];
            0.5 * (6.0 * others / volume).max(0.0).sqrt()
        };
        let back = rotation.conjugate();
        let around = vertices.iter().fold(Bounds::EMPTY, |all, vertex| {
            let point = back * (*vertex - center);
            all.union(Bounds { min: point, max: point })
        });
        Ok(Self {
            mesh_from_inertia: Similarity { translation: center, rotation, scale: 1.0 },
            half_extents: DVec3::new(half(0), half(1), half(2)),
            // MuJoCo's box also contains the middle of the frame.
            around: around.union(Bounds { min: DVec3::ZERO, max: DVec3::ZERO }),
        })
    }

    /// Returns the frame of a fitted primitive in the mesh's, and its sizes.
    pub fn primitive(&self, kind: &str, fits_box: bool) -> (Similarity, [f64; 3]) {
        let DVec3 { x, y, z } = self.half_extents;
        if !fits_box {
            let sizes = match kind {
                "sphere" => [(x + y + z) / 3.0, 0.0, 0.0],
                "capsule" => [0.5 * (x + y), (z - 0.25 * (x + y)).max(0.0), 0.0],
                "cylinder" => [0.5 * (x + y), z, 0.0],
                _ => [x, y, z],
            };
            return (self.mesh_from_inertia, sizes);
        }
        let DVec3 { x, y, z } = 0.5 * (self.around.max - self.around.min);
        let sizes = match kind {
            "sphere" => [x.max(y).max(z), 0.0, 0.0],
            "capsule" => [x.max(y), z - x.max(y), 0.0],
            "cylinder" => [x.max(y), z, 0.0],
            _ => [x, y, z],
        };
        let middle = Similarity { translation: self.around.center(), ..Similarity::IDENTITY };
        (self.mesh_from_inertia.then_inner(&middle), sizes)
    }
}
