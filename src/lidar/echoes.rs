//! Echoes: the light of a beam that surfaces close behind each other reflect. The type is
//! `query::Echo`, because tracers return it.

use crate::camera::{Pulse, ReturnMode, ReturnRules};
use crate::query::Echo;
use crate::ray::Hit;

/// A hit of one of a beam's rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubHit {
    /// The number of the ray in the beam.
    pub subray: usize,
    /// What it hit, and where.
    pub hit: Hit,
    /// The ray's share of the beam's light.
    pub weight: f64,
    /// The light that is reflected back.
    pub intensity: f64,
}

impl SubHit {
    /// The distance along the ray.
    fn distance(&self) -> f64 {
        self.hit.t.into()
    }
}

/// Returns the echoes of a beam, the nearest first. The order of the hits does not matter, except
/// that it decides which of several equally strong hits is the first.
pub(super) fn echoes(mut hits: Vec<SubHit>, range_resolution: f64) -> Vec<Echo> {
    hits.sort_by(|one, other| {
        one.distance().total_cmp(&other.distance()).then(one.subray.cmp(&other.subray))
    });
    let groups = hits.chunk_by(|one, next| next.distance() - one.distance() <= range_resolution);
    groups.map(echo).collect()
}

fn echo(hits: &[SubHit]) -> Echo {
    let sum = |of: &dyn Fn(&SubHit) -> f64| hits.iter().map(of).sum::<f64>();
    let intensity = sum(&|hit| hit.intensity);
    let weight = sum(&|hit| hit.weight);
    // Black surfaces reflect nothing, but the echo still has a place.
    let distance = match intensity > 0.0 {
        true => sum(&|hit| hit.intensity * hit.distance()) / intensity,
        false => sum(&|hit| hit.weight * hit.distance()) / weight,
    };
    let mut strongest = hits[0];
    for hit in &hits[1..] {
        let is_stronger = hit.intensity > strongest.intensity
            || (hit.intensity == strongest.intensity && hit.subray < strongest.subray);
        if is_stronger {
            strongest = *hit;
        }
    }
    Echo { distance, intensity, weight, strongest: strongest.subray, hit: strongest.hit }
}

/// Returns the echoes that become returns, the nearest first. Noise may have changed the order of
/// the echoes, so it does not matter, except that it decides which of several at one distance is
/// the first.
pub(super) fn kept(mut echoes: Vec<Echo>, pulse: &Pulse) -> Vec<Echo> {
    echoes.retain(|echo| echo.intensity >= pulse.detection_limit);
    let nearest_first = |one: &Echo, other: &Echo| one.distance.total_cmp(&other.distance);
    echoes.sort_by(nearest_first);
    let ReturnRules { max, mode, .. } = pulse.rules();
    // The first of several that are equally strong is the strongest.
    let strength = |one: &Echo, other: &Echo| other.intensity.total_cmp(&one.intensity);
    let count = match mode {
        ReturnMode::First => {
            echoes.truncate(1);
            return echoes;
        }
        ReturnMode::Last => return echoes.pop().into_iter().collect(),
        ReturnMode::Strongest => 1,
        ReturnMode::All => usize::from(max),
    };
    if echoes.len() > count {
        echoes.sort_by(strength);
        echoes.truncate(count);
        echoes.sort_by(nearest_first);
    }
    echoes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(subray: usize, t: f32, intensity: f64) -> SubHit {
        let hit = Hit { t, geometry_id: 0, primitive_id: 0 };
        SubHit { subray, hit, weight: 0.125, intensity }
    }

    fn pulse(max: u8, mode: ReturnMode) -> Pulse {
        let returns = Some(ReturnRules { max, mode, range_resolution: 0.5 });
        Pulse { returns, detection_limit: 0.2, ..Pulse::default() }
    }

    #[test]
    fn hits_without_a_gap_are_one_echo_at_their_weighted_mean() {
        let hits = vec![hit(3, 10.4, 1.0), hit(0, 20.0, 2.0), hit(2, 10.0, 3.0), hit(1, 10.9, 1.0)];
        let all = echoes(hits, 0.5);
        assert_eq!(all.len(), 2);
        assert!((all[0].distance - (30.0 + 10.4 + 10.9) / 5.0).abs() < 1e-6);
        assert_eq!((all[0].intensity, all[0].strongest), (5.0, 2));
        assert_eq!(all[0].weight, 0.375);
        assert_eq!((all[1].distance, all[1].strongest), (20.0, 0));
        // Equal hits: the first ray's counts. Black ones have a place.
        let equal = echoes(vec![hit(5, 1.0, 2.0), hit(4, 1.1, 2.0)], 0.5);
        assert_eq!(equal[0].strongest, 4);
        let black = echoes(vec![hit(0, 1.0, 0.0), hit(1, 2.0, 0.0)], 1.0);
        assert_eq!((black[0].distance, black[0].strongest), (1.5, 0));
        assert!(echoes(Vec::new(), 1.0).is_empty());
    }

    #[test]
    fn returns_are_chosen_by_the_mode_and_the_most() {
        let all =
            || echoes((0..4).map(|at| hit(at, at as f32, [1.0, 0.1, 3.0, 2.0][at])).collect(), 0.5);
        let distances = |max, mode| -> Vec<f64> {
            kept(all(), &pulse(max, mode)).iter().map(|echo| echo.distance).collect()
        };
        // The second one is below the limit of detection.
        assert_eq!(distances(15, ReturnMode::All), [0.0, 2.0, 3.0]);
        assert_eq!(distances(2, ReturnMode::All), [2.0, 3.0]);
        assert_eq!(distances(15, ReturnMode::First), [0.0]);
        assert_eq!(distances(15, ReturnMode::Last), [3.0]);
        assert_eq!(distances(15, ReturnMode::Strongest), [2.0]);
        // Whatever order noise has put them in.
        for mode in [ReturnMode::All, ReturnMode::First, ReturnMode::Last, ReturnMode::Strongest] {
            for max in [1, 2, 15] {
                let backwards = all().into_iter().rev().collect();
                assert_eq!(kept(backwards, &pulse(max, mode)), kept(all(), &pulse(max, mode)));
            }
        }
        assert!(kept(Vec::new(), &pulse(1, ReturnMode::Last)).is_empty());
    }
}
