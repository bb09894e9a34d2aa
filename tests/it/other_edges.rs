//! Cases of the later shapes whose exact answers are known, which both tracers must give to the bit: tips, rims, seams,
//! holes, edges, diagonals and faces.

use crate::common::{Case, allowed_error, check, gpu, ray};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, Capsule, Cone, CpuTracer, Cylinder, Disc, Ellipsoid, Heightfield, HitArrays, Hits,
    Lines, Mesh, PackedScene, Plane, Scene, Shape, Torus, Tracer, Triangle,
};

const UP: [f32; 3] = [0.0, 0.0, 1.0];
const DOWN: [f32; 3] = [0.0, 0.0, -1.0];
const EAST: [f32; 3] = [1.0, 0.0, 0.0];

fn z(height: f64) -> DVec3 {
    DVec3::Z * height
}

#[test]
fn tube() {
    let inf = f32::INFINITY;
    check(
        Cylinder { start: z(-4.0), end: z(4.0), radius: 4.0, inner_radius: 2.0 },
        &[
            ("the outer wall", ray([-9.0, 0.0, 0.0], EAST), Some(5.0)),
            ("from inside of the wall, the hole", ray([-3.0, 0.0, 0.0], EAST), Some(1.0)),
            ("from the hole, the wall", ray([0.0; 3], EAST), Some(2.0)),
            ("the second pass", ray([-9.0, 0.0, 0.0], EAST).within(8.0, inf), Some(11.0)),
            ("the last wall", ray([-9.0, 0.0, 0.0], EAST).within(12.0, inf), Some(13.0)),
            ("through the hole", ray([0.0, 0.0, -9.0], UP), None),
            ("along the hole's wall", ray([2.0, 0.0, -9.0], UP), Some(5.0)),
            ("just inside of the hole's wall", ray([2.0_f32.next_down(), 0.0, -9.0], UP), None),
            ("the ring of the cap", ray([3.0, 0.0, -9.0], UP), Some(5.0)),
            ("the mouth's rim, going in", ray([-4.0, 0.0, -6.0], [1.0, 0.0, 1.0]), Some(2.0)),
            ("the mouth's rim, going out", ray([0.0, 0.0, 2.0], [1.0, 0.0, 1.0]), Some(2.0)),
            ("touching the hole's wall from the solid", ray([-3.0, 2.0, 0.0], EAST), Some(3.0)),
            ("in a cap's plane", ray([-9.0, 0.0, 4.0], EAST), Some(5.0)),
            ("in a cap's plane, from the mouth", ray([0.0, 0.0, 4.0], EAST), Some(2.0)),
        ],
    );
}

#[test]
fn capsule() {
    check(
        Capsule { start: z(-4.0), end: z(4.0), radius: 2.0 },
        &[
            ("the side", ray([-5.0, 0.0, 1.0], EAST), Some(3.0)),
            ("the seam", ray([-5.0, 0.0, 4.0], EAST), Some(3.0)),
            ("the pole", ray([0.0, 0.0, 9.0], DOWN), Some(3.0)),
            ("from pole to pole", ray([0.0; 3], DOWN), Some(6.0)),
            ("touching the pole", ray([-5.0, 0.0, 6.0], EAST), Some(5.0)),
            ("above the pole", ray([-5.0, 0.0, 6.000_01], EAST), None),
            ("along the side's wall", ray([2.0, 0.0, -9.0], UP), Some(5.0)),
            ("touching the side", ray([-5.0, 2.0, 0.0], EAST), Some(5.0)),
            ("past the cylinder's rim, which is not there", ray([-5.0, 2.0, 5.5], EAST), None),
        ],
    );
}

