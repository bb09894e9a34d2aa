//! Published lidars: their channels, columns and duration of a turn, or their patterns.
//!
//! Elevations are the design values. A single device differs from them by its calibration.

mod instrument;
mod published;

pub use instrument::Instrument;

use crate::camera::{
    Elevation, Optics, Panorama, Projection, Pulse, RangeNoise, ScanPattern, Sensor,
};

/// A published lidar.
#[derive(Clone, Copy, Debug)]
pub struct Lidar {
    /// The name with which a caller selects it.
    pub name: &'static str,
    directions: Directions,
    /// The range of distances that it reports, in metres.
    pub range: [f64; 2],
    /// Its light and its noise.
    pub instrument: Instrument,
    /// The document from which the directions come.
    pub source: &'static str,
    /// True if the maker publishes too little, so that some numbers come from researchers, from one
    /// device or from an even spread.
    pub is_approximate: bool,
}

#[derive(Clone, Copy, Debug)]
enum Directions {
    Rows(Rows),
    Steered { optics: Optics, pulses_per_s: f64, sweep_s: f64 },
}

/// The channels of a lidar that turns about its z axis, clockwise as seen from above.
#[derive(Clone, Copy, Debug)]
struct Rows {
    rows: usize,
    tilts: Tilts,
    columns: u32,
    turns_per_s: f64,
    /// The azimuth of a row beside its column's, in degrees to the left.
    offset: fn(usize) -> f64,
    /// The microseconds after its column's first firing at which a row fires.
    firing_us: Option<fn(usize) -> f64>,
}

/// The elevations of the channels, in degrees, from the highest.
#[derive(Clone, Copy, Debug)]
enum Tilts {
    /// Evenly spaced from the first elevation to the last.
    Even([f64; 2]),
    Table(fn(usize) -> f64),
}

impl Lidar {
    /// Finds the lidar with this name, in upper or lower case; `None` if it is not in
    /// [`Self::ALL`].
    pub fn named(name: &str) -> Option<&'static Self> {
        const { &Self::ALL }.iter().find(|lidar| lidar.name.eq_ignore_ascii_case(name))
    }

    /// Returns its directions: a whole turn that starts behind it and goes clockwise as seen from
    /// above, or a pattern.
    pub fn projection(&self) -> Projection {
        match self.directions {
            Directions::Rows(rows) => Projection::Panoramic(rows.panorama()),
            Directions::Steered { optics, pulses_per_s, sweep_s } => {
                Projection::Pattern(ScanPattern::Steered { optics, pulses_per_s, sweep_s })
            }
        }
    }

    /// Returns its directions, thinned out to an image of this size, for a preview: rows spread
    /// evenly among its own, and this many columns or pulses in the same time. `None` if it has
    /// fewer rows.
    pub fn thinned(&self, width: u32, height: u32) -> Option<Projection> {
        let projection = match (self.directions, height) {
            (Directions::Rows(rows), 1..) if height as usize <= rows.rows => {
                Projection::Panoramic(rows.thinned(width, height as usize))
            }
            (Directions::Steered { optics, sweep_s, .. }, 1) => {
                let pulses_per_s = f64::from(width) / sweep_s;
                Projection::Pattern(ScanPattern::Steered { optics, pulses_per_s, sweep_s })
            }
            _ => return None,
        };
        Some(projection)
    }

    /// Returns the sensor with this lidar's range, beam and returns, for scene units of metres. It
    /// does not set the noise: see [`Self::noise`].
    pub fn as_sensor(&self, sensor: Sensor) -> Sensor {
        let [range_min, range_max] = self.range;
        let Instrument { beam, returns, .. } = self.instrument;
        let pulse = Pulse { beam: Some(beam), returns: Some(returns), ..sensor.pulse };
        Sensor { range_min, range_max, pulse, ..sensor }
    }

    /// Returns the noise of its distances, with a seed.
    pub fn noise(&self, seed: u64) -> RangeNoise {
        RangeNoise { stddev: self.instrument.range_stddev, seed, ..RangeNoise::default() }
    }
}

