//! Compares the bits of the answers to fixed rays and points, which must not depend on the machine,
//! the instructions, the threads and the tree.

use super::*;
use crate::bvh::Quality;
use crate::camera::{Camera, Elevation, Panorama, Projection, View};
use crate::fields::{FieldKind, unit_rotation};
use crate::geometry::{Geometry, Lines, Mesh};
use crate::math::Similarity;
use crate::packed::PackedScene;
use crate::query::{HitArrays, Hits, PointAnswer};
use crate::ray::NONE;
use crate::scene::Definition;
use crate::shapes::{Cuboid, Heightfield, Plane, SHAPE_TYPES, ShapeType, Sphere, Torus};
use crate::transform::{Affine, Transform};
use fastrand::Rng;
use glam::{DQuat, DVec3};
use rayon::ThreadPoolBuilder;

/// A hash of the answers to each query of each scene.
///
/// It changes on all machines alike if a formula of a shape or of a camera is changed, or the order
/// of its operations, or if this test asks other queries; then copy the new table, which the
/// failing test prints, to this place. A hash that differs on only one machine, or with one
/// compiler or optimisation, shows a fault: an operation that is not rounded the same everywhere,
/// or an answer that depends on the order in which the tree is traversed.
const TABLE: &str = "\
shapes closest 8feb924211a17d33
shapes solid 08a0fa68765eb0bb
shapes chosen 42508b88e7d1c6a0
shapes any 74ea7cb0817f3a82
shapes count e70d3549e740023d
shapes all 4579950d0188ebcd
shapes points 7ba7c174d98943b8
nodes closest a335e4b3122fb28c
nodes solid f2650138515363b4
nodes chosen 0a8b76f202e83ffd
nodes any 2f465b42bf062bdc
nodes count 3dcbc65dbc58f450
nodes all 574dd5207976d8d9
nodes points 8891af68f5f2e8fb
nodes perspective efc1601cec336e51
nodes pinhole 6128645868bc000b
nodes orthographic 921fce9b99d8b3e6
nodes panoramic 8a17e53920ab5821
many closest 854fb3edc2b703dd
many solid de8e6e3c9a09c72b
many chosen 854fb3edc2b703dd
many any a02b504e398aaf6d
many count 1e7ee9cb606206d0
many all 88a2ac45a0d85741
many points bad978afcaa4a701
";

/// The rays and points that a scene is asked about.
struct Batches {
    rays: Vec<Ray>,
    masks: Vec<u32>,
    ignored: Vec<u32>,
    points: Vec<[f32; 3]>,
}

/// Returns random coordinates, made from the generator's whole numbers alone: sines and logarithms
/// are not rounded the same everywhere.
pub(super) fn coordinates<const N: usize>(rng: &mut Rng) -> [f64; N] {
    [0; N].map(|_| 2.0 * f64::from(rng.f32()) - 1.0)
}

pub(super) fn vector(rng: &mut Rng) -> DVec3 {
    coordinates::<3>(rng).into()
}

/// Returns eight rays that differ by up to `spread`.
fn eight(rng: &mut Rng, spread: f64) -> [Ray; 8] {
    let [eye, direction] = [1.5 * vector(rng), vector(rng)];
    let across = DVec3::AXES.get(rng.usize(..12)).copied().unwrap_or_default();
    [0; 8].map(|_| {
        let off = if rng.usize(..8) == 0 { DVec3::ZERO } else { spread * vector(rng) };
        let direction = (direction + off) * (DVec3::ONE - across);
        let ray = Ray::new((eye + off).as_vec3(), direction.as_vec3());
        match rng.usize(..6) {
            0 => ray.within(f32::NEG_INFINITY, rng.f32()),
            1 => ray.within(0.1 * rng.f32(), 1.0 + rng.f32()),
            _ => ray,
        }
    })
}