#[test]
fn cone() {
    check(
        Cone { start: DVec3::ZERO, end: z(8.0), start_radius: 4.0, end_radius: 0.0 },
        &[
            ("the side", ray([-9.0, 0.0, 4.0], EAST), Some(7.0)),
            ("the tip from above", ray([0.0, 0.0, 12.0], DOWN), Some(4.0)),
            ("the tip from the side", ray([-9.0, 0.0, 8.0], EAST), Some(9.0)),
            ("past the tip", ray([-9.0, 0.0, 8.000_001], EAST), None),
            ("where the other half would be", ray([-9.0, 0.0, 10.0], EAST), None),
            ("the cap", ray([1.0, 1.0, -4.0], UP), Some(4.0)),
            ("the rim from below", ray([4.0, 0.0, -4.0], UP), Some(4.0)),
            ("in the cap's plane", ray([-9.0, 0.0, 0.0], EAST), Some(5.0)),
            ("along a line of the side", ray([8.0, 0.0, -8.0], [-1.0, 0.0, 2.0]), Some(4.0)),
            ("beside a line of the side", ray([6.0, 0.0, -8.0], [-1.0, 0.0, 2.0]), Some(4.0)),
            ("from inside to the side", ray([0.0, 0.0, 4.0], EAST), Some(2.0)),
            ("from inside to the tip", ray([0.0, 0.0, 4.0], UP), Some(4.0)),
        ],
    );
    check(
        Cone { start: z(-4.0), end: z(4.0), start_radius: 2.0, end_radius: 4.0 },
        &[
            ("the middle", ray([-9.0, 0.0, 0.0], EAST), Some(6.0)),
            ("the wide cap", ray([3.5, 0.0, 9.0], DOWN), Some(5.0)),
            ("past the narrow cap, the side", ray([3.0, 0.0, -9.0], UP), Some(9.0)),
            ("the narrow cap", ray([1.0, 0.0, -9.0], UP), Some(5.0)),
            ("the wide rim", ray([-9.0, 0.0, 4.0], EAST), Some(5.0)),
        ],
    );
    check(
        Cone { start: z(-4.0), end: z(4.0), start_radius: 2.0, end_radius: 2.0 },
        &[
            ("a cone that is a cylinder", ray([-5.0, 0.0, 1.0], EAST), Some(3.0)),
            ("along its axis", ray([1.0, 0.0, -9.0], UP), Some(5.0)),
            ("along its wall", ray([2.0, 0.0, -9.0], UP), Some(5.0)),
            ("touching its side", ray([-5.0, 2.0, 0.0], EAST), Some(5.0)),
        ],
    );
}

#[test]
fn ellipsoid() {
    let radii = DVec3::new(1.0, 2.0, 4.0);
    check(
        Ellipsoid { center: DVec3::ZERO, radii, rotation: DQuat::IDENTITY },
        &[
            ("the short way", ray([-5.0, 0.0, 0.0], EAST), Some(4.0)),
            ("the long way", ray([0.0, 0.0, 9.0], DOWN), Some(5.0)),
            ("from inside", ray([0.0; 3], [0.0, 0.5, 0.0]), Some(4.0)),
            ("touching the pole", ray([-5.0, 0.0, 4.0], EAST), Some(5.0)),
            ("above the pole", ray([-5.0, 0.0, 4.0_f32.next_up()], EAST), None),
            ("touching the side", ray([-5.0, 2.0, 0.0], EAST), Some(5.0)),
        ],
    );
}

#[test]
fn plane_and_disc() {
    let inf = f32::INFINITY;
    let plane: &[Case] = &[
        ("from above", ray([0.0, 0.0, 9.0], DOWN), Some(7.0)),
        ("from below", ray([0.0, 0.0, -9.0], UP), Some(11.0)),
        ("away", ray([0.0, 0.0, 9.0], UP), None),
        ("on it, going off", ray([5.0, 0.0, 2.0], UP), Some(0.0)),
        ("in it", ray([5.0, 0.0, 2.0], EAST), None),
        ("along it", ray([5.0, 0.0, 3.0], EAST), None),
        ("slanting", ray([0.0, 0.0, 4.0], [4.0, 0.0, -0.5]), Some(4.0)),
        ("behind, where t may be negative", ray([0.0; 3], DOWN).within(-inf, 0.0), Some(-2.0)),
    ];
    check(Plane::infinite(DVec3::new(7.0, -3.0, 2.0), z(3.0)), plane);
    check(
        Disc { center: z(2.0), normal: z(-0.5), radius: 4.0, inner_radius: 1.0 },
        &[
            ("the ring", ray([2.0, 0.0, 9.0], DOWN), Some(7.0)),
            ("from below", ray([2.0, 0.0, -9.0], UP), Some(11.0)),
            ("the hole", ray([0.5, 0.0, 9.0], DOWN), None),
            ("the hole's rim", ray([1.0, 0.0, 9.0], DOWN), Some(7.0)),
            ("just inside of it", ray([1.0_f32.next_down(), 0.0, 9.0], DOWN), None),
            ("the rim", ray([0.0, 4.0, 9.0], DOWN), Some(7.0)),
            ("just outside of it", ray([0.0, 4.0_f32.next_up(), 9.0], DOWN), None),
            ("in its plane", ray([-9.0, 0.0, 2.0], EAST), None),
            ("slanting to the rim", ray([0.0, 0.0, 4.0], [2.0, 0.0, -1.0]), Some(2.0)),
        ],
    );
}

