//! The search for the least displacement of surfaces that explains an answer.

use crate::{Cause, Class};

/// An explanation of an answer by surfaces that are displaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Excuse {
    pub class: Class,
    /// The geometry and the primitive that are in doubt.
    pub ids: [u32; 2],
    /// The t of the crossing.
    pub t: f64,
}

/// The number of halvings, after which the displacement is known to a thousandth of δ.
const HALVINGS: u32 = 10;

/// Returns the class of an answer and the least displacement that explains it. `excuse_by` explains
/// it with a share of δ. `None` if even the whole δ explains nothing.
pub(super) fn least_displacement(
    excuse_by: impl Fn(f64) -> Option<Excuse>,
) -> Option<(Class, Cause)> {
    let mut found = excuse_by(1.0)?;
    let class = found.class;
    let [mut fails, mut explains] = [0.0, 1.0];
    for _ in 0..HALVINGS {
        let share = 0.5 * (fails + explains);
        match excuse_by(share) {
            Some(excuse) => (found, explains) = (excuse, share),
            None => fails = share,
        }
    }
    let ([geometry_id, primitive_id], t) = (found.ids, found.t);
    Some((class, Cause { geometry_id, primitive_id, t, displacement: explains }))
}
