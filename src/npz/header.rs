//! What stands before an array's numbers.

use super::Number;
use crate::files::FileError;
use npyz::{NpyHeader, Order};
use std::io::{self, Read};
use std::path::Path;

/// What stands before an array's numbers, which are in C order.
#[derive(Debug)]
pub(crate) struct Header {
    pub shape: Vec<usize>,
    /// NumPy's name for the type: float32, float64 or uint32.
    pub dtype: &'static str,
    /// Whether the bytes of a number run the other way than this machine's.
    is_foreign: bool,
}

impl Header {
    /// Reads the header of an array of which there are `length` bytes, header included.
    ///
    /// # Errors
    /// [`FileError`]: not an array, Fortran order, another type, fewer bytes than it promises.
    pub fn read(
        reader: impl Read,
        length: u64,
        path: &Path,
        place: &str,
    ) -> Result<Self, FileError> {
        let refuse = |reason: String| FileError::meaning(path, place, reason);
        let header =
            parsed(reader).map_err(|error| refuse(format!("is not a NumPy array: {error}")))?;
        if header.order() != Order::C && header.shape().len() > 1 {
            return Err(refuse(
                "is in Fortran order: save numpy.ascontiguousarray(a) instead".to_owned(),
            ));
        }
        let descr = header.dtype().descr();
        let descr = descr.trim_matches(['\'', '"']);
        let (dtype, width) = match descr.trim_start_matches(['<', '>', '=', '|']) {
            "f4" => (f32::DTYPE, 4),
            "f8" => (f64::DTYPE, 8),
            "u4" => (u32::DTYPE, 4),
            other => {
                return Err(refuse(format!(
                    "holds numbers of NumPy type '{other}': raytwin reads float32, float64 and uint32; \
                     convert it to one of these with a.astype"
                )));
            }
        };
        // Believed only as far as there are bytes, or a false header would reserve all memory.
        let needed = header
            .shape()
            .iter()
            .try_fold(width, |bytes: u64, &side| bytes.checked_mul(side))
            .filter(|&needed| needed <= length);
        if needed.is_none() {
            return Err(refuse(format!(
                "is truncated: its header promises an array of shape {:?} of {width}-byte numbers, and there are {length} bytes",
                header.shape()
            )));
        }
        Ok(Self {
            shape: header.shape().iter().map(|&side| side as usize).collect(),
            dtype,
            is_foreign: descr.starts_with(if cfg!(target_endian = "big") { '<' } else { '>' }),
        })
    }

    /// The next `count` numbers, which are of the header's type. Memory grows as they arrive, for a length that a file
    /// claims may be false.
    pub fn numbers<T: Number>(&self, mut reader: impl Read, count: usize) -> io::Result<Vec<T>> {
        const FIRST: usize = 1 << 16;
        let mut numbers = Vec::new();
        while numbers.len() < count {
            let before = numbers.len();
            let more = before.max(FIRST).min(count - before);
            numbers.try_reserve_exact(more)?;
            numbers.resize(before + more, T::zeroed());
            reader.read_exact(bytemuck::cast_slice_mut(&mut numbers[before..]))?;
        }
        if self.is_foreign {
            let turn = |number| bytemuck::bytes_of_mut(number).reverse();
            numbers.iter_mut().for_each(turn);
        }
        Ok(numbers)
    }
}

/// The header as npyz reads it, once it is one that npyz can be trusted with: it would reserve whatever length a header
/// claims, and takes a time that doubles with each bracket in a bracket.
fn parsed(reader: impl Read) -> io::Result<NpyHeader> {
    /// The brackets of a structured type, the deepest that is told by its name: a dictionary of a list of tuples that
    /// end in a shape.
    const DEEPEST: usize = 4;
    let bytes = bytes(reader)?;
    let mut depth = 0_usize;
    for byte in &bytes[AFTER_MAGIC..] {
        match byte {
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(invalid(format!("its header nests brackets more than {DEEPEST} deep")));
        }
    }
    NpyHeader::from_reader(&bytes[..])
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Where the header's length is, behind the magic word and the version.
const AFTER_MAGIC: usize = 8;

/// A header's bytes, magic word included, by the format's description in `numpy.lib.format`.
fn bytes(mut reader: impl Read) -> io::Result<Vec<u8>> {
    /// NumPy itself trusts no longer ones.
    const LONGEST: usize = 10_000;
    let mut bytes = vec![0; AFTER_MAGIC];
    reader.read_exact(&mut bytes)?;
    if !bytes.starts_with(MAGIC) {
        return Err(invalid("it does not begin with the word NUMPY".to_owned()));
    }
    // Since version 2 the length has four bytes.
    let is_short = bytes[MAGIC.len()] < 2;
    let mut length = [0; 4];
    let told = if is_short { &mut length[..2] } else { &mut length[..] };
    reader.read_exact(told)?;
    bytes.extend_from_slice(told);
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(invalid(format!(
            "its header claims {length} bytes, and {LONGEST} at most are read"
        )));
    }
    let before = bytes.len();
    bytes.resize(before + length, 0);
    reader.read_exact(&mut bytes[before..])?;
    Ok(bytes)
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
