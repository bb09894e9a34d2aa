//! NumPy's file formats: a single array (`.npy`) and an archive of named arrays (`.npz`).

mod archive;
mod arrays_to_read;
mod arrays_to_write;
mod fails_once;
mod header;
mod npy;
mod number;
mod rows_to_read;
mod writer;

pub(super) use archive::open_npz;
pub(crate) use arrays_to_read::{ArrayToRead, arrays_to_read};
pub(super) use arrays_to_write::{ArrayLayout, ArraysToWrite};
pub(super) use header::ArrayHeader;
pub(crate) use header::write_header;
pub(crate) use npy::{read_npy, write_npy};
pub(crate) use number::Number;
pub(super) use rows_to_read::RowsToRead;
pub(crate) use writer::NpzWriter;
