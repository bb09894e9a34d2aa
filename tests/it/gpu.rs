//! The GPU's answers are compared with the float64 reference.

use crate::common::*;
use fastrand::Rng;
use raytwin::camera::{Optics, Risley, ScanPattern};
use raytwin::geometry::Primitive;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::{Batch, Camera, Elevation, PackedScene, Panorama, Projection, Scene, Tracer, View};
use raytwin_verify::{Class, camera_error};

/// Returns the rays of each family in each scene, over a million in all in a full sweep.
fn swept_rays() -> usize {
    sweep(4_000, 30_000)
}

fn scenes() -> Vec<(&'static str, Scene, f64)> {
    let far = DVec3::new(1.0, 0.7, -0.4);
    vec![
        ("about one", random_scene(1, 48, 1.0, DVec3::ZERO), 1.0),
        ("tiny", random_scene(2, 48, 1e-4, DVec3::ZERO), 1e-4),
        ("huge", random_scene(3, 48, 1e4, DVec3::ZERO), 1e4),
        ("1e3 from the origin", random_scene(4, 48, 1.0, 1e3 * far), 1.0),
        ("1e5 from the origin", random_scene(5, 48, 1.0, 1e5 * far), 1.0),
        ("many", random_scene(6, 3000, 0.3, DVec3::ZERO), 0.3),
    ]
}

#[test]
fn no_answer_of_any_family_of_rays_is_wrong() {
    let (gpu, ray_count) = (gpu(), swept_rays());
    for (name, scene, size) in scenes() {
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        let mut kinds_hit = [0; 3];
        for (seed, family) in (10..).zip(Family::ALL) {
            let rays = rays(seed, family, ray_count, &scene, size);
            let hits = tracer.closest(Batch::new(&rays)).unwrap();
            let verdicts = verdicts(&packed, &rays, &hits);
            for (index, verdict) in verdicts.iter().enumerate() {
                assert_ne!(
                    verdict.class,
                    Class::Mismatch,
                    "{name}, {family:?}: {:?}: {verdict:?}",
                    rays[index]
                );
                let given = scene.primitive(verdict.given.hit().geometry_id, 0);
                if let Some(shape) = given.as_ref().and_then(Primitive::shape) {
                    kinds_hit[shape.primitive_kind() as usize] += 1;
                }
            }
            // Few answers may be doubtful. At a distance of 1e5 sizes the zone of doubt covers a hundredth of a shape's
            // width.
            let doubtful =
                verdicts.len() - count(&verdicts, Class::Exact) - count(&verdicts, Class::Within);
            let allowed = match family {
                Family::Cut => ray_count / 2,
                _ => ray_count / 50,
            };
            assert!(doubtful <= allowed, "{name}, {family:?}: {doubtful} doubtful answers");
            let hit = hits.iter().filter(|hit| hit.is_hit()).count();
            // Some cut rays end between the crossings.
            let expected = if family == Family::Cut { ray_count / 6 } else { ray_count / 4 };
            assert!(hit > expected, "{name}, {family:?}: only {hit} rays hit anything");
        }
        for (kind, hits) in kinds_hit.iter().enumerate() {
            assert!(*hits > ray_count / 4, "{name}: kind {kind} was hit {hits} times");
        }
    }
}

