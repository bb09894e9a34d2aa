//! Judges the answers of point tests by float64 and by the distance from the surface.

use super::Form;
use super::bodies::{Body, Of, Sort};
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::PointTester;
use raytwin::math::U;
use raytwin::point_in_shape::*;

/// Points, and the body that each is tested against.
pub struct Batch {
    pub bodies: Vec<Body>,
    pub points: Vec<[f32; 3]>,
    /// The distance within which a point touches a thin body.
    pub tolerance: f64,
    /// The rounding error of float64, relative to max(D, R) and the coordinates.
    rounding: f64,
}

/// The verdict on a batch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The first wrong answer.
    pub wrong: Option<String>,
    pub wrong_in_all: usize,
    /// The worst error as a fraction of its bound.
    pub worst: f64,
    /// The counts of two kinds of answers, such as inside and outside.
    pub yes: usize,
    pub no: usize,
    /// The count of points for which rounding decides.
    pub doubtful: usize,
}

impl Outcome {
    fn refuse(&mut self, why: impl FnOnce() -> String) {
        self.wrong_in_all += 1;
        if self.wrong.is_none() {
            self.wrong = Some(why());
        }
    }

    /// Checks an error against its bound.
    fn hold(&mut self, error: f64, bound: f64, why: impl FnOnce() -> String) {
        // A device may flush subnormal numbers to zero.
        let part = error / (bound + 1e-30);
        if part <= 1.0 {
            self.worst = self.worst.max(part);
        } else {
            self.refuse(|| format!("error {error:e} of {bound:e}: {}", why()));
        }
    }

    /// Compares two answers to the same point, at the distance `off` from where the answer changes.
    fn alike(&mut self, a: bool, b: bool, off: f64, bound: f64, why: impl FnOnce() -> String) {
        if a != b {
            self.hold(off, bound, why);
        }
    }

    /// Compares the device's answer with that of float64.
    fn same(
        &mut self,
        exact: bool,
        given: bool,
        off: f64,
        bound: f64,
        why: impl FnOnce() -> String,
    ) {
        *(if exact { &mut self.yes } else { &mut self.no }) += 1;
        self.doubtful += usize::from(off <= bound);
        self.alike(exact, given, off, bound, why);
    }

    pub fn add(&mut self, other: Self) {
        self.wrong = self.wrong.take().or(other.wrong);
        self.wrong_in_all += other.wrong_in_all;
        self.worst = self.worst.max(other.worst);
        self.yes += other.yes;
        self.no += other.no;
        self.doubtful += other.doubtful;
    }
}

impl Batch {
    /// Makes points and bodies of this size around `middle`.
    pub fn new(seed: u64, sort: Sort, count: usize, size: f64, middle: DVec3) -> Self {
        let rng = &mut Rng::with_seed(seed);
        let tolerance = f64::from((0.05 * size) as f32);
        let is_thin =
            matches!(sort, Sort::Of(Form::Plane) | Sort::Line | Sort::Ray | Sort::Segment);
        let distance = if is_thin { tolerance } else { 0.0 };
        let few = sort.bodies(rng, count.div_ceil(4), size, middle);
        let bodies: Vec<Body> = few.iter().flat_map(|body| [*body; 4]).take(count).collect();
        let points = bodies.iter().map(|body| body.point(rng, size, distance)).collect();
        Self { bodies, points, tolerance, rounding: 1e-13 }
    }

    pub fn tests<T: Of>(&self) -> Vec<T> {
        self.bodies.iter().map(T::of).collect()
    }

    /// Replaces the points by others, most of which lie on surfaces or nearly so.
    pub fn points_on_surfaces(&mut self, seed: u64) {
        let rng = &mut Rng::with_seed(seed);
        self.points = self.bodies.iter().map(|body| body.point(rng, 0.01, 0.0)).collect();
    }

    /// Iterates over each body, its point, the signed distance and the bound.
    fn cases(&self) -> impl Iterator<Item = (&Body, DVec3, f64, f64)> {
        self.bodies.iter().zip(&self.points).map(|(body, &point)| {
            let point = DVec3::from(point.map(f64::from));
            (body, point, body.signed_distance(point), body.delta(point))
        })
    }

    fn float64(&self, body: &Body, point: DVec3) -> f64 {
        let (center, reach) = body.center_and_radius();
        self.rounding * (point.length() + center.length() + reach)
    }