#[test]
fn triangle() {
    check(
        Triangle { vertices: [DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0] },
        &[
            ("from above", ray([1.0, 1.0, 5.0], DOWN), Some(5.0)),
            ("from below", ray([1.0, 1.0, -5.0], UP), Some(5.0)),
            ("an edge", ray([2.0, 0.0, 5.0], DOWN), Some(5.0)),
            ("the slanting edge", ray([2.0, 2.0, 5.0], DOWN), Some(5.0)),
            ("a corner", ray([4.0, 0.0, 5.0], DOWN), Some(5.0)),
            ("past an edge", ray([2.0, -1e-6, 5.0], DOWN), None),
            ("past the slanting edge", ray([2.0, 2.000_001, 5.0], DOWN), None),
            ("in its plane", ray([-9.0, 1.0, 0.0], EAST), None),
            ("slanting", ray([-3.0, 1.0, 2.0], [2.0, 0.0, -1.0]), Some(2.0)),
        ],
    );
}

#[test]
fn lines() {
    let points = vec![DVec3::ZERO, z(8.0)];
    check(
        Lines::new(points, vec![[0, 1]], 0.5).unwrap(),
        &[
            ("the side", ray([-5.0, 0.0, 4.0], EAST), Some(4.5)),
            ("the end", ray([0.0, 0.0, 12.0], DOWN), Some(3.5)),
            ("touching", ray([-5.0, 0.5, 4.0], EAST), Some(5.0)),
        ],
    );
}

#[test]
fn torus() {
    // Crossings of a torus are not exact to the bit, least of all where a ray touches it.
    let mut scene = Scene::new();
    let torus = Torus { center: DVec3::ZERO, axis: z(2.0), major_radius: 4.0, minor_radius: 1.0 };
    scene.add(torus).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let inf = f32::INFINITY;
    let whole = ray([-9.0, 0.0, 0.0], EAST);
    let cases: &[Case] = &[
        ("the outside", whole, Some(4.0)),
        ("leaving the first pass", whole.within(4.5, inf), Some(6.0)),
        ("the second pass", whole.within(7.0, inf), Some(12.0)),
        ("leaving it", whole.within(13.0, inf), Some(14.0)),
        ("after all", whole.within(15.0, inf), None),
        ("through the hole", ray([0.0, 0.0, 9.0], DOWN), None),
        ("beside the axis", ray([2.0, 1.0, 9.0], DOWN), None),
        ("from above", ray([4.0, 0.0, 9.0], DOWN), Some(8.0)),
        ("touching from above", ray([-9.0, 0.0, 1.0], EAST), Some(5.0)),
        ("above", ray([-9.0, 0.0, 1.0001], EAST), None),
        ("touching the outside", ray([5.0, -9.0, 0.0], [0.0, 1.0, 0.0]), Some(9.0)),
        ("past the outside", ray([5.001, -9.0, 0.0], [0.0, 1.0, 0.0]), None),
        ("from the hole", ray([0.0; 3], EAST), Some(3.0)),
        ("from inside of the ring", ray([4.0, 0.0, 0.0], EAST), Some(1.0)),
        ("touching the hole's side, from there", ray([3.0, 0.0, 0.0], UP), Some(0.0)),
    ];
    let rays: Vec<_> = cases.iter().map(|(_, ray, _)| *ray).collect();
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        for ((label, _, expected), hit) in
            cases.iter().zip(tracer.closest(Batch::new(&rays)).unwrap())
        {
            let t = hit.is_hit().then_some(hit.t);
            let error = expected.zip(t).map_or(0.0, |(a, b)| (a - b).abs());
            // A device that does not round correctly may miss what a ray only touches.
            if label.starts_with("touching") && allowed_error(tracer) > 0.0 {
                continue;
            }
            let allowed = if label.starts_with("touching") { 1e-2 } else { 1e-5 };
            assert!(
                expected.is_some() == t.is_some() && error < allowed,
                "{label} on {}: {t:?} for {expected:?}",
                tracer.device()
            );
        }
    }
}

