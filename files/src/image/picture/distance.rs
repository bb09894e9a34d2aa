//! The picture of distances, with a legend of their range.

use super::{MARGIN, Picture, TEXT_HEIGHT, text_width};
use crate::image::color;
use crate::image::spilled::{SpilledArray, SpilledImage};
use raytwin::image::Background;
use std::io;

/// The range of distances that the colours distinguish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistanceRange {
    /// The distance of the first colour.
    pub near: f64,
    /// The distance of the last colour.
    pub far: f64,
    /// The shares of the hits that are nearer and farther.
    pub beyond: [f64; 2],
}

impl DistanceRange {
    /// Chooses a range between round numbers that contains most of these distances, so that a far
    /// horizon leaves colours for near distances. Distances that are not finite count as misses;
    /// returns `None` if all are.
    pub fn of(distances: &[f32]) -> Option<Self> {
        let mut histogram = Histogram::new();
        distances.iter().for_each(|&distance| histogram.add(distance));
        histogram.range(None)
    }
}

/// Draws distances as colours, near ones dark, with a legend at the right. Without a range, it
/// chooses one. Also returns the range, unless nothing was hit.
pub(in crate::image) fn distance(
    image: &mut SpilledImage,
    range: Option<[f64; 2]>,
    background: Background,
) -> io::Result<(Picture, Option<DistanceRange>)> {
    let histogram = Histogram::of(&mut image.distance)?;
    let range = histogram.range(range);
    let color = |t: f32| match range {
        Some(DistanceRange { near, far, .. }) if t.is_finite() => {
            Some(color::of_distance(t.into(), [near, far]))
        }
        _ => None,
    };
    let [width, height] = image.shown;
    let with_legend = [width + legend_width() as usize, height.max(10 * TEXT_HEIGHT as usize)];
    let mut sheet = Picture::empty(with_legend, background)?;
    sheet.paint(image.size, image.shown, image.distance.entries()?.map(|t| t.map(color)))?;
    draw_legend(&mut sheet, width as u32, range);
    Ok((sheet, range))
}

/// Counts of distances by their size, with a precision of a few thousandths: the upper bits of a
/// positive float32 number grow with the number.
struct Histogram {
    counts: Vec<u32>,
    count: u32,
    least: f32,
    largest: f32,
}

const BIN_BITS: u32 = 20;

fn bin(distance: f64) -> usize {
    ((distance.max(0.0) as f32).to_bits() >> (31 - BIN_BITS)) as usize
}

impl Histogram {
    fn new() -> Self {
        Self { counts: vec![0; 1 << BIN_BITS], count: 0, least: f32::INFINITY, largest: 0.0 }
    }

    fn of(distances: &mut SpilledArray) -> io::Result<Self> {
        let mut histogram = Self::new();
        for distance in distances.entries::<f32>()? {
            histogram.add(distance?);
        }
        Ok(histogram)
    }

    fn add(&mut self, distance: f32) {
        if distance.is_finite() {
            self.counts[bin(distance.into())] += 1;
            self.count += 1;
            self.least = self.least.min(distance);
            self.largest = self.largest.max(distance);
        }
    }

    /// Returns that range, or otherwise the chosen one; `None` if there are no distances.
    fn range(&self, given: Option<[f64; 2]>) -> Option<DistanceRange> {
        (self.count > 0).then(|| {
            let [near, far] = given.unwrap_or_else(|| self.crowd());
            DistanceRange { near, far, beyond: self.beyond(near, far) }
        })
    }