#[test]
fn errors_stay_well_inside_the_bound() {
    let scene = random_scene(7, 48, 1.0, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    for family in [Family::Aimed(12.0), Family::Aimed(1e3), Family::Aimed(1e5), Family::Inside] {
        let rays = rays(8, family, swept_rays(), &scene, 1.0);
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let worst = verdicts(&packed, &rays, &hits)
            .iter()
            .filter(|verdict| matches!(verdict.class, Class::Exact | Class::Within))
            .filter_map(|verdict| verdict.error)
            .fold(0.0, f64::max);
        // A worst error of zero would mean that nothing was measured.
        assert!(worst > 1e-3 && worst < allowed_share(), "{family:?}: {worst} of the bound");
    }
}

#[test]
fn the_lattice_is_answered_to_the_bit() {
    let hits = lattice_hits(lattice_scene());
    let hit = hits.iter().filter(|hit| hit.is_hit()).count();
    assert!(hit > 2000, "{hit} of {} rays hit anything", hits.len());
    for id in [0, 1, 2, 3, 4, 5, 6] {
        let hit_count = hits.iter().filter(|hit| hit.geometry_id == id).count();
        assert!(hit_count > 20, "geometry {id} was hit {hit_count} times");
    }
    let lower_ids_win = hits.iter().all(|hit| hit.geometry_id != 7 && hit.geometry_id != 9);
    assert!(
        lower_ids_win || !arithmetic().is_correctly_rounded(),
        "lower ids win where ties are exact"
    );
}

#[test]
fn invalid_rays_are_answered_with_nan_and_change_no_other_answer() {
    let scene = random_scene(9, 12, 1.0, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let good = rays(10, Family::Aimed(5.0), 10_000, &scene, 1.0);
    let alone = tracer.closest(Batch::new(&good)).unwrap();
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38, 1e-40];
    let mut mixed = good.clone();
    for (index, ray) in mixed.iter_mut().enumerate().filter(|(index, _)| index % 3 == 0) {
        let number = bad[index % bad.len()];
        match index % 4 {
            0 => ray.direction = [number; 3],
            1 if !number.is_finite() => ray.origin[2] = number,
            2 => ray.t_min = f32::NAN,
            _ => (ray.t_min, ray.t_max) = (1.0, -1.0),
        }
    }
    for (index, hit) in tracer.closest(Batch::new(&mixed)).unwrap().iter().enumerate() {
        if mixed[index].is_valid() {
            assert_eq!(hit, &alone[index]);
        } else {
            assert!(hit.t.is_nan() && !hit.is_hit(), "{:?}: {hit:?}", mixed[index]);
        }
    }
}

/// Returns the worst error of a component of the rays that the GPU generates for a view, in u.
fn worst_camera_ray(tracer: &GpuTracer, view: &View) -> f64 {
    let rays = tracer.camera_rays(view, 0..view.pixels()).unwrap();
    assert_eq!(rays.len(), view.pixels());
    camera_error(&view.into(), 0, &rays)
}

fn camera_tracer() -> GpuTracer {
    let packed = PackedScene::new(random_scene(11, 12, 1.0, DVec3::ZERO)).unwrap();
    GpuTracer::new(&gpu(), &packed).unwrap()
}

#[test]
fn camera_rays_are_those_of_the_float64_camera() {
    let tracer = camera_tracer();
    let projections = [
        Projection::Perspective { fov_y_degrees: 40.0 },
        Projection::Perspective { fov_y_degrees: 150.0 },
        Projection::Perspective { fov_y_degrees: 0.5 },
        Projection::Pinhole { focal: [523.7, 519.3], center: [318.2, 243.9], size: [640, 480] },
        Projection::Pinhole { focal: [20.0, 20.2], center: [320.3, 240.7], size: [640, 480] },
        Projection::Pinhole { focal: [5.1, 137.3], center: [-77.3, 1000.1], size: [640, 480] },
        Projection::Orthographic { height: 12.5 },
        Projection::Orthographic { height: 100.0 },
        Projection::Orthographic { height: 2000.0 },
    ];
    for projection in projections {
        for eye in
            [DVec3::new(0.1, -5.3, 0.7), DVec3::new(3.0, -7.0, 2.0), DVec3::new(1e5, 7e4, -4e4)]
        {
            let target = eye + DVec3::new(-0.3, 0.9, -0.2);
            let camera = Camera::look_at("c", eye, target, DVec3::Z, projection.clone()).unwrap();
            let error = worst_camera_ray(&tracer, &View::new(camera, 641, 473).unwrap());
            assert!(error <= 4.0, "{projection:?} at {eye}: {error} u");
        }
    }
}

/// The elevation tables of real lidars, from the top row down.
fn lidar_tables() -> Vec<Vec<f64>> {
    let evenly = |top: f64, step: f64, rows: u32| {
        (0..rows).map(move |row| top - step * f64::from(row)).collect::<Vec<_>>()
    };
    // Lidars for roads have their rows dense around the horizon.
    let uneven = [
        vec![15.0, 11.0, 8.0, 5.0, 3.0, 2.0],
        evenly(11.0 / 6.0, 1.0 / 6.0, 48),
        evenly(-7.0, 1.0, 8),
        vec![-19.0, -25.0],
    ]
    .concat();
    vec![
        evenly(15.0, 2.0, 16),
        evenly(10.67, 4.0 / 3.0, 32),
        evenly(22.5, 45.0 / 127.0, 128),
        uneven,
    ]
}

#[test]
fn rays_of_lidars_are_those_of_the_float64_camera() {
    let tracer = camera_tracer();
    let rng = &mut Rng::with_seed(12);
    let around = [180.0, -180.0];
    let mut images: Vec<_> = lidar_tables()
        .into_iter()
        .map(|rows| (2048, rows.len() as u32, around, Elevation::Table(rows)))
        .collect();
    for turn in 0..sweep(40, 200) {
        let (width, height) = (rng.u32(1..1000), rng.u32(1..100));
        let left = between(rng, -720.0, 720.0);
        let azimuth = [left, left + between(rng, -360.0, 360.0)];
        let mut elevation = || between(rng, -90.0, 90.0);
        let elevation = if turn % 2 == 0 {
            Elevation::Range([elevation(), elevation()])
        } else {
            Elevation::Table((0..height).map(|_| elevation()).collect())
        };
        images.push((width, height, azimuth, elevation));
    }
    let mut projections = Vec::new();
    for (turn, (width, height, azimuth_degrees, elevation_degrees)) in
        images.into_iter().enumerate()
    {
        let mut panorama = Panorama::new(azimuth_degrees, elevation_degrees);
        if turn % 3 == 0 && matches!(panorama.elevation_degrees, Elevation::Table(_)) {
            panorama.row_azimuth_offsets_degrees =
                (0..height).map(|_| between(rng, -180.0, 180.0)).collect();
        }
        projections.push((width, height, Projection::Panoramic(panorama)));
    }
    for &beams in sweep(&[1, 5000][..], &[1, 5000, 300_000]) {
        let wedges = Risley {
            wedge_degrees: [18.0, 12.0],
            refractive_index: 1.51,
            turns_per_s: [-77.7, 121.6],
        };
        let (pulses_per_s, sweep_s) = (1e5, f64::from(beams) * 1e-5);
        let pattern =
            ScanPattern::Steered { optics: Optics::Risley(wedges), pulses_per_s, sweep_s };
        projections.push((beams, 1, Projection::Pattern(pattern)));
    }
    let mut worst: f64 = 0.0;
    for (width, height, projection) in projections {
        let eye = 10_f64.powf(between(rng, -1.0, 5.0)) * direction(rng);
        let target = eye + 10.0 * direction(rng);
        let camera = Camera::look_at("c", eye, target, direction(rng), projection).unwrap();
        let view = View::new(camera, width, height).unwrap();
        let error = worst_camera_ray(&tracer, &view);
        assert!(error <= 4.0, "{:?}: {error} u", view.camera);
        worst = worst.max(error);
    }
    // A worst error of zero would mean that nothing was measured.
    assert!(worst > 0.1, "{worst} u");
}
