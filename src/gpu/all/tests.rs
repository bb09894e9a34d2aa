use super::*;
use crate::gpu::crossings::{PIECE, splits};
use crate::gpu::{AdapterChoice, Gpu};
use crate::shapes::Sphere;
use crate::{PackedScene, Ray, Scene};
use glam::DVec3;

/// Spheres in a row, and rays along it, each of which begins before another sphere.
fn row() -> (PackedScene, Vec<Ray>) {
    let mut scene = Scene::new();
    for index in 0..50 {
        scene.add(Sphere { center: DVec3::X * f64::from(index), radius: 0.4 }).unwrap();
    }
    let ray = |index: u16| Ray::new([f32::from(index) - 0.5, 0.1, 0.0], [1.0, 0.0, 0.0]);
    (PackedScene::new(scene.clone()).unwrap(), (0..50).map(ray).collect())
}

fn upload(packed: &PackedScene) -> RecoverableScene {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    pollster::block_on(RecoverableScene::new(&gpu, packed, None)).unwrap()
}

#[test]
fn a_ray_that_has_other_crossings_than_were_counted_is_cast_again() {
    let (packed, rays) = row();
    let scene = upload(&packed);
    let batch = Batch::new(&rays);
    let expected = pollster::block_on(all(&scene, batch)).unwrap();
    assert_eq!(expected.of_ray(0).len(), 100);
    let counts = pollster::block_on(counted(&scene, batch)).unwrap().answers;
    let wrong = [
        counts.iter().map(|count| count / 2).collect::<Vec<u32>>(),
        counts.iter().map(|count| count + 3).collect(),
        counts.iter().zip(0..).map(|(count, index)| count * (index % 3)).collect(),
    ];
    for counts in wrong {
        let mut found = AllHits::default();
        let piece = add_piece::<GpuHit>(&scene, batch, 0..rays.len(), &counts, &[], &mut found);
        pollster::block_on(piece).unwrap();
        assert_eq!(found, expected, "{counts:?}");
    }
}

#[test]
fn a_batch_is_cut_where_its_crossings_have_no_place_together() {
    let half = PIECE as u32 / 2;
    assert_eq!(piece(&[half, half, 1, 1], 10, PIECE), 2);
    assert_eq!(piece(&[half, half + 1, 1], 10, PIECE), 1);
    assert_eq!(piece(&[u32::MAX, 1], 10, PIECE), 1, "one ray's crossings stay together");
    assert_eq!(piece(&[1; 20], 10, PIECE), 10);

    let (packed, rays) = row();
    let whole = pollster::block_on(all(&upload(&packed), Batch::new(&rays))).unwrap();
    let mut cut = upload(&packed);
    cut.tuner.limit(7);
    assert_eq!(pollster::block_on(all(&cut, Batch::new(&rays))).unwrap(), whole);
}

#[test]
fn crossings_that_fit_no_device_are_refused_with_both_figures() {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let error = splits::<GpuHit>(&gpu, &[u32::MAX, 2]).unwrap_err();
    assert!(matches!(error, GpuError::TooLarge { needed, .. } if needed == 8 * (1 << 32) + 8));
}

#[test]
fn crossings_that_do_not_fit_the_host_are_refused_with_what_they_take() {
    // These crossings take more bytes than any machine can address.
    let error = with_room_for(&vec![u32::MAX; 1 << 20]).unwrap_err();
    let bytes = (1 << 20) * (16 * u64::from(u32::MAX) + 8) + 8;
    assert!(matches!(error, GpuError::HostMemory { needed, .. } if needed == bytes), "{error}");
}

#[test]
fn a_device_that_is_lost_in_between_changes_no_crossing() {
    let (packed, rays) = row();
    let scene = upload(&packed);
    let batch = Batch::new(&rays);
    let expected = pollster::block_on(all(&scene, batch)).unwrap();
    let counts = pollster::block_on(counted(&scene, batch)).unwrap().answers;
    scene.on_device().gpu.device.destroy();
    let mut found = AllHits::default();
    pollster::block_on(add_piece::<GpuHit>(&scene, batch, 0..rays.len(), &counts, &[], &mut found))
        .unwrap();
    assert_eq!(found, expected);
}
