//! Faults of few characters in the shader code of any, count, all, solids and masks. Each must be noticed by comparison
//! with the answers of the float64 tracer.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, CpuTracer, Cuboid, Cylinder, Hit, NONE, PackedScene, Ray, Scene, Sphere, Tracer,
};
use raytwin_verify::faults::Fault;

const QUERY: &str = "query.wgsl";
const ALL: &str = "all.wgsl";
const INSIDE: &str = "containment.wgsl";
const CLOSEST: &str = "closest/float32.wgsl";
const TRACE: &str = "trace.wgsl";
const SHAPES: &str = "shapes.wgsl";
const TRIANGLE: &str = "shapes/triangle.wgsl";
const HEIGHTFIELD: &str = "shapes/heightfield.wgsl";

const fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault::in_shader(to, file, from, to)
}

const MUTANTS: [Fault; 39] = [
    fault(QUERY, "if IS_SOLID {", "if !IS_SOLID {"),
    fault(CLOSEST, "hit_of(rays[index].t_min, best.primitive)", "hit_of(0u, best.primitive)"),
    fault(QUERY, "workgroups, thread, ANY);", "workgroups, thread, ALL);"),
    fault(QUERY, "ray_filter = ray_filters[index];", "ray_filter = ray_filters[0];"),
    fault(ALL, "t < ray.t_min)", "t <= ray.t_min)"),
    fault(ALL, "t > ray.t_max)", "t >= ray.t_max)"),
    fault(ALL, "noted.count < noted.capacity", "noted.count + 1u < noted.capacity"),
    fault(ALL, "noted.first + noted.count", "noted.count"),
    fault(ALL, "t * ray.t_scale", "t"),
    fault(ALL, "if !is_surface {", "if is_surface {"),
    fault(ALL, "note_crossing(spans.y, primitive, ray);", ""),
    fault(ALL, "note_crossing(spans.z, primitive, ray);", ""),
    fault(CLOSEST, "if !is_valid {", "if is_valid {"),
    fault(CLOSEST, "hit_of(noted.count,", "hit_of(noted.count & 7u,"),
    fault(INSIDE, "(spans.x <= t)", "(spans.x < t)"),
    fault(INSIDE, "(t <= spans.y)", "(t < spans.y)"),
    fault(INSIDE, "is_in_first | is_in_later", "is_in_first"),
    fault(INSIDE, "if is_solid & (", "if ("),
    fault(INSIDE, "if precedes(primitive, containment.lowest) {", "{"),
    fault(INSIDE, "(t >= ray.t_min)", "(t <= ray.t_min)"),
    fault(INSIDE, "start_here(ray)) == 0.0", "start_here(ray)) < 0.0"),
    fault(INSIDE, "ray.origin + ray.t_min", "ray.origin - ray.t_min"),
    fault(INSIDE, "| (mesh.is_closed == 0u)", ""),
    fault(INSIDE, "is_skipped | precedes", "precedes"),
    fault(INSIDE, "precedes(mesh_parity.first, first) {", "false {"),
    fault(INSIDE, "(mesh_parity.crossings & 1u) == 1u", "mesh_parity.crossings > 0u"),
    fault(INSIDE, "mesh_parity.is_start_on | ((mesh_parity", "((mesh_parity"),
    fault(INSIDE, "beyond.t_max = T_LIMIT;", ""),
    fault(TRACE, "(mask & ray_filter.mask) != 0u", "(mask | ray_filter.mask) != 0u"),
    fault(TRACE, ">= ray_filter.ignored", "> ray_filter.ignored"),
    fault(TRACE, "primitive - ray_filter.first_ignored", "primitive + ray_filter.first_ignored"),
    fault(TRACE, "mask = mesh_params(mask_or_params).mask;", ""),
    fault(TRACE, "mask = scene_params[mask_or_params + 3u].w;", ""),
    fault(TRACE, "query_kind == ANY) &", "query_kind == CLOSEST) &"),
    fault(SHAPES, "kind <= TORUS)", "kind <= TRIANGLE)"),
    fault(SHAPES, "is_shared & (kind == MESH_TRIANGLE)", "false"),
    fault(TRIANGLE, "sign(p.y - q.y), p.y", "1.0, p.y"),
    fault(TRIANGLE, "side_of(c, a) != side", "false"),
    fault(HEIGHTFIELD, "query_kind == ALL);", "false);"),
];

