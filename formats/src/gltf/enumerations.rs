//! The numbers and words for which glTF 2.0 allows only certain values.

use serde::Deserialize;

/// The fault of all others.
const NOT_ALLOWED: &str = "is not a value that glTF 2.0 allows: export the file again";

/// Defines an enum whose variants each have a number or a word.
macro_rules! enumeration {
    ($(#[$about:meta])* $type:ident: $of:literal as $code:ty {
        $($(#[$default:meta])? $variant:ident = $value:literal,)*
    }) => {
        $(#[$about])*
        #[serde(try_from = $of)]
        pub(super) enum $type {
            $($(#[$default])? $variant,)*
        }

        impl TryFrom<$code> for $type {
            type Error = &'static str;

            fn try_from(code: $code) -> Result<Self, Self::Error> {
                let known = [$(($value, Self::$variant)),*];
                let found = known.into_iter().find(|(value, _)| code == *value);
                found.map(|(_, variant)| variant).ok_or(NOT_ALLOWED)
            }
        }
    };
}

enumeration! {
    /// The type of a component of an accessor (section 3.6.2.2).
    #[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
    ComponentType: "u64" as u64 {
        I8 = 5120,
        U8 = 5121,
        I16 = 5122,
        U16 = 5123,
        U32 = 5125,
        F32 = 5126,
    }
}

/// The type of an index of a sparse accessor, which is unsigned (section 5.3).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub(super) struct IndexComponentType(pub ComponentType);

enumeration! {
    /// The type of an element of an accessor (section 3.6.2.2).
    #[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
    Type: "String" as String {
        Scalar = "SCALAR",
        Vec2 = "VEC2",
        Vec3 = "VEC3",
        Vec4 = "VEC4",
        Mat2 = "MAT2",
        Mat3 = "MAT3",
        Mat4 = "MAT4",
    }
}

enumeration! {
    /// The topology of a primitive: points, lines or triangles (section 3.7.2.1).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
    Mode: "u64" as u64 {
        Points = 0,
        Lines = 1,
        LineLoop = 2,
        LineStrip = 3,
        #[default]
        Triangles = 4,
        TriangleStrip = 5,
        TriangleFan = 6,
    }
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

/// The first bytes. An accessor without a buffer view has none, and its numbers are zeros (section
/// 5.1.1).
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
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
