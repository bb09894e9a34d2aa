//! Rays and points that a seed aims at a scene. A comparison asks about these by default.

use super::aim::{Family, Spot, aimed_rays, points, typical_size};
use fastrand::Rng;
use raytwin::query::{Query, Rays};
use raytwin::question::RayQuestion;
use raytwin::ray::NONE;
use raytwin::scene::Scene;
use std::sync::Arc;

/// The number of worlds that rays are aimed in, if a scene has many.
const WORLDS: u32 = 8;

/// The largest distance from which rays are promised right answers, in sizes of a scene.
const FARTHEST: f64 = 1e5;

/// Makes about `count` rays of all [families](Family) by a seed, some from as far away as 100,000
/// sizes of the scene, and asks each of these queries with them: every query without filters and
/// with random masks and ignored geometries, and the closest and any hit also with solids. In a
/// scene of several worlds, the rays are cast in some of them. A scene without geometries has no
/// rays.
pub fn ray_questions(
    scene: &Scene,
    queries: &[Query],
    count: usize,
    seed: u64,
) -> Vec<RayQuestion> {
    let families = [&Family::ALL[..], &[Family::Afar(FARTHEST)]].concat();
    questions_of(&families, scene, queries, count, seed)
}

/// Does the same with rays of the given families.
pub(super) fn questions_of(
    families: &[Family],
    scene: &Scene,
    queries: &[Query],
    count: usize,
    seed: u64,
) -> Vec<RayQuestion> {
    let (rays, targets) = seeded_rays(families, scene, count, seed);
    if rays.rays.is_empty() {
        return Vec::new();
    }
    let filtered = Arc::new(filtered(&rays, &targets, seed));
    let rays = Arc::new(rays);
    let mut questions = Vec::new();
    for &query in queries {
        let question = |name, is_solid, rays: &Arc<Rays>| {
            let rays = Arc::clone(rays);
            RayQuestion { name, query, is_solid, rays }
        };
        questions.push(question("seeded rays", false, &rays));
        questions.push(question("filtered rays", false, &filtered));
        if query.takes_solids() {
            questions.push(question("seeded rays", true, &rays));
        }
    }
    questions
}

/// Makes about `count` points of all [positions](Spot) by a seed.
pub fn seeded_points(scene: &Scene, count: usize, seed: u64) -> Vec<[f32; 3]> {
    let size = typical_size(scene);
    let of_spot = |spot| points(seed, spot, count.div_ceil(Spot::ALL.len()), scene, size);
    Spot::ALL.into_iter().flat_map(of_spot).collect()
}

/// Returns rays of some families, and the geometry that each ray is aimed at.
fn seeded_rays(families: &[Family], scene: &Scene, count: usize, seed: u64) -> (Rays, Vec<u32>) {
    let worlds = scene.world_count();
    let rng = &mut Rng::with_seed(seed);
    let chosen: Vec<u32> = match worlds {
        ..=WORLDS => (0..worlds).collect(),
        _ => (0..WORLDS).map(|_| rng.u32(..worlds)).collect(),
    };
    let each = count.div_ceil(chosen.len() * families.len());
    let (mut rays, mut targets) = (Rays::default(), Vec::new());
    for &world in &chosen {
        let in_world = if worlds > 1 { scene.in_world(world).ok().flatten() } else { None };
        let in_world = in_world.as_ref().unwrap_or(scene);
        let size = typical_size(in_world);
        for &family in families {
            for (ray, target) in aimed_rays(rng.u64(..), family, each, in_world, size) {
                rays.rays.push(ray);
                targets.push(target);
                if worlds > 1 {
                    rays.worlds.get_or_insert_default().push(world);
                }
            }
        }
    }
    (rays, targets)
}

/// Returns the same rays with masks. Most masks let a ray see everything, and half of the rays
/// ignore the geometry that they are aimed at.
fn filtered(rays: &Rays, targets: &[u32], seed: u64) -> Rays {
    let rng = &mut Rng::with_seed(seed);
    let mask = |_: &u32| match rng.u32(..8) {
        0 => 0,
        1..4 => rng.u32(..),
        _ => u32::MAX,
    };
    let masks = targets.iter().map(mask).collect();
    let ignored = targets.iter().map(|&target| if rng.bool() { target } else { NONE }).collect();
    Rays { masks: Some(masks), ignored: Some(ignored), ..rays.clone() }
}
