//! Images from many poses, each in a world: their answers are those of one image after the other.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::image::Image;
use raytwin::{
    Batch, BatchError, Camera, CanonicalTracer, CpuTracer, Elevation, HitArrays, Hits, PackedScene,
    Panorama, Pose, Projection, TraceError, Tracer, View, Views,
};

/// Views of cameras of each kind of projection, whose images are of a few hundred pixels.
fn sensors() -> Vec<View> {
    let panorama = Panorama::new([180.0, -180.0], Elevation::Table(vec![-8.0, -1.0, 5.0]));
    let offsets = Panorama {
        row_azimuth_offsets_degrees: vec![0.0, 2.0, -3.0],
        ..Panorama::new([90.0, -90.0], Elevation::Table(vec![-8.0, -1.0, 5.0]))
    };
    let projections = [
        (Projection::Perspective { fov_y_degrees: 70.0 }, [17, 11]),
        (Projection::Orthographic { height: 6.0 }, [9, 30]),
        (Projection::Panoramic(panorama), [50, 3]),
        (Projection::Panoramic(offsets), [50, 3]),
    ];
    let view = |(projection, [width, height]): (Projection, [u32; 2])| {
        let camera = Camera::look_at("eye", DVec3::ZERO, DVec3::X, None, projection).unwrap();
        View::new(camera, width, height).unwrap()
    };
    projections.into_iter().map(view).collect()
}

#[test]
fn images_of_many_worlds_are_those_of_each_world_alone() {
    let rng = &mut Rng::with_seed(36);
    let (mut scene, movers) = stage(rng, 5.0);
    add_worlds(rng, &mut scene, &movers, 4, 5.0);
    let alone = alone(&scene);
    let eyes: Vec<DVec3> = (0..9).map(|_| 9.0 * direction(rng)).collect();
    let world_ids = [3, 0, 1, 1, 2, 0, 3, 2, 2];
    let packed = PackedScene::new(scene.clone()).unwrap();
    let cpu: Box<dyn Tracer> = Box::new(CpuTracer::new(&packed));
    // Images begin and end within chunks.
    let on_device = GpuTracer::new(&gpu(), &packed).unwrap().with_chunk(130);
    let canonical = CanonicalTracer::new(GpuTracer::new(&gpu(), &packed).unwrap());
    for tracer in [cpu, Box::new(on_device), Box::new(canonical)] {
        let mut hits_in_all = 0;
        for (view, mask) in sensors().iter().zip([u32::MAX, 1, u32::MAX, 2]) {
            let pose = |&eye: &DVec3| {
                let projection = view.camera.projection.clone();
                Camera::look_at("eye", eye, DVec3::ZERO, None, projection)
                    .unwrap()
                    .pose(DVec3::ZERO)
            };
            let poses: Vec<Pose> = eyes.iter().map(pose).collect();
            let views = Views::new(view, &poses, DVec3::ZERO).unwrap().seeing(mask);
            let views = views.in_worlds(&world_ids).unwrap();
            let all = 0..views.pixels();
            let rays = tracer.rays_of_views(&views, all.clone()).unwrap();
            let hits = tracer.render_views(&views, all.clone()).unwrap();
            // The pixels of one pose have the rays that the camera has there alone.
            for (image, pose) in poses.iter().enumerate() {
                let camera = view.camera.at_pose(pose, DVec3::ZERO).unwrap();
                let pixels = view.pixels();
                let view = View::new(camera, view.width, view.height).unwrap();
                let expected = tracer.camera_rays(&view, 0..pixels).unwrap();
                assert_eq!(rays[image * pixels..][..pixels], expected);
            }
            let (masks, worlds): (Vec<u32>, Vec<u32>) =
                all.clone().map(|pixel| (mask, views.world(pixel))).unzip();
            let batch = Batch::new(&rays).with_masks(&masks).unwrap().in_worlds(&worlds).unwrap();
            assert_eq!(hits, tracer.closest(batch).unwrap(), "{}", tracer.device());
            // A piece may begin and end within an image.
            let piece = view.pixels() - 3..2 * view.pixels() + 5;
            assert_eq!(hits[piece.clone()], tracer.render_views(&views, piece.clone()).unwrap());
            let image = Image::of_views(
                &scene,
                &views,
                piece.start,
                &hits[piece.clone()],
                HitArrays::DEFAULT,
            );
            let of_batch = Hits::new(&scene, batch, &hits, HitArrays::DEFAULT);
            // The image's normals are those of the float64 camera, whose rays a device rounds.
            let normals = of_batch.primitive_normals[piece.clone()].iter();
            for (given, expected) in image.hits.primitive_normals.iter().zip(normals) {
                let off =
                    (0..3).map(|axis| (given[axis] - expected[axis]).abs()).fold(0.0, f32::max);
                assert!(off < 1e-4, "{given:?} {expected:?}");
            }
            for (index, pixel) in piece.enumerate() {
                let hit = hits[pixel];
                let scene = &alone[views.world(pixel) as usize];
                assert_eq!(image.distance[index], hit.t);
                assert_eq!(hit.is_hit(), scene.geometry(hit.geometry_id).is_some());
                hits_in_all += usize::from(hit.is_hit());
            }
        }
        assert!(hits_in_all > 200, "{}: {hits_in_all}", tracer.device());
        let pose = sensors()[0].camera.pose(DVec3::ZERO);
        let elsewhere = Views::new(&sensors()[0], &[pose; 2], DVec3::ZERO).unwrap();
        let elsewhere = elsewhere.in_worlds(&[1, 4]).unwrap();
        let refused = tracer.render_views(&elsewhere, 0..5);
        let expected = BatchError::WorldOfImage { image: 1, world: 4, worlds: 4 };
        assert!(matches!(refused, Err(TraceError::Batch(error)) if error == expected));
        let pixels = sensors()[0].pixels();
        let beyond = tracer.render(&sensors()[0], pixels - 1..pixels + 9);
        let expected = BatchError::Pixels { end: pixels + 9, pixels };
        assert!(matches!(beyond, Err(TraceError::Batch(error)) if error == expected));
    }
}
