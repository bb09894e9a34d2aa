//! NumPy's file formats: a single array (`.npy`) and an archive of named arrays (`.npz`).

mod archive;
mod arrays_to_read;
mod arrays_to_write;
mod fails_once;
mod header;
mod header_fields;
mod npy;
mod number;
mod writer;

pub(crate) use archive::open_npz;
pub use arrays_to_read::{ArrayToRead, NumberStream, arrays_to_read};
pub(crate) use arrays_to_write::{ArrayLayout, ArraysToWrite};
pub use header::ArrayHeader;
pub(crate) use header::{write_header, write_header_fields};
pub use npy::{NpyArray, read_npy, write_npy};
pub use number::Number;
pub use writer::NpzWriter;
