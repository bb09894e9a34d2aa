//! Scenes and rays that every tracer must answer, and the opening of a device.

pub mod beam_judge;
pub mod bodies;
mod cases;
pub mod distance;
pub mod faults;
mod fields;
mod forms;
pub mod judged;
mod lattice;
mod placed;
pub mod point_faults;
mod stage;
pub mod whole;

pub use cases::{Case, check, ray};
pub use fields::{fields_scene, level_rays};
pub use forms::{FIRST, Form, ball_mesh, between, cube_mesh, direction};
pub use lattice::*;
pub use placed::{placed_rays, placed_scene, places, ray_at, transform};
pub use raytwin_verify::aim::{Family, Spot, points, rays};
pub use stage::{Mover, add_worlds, alone, flat, rays_in_worlds, stage, turned};

use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::{AdapterChoice, Arithmetic, Gpu, KernelVariant};
use raytwin::query::{Answers, Hits};
use raytwin::{Batch, Hit, PackedScene, Ray, Scene, Tracer};
use raytwin_verify::{Class, Judge, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Chooses how much a long sweep covers: a part in the tests of each change, all of it in the target `full`. Both begin with
/// the same seeds.
pub fn sweep<T>(part: T, full: T) -> T {
    if crate::IS_FULL { full } else { part }
}

/// Returns true if a test of faults compiles the one with this number and looks whether it is noticed: every tenth, or each
/// in the target `full`. Of the others only the text is looked for, because a software device takes a second for each.
pub fn is_planted(index: usize) -> bool {
    index.is_multiple_of(sweep(10, 1))
}

/// Fails if the text of a fault is not in its shader once.
pub fn assert_not_stale(gpu: &Gpu, fault: &raytwin_verify::faults::Fault) {
    let mut scene = Scene::new();
    scene.add(raytwin::Sphere { center: raytwin::glam::DVec3::ZERO, radius: 1.0 }).unwrap();
    raytwin::gpu::GpuTracer::with_fault(gpu, &PackedScene::new(scene).unwrap(), fault.site)
        .unwrap();
}

/// Hands all forms to a macro, each with the name of a test.
macro_rules! for_each_form {
    ($of_forms:ident) => {
        $of_forms! {
            a_sphere: Sphere,
            a_box: Cuboid,
            a_cylinder: Cylinder,
            a_tube: Tube,
            a_capsule: Capsule,
            a_cone: Cone,
            an_ellipsoid: Ellipsoid,
            a_torus: Torus,
            a_plane: Plane,
            a_disc: Disc,
            a_triangle: Triangle,
            a_mesh: Mesh,
            a_heightfield: Heightfield,
            lines: Lines,
            a_bounded_or_one_sided_plane: Sheet,
            a_heightfield_with_a_base: ClosedHeightfield,
            a_cylinder_without_a_part: CylinderShell,
            a_cone_without_a_part: ConeShell,
        }
    };
}

pub(crate) use for_each_form;

/// The sizes, offsets and shape counts of scenes: as large as a hand, a grain and a mountain, far from the world's
/// origin, and of more shapes.
pub const SCENES: [(f64, f64, usize); 6] = [
    (1.0, 0.0, 12),
    (1e-4, 0.0, 12),
    (1e4, 0.0, 12),
    (1.0, 1e3, 12),
    (1.0, 1e5, 12),
    (0.3, 0.0, 200),
];

/// A seed for which a check failed once.
const FAILED_ONCE: u64 = 12_987_961_604_983_233_971;

/// Makes a check for each of `count` seeds, and names the first for which it fails.
pub fn for_each_seed(count: u64, check: impl Fn(u64)) {
    for seed in std::iter::once(FAILED_ONCE).chain(0..count) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(seed)));
        assert!(outcome.is_ok(), "it failed for the seed {seed}, as is said above");
    }
}

/// A device is asked for so often before another one takes its place. A software driver keeps tens of megabytes for each
/// kernel that a device has compiled, and the tests compile hundreds.
const USES_OF_A_DEVICE: usize = 64;

