//! Random geometries of every form.

use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::{
    CappedSolid, Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Geometry, Heightfield, Lines,
    Mesh, Parts, Plane, Shape, Shell, Sphere, Torus, Triangle,
};

/// The kind of a geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Sphere,
    Cuboid,
    Cylinder,
    Tube,
    Capsule,
    Cone,
    Ellipsoid,
    Torus,
    Plane,
    Disc,
    Triangle,
    Mesh,
    Heightfield,
    Lines,
    /// A plane that is bounded or one-sided.
    Sheet,
    ClosedHeightfield,
    CylinderShell,
    ConeShell,
}

/// The most common forms in scenes.
pub const FIRST: [Form; 3] = [Form::Sphere, Form::Cuboid, Form::Cylinder];

/// A direction that is uniform on the sphere.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        if (1e-3..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

/// A direction that is uniform on the sphere, or one that differs from a world axis by rounding; both are common in
/// files.
fn axis(rng: &mut Rng) -> DVec3 {
    if rng.usize(..4) > 0 {
        return direction(rng);
    }
    let tilt = 10.0_f64.powf(between(rng, -12.0, -5.0));
    (DVec3::AXES[rng.usize(..3)] + tilt * direction(rng)).normalize()
}

pub fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

fn turn(rng: &mut Rng) -> DQuat {
    DQuat::from_axis_angle(axis(rng), between(rng, 0.0, 6.0))
}

impl Form {
    pub const ALL: [Self; 18] = [
        Self::Sphere,
        Self::Cuboid,
        Self::Cylinder,
        Self::Tube,
        Self::Capsule,
        Self::Cone,
        Self::Ellipsoid,
        Self::Torus,
        Self::Plane,
        Self::Disc,
        Self::Triangle,
        Self::Mesh,
        Self::Heightfield,
        Self::Lines,
        Self::Sheet,
        Self::ClosedHeightfield,
        Self::CylinderShell,
        Self::ConeShell,
    ];

    /// The closed forms, each of which is its geometry's only primitive.
    pub fn closed() -> &'static [Self] {
        &Self::ALL[..11]
    }

    /// Makes a geometry about as large as `size`, up to six sizes from `middle`.
    pub fn random(self, rng: &mut Rng, size: f64, middle: DVec3) -> Geometry {
        let center =
            middle + 6.0 * size * (DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0);
        let sized = |rng: &mut Rng, low: f64, high: f64| size * between(rng, low, high);
        let half = 0.5 * sized(rng, 0.5, 2.0) * axis(rng);
        let (start, end) = (center - half, center + half);
        let radius = sized(rng, 0.2, 0.8);
        match self {
            Self::Sphere => Sphere { center, radius: sized(rng, 0.3, 1.0) }.into(),
            Self::Cuboid => Cuboid {
                center,
                half_extents: DVec3::from([0; 3].map(|_| sized(rng, 0.2, 0.8))),
                rotation: turn(rng),
            }
            .into(),
            Self::Cylinder => Cylinder::solid(start, end, radius).into(),
            Self::Tube => {
                let inner_radius = radius * between(rng, 0.1, 0.98);
                Cylinder { start, end, radius, inner_radius }.into()
            }
            Self::Capsule => Capsule { start, end, radius }.into(),
            Self::Cone => {
                let other = sized(rng, 0.05, 0.8);
                let [start_radius, end_radius] = match rng.usize(..5) {
                    0 => [radius, 0.0],
                    1 => [0.0, radius],
                    2 => [radius, radius * (1.0 + 1e-6)],
                    3 => [0.01 * radius, 0.002 * radius],
                    _ => [radius, other],
                };
                Cone { start, end, start_radius, end_radius }.into()
            }
            Self::Ellipsoid => {
                // Some are as flat or as thin as the contract allows.
                let least: f64 = if rng.usize(..4) == 0 { 1e-3 } else { 0.2 };
                Ellipsoid {
                    center,
                    radii: DVec3::from([0; 3].map(|_| size * least.powf(rng.f64()))),
                    rotation: turn(rng),
                }
                .into()
            }
            Self::Torus => {
                let major_radius = sized(rng, 0.4, 1.0);
                let minor_radius = major_radius * between(rng, 0.03, 0.97);
                Torus { center, axis: axis(rng), major_radius, minor_radius }.into()
            }
            Self::Plane => {
                // Crossings with a plane are everywhere, so it lies far below the targets of rays.
                let normal = direction(rng);
                Plane::infinite(center - 14.0 * size * normal, normal).into()
            }
            Self::Disc => {
                let inner_radius = if rng.bool() { 0.0 } else { radius * between(rng, 0.1, 0.9) };
                Disc { center, normal: axis(rng), radius, inner_radius }.into()
            }
            Self::Triangle => {
                let corner = |rng: &mut Rng| center + sized(rng, 0.2, 1.0) * direction(rng);
                Triangle { vertices: [corner(rng), corner(rng), corner(rng)] }.into()
            }
            Self::Mesh => ball_mesh(center, sized(rng, 0.5, 1.0), 8, turn(rng)).into(),
            Self::CylinderShell => {
                let cylinder = Cylinder::solid(start, end, radius);
                Shell { whole: CappedSolid::Cylinder(cylinder), parts: some_parts(rng) }.into()
            }
            Self::ConeShell => {
                let Geometry::Shape(Shape::Cone(cone)) = Self::Cone.random(rng, size, middle)
                else {
                    panic!()
                };
                Shell { whole: CappedSolid::Cone(cone), parts: some_parts(rng) }.into()
            }
            Self::Sheet => {
                let rotation = turn(rng);
                let half_extents = [sized(rng, 0.2, 0.8), sized(rng, 0.2, 0.8)];
                let normal = rotation * DVec3::Z;
                match rng.usize(..6) {
                    0 => Plane::bounded(center, rotation, [half_extents[0], 0.0]),
                    1 => Plane {
                        one_sided: true,
                        ..Plane::infinite(center - 14.0 * size * normal, normal)
                    },
                    2 => Plane {
                        one_sided: true,
                        ..Plane::bounded(center, rotation, [0.0, half_extents[1]])
                    },
                    3 => {
                        Plane { one_sided: true, ..Plane::bounded(center, rotation, half_extents) }
                    }
                    _ => Plane::bounded(center, rotation, half_extents),
                }
                .into()
            }
            Self::Heightfield | Self::ClosedHeightfield => {
                let columns = rng.usize(2..9);
                let rows = rng.usize(2..9);
                // Some fields are nearly flat.
                let relief =
                    if rng.bool() { 1.0 } else { 10.0_f64.powf(between(rng, -10.0, -3.0)) };
                let heights = (0..rows * columns).map(|_| relief * sized(rng, -0.4, 0.4)).collect();
                let spacing = [sized(rng, 0.1, 0.3), sized(rng, 0.1, 0.3)];
                let field = Heightfield::new(heights, columns, spacing, center, turn(rng)).unwrap();
                match self {
                    Self::Heightfield => field.into(),
                    _ => {
                        // A thinner solid would be all doubt.
                        let depth = sized(rng, 0.41, 0.8);
                        field.with_base(-depth).unwrap().into()
                    }
                }
            }
            Self::Lines => {
                let points: Vec<DVec3> =
                    (0..5).map(|_| center + sized(rng, 0.3, 1.0) * direction(rng)).collect();
                let indices = vec![[0, 1], [1, 2], [2, 3], [4, 0]];
                Lines::new(points, indices, 0.2 * radius).unwrap().into()
            }
        }
    }
}

