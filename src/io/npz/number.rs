//! The number types of arrays.

/// A number of a type that can be both read and written.
pub(crate) trait Number: bytemuck::Pod {
    /// NumPy's name of the type.
    const DTYPE: &'static str;
    /// NumPy's letter and width of the type.
    const DESCR: &'static str;
}

impl Number for f32 {
    const DTYPE: &'static str = "float32";
    const DESCR: &'static str = "f4";
}

impl Number for f64 {
    const DTYPE: &'static str = "float64";
    const DESCR: &'static str = "f8";
}

impl Number for u32 {
    const DTYPE: &'static str = "uint32";
    const DESCR: &'static str = "u4";
}
