//! The noise and the light of a sensor with the names that scene files use, and the conversions
//! from and to them. A field that a file leaves out is `None`.

use super::pulse::{Beam, Pulse, ReturnMode, ReturnRules};
use super::sensor::RangeNoise;
use serde::{Deserialize, Serialize};

/// The noise of an instrument, drawn for each pixel with the generator Philox4x32-10.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename = "NoiseFile", expecting = "struct NoiseFile", deny_unknown_fields)]
pub struct NoiseFields {
    /// The standard deviation of distances, in scene units.
    #[schemars(range(min = 0))]
    pub stddev: f64,
    /// The standard deviation that each unit of distance adds.
    #[serde(default)]
    pub stddev_per_distance: f64,
    /// The raw intensity to which the standard deviation refers. The deviation of a return is
    /// multiplied by the square root of this intensity divided by the return's intensity. 0 turns
    /// this off.
    #[serde(default)]
    pub reference_intensity: f64,
    /// The standard deviation of rays' directions in either axis, in milliradians.
    #[serde(default)]
    pub jitter_mrad: f64,
    /// The share of returns that are lost, from 0 to 1.
    #[serde(default)]
    pub dropout: f64,
    /// The seed of the noise. Each seed gives different noise.
    #[serde(default)]
    pub seed: u64,
}

impl From<&RangeNoise> for NoiseFields {
    fn from(noise: &RangeNoise) -> Self {
        Self {
            stddev: noise.stddev,
            stddev_per_distance: noise.stddev_per_distance,
            reference_intensity: noise.reference_intensity,
            jitter_mrad: noise.jitter_mrad,
            dropout: noise.dropout,
            seed: noise.seed,
        }
    }
}

impl From<NoiseFields> for RangeNoise {
    fn from(fields: NoiseFields) -> Self {
        Self {
            stddev: fields.stddev,
            stddev_per_distance: fields.stddev_per_distance,
            reference_intensity: fields.reference_intensity,
            jitter_mrad: fields.jitter_mrad,
            dropout: fields.dropout,
            seed: fields.seed,
            image_number: 0,
        }
    }
}

/// The light of a lidar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PulseFields {
    /// Panoramic: the beam of each pixel. Default: the beam of the named lidar, or a line.
    pub beam: Option<Beam>,
    /// Panoramic: the returns of each beam. Default: those of the named lidar, or only the
    /// strongest.
    pub returns: Option<ReturnFields>,
    /// Panoramic: leaves out the beam and the returns of the named lidar, so that each pixel is one
    /// line.
    #[serde(default)]
    pub no_beam: bool,
    /// Panoramic: the extinction of the air in 1/km, for scene units of metres. Default: 0.
    pub attenuation_per_km: Option<f64>,
    /// Panoramic: the least raw intensity that makes a return. Default: 0.
    pub detection_limit: Option<f64>,
}

/// The rules that select the returns of a beam.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename = "ReturnsFile", expecting = "struct ReturnsFile", deny_unknown_fields)]
pub struct ReturnFields {
    /// The most returns of a beam, from 1 to 15. Default: 5.
    pub max: Option<u8>,
    /// all, first, last or strongest. Default: all.
    pub mode: Option<String>,
    /// Hits farther apart than this distance, in scene units, are separate returns. Default: 0.3.
    pub range_resolution: Option<f64>,
}

impl From<&Pulse> for PulseFields {
    fn from(pulse: &Pulse) -> Self {
        let given = |number: f64| (number > 0.0).then_some(number);
        Self {
            beam: pulse.beam,
            returns: pulse.returns.map(|rules| ReturnFields {
                max: Some(rules.max),
                mode: Some(rules.mode.name().to_owned()),
                range_resolution: Some(rules.range_resolution),
            }),
            no_beam: false,
            attenuation_per_km: given(pulse.attenuation_per_km),
            detection_limit: given(pulse.detection_limit),
        }
    }
}

impl PulseFields {
    /// Returns the light with these fields. A beam or returns that are left out are those of `own`,
    /// unless `no_beam` is true. A number that is left out is 0.
    ///
    /// # Errors
    /// The name of the mode, if no [`ReturnMode`] has it.
    pub fn pulse(self, own: Pulse) -> Result<Pulse, String> {
        let own = if self.no_beam { Pulse::default() } else { own };
        let returns = self.returns.map(ReturnFields::rules).transpose()?;
        Ok(Pulse {
            beam: self.beam.or(own.beam),
            returns: returns.or(own.returns),
            attenuation_per_km: self.attenuation_per_km.unwrap_or(0.0),
            detection_limit: self.detection_limit.unwrap_or(0.0),
        })
    }
}

impl ReturnFields {
    fn rules(self) -> Result<ReturnRules, String> {
        let default = ReturnRules::default();
        let mode = match self.mode {
            Some(name) => ReturnMode::named(&name).ok_or(name)?,
            None => default.mode,
        };
        Ok(ReturnRules {
            max: self.max.unwrap_or(default.max),
            mode,
            range_resolution: self.range_resolution.unwrap_or(default.range_resolution),
        })
    }
}
