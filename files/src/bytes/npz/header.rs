//! The header in front of an array's numbers.

use super::header_fields::HeaderFields;
use super::number::Number;
use crate::FileError;
use std::io::{self, Read, Write};
use std::path::Path;

/// The header of an array.
#[derive(Debug)]
pub struct ArrayHeader {
    /// The lengths along each axis, the slowest first.
    pub shape: Vec<usize>,
    /// NumPy's name of the numbers' type.
    pub dtype: &'static str,
    /// True if the numbers are in Fortran order, in which the first index changes fastest.
    is_fortran: bool,
    /// True if the numbers' bytes are in the opposite order to this machine's.
    has_swapped_bytes: bool,
}

impl ArrayHeader {
    /// Reads the header of an array that has `length` bytes, header included.
    ///
    /// # Errors
    /// [`FileError`]: this is not an array of numbers, or it has fewer bytes than its header
    /// declares.
    pub fn read(
        reader: impl Read,
        length: u64,
        path: &Path,
        location: &str,
    ) -> Result<Self, FileError> {
        let refuse = |reason: String| FileError::meaning(path, location, reason);
        let no_array = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof if length == 0 => {
                refuse("is empty: write it with numpy.save".to_owned())
            }
            io::ErrorKind::UnexpectedEof => refuse(
                "is not a NumPy array, or its header is truncated: write it again".to_owned(),
            ),
            _ => refuse(format!("is not a NumPy array: {error}")),
        };
        let text = header_text(reader).map_err(no_array)?;
        let HeaderFields { descr, is_fortran, shape } =
            HeaderFields::parse(&text).map_err(|reason| no_array(invalid(reason)))?;
        let code = descr.trim_start_matches(['<', '>', '=', '|']);
        let Some((_, dtype, width)) = TYPES.iter().find(|(known, _, _)| *known == code) else {
            return Err(refuse(format!(
                "has numbers of NumPy type '{code}': raytwin reads numbers as float32 or \
                 float64, and ids and masks as integers; convert it with a.astype"
            )));
        };
        // A header that declares more bytes than there are is rejected; otherwise a false one would
        // reserve all memory.
        let needed = shape
            .iter()
            .try_fold(*width, |bytes: u64, &extent| bytes.checked_mul(extent))
            .filter(|&needed| needed <= length);
        if needed.is_none() {
            return Err(refuse(format!(
                "is truncated: its header declares an array of shape {:?} of {width}-byte numbers, but it has only {length} bytes",
                shape
            )));
        }
        Ok(Self {
            is_fortran: is_fortran && shape.len() > 1,
            shape: shape.into_iter().map(|extent| extent as usize).collect(),
            dtype,
            has_swapped_bytes: descr.starts_with(if cfg!(target_endian = "big") {
                '<'
            } else {
                '>'
            }),
        })
    }

    /// The size of a number in bytes.
    pub fn number_bytes(&self) -> u64 {
        TYPES.iter().find(|(_, dtype, _)| *dtype == self.dtype).map_or(0, |(_, _, width)| *width)
    }

    /// Returns true if the numbers are integers.
    pub fn is_integer(&self) -> bool {
        ![f32::DTYPE, f64::DTYPE, BOOL].contains(&self.dtype)
    }

    /// Returns true if the numbers are in Fortran order.
    pub fn is_fortran(&self) -> bool {
        self.is_fortran
    }

    /// Rejects an array in Fortran order.
    ///
    /// # Errors
    /// [`FileError`]: it is in Fortran order.
    pub fn refuse_fortran(&self, path: &Path, location: &str) -> Result<(), FileError> {
        let reason = "is in Fortran order: save numpy.ascontiguousarray(a) instead";
        match self.is_fortran {
            true => Err(FileError::meaning(path, location, reason)),
            false => Ok(()),
        }
    }

    /// Reads the next `count` numbers as float64. Integers above 2⁵³ are rounded.
    ///
    /// # Errors
    /// [`io::Error`]: the reader ends too early, or there is too little memory.
    pub fn floats(&self, reader: impl Read, count: usize) -> io::Result<Vec<f64>> {
        Ok(match self.dtype {
            "float32" => self.numbers::<f32>(reader, count)?.into_iter().map(f64::from).collect(),
            "float64" => self.numbers(reader, count)?,
            _ => self.integers(reader, count)?.into_iter().map(|number| number as f64).collect(),
        })
    }

    /// Reads the next `count` numbers, which are integers.
    ///
    /// # Errors
    /// [`io::Error`]: the reader ends too early, or there is too little memory.
    pub fn integers(&self, reader: impl Read, count: usize) -> io::Result<Vec<i128>> {
        fn widened<T: Number + Into<i128>>(
            header: &ArrayHeader,
            reader: impl Read,
            count: usize,
        ) -> io::Result<Vec<i128>> {
            Ok(header.numbers::<T>(reader, count)?.into_iter().map(T::into).collect())
        }
        match self.dtype {
            "int8" => widened::<i8>(self, reader, count),
            "int16" => widened::<i16>(self, reader, count),
            "int32" => widened::<i32>(self, reader, count),
            "int64" => widened::<i64>(self, reader, count),
            "uint8" | BOOL => widened::<u8>(self, reader, count),
            "uint16" => widened::<u16>(self, reader, count),
            "uint32" => widened::<u32>(self, reader, count),
            "uint64" => widened::<u64>(self, reader, count),
            _ => Err(invalid(format!("its numbers are {}, not integers", self.dtype))),
        }
    }

    /// Reads the next `count` numbers, which have the header's type. Memory grows as they arrive,
    /// because the declared length of a file may be false.
    ///
    /// # Errors
    /// [`io::Error`]: the reader ends too early, or there is too little memory.
    pub fn numbers<T: Number>(&self, mut reader: impl Read, count: usize) -> io::Result<Vec<T>> {
        const FIRST_PIECE: usize = 1 << 16;
        let mut numbers = Vec::new();
        while numbers.len() < count {
            let before = numbers.len();
            let more = before.max(FIRST_PIECE).min(count - before);
            numbers.try_reserve_exact(more)?;
            numbers.resize(before + more, T::zeroed());
            reader.read_exact(bytemuck::cast_slice_mut(&mut numbers[before..]))?;
        }
        if self.has_swapped_bytes {
            let swap_bytes = |number| bytemuck::bytes_of_mut(number).reverse();
            numbers.iter_mut().for_each(swap_bytes);
        }
        Ok(numbers)
    }
}

