//! How many rays are asked for all of their crossings at a time.

/// The crossings that are held at a time, where rays have no more than those before.
const CROSSINGS: usize = 1 << 22;
/// The rays that are asked first.
const FIRST: usize = 1 << 12;
/// And those that are asked where few cross anything, for the next may.
const MOST: usize = 1 << 15;

/// A number of rays whose crossings fit memory, as far as those before tell. Answers do not depend on it.
#[derive(Debug)]
pub(super) struct Portion {
    pub rays: usize,
}

impl Portion {
    pub fn first() -> Self {
        Self { rays: FIRST }
    }

    /// Learns how many crossings so many rays had; it grows by steps, for the next may have many more.
    pub fn learn(&mut self, rays: usize, crossings: usize) {
        let fit = CROSSINGS.saturating_mul(rays) / crossings.max(1);
        self.rays = fit.clamp(1, MOST.min(2 * self.rays));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shrinks_at_once_and_grows_by_steps() {
        let mut portion = Portion::first();
        portion.learn(FIRST, 0);
        assert_eq!(portion.rays, 2 * FIRST);
        for _ in 0..9 {
            portion.learn(portion.rays, 8 * portion.rays);
        }
        assert_eq!(portion.rays, MOST);
        portion.learn(MOST, MOST * 1024);
        assert_eq!(portion.rays, CROSSINGS / 1024);
        portion.learn(100, 0);
        assert_eq!(portion.rays, CROSSINGS / 512);
        portion.learn(1, 10 * CROSSINGS);
        assert_eq!(portion.rays, 1, "one ray's crossings are held whatever they are");
    }
}
