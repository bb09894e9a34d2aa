//! Scans: images of one camera from many poses, one after another.

mod carrier;
mod flight;
mod posed_view;
mod trajectory;
mod views;

pub use carrier::Carrier;
pub use flight::{Flight, FlightError, Leg, SweepStart};
pub use posed_view::PosedView;
pub use trajectory::{Trajectory, TrajectoryError};
pub use views::Views;

#[cfg(test)]
mod tests;
