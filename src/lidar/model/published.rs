//! The data of known lidars, as published by makers and researchers.

use super::instrument;
use super::{Directions, Instrument, Lidar, Rows, Tilts};
use crate::camera::{Optics, Risley};

/// Table 9-6 of the manual.
const VLP_32C: [f64; 32] = [
    15.0, 10.333, 7.0, 4.667, 3.333, 2.333, 1.667, 1.333, 1.0, 0.667, 0.333, 0.0, -0.333, -0.667,
    -1.0, -1.333, -1.667, -2.0, -2.333, -2.667, -3.0, -3.333, -3.667, -4.0, -4.667, -5.333, -6.148,
    -7.254, -8.843, -11.31, -15.639, -25.0,
];
/// The lasers of the rows, by the numbers in that table.
const VLP_32C_LASERS: [u8; 32] = [
    29, 30, 25, 26, 21, 22, 17, 13, 18, 14, 9, 5, 10, 6, 1, 31, 2, 28, 27, 23, 24, 20, 19, 15, 16,
    12, 11, 8, 7, 4, 3, 0,
];
/// The azimuths of the rows beside the column's, to the left.
const VLP_32C_OFFSETS: [f64; 32] = [
    1.4, -1.4, 1.4, -1.4, 1.4, -1.4, 4.2, 1.4, -1.4, -4.2, 4.2, 1.4, -1.4, -4.2, 4.2, 1.4, -1.4,
    -4.2, 4.2, 1.4, -1.4, -4.2, 4.2, 1.4, -1.4, -4.2, 1.4, -1.4, 1.4, -1.4, 1.4, -1.4,
];

/// The table of the firing order in the manual, sorted.
const HDL_32E: [f64; 32] = [
    10.67, 9.33, 8.0, 6.67, 5.33, 4.0, 2.67, 1.33, 0.0, -1.33, -2.67, -4.0, -5.33, -6.66, -8.0,
    -9.33, -10.67, -12.0, -13.33, -14.67, -16.0, -17.33, -18.67, -20.0, -21.33, -22.67, -24.0,
    -25.33, -26.66, -28.0, -29.33, -30.67,
];

/// Table 9-1 of the VLP-16's manual.
const PUCK_HI_RES: [f64; 16] = [
    10.0, 8.67, 7.33, 6.0, 4.67, 3.33, 2.0, 0.67, -0.67, -2.0, -3.33, -4.67, -6.0, -7.33, -8.67,
    -10.0,
];

/// The first and the last rows; those between follow each other by 0.11 degrees.
const VLS_128_TOP: [f64; 12] =
    [15.0, 11.75, 9.7, 8.43, 7.58, 6.98, 6.48, 6.08, 5.73, 5.43, 5.18, 4.98];
const VLS_128_BOTTOM: [f64; 12] = [
    -6.65, -6.85, -7.15, -7.65, -8.352, -9.244, -10.346, -11.742, -13.565, -16.042, -19.582, -25.0,
];
const VLS_128_LASERS: [u8; 128] = [
    59, 74, 41, 120, 31, 110, 13, 92, 51, 66, 33, 112, 23, 102, 5, 84, 107, 10, 89, 56, 79, 46,
    125, 28, 99, 2, 81, 48, 71, 38, 117, 20, 43, 122, 25, 104, 15, 94, 61, 76, 35, 114, 17, 96, 7,
    86, 53, 68, 91, 58, 73, 40, 127, 30, 109, 12, 83, 50, 65, 32, 119, 22, 101, 4, 27, 106, 9, 88,
    63, 78, 45, 124, 19, 98, 1, 80, 55, 70, 37, 116, 75, 42, 121, 24, 111, 14, 93, 60, 67, 34, 113,
    16, 103, 6, 85, 52, 11, 90, 57, 72, 47, 126, 29, 108, 3, 82, 49, 64, 39, 118, 21, 100, 123, 26,
    105, 8, 95, 62, 77, 44, 115, 18, 97, 0, 87, 54, 69, 36,
];
/// The azimuths beside the column's repeat every eight rows.
const VLS_128_OFFSETS: [f64; 8] = [-0.911, -2.732, -4.548, -6.354, 6.354, 4.548, 2.732, 0.911];