/// NumPy's name of booleans, each of which is a byte.
const BOOL: &str = "bool";

/// The types that are read: NumPy's letter and width, its name, and the size in bytes.
const TYPES: [(&str, &str, u64); 11] = [
    ("b1", BOOL, 1),
    type_of::<f32>(),
    type_of::<f64>(),
    type_of::<i8>(),
    type_of::<i16>(),
    type_of::<i32>(),
    type_of::<i64>(),
    type_of::<u8>(),
    type_of::<u16>(),
    type_of::<u32>(),
    type_of::<u64>(),
];

const fn type_of<T: Number>() -> (&'static str, &'static str, u64) {
    (T::DESCR, T::DTYPE, size_of::<T>() as u64)
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The offset of the header's length, after the magic string and the version.
const LENGTH_OFFSET: usize = 8;

/// Reads the text of a header, by the format's description in `numpy.lib.format`.
fn header_text(mut reader: impl Read) -> io::Result<String> {
    /// NumPy itself accepts no longer headers by default.
    const MAX_LENGTH: usize = 10_000;
    let mut bytes = [0; LENGTH_OFFSET];
    reader.read_exact(&mut bytes)?;
    if !bytes.starts_with(MAGIC) {
        return Err(invalid("it does not begin with the magic string of NumPy".to_owned()));
    }
    // The length has two bytes in version 1 of the format, and four since version 2.
    let is_version_1 = bytes[MAGIC.len()] < 2;
    let mut length = [0; 4];
    let length_bytes = if is_version_1 { &mut length[..2] } else { &mut length[..] };
    reader.read_exact(length_bytes)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_LENGTH {
        return Err(invalid(format!(
            "its header has {length} bytes, and raytwin reads at most {MAX_LENGTH}"
        )));
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text)?;
    String::from_utf8(text).map_err(|_| invalid("its header is not text".to_owned()))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// The error for an array that ends, cannot be read or does not fit into memory before its last
/// number.
pub(super) fn unfinished_array(path: &Path, location: &str, error: &io::Error) -> FileError {
    let fault = match error.kind() {
        io::ErrorKind::OutOfMemory => "does not fit into memory",
        io::ErrorKind::InvalidData => "is not an array that raytwin reads",
        _ => "is truncated",
    };
    FileError::meaning(path, location, format!("{fault}: {error}"))
}

/// Writes an array's header; `descr` is NumPy's letter and width of the numbers. The header's
/// length does not depend on the array's, so that the header can be written again when the array's
/// length is known.
pub(crate) fn write_header(writer: impl Write, descr: &str, shape: &[usize]) -> io::Result<()> {
    const MAX_DIGITS: usize = "18446744073709551615".len();
    let byte_order = match cfg!(target_endian = "big") {
        _ if descr.ends_with('1') => '|',
        true => '>',
        false => '<',
    };
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    // In Python a comma distinguishes a tuple of one element from a number in brackets.
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", extents.join(", "));
    let spare_digits = extents.first().map_or(0, |extent| MAX_DIGITS - extent.len());
    write_header_fields(writer, &format!("'{byte_order}{descr}'"), &shape, spare_digits)
}

/// Writes a header of these fields, as Python writes them, with space for this many more digits.
pub(crate) fn write_header_fields(
    mut writer: impl Write,
    descr: &str,
    shape: &str,
    spare_digits: usize,
) -> io::Result<()> {
    const PREFIX: usize = LENGTH_OFFSET + size_of::<u16>();
    let fields = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    // The format aligns the numbers to 64 bytes and ends the header with a line's end.
    let length = (PREFIX + fields.len() + spare_digits + 1).next_multiple_of(64) - PREFIX;
    writer.write_all(MAGIC)?;
    writer.write_all(b"\x01\x00")?;
    writer.write_all(&(length as u16).to_le_bytes())?;
    writeln!(writer, "{fields:width$}", width = length - 1)
}
