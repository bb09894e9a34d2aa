//! Scans: images of one camera from many poses, one after another.

mod posed_view;
mod trajectory;

pub use posed_view::PosedView;
pub use trajectory::{Trajectory, TrajectoryError};
