//! Random geometries of one kind of primitive, for the built-in scenes.

use fastrand::Rng;
use glam::{DMat3, DQuat, DVec3};
use raytwin::fields::ShapeError;
use raytwin::geometry::{Geometry, Lines, Mesh};
use raytwin::shapes::{
    CappedSolid, Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Heightfield, Parts, Plane,
    PrimitiveKind, Shell, Sphere, Torus, Triangle,
};

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// Returns a vector whose coordinates are between -1 and 1.
pub(crate) fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| between(rng, -1.0, 1.0)))
}

fn rotation(rng: &mut Rng) -> DQuat {
    let [x, y, z] = vector(rng).to_array();
    DQuat::from_xyzw(x, y, z, between(rng, 0.2, 1.0)).normalize()
}

/// Returns a linear map that stretches, turns and shears.
pub(crate) fn stretch(rng: &mut Rng) -> DMat3 {
    let sizes = DVec3::new(0.6, 1.0, 1.7) * between(rng, 0.8, 1.2);
    let [before, after] = [rotation(rng), rotation(rng)].map(DMat3::from_quat);
    after * DMat3::from_diagonal(sizes) * before
}

/// Returns a point of the region that contains the shapes of the built-in scenes.
pub(super) fn somewhere(rng: &mut Rng) -> DVec3 {
    5.0 * vector(rng)
}

/// Makes a geometry about as large as 1. An instance's primitives are spheres.
pub(crate) fn geometry(kind: PrimitiveKind, rng: &mut Rng) -> Result<Geometry, ShapeError> {
    let center = somewhere(rng);
    let along = rotation(rng) * DVec3::new(0.0, 0.0, between(rng, 0.6, 1.2));
    let (start, end) = (center - along, center + along);
    let radius = between(rng, 0.3, 0.8);
    let cone = Cone { start, end, start_radius: radius, end_radius: 0.3 * radius };
    let open = Parts { side: true, start_cap: false, end_cap: rng.bool() };
    Ok(match kind {
        PrimitiveKind::Sphere | PrimitiveKind::Instance => Sphere { center, radius }.into(),
        PrimitiveKind::Cuboid => {
            let half_extents = DVec3::new(radius, 0.5, 0.7);
            Cuboid { center, half_extents, rotation: rotation(rng) }.into()
        }
        PrimitiveKind::Cylinder => Cylinder::solid(start, end, radius).into(),
        PrimitiveKind::Tube => Cylinder { start, end, radius, inner_radius: 0.6 * radius }.into(),
        PrimitiveKind::Capsule => Capsule { start, end, radius }.into(),
        PrimitiveKind::Cone => cone.into(),
        PrimitiveKind::Ellipsoid => {
            let radii = DVec3::new(radius, 0.5, 0.9);
            Ellipsoid { center, radii, rotation: rotation(rng) }.into()
        }
        PrimitiveKind::Torus => {
            Torus { center, axis: along, major_radius: 0.8, minor_radius: 0.4 * radius }.into()
        }
        PrimitiveKind::Plane => Plane::infinite(center - 8.0 * along, along).into(),
        PrimitiveKind::Sheet => {
            let bounded = Plane::bounded(center, rotation(rng), [radius, 1.0]);
            Plane { one_sided: rng.bool(), ..bounded }.into()
        }
        PrimitiveKind::Disc => {
            Disc { center, normal: along, radius: 1.0, inner_radius: 0.5 * radius }.into()
        }
        PrimitiveKind::Triangle => {
            Triangle { vertices: [0; 3].map(|_| center + vector(rng)) }.into()
        }
        PrimitiveKind::MeshTriangle => octahedron(center, radius + 0.3, rotation(rng))?.into(),
        PrimitiveKind::LineSegment => {
            Lines::new(vec![start, end, end + vector(rng)], vec![[0, 1], [1, 2]], 0.3 * radius)?
                .into()
        }
        PrimitiveKind::Heightfield => field(rng, center)?.into(),
        PrimitiveKind::ClosedHeightfield => field(rng, center)?.with_base(-0.5)?.into(),
        PrimitiveKind::CylinderShell => {
            let whole = CappedSolid::Cylinder(Cylinder::solid(start, end, radius));
            Shell { whole, parts: open }.into()
        }
        PrimitiveKind::ConeShell => Shell { whole: CappedSolid::Cone(cone), parts: open }.into(),
    })
}

/// Returns a closed mesh of eight triangles.
fn octahedron(center: DVec3, radius: f64, rotation: DQuat) -> Result<Mesh, ShapeError> {
    let corners = DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    let vertices = corners.map(|corner| center + radius * (rotation * corner)).collect();
    // The corners are +x, -x, +y, -y, +z, -z; a face has one of each axis, counter-clockwise from
    // outside.
    let face = |octant: u32| {
        let [x, y, z] = [octant & 1, octant >> 1 & 1, octant >> 2];
        let corners = [x, 2 + y, 4 + z];
        match (x + y + z) % 2 {
            0 => corners,
            _ => [corners[1], corners[0], corners[2]],
        }
    };
    Mesh::new(vertices, (0..8).map(face).collect())
}

/// Returns a field of seven by six cells.
fn field(rng: &mut Rng, center: DVec3) -> Result<Heightfield, ShapeError> {
    let heights = (0..56).map(|_| 0.6 * rng.f64()).collect();
    Heightfield::new(heights, 8, [0.3, 0.3], center, rotation(rng))
}
