//! Scans: images of one camera from many poses, one after another.

mod echoes;
mod posed_view;
mod returns;
mod trajectory;

pub use posed_view::PosedView;
pub use returns::{Return, Seen, returns};
pub use trajectory::{Trajectory, TrajectoryError};