/// A scene, the rays to cast into it, and the expected answers.
struct Trial {
    packed: PackedScene,
    rays: Vec<Ray>,
    masks: Vec<u32>,
    ignored: Vec<u32>,
}

/// The hits as t in units of 1/1024, because a root may be rounded, and the geometry. The primitive is left out because
/// either of two triangles that share an edge may be hit.
type HitKeys = Vec<(f32, u32)>;

#[derive(Debug, PartialEq)]
struct Answers {
    any: Vec<bool>,
    counts: Vec<u32>,
    splits: Vec<u64>,
    all: HitKeys,
    chosen: HitKeys,
    solid: HitKeys,
    /// The primitive that each ray hits at its start if solids count, which is 0 for a solid; `NONE` for other hits.
    begun: Vec<u32>,
}

impl Trial {
    fn new(scene: Scene, rays: Vec<Ray>) -> Self {
        let packed = PackedScene::new(scene).unwrap();
        let rng = &mut Rng::with_seed(9);
        let geometries = packed.scene().geometries().len() as u32;
        let masks = rays.iter().map(|_| [u32::MAX, 1, 2, 4][rng.usize(..4)]).collect();
        let ignored = rays.iter().map(|_| [NONE, rng.u32(..geometries)][rng.usize(..2)]).collect();
        Self { packed, rays, masks, ignored }
    }

    fn ask(&self, tracer: &dyn Tracer) -> Answers {
        let batch = Batch::new(&self.rays);
        let choosy = batch.with_masks(&self.masks).unwrap().ignoring(&self.ignored).unwrap();
        let all = tracer.all(batch).unwrap();
        let solid = tracer.closest(batch.solid()).unwrap();
        let begun =
            |(ray, hit): (&Ray, &Hit)| if hit.t == ray.t_min { hit.primitive_id } else { NONE };
        // The answer to an invalid ray has a value too, because NaN equals nothing.
        let thousandths = |t: f32| if t.is_nan() { -1.0 } else { (1024.0 * t).round() };
        let hit_key = |hit: &Hit| (thousandths(hit.t), hit.geometry_id);
        let hit_keys = |hits: Vec<Hit>| hits.iter().map(hit_key).collect();
        Answers {
            any: tracer.any(batch).unwrap(),
            counts: tracer.count(batch).unwrap(),
            all: all.t_hit.into_iter().map(thousandths).zip(all.geometry_ids).collect(),
            splits: all.ray_splits,
            chosen: hit_keys(tracer.closest(choosy).unwrap()),
            begun: self.rays.iter().zip(&solid).map(begun).collect(),
            solid: hit_keys(solid),
        }
    }

    /// Returns true if a tracer answers any ray differently from float64 by more than rounding. A
    /// fault may also leave rays without a steady answer, which is an error.
    fn is_noticed(&self, expected: &Answers, fault: Option<&Fault>) -> bool {
        let gpu = own_gpu();
        let tracer = match fault {
            Some(fault) => GpuTracer::with_fault(&gpu, &self.packed, fault.site),
            None => GpuTracer::new(&gpu, &self.packed),
        };
        let tracer = tracer.unwrap_or_else(|error| panic!("{error}"));
        // One kernel gives all crossings and their counts. The others are compiled where these are right.
        let Ok(all) = tracer.all(Batch::new(&self.rays)) else { return true };
        all.ray_splits != expected.splits || self.ask(&tracer) != *expected
    }
}

