//! The number types of arrays.

/// A number of an array.
pub trait Number: bytemuck::Pod {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
    /// NumPy's letter and width of the type.
    const DESCR: &'static str;
}

macro_rules! numbers {
    ($($number:ty, $dtype:literal, $descr:literal;)*) => {
        $(impl Number for $number {
            const DTYPE: &'static str = $dtype;
            const DESCR: &'static str = $descr;
        })*
    };
}

numbers! {
    f32, "float32", "f4";
    f64, "float64", "f8";
    i8, "int8", "i1";
    i16, "int16", "i2";
    i32, "int32", "i4";
    i64, "int64", "i8";
    u8, "uint8", "u1";
    u16, "uint16", "u2";
    u32, "uint32", "u4";
    u64, "uint64", "u8";
}