impl Batches {
    /// Half of each thousand rays are groups of eight with similar directions.
    fn of(scene: &Scene, rng: &mut Rng, thousands: usize) -> Self {
        let mut rays = Vec::new();
        for _ in 0..thousands {
            (0..64).for_each(|_| rays.extend(eight(rng, 0.002)));
            (0..64).for_each(|_| rays.extend(eight(rng, 2.0)));
        }
        rays[777].direction = [0.0; 3];
        let count = scene.geometries().len() as u32;
        let masks = rays.iter().map(|_| rng.u32(..) | rng.u32(..)).collect();
        let ignored = rays.iter().map(|_| if rng.bool() { NONE } else { rng.u32(..count) });
        let ignored = ignored.collect();
        let mut points: Vec<_> =
            (0..1500 * thousands).map(|_| (1.2 * vector(rng)).as_vec3().to_array()).collect();
        points[777] = [f32::NAN; 3];
        Self { rays, masks, ignored, points }
    }
}

/// The hash of the numbers of an answer.
#[derive(Default)]
struct Numbers(blake3::Hasher);

impl Numbers {
    fn add(&mut self, numbers: impl IntoIterator<Item = u32>) -> &mut Self {
        numbers.into_iter().for_each(|number| _ = self.0.update(&number.to_le_bytes()));
        self
    }

    fn add_floats(&mut self, numbers: impl IntoIterator<Item = f32>) -> &mut Self {
        self.add(numbers.into_iter().map(f32::to_bits))
    }

    fn add_doubles(&mut self, numbers: impl IntoIterator<Item = f64>) -> &mut Self {
        let halves = |number: f64| [number.to_bits() as u32, (number.to_bits() >> 32) as u32];
        self.add(numbers.into_iter().flat_map(halves))
    }

    fn add_hits(&mut self, hits: &Hits) -> &mut Self {
        self.add_floats(hits.t_hit.iter().copied())
            .add(hits.geometry_ids.iter().chain(&hits.primitive_ids).chain(&hits.faces).copied())
            .add_floats(hits.primitive_normals.as_flattened().iter().copied())
    }

    fn line(&self, scene: &str, question: &str) -> String {
        format!("{scene} {question} {}\n", &self.0.finalize().to_hex()[..16])
    }
}

/// Returns a line of the table for each query.
fn hashes(name: &str, scene: &Scene, tracer: &CpuTracer, asked: &Batches) -> String {
    let batch = Batch::new(&asked.rays);
    let choosy = batch.with_masks(&asked.masks).unwrap().ignoring(&asked.ignored).unwrap();
    let mut lines = String::new();
    let mut print_hash = |question: &str, numbers: &mut Numbers| {
        lines += &numbers.line(name, question);
    };
    for (question, batch) in [("closest", batch), ("solid", batch.solid()), ("chosen", choosy)] {
        let hits = tracer.closest(batch).unwrap();
        print_hash(
            question,
            Numbers::default().add_hits(&Hits::new(scene, batch, &hits, HitArrays::ALL)),
        );
    }
    let hits = tracer.any(batch.solid()).unwrap();
    print_hash("any", Numbers::default().add(hits.into_iter().map(u32::from)));
    print_hash("count", Numbers::default().add(tracer.count(choosy).unwrap()));
    let all = tracer.all(batch).unwrap();
    let mut numbers = Numbers::default();
    numbers.add(all.ray_splits.iter().map(|&split| split as u32)).add(all.ray_ids);
    numbers.add_floats(all.t_hit).add(all.geometry_ids).add(all.primitive_ids);
    print_hash("all", &mut numbers);

    let point_hits = tracer.points(&asked.points).unwrap();
    let mut numbers = Numbers::default();
    for answer in PointAnswer::all(scene, &asked.points, &point_hits) {
        numbers.add([answer.contains, answer.containing_id]);
        numbers.add([answer.geometry_id, answer.primitive_id]);
        numbers.add_floats(answer.closest_point).add_floats([answer.signed_distance]);
    }
    for surface in tracer.nearest_surfaces(&asked.points).into_iter().flatten() {
        numbers.add([surface.geometry_id, surface.primitive_id]);
        numbers.add_doubles(surface.point.to_array()).add_doubles([surface.distance]);
    }
    print_hash("points", &mut numbers);

    for camera in &scene.cameras {
        let view = View::new(camera.clone(), 48, 32).unwrap();
        let rays = tracer.camera_rays(&view, 0..view.pixels()).unwrap();
        let hits = tracer.render(&view, 0..view.pixels()).unwrap();
        let mut numbers = Numbers::default();
        numbers.add(bytemuck::cast_slice(&rays).iter().copied());
        print_hash(
            &camera.name,
            numbers.add_hits(&Hits::new(scene, Batch::new(&rays), &hits, HitArrays::ALL)),
        );
    }
    lines
}

