//! The number of rays whose crossings to find at a time.

/// The crossings to keep in memory at a time, if the next rays have about as many as those before.
const CROSSINGS: usize = 1 << 22;
/// The size of the first portion, before anything is known about the rays.
const FIRST: usize = 1 << 12;
/// The largest portion. It is limited because dense rays may follow empty ones.
const MOST: usize = 1 << 15;

/// A number of rays whose crossings fit into memory, estimated from the rays before them. Answers
/// do not depend on it.
#[derive(Debug)]
pub(super) struct Portion {
    pub rays: usize,
}

impl Portion {
    pub fn first() -> Self {
        Self { rays: FIRST }
    }

    /// Adapts to the number of crossings of these rays. A portion at most doubles, because the next
    /// rays may have many more crossings.
    pub fn learn(&mut self, rays: usize, crossings: usize) {
        let rays_that_fit = CROSSINGS.saturating_mul(rays) / crossings.max(1);
        self.rays = rays_that_fit.clamp(1, MOST.min(2 * self.rays));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portion_shrinks_at_once_and_grows_by_steps() {
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
        assert_eq!(portion.rays, 1, "a single ray is asked however many crossings it has");
    }
}
