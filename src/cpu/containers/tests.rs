//! Compares containment alone with that of the whole question about points and with brute force.

use crate::bvh::Quality;
use crate::cpu::tests::{instances, nodes, plain, shapes, vector};
use crate::cpu::*;
use crate::geometry::Mesh;
use crate::packed::PackedScene;
use crate::query::Containment;
use crate::scene::{Definition, Scene};
use crate::transform::Affine;
use fastrand::Rng;
use glam::{DMat3, DVec3, Vec3};

/// Returns a closed surface of 8 · 4^times triangles about the origin: an octahedron whose faces
/// were cut, bent by waves of this height.
fn ball(times: usize, waves: f64) -> Mesh {
    let half = |a: DVec3, b: DVec3| (a + b).normalize();
    let signs = [-1.0, 1.0];
    let corners = |x: f64, y: f64, z: f64| match x * y * z > 0.0 {
        true => [x * DVec3::X, y * DVec3::Y, z * DVec3::Z],
        false => [x * DVec3::X, z * DVec3::Z, y * DVec3::Y],
    };
    let mut faces: Vec<[DVec3; 3]> = signs
        .iter()
        .flat_map(|&x| signs.map(|y| signs.map(|z| corners(x, y, z))))
        .flatten()
        .collect();
    for _ in 0..times {
        let cut = |&[a, b, c]: &[DVec3; 3]| {
            let (ab, bc, ca) = (half(a, b), half(b, c), half(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.iter().flat_map(cut).collect();
    }
    let bent = |v: DVec3| {
        let wave = libm::sin(5.0 * v.x) * libm::cos(4.0 * v.y + v.z);
        ((1.0 + waves * wave) * v).as_vec3().as_dvec3()
    };
    let vertices = faces.iter().flatten().copied().map(bent).collect();
    Mesh::new(vertices, (0..faces.len() as u32).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect())
        .unwrap()
}

/// Returns a closed cube of twelve triangles.
fn cube(low: DVec3, side: f64) -> Mesh {
    let corner = |n: u32| DVec3::new((n & 1).into(), (n >> 1 & 1).into(), (n >> 2).into());
    let vertices = (0..8).map(|n| low + side * corner(n)).collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(vertices, triangles).unwrap()
}

/// Returns meshes in and across each other, closed and open, fine and coarse.
fn meshes() -> Scene {
    let mut scene = Scene::new();
    let open = ball(2, 0.3);
    let open = Mesh::new(open.vertices().to_vec(), open.triangles()[1..].to_vec()).unwrap();
    let turned = ball(1, 0.0);
    let inwards = turned.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inwards = Mesh::new(turned.vertices().to_vec(), inwards).unwrap();
    let far = cube(DVec3::new(0.0, 1e5, -0.001), 1.0);
    let boxes = [cube(DVec3::splat(-0.25), 0.5), cube(DVec3::new(0.25, -0.25, -0.5), 1.0), far];
    for mesh in boxes.into_iter().chain([ball(4, 0.2), ball(0, 0.0), open, inwards]) {
        assert!(mesh.is_closed() || mesh.triangles().len() == 127);
        scene.add(mesh).unwrap();
    }
    scene
}

/// Returns the same meshes in instances, turned, stretched and mirrored, in three worlds.
fn worlds() -> Scene {
    let rng = &mut Rng::with_seed(31);
    let definition = Definition::new(meshes());
    let mut scene = meshes();
    let mut place = || {
        let linear = DMat3::from_cols(vector(rng), vector(rng), vector(rng));
        Affine { linear, translation: 0.5 * vector(rng) }
    };
    for _ in 0..5 {
        scene.add_instance(&definition, &place().into(), None, None).unwrap();
    }
    for _ in 0..2 {
        let moved = (0..5).map(|index| (index, place().into())).collect();
        scene.add_places(moved, Vec::new()).unwrap();
    }
    scene
}

/// Returns points everywhere, close together, on corners, edges and faces and a bit beside them,
/// far off, and invalid ones.
fn points(scene: &Scene) -> Vec<[f32; 3]> {
    let rng = &mut Rng::with_seed(32);
    let mut points: Vec<Vec3> = (0..800).map(|_| (1.3 * vector(rng)).as_vec3()).collect();
    let middle = vector(rng);
    points.extend((0..400).map(|_| (middle + 0.01 * vector(rng)).as_vec3()));
    let count = scene.geometry_count();
    for id in (0..count).step_by(count.div_ceil(24).max(1) as usize) {
        for _ in 0..6 {
            let number = rng.u32(..100);
            let Some(primitive) = scene.primitive(id, number).or_else(|| scene.primitive(id, 0))
            else {
                continue;
            };
            let near = primitive.closest_point(vector(rng)).as_vec3();
            points.extend([near, near.map(f32::next_up), near.map(f32::next_down)]);
            points.push(Vec3::new(near.x, near.y, -3.0));
            let placement = primitive.placement().copied();
            if let Some(triangle) = primitive.shape().filter(|shape| shape.bounds().is_some()) {
                let row = triangle.row();
                let corners = row.as_chunks::<3>().0.iter().copied().map(DVec3::from);
                let corners: Vec<DVec3> = corners
                    .map(|corner| {
                        placement.map_or(corner, |it| it.world_from_object().point(corner))
                    })
                    .collect();
                points.extend(corners.iter().map(|corner| corner.as_vec3()));
                let pairs = corners.iter().zip(corners.iter().skip(1));
                points.extend(pairs.map(|(a, b)| (0.5 * (a + b)).as_vec3()));
                points.extend(corners.iter().map(|c| Vec3::new(c.x as f32, c.y as f32, -2.0)));
            }
        }
    }
    let ends = [f32::NAN, f32::INFINITY, 1e9, -1e9, 2e9, 0.0, -0.0, 1e-30, -1e-12];
    for x in ends {
        points.extend(ends.iter().flat_map(|&y| ends.map(|z| Vec3::new(x, y, z))));
    }
    points.iter().map(Vec3::to_array).collect()
}

fn check(tracer: &CpuTracer, points: &[[f32; 3]]) -> Vec<Containment> {
    let found = tracer.containment(points).unwrap();
    let whole = tracer.points(points).unwrap();
    for ((point, found), whole) in points.iter().zip(&found).zip(&whole) {
        assert_eq!(*found, Containment::from(whole), "{point:?}");
    }
    found
}

#[test]
fn containment_alone_is_that_of_the_whole_question_and_of_brute_force() {
    for (name, scene) in [
        ("shapes", shapes()),
        ("nodes", nodes()),
        ("meshes", meshes()),
        ("instances", instances()),
        ("worlds", worlds()),
        ("nothing", Scene::new()),
    ] {
        let points = points(&scene);
        let mut first: Option<Vec<Containment>> = None;
        for quality in [Quality::Fast, Quality::Medium] {
            let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
            for tracer in [CpuTracer::new(&packed), plain(CpuTracer::new(&packed))] {
                let expected = first.get_or_insert_with(|| {
                    // Brute force takes long, above all for the nearest surface that it finds too.
                    for &point in points.iter().step_by(23) {
                        let brute = Containment::from(&tracer.point_hit_by_brute_force(point));
                        assert_eq!(
                            tracer.containment(&[point]).unwrap(),
                            [brute],
                            "{name} {point:?}"
                        );
                    }
                    check(&tracer, &points)
                });
                assert_eq!(*expected, tracer.containment(&points).unwrap(), "{name} {quality:?}");
                // A point's answer does not depend on the points beside it.
                let alone = points[..200].chunks(1).map(|point| tracer.containment(point).unwrap());
                assert_eq!(expected[..200], alone.collect::<Vec<_>>().concat(), "{name}");
            }
        }
        let inside = first.iter().flatten().filter(|found| found.contains > 0).count();
        assert_eq!(inside > 50, name != "nothing", "{name}: {inside} points are inside");
    }
}

/// The box around a scene is that of its first places.
#[test]
fn containment_follows_what_moves() {
    let mut scene = Scene::new();
    let definition = Definition::new(meshes());
    let at = |x: f64| Affine { linear: DMat3::IDENTITY, translation: x * DVec3::X }.into();
    let node = scene.add_node(None, &at(0.0), Some("meshes")).unwrap();
    scene.add_instance_at(node, &definition, None).unwrap();
    let mut tracer = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
    let rng = &mut Rng::with_seed(33);
    for x in [0.0, 40.0, -0.3] {
        scene.set_transform(node, &at(x)).unwrap();
        tracer.update(&scene).unwrap();
        let points: Vec<[f32; 3]> =
            (0..1000).map(|_| (x * DVec3::X + 1.2 * vector(rng)).as_vec3().to_array()).collect();
        let found = check(&tracer, &points);
        assert!(found.iter().filter(|found| found.contains > 0).count() > 100, "{x}");
    }
}
