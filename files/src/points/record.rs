//! Points from rows of numbers that a header describes, as in PLY and PCD.

use super::column::{Column, ColumnValues};
use super::table::{AXES, CELL_BYTES, PointTable};
use crate::bytes::number_type::NumberType;
use crate::{FileError, FileStore};
use std::path::Path;

/// A number of a file, with full precision.
#[derive(Clone, Copy, Debug)]
pub(super) enum StoredNumber {
    Whole(i128),
    Single(f32),
    Double(f64),
}

/// The values that a row has under a name: one number, or several, which are skipped.
#[derive(Clone, Debug)]
pub(super) struct RecordField {
    pub name: String,
    pub number_type: NumberType,
    pub count: usize,
}

/// The encoding of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

pub(super) struct Records<'a> {
    pub store: &'a FileStore,
    pub path: &'a Path,
    /// The whole file. The rows begin here.
    pub bytes: &'a [u8],
    pub start: usize,
    pub encoding: Encoding,
    pub fields: Vec<RecordField>,
    pub rows: usize,
    /// Returns true if the file holds something else after the rows.
    pub is_followed: bool,
}

impl NumberType {
    /// Values that can have any number of the type, except the larger half of U64.
    pub(super) fn values(self) -> ColumnValues {
        match self {
            Self::U8 | Self::U16 | Self::U32 => ColumnValues::Unsigned(Vec::new()),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::U64 => {
                ColumnValues::Integers(Vec::new())
            }
            Self::F32 => ColumnValues::Singles(Vec::new()),
            Self::F64 => ColumnValues::Floats(Vec::new()),
        }
    }

    /// Reads as many bytes as a number has, in little-endian order.
    pub(super) fn number_in(self, bytes: &[u8]) -> Option<StoredNumber> {
        Some(match self {
            Self::F32 => StoredNumber::Single(f32::from_le_bytes(bytes.try_into().ok()?)),
            Self::F64 => StoredNumber::Double(f64::from_le_bytes(bytes.try_into().ok()?)),
            _ => {
                let is_negative = self.is_signed() && *bytes.last()? > i8::MAX as u8;
                let mut wide = [if is_negative { u8::MAX } else { 0 }; size_of::<i128>()];
                wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
                StoredNumber::Whole(i128::from_le_bytes(wide))
            }
        })
    }

    fn number_of(self, text: &str) -> Option<StoredNumber> {
        Some(match self {
            Self::F32 => StoredNumber::Single(text.parse().ok()?),
            Self::F64 => StoredNumber::Double(text.parse().ok()?),
            _ => {
                let magnitudes = 1_i128 << (8 * self.byte_count() - usize::from(self.is_signed()));
                let least = if self.is_signed() { -magnitudes } else { 0 };
                let whole = text.parse().ok().filter(|it| (least..magnitudes).contains(it));
                StoredNumber::Whole(whole?)
            }
        })
    }

    fn is_signed(self) -> bool {
        self.letter() == "I"
    }
}

impl StoredNumber {
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Single(number) => number.into(),
            Self::Double(number) => number,
        }
    }

    /// Adds the number to values, if it is in range.
    pub fn push(self, values: &mut ColumnValues) -> Option<()> {
        match (values, self) {
            (ColumnValues::Unsigned(values), Self::Whole(number)) => {
                values.push(Some(u32::try_from(number).ok()?));
            }
            // The Point Cloud Library packs a colour into the bits of a float32.
            (ColumnValues::Unsigned(values), Self::Single(number)) => {
                values.push(Some(number.to_bits()))
            }
            (ColumnValues::Integers(values), Self::Whole(number)) => {
                values.push(Some(i64::try_from(number).ok()?));
            }
            (ColumnValues::Singles(values), Self::Single(number)) => values.push(Some(number)),
            (ColumnValues::Floats(values), number) => values.push(Some(number.as_f64())),
            _ => return None,
        }
        Some(())
    }
}

/// The use of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Axis(usize),
    Kept(usize),
    None,
}

