//! The flags that change the beam, the returns and the noise of an instrument.

use crate::failure::Failure;
use clap::Args;
use raytwin::Lidar;
use raytwin::camera::{Beam, RangeNoise, ReturnMode, ReturnRules, View};
use std::str::FromStr;

/// The flags that change the beam, the returns and the noise of an instrument.
#[derive(Debug, Default, Args)]
pub(crate) struct InstrumentArguments {
    /// Cast beams of this divergence, in milliradians.
    ///
    /// The divergence is the full angle at 1/e². Optionally add the exit diameter in scene units,
    /// and the number of rays to cast for each beam: 1, 7, 19, 37 and so on. Defaults: those of the
    /// lidar, or else 0 and 7.
    #[arg(long, value_name = "MRAD[,EXIT[,SUBRAYS]]", allow_hyphen_values = true, value_parser = beam)]
    beam: Option<BeamChange>,
    /// Report at most this many returns of a beam.
    ///
    /// MODE selects the returns to report: all (the default), first, last or strongest.
    #[arg(long, value_name = "N[,MODE]", allow_hyphen_values = true, value_parser = returns)]
    returns: Option<(u8, ReturnMode)>,
    /// Cast one ray for each pixel, without beams.
    ///
    /// This removes the beam and the return rules of the lidar.
    #[arg(long, conflicts_with_all = ["beam", "returns"])]
    no_beam: bool,
    /// Add noise to distances (without a value: the lidar's noise).
    ///
    /// STDDEV is the standard deviation of distances in scene units. SEED defaults to 0. Without a
    /// value, raytwin uses the noise that the maker of the --lidar publishes.
    #[arg(long, value_name = "STDDEV[,SEED]", num_args = 0..=1, value_parser = noise)]
    noise: Option<Option<(f64, u64)>>,
}

/// The given values of a beam.
#[derive(Clone, Copy, Debug)]
struct BeamChange {
    divergence_mrad: f64,
    exit_diameter: Option<f64>,
    subrays: Option<u32>,
}

fn beam(text: &str) -> Result<BeamChange, String> {
    let wrong = || {
        format!(
            "'{text}' must be a divergence in milliradians, and optionally an exit diameter and a number of rays, such as 0.35,0.007,19"
        )
    };
    let mut parts = text.split(',').map(str::trim);
    let change = BeamChange {
        divergence_mrad: parsed(parts.next()).ok().flatten().ok_or_else(wrong)?,
        exit_diameter: parsed(parts.next()).map_err(|_| wrong())?,
        subrays: parsed(parts.next()).map_err(|_| wrong())?,
    };
    if parts.next().is_some() { Err(wrong()) } else { Ok(change) }
}

fn parsed<T: FromStr>(part: Option<&str>) -> Result<Option<T>, T::Err> {
    part.map(str::parse).transpose()
}

fn returns(text: &str) -> Result<(u8, ReturnMode), String> {
    let (max, mode) = text.split_once(',').unwrap_or((text, ReturnMode::All.name()));
    let read = max.trim().parse().ok().zip(ReturnMode::named(mode.trim()));
    read.ok_or_else(|| {
        let known = ReturnMode::NAMES.map(|(name, _)| name).join(", ");
        format!("'{text}' must be 1 to 15, and optionally a mode ({known}), such as 5,all")
    })
}

fn noise(text: &str) -> Result<(f64, u64), String> {
    let (stddev, seed) = text.split_once(',').unwrap_or((text, "0"));
    let read = stddev.trim().parse().ok().zip(seed.trim().parse().ok());
    read.ok_or_else(|| {
        format!("'{text}' must be a standard deviation, and optionally a seed, such as 0.01,7")
    })
}

impl InstrumentArguments {
    /// Applies the flags to a view. `lidar` is the published lidar of the view, if it has one.
    pub fn with_instrument_flags(
        &self,
        mut view: View,
        lidar: Option<&Lidar>,
    ) -> Result<View, Failure> {
        let is_lidar = view.camera.projection.is_lidar();
        let flags = [
            ("--beam", self.beam.is_some()),
            ("--returns", self.returns.is_some()),
            ("--no-beam", self.no_beam),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, is_given)| *is_given && !is_lidar) {
            return Err(Failure::usage(format!(
                "{flag} works only for lidars, and the camera {} is not one: leave it out, or give --lidar",
                view.camera.name
            )));
        }
        let mut sensor = view.camera.sensor.clone();
        let pulse = &mut sensor.pulse;
        if self.no_beam {
            (pulse.beam, pulse.returns) = (None, None);
        }
        if let Some(BeamChange { divergence_mrad, exit_diameter, subrays }) = self.beam {
            let own =
                pulse.beam.unwrap_or(Beam { divergence_mrad, exit_diameter: 0.0, subrays: 7 });
            pulse.beam = Some(Beam {
                divergence_mrad,
                exit_diameter: exit_diameter.unwrap_or(own.exit_diameter),
                subrays: subrays.unwrap_or(own.subrays),
            });
        }
        if let Some((max, mode)) = self.returns {
            let own = pulse.returns.unwrap_or_default();
            pulse.returns = Some(ReturnRules { max, mode, ..own });
        }
        match (self.noise, lidar) {
            (None, _) => {}
            (Some(Some((stddev, seed))), _) => {
                sensor.noise = Some(RangeNoise { stddev, seed, ..RangeNoise::default() });
            }
            (Some(None), Some(lidar)) => sensor.noise = Some(lidar.noise(0)),
            (Some(None), None) => {
                return Err(Failure::usage(
                    "--noise: without a published lidar there is no default: give a standard deviation, or --lidar",
                ));
            }
        }
        view.camera = view.camera.with_sensor(sensor)?;
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_otherwise_is_refused_with_an_example() {
        let given = beam("0.35, 0.007,19").unwrap();
        assert_eq!((given.exit_diameter, given.subrays), (Some(0.007), Some(19)));
        assert!(["", "a", "1,b", "1,2,3,4", "1,2,3.5"].iter().all(|text| beam(text).is_err()));
        assert_eq!(returns("5").unwrap(), (5, ReturnMode::All));
        assert_eq!(returns("1,last").unwrap(), (1, ReturnMode::Last));
        assert!(["", "300", "2,best", "2,"].iter().all(|text| returns(text).is_err()));
        assert_eq!(noise("0.01,7").unwrap(), (0.01, 7));
        assert!(["", "a", "1,-1"].iter().all(|text| noise(text).is_err()));
    }
}
