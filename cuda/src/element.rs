//! The types of elements of tensors.

use std::fmt;

/// The type of a tensor's elements, as in DLPack. Types without a constant here belong to other
/// libraries. They can be named and compared.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    code: u8,
    bits: u8,
    lanes: u16,
}

impl Element {
    /// 16 bits of floating point.
    pub const F16: Self = Self::new(2, 16);
    /// 32 bits of floating point.
    pub const F32: Self = Self::new(2, 32);
    /// 64 bits of floating point.
    pub const F64: Self = Self::new(2, 64);
    /// Signed integers of 32 bits.
    pub const I32: Self = Self::new(0, 32);
    /// Signed integers of 64 bits.
    pub const I64: Self = Self::new(0, 64);
    /// Unsigned integers of 8 bits.
    pub const U8: Self = Self::new(1, 8);
    /// Unsigned integers of 32 bits.
    pub const U32: Self = Self::new(1, 32);
    /// Bytes that are 0 or 1.
    pub const BOOL: Self = Self::new(6, 8);

    const fn new(code: u8, bits: u8) -> Self {
        Self { code, bits, lanes: 1 }
    }

    /// Returns its size in bytes. A type smaller than a byte counts as one byte.
    pub fn bytes(self) -> u64 {
        (u64::from(self.bits) * u64::from(self.lanes)).div_ceil(8).max(1)
    }

    /// Returns the name of its kind, and the letter that NumPy has for it.
    fn kind(self) -> (&'static str, Option<char>) {
        match self.code {
            0 => ("int", Some('i')),
            1 => ("uint", Some('u')),
            2 => ("float", Some('f')),
            4 => ("bfloat", None),
            5 => ("complex", Some('c')),
            6 => ("bool", Some('b')),
            _ => ("unknown", None),
        }
    }

    /// Returns the name that NumPy's interface of arrays has for it, such as `<f4`.
    pub(crate) fn type_string(self) -> Option<String> {
        let (_, letter) = self.kind();
        let order = if self.bytes() == 1 { '|' } else { '<' };
        match self.lanes {
            1 => letter.map(|letter| format!("{order}{letter}{}", self.bytes())),
            _ => None,
        }
    }
}

/// Writes the name that NumPy, torch and jax have for it, such as `float32`.
impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, _) = self.kind();
        match (*self, self.lanes) {
            (Self::BOOL, _) => write!(formatter, "bool"),
            (_, 1) => write!(formatter, "{kind}{}", self.bits),
            (_, lanes) => write!(formatter, "{kind}{}x{lanes}", self.bits),
        }
    }
}
