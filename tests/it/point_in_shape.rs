//! The classic tests of points in shapes on the CPU and on the GPU: a million points and bodies for each test
//! in a full sweep.

use crate::common::bodies::{Body, Sort};
use crate::common::judged::{Batch, Outcome};
use crate::common::*;
use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, PointTester};
use raytwin::point_in_shape::*;
use raytwin::ray::Line;
use raytwin::{Cylinder, Shape};
use raytwin_verify::faults::Fault;

/// Returns the points of each scene.
fn swept_points() -> usize {
    sweep(20_000, 150_000)
}

/// The sizes and offsets of scenes: as large as a hand, a grain and a mountain, far from the world's origin, and the
/// smallest and largest sizes.
const SCENES: [(f64, f64); 7] =
    [(1.0, 0.0), (1e-4, 0.0), (1e4, 0.0), (1.0, 1e3), (1.0, 1e5), (1e-5, 0.0), (2e7, 0.0)];

/// Judges points for bodies of one sort, over a million in a full sweep. Few answers may be decided by rounding, and both answers must
/// be common.
fn judge(sort: Sort, label: &str, judged: impl Fn(&Batch, &PointTester) -> Outcome) {
    let device = PointTester::new(&gpu()).unwrap();
    let mut all = Outcome::default();
    for (seed, (size, offset)) in (200..).zip(SCENES) {
        let middle = offset * DVec3::new(1.0, 0.7, -0.4);
        let batch = Batch::new(seed, sort, swept_points(), size, middle);
        let outcome = judged(&batch, &device);
        assert_eq!(outcome.wrong, None, "size {size} offset {offset}");
        all.add(outcome);
    }
    println!("{sort:?} {label}: {:.3} of the bound, {} doubtful", all.worst, all.doubtful);
    let asked = all.yes + all.no;
    assert!(asked >= sweep(140_000, 1_000_000));
    assert!(all.yes.min(all.no) > asked / 50, "{sort:?} {label}: {} yes, {} no", all.yes, all.no);
    // A worst error of zero would mean that nothing was measured.
    assert!(all.worst > 0.0 || sort == Sort::AlignedBox, "{sort:?} {label} is never wrong");
    assert!(all.doubtful < asked / 3, "{sort:?} {label}: {} doubtful", all.doubtful);
}

macro_rules! judged {
    ($($name:ident: $sort:expr, $question:ident, $test:ty;)+) => {
        mod agrees_with_float64_and_with_the_distance {
            use super::*;
            $(#[test] fn $name() {
                judge($sort, stringify!($question), Batch::$question::<$test>);
            })+
        }

        /// Judges a few points of every sort, near the world's origin and far from it.
        fn a_few_of_each(device: &PointTester) -> Vec<String> {
            let mut wrong = Vec::new();
            for middle in [DVec3::ZERO, DVec3::splat(1e4)] {
                $({
                    let batch = Batch::new(7, $sort, 2000, 1.0, middle);
                    wrong.extend(Batch::$question::<$test>(&batch, device).wrong);
                })+
            }
            wrong
        }
    };
}

judged! {
    point_in_cylinder: Sort::Of(Form::Cylinder), squared_distances, CylinderTest;
    point_in_tube: Sort::Of(Form::Tube), squared_distances, CylinderTest;
    point_in_cone: Sort::Of(Form::Cone), squared_distances, ConeTest;
    point_in_ellipsoid: Sort::Of(Form::Ellipsoid), squared_distances, EllipsoidTest;
    point_in_sphere: Sort::Of(Form::Sphere), contained, SphereTest;
    point_in_aligned_box: Sort::AlignedBox, contained, AlignedBoxTest;
    point_in_oriented_box: Sort::Of(Form::Cuboid), contained, OrientedBoxTest;
    point_in_half_space: Sort::Of(Form::Plane), contained, PlaneTest;
    point_on_plane: Sort::Of(Form::Plane), touched, PlaneTest;
    point_on_line: Sort::Line, touched, LineTest;
    point_on_ray: Sort::Ray, touched, RayTest;
    point_on_segment: Sort::Segment, touched, SegmentTest;
    closest_point_on_sphere: Sort::Of(Form::Sphere), closest_points, SphereTest;
    closest_point_on_aligned_box: Sort::AlignedBox, closest_points, AlignedBoxTest;
    closest_point_on_oriented_box: Sort::Of(Form::Cuboid), closest_points, OrientedBoxTest;
    closest_point_on_plane: Sort::Of(Form::Plane), closest_points, PlaneTest;
    closest_point_on_line: Sort::Line, closest_points, LineTest;
    closest_point_on_ray: Sort::Ray, closest_points, RayTest;
    closest_point_on_segment: Sort::Segment, closest_points, SegmentTest;
}

