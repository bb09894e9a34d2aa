//! The numbers and words of which glTF 2.0 allows some alone.

use serde::Deserialize;

/// The fault of all others.
const NOT_ALLOWED: &str = "is nothing that glTF 2.0 allows: export the file again";

/// The type of a component of an accessor (section 3.6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "u64")]
pub(super) enum ComponentType {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

/// The type of an index of a sparse accessor, which is unsigned (section 5.3).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct IndexComponentType(pub ComponentType);

/// The type of an element of an accessor (section 3.6.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Type {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

/// The topology of a primitive: points, lines or triangles (section 3.7.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "u64")]
pub(super) enum Mode {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
}

/// The bytes from one vertex of a buffer view to the next (section 5.11.4).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "usize")]
pub(super) struct Stride(pub usize);

/// The use of a buffer view on a GPU (section 5.11.5).
#[derive(Debug, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct Target;

impl ComponentType {
    /// The number of its bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number with which bytes begin, which are in little-endian order.
    pub fn number(self, bytes: &[u8]) -> f64 {
        match self {
            Self::I8 => i8::from_le_bytes(first(bytes)).into(),
            Self::U8 => u8::from_le_bytes(first(bytes)).into(),
            Self::I16 => i16::from_le_bytes(first(bytes)).into(),
            Self::U16 => u16::from_le_bytes(first(bytes)).into(),
            Self::U32 => u32::from_le_bytes(first(bytes)).into(),
            Self::F32 => f32::from_le_bytes(first(bytes)).into(),
        }
    }
}

/// The first bytes. An accessor without a buffer view has none, which stand for zeros (section
/// 5.1.1).
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

impl TryFrom<u64> for ComponentType {
    type Error = &'static str;

    fn try_from(code: u64) -> Result<Self, Self::Error> {
        match code {
            5120 => Ok(Self::I8),
            5121 => Ok(Self::U8),
            5122 => Ok(Self::I16),
            5123 => Ok(Self::U16),
            5125 => Ok(Self::U32),
            5126 => Ok(Self::F32),
            _ => Err(NOT_ALLOWED),
        }
    }
}

impl TryFrom<u64> for IndexComponentType {
    type Error = &'static str;

    fn try_from(code: u64) -> Result<Self, Self::Error> {
        match ComponentType::try_from(code)? {
            unsigned @ (ComponentType::U8 | ComponentType::U16 | ComponentType::U32) => {
                Ok(Self(unsigned))
            }
            _ => Err(NOT_ALLOWED),
        }
    }
}

impl TryFrom<String> for Type {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        match word.as_str() {
            "SCALAR" => Ok(Self::Scalar),
            "VEC2" => Ok(Self::Vec2),
            "VEC3" => Ok(Self::Vec3),
            "VEC4" => Ok(Self::Vec4),
            "MAT2" => Ok(Self::Mat2),
            "MAT3" => Ok(Self::Mat3),
            "MAT4" => Ok(Self::Mat4),
            _ => Err(NOT_ALLOWED),
        }
    }
}

impl TryFrom<u64> for Mode {
    type Error = &'static str;

    fn try_from(code: u64) -> Result<Self, Self::Error> {
        match code {
            0 => Ok(Self::Points),
            1 => Ok(Self::Lines),
            2 => Ok(Self::LineLoop),
            3 => Ok(Self::LineStrip),
            4 => Ok(Self::Triangles),
            5 => Ok(Self::TriangleStrip),
            6 => Ok(Self::TriangleFan),
            _ => Err(NOT_ALLOWED),
        }
    }
}

impl TryFrom<usize> for Stride {
    type Error = &'static str;

    fn try_from(bytes: usize) -> Result<Self, Self::Error> {
        if (4..=252).contains(&bytes) { Ok(Self(bytes)) } else { Err(NOT_ALLOWED) }
    }
}

impl TryFrom<u64> for Target {
    type Error = &'static str;

    fn try_from(code: u64) -> Result<Self, Self::Error> {
        // Vertices, and indices of vertices.
        if let 34962 | 34963 = code { Ok(Self) } else { Err(NOT_ALLOWED) }
    }
}
