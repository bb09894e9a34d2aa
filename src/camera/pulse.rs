//! The light of a lidar: its beam, the extinction of the air, and the returns that the instrument
//! reports.

use super::error::CameraError;
use std::f64::consts::{PI, TAU};

/// The light of a lidar. By default a ray is a line, and its closest hit is the return.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pulse {
    /// The beam of each pixel; `None` for a line.
    pub beam: Option<Beam>,
    /// The rules for the returns of each beam; `None` for only the strongest.
    pub returns: Option<ReturnRules>,
    /// The extinction of the air, in 1/km, for scene units of metres.
    pub attenuation_per_km: f64,
    /// The least raw intensity that makes a return.
    pub detection_limit: f64,
}

// A Gaussian beam widens linearly far from its waist.
/// A beam that widens with the distance d. Its light falls to 1/e² at exit_diameter / 2 + d ·
/// tan(divergence / 2) from its middle.
#[derive(
    Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename = "BeamFile", expecting = "struct BeamFile", deny_unknown_fields)]
pub struct Beam {
    /// The full angle at 1/e², in milliradians.
    #[schemars(range(min = 0))]
    pub divergence_mrad: f64,
    /// The diameter at the exit, at 1/e², in scene units.
    #[serde(default)]
    pub exit_diameter: f64,
    /// The number of rays of the beam: 1, 7, 19, 37 or another centred hexagonal number up to 1261.
    #[serde(default = "one_subray")]
    pub subrays: u32,
}

fn one_subray() -> u32 {
    1
}

/// A ray of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subray {
    /// Its place in the footprint across the beam, in units of the footprint's radius.
    pub offset: [f64; 2],
    /// Its share of the beam's light.
    pub weight: f64,
}

/// The rules that select the returns of a beam.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReturnRules {
    /// The most returns of a beam, from 1 to 15. If there are more, the strongest are kept.
    pub max: u8,
    /// The returns that are reported.
    pub mode: ReturnMode,
    /// Hits farther apart than this distance, in scene units, are separate returns.
    pub range_resolution: f64,
}

/// The returns of a beam that are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum ReturnMode {
    /// All returns, up to the maximum.
    #[default]
    All,
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// The one with the highest intensity.
    Strongest,
}

impl ReturnMode {
    /// All modes, with their names.
    pub const NAMES: [(&str, Self); 4] = [
        ("all", Self::All),
        ("first", Self::First),
        ("last", Self::Last),
        ("strongest", Self::Strongest),
    ];

    /// Returns the mode with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

impl Default for ReturnRules {
    /// Returns the rules for up to five returns, with a range resolution of 0.3 m: half of the
    /// length of a pulse of two nanoseconds.
    fn default() -> Self {
        Self { max: 5, mode: ReturnMode::All, range_resolution: 0.3 }
    }
}

impl Pulse {
    /// Returns true if a pixel's return can differ from the closest hit of its ray.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the rules for returns. By default the strongest return is reported.
    pub fn rules(&self) -> ReturnRules {
        self.returns.unwrap_or(ReturnRules { max: 1, ..ReturnRules::default() })
    }

    /// Returns the most returns that one beam can have.
    pub fn most_returns(&self) -> u8 {
        let ReturnRules { max, mode, .. } = self.rules();
        match mode {
            ReturnMode::All => self.beam.map_or(1, |beam| beam.subrays.min(max.into()) as u8),
            ReturnMode::First | ReturnMode::Last | ReturnMode::Strongest => 1,
        }
    }

    /// Returns the share of the light that passes through the air to a distance and back:
    /// exp(−2αd), the Beer–Lambert law.
    pub fn transmission(&self, distance: f64) -> f64 {
        libm::exp(-2.0 * self.attenuation_per_km * distance / 1000.0)
    }

    pub(super) fn check(&self) -> Result<(), CameraError> {
        CameraError::unless_from_zero("attenuation_per_km", self.attenuation_per_km)?;
        CameraError::unless_from_zero("detection_limit", self.detection_limit)?;
        if let Some(Beam { divergence_mrad, exit_diameter, subrays }) = self.beam {
            let is_narrow = (0.0..1000.0 * PI).contains(&divergence_mrad);
            let rule = "it must be at least 0 and below 3141.59, a divergence of half of space";
            CameraError::unless(is_narrow, "beam.divergence_mrad", divergence_mrad, rule)?;
            CameraError::unless_from_zero("beam.exit_diameter", exit_diameter)?;
            let rule =
                "it must be 1, 7, 19, 37 or another number of whole hexagonal rings up to 1261";
            CameraError::unless(rings_of(subrays).is_some(), "beam.subrays", subrays, rule)?;
        }
        if let Some(ReturnRules { max, range_resolution, .. }) = self.returns {
            let is_count = (1..=15).contains(&max);
            CameraError::unless(is_count, "returns.max", max, "it must be from 1 to 15")?;
            CameraError::unless_from_zero("returns.range_resolution", range_resolution)?;
        }
        Ok(())
    }
}

/// The most rings around the ray in the middle.
const MOST_RINGS: u32 = 20;

/// Returns the number of rings of a hexagon of this many points: one in the middle, and 6k in ring
/// k.
fn rings_of(subrays: u32) -> Option<u32> {
    (0..=MOST_RINGS).find(|rings| 1 + 3 * rings * (rings + 1) == subrays)
}

impl Beam {
    /// Returns the rays of the beam, the middle one first.
    ///
    /// The rays of ring k of K are on a circle of radius k / (K + 1/2), so each represents the same
    /// area of the footprint, except the middle one. Their weights are exp(−2r²), scaled to the sum
    /// 1.
    pub fn subrays(&self) -> Vec<Subray> {
        let rings = rings_of(self.subrays).unwrap_or(0);
        let mut all = vec![Subray { offset: [0.0; 2], weight: 1.0 }];
        for ring in 1..=rings {
            let radius = f64::from(ring) / (f64::from(rings) + 0.5);
            for step in 0..6 * ring {
                let angle = TAU * f64::from(step) / f64::from(6 * ring);
                let offset = [radius * libm::cos(angle), radius * libm::sin(angle)];
                all.push(Subray { offset, weight: libm::exp(-2.0 * radius * radius) });
            }
        }
        let sum: f64 = all.iter().map(|subray| subray.weight).sum();
        all.iter_mut().for_each(|subray| subray.weight /= sum);
        all
    }

