//! Bodies and points of small integers: the exact answers are computed in integers, and every step of float32 is exact.

use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::PointTester;
use raytwin::point_in_shape::*;

type Whole = [i64; 3];

fn real(v: Whole) -> DVec3 {
    DVec3::from(v.map(|n| n as f64))
}

fn dot(a: Whole, b: Whole) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Whole, b: Whole) -> Whole {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn plus(a: Whole, b: Whole) -> Whole {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The position of a point relative to an axis: its height times the axis' length, and the square of its distance times
/// that length.
struct About {
    height: i64,
    aside_squared: i64,
    length_squared: i64,
}

/// Takes the difference of squares, which cancels in float32 but is exact in integers.
fn about(point: Whole, start: Whole, along: Whole) -> About {
    let from_start = minus(point, start);
    let [height, length_squared] = [dot(from_start, along), dot(along, along)];
    let aside_squared = dot(from_start, from_start) * length_squared - height * height;
    About { height, aside_squared, length_squared }
}

/// Axes along the world's axes in both directions, and slanted ones.
const AXES: [Whole; 8] =
    [[8, 0, 0], [0, -7, 0], [0, 0, 5], [2, 4, 4], [-4, 2, 4], [3, 0, -4], [3, 3, 3], [2, 3, 6]];

const START: Whole = [1, -1, -2];
const MIDDLE: Whole = [1, 2, -1];

/// A third of a turn about the diagonal, from x to y, y to z and z to x.
const THIRD: DQuat = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5);

fn points() -> Vec<Whole> {
    let side = -9..=9;
    side.clone()
        .flat_map(|x| side.clone().flat_map(move |y| (-9..=9).map(move |z| [x, y, z])))
        .collect()
}

fn in_float32(points: &[Whole]) -> Vec<[f32; 3]> {
    points.iter().map(|point| point.map(|n| n as f32)).collect()
}

/// The names of wrong answers, and the number of points exactly where answers change.
#[derive(Default)]
pub struct Findings {
    pub wrong: Vec<String>,
    pub turns: usize,
}

impl Findings {
    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, label: &str, expected: T, given: [T; 2]) {
        if given.iter().any(|given| *given != expected) {
            self.wrong.push(format!("{label}: {given:?} for {expected:?}"));
        }
    }

    /// Expects a quotient. A device rounds it by up to 4 u, or not at all if the divisor is a power of two.
    fn expect_near(&mut self, label: &str, expected: f64, given: [f64; 2], is_exact: bool) {
        let slack = if is_exact { 0.0 } else { 4.0 * raytwin::math::U };
        let bounds = [1e-15, slack].map(|slack| slack * expected.abs());
        let is_near = (given[0] - expected).abs() <= bounds[0]
            && (given[1] - f64::from(expected as f32)).abs() <= bounds[1];
        if !is_near {
            self.wrong.push(format!("{label}: {given:?} for {expected:?}"));
        }
    }

    /// Expects the quotient that `expected` returns, or `None` outside.
    fn squared_distances<T: SquaredDistance>(
        &mut self,
        device: &PointTester,
        label: &str,
        test: T,
        expected: impl Fn(Whole) -> Option<(i64, i64)>,
    ) {
        let points = points();
        let given = device.squared_distances(&[test], &in_float32(&points)).unwrap();
        for (&point, given) in points.iter().zip(given) {
            let label = format!("{label} {point:?}");
            let given = [test.squared_distance(real(point)), f64::from(given)];
            match expected(point) {
                None => self.expect(&label, OUTSIDE, given),
                Some((above, below)) => {
                    let is_exact = below.count_ones() == 1;
                    self.expect_near(&label, above as f64 / below as f64, given, is_exact);
                }
            }
        }
    }

    fn contained<T: Contains>(
        &mut self,
        device: &PointTester,
        label: &str,
        test: T,
        expected: impl Fn(Whole) -> bool,
    ) {
        let points = points();
        let given = device.contains(&[test], &in_float32(&points)).unwrap();
        for (&point, given) in points.iter().zip(given) {
            let given = [test.contains(real(point)), given];
            self.expect(&format!("{label} {point:?}"), expected(point), given);
        }
    }

    /// Expects a squared distance, which `expected` returns as a quotient.
    fn touched<T: Touches>(
        &mut self,
        device: &PointTester,
        label: &str,
        test: T,
        expected: impl Fn(Whole) -> (i64, i64),
    ) {
        let points = points();
        for distance in [0, 1, 2, 3] {
            let tolerance = Tolerance::new(distance as f64).unwrap();
            let given = device.touches(&[test], tolerance, &in_float32(&points)).unwrap();
            for (&point, given) in points.iter().zip(given) {
                let (above, below) = expected(point);
                let reach = distance * distance * below;
                self.turns += usize::from(above == reach);
                let given = [test.touches(real(point), tolerance), given];
                self.expect(&format!("{label} {point:?} {distance}"), above <= reach, given);
            }
        }
    }

    /// Expects `start + along * share`, whose parts `expected` returns.
    fn closest_points<T: ClosestPoint>(
        &mut self,
        device: &PointTester,
        label: &str,
        test: T,
        expected: impl Fn(Whole) -> (Whole, Whole, f64),
    ) {
        let points = points();
        let given = device.closest_points(&[test], &in_float32(&points)).unwrap();
        for (&point, given) in points.iter().zip(given) {
            let (start, along, share) = expected(point);
            let exact = real(start) + real(along) * share;
            let given = [test.closest_point(real(point)), DVec3::from(given.map(f64::from))];
            // If nothing rounds, the answer must be right to the bit.
            let is_whole = share == 0.0 || along.iter().filter(|n| **n != 0).count() == 1;
            let slack = if is_whole { [0.0; 2] } else { [1e-14, 64.0 * raytwin::math::U] };
            for (given, slack) in given.into_iter().zip(slack) {
                // The comparison fails for NaN.
                let is_near = given.distance(exact) <= slack;
                if !is_near {
                    self.wrong.push(format!("{label} {point:?}: {given:?} for {exact:?}"));
                }
            }
        }
    }
}