/// Returns one of two devices that tests share, with the kernels that it has compiled; the same within a test, so that it compiles
/// none for both. It is any adapter, even a software one, which compiles kernels one after the other: with two devices, it has two
/// at a time. Without an adapter the test fails, and the message says what to install.
pub fn gpu() -> Gpu {
    static SHARED: Mutex<[Option<(Gpu, usize)>; 2]> = Mutex::new([const { None }; 2]);
    static TESTS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OF_TEST: usize = TESTS.fetch_add(1, Ordering::Relaxed) % 2;
    }
    // A test that fails meanwhile has changed nothing.
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = &mut shared[OF_TEST.with(|&index| index)];
    let (gpu, uses) = shared
        .take()
        .filter(|(_, uses)| *uses < USES_OF_A_DEVICE)
        .unwrap_or_else(|| (own_gpu(), 0));
    *shared = Some((gpu.clone(), uses + 1));
    gpu
}

/// Returns the variants of the kernels that a test of both casts by: those of cards, and in the target `full` those of software drivers, too.
/// `layouts` shows for one scene of each kind that both have the same bits, and the program's tests cast by those of the device.
pub fn kernel_variants() -> &'static [KernelVariant] {
    const BOTH: &[KernelVariant] = &[KernelVariant::Hardware, KernelVariant::Software];
    sweep(&BOTH[..1], BOTH)
}

/// Returns a device for each of these variants.
pub fn gpus() -> impl Iterator<Item = Gpu> {
    kernel_variants().iter().map(|&variant| gpu().with_kernels(variant))
}

/// Returns how the shared device computes. Devices that do not round correctly are held to the bound, and those that do
/// to the bit.
pub fn arithmetic() -> Arithmetic {
    static MEASURED: OnceLock<Arithmetic> = OnceLock::new();
    *MEASURED.get_or_init(|| gpu().measure_arithmetic().unwrap())
}

/// Returns the largest relative error of an exact answer of a tracer: 0, or 16 u on a device that does not round
/// correctly.
pub fn allowed_error(tracer: &dyn Tracer) -> f32 {
    let is_correct = |arithmetic: Arithmetic| arithmetic.is_correctly_rounded();
    let is_exact = tracer.measure_arithmetic().unwrap().is_none_or(is_correct);
    if is_exact { 0.0 } else { 16.0 * raytwin::math::U as f32 }
}

/// Returns the largest share of the bound that errors should take on the shared device. A device with the worst quotients
/// and roots that WGSL allows may come near to the bound.
pub fn allowed_share() -> f64 {
    if arithmetic().is_correctly_rounded() { 0.7 } else { 1.0 }
}

/// Returns a device of a test's own, which drops its kernels with it: for tests that compile many faults. Its kernels are those of
/// cards, unless `RAYTWIN_KERNELS` chooses others.
pub fn own_gpu() -> Gpu {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    match std::env::var_os("RAYTWIN_KERNELS") {
        Some(_) => gpu,
        None => gpu.with_kernels(KernelVariant::Hardware),
    }
}

/// Makes spheres, boxes and cylinders in turn.
pub fn random_scene(seed: u64, count: usize, size: f64, middle: DVec3) -> Scene {
    scene_of(&FIRST, seed, count, size, middle)
}

/// Makes geometries of these forms in turn.
pub fn scene_of(forms: &[Form], seed: u64, count: usize, size: f64, middle: DVec3) -> Scene {
    let rng = &mut Rng::with_seed(seed);
    let mut scene = Scene::new();
    for turn in 0..count {
        scene.add(forms[turn % forms.len()].random(rng, size, middle)).unwrap();
    }
    scene
}

/// Judges hits by the reference, which traverses the tree of `packed`.
pub fn verdicts(packed: &PackedScene, rays: &[Ray], hits: &[Hit]) -> Vec<Verdict> {
    let answers = Answers::Closest(Hits::of(hits));
    Judge::new(packed).judge(Batch::new(rays), &answers).unwrap()
}

/// Counts the verdicts of a class.
pub fn count(verdicts: &[Verdict], class: Class) -> usize {
    verdicts.iter().filter(|verdict| verdict.class == class).count()
}
