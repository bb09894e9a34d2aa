//! A device's arithmetic as an object for files and programs, and in words.

use raytwin::gpu::{Arithmetic, Fusion, Rounding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The arithmetic of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArithmeticSummary {
    /// The rounding of quotients.
    pub quotients: RoundingSummary,
    /// The rounding of square roots.
    pub roots: RoundingSummary,
    /// The rounding of sums.
    pub sums: RoundingSummary,
    /// The rounding of products.
    pub products: RoundingSummary,
    /// Whether a product is fused with a sum: never, always or sometimes.
    pub fuses_products_with_sums: Cow<'static, str>,
    /// Whether `fma` is fused: never, always or sometimes.
    pub fuses_fma: Cow<'static, str>,
    /// True if a product that is subnormal is not flushed to zero.
    pub keeps_subnormals: bool,
    /// True if the driver does not fuse products that the shaders keep apart.
    pub keeps_barriers: bool,
    /// True if the promised precision holds.
    pub keeps_promises: bool,
}

/// The rounding of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundingSummary {
    /// The largest error, in units of 2^-24 of the result.
    pub worst_u: f64,
    /// True if every result is the number nearest to the exact one.
    pub is_correct: bool,
}

impl From<&Arithmetic> for ArithmeticSummary {
    fn from(arithmetic: &Arithmetic) -> Self {
        let rounding =
            |of: Rounding| RoundingSummary { worst_u: of.worst_u, is_correct: of.is_correct };
        let fusion = |of: Fusion| {
            Cow::from(match of {
                Fusion::Never => "never",
                Fusion::Always => "always",
                Fusion::Sometimes => "sometimes",
            })
        };
        Self {
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
}

impl ArithmeticSummary {
    /// Describes the arithmetic in lines.
    pub fn lines(&self) -> [String; 4] {
        let rounding = |of: &RoundingSummary| match of.is_correct {
            true => "rounded correctly".to_owned(),
            false => format!("off by up to {:.2} u", of.worst_u),
        };
        let fusion = |of: &str| match of {
            "never" => "is not fused",
            "always" => "is fused",
            _ => "is fused in part",
        };
        let kept = |is_kept| if is_kept { "kept" } else { "not kept" };
        let subnormals = if self.keeps_subnormals { "kept" } else { "flushed to zero" };
        [
            format!(
                "quotients {}, roots {}, sums {}, products {}",
                rounding(&self.quotients),
                rounding(&self.roots),
                rounding(&self.sums),
                rounding(&self.products)
            ),
            format!(
                "a product with a sum {}, fma {}",
                fusion(&self.fuses_products_with_sums),
                fusion(&self.fuses_fma)
            ),
            format!(
                "subnormal numbers are {subnormals}, barriers against fusing are {}",
                kept(self.keeps_barriers)
            ),
            match self.keeps_promises {
                true => "the promised precision holds".to_owned(),
                false => "THE PROMISED PRECISION DOES NOT HOLD: cast on another device".to_owned(),
            },
        ]
    }
}
