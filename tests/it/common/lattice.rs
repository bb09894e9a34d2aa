//! Scenes and rays of small integers and powers of two, for which every step of a float32 computation is exact.

use super::{arithmetic, gpu, verdicts};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, CappedSolid, Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Geometry, Heightfield,
    Hit, Mesh, PackedScene, Parts, Plane, Ray, Scene, Shell, Sphere, Tracer, Triangle,
};
use raytwin_verify::Class;

/// Makes shapes of small integers and powers of two that touch, that coincide, and that stand alone.
pub fn lattice_scene() -> Scene {
    let mut scene = Scene::new();
    let cuboid = |center: [f64; 3], half: [f64; 3]| {
        Geometry::from(Cuboid {
            center: center.into(),
            half_extents: half.into(),
            rotation: DQuat::IDENTITY,
        })
    };
    let cylinder = |start: [f64; 3], end: [f64; 3], radius| {
        Geometry::from(Cylinder::solid(start.into(), end.into(), radius))
    };
    let sphere =
        |center: [f64; 3], radius| Geometry::from(Sphere { center: center.into(), radius });
    for shape in [
        cuboid([8.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
        cuboid([10.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
        sphere([0.0, 16.0, 0.0], 4.0),
        cylinder([-12.0, 0.0, -4.0], [-12.0, 0.0, 4.0], 4.0),
        cylinder([0.0, -20.0, 0.0], [0.0, -12.0, 0.0], 2.0),
        cylinder([16.0, 16.0, 0.0], [24.0, 16.0, 0.0], 4.0),
        // The reciprocal of this length rounds.
        cylinder([0.0, -31.0, 16.0], [0.0, 18.0, 16.0], 5.0),
        // Two equal spheres and a box around a cylinder make ties.
        sphere([0.0, 16.0, 0.0], 4.0),
        cuboid([-12.0, 0.0, 0.0], [4.0, 4.0, 4.0]),
        cuboid([8.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
    ] {
        scene.add(shape).unwrap();
    }
    scene
}

/// Makes rays along the axes through a lattice of integers, from outside, inside and on surfaces, of three lengths and
/// with zeros of both signs. Others run diagonally at the boxes, or are cut exactly at crossings.
pub fn lattice_rays() -> Vec<Ray> {
    let coordinates =
        [-20, -16, -14, -12, -10, -8, -4, -2, -1, 0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 16, 18, 20];
    let mut rays = Vec::new();
    for axis in 0..3 {
        for (u, v) in coordinates.iter().flat_map(|&u| coordinates.map(|v| (u, v))) {
            for (start, speed) in [(-32, 1.0), (32, -2.0), (0, 0.5), (-4, -1.0), (16, 1.0)] {
                let zero = if (u + v) % 2 == 0 { 0.0 } else { -0.0 };
                let mut origin = [0.0; 3];
                let mut way = [zero; 3];
                origin[axis] = start as f32;
                origin[(axis + 1) % 3] = u as f32;
                origin[(axis + 2) % 3] = v as f32;
                way[axis] = speed;
                let ray = Ray::new(origin, way);
                rays.push(ray);
                // The interval is closed at both ends.
                rays.push(ray.within(f32::NEG_INFINITY, 0.0));
                rays.push(ray.within(28.0, 28.0));
                rays.push(ray.within(14.0, 40.0));
            }
        }
    }
    // Diagonals cross boxes at integer t: each component is 1, 2 or 4, so no division rounds.
    for (x, y, z) in [(1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1), (1, 2, 4), (2, -1, 1), (-4, 1, 2)]
    {
        let way = [x as f32, y as f32, z as f32];
        for target in [[9, 2, 4], [7, 0, 0], [8, -2, 1], [-8, 4, 4], [-16, 4, -4], [9, 1, 3]] {
            for steps in [4, 8] {
                let origin = [0, 1, 2].map(|i| target[i] as f32 - (steps as f32) * way[i]);
                rays.push(Ray::new(origin, way));
            }
        }
    }
    // Diagonals whose squared length is no power of two are aimed at integer points in and on the round shapes.
    for (x, y, z) in [(1, 1, 1), (1, 2, 2), (2, 3, 6), (3, 4, 0), (1, 1, 0), (-1, 2, 0), (4, -3, 1)]
    {
        let way = [x as f32, y as f32, z as f32];
        for target in [
            [4, 16, 0],
            [0, 12, 0],
            [0, 16, -4],
            [-8, 0, 2],
            [-16, 0, 0],
            [3, 0, 20],
            [-4, 10, 13],
            [0, -20, 2],
            [20, 16, 4],
        ] {
            for steps in [0, 1, 4] {
                let origin = [0, 1, 2].map(|i| target[i] as f32 - (steps as f32) * way[i]);
                rays.push(Ray::new(origin, way));
            }
        }
    }
    // These rays pass the rims of a hole on the way in and out, and run along lines of a cone's side.
    for (target, way) in [
        ([-14, 0, -4], [1, 0, 1]),
        ([-10, 0, 4], [1, 0, 1]),
        ([-10, 0, 4], [-1, 0, -1]),
        ([18, 16, 0], [2, -1, 0]),
        ([20, 17, 0], [-2, 1, 0]),
        ([18, 16, 1], [2, 0, -1]),
        ([20, 16, 1], [-2, 0, -1]),
    ] {
        for steps in [1, 2, 4, 8] {
            let origin = [0, 1, 2].map(|i| (target[i] - steps * way[i]) as f32);
            rays.push(Ray::new(origin, way.map(|component| component as f32)));
        }
    }
    rays
}

/// Makes the other shapes that float32 solves exactly on integers. They touch, coincide and stand alone at the same
/// positions as those of [`lattice_scene`], so that the same rays test them.
pub fn other_lattice_scene() -> Scene {
    let mut scene = Scene::new();
    let point = |p: [f64; 3]| DVec3::from(p);
    let tube = Cylinder {
        start: point([-12.0, 0.0, -4.0]),
        end: point([-12.0, 0.0, 4.0]),
        radius: 4.0,
        inner_radius: 2.0,
    };
    let corner = |x, y, z| DVec3::new(x, y, z);
    // This is a box of twelve triangles.
    let vertices: Vec<DVec3> = (0..8)
        .map(|n| corner([7.0, 9.0][n & 1], [-2.0, 2.0][n >> 1 & 1], [-4.0, 4.0][n >> 2]))
        .collect();
    let sides: [[u32; 4]; 6] =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let field = Heightfield::new(
        vec![0.0, 1.0, 0.0, 2.0, 4.0, 1.0, 0.0, 1.0, 0.0],
        3,
        [4.0, 4.0],
        point([20.0, -16.0, 0.0]),
        DQuat::IDENTITY,
    );
    let mut with_base = field.clone().unwrap().with_base(-2.0).unwrap();
    with_base.center = point([-20.0, 0.0, 12.0]);
    for geometry in [
        tube.into(),
        Capsule { start: point([0.0, -20.0, 0.0]), end: point([0.0, -12.0, 0.0]), radius: 2.0 }
            .into(),
        Cone {
            start: point([16.0, 16.0, 0.0]),
            end: point([24.0, 16.0, 0.0]),
            start_radius: 4.0,
            end_radius: 0.0,
        }
        .into(),
        Cone {
            start: point([0.0, 2.0, 16.0]),
            end: point([0.0, 18.0, 16.0]),
            start_radius: 2.0,
            end_radius: 4.0,
        }
        .into(),
        Ellipsoid {
            center: point([0.0, 16.0, 0.0]),
            radii: DVec3::new(2.0, 4.0, 1.0),
            rotation: DQuat::IDENTITY,
        }
        .into(),
        Mesh::new(vertices, triangles).unwrap().into(),
        Disc {
            center: point([0.0, 0.0, 8.0]),
            normal: DVec3::Z * 3.0,
            radius: 4.0,
            inner_radius: 1.0,
        }
        .into(),
        Triangle {
            vertices: [corner(-4.0, 8.0, -8.0), corner(4.0, 8.0, -8.0), corner(4.0, 12.0, -8.0)],
        }
        .into(),
        Plane::infinite(point([0.0, 0.0, -20.0]), DVec3::Z).into(),
        field.unwrap().into(),
        // A second, equal tube makes ties.
        Geometry::from(tube),
        Plane {
            one_sided: true,
            ..Plane::bounded(point([-16.0, 12.0, 4.0]), DQuat::IDENTITY, [8.0, 8.0])
        }
        .into(),
        with_base.into(),
        Shell {
            whole: CappedSolid::Cylinder(Cylinder::solid(
                point([-20.0, -16.0, -4.0]),
                point([-20.0, -16.0, 4.0]),
                4.0,
            )),
            parts: Parts { side: false, start_cap: true, end_cap: true },
        }
        .into(),
    ] {
        scene.add(geometry).unwrap();
    }
    scene
}

/// Casts the lattice's rays into a scene on the shared device. Every answer must be right, and exact if the device rounds
/// quotients and roots correctly.
pub fn lattice_hits(scene: Scene) -> Vec<Hit> {
    let packed = PackedScene::new(scene).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let rays = lattice_rays();
    let hits = tracer.closest(Batch::new(&rays)).unwrap();
    let is_exact = arithmetic().is_correctly_rounded();
    for (ray, verdict) in rays.iter().zip(verdicts(&packed, &rays, &hits)) {
        // The roots of integers that are no squares are rounded by both tracers.
        let rounds =
            verdict.exact.hit().is_hit() && (f64::from(verdict.exact.hit().t) * 8.0).fract() != 0.0;
        let is_right = match is_exact && !rounds {
            true => verdict.class == Class::Exact,
            false => verdict.class != Class::Mismatch,
        };
        assert!(is_right, "{ray:?}: {verdict:?}");
    }
    hits
}