    /// The distance that this share of the distances does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = share * f64::from(self.count);
        let mut up_to = 0;
        let bin = self.counts.iter().position(|count| {
            up_to += count;
            f64::from(up_to) >= wanted
        });
        let upper =
            bin.map_or(f32::INFINITY.to_bits(), |bin| ((bin as u32 + 1) << (31 - BIN_BITS)) - 1);
        f64::from(f32::from_bits(upper).min(self.largest).max(self.least))
    }

    /// The range that contains most of the distances, between round numbers. It gives the nearer
    /// half at least a quarter of the colours, and leaves out at most a quarter of the distances.
    fn crowd(&self) -> [f64; 2] {
        let [near, largest] = [self.least, self.largest].map(f64::from);
        let half = near + 4.0 * (self.quantile(0.5) - near);
        let far = half.max(self.quantile(0.75)).min(largest);
        // Most may have the same distance, such as a floor from above.
        rounded([near, if far > near { far } else { largest }])
    }

    /// The shares of the distances that are nearer and farther than a range.
    fn beyond(&self, near: f64, far: f64) -> [f64; 2] {
        let share = |counts: &[u32]| f64::from(counts.iter().sum::<u32>()) / f64::from(self.count);
        let is_beyond = f64::from(self.largest) > far;
        let farther = if is_beyond { share(&self.counts[bin(far) + 1..]) } else { 0.0 };
        [share(&self.counts[..bin(near)]), farther]
    }
}

/// A range between multiples of its own round step that contains a range.
fn rounded([near, far]: [f64; 2]) -> [f64; 2] {
    if far <= near {
        return [near, far];
    }
    let outwards = |[near, far]: [f64; 2]| {
        let step = RoundStep::of(far - near);
        // A multiple must stay the same, even if its quotient is rounded to just beside a whole
        // number.
        let [first, last] = [near / step.size() + 1e-9, far / step.size() - 1e-9];
        [step.times(first.floor()), step.times(last.ceil())]
    };
    // The wider range may have a larger step.
    outwards(outwards([near, far]))
}

/// A step of 1, 2 or 5 times a power of ten. Its multiples are rounded once, so that they are
/// written without a tail of nines or zeros.
struct RoundStep {
    factor: f64,
    power: i32,
}

impl RoundStep {
    /// The largest step that divides a span into at least four parts.
    fn of(span: f64) -> Self {
        let power = (span / 4.0).log10().floor() as i32;
        let step = |factor| Self { factor, power };
        let fits = |step: &Self| step.size() <= span / 4.0;
        [5.0, 2.0].into_iter().map(step).find(fits).unwrap_or(step(1.0))
    }

    fn size(&self) -> f64 {
        self.times(1.0)
    }

    fn times(&self, number: f64) -> f64 {
        match self.power {
            0.. => number * self.factor * 10.0_f64.powi(self.power),
            _ => number * self.factor / 10.0_f64.powi(-self.power),
        }
    }
}

const BAR_WIDTH: u32 = 18;
const LABEL_LENGTH: u32 = 9;

fn legend_width() -> u32 {
    3 * MARGIN + BAR_WIDTH + text_width(LABEL_LENGTH)
}

/// Draws a bar of colours with round distances, to the right of an image of this width, and below
/// it the share of the hits outside the range.
fn draw_legend(sheet: &mut Picture, width: u32, range: Option<DistanceRange>) {
    let left = width + MARGIN;
    sheet.write_text([left, MARGIN / 2], "distance");
    let Some(range) = range else {
        return sheet.write_text([left, 3 * TEXT_HEIGHT], "no hit");
    };
    let notes: Vec<String> = ["nearer", "farther"]
        .into_iter()
        .zip(range.beyond)
        .filter(|(_, share)| *share > 0.0)
        .map(|(what, share)| format!("{} {what}", percent(share)))
        .collect();
    let top = MARGIN + 2 * TEXT_HEIGHT;
    let bottom = sheet.height() - MARGIN - TEXT_HEIGHT * (1 + notes.len() as u32);
    let length = bottom - top;
    let span = range.far - range.near;
    for y in 0..length {
        let fraction = f64::from(y) / f64::from(length - 1);
        let color = color::of_distance(fraction, [0.0, 1.0]);
        sheet.fill([left, top + y], [BAR_WIDTH, 1], color);
    }
    let mut write_tick = |value: f64, fraction: f64| {
        let y = top + (fraction * f64::from(length - 1)).round() as u32;
        sheet.write_text([left + BAR_WIDTH + MARGIN / 2, y - TEXT_HEIGHT / 2], &readable(value));
    };
    // Distances are float32 numbers, and no two of them are closer than this; a smaller step has no
    // size in float64.
    if span >= f64::from(f32::MIN_POSITIVE) {
        let step = RoundStep::of(span);
        let first = (range.near / step.size() - 1e-9).ceil() as i64;
        let last = (range.far / step.size() + 1e-9).floor() as i64;
        for tick in first..=last {
            let value = step.times(tick as f64);
            write_tick(value, ((value - range.near) / span).clamp(0.0, 1.0));
        }
    } else {
        write_tick(range.near, 0.0);
    }
    for (line, note) in (1..).zip(notes.iter().rev()) {
        let y = sheet.height() - MARGIN / 2 - line * TEXT_HEIGHT;
        sheet.write_text([left, y], note);
    }
}

