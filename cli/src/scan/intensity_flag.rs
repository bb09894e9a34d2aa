//! The kind of intensity that files of LAS store.

use clap::ValueEnum;

/// The kind of intensity that a `.las` or a `.laz` stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum IntensityFlag {
    /// Without the losses by the distance and the air.
    Normalized,
    /// As it comes back, on a logarithmic scale.
    Raw,
}
