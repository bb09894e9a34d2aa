//! Every form of geometry on the GPU is compared with the float64 reference, with a million rays each in a full
//! sweep.

use crate::common::*;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{Batch, PackedScene, Tracer};
use raytwin_verify::Class;

/// Returns the rays of each family in each scene. Seven families and six scenes make 1,008,000 for each form in a full sweep.
fn swept_rays() -> usize {
    sweep(3_000, 24_000)
}

fn no_answer_is_wrong(form: Form) {
    let (gpu, ray_count) = (gpu(), swept_rays());
    let mut hits_in_all = 0;
    for (seed, (size, offset, count)) in (100..).zip(SCENES) {
        let middle = offset * DVec3::new(1.0, 0.7, -0.4);
        let scene = scene_of(&[form], seed, count, size, middle);
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        for (seed, family) in (10..).zip(Family::ALL) {
            let rays = rays(seed, family, ray_count, &scene, size);
            let hits = tracer.closest(Batch::new(&rays)).unwrap();
            let verdicts = verdicts(&packed, &rays, &hits);
            for (ray, verdict) in rays.iter().zip(&verdicts) {
                assert_ne!(
                    verdict.class,
                    Class::Mismatch,
                    "size {size} offset {offset} {family:?}: {ray:?}: {verdict:?}: {:?}",
                    scene.primitive(
                        verdict.exact.hit().geometry_id,
                        verdict.exact.hit().primitive_id
                    )
                );
            }
            // Few answers may be doubtful.
            let sure = count_of(&verdicts, &[Class::Exact, Class::Within]);
            if matches!(family, Family::Aimed(12.0) | Family::Inside | Family::AnyLength) {
                let doubtful = verdicts.len() - sure;
                assert!(doubtful <= ray_count / 40, "{family:?}: {doubtful} doubtful answers");
            }
            hits_in_all += hits.iter().filter(|hit| hit.is_hit()).count();
        }
    }
    let rays = ray_count * Family::ALL.len() * SCENES.len();
    assert!(
        rays >= sweep(125_000, 1_000_000) && hits_in_all > rays / 8,
        "{hits_in_all} of {rays} hit"
    );
}

fn count_of(verdicts: &[raytwin_verify::Verdict], classes: &[Class]) -> usize {
    classes.iter().map(|&class| count(verdicts, class)).sum()
}

/// Checks the worst error of `t` as a fraction of its bound.
fn stays_inside_the_bound(form: Form) {
    let scene = scene_of(&[form], 7, 24, 1.0, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    for family in [Family::Aimed(12.0), Family::Aimed(1e3), Family::Inside] {
        let rays = rays(8, family, 4 * swept_rays(), &scene, 1.0);
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let worst = verdicts(&packed, &rays, &hits)
            .iter()
            .filter(|verdict| matches!(verdict.class, Class::Exact | Class::Within))
            .filter_map(|verdict| verdict.error)
            .fold(0.0, f64::max);
        println!("{form:?}, {family:?}: {worst:.3} of the bound");
        // A worst error of zero would mean that nothing was measured.
        assert!(
            worst > 1e-4 && worst < allowed_share(),
            "{form:?}, {family:?}: {worst} of the bound"
        );
    }
}

macro_rules! each_form {
    ($($name:ident: $form:ident,)+) => {
        mod no_answer_is_wrong_of {
            $(#[test] fn $name() { super::no_answer_is_wrong(super::Form::$form); })+
        }
        mod t_stays_inside_the_bound_of {
            $(#[test] fn $name() { super::stays_inside_the_bound(super::Form::$form); })+
        }
    };
}

for_each_form!(each_form);

#[test]
fn the_lattice_is_answered_to_the_bit() {
    let hits = lattice_hits(other_lattice_scene());
    for id in (0..10).chain(11..14) {
        let hit_count = hits.iter().filter(|hit| hit.geometry_id == id).count();
        assert!(hit_count > 20, "geometry {id} was hit {hit_count} times");
    }
    let lower_wins = hits.iter().all(|hit| hit.geometry_id != 10);
    assert!(lower_wins || !arithmetic().is_correctly_rounded(), "the lower of two equal ones wins");
}

/// One scene has every form, so that all branches of the shader's switch are compiled together.
#[test]
fn every_form_is_answered_in_one_scene() {
    let scene = scene_of(&Form::ALL, 50, 54, 1.0, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    for family in Family::ALL {
        let rays = rays(51, family, 5000, &scene, 1.0);
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let verdicts = verdicts(&packed, &rays, &hits);
        assert_eq!(count(&verdicts, Class::Mismatch), 0, "{family:?}");
    }
}
