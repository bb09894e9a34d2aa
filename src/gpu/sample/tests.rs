use super::*;
use crate::gpu::chunk_tuner::ChunkTuner;
use crate::gpu::{AdapterChoice, Gpu};
use crate::shapes::Sphere;
use crate::{PackedScene, Scene};
use glam::DVec3;
use std::sync::Arc;
use std::time::Duration;

/// A row of balls, some of whose rays cross more of them than there is room for at first.
fn row() -> Scene {
    let mut scene = Scene::new();
    for index in 0..40 {
        scene.add(Sphere { center: DVec3::X * f64::from(index) * 0.1, radius: 0.4 }).unwrap();
    }
    scene
}

fn upload(packed: &PackedScene) -> RecoverableScene {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let mut scene = pollster::block_on(RecoverableScene::new(&gpu, packed, None)).unwrap();
    scene.tuner.limit(256);
    scene
}

#[test]
fn a_device_that_is_lost_while_it_adds_up_changes_no_sum() {
    const RAYS: Range<u64> = 3..200_003;
    let packed = PackedScene::new(row()).unwrap();
    let lines = RayGenerator::lines_through(packed.scene());
    let sampler = Sampler::new(packed.scene(), lines, 1).unwrap().with_paths();
    let sampled = |scene: &RecoverableScene| pollster::block_on(sample(scene, &sampler, RAYS));
    let expected = sampled(&upload(&packed)).unwrap();
    assert!(expected.path_rays().iter().all(|&rays| rays > 1000));

    let scene = upload(&packed);
    let first = scene.on_device();
    let at_first = scene.most_crossings.load(Ordering::Relaxed);
    let tally = std::thread::scope(|scope| {
        let sampling = scope.spawn(|| sampled(&scene));
        // The first rays show how many crossings there are, so from then on the device is at work.
        while scene.most_crossings.load(Ordering::Relaxed) == at_first {
            assert!(!sampling.is_finished(), "no ray has more crossings than there is room for");
            std::thread::yield_now();
        }
        first.gpu.device.destroy();
        sampling.join().unwrap()
    });
    assert_eq!(tally.unwrap(), expected);
    assert!(!Arc::ptr_eq(&first, &scene.on_device()), "the device was lost too late");
}

#[test]
fn answers_that_are_missing_are_an_error() {
    let packed = PackedScene::new(row()).unwrap();
    let sampler = Sampler::new(packed.scene(), RayGenerator::lines_through(packed.scene()), 1);
    let mut tally = sampler.unwrap().tally();
    let before = tally.clone();
    let mut words = vec![0; sums::COUNTS + sums::HIT_SUMS * 40];
    words[0] = 9;
    let add = |words: &[u32], tally: &mut Tally| {
        let sums = sums::Sums { words: words.to_vec(), time: None };
        sums.add_to(tally, &(100..110))
    };
    // One of ten rays is in no sum.
    assert_eq!(add(&words, &mut tally), Err(GpuError::Unanswered(100)));
    // The rest are counted: the first one that was not answered is the seventh.
    words[3] = crate::NONE - 7;
    assert_eq!(add(&words, &mut tally), Err(GpuError::Unanswered(107)));
    assert_eq!(tally, before);
    words[3] = 0;
    words[sums::COUNTS] = 1;
    words[sums::COUNTS + 2] = 1;
    assert_eq!(add(&words, &mut tally), Ok(()));
    assert_eq!((tally.rays(), tally.hits()[0], tally.distances()[0]), (10, 1, 1 << 32));
}

#[test]
fn a_card_samples_in_the_largest_chunks() {
    const RAYS: u64 = 1 << 19;
    let packed = PackedScene::new(row()).unwrap();
    let lines = RayGenerator::lines_through(packed.scene());
    let sampler = Sampler::new(packed.scene(), lines, 1).unwrap();
    let mut scene = upload(&packed);
    scene.tuner = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::DiscreteGpu);
    scene.tuner.learn(scene.tuner.largest(), Duration::from_millis(1));
    assert!(scene.tuner.chunk(RAYS as usize) < RAYS as usize);
    let tally = pollster::block_on(sample(&scene, &sampler, 0..RAYS)).unwrap();
    assert_eq!(tally.rays(), RAYS);
    let buffers = pollster::block_on(scene.on_device().buffers(1, 1)).unwrap();
    assert_eq!(buffers.capacity as u64, RAYS);
}