const PANDAR_64: [f64; 64] = [
    14.838, 10.983, 8.003, 5.017, 3.022, 1.999, 1.813, 1.674, 1.509, 1.318, 1.14, 0.981, 0.801,
    0.664, 0.506, 0.307, 0.168, -0.024, -0.179, -0.348, -0.531, -0.722, -0.87, -1.044, -1.217,
    -1.355, -1.55, -1.716, -1.875, -2.058, -2.241, -2.376, -2.546, -2.732, -2.872, -3.087, -3.23,
    -3.389, -3.543, -3.757, -3.892, -4.094, -4.241, -4.425, -4.574, -4.75, -4.9, -5.09, -5.248,
    -5.425, -5.596, -5.78, -5.878, -6.109, -7.097, -8.09, -9.08, -10.084, -11.052, -12.018,
    -13.023, -13.951, -18.913, -24.883,
];
/// The azimuths of the rows beside the column's, clockwise.
const PANDAR_64_OFFSETS: [f64; 64] = [
    1.091, 1.089, 1.087, 1.079, -1.123, -1.119, 5.525, 3.301, -3.347, 1.077, -5.545, -1.129, 5.52,
    3.3, -3.35, 1.074, -5.556, -1.122, 5.537, 3.301, -3.347, 1.075, -5.564, -1.133, 5.543, 3.314,
    -3.356, 1.082, -5.566, -1.136, 5.552, 3.317, -3.359, 1.074, -5.572, -1.131, 5.557, 3.326,
    -3.366, 1.085, -5.583, -1.142, 5.571, 3.34, -3.365, 1.086, -5.588, -1.148, 5.581, 3.339,
    -3.371, 1.082, -5.607, -1.154, -1.149, -1.165, 1.103, 1.102, 1.107, 1.111, -1.174, -1.167,
    -1.16, -1.159,
];
/// The place of each row in the order of firing, from the last: two lasers fire at once.
const PANDAR_64_ORDER: [u8; 64] = [
    15, 14, 13, 12, 11, 10, 6, 27, 3, 22, 29, 31, 24, 26, 19, 21, 28, 30, 23, 25, 18, 20, 27, 16,
    22, 29, 17, 24, 26, 19, 21, 28, 16, 23, 25, 18, 20, 30, 2, 31, 9, 17, 5, 15, 1, 14, 8, 11, 4,
    12, 0, 13, 7, 10, 3, 6, 2, 9, 5, 1, 0, 8, 4, 7,
];

/// The columns of Velodyne's devices at 10 turns a second follow from the cycle in which all lasers
/// fire once: 55.296 µs, 46.08 µs for the HDL-32E and 53.3 µs for the VLS-128.
const VELODYNE_COLUMNS: u32 = 1808;
const HDL_32E_COLUMNS: u32 = 2170;
const VLS_128_COLUMNS: u32 = 1876;

/// The lasers of Velodyne's first devices are numbered from the bottom, each from the lower half
/// before its neighbour from the upper one.
fn interleaved(row: usize, rows: usize) -> f64 {
    let half = rows / 2;
    match row < half {
        true => (rows - 1 - 2 * row) as f64,
        false => (rows - 2 - 2 * (row - half)) as f64,
    }
}

fn vls_128(row: usize) -> f64 {
    match row {
        0..12 => VLS_128_TOP[row],
        12..116 => 4.83 - 0.11 * (row - 12) as f64,
        _ => VLS_128_BOTTOM[row - 116],
    }
}

/// Eight lasers fire at once, and after eight groups the device pauses for the time of one.
fn vls_128_firing(row: usize) -> f64 {
    let group = usize::from(VLS_128_LASERS[row]) / 8;
    2.665 * (group + group / 8) as f64
}

/// The last pairs of lasers follow each other faster.
fn pandar_64_firing(row: usize) -> f64 {
    let from_last = f64::from(PANDAR_64_ORDER[row]);
    51.048 - 1.304 * from_last.min(15.0) - 1.968 * (from_last - 15.0).max(0.0)
}

