//! How many rays are asked for all of their crossings at a time.

/// The crossings that are held at a time, where no rays have more than those before.
const CROSSINGS: usize = 1 << 22;
/// The rays that are asked first.
const FIRST: usize = 1 << 12;
/// And those that are asked where few cross anything, for the next may.
const MOST: usize = 1 << 16;

/// A number of rays whose crossings fit memory, as far as those before tell. Answers do not depend on it.
#[derive(Debug)]
pub(super) struct Portion {
    pub rays: usize,
    /// As many as fit if the next have as many crossings as any that were asked.
    fit: usize,
}

impl Portion {
    pub fn first() -> Self {
        Self { rays: FIRST, fit: MOST }
    }

    /// Learns how many crossings so many rays had.
    pub fn learn(&mut self, rays: usize, crossings: usize) {
        let fit = CROSSINGS.saturating_mul(rays) / crossings.max(1);
        self.fit = self.fit.min(fit).max(1);
        self.rays = self.fit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_as_large_as_the_densest_rays_allow() {
        let mut portion = Portion::first();
        portion.learn(FIRST, 0);
        assert_eq!(portion.rays, MOST);
        portion.learn(MOST, MOST * 8);
        assert_eq!(portion.rays, MOST);
        portion.learn(MOST, MOST * 1024);
        assert_eq!(portion.rays, CROSSINGS / 1024);
        portion.learn(100, 0);
        assert_eq!(portion.rays, CROSSINGS / 1024, "as many may come again");
        portion.learn(1, 10 * CROSSINGS);
        assert_eq!(portion.rays, 1, "one ray's crossings are held whatever they are");
    }
}