    /// Returns the tangent of half of the divergence.
    pub(crate) fn spread(&self) -> f64 {
        libm::tan(0.5e-3 * self.divergence_mrad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beam(subrays: u32) -> Beam {
        Beam { divergence_mrad: 1.0, exit_diameter: 0.0, subrays }
    }

    #[test]
    fn the_rays_of_a_beam_fill_its_footprint_and_share_its_light() {
        for subrays in [1, 7, 19, 37, 1261] {
            let all = beam(subrays).subrays();
            assert_eq!(all.len(), subrays as usize);
            assert!((all.iter().map(|it| it.weight).sum::<f64>() - 1.0).abs() < 1e-12);
            // The middle of the light is that of the beam.
            for axis in 0..2 {
                let middle: f64 = all.iter().map(|it| it.weight * it.offset[axis]).sum();
                assert!(middle.abs() < 1e-12);
            }
            assert!(all.iter().all(|it| it.offset[0].hypot(it.offset[1]) < 1.0));
        }
        // The mean of r² under exp(−2r²) in the unit circle is (1 − 3/e²) / (2 (1 − 1/e²)).
        let fall = (-2.0_f64).exp();
        let exact = 0.5 * (1.0 - 3.0 * fall) / (1.0 - fall);
        let mean = |subrays| -> f64 {
            let all = beam(subrays).subrays();
            all.iter().map(|it| it.weight * (it.offset[0].powi(2) + it.offset[1].powi(2))).sum()
        };
        let errors = [7, 37, 1261].map(|subrays| (mean(subrays) - exact).abs());
        assert!(errors[0] < 0.03 && errors[2] < 1e-3 && errors[1] < errors[0], "{errors:?}");
    }

    #[test]
    fn a_beam_has_no_more_returns_than_rays_and_than_its_rules_allow() {
        let most = |subrays, max, mode| {
            let returns = Some(ReturnRules { max, mode, range_resolution: 0.3 });
            Pulse { beam: Some(beam(subrays)), returns, ..Pulse::default() }.most_returns()
        };
        assert_eq!([1, 7, 1261].map(|subrays| most(subrays, 9, ReturnMode::All)), [1, 7, 9]);
        assert_eq!(most(19, 9, ReturnMode::Last), 1);
        let alone = Pulse { beam: Some(beam(19)), ..Pulse::default() };
        assert_eq!([alone.most_returns(), Pulse::default().most_returns()], [1, 1]);
    }

    #[test]
    fn what_no_beam_and_no_returns_can_be_is_refused() {
        let of = |beam: Beam| Pulse { beam: Some(beam), ..Pulse::default() };
        let rules = |returns| Pulse { returns: Some(returns), ..Pulse::default() };
        assert!(of(beam(7)).check().is_ok() && Pulse::default().check().is_ok());
        for (pulse, field) in [
            (of(Beam { divergence_mrad: 3200.0, ..beam(7) }), "beam.divergence_mrad"),
            (of(Beam { divergence_mrad: f64::NAN, ..beam(7) }), "beam.divergence_mrad"),
            (of(Beam { exit_diameter: -1.0, ..beam(7) }), "beam.exit_diameter"),
            (of(beam(8)), "beam.subrays"),
            (of(beam(0)), "beam.subrays"),
            (rules(ReturnRules { max: 0, ..ReturnRules::default() }), "returns.max"),
            (rules(ReturnRules { max: 16, ..ReturnRules::default() }), "returns.max"),
            (
                rules(ReturnRules { range_resolution: -1.0, ..ReturnRules::default() }),
                "returns.range_resolution",
            ),
            (Pulse { attenuation_per_km: -1.0, ..Pulse::default() }, "attenuation_per_km"),
            (Pulse { detection_limit: f64::INFINITY, ..Pulse::default() }, "detection_limit"),
        ] {
            let error = pulse.check().unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
    }
}
