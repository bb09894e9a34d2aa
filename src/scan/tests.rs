use super::*;
use crate::camera::{BeamTable, Camera, Pose, Projection, ScanPattern, View};
use fastrand::Rng;
use glam::DVec3;

const STILL: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// A lidar whose sweep takes this time, at whose very end its last beam leaves.
fn lidar(sweep_s: f64) -> View {
    let table = BeamTable {
        time_s: vec![0.0, sweep_s],
        azimuth_degrees: vec![0.0; 2],
        elevation_degrees: vec![-40.0; 2],
        sweep_s,
    };
    let pattern = Projection::Pattern(ScanPattern::Table(table));
    let camera = Camera::look_at("c", DVec3::ZERO, DVec3::X, None, pattern).unwrap();
    View::new(camera, 2, 1).unwrap()
}

fn can_be_cast(view: &View, trajectory: &Trajectory, row: usize) -> bool {
    PosedView::new(view, trajectory, row, DVec3::ZERO).unwrap().is_some()
}

/// The lengths of legs are whole numbers of 0.5 mm, their speeds of 0.1 a second, and the times of
/// sweeps of milliseconds, so whole numbers say how many sweeps fit.
#[test]
fn a_flight_has_as_many_sweeps_as_by_whole_numbers_and_each_can_be_cast() {
    let mut random = Rng::with_seed(3);
    for _ in 0..1000 {
        let sweep = random.i64(1..=500);
        let mut expected = Vec::new();
        let mut next_leg = || {
            let speed = random.i64(1..=400);
            // Most legs end with a sweep, and some are a step too short for another one.
            let rest = *random.choice([0, 0, 0, -1, sweep * speed / 3].iter()).unwrap();
            let steps = random.i64(2..=30) * sweep * speed + rest;
            let along = *random.choice([[5, 0], [0, -5], [3, 4], [-4, 3]].iter()).unwrap();
            // Maps have their origins far away.
            let start = [0; 2].map(|_| *random.choice([0, 1, 1_000_000_000].iter()).unwrap());
            let start = start.map(|scale| random.i64(-60 * scale..=60 * scale));
            let end = [0, 1].map(|axis| start[axis] + steps * along[axis]);
            expected.push((steps / (sweep * speed)) as usize);
            let ends = [start, end].map(|[x, y]| DVec3::new(x as f64, y as f64, 0.0) / 1e4);
            // Five steps of a ten-thousandth are one of 0.5 mm.
            let speed = 5.0 * speed as f64 / 10.0;
            Leg { ends: ends.map(|end| end + DVec3::Z * 70.0), speed, down_degrees: 0.0 }
        };
        let legs: Vec<Leg> = (0..3).map(|_| next_leg()).collect();
        let sweep_s = sweep as f64 / 1000.0;
        let flight = Flight::new(&legs, sweep_s, random.bool()).unwrap();
        let of_leg = |leg: usize| flight.sweeps.iter().filter(move |it| it.source as usize == leg);
        let found: Vec<usize> = (1..=legs.len()).map(|leg| of_leg(leg).count()).collect();
        assert_eq!(found, expected, "{sweep_s} {legs:?}");
        let view = lidar(sweep_s);
        for sweep in &flight.sweeps {
            assert!(can_be_cast(&view, &flight.trajectory, sweep.row), "{sweep:?} {legs:?}");
        }
    }
}

#[test]
fn every_row_but_the_last_begins_a_sweep_that_takes_until_the_next_one() {
    let mut random = Rng::with_seed(4);
    // Milliseconds, as of a clock that counts from 1970.
    for start in [0, 700, -300, -12_345, 86_400_000, 1_700_000_000_123] {
        for _ in 0..100 {
            let (sweep, count) = (random.i64(1..=1000), random.i64(2..=60));
            let time = |row: i64| (start + row * sweep) as f64 / 1000.0;
            let pose = |row: i64| Pose::new(DVec3::X * row as f64, STILL).unwrap();
            let times = (0..count).map(time).collect();
            let trajectory = Trajectory::new(times, (0..count).map(pose).collect()).unwrap();
            let view = lidar(sweep as f64 / 1000.0);
            let cast = (0..count as usize).filter(|&row| can_be_cast(&view, &trajectory, row));
            assert!(cast.eq(0..count as usize - 1), "{start} {sweep} {count}");
        }
    }
}