/// Makes a tracer use only instructions that any processor has.
pub(super) fn plain(tracer: CpuTracer) -> CpuTracer {
    CpuTracer {
        #[cfg(target_arch = "x86_64")]
        avx2: None,
        #[cfg(target_arch = "x86_64")]
        avx512: None,
        ..tracer
    }
}

/// Checks that rays have the same hits when each is cast alone, through the tree and without it.
pub(super) fn check_in_turn(tracer: &CpuTracer, rays: &[Ray]) {
    let hits = tracer.closest(Batch::new(rays)).unwrap();
    for (ray, hit) in rays.iter().zip(hits).filter(|(ray, _)| ray.is_valid()) {
        let same = |found: Option<Nearest>| {
            let found = found.map_or(Hit::MISS, |found| found.hit());
            assert_eq!(bytemuck::bytes_of(&found), bytemuck::bytes_of(&hit), "{ray:?}");
        };
        same(tracer.nearest(ray));
        same(tracer.brute_force(ray));
    }
}

/// Returns the numbers of a random shape, which may be invalid.
fn row(kind: &ShapeType, rng: &mut Rng) -> Vec<f64> {
    let center = vector(rng);
    let mut row = Vec::new();
    let length = |rng: &mut Rng| 0.03 + 0.2 * f64::from(rng.f32());
    for field in kind.fields {
        match field.kind {
            FieldKind::Position => row.extend((center + 0.2 * vector(rng)).to_array()),
            FieldKind::Corners => {
                (0..3).for_each(|_| row.extend((center + 0.3 * vector(rng)).to_array()));
            }
            FieldKind::Direction => row.extend(coordinates::<3>(rng)),
            FieldKind::Rotation => row.extend(coordinates::<4>(rng)),
            FieldKind::Extents => row.extend([0; 3].map(|_| length(rng))),
            FieldKind::Length => row.push(length(rng)),
            FieldKind::LengthOrZero if rng.bool() => row.push(0.0),
            FieldKind::LengthOrZero => row.push(length(rng)),
            FieldKind::OptionalDirection => row.extend(coordinates::<3>(rng)),
            FieldKind::OptionalExtents | FieldKind::OptionalRotation | FieldKind::Flag => {
                row.extend(field.default.unwrap());
            }
        }
    }
    row
}

pub(super) fn add(scene: &mut Scene, kind: &ShapeType, rng: &mut Rng) {
    // Some are invalid, such as a disc with a hole wider than itself, so there are several
    // attempts.
    let added = (0..100)
        .find_map(|_| scene.add_rows(kind, &row(kind, rng), &Transform::IDENTITY).ok())
        .unwrap();
    scene.set_mask(added.start, if rng.bool() { u32::MAX } else { rng.u32(..) });
}

/// Returns a scene with some shapes of every kind, but only one plane because planes fill all
/// space.
pub(super) fn shapes() -> Scene {
    let rng = &mut Rng::with_seed(7);
    let mut scene = Scene::new();
    for kind in SHAPE_TYPES {
        let count = if kind.name == "plane" { 1 } else { 12 };
        (0..count).for_each(|_| add(&mut scene, kind, rng));
    }
    scene
}

/// Returns a scene so large that its rays are sorted.
pub(super) fn many() -> Scene {
    let rng = &mut Rng::with_seed(8);
    let mut scene = Scene::new();
    (0..18_000).for_each(|_| {
        let [x, y, z, size] = coordinates(rng);
        let sphere = [x, y, z, 0.01 + 0.02 * size.abs()];
        scene.add_rows(&SHAPE_TYPES[0], &sphere, &Transform::IDENTITY).unwrap();
    });
    scene
}