#[test]
fn whole_numbers_are_tested_exactly() {
    let findings = whole::findings(&PointTester::new(&gpu()).unwrap());
    assert!(findings.wrong.is_empty(), "{}: {}", findings.wrong.len(), findings.wrong[0]);
    // The test is worthless without points on the boundary, where the answer changes.
    assert!(findings.turns > 3000, "{} points where answers turn", findings.turns);
}

const NAN: f32 = f32::NAN;
const INFINITY: f32 = f32::INFINITY;

/// The bodies of the single tests, around the world's origin.
fn cylinder() -> CylinderTest {
    CylinderTest::solid(DVec3::NEG_Z, DVec3::Z, 2.0).unwrap()
}

fn ball() -> SphereTest {
    SphereTest::new(DVec3::ZERO, 1.0).unwrap()
}

fn below() -> PlaneTest {
    PlaneTest::new(DVec3::ZERO, DVec3::Z).unwrap()
}

/// Tests points that are not finite, and points at the limit of float32. Returns the wrong answers.
fn nowhere(device: &PointTester) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut expect = |is_right: bool, label: &str, point: [f32; 3]| {
        if !is_right {
            wrong.push(format!("{label} {point:?}"));
        }
    };
    let none = [
        [NAN, 0.0, 0.0],
        [0.0, NAN, 0.0],
        [0.0, 0.0, NAN],
        [INFINITY, 0.0, -1.0],
        [0.0, -INFINITY, -1.0],
        [0.0, 0.0, -INFINITY],
        [1.0001e9, 0.0, 0.0],
        [0.0, 0.0, -f32::MAX],
    ];
    let everywhere = Tolerance::new(1e9).unwrap();
    let all = [
        device
            .squared_distances(&[cylinder()], &none)
            .unwrap()
            .iter()
            .map(|d| *d != -1.0)
            .collect(),
        device.contains(&[below()], &none).unwrap(),
        device.touches(&[below()], everywhere, &none).unwrap(),
        device.closest_points(&[ball()], &none).unwrap().iter().map(|p| !p[1].is_nan()).collect(),
    ];
    for (label, given) in ["distance", "contains", "touches", "closest"].iter().zip(all) {
        for (point, is_somewhere) in none.iter().zip(given) {
            expect(!is_somewhere, label, *point);
        }
    }
    for point in none {
        let in_float64 = DVec3::from(point.map(f64::from));
        expect(cylinder().squared_distance(in_float64) == OUTSIDE, "float64 distance", point);
        expect(!below().contains(in_float64), "float64 contains", point);
        expect(!below().touches(in_float64, everywhere), "float64 touches", point);
        expect(ball().closest_point(in_float64).is_nan(), "float64 closest", point);
    }
    let last = [[1e9, -1e9, -1e9], [-1e9, 1e9, -1e9]];
    for (point, holds) in last.iter().zip(device.contains(&[below()], &last).unwrap()) {
        expect(holds && below().contains(DVec3::from(point.map(f64::from))), "contains", *point);
    }
    wrong
}

#[test]
fn invalid_points_are_nowhere() {
    assert_eq!(nowhere(&PointTester::new(&gpu()).unwrap()), Vec::<String>::new());
}

