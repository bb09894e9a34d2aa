//! The times of messages.

/// The rule for times, for messages.
pub(super) const RANGE: &str = "ROS time stamps must be from 0 to 2147483647 seconds";

/// A `builtin_interfaces/msg/Time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub seconds: i32,
    pub nanoseconds: u32,
}

impl Stamp {
    /// Rounds a time, in seconds, to nanoseconds. Returns `None` for a time below 0 or above the
    /// range of a stamp.
    pub fn new(time: f64) -> Option<Self> {
        let is_in_range = (0.0..f64::from(i32::MAX) + 1.0).contains(&time);
        let seconds = time.floor();
        let nanoseconds = ((time - seconds) * 1e9).round() as u32;
        let stamp = match nanoseconds {
            1_000_000_000 => Self { seconds: (seconds as i32).checked_add(1)?, nanoseconds: 0 },
            _ => Self { seconds: seconds as i32, nanoseconds },
        };
        is_in_range.then_some(stamp)
    }

    /// Returns the nanoseconds since the time 0.
    pub fn total_nanoseconds(self) -> u64 {
        u64::from(self.seconds.unsigned_abs()) * 1_000_000_000 + u64::from(self.nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_nanoseconds_and_refused_beyond_32_bits() {
        for (time, seconds, nanoseconds) in [
            (0.0, 0, 0),
            (5.25, 5, 250_000_000),
            (0.1, 0, 100_000_000),
            (1.999_999_999_7, 2, 0),
            (2_147_483_647.5, i32::MAX, 500_000_000),
        ] {
            assert_eq!(Stamp::new(time), Some(Stamp { seconds, nanoseconds }), "{time}");
        }
        for time in [-1e-9, -5.0, 2_147_483_648.0, 1e300, f64::NAN, f64::INFINITY] {
            assert_eq!(Stamp::new(time), None, "{time}");
        }
        let last = Stamp::new(2_147_483_647.5).unwrap();
        assert_eq!(last.total_nanoseconds(), 2_147_483_647_500_000_000);
    }
}
