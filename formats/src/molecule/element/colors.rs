//! The colours of elements.

/// Returns the sRGB colour of an element, in the manner of Corey, Pauling and Koltun: carbon dark,
/// oxygen red, nitrogen blue, and one colour for each group of similar elements.
pub(super) fn color(symbol: &str) -> [f32; 3] {
    match symbol {
        "H" => [0.95, 0.95, 0.95],
        "C" => [0.40, 0.40, 0.42],
        "N" => [0.19, 0.31, 0.97],
        "O" => [0.93, 0.10, 0.10],
        "F" | "Cl" => [0.12, 0.85, 0.16],
        "Br" => [0.60, 0.16, 0.08],
        "I" | "At" => [0.42, 0.05, 0.68],
        "P" => [1.00, 0.55, 0.05],
        "S" => [0.96, 0.84, 0.18],
        "B" => [1.00, 0.70, 0.55],
        "Si" => [0.86, 0.76, 0.60],
        "Se" => [0.95, 0.62, 0.14],
        "He" | "Ne" | "Ar" | "Kr" | "Xe" | "Rn" => [0.25, 0.90, 0.92],
        "Li" | "Na" | "K" | "Rb" | "Cs" | "Fr" => [0.52, 0.22, 0.92],
        "Be" | "Mg" | "Ca" | "Sr" | "Ba" | "Ra" => [0.10, 0.52, 0.12],
        "Ti" | "Al" => [0.66, 0.67, 0.70],
        "Fe" => [0.87, 0.44, 0.10],
        "Cu" => [0.78, 0.50, 0.22],
        "Zn" => [0.49, 0.51, 0.70],
        "Ag" => [0.76, 0.76, 0.78],
        "Au" => [1.00, 0.80, 0.20],
        _ => [0.86, 0.40, 0.72],
    }
}