#[test]
fn primitives_are_numbered_and_the_lower_of_two_is_hit() {
    let mut scene = Scene::new();
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let vertices = corners.map(|[x, y]| DVec3::new(4.0 * x, 4.0 * y, 0.0)).to_vec();
    scene.add(Mesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap();
    let heights = vec![0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0];
    let center = DVec3::new(16.0, 0.0, 0.0);
    let field = Heightfield::new(heights, 3, [4.0, 4.0], center, DQuat::IDENTITY).unwrap();
    scene.add(field).unwrap();
    let points =
        vec![DVec3::new(0.0, 16.0, 0.0), DVec3::new(4.0, 16.0, 0.0), DVec3::new(8.0, 16.0, 0.0)];
    scene.add(Lines::new(points, vec![[0, 1], [1, 2]], 0.5).unwrap()).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let at = |x: f32, y: f32| ray([x, y, 9.0], DOWN);
    // Cells 0 and 1 of the field are the lower ones from the left, and 2 and 3 those above. Each is cut from its lower
    // left to its upper right corner.
    let cases = [
        (at(3.0, 1.0), 9.0, [0, 0]),
        (at(1.0, 3.0), 9.0, [0, 1]),
        (at(2.0, 2.0), 9.0, [0, 0]),
        (at(13.0, -1.0), 8.5, [1, 1]),
        (at(15.0, -3.0), 8.5, [1, 0]),
        (at(14.0, -2.0), 8.0, [1, 0]),
        (at(16.0, -2.0), 8.0, [1, 0]),
        (at(17.0, -1.0), 8.0, [1, 3]),
        (at(19.0, -1.0), 9.0, [1, 2]),
        (at(13.0, 3.0), 9.0, [1, 5]),
        (at(18.0, 3.0), 8.5, [1, 7]),
        (at(19.0, 1.0), 8.5, [1, 6]),
        (at(16.0, 0.0), 7.0, [1, 0]),
        (at(2.0, 16.0), 8.5, [2, 0]),
        (at(4.0, 16.0), 8.5, [2, 0]),
        (at(6.0, 16.0), 8.5, [2, 1]),
    ];
    let rays = cases.map(|(ray, ..)| ray);
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        for ((ray, t, ids), hit) in cases.iter().zip(&hits) {
            let is_there = (hit.t - t).abs() <= allowed_error(tracer) * t;
            assert!(is_there, "{ray:?} on {}: {hit:?} for {t}", tracer.device());
            assert_eq!([hit.geometry_id, hit.primitive_id], *ids, "{ray:?}");
        }
        let arrays = Hits::new(&scene, Batch::new(&rays), &hits, HitArrays::ALL);
        assert_eq!(arrays.primitive_ids[8], 2);
        assert_eq!(arrays.primitive_normals[0], UP);
        assert!(arrays.primitive_normals.iter().all(|normal| normal[2] > 0.0), "from above");
    }
}

#[test]
fn normals_point_outwards_from_inside_too() {
    let mut scene = Scene::new();
    let far = |n: f64| DVec3::X * 20.0 * n;
    for shape in [
        Shape::from(Cylinder { start: z(-4.0), end: z(4.0), radius: 4.0, inner_radius: 2.0 }),
        Capsule { start: far(1.0) - z(4.0), end: far(1.0) + z(4.0), radius: 2.0 }.into(),
        Cone { start: far(2.0), end: far(2.0) + z(4.0), start_radius: 4.0, end_radius: 0.0 }.into(),
        Torus { center: far(3.0), axis: z(1.0), major_radius: 4.0, minor_radius: 1.0 }.into(),
        Disc { center: far(4.0), normal: z(-2.0), radius: 4.0, inner_radius: 0.0 }.into(),
    ] {
        scene.add(shape).unwrap();
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let diagonal = 0.5_f32.sqrt();
    let cases = [
        (ray([0.0; 3], EAST), [-1.0, 0.0, 0.0]),
        (ray([3.0, 0.0, 0.0], EAST), EAST),
        (ray([3.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), [-1.0, 0.0, 0.0]),
        (ray([3.0, 0.0, 0.0], UP), UP),
        (ray([20.0, 0.0, 0.0], DOWN), DOWN),
        (ray([49.0, 0.0, 2.0], [-1.0, 0.0, 0.0]), [diagonal, 0.0, diagonal]),
        (ray([40.0, 0.0, 2.0], EAST), [diagonal, 0.0, diagonal]),
        (ray([40.0, 0.0, 2.0], DOWN), DOWN),
        (ray([60.0, 0.0, 0.0], EAST), [-1.0, 0.0, 0.0]),
        (ray([64.0, 0.0, 0.0], EAST), EAST),
        (ray([81.0, 0.0, 5.0], DOWN), DOWN),
    ];
    let rays = cases.map(|(ray, _)| ray);
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        let hits = Hits::new(
            &scene,
            Batch::new(&rays),
            &tracer.closest(Batch::new(&rays)).unwrap(),
            HitArrays::ALL,
        );
        for ((ray, expected), normal) in cases.iter().zip(&hits.primitive_normals) {
            let error = (0..3).fold(0.0_f32, |worst, i| worst.max((normal[i] - expected[i]).abs()));
            assert!(error < 1e-6, "{ray:?}: {normal:?} for {expected:?} on {}", tracer.device());
        }
    }
}
