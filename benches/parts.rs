//! Measures the parts of casting separately: `cargo bench -p raytwin-benches`. Compare figures of one run only.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use raytwin::bvh::{Quality, Tree};
use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
use raytwin::{Batch, CpuTracer, PackedScene, Ray, Scene, Tracer};
use std::hint::black_box;
use std::sync::Arc;

#[path = "../tests/it/common/forms.rs"]
#[allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "shared with the tests, which use all of it"
)]
mod forms_of_tests;
use forms_of_tests::Form;

mod workload;
use workload::{rays, scene, vector, view};

const SHAPES: usize = 100_000;
const RAYS: usize = 1 << 16;
const FORM_RAYS: usize = 1 << 14;

/// Measures building the tree alone, and with its checks and the packing.
fn build(criterion: &mut Criterion) {
    let scene = Arc::new(scene(SHAPES));
    let boxes = PackedScene::boxes(&scene);
    let mut group = criterion.benchmark_group("build over 100000 shapes");
    group.sample_size(10);
    group.throughput(Throughput::Elements(SHAPES as u64));
    for quality in [Quality::Fast, Quality::Medium] {
        group.bench_function(format!("{quality:?}"), |bencher| {
            bencher.iter(|| Tree::build(black_box(&boxes), quality))
        });
        group.bench_function(format!("{quality:?}, packed"), |bencher| {
            bencher.iter(|| PackedScene::with_quality(Arc::clone(black_box(&scene)), quality))
        });
    }
    group.finish();
}

/// Measures random rays and an image's rays.
fn closest(criterion: &mut Criterion) {
    let scene = scene(SHAPES);
    let Ok(view) = view(256, 256) else { return };
    let image = (0..view.pixels()).map(|pixel| view.ray(pixel)).collect();
    let sets = [("random", rays(RAYS)), ("an image's", image)];
    let gpu = Gpu::open(&AdapterChoice::Any);
    if let Err(error) = &gpu {
        eprintln!("no GPU to measure: {error}");
    }
    let mut group = criterion.benchmark_group("closest of 65536 rays");
    group.sample_size(10);
    group.throughput(Throughput::Elements(RAYS as u64));
    let Ok(packed) = PackedScene::new(scene) else { return };
    let cpu = CpuTracer::new(&packed);
    let gpu = gpu.as_ref().ok().and_then(|gpu| GpuTracer::new(gpu, &packed).ok());
    for (name, rays) in &sets {
        group.bench_function(format!("{name}, on the CPU"), |bencher| {
            bencher.iter(|| cpu.closest(Batch::new(rays)))
        });
        if let Some(gpu) = &gpu {
            group.bench_function(format!("{name}, on {}", gpu.device()), |bencher| {
                bencher.iter(|| gpu.closest(Batch::new(rays)))
            });
        }
    }
    group.finish();
}

/// Measures point queries at random points, and the search for one nearest surface by brute force.
fn points(criterion: &mut Criterion) {
    let scene = scene(SHAPES);
    let points: Vec<[f32; 3]> = rays(RAYS).iter().map(|ray| ray.origin).collect();
    let gpu = Gpu::open(&AdapterChoice::Any);
    let mut group = criterion.benchmark_group("point queries of 65536 points");
    group.sample_size(10);
    group.throughput(Throughput::Elements(RAYS as u64));
    let Ok(packed) = PackedScene::new(scene) else { return };
    let cpu = CpuTracer::new(&packed);
    group.bench_function("on the CPU", |bencher| bencher.iter(|| cpu.points(&points)));
    match gpu.as_ref().map(|gpu| GpuTracer::new(gpu, &packed)) {
        Ok(Ok(gpu)) => {
            group.bench_function(format!("on {}", gpu.device()), |bencher| {
                bencher.iter(|| gpu.points(&points))
            });
        }
        Ok(Err(error)) => eprintln!("no GPU to measure: {error}"),
        Err(error) => eprintln!("no GPU to measure: {error}"),
    }
    group.throughput(Throughput::Elements(1));
    group.bench_function("the nearest surface to one point, by brute force", |bencher| {
        bencher.iter(|| cpu.nearest_surface_by_brute_force(black_box(points[0])))
    });
    group.finish();
}

/// Measures each form alone, so that their costs can be compared.
fn forms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("1000 of each form");
    group.sample_size(10);
    group.throughput(Throughput::Elements(FORM_RAYS as u64));
    for form in Form::ALL {
        let rng = &mut Rng::with_seed(3);
        let mut scene = Scene::new();
        for _ in 0..1000 {
            let middle = 10.0 * vector(rng);
            let added = scene.add(form.random(rng, 0.5, middle));
            assert!(added.is_ok(), "{added:?}");
        }
        let mut ray =
            || Ray::new((12.0 * vector(rng)).as_vec3(), vector(rng).normalize().as_vec3());
        let rays: Vec<Ray> = (0..FORM_RAYS).map(|_| ray()).collect();
        let Ok(packed) = PackedScene::new(scene.clone()) else { return };
        let cpu = CpuTracer::new(&packed);
        group.bench_function(format!("{form:?} on the CPU"), |bencher| {
            bencher.iter(|| cpu.closest(Batch::new(&rays)))
        });
        match Gpu::open(&AdapterChoice::Any).and_then(|gpu| GpuTracer::new(&gpu, &packed)) {
            Ok(gpu) => {
                let name = format!("{form:?} on {}", gpu.device());
                group.bench_function(name, |bencher| {
                    bencher.iter(|| gpu.closest(Batch::new(&rays)))
                });
            }
            Err(error) => eprintln!("no GPU to measure: {error}"),
        }
    }
    group.finish();
}

criterion_group!(benches, build, closest, points, forms);
criterion_main!(benches);