impl Records<'_> {
    /// Reads the fields `x`, `y` and `z`, optionally with the others.
    pub fn read(&self, with_columns: bool) -> Result<PointTable, FileError> {
        let mut table = PointTable { is_cloud: true, ..PointTable::default() };
        let uses = self.uses(with_columns, &mut table)?;
        self.refuse_truncated()?;
        let bytes = self.rows.saturating_mul((1 + table.kept.len()) * CELL_BYTES);
        let needs = || format!("its {} points need", self.rows);
        self.store.take_memory(self.path, bytes as u64, needs)?;
        match self.encoding {
            Encoding::Text => self.read_text(&uses, &mut table)?,
            _ => self.read_binary(&uses, &mut table)?,
        }
        Ok(table)
    }

    /// Determines the use of each field, and makes the columns to keep.
    fn uses(&self, with_columns: bool, table: &mut PointTable) -> Result<Vec<Use>, FileError> {
        let refuse = |reason: String| Err(FileError::meaning(self.path, "", reason));
        let names: Vec<&str> = self.fields.iter().map(|field| &field.name[..]).collect();
        for axis in AXES {
            match self.fields.iter().filter(|field| field.name == axis).count() {
                1 => {}
                0 => {
                    let has = names.join(" ");
                    return refuse(format!(
                        "its points have no {axis}: they have {has}, but need x y z"
                    ));
                }
                _ => return refuse(format!("its points have {axis} twice: remove one of the two")),
            }
        }
        let mut several = Vec::new();
        let mut uses = Vec::new();
        for field in &self.fields {
            let axis = AXES.iter().position(|axis| *axis == field.name);
            uses.push(match axis {
                Some(_) if field.count != 1 => {
                    return refuse(format!("its points have several numbers {}", field.name));
                }
                Some(axis) => Use::Axis(axis),
                // The Point Cloud Library uses this name for padding.
                None if !with_columns || field.name == "_" => Use::None,
                None if field.count != 1 => {
                    several.push(&field.name[..]);
                    Use::None
                }
                None if table.kept.iter().any(|column| column.name == field.name) => {
                    return refuse(format!(
                        "its points have {} twice: remove one of the two",
                        field.name
                    ));
                }
                None => {
                    let is_packed = field.number_type == NumberType::F32
                        && ["rgb", "rgba"].contains(&&field.name[..]);
                    let values = match is_packed {
                        true => ColumnValues::Unsigned(Vec::new()),
                        false => field.number_type.values(),
                    };
                    table.kept.push(Column::new(&field.name, values));
                    Use::Kept(table.kept.len() - 1)
                }
            });
        }
        if !several.is_empty() {
            let (path, names) = (self.path.display(), several.join(", "));
            log::warn!("{path}: leaves out {names}, because each has several numbers per point");
        }
        Ok(uses)
    }

    /// A header may declare anything: each number needs at least a byte, or a byte and a space.
    fn refuse_truncated(&self) -> Result<(), FileError> {
        let left = self.bytes.len() - self.start;
        let row = self.fields.iter().map(|field| match self.encoding {
            Encoding::Text => field.count.saturating_mul(2),
            _ => field.count.saturating_mul(field.number_type.byte_count()),
        });
        let needed = row.fold(0, usize::saturating_add).saturating_mul(self.rows);
        // The last number needs no space.
        let is_text = self.encoding == Encoding::Text;
        if needed.saturating_sub(is_text.into()) > left {
            return Err(self.truncated());
        }
        Ok(())
    }

    fn truncated(&self) -> FileError {
        let rows = self.rows;
        let reason =
            format!("is truncated: it ends before the {rows} points that its header declares");
        FileError::meaning(self.path, "", reason)
    }

    fn read_binary(&self, uses: &[Use], table: &mut PointTable) -> Result<(), FileError> {
        let mut at = self.start;
        for row in 0..self.rows {
            let mut position = [0.0; 3];
            for (field, wanted) in self.fields.iter().zip(uses) {
                let size = field.number_type.byte_count();
                let bytes = &self.bytes[at..at + size * field.count];
                at += bytes.len();
                if *wanted == Use::None {
                    continue;
                }
                let mut number = [0; 8];
                number[..size].copy_from_slice(bytes);
                if self.encoding == Encoding::BigEndian {
                    number[..size].reverse();
                }
                let number = field.number_type.number_in(&number[..size]);
                let taken = number.and_then(|it| take(it, *wanted, &mut position, table));
                taken.ok_or_else(|| self.too_large(row, &field.name))?;
            }
            table.positions.push(position);
        }
        let rest = &self.bytes[at..];
        self.refuse_rest(rest.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != 0))
    }

    fn read_text(&self, uses: &[Use], table: &mut PointTable) -> Result<(), FileError> {
        let text = &self.bytes[self.start..];
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        for row in 0..self.rows {
            let mut position = [0.0; 3];
            for (field, wanted) in self.fields.iter().zip(uses) {
                for _ in 0..field.count {
                    let word = words.next().ok_or_else(|| self.truncated())?;
                    if *wanted == Use::None {
                        continue;
                    }
                    let text = String::from_utf8_lossy(word);
                    let number = field.number_type.number_of(&text).ok_or_else(|| {
                        self.no_number(word, &field.name, &text, field.number_type)
                    })?;
                    let taken = take(number, *wanted, &mut position, table);
                    taken.ok_or_else(|| self.too_large(row, &field.name))?;
                }
            }
            table.positions.push(position);
        }
        self.refuse_rest(words)
    }

    /// Rejects bytes after the points of a file that must end with them.
    fn refuse_rest<T>(&self, mut rest: impl Iterator<Item = T>) -> Result<(), FileError> {
        if self.is_followed || rest.next().is_none() {
            return Ok(());
        }
        let reason = format!(
            "continues after the {} points that its header declares: correct the header",
            self.rows
        );
        Err(FileError::meaning(self.path, "", reason))
    }

    fn no_number(&self, word: &[u8], name: &str, text: &str, kind: NumberType) -> FileError {
        let at = word.as_ptr().addr() - self.bytes.as_ptr().addr();
        let before = &self.bytes[..at];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        let what = match kind {
            NumberType::F32 | NumberType::F64 => "a number".to_owned(),
            kind => format!("a whole number of the type {kind:?}").to_lowercase(),
        };
        let reason = format!("{name} is '{text}': it must be {what}");
        FileError::Syntax { path: self.path.to_owned(), line, column, reason }
    }

    fn too_large(&self, row: usize, name: &str) -> FileError {
        let reason = "is too large: raytwin keeps signed 64-bit integers";
        FileError::meaning(self.path, format!("point {row}.{name}"), reason)
    }
}

/// Stores a number if it is needed and in range.
fn take(
    number: StoredNumber,
    wanted: Use,
    position: &mut [f64; 3],
    table: &mut PointTable,
) -> Option<()> {
    match wanted {
        Use::Axis(axis) => position[axis] = number.as_f64(),
        Use::Kept(at) => number.push(&mut table.kept[at].values)?,
        Use::None => {}
    }
    Some(())
}