/// Judges cylinders that are a hundred times as long as wide, for which a difference of squares loses all digits.
fn needles(device: &PointTester) -> Outcome {
    let mut batch = Batch::new(11, Sort::Of(Form::Cylinder), 20_000, 1.0, DVec3::ZERO);
    for body in &mut batch.bodies {
        if let Body::Of(Shape::Cylinder(cylinder)) = body {
            cylinder.radius = f64::from((0.002 * (cylinder.end - cylinder.start).length()) as f32);
            cylinder.inner_radius = 0.0;
        }
    }
    batch.points_on_surfaces(12);
    batch.squared_distances::<CylinderTest>(device)
}

/// Returns everything that a device gets wrong.
fn noticed(device: &PointTester) -> Vec<String> {
    let mut wrong = whole::findings(device).wrong;
    wrong.extend(nowhere(device));
    if wrong.is_empty() {
        wrong.extend(a_few_of_each(device));
        wrong.extend(needles(device).wrong);
    }
    wrong
}

#[test]
fn every_fault_is_noticed() {
    let gpu = own_gpu();
    assert_eq!(noticed(&PointTester::new(&gpu).unwrap()), Vec::<String>::new());
    let mut survivors = Vec::new();
    for (index, fault) in point_faults::MUTANTS.iter().enumerate() {
        let tester = with_fault(&gpu, fault);
        if is_planted(index) && noticed(&tester).is_empty() {
            survivors.push(fault);
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}

fn with_fault(gpu: &Gpu, fault: &Fault) -> PointTester {
    PointTester::with_fault(gpu, fault.site).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_stale_fault_and_one_that_does_not_compile_are_errors() {
    let gpu = gpu();
    let fault = |from, to| Fault::in_shader("a fault", "point_in_shape/sphere.wgsl", from, to);
    let refused =
        |from, to| PointTester::with_fault(&gpu, fault(from, to).site).unwrap_err().to_string();
    assert!(refused("no such text", "").contains("must occur once"));
    assert!(refused("own", "").contains("must occur once"));
    let broken = refused("squared == 0.0", "squared ==");
    assert!(broken.starts_with("shaders/point_in_shape/sphere.wgsl:13:"), "{broken}");
}

#[test]
fn a_point_that_a_kernel_leaves_out_is_an_error() {
    let fault = Fault::in_shader(
        "the last thread sleeps",
        "point_in_shape.wgsl",
        "index >= arrayLength(&answers) / 3u",
        "index >= arrayLength(&answers) / 3u - 1u",
    );
    let device = with_fault(&gpu(), &fault).with_chunk(4);
    let given = device.closest_points(&[ball()], &[[0.0; 3]; 7]);
    let error = given.unwrap_err().to_string();
    assert!(error.contains("point 3 "), "{error}");
}

#[test]
fn answers_depend_neither_on_chunks_nor_on_how_tests_are_given() {
    let gpu = gpu();
    let batch = Batch::new(5, Sort::Segment, 3001, 1.0, DVec3::ONE);
    let one = SegmentTest::new(DVec3::ZERO, DVec3::ONE).unwrap();
    let each: Vec<SegmentTest> = batch.tests();
    let whole = PointTester::new(&gpu).unwrap();
    let cut = PointTester::new(&gpu).unwrap().with_chunk(100);
    let tolerance = Tolerance::new(0.5).unwrap();
    for tests in [&each[..], &[one], &vec![one; 3001]] {
        let closest = whole.closest_points(tests, &batch.points).unwrap();
        assert_eq!(cut.closest_points(tests, &batch.points).unwrap(), closest);
        let touched = whole.touches(tests, tolerance, &batch.points).unwrap();
        assert_eq!(cut.touches(tests, tolerance, &batch.points).unwrap(), touched);
    }
    assert_eq!(
        whole.closest_points(&[one], &batch.points),
        whole.closest_points(&vec![one; 3001], &batch.points)
    );
    assert_eq!(whole.closest_points(&[one], &[]), Ok(Vec::new()));
    assert_eq!(whole.closest_points::<SegmentTest>(&[], &[]), Ok(Vec::new()));
}

/// The crossings of a line through the point show, too, whether the point is inside.
#[test]
fn containment_agrees_with_the_crossings_of_a_line() {
    for (form, seed) in
        [Form::Cylinder, Form::Tube, Form::Cone, Form::Ellipsoid, Form::Sphere, Form::Cuboid]
            .into_iter()
            .zip(300..)
    {
        let mut inside = 0;
        let batch = Batch::new(seed, Sort::Of(form), sweep(25_000, 200_000), 1.0, DVec3::ZERO);
        let rng = &mut fastrand::Rng::with_seed(seed);
        for (body, point) in batch.bodies.iter().zip(&batch.points) {
            let point = DVec3::from(point.map(f64::from));
            let Body::Of(shape) = body else { panic!("{body:?}") };
            let is_inside = contains(body);
            let line = Line { origin: point, direction: direction(rng) };
            let spans = shape.crossings(&line);
            let holds =
                |span: &[raytwin::crossings::Crossing]| span[0].t <= 0.0 && span[1].t >= 0.0;
            let expected = spans.chunks_exact(2).any(holds);
            // Rounding decides whether a line that grazes the surface crosses it.
            let is_sure = body.signed_distance(point).abs() > 1e-6;
            assert!(!is_sure || expected == is_inside(point), "{shape:?} {point:?}");
            inside += usize::from(expected && is_sure);
        }
        assert!(inside > batch.points.len() / 10, "{form:?}: {inside} inside");
    }
}

/// Returns the body's own test of containment.
fn contains(body: &Body) -> Box<dyn Fn(DVec3) -> bool> {
    use crate::common::bodies::Of;
    fn distance<T: SquaredDistance + Of + 'static>(body: &Body) -> Box<dyn Fn(DVec3) -> bool> {
        let test = T::of(body);
        Box::new(move |point| test.squared_distance(point) >= 0.0)
    }
    match body {
        Body::Of(Shape::Cylinder(_)) => distance::<CylinderTest>(body),
        Body::Of(Shape::Cone(_)) => distance::<ConeTest>(body),
        Body::Of(Shape::Ellipsoid(_)) => distance::<EllipsoidTest>(body),
        Body::Of(Shape::Sphere(_)) => {
            let test = SphereTest::of(body);
            Box::new(move |point| test.contains(point))
        }
        _ => {
            let test = OrientedBoxTest::of(body);
            Box::new(move |point| test.contains(point))
        }
    }
}

/// The original code and this test agree on cylinders with flat ends, for which the original was written.
#[test]
fn the_caps_first_test_gives_what_the_original_gives() {
    let cylinder = Cylinder::solid(DVec3::new(1.0, 0.0, 2.0), DVec3::new(4.0, 5.0, -1.0), 2.0);
    let along = cylinder.end - cylinder.start;
    let [length_squared, radius_squared] =
        [along.length_squared(), cylinder.radius * cylinder.radius];
    let test = CylinderTest::solid(cylinder.start, cylinder.end, cylinder.radius).unwrap();
    let rng = &mut fastrand::Rng::with_seed(1);
    let mut inside = 0;
    for _ in 0..100_000 {
        let point = cylinder.start + 8.0 * rng.f64() * direction(rng);
        let from_start = point - cylinder.start;
        let height = from_start.dot(along);
        let squared = from_start.length_squared() - height * height / length_squared;
        let is_inside = (0.0..=length_squared).contains(&height) && squared <= radius_squared;
        let expected = if is_inside { squared } else { -1.0 };
        assert!((test.squared_distance(point) - expected).abs() < 1e-12, "{point:?}");
        inside += usize::from(is_inside);
    }
    assert!(inside > 5000, "{inside} inside");
}
