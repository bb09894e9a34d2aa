//! The light of published lidars, and their precision.

use crate::camera::{Beam, ReturnMode, ReturnRules};

/// The data that a maker publishes about one mode of a lidar, except its directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instrument {
    /// The beam, in metres. An elliptical footprint is replaced with a round one of the same area.
    pub beam: Beam,
    /// The returns of a beam.
    pub returns: ReturnRules,
    /// The standard deviation of distances, in metres.
    pub range_stddev: f64,
    /// The document from which the numbers come.
    pub source: &'static str,
    /// True if the maker publishes too little, so that some numbers come from similar instruments,
    /// or if the footprint is an ellipse.
    pub is_approximate: bool,
}

/// The full angle of a Gaussian beam at 1/e² divided by that at half of the maximum: √(2 / ln 2).
const BY_HALF_MAXIMUM: f64 = 1.698_643_600_577_1;

const STRONGEST: ReturnRules = ReturnRules {
    max: 1,
    mode: ReturnMode::Strongest,
    // Half of the length of a pulse of five nanoseconds.
    range_resolution: 0.75,
};

const fn round(divergence_mrad: f64, exit_diameter: f64) -> Beam {
    Beam { divergence_mrad, exit_diameter, subrays: 7 }
}

const fn of_half_maximum(degrees: f64, exit_diameter: f64) -> Beam {
    round(BY_HALF_MAXIMUM * degrees * (1000.0 * std::f64::consts::PI / 180.0), exit_diameter)
}

/// The lasers of Velodyne: 3.0 by 1.5 mrad, and 12.7 by 9.5 mm at the exit.
const VELODYNE: Instrument = Instrument {
    beam: round(2.121, 0.011),
    returns: STRONGEST,
    range_stddev: 0.03,
    source: "Velodyne, VLP-16 and VLS-128 User Manuals: 3.0 by 1.5 mrad, 12.7 by 9.5 mm; 3 cm; strongest return",
    is_approximate: true,
};

pub(super) const PUCK: Instrument = VELODYNE;
pub(super) const HDL_32E: Instrument = Instrument {
    range_stddev: 0.02,
    source: "Velodyne, HDL-32E User's Manual: 2 cm; the beam of a VLP-16; strongest return",
    ..VELODYNE
};

const fn ouster(beam: Beam, range_stddev: f64, source: &'static str) -> Instrument {
    Instrument { beam, returns: STRONGEST, range_stddev, source, is_approximate: false }
}

pub(super) const OS0: Instrument = ouster(
    of_half_maximum(0.35, 0.005),
    0.015,
    "Ouster, OS0 data sheet: 0.35 degrees at half of the maximum, 5 mm; 1.5 cm; strongest return",
);
pub(super) const OS1_FIRST: Instrument = ouster(
    of_half_maximum(0.13, 0.01),
    0.015,
    "Ouster, OS1 data sheet of the first generation: 0.13 degrees at half of the maximum, 10 mm; 1.5 cm; strongest return",
);
pub(super) const OS1: Instrument = ouster(
    of_half_maximum(0.18, 0.01),
    0.015,
    "Ouster, OS1 data sheet: 0.18 degrees at half of the maximum, 10 mm; 1.5 cm; strongest return",
);
pub(super) const OS2: Instrument = ouster(
    of_half_maximum(0.09, 0.018),
    0.025,
    "Ouster, OS2 data sheet: 0.09 degrees at half of the maximum, 18 mm; 2.5 cm; strongest return",
);

pub(super) const PANDAR_XT: Instrument = Instrument {
    range_stddev: 0.005,
    source: "Hesai, PandarXT User Manual: 0.5 cm; the beam of a VLP-16; strongest return",
    ..VELODYNE
};
pub(super) const PANDAR_64: Instrument = Instrument {
    range_stddev: 0.02,
    source: "Hesai, Pandar64 User Manual: 2 cm; the beam of a VLP-16; strongest return",
    ..VELODYNE
};

/// 0.28 by 0.03 degrees. The size at the exit is not published.
pub(super) const MID_40: Instrument = Instrument {
    beam: round(1.6, 0.0),
    returns: STRONGEST,
    range_stddev: 0.02,
    source: "Livox, Mid-40 data sheet: 0.28 by 0.03 degrees; 2 cm at 20 m; one return",
    is_approximate: true,
};

const fn riegl(
    divergence_mrad: f64,
    exit_diameter: f64,
    max: u8,
    range_stddev: f64,
    source: &'static str,
) -> Instrument {
    Instrument {
        beam: Beam { divergence_mrad, exit_diameter, subrays: 19 },
        returns: ReturnRules { max, mode: ReturnMode::All, range_resolution: 0.6 },
        range_stddev,
        source,
        is_approximate: false,
    }
}

pub(super) const VZ_400: Instrument = riegl(
    0.35,
    0.007,
    15,
    0.003,
    "RIEGL, VZ-400 data sheet, high speed mode: 0.35 mrad, 7 mm; all targets; precision 3 mm",
);

/// At 550 kHz the scanner distinguishes four targets, according to HELIOS++.
pub(super) const VUX_1UAV: Instrument = riegl(
    0.5,
    0.0,
    4,
    0.005,
    "RIEGL, VUX-1UAV data sheet at 550 kHz: 0.5 mrad; four targets; precision 5 mm",
);