/// Some parts of a capped solid, but not all.
fn some_parts(rng: &mut Rng) -> Parts {
    let bits = rng.u8(1..7);
    let [side, start_cap, end_cap] = [1, 2, 4].map(|bit| bits & bit != 0);
    Parts { side, start_cap, end_cap }
}

/// The cube from -1 to 1 as a mesh.
pub fn cube_mesh() -> Mesh {
    let corner = |bits: u8| {
        let side = |bit: u8| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
        DVec3::new(side(0), side(1), side(2))
    };
    // Each face has four corners, counter-clockwise as seen from outside.
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Mesh::new((0..8).map(corner).collect(), halves.collect()).unwrap()
}

/// Makes a closed mesh of `sides` rows of `2 * sides` vertices on a sphere.
pub fn ball_mesh(center: DVec3, radius: f64, sides: u32, rotation: DQuat) -> Mesh {
    let (rows, around) = (sides, 2 * sides);
    let mut vertices = vec![center + rotation * (radius * DVec3::Z)];
    for row in 1..rows {
        let polar = std::f64::consts::PI * f64::from(row) / f64::from(rows);
        for step in 0..around {
            let turn = std::f64::consts::TAU * f64::from(step) / f64::from(around);
            let (sine, cosine) = polar.sin_cos();
            let way = DVec3::new(sine * turn.cos(), sine * turn.sin(), cosine);
            vertices.push(center + rotation * (radius * way));
        }
    }
    vertices.push(center - rotation * (radius * DVec3::Z));
    let last = vertices.len() as u32 - 1;
    let at = |row: u32, step: u32| 1 + (row - 1) * around + step % around;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, at(1, step), at(1, step + 1)]);
        for row in 1..rows - 1 {
            let [a, b] = [at(row, step), at(row, step + 1)];
            let [c, d] = [at(row + 1, step), at(row + 1, step + 1)];
            triangles.extend([[a, c, d], [a, d, b]]);
        }
        triangles.push([at(rows - 1, step), last, at(rows - 1, step + 1)]);
    }
    Mesh::new(vertices, triangles).unwrap()
}
