//! A device's arithmetic in words and for summaries, for `devices --check` and `diff`.

use super::summary::{ArithmeticSummary, RoundingSummary};
use raytwin::gpu::{Arithmetic, Fusion, Rounding};

/// Returns the arithmetic for a summary.
pub(super) fn summary(arithmetic: &Arithmetic) -> ArithmeticSummary {
    let rounding =
        |of: Rounding| RoundingSummary { worst_u: of.worst_u, is_correct: of.is_correct };
    let fusion = |of: Fusion| match of {
        Fusion::Never => "never",
        Fusion::Always => "always",
        _ => "sometimes",
    };
    ArithmeticSummary {
        quotients: rounding(arithmetic.quotients),
        roots: rounding(arithmetic.roots),
        sums: rounding(arithmetic.sums),
        products: rounding(arithmetic.products),
        fuses_products_with_sums: fusion(arithmetic.products_with_sums),
        fuses_fma: fusion(arithmetic.fma),
        keeps_subnormals: arithmetic.keeps_subnormals,
        keeps_barriers: arithmetic.keeps_barriers,
        keeps_promises: arithmetic.keeps_promises(),
    }
}

/// Describes the arithmetic in lines.
pub(super) fn lines(arithmetic: &Arithmetic) -> [String; 4] {
    let rounding = |of: Rounding| match of.is_correct {
        true => "rounded correctly".to_owned(),
        false => format!("off by up to {:.2} u", of.worst_u),
    };
    let fusion = |of: Fusion| match of {
        Fusion::Never => "is not fused",
        Fusion::Always => "is fused",
        _ => "is fused in part",
    };
    let kept = |is_kept| if is_kept { "kept" } else { "not kept" };
    let subnormals = if arithmetic.keeps_subnormals { "kept" } else { "flushed to zero" };
    [
        format!(
            "quotients {}, roots {}, sums {}, products {}",
            rounding(arithmetic.quotients),
            rounding(arithmetic.roots),
            rounding(arithmetic.sums),
            rounding(arithmetic.products)
        ),
        format!(
            "a product with a sum {}, fma {}",
            fusion(arithmetic.products_with_sums),
            fusion(arithmetic.fma)
        ),
        format!(
            "subnormal numbers are {subnormals}, barriers against fusing are {}",
            kept(arithmetic.keeps_barriers)
        ),
        match arithmetic.keeps_promises() {
            true => "the promised precision holds".to_owned(),
            false => "THE PROMISED PRECISION DOES NOT HOLD: cast on another device".to_owned(),
        },
    ]
}
