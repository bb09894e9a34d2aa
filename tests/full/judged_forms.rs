//! A device's answers to every kind of query are judged, for each form of geometry beside boxes, and none is a mismatch.

use crate::common::*;
use crate::judged_kinds::{RAYS, is_as_rounding_predicts, judge_rays, masked};
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{PackedScene, Tracer};
use raytwin_verify::{Class, Judge, Rates};

/// The points at each spot.
const POINTS: usize = 200;

fn no_answer_is_wrong(form: Form) {
    let gpu = gpu();
    let mut rates = Rates::default();
    for (seed, (size, offset, count)) in (500..).zip(SCENES) {
        let middle = offset * DVec3::new(1.0, 0.7, -0.4);
        let scene = masked(scene_of(&[form, Form::Cuboid], seed, count, size, middle));
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        for (seed, family) in (510..).zip(Family::ALL) {
            let rays = rays(seed, family, RAYS, &scene, size);
            let label = format!("{form:?} size {size} offset {offset} {family:?}");
            rates.extend(&judge_rays(&packed, &tracer, &rays, &label));
        }
        for (seed, spot) in (520..).zip(Spot::ALL) {
            let points = points(seed, spot, POINTS, &scene, size);
            let answers = tracer.points(&points).unwrap();
            let verdicts = Judge::new(&packed).judge_points(&points, &answers).unwrap();
            for (point, verdict) in points.iter().zip(&verdicts) {
                assert_ne!(
                    verdict.class,
                    Class::Mismatch,
                    "{form:?} size {size} offset {offset} {spot:?}: {point:?}: {verdict:?}"
                );
            }
        }
    }
    is_as_rounding_predicts(&rates);
}

macro_rules! forms {
    ($($name:ident $form:ident,)+) => {
        $(
            #[test]
            fn $name() {
                no_answer_is_wrong(Form::$form);
            }
        )+
    };
}

forms! {
    spheres Sphere,
    boxes Cuboid,
    cylinders Cylinder,
    tubes Tube,
    capsules Capsule,
    cones Cone,
    ellipsoids Ellipsoid,
    tori Torus,
    planes Plane,
    discs Disc,
    triangles Triangle,
    meshes Mesh,
    heightfields Heightfield,
    lines Lines,
    sheets Sheet,
    closed_heightfields ClosedHeightfield,
    cylinder_shells CylinderShell,
    cone_shells ConeShell,
}