const fn turning(rows: usize, tilts: Tilts, columns: u32) -> Rows {
    Rows { rows, tilts, columns, turns_per_s: 10.0, offset: |_| 0.0, firing_us: None }
}

const fn published(
    name: &'static str,
    rows: Rows,
    range: [f64; 2],
    instrument: Instrument,
    source: &'static str,
) -> Lidar {
    let directions = Directions::Rows(rows);
    Lidar { name, directions, range, instrument, source, is_approximate: false }
}

const fn approximate(
    name: &'static str,
    rows: Rows,
    range: [f64; 2],
    instrument: Instrument,
    source: &'static str,
) -> Lidar {
    Lidar { is_approximate: true, ..published(name, rows, range, instrument, source) }
}

const VLP_16_SOURCE: &str = "Velodyne, VLP-16 User Manual 63-9243 Rev. D, Table 9-1 and 9.4";

/// A VLP-16 or one of its kind, whose lasers fire one by one.
const fn puck(name: &'static str, tilts: Tilts) -> Lidar {
    let firing_us: Option<fn(usize) -> f64> = Some(|row| 2.304 * interleaved(row, 16));
    let rows = Rows { firing_us, ..turning(16, tilts, VELODYNE_COLUMNS) };
    published(name, rows, [0.0, 100.0], instrument::PUCK, VLP_16_SOURCE)
}

const OS0_SOURCE: &str = "Ouster, OS0 data sheet: 90 degrees, spread evenly";
const OS1_FIRST_SOURCE: &str =
    "Ouster, OS1 data sheet of the first generation: 33.2 degrees, spread evenly";
const OS1_SOURCE: &str = "Ouster, OS1 data sheet: 45 degrees, spread evenly";
const OS2_SOURCE: &str = "Ouster, OS2 data sheet: 22.5 degrees, spread evenly";

/// An Ouster, whose channels are within this many degrees of the horizon. Each device has its own
/// elevations and azimuths, which its maker measures.
const fn ouster(
    name: &'static str,
    rows: usize,
    most: f64,
    range: [f64; 2],
    instrument: Instrument,
    source: &'static str,
) -> Lidar {
    approximate(name, turning(rows, Tilts::Even([most, -most]), 2048), range, instrument, source)
}

/// The azimuths of the rows of an OS1-64 of the first generation beside the column's, to the left,
/// repeat every four rows.
const OS1_64_OFFSETS: [f64; 4] = [-3.164, -1.055, 1.055, 3.164];

