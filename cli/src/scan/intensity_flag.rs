//! The kind of intensity that LAS files store.

use clap::ValueEnum;

/// The kind of intensity that a `.las` or a `.laz` stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum IntensityFlag {
    /// Without the losses from distance and air.
    Normalized,
    /// As received, on a logarithmic scale.
    Raw,
}