/// Formats a share of the hits.
fn percent(share: f64) -> String {
    match 100.0 * share {
        few if few < 0.1 => "<0.1%".to_owned(),
        few if few < 10.0 => format!("{few:.1}%"),
        many => format!("{many:.0}%"),
    }
}

/// Formats a number in at most [`LABEL_LENGTH`] characters, without zeros at its end.
fn readable(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let digits = 5_usize.saturating_sub(value.abs().max(1.0).log10() as usize);
        let text = format!("{value:.digits$}");
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{value:.2e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(distances: impl IntoIterator<Item = (f32, usize)>) -> Histogram {
        let mut all = Histogram::new();
        for (distance, count) in distances {
            (0..count).for_each(|_| all.add(distance));
        }
        all
    }

    #[test]
    fn labels_fit_their_place_and_have_no_idle_zeros() {
        for value in [0.0, 1.0, 0.001, 12.345_678, 999_999.9, 1e-9, 123_456.7, 1.5e30, 9.9999e-4] {
            let label = readable(value);
            assert!(label.len() <= LABEL_LENGTH as usize, "{label}");
        }
        assert_eq!(readable(12.345_678), "12.3457");
        assert_eq!([0.0, 20.0, 0.25, 1500.0].map(readable), ["0", "20", "0.25", "1500"]);
    }

    #[test]
    fn a_horizon_does_not_swallow_what_is_near() {
        // A ball at 6 to 8 above a plane that reaches far away.
        let ball = (0..1000).map(|step| (6.0 + 0.002 * step as f32, 1));
        let plane = (1..1000).map(|step| (3000.0 / step as f32, 1));
        let histogram = histogram(ball.chain(plane));
        let [near, far] = histogram.crowd();
        assert!((2.0..=3.0).contains(&near) && (9.0..=30.0).contains(&far), "{near} {far}");
        let [nearer, farther] = histogram.beyond(near, far);
        assert!(nearer == 0.0 && (0.02..0.25).contains(&farther), "{nearer} {farther}");
    }

    #[test]
    fn a_range_without_outliers_holds_every_distance_between_round_numbers() {
        for (distances, expected) in [
            (vec![(3.1, 5), (4.2, 5), (5.9, 5)], [3.0, 6.0]),
            (vec![(0.31, 50), (0.9, 50)], [0.3, 0.9]),
            (vec![(2.0, 9)], [2.0, 2.0]),
        ] {
            let histogram = histogram(distances);
            let range = histogram.crowd();
            let is_close = |axis: usize| (range[axis] - expected[axis]).abs() < 1e-6;
            assert!(is_close(0) && is_close(1), "{range:?} {expected:?}");
            assert_eq!(histogram.beyond(range[0], range[1]), [0.0; 2]);
        }
    }

    #[test]
    fn a_range_leaves_out_misses() {
        let range = DistanceRange::of(&[3.1, 4.2, 5.9, f32::INFINITY]).unwrap();
        assert!((range.near - 3.0).abs() < 1e-6 && (range.far - 6.0).abs() < 1e-6, "{range:?}");
        assert_eq!(DistanceRange::of(&[f32::INFINITY]), None);
    }

    #[test]
    fn steps_are_round() {
        for (span, size) in [(4.0, 1.0), (10.0, 2.0), (0.3, 0.05), (25.0, 5.0), (99.0, 20.0)] {
            assert_eq!(RoundStep::of(span).size(), size, "{span}");
        }
        assert_eq!(rounded([1.6366, 2.2714]), [1.6, 2.3]);
        assert_eq!(rounded([6.85, 24.7]), [5.0, 30.0]);
    }
}