    pub fn squared_distances<T: SquaredDistance + Of>(&self, device: &PointTester) -> Outcome {
        let tests: Vec<T> = self.tests();
        let given = device.squared_distances(&tests, &self.points).unwrap();
        let mut outcome = Outcome::default();
        for ((test, given), (body, point, signed, delta)) in
            tests.iter().zip(given).zip(self.cases())
        {
            let exact = test.squared_distance(point);
            let why = || format!("{body:?} {point:?}: {given} for {exact}, off {signed:e}");
            let float64 = self.float64(body, point);
            outcome.alike(signed <= 0.0, exact >= 0.0, signed.abs(), float64, why);
            outcome.same(exact >= 0.0, given >= 0.0, signed.abs(), delta, why);
            if exact >= 0.0 && given >= 0.0 {
                let apart = (f64::from(given).sqrt() - exact.sqrt()).abs();
                outcome.hold(apart, delta / self.unit(body), why);
            }
            if !(given >= 0.0 || given == -1.0) || !(exact >= 0.0 || exact == OUTSIDE) {
                outcome.refuse(why);
            }
        }
        outcome
    }

    /// The unit in which a test reports its distances.
    fn unit(&self, body: &Body) -> f64 {
        match body {
            Body::Of(raytwin::Shape::Ellipsoid(ellipsoid)) => ellipsoid.radii.min_element(),
            _ => 1.0,
        }
    }

    pub fn contained<T: Contains + Of>(&self, device: &PointTester) -> Outcome {
        let tests: Vec<T> = self.tests();
        let given = device.contains(&tests, &self.points).unwrap();
        let mut outcome = Outcome::default();
        for ((test, given), (body, point, signed, delta)) in
            tests.iter().zip(given).zip(self.cases())
        {
            let exact = test.contains(point);
            let why = || format!("{body:?} {point:?}: {given} for {exact}, off {signed:e}");
            outcome.alike(signed <= 0.0, exact, signed.abs(), self.float64(body, point), why);
            // The test of an aligned box only compares its inputs, which rounds nothing.
            let delta = if matches!(body, Body::AlignedBox(..)) { 0.0 } else { delta };
            outcome.same(exact, given, signed.abs(), delta, why);
            if delta == 0.0 && exact != given {
                outcome.refuse(why);
            }
        }
        outcome
    }

    pub fn touched<T: Touches + Of>(&self, device: &PointTester) -> Outcome {
        let tests: Vec<T> = self.tests();
        let tolerance = Tolerance::new(self.tolerance).unwrap();
        let given = device.touches(&tests, tolerance, &self.points).unwrap();
        let mut outcome = Outcome::default();
        for ((test, given), (body, point, signed, delta)) in
            tests.iter().zip(given).zip(self.cases())
        {
            let exact = test.touches(point, tolerance);
            let off = (signed.abs() - self.tolerance).abs();
            let why = || format!("{body:?} {point:?}: {given} for {exact}, off {off:e}");
            let is_near = signed.abs() <= self.tolerance;
            outcome.alike(is_near, exact, off, self.float64(body, point), why);
            outcome.same(exact, given, off, delta.max(16.0 * U * self.tolerance), why);
        }
        outcome
    }

    pub fn closest_points<T: ClosestPoint + Of>(&self, device: &PointTester) -> Outcome {
        let tests: Vec<T> = self.tests();
        let given = device.closest_points(&tests, &self.points).unwrap();
        let mut outcome = Outcome::default();
        for ((test, given), (body, point, signed, delta)) in
            tests.iter().zip(given).zip(self.cases())
        {
            let given = DVec3::from(given.map(f64::from));
            let exact = test.closest_point(point);
            // The point is rounded once more in each coordinate.
            let rounding = U * exact.length();
            for (closest, bound) in [(exact, self.float64(body, point)), (given, delta + rounding)]
            {
                let why = || format!("{body:?} {point:?}: {closest:?}, {signed:e} off");
                outcome.hold(body.signed_distance(closest).abs(), bound, why);
                // No point of the surface is nearer than the distance, so a point at that distance is the closest.
                outcome.hold((point.distance(closest) - signed.abs()).abs(), bound, why);
            }
            if signed <= 0.0 {
                outcome.yes += 1
            } else {
                outcome.no += 1
            };
        }
        outcome
    }
}