/// Returns a scene of instances, moved, turned, stretched and mirrored, some of which have no
/// bounds.
pub(super) fn instances() -> Scene {
    let rng = &mut Rng::with_seed(9);
    let mut ground = Scene::new();
    ground.add(Plane::infinite(-7.0 * DVec3::Z, DVec3::new(0.1, 0.2, 1.0))).unwrap();
    let mut bounded = Scene::new();
    for kind in SHAPE_TYPES.iter().filter(|kind| kind.name != "plane") {
        (0..12).for_each(|_| add(&mut bounded, kind, rng));
    }
    let mut scene = many();
    for definition in [ground, bounded].map(Definition::new) {
        for turn in 0..9 {
            let stretch = DVec3::ONE + if turn < 5 { DVec3::ZERO } else { 0.9 * vector(rng) };
            let mirror = if turn % 3 == 0 { DVec3::new(1.0, -1.0, 1.0) } else { DVec3::ONE };
            let [x, y, z, w] = coordinates(rng);
            let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
            let place = Affine::from_scale_rotation_translation(
                0.3 * stretch * mirror,
                rotation,
                0.7 * vector(rng),
            );
            scene.add_instance(&definition, &place.into(), None, None).unwrap();
        }
    }
    scene
}

/// Returns a similarity of numbers as a node has them.
fn node(translation: [f64; 3], rotation_xyzw: [f64; 4], scale: f64) -> Transform {
    let rotation = unit_rotation(&rotation_xyzw).unwrap().normalize();
    Transform::Similarity(Similarity { translation: translation.into(), rotation, scale })
}

/// Returns a scene of shapes in nodes in nodes, with a camera of each projection.
pub(super) fn nodes() -> Scene {
    let mut scene = Scene::new();
    let v = DVec3::new;
    scene.add(Plane::infinite(v(0.0, 0.0, -1.3), v(0.1, -0.2, 1.0))).unwrap();
    let ball = scene.add(Sphere { center: v(0.3, -0.7, 0.1), radius: 0.35 }).unwrap();
    scene.set_mask(ball, 6);
    let outer = node([0.1, 0.2, -0.3], [0.1, -0.3, 0.7, 1.1], 0.6);
    let inner = node([-0.9, 0.4, 0.3], [0.5, 0.1, 0.2, -0.3], 1.7);
    let grid = [0.0, 0.31, 0.12, 0.2, 0.23, 0.41, -0.17, 0.0, 0.3, -0.1, 0.07, 0.1];
    let tilt = DQuat::from_xyzw(0.1, 0.1, 0.3, 0.9);
    let heightfield = Heightfield::new(grid.to_vec(), 4, [0.37, 0.41], v(-0.2, 0.1, -0.8), tilt);
    let corners = [v(0.0, 0.0, 0.0), v(0.7, 0.1, 0.0), v(0.1, 0.8, 0.1), v(0.2, 0.3, 0.9)];
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]);
    let points = vec![v(-0.5, 0.2, 0.7), v(0.3, -0.6, 0.4), v(0.9, 0.4, -0.2)];
    let cuboid = Cuboid {
        center: v(0.7, 0.0, 0.2),
        half_extents: v(0.3, 0.2, 0.5),
        rotation: DQuat::from_xyzw(0.2, 0.3, -0.4, 0.5),
    };
    let torus = Torus {
        center: v(0.1, -0.8, 0.2),
        axis: v(1.0, 2.0, 3.0),
        major_radius: 0.4,
        minor_radius: 0.13,
    };
    let both = outer.then_inner(&inner);
    for (geometry, world_from_node) in [
        (Geometry::from(cuboid), &outer),
        (heightfield.unwrap().into(), &outer),
        (mesh.unwrap().into(), &both),
        (Lines::new(points, vec![[0, 1], [1, 2]], 0.07).unwrap().into(), &both),
        (torus.into(), &both),
    ] {
        scene.add_transformed(&geometry, world_from_node).unwrap();
    }
    let perspective = Projection::Perspective { fov_y_degrees: 47.3 };
    let (focal, center) = ([517.3, 516.5], [318.6, 255.3]);
    let pinhole = Projection::Pinhole { focal, center, size: [640, 480] };
    let orthographic = Projection::Orthographic { height: 2.9 };
    let panorama = Panorama::new([180.0, -180.0], Elevation::Range([14.7, -63.1]));
    scene.cameras = [
        ("perspective", v(2.1, -1.7, 1.3), v(0.1, 0.0, 0.0), perspective),
        ("pinhole", v(-2.1, -1.1, 0.9), v(0.0, 0.1, 0.0), pinhole),
        ("orthographic", v(0.3, 2.2, 1.9), v(0.0, 0.0, 0.1), orthographic),
        ("panoramic", v(0.1, -0.1, 1.1), v(1.0, 0.2, 0.9), Projection::Panoramic(panorama)),
    ]
    .map(|(name, eye, target, projection)| {
        Camera::look_at(name, eye, target, None, projection).unwrap()
    })
    .into();
    scene
}

