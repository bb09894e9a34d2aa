//! Scenes of instances, and rays at them.

use super::{Family, Form, between, direction, rays, scene_of};
use fastrand::Rng;
use raytwin::glam::{DMat3, DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::{Affine, Definition, Ray, Scene, Transform};

/// A map that stretches by `scale` along turned axes, which shears, and moves.
fn affine(rng: &mut Rng, scale: DVec3, translation: DVec3) -> Affine {
    let [before, after] = [0; 2].map(|_| DQuat::from_axis_angle(direction(rng), 1.0 + rng.f64()));
    Affine {
        linear: DMat3::from_quat(after) * DMat3::from_diagonal(scale) * DMat3::from_quat(before),
        translation,
    }
}

/// The places of instances: similarities and mirrors of them, shears, far, uneven, tiny and huge ones.
pub fn places(rng: &mut Rng) -> Vec<Affine> {
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    vec![
        Affine { linear: DMat3::IDENTITY, translation: at(3.0, 0.0, 1.0) },
        affine(rng, DVec3::splat(2.0), at(-30.0, 5.0, 0.0)),
        affine(rng, DVec3::splat(-0.5), at(0.0, 40.0, 2.0)),
        affine(rng, at(1.0, 2.0, 0.7), at(50.0, -20.0, 4.0)),
        affine(rng, at(1.0, -1.5, 1.0), at(-3e4, 7e4, 1e4)),
        affine(rng, at(30.0, 1.0, 0.03), at(200.0, 300.0, -100.0)),
        affine(rng, DVec3::splat(1e-4), at(1.0, 2.0, 3.0)),
        affine(rng, at(1e4, 2e4, 1e4), at(-5e5, 0.0, 9e5)),
    ]
}

/// Takes rays from object space to the world.
pub fn placed_rays(rays: &[Ray], place: &Affine) -> Vec<Ray> {
    let placed = |ray: &Ray| {
        let line = ray.line();
        let [origin, way] = [place.point(line.origin), place.linear * line.direction];
        Ray::new(origin.as_vec3(), way.as_vec3()).within(ray.t_min, ray.t_max)
    };
    rays.iter().map(placed).collect()
}

/// Makes a scene of instances of some forms, between which are geometries of its own, and rays at each instance. The
/// definition's geometries lie about `middle`.
pub fn placed_scene(
    forms: &[Form],
    seed: u64,
    rays_of_family: usize,
    middle: DVec3,
) -> (Scene, Vec<Ray>) {
    let rng = &mut Rng::with_seed(seed);
    let inner = scene_of(forms, seed, 12, 1.0, middle);
    let definition = Definition::new(inner.clone());
    let mut scene = Scene::new();
    let mut all = Vec::new();
    for (turn, mut place) in (0..).zip(places(rng)) {
        // An instance stands at the same place wherever its definition's geometries are.
        place.translation -= place.linear * middle;
        scene.add_instance(&definition, &place.into(), None, None).unwrap();
        if turn % 3 == 0 {
            let beside = DVec3::new(5.0 * f64::from(turn), 9.0, 0.0);
            scene.add(forms[0].random(rng, 1.0, beside)).unwrap();
        }
        for (seed, family) in (seed..).zip(Family::ALL) {
            let rays = rays(seed + 100 * turn as u64, family, rays_of_family, &inner, 1.0);
            all.extend(placed_rays(&rays, &place));
        }
    }
    (scene, all)
}

/// A transform of some kind: a similarity, a mirror, a stretch, or a shear.
pub fn transform(rng: &mut Rng, reach: f64) -> Transform {
    let rotation = DQuat::from_axis_angle(direction(rng), between(rng, 0.0, 6.0));
    let translation: DVec3 = direction(rng) * (reach * between(rng, 0.0, 1.0));
    let size = 10.0_f64.powf(between(rng, -1.0, 1.0));
    let scale = match rng.usize(..4) {
        0 => return Similarity { translation, rotation, scale: size }.into(),
        1 => DVec3::new(size, size, -size),
        2 => size * DVec3::new(between(rng, 0.3, 3.0), 1.0, between(rng, 0.3, 3.0)),
        _ => {
            let shear = DMat3::from_cols_array(&[1.0, 0.0, 0.0, 0.7, 1.0, 0.0, -0.4, 0.2, 1.0]);
            return Affine { linear: DMat3::from_quat(rotation) * shear * size, translation }
                .into();
        }
    };
    Affine::from_scale_rotation_translation(scale, rotation, translation).into()
}

/// A ray towards some geometry, from near it or from far away.
pub fn ray_at(rng: &mut Rng, scene: &Scene) -> Ray {
    let id = rng.u32(..scene.geometry_count());
    let primitives = scene.geometry(id).unwrap().primitive_count() as u32;
    let primitive = scene.primitive(id, rng.u32(..primitives)).unwrap();
    let size = primitive.radius().max(1.0);
    let target = primitive.center() + 0.7 * size * direction(rng);
    let origin = target + size * 10.0_f64.powf(between(rng, -1.0, 2.0)) * direction(rng);
    let direction = (target - origin) * 10.0_f64.powf(between(rng, -3.0, 3.0));
    Ray::new(origin.as_vec3().to_array(), direction.as_vec3().to_array())
}