/// Runs every test with integers.
pub fn findings(device: &PointTester) -> Findings {
    let mut all = Findings::default();
    for along in AXES {
        let end = plus(START, along);
        for (radius, inner) in [(3, 0), (5, 3), (2, 1)] {
            let test =
                CylinderTest::tube(real(START), real(end), radius as f64, inner as f64).unwrap();
            let turns = std::cell::Cell::new(0);
            all.squared_distances(device, &format!("{test:?}"), test, |point| {
                let About { height, aside_squared, length_squared } = about(point, START, along);
                let [hole, reach] = [inner * inner, radius * radius].map(|r| r * length_squared);
                let is_inside = (0..=length_squared).contains(&height)
                    && (hole..=reach).contains(&aside_squared);
                let is_at_turn = height == 0
                    || height == length_squared
                    || aside_squared == hole
                    || aside_squared == reach;
                turns.set(turns.get() + usize::from(is_inside && is_at_turn));
                is_inside.then_some((aside_squared, length_squared))
            });
            all.turns += turns.get();
        }
        for radii in [[0, 4], [4, 0], [2, 4], [5, 1]] {
            let test =
                ConeTest::new(real(START), real(end), radii[0] as f64, radii[1] as f64).unwrap();
            all.squared_distances(device, &format!("{test:?}"), test, |point| {
                let About { height, aside_squared, length_squared } = about(point, START, along);
                let radius = radii[0] * length_squared + (radii[1] - radii[0]) * height;
                let is_inside = (0..=length_squared).contains(&height)
                    && aside_squared * length_squared <= radius * radius;
                is_inside.then_some((aside_squared, length_squared))
            });
        }
        lines(&mut all, device, along);
        let test = PlaneTest::new(real(START), real(along)).unwrap();
        let label = &format!("{test:?}");
        let height = |point| dot(minus(point, START), along);
        let squared = dot(along, along);
        all.contained(device, label, test, |point| height(point) <= 0);
        all.touched(device, label, test, |point| (height(point).pow(2), squared));
        all.closest_points(device, label, test, |point| {
            (point, along, -height(point) as f64 / squared as f64)
        });
    }
    solids(&mut all, device);
    all
}

