//! The size of the texture that holds a scene's records for software drivers.

use crate::packed::Record;

pub(super) const RECORD_BYTES: u64 = size_of::<Record>() as u64;

/// How many records lie in a row of the texture.
pub(super) const RECORDS_PER_ROW: u32 = 1024;

pub(super) const TEXELS_PER_RECORD: u32 = (RECORD_BYTES / 16) as u32;

/// The width of the texture.
pub(super) const TEXELS_PER_ROW: u32 = RECORDS_PER_ROW * TEXELS_PER_RECORD;
