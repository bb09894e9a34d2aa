//! The bodies of a robot: groups that cannot move relative to each other, and the connections of
//! bodies.

/// The bodies of a file's groups, and the pairs of bodies that belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupBodies {
    /// The body of each group; empty for a file without bodies.
    pub of_groups: Vec<u32>,
    pub pairs: Vec<[u32; 2]>,
}

impl GroupBodies {
    /// Makes a body of each of some groups, where `fixed` pairs are one body and `joined` ones
    /// belong together.
    pub fn of_joints(
        groups: usize,
        fixed: impl IntoIterator<Item = [u32; 2]>,
        joined: impl IntoIterator<Item = [u32; 2]>,
    ) -> Self {
        let mut of_groups: Vec<u32> = (0..groups as u32).collect();
        for [a, b] in fixed {
            let [a, b] = [a, b].map(|group| of_groups[group as usize]);
            of_groups
                .iter_mut()
                .filter(|body| **body == a.max(b))
                .for_each(|body| *body = a.min(b));
        }
        let pairs = joined.into_iter().map(|pair| pair.map(|group| of_groups[group as usize]));
        Self { pairs: pairs.collect(), of_groups }
    }
}