#[test]
fn the_bits_of_every_answer_are_those_of_the_table() {
    let mut table = String::new();
    for (name, scene, thousands) in
        [("shapes", shapes(), 2), ("nodes", nodes(), 1), ("many", many(), 9)]
    {
        let asked = Batches::of(&scene, &mut Rng::with_seed(9), thousands);
        let mut first = None;
        for quality in [Quality::Fast, Quality::Medium, Quality::Best] {
            let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
            for (threads, is_plain) in [(2, false), (1, true), (7, false), (7, true)] {
                let tracer = CpuTracer::new(&packed);
                let tracer = if is_plain { plain(tracer) } else { tracer };
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let lines = pool.install(|| hashes(name, &scene, &tracer, &asked));
                let first = first.get_or_insert_with(|| {
                    check_in_turn(&tracer, &asked.rays[..1024]);
                    lines.clone()
                });
                assert_eq!(*first, lines, "{quality:?} {threads} {is_plain}");
            }
        }
        table += &first.unwrap();
    }
    assert!(table == TABLE, "the table is now\n{table}");
}

/// The products of a plane's points may have more digits than float64 holds. The speed of a ray in
/// that plane towards a triangle was once a remainder of rounding, so that the two met anywhere,
/// outside every box.
#[test]
fn rays_along_triangles_meet_the_same_in_every_tree() {
    let rng = &mut Rng::with_seed(3);
    let point = |rng: &mut Rng, reach: f64| {
        let [u, w] = coordinates(rng).map(|c: f64| (c * reach * f64::from(1 << 20)).round());
        (u * DVec3::new(1.0, 2.0, -3.0) + w * DVec3::new(4.0, -1.0, 2.0)) / f64::from(1 << 23)
    };
    let mut scene = Scene::new();
    for kind in SHAPE_TYPES.iter().filter(|kind| ["triangle", "sphere"].contains(&kind.name)) {
        for _ in 0..60 {
            let center = point(rng, 0.8);
            let row = match kind.columns() {
                4 => [&center.to_array()[..], &[0.02]].concat(),
                _ => [0; 3].map(|_| (center + point(rng, 0.2)).to_array()).concat(),
            };
            scene.add_rows(kind, &row, &Transform::IDENTITY).unwrap();
        }
    }
    let ray = |rng: &mut Rng| {
        let from = point(rng, 1.0);
        Ray::new(from.as_vec3(), (point(rng, 1.0) - from).as_vec3())
    };
    let rays: Vec<Ray> = (0..2000).map(|_| ray(rng)).collect();
    for quality in [Quality::Medium, Quality::Fast] {
        let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
        let tracer = CpuTracer::new(&packed);
        for ray in &rays {
            let brute = tracer.brute_force(ray);
            assert_eq!(tracer.nearest(ray), brute, "{ray:?}");
            assert!(brute.is_none_or(|found| found.geometry_id < 60), "{ray:?} meets a triangle");
        }
    }
}