impl Rows {
    fn elevation(&self, row: usize) -> f64 {
        match self.tilts {
            Tilts::Even([first, last]) => {
                first + row as f64 * ((last - first) / (self.rows - 1) as f64)
            }
            Tilts::Table(elevation) => elevation(row),
        }
    }

    fn panorama(&self) -> Panorama {
        self.thinned(self.columns, self.rows)
    }

    /// Returns the panorama with this many columns, and this many rows spread evenly among all.
    fn thinned(&self, columns: u32, rows: usize) -> Panorama {
        let chosen = |row: usize| (2 * row + 1) * self.rows / (2 * rows);
        let all = |of: &dyn Fn(usize) -> f64| (0..rows).map(chosen).map(of).collect::<Vec<f64>>();
        let fired = |row| self.firing_us.map_or(0.0, |firing_us| 1e-6 * firing_us(row));
        // A column's time is the middle of its firings.
        let middle = 0.5 * (0..self.rows).map(fired).fold(0.0, f64::max);
        let time = |row| fired(row) - middle;
        let or_none = |list: Vec<f64>| match list.iter().any(|&number| number != 0.0) {
            true => list,
            false => Vec::new(),
        };
        Panorama {
            columns: Some(columns),
            sweep_s: 1.0 / self.turns_per_s,
            row_azimuth_offsets_degrees: or_none(all(&self.offset)),
            row_times_s: or_none(all(&time)),
            ..Panorama::new([180.0, -180.0], Elevation::Table(all(&|row| self.elevation(row))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elevations, the azimuths beside the columns and the times of a lidar's rows.
    fn rows_of(name: &str) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let Projection::Panoramic(panorama) = Lidar::named(name).unwrap().projection() else {
            panic!("{name} has no rows")
        };
        let Elevation::Table(elevations) = panorama.elevation_degrees else { panic!("{name}") };
        (elevations, panorama.row_azimuth_offsets_degrees, panorama.row_times_s)
    }

    #[test]
    fn channels_run_downwards_and_names_are_told_apart() {
        for (index, lidar) in Lidar::ALL.iter().enumerate() {
            let by_name = Lidar::ALL.iter().position(|other| other.name == lidar.name);
            assert_eq!(by_name, Some(index));
            assert!(!lidar.source.is_empty());
            let projection = lidar.projection();
            projection.check().unwrap();
            if let Projection::Panoramic(_) = projection {
                let (elevations, _, times) = rows_of(lidar.name);
                assert!(elevations.windows(2).all(|pair| pair[0] > pair[1]), "{}", lidar.name);
                // All rows of a column fire before those of the next do, about its time.
                let column = projection.sweep_s() / f64::from(lidar_columns(&projection));
                let is_within = |time: &f64| time.abs() < 0.5 * column;
                assert!(times.iter().all(is_within), "{}: {times:?} {column}", lidar.name);
                assert!(times.iter().sum::<f64>().abs() <= column * times.len() as f64 / 4.0);
            }
        }
        assert!(Lidar::named("Mid-360").is_none());
    }

    #[test]
    fn every_lidar_is_an_instrument() {
        for lidar in &Lidar::ALL {
            let noise = Some(lidar.noise(7));
            let sensor = lidar.as_sensor(Sensor { noise, ..Sensor::default() });
            sensor.check().unwrap();
            assert!(sensor.makes_returns() && lidar.instrument.range_stddev > 0.0);
            assert!(!lidar.instrument.source.is_empty());
        }
        let several = |lidar: &&Lidar| lidar.as_sensor(Sensor::default()).pulse.most_returns() > 1;
        let names: Vec<&str> = Lidar::ALL.iter().filter(several).map(|lidar| lidar.name).collect();
        assert_eq!(names, ["VZ-400", "VUX-1UAV"]);
    }

    #[test]
    fn a_quick_look_has_rows_among_all_rows() {
        let of = |name: &str, width, height| Lidar::named(name).unwrap().thinned(width, height);
        let Some(Projection::Panoramic(few)) = of("VLP-16", 90, 4) else { panic!() };
        let Elevation::Table(elevations) = &few.elevation_degrees else { panic!() };
        assert_eq!((few.columns, &elevations[..]), (Some(90), &[11.0, 3.0, -5.0, -13.0][..]));
        assert_eq!((few.row_times_s.len(), few.sweep_s), (4, 0.1));
        for lidar in &Lidar::ALL {
            let projection = lidar.projection();
            let (width, height) = projection.default_size();
            assert_eq!(lidar.thinned(width, height), Some(projection), "{}", lidar.name);
            assert_eq!(lidar.thinned(width, height + 1), None);
            lidar.thinned(100, 1).unwrap().check().unwrap();
            assert_eq!(lidar.thinned(100, 1).unwrap().default_size(), (100, 1));
            assert_eq!(lidar.thinned(100, 0), None);
        }
    }

    #[test]
    fn lidars_whose_maker_measures_each_device_are_approximate() {
        let ousters = Lidar::ALL.iter().filter(|lidar| lidar.source.starts_with("Ouster"));
        let approximate = ousters.filter(|lidar| lidar.is_approximate).map(|lidar| lidar.name);
        let expected = "OS0-32 OS0-64 OS0-128 OS1-16 OS1-64 OS1-128 OS2-32 OS2-64 OS2-128";
        assert!(approximate.eq(expected.split(' ')));
        assert!(!Lidar::named("VLP-16").unwrap().is_approximate);
    }

    fn lidar_columns(projection: &Projection) -> u32 {
        match projection {
            Projection::Panoramic(panorama) => panorama.columns.unwrap(),
            _ => 1,
        }
    }

    #[test]
    fn rows_are_as_the_makers_tables_have_them() {
        let (elevations, offsets, times) = rows_of("vlp-16");
        assert!(elevations[..3] == [15.0, 13.0, 11.0] && offsets.is_empty());
        // The lasers 0, 1 and 15 are at -15, 1 and 15 degrees, and a laser fires every 2.304 µs.
        for (row, laser) in [(15, 0.0), (7, 1.0), (14, 2.0), (0, 15.0)] {
            assert!((times[row] - 2.304e-6 * (laser - 7.5)).abs() < 1e-15);
        }
        let (elevations, offsets, times) = rows_of("VLP-32C");
        // The table's first rows: lasers 0 and 1 at once, at -25 and -1 degrees, and -1.4 and 4.2
        // degrees beside the column.
        assert_eq!([elevations[31], elevations[14]], [-25.0, -1.0]);
        // The last ones fire 15 times 2.304 µs later.
        let first = -7.5 * 2.304e-6;
        for (row, offset) in [(31, -1.4), (14, 4.2)] {
            assert!((times[row] - first).abs() < 1e-15);
            assert_eq!(offsets[row], offset);
        }
        let (elevations, offsets, times) = rows_of("VLS-128");
        let at = |wanted: f64| elevations.iter().position(|it| (it - wanted).abs() < 1e-9).unwrap();
        // Lasers 0, 63 and 64 of the file.
        for (elevation, offset, group) in
            [(-11.742, -6.354, 0.0), (-1.33, 6.354, 7.0), (-5.62, -6.354, 9.0)]
        {
            let row = at(elevation);
            assert!((times[row] - 2.665e-6 * (group - 8.0)).abs() < 1e-15, "{elevation}");
            assert_eq!(offsets[row], offset, "{elevation}");
        }
        let (elevations, offsets, times) = rows_of("Pandar64");
        // Channel 40 fires first and channel 51 last, 51.048 µs later.
        assert_eq!((elevations[50], offsets[50]), (-5.596, 3.371));
        assert!((times[50] - times[39] - 51.048e-6).abs() < 1e-12);
        let (elevations, offsets, _) = rows_of("PandarXT-32");
        assert!(elevations[31] == -16.0 && offsets.is_empty());
    }
}
