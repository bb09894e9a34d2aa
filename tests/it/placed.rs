//! Instances of every form on the GPU are compared with the float64 reference: 1.2 million rays
//! in a full sweep.

use crate::common::*;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{Batch, PackedScene, Tracer};
use raytwin_verify::Class;

/// Returns the rays of each family at each scene.
fn swept_rays() -> usize {
    sweep(150, 750)
}

fn no_answer_is_wrong(form: Form) {
    // In an assembly, shapes lie far from the origin of their own space, and rays start near them.
    for (seed, middle) in [(300, DVec3::ZERO), (301, 1e4 * DVec3::new(1.0, 0.7, -0.4))] {
        no_answer_is_wrong_about(form, seed, middle);
    }
}

fn no_answer_is_wrong_about(form: Form, seed: u64, middle: DVec3) {
    let (scene, rays) = placed_scene(&[form], seed, swept_rays(), middle);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let mut first = None;
    for gpu in gpus() {
        let hits = GpuTracer::new(&gpu, &packed).unwrap().closest(Batch::new(&rays)).unwrap();
        let first = first.get_or_insert_with(|| hits.clone());
        assert_eq!(hits.len(), first.len());
        let is_same = hits.iter().zip(&*first).all(|(a, b)| {
            (a.t.to_bits(), a.geometry_id, a.primitive_id)
                == (b.t.to_bits(), b.geometry_id, b.primitive_id)
        });
        assert!(is_same, "the variants of the kernels differ");
    }
    let hits = first.unwrap();
    let verdicts = verdicts(&packed, &rays, &hits);
    let wrong = count(&verdicts, Class::Mismatch);
    for (ray, verdict) in rays.iter().zip(&verdicts) {
        assert_ne!(
            verdict.class,
            Class::Mismatch,
            "{wrong} of {}, as {ray:?}: {verdict:?}: {:?}",
            rays.len(),
            scene.primitive(verdict.exact.hit().geometry_id, verdict.exact.hit().primitive_id)
        );
    }
    let is_sure = |class| matches!(class, Class::Exact | Class::Within);
    let sure_ones = verdicts.iter().filter(|verdict| is_sure(verdict.class));
    let worst = sure_ones.filter_map(|verdict| verdict.error).fold(0.0, f64::max);
    let sure = count(&verdicts, Class::Exact) + count(&verdicts, Class::Within);
    println!("{form:?}: {worst:.3} of the bound, {sure} of {} sure", rays.len());
    assert!(worst > 1e-4 && worst <= 1.0, "{worst} of the bound");
    let hit_count = hits.iter().filter(|hit| hit.is_hit()).count();
    assert!(hit_count > rays.len() / 8, "{hit_count} of {} hit", rays.len());
}

macro_rules! each_form {
    ($($name:ident: $form:ident,)+) => {
        mod no_answer_is_wrong_of_placed {
            $(#[test] fn $name() { super::no_answer_is_wrong(super::Form::$form); })+
        }
    };
}

each_form! {
    spheres: Sphere,
    boxes: Cuboid,
    cylinders: Cylinder,
    tubes: Tube,
    capsules: Capsule,
    cones: Cone,
    ellipsoids: Ellipsoid,
    tori: Torus,
    planes: Plane,
    sheets: Sheet,
    closed_heightfields: ClosedHeightfield,
    discs: Disc,
    triangles: Triangle,
    meshes: Mesh,
    heightfields: Heightfield,
    lines: Lines,
}