impl Lidar {
    /// All known lidars.
    pub const ALL: [Self; 20] = [
        puck("VLP-16", Tilts::Even([15.0, -15.0])),
        puck("Puck-Hi-Res", Tilts::Table(|row| PUCK_HI_RES[row])),
        published(
            "VLP-32C",
            Rows {
                offset: |row| VLP_32C_OFFSETS[row],
                // Two lasers fire at once.
                firing_us: Some(|row| 2.304 * f64::from(VLP_32C_LASERS[row] / 2)),
                ..turning(32, Tilts::Table(|row| VLP_32C[row]), VELODYNE_COLUMNS)
            },
            [0.0, 200.0],
            instrument::PUCK,
            "Velodyne, VLP-32C User Manual 63-9325 Rev. C, Table 9-6; VeloView-VLP-32C.yaml of ros-drivers/velodyne",
        ),
        published(
            "HDL-32E",
            Rows {
                firing_us: Some(|row| 1.152 * interleaved(row, 32)),
                ..turning(32, Tilts::Table(|row| HDL_32E[row]), HDL_32E_COLUMNS)
            },
            [0.0, 100.0],
            instrument::HDL_32E,
            "Velodyne, HDL-32E User's Manual 63-9113, Laser Firing Sequence",
        ),
        published(
            "VLS-128",
            Rows {
                offset: |row| VLS_128_OFFSETS[row % 8],
                firing_us: Some(vls_128_firing),
                ..turning(128, Tilts::Table(vls_128), VLS_128_COLUMNS)
            },
            [0.0, 245.0],
            instrument::PUCK,
            "Velodyne, VLS128.yaml and packet timing in ros-drivers/velodyne",
        ),
        ouster("OS0-32", 32, 45.0, [0.3, 50.0], instrument::OS0, OS0_SOURCE),
        ouster("OS0-64", 64, 45.0, [0.3, 50.0], instrument::OS0, OS0_SOURCE),
        ouster("OS0-128", 128, 45.0, [0.3, 50.0], instrument::OS0, OS0_SOURCE),
        ouster("OS1-16", 16, 16.6, [0.8, 120.0], instrument::OS1_FIRST, OS1_FIRST_SOURCE),
        approximate(
            "OS1-64",
            Rows {
                offset: |row| OS1_64_OFFSETS[row % 4],
                ..turning(64, Tilts::Even([16.611, -16.611]), 2048)
            },
            [0.8, 120.0],
            instrument::OS1_FIRST,
            "Ouster, ouster_client of ouster_example: the angles of a typical OS1-64 of the first generation",
        ),
        ouster("OS1-128", 128, 22.5, [0.8, 120.0], instrument::OS1, OS1_SOURCE),
        ouster("OS2-32", 32, 11.25, [1.0, 240.0], instrument::OS2, OS2_SOURCE),
        ouster("OS2-64", 64, 11.25, [1.0, 240.0], instrument::OS2, OS2_SOURCE),
        ouster("OS2-128", 128, 11.25, [1.0, 240.0], instrument::OS2, OS2_SOURCE),
        published(
            "PandarXT-16",
            turning(16, Tilts::Even([15.0, -15.0]), 2000),
            [0.05, 120.0],
            instrument::PANDAR_XT,
            "Hesai, PandarXT-16 User Manual, Appendix I",
        ),
        published(
            "PandarXT-32",
            turning(32, Tilts::Even([15.0, -16.0]), 2000),
            [0.05, 120.0],
            instrument::PANDAR_XT,
            "Hesai, PandarXT User Manual, 1.3 Channel Distribution",
        ),
        approximate(
            "Pandar64",
            Rows {
                offset: |row| -PANDAR_64_OFFSETS[row],
                firing_us: Some(pandar_64_firing),
                ..turning(64, Tilts::Table(|row| PANDAR_64[row]), 1800)
            },
            [0.3, 200.0],
            instrument::PANDAR_64,
            "Hesai, HesaiLidar_SDK_2.0: the calibration of one Pandar64 and its firing times",
        ),
        Lidar {
            name: "Mid-40",
            directions: Directions::Steered {
                optics: Optics::Risley(Risley {
                    wedge_degrees: [18.0; 2],
                    refractive_index: 1.51,
                    turns_per_s: [-4664.0 / 60.0, 7294.0 / 60.0],
                }),
                pulses_per_s: 100_000.0,
                sweep_s: 0.1,
            },
            range: [0.0, 260.0],
            instrument: instrument::MID_40,
            source: "Brazeal et al. 2021, A Rigorous Observation Model for the Risley Prism-Based Livox Mid-40, with the wedges of HELIOS++",
            is_approximate: true,
        },
        published(
            "VZ-400",
            Rows {
                turns_per_s: 122_000.0 / (2500.0 * 9000.0),
                ..turning(2500, Tilts::Even([59.98, -39.98]), 9000)
            },
            [1.5, 350.0],
            instrument::VZ_400,
            "RIEGL, VZ-400 data sheet, high speed mode: +60 to -40 degrees in steps of 0.04, 122,000 measurements a second, 350 m at a reflectance of 0.9",
        ),
        Lidar {
            name: "VUX-1UAV",
            directions: Directions::Steered {
                optics: Optics::Polygon { half_angle_degrees: 165.0, lines_per_s: 200.0 },
                pulses_per_s: 500_000.0,
                sweep_s: 0.1,
            },
            range: [3.0, 300.0],
            instrument: instrument::VUX_1UAV,
            source: "RIEGL, VUX-1UAV data sheet at 550 kHz: 330 degrees, 200 lines and 500,000 measurements a second, 300 m at a reflectance of 0.6",
            is_approximate: false,
        },
    ];
}