/// Makes a trial of rays with small integers along axes and diagonals, and shapes of small integers. The tracers' hits
/// agree to the bit.
fn lattice() -> Trial {
    let mut scene = Scene::new();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    // No ray runs along an outline of these cubes, where rounding decides; rays go only through edges that two
    // triangles share.
    scene.add(cube_at(at(8.5, 0.5, 8.0), 1.0)).unwrap();
    scene.add(cube_at(at(8.5, 0.5, 0.0), 2.0)).unwrap();
    scene.add(cube_at(at(8.5, 0.5, 0.0), 1.0)).unwrap();
    scene.add(Sphere { center: DVec3::ZERO, radius: 2.0 }).unwrap();
    scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let pipe = Cylinder {
        start: at(-8.0, 0.0, -2.0),
        end: at(-8.0, 0.0, 2.0),
        radius: 2.0,
        inner_radius: 1.0,
    };
    scene.add(pipe).unwrap();
    let cube = Cuboid {
        center: at(0.0, 8.0, 0.0),
        half_extents: DVec3::splat(2.0),
        rotation: DQuat::IDENTITY,
    };
    scene.add(cube).unwrap();
    scene.add(raytwin::Plane::infinite(at(0.0, 0.0, -4.0), DVec3::Z)).unwrap();
    let heights = (0..16).map(|index| f64::from(index % 3)).collect();
    let field =
        raytwin::Heightfield::new(heights, 4, [2.0, 2.0], at(0.5, -8.5, 0.0), DQuat::IDENTITY);
    scene.add(field.unwrap()).unwrap();
    // The open triangle lies above all other shapes.
    let roof = vec![at(-16.5, -16.5, 4.0), at(16.25, -16.5, 4.0), at(0.25, 17.125, 4.0)];
    scene.add(raytwin::Mesh::new(roof, vec![[0, 1, 2]]).unwrap()).unwrap();
    // The washer, which has no inside, covers solids with more crossings than fit into three bits.
    let washer = raytwin::Disc {
        center: at(-8.0, 8.0, -4.0),
        normal: DVec3::Z,
        radius: 3.0,
        inner_radius: 0.0,
    };
    scene.add(washer).unwrap();
    let rod = vec![at(-8.0, 8.0, -9.0), at(-8.0, 8.0, -3.0)];
    scene.add(raytwin::Lines::new(rod, vec![[0, 1]], 1.0).unwrap()).unwrap();
    for radius in [2.0, 1.75, 1.5, 1.25, 1.0, 0.75] {
        scene.add(Sphere { center: at(-8.0, 8.0, -4.0), radius }).unwrap();
    }
    for id in [2, 4, 6] {
        scene.set_mask(id, 1);
    }
    scene.set_mask(1, 2);
    scene.set_mask(8, 4);
    let mut rays = Vec::new();
    for x in -12..=12 {
        for y in -12..=12 {
            let [x, y] = [x as f32, y as f32];
            rays.push(Ray::new([x, y, -8.0], [0.0, 0.0, 2.0]));
            rays.push(Ray::new([x, y, 0.0], [0.0, 0.0, 1.0]));
            rays.push(Ray::new([x, y, 0.0], [1.0, 0.0, 0.0]).within(0.0, 8.0));
            rays.push(Ray::new([x, y, -2.0], [0.0, 0.0, 1.0]).within(1.0, 4.0));
            rays.push(Ray::new([x, y, -2.0], [0.0, 0.0, 1.0]));
            rays.push(Ray::new([x, y, -3.0], [0.0, 0.0, 1.0]).within(1.0, 9.0));
            rays.push(Ray::new([x, y, 2.0], [0.0, 0.0, 1.0]));
            rays.push(Ray::new([x, y, -4.0], [0.0, 0.0, 1.0]));
            rays.push(Ray::new([x, y, 9.0], [0.0, 0.0, -1.0]));
            rays.push(Ray::new([x, 1.0, y], [0.0, f32::NAN, 0.0]));
        }
    }
    Trial::new(scene, rays)
}

fn cube_at(center: DVec3, half: f64) -> raytwin::Mesh {
    let cube = cube_mesh();
    let vertices = cube.vertices().iter().map(|&vertex| center + half * vertex).collect();
    raytwin::Mesh::new(vertices, cube.triangles().to_vec()).unwrap()
}

#[test]
fn every_fault_in_a_query_is_noticed() {
    let trial = lattice();
    let expected = trial.ask(&CpuTracer::new(&trial.packed));
    let from_gpu = trial.ask(&GpuTracer::new(&gpu(), &trial.packed).unwrap());
    for (index, ray) in trial.rays.iter().enumerate() {
        let of = |answers: &Answers| {
            let [from, to] = [index, index + 1].map(|ray| answers.splits[ray] as usize);
            let all = answers.all[from..to].to_vec();
            let hits = (answers.chosen[index], answers.solid[index], answers.begun[index]);
            (answers.any[index], answers.counts[index], all, hits)
        };
        assert_eq!(
            of(&from_gpu),
            of(&expected),
            "without a fault both sides agree to the bit: {ray:?}"
        );
    }
    let mut survivors = Vec::new();
    for (index, fault) in MUTANTS.iter().enumerate() {
        if !is_planted(index) {
            assert_not_stale(&gpu(), fault);
        } else if !trial.is_noticed(&expected, Some(fault)) {
            survivors.push(fault);
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}
