//! Scans: images of one camera from many poses, one after another.

mod flight;
mod posed_view;
mod trajectory;

pub use flight::{Flight, FlightError, Leg, SweepStart};
pub use posed_view::PosedView;
pub use trajectory::{Trajectory, TrajectoryError};

#[cfg(test)]
mod tests;
