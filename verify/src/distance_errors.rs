//! Errors of distances in the scene's unit of length, counted by their size.

use std::collections::BTreeMap;

/// The low bits of a float64 that the key of a count omits, so that sizes with the same key differ
/// by less than 1 %.
const LEFT_OUT: u32 = 45;

/// Counts of |t − t_exact| |d|, the errors of distances in the scene's unit of length. An answer
/// that equals the exact one, rounded, counts as 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DistanceErrors {
    counts: BTreeMap<u64, u64>,
    answers: u64,
    largest: f64,
}

impl DistanceErrors {
    /// Counts an error, which is finite and not negative.
    pub(super) fn add(&mut self, error: f64) {
        *self.counts.entry(error.to_bits() >> LEFT_OUT).or_default() += 1;
        self.answers += 1;
        self.largest = self.largest.max(error);
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        for (key, count) in &other.counts {
            *self.counts.entry(*key).or_default() += count;
        }
        self.answers += other.answers;
        self.largest = self.largest.max(other.largest);
    }

    /// Returns the number of errors.
    pub fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns the largest error, 0 if there is none.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Returns a size that at least the given percentage of the errors do not exceed: the least
    /// one, rounded up by less than 1 %. It is 0 if there are no errors.
    pub fn percentile(&self, percent: f64) -> f64 {
        let wanted = (percent / 100.0 * self.answers as f64).ceil() as u64;
        let mut counted = 0;
        for (key, count) in &self.counts {
            counted += count;
            if counted >= wanted {
                let above = f64::from_bits((key + 1) << LEFT_OUT);
                return if *key == 0 { 0.0 } else { above.min(self.largest) };
            }
        }
        self.largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_rounded_up_by_less_than_one_in_a_hundred() {
        let mut errors = DistanceErrors::default();
        (1..=1000).for_each(|number| errors.add(f64::from(number) * 1e-6));
        assert_eq!((errors.answers(), errors.largest()), (1000, 1e-3));
        for (percent, exact) in [(50.0, 5e-4), (99.0, 9.9e-4), (100.0, 1e-3)] {
            let found = errors.percentile(percent);
            assert!((exact..1.01 * exact).contains(&found), "{percent}: {found}");
        }
    }

    #[test]
    fn exact_answers_count_as_zero_and_sums_are_those_of_both() {
        let mut exact = DistanceErrors::default();
        assert_eq!([exact.largest(), exact.percentile(99.0)], [0.0; 2]);
        (0..99).for_each(|_| exact.add(0.0));
        let mut other = DistanceErrors::default();
        other.add(0.5);
        exact.add_all(&other);
        assert_eq!((exact.answers(), exact.percentile(99.0), exact.largest()), (100, 0.0, 0.5));
        assert_eq!(exact.percentile(99.5), 0.5);
    }
}
