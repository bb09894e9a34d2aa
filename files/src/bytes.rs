//! Files as bytes: how they are read, and how outputs appear as a whole or not at all; and the
//! encodings that several kinds of files share, which are texts, tables, NumPy arrays and Parquet
//! columns.

pub mod csv_file;
pub mod csv_parts;
pub mod csv_row;
pub mod decoder;
pub mod destination;
pub mod draft;
pub mod error;
pub mod extension;
pub mod file_identity;
pub mod file_set;
pub mod file_store;
pub mod fingerprint;
pub mod folder_lock;
pub mod links;
pub mod live_drafts;
pub mod memory;
pub mod mixture;
pub mod npz;
pub(crate) mod number_type;
pub mod open_file;
pub mod outputs;
// It has types of the parquet crate, and is for raytwin-formats alone.
#[doc(hidden)]
pub mod parquet;
pub mod partial;
pub mod row_fault;
pub mod spelling;
pub mod text_encoding;
