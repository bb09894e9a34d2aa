//! The noise and the light of a sensor by the names that they have in scene files, and the way from
//! them and to them. What a file leaves out is `None`.

use super::pulse::{Beam, Pulse, ReturnMode, ReturnRules};
use super::sensor::RangeNoise;
use serde::{Deserialize, Serialize};

/// The noise of an instrument, drawn for each pixel by the generator Philox4x32-10.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename = "NoiseFile", expecting = "struct NoiseFile", deny_unknown_fields)]
pub struct NoiseFields {
    /// The standard deviation of distances, in scene units.
    #[schemars(range(min = 0))]
    pub stddev: f64,
    /// What each unit of distance adds to it.
    #[serde(default)]
    pub stddev_per_distance: f64,
    /// The raw intensity at which this holds: it grows as the square root of this by a return's own; 0 for any.
    #[serde(default)]
    pub reference_intensity: f64,
    /// The standard deviation of rays' directions in either axis, in milliradians.
    #[serde(default)]
    pub jitter_mrad: f64,
    /// The share of returns that are lost, from 0 to 1.
    #[serde(default)]
    pub dropout: f64,
    /// Another seed gives other noise.
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
    /// Panoramic: the beam in which each pixel's light leaves; by default the lidar's, or a line.
    pub beam: Option<Beam>,
    /// Panoramic: the returns that each beam makes; by default the lidar's, or the strongest alone.
    pub returns: Option<ReturnFields>,
    /// Panoramic: leaves out the beam and the returns of the lidar, so that each pixel is one line.
    #[serde(default)]
    pub no_beam: bool,
    /// Panoramic: the extinction of the air in 1/km, for scene units of metres; by default 0.
    pub attenuation_per_km: Option<f64>,
    /// Panoramic: the least raw intensity that makes a return; by default 0.
    pub detection_limit: Option<f64>,
}

/// The rules by which echoes become returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename = "ReturnsFile", expecting = "struct ReturnsFile", deny_unknown_fields)]
pub struct ReturnFields {
    /// The most returns of a beam, from 1 to 15; by default 5.
    pub max: Option<u8>,
    /// all, first, last or strongest; by default all.
    pub mode: Option<String>,
    /// A gap between hits that is larger begins another echo, in scene units; by default 0.3.
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
    /// Returns the light that has these fields, and what is left out from an instrument.
    ///
    /// # Errors
    /// The mode, if no [`ReturnMode`] has that name.
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
