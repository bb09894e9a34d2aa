//! How many rays are asked for all of their crossings at a time.

/// The crossings that are held at a time, where rays go on as they began.
const CROSSINGS: usize = 1 << 22;
/// The rays that are asked first.
const FIRST: usize = 1 << 12;

/// A number of rays whose crossings fit memory, as far as the last ones tell. Answers do not depend on it.
#[derive(Debug)]
pub(super) struct Portion {
    pub rays: usize,
}

impl Portion {
    pub fn first() -> Self {
        Self { rays: FIRST }
    }

    /// Learns how many crossings so many rays had: it grows by steps, for the next may have more, and shrinks at
    /// once.
    pub fn learn(&mut self, rays: usize, crossings: usize) {
        let fit = CROSSINGS.saturating_mul(rays) / crossings.max(1);
        self.rays = fit.clamp(1, 4 * self.rays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_by_steps_and_shrinks_at_once() {
        let mut portion = Portion::first();
        portion.learn(FIRST, 0);
        assert_eq!(portion.rays, 4 * FIRST);
        portion.learn(1000, 1000 * 64);
        assert_eq!(portion.rays, 4 * 4 * FIRST);
        portion.learn(portion.rays, portion.rays * 1024);
        assert_eq!(portion.rays, CROSSINGS / 1024);
        portion.learn(1, 10 * CROSSINGS);
        assert_eq!(portion.rays, 1, "one ray's crossings are held whatever they are");
        portion.learn(1, 2);
        assert_eq!(portion.rays, 4);
    }
}