fn lines(all: &mut Findings, device: &PointTester, along: Whole) {
    let end = plus(START, along);
    let squared = |v: Whole| (dot(v, v), 1);
    let length_squared = dot(along, along);
    let height = |point: Whole| about(point, START, along).height;
    let share = |point: Whole| height(point) as f64 / length_squared as f64;
    let aside = |point: Whole| {
        let About { aside_squared, length_squared, .. } = about(point, START, along);
        (aside_squared, length_squared)
    };
    let test = LineTest::new(real(START), real(along)).unwrap();
    all.touched(device, &format!("{test:?}"), test, aside);
    all.closest_points(device, &format!("{test:?}"), test, |point| (START, along, share(point)));

    let behind = |point: Whole| height(point) < 0;
    let test = RayTest::new(real(START), real(along)).unwrap();
    all.touched(device, &format!("{test:?}"), test, |point| {
        if behind(point) { squared(minus(point, START)) } else { aside(point) }
    });
    all.closest_points(device, &format!("{test:?}"), test, |point| {
        (START, along, if behind(point) { 0.0 } else { share(point) })
    });

    let beyond = |point: Whole| height(point) > length_squared;
    let test = SegmentTest::new(real(START), real(end)).unwrap();
    all.touched(device, &format!("{test:?}"), test, |point| match () {
        () if behind(point) => squared(minus(point, START)),
        () if beyond(point) => squared(minus(point, end)),
        () => aside(point),
    });
    all.closest_points(device, &format!("{test:?}"), test, |point| match () {
        () if behind(point) => (START, along, 0.0),
        () if beyond(point) => (end, along, 0.0),
        () => (START, along, share(point)),
    });
}

fn solids(all: &mut Findings, device: &PointTester) {
    for radius in [1, 3, 5, 6] {
        let test = SphereTest::new(real(MIDDLE), radius as f64).unwrap();
        let squared = |point| dot(minus(point, MIDDLE), minus(point, MIDDLE));
        all.contained(device, &format!("{test:?}"), test, |point| {
            squared(point) <= radius * radius
        });
        all.closest_points(device, &format!("{test:?}"), test, |point| match squared(point) {
            0 => (MIDDLE, [radius, 0, 0], 1.0),
            squared => (MIDDLE, minus(point, MIDDLE), radius as f64 / (squared as f64).sqrt()),
        });
    }
    let half = [2, 4, 1];
    // The box's x axis lies along the world's y, its y along z, and its z along x.
    for (rotation, across) in [(DQuat::IDENTITY, half), (THIRD, [half[2], half[0], half[1]])] {
        let product = half[0] * half[1] * half[2];
        let test = EllipsoidTest::new(real(MIDDLE), real(half), rotation).unwrap();
        all.squared_distances(device, &format!("{test:?}"), test, |point| {
            let off = minus(point, MIDDLE);
            let parts = [0, 1, 2].map(|axis| off[axis] * product / across[axis]);
            let squared = dot(parts, parts);
            (squared <= product * product).then_some((squared, product * product))
        });
        let test = OrientedBoxTest::new(real(MIDDLE), real(half), rotation).unwrap();
        let [low, high] = [minus(MIDDLE, across), plus(MIDDLE, across)];
        let label = format!("{test:?}");
        let first = if rotation == THIRD { [1, 2, 0] } else { [0, 1, 2] };
        all.contained(device, &label, test, |point| is_between(point, low, high));
        all.closest_points(device, &label, test, |point| onto(point, low, high, first));
        let test = AlignedBoxTest::new(real(low), real(high)).unwrap();
        all.contained(device, &format!("{test:?}"), test, |point| is_between(point, low, high));
        all.closest_points(device, &format!("{test:?}"), test, |point| {
            onto(point, low, high, [0, 1, 2])
        });
    }
}

fn is_between(point: Whole, low: Whole, high: Whole) -> bool {
    (0..3).all(|axis| (low[axis]..=high[axis]).contains(&point[axis]))
}

/// Returns the nearest point of a box's surface. `order` lists the world's axes in the order of the box's.
fn onto(point: Whole, low: Whole, high: Whole, order: [usize; 3]) -> (Whole, Whole, f64) {
    let mut best = point;
    if is_between(point, low, high) {
        let faces = order.into_iter().flat_map(|axis| [(axis, low[axis]), (axis, high[axis])]);
        let (axis, face) = faces.min_by_key(|&(axis, face)| (point[axis] - face).abs()).unwrap();
        best[axis] = face;
    } else {
        best = [0, 1, 2].map(|axis| point[axis].clamp(low[axis], high[axis]));
    }
    (best, [0; 3], 0.0)
}
