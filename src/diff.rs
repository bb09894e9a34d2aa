//! Judges answers, wherever they came from: each is held, one by one, to the precision promise.
//!
//! u = 2⁻²⁴; D is the distance from the ray's origin to the shape's centre, R its bounding radius (of a
//! mesh those of the triangle, of a heightfield those of the whole), and cos the cosine between the ray and the
//! normal at the hit. An answer's `t` may err by K u (D + R + |t||d|) / |cos| with K = 8, for a torus 64. A wrong
//! hit, miss or id is allowed only where moving every surface by δ = 16 u max(D, R) could flip the exact
//! answer; for a torus 128 u, for a plane 16 u (D + |t||d|).
//!
//! A [`Judge`] asks each shape for its *zones*: the stretches of the ray where it may be crossed, where it surely is,
//! and where the ray is surely inside, if its surface lies anywhere within δ. A surface of many triangles is also
//! taken as a whole: along an inner edge both sides move alike, so there it is missed only beside an outline.

#[cfg(feature = "images")]
mod files;
mod judge;
mod report;

#[cfg(feature = "images")]
pub use files::write_report;

pub use judge::{Judge, Verdict};
pub use report::{Report, Row, Worst};

use crate::camera::View;
use crate::math::U;
use crate::ray::{Hit, Ray};
use rayon::prelude::*;

/// Of the bound on `t`.
pub const K: f64 = 8.0;
/// A camera's ray may err by this many u in each component.
pub const CAMERA: f64 = 4.0;

/// How an answer stands to the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The float64 answer, rounded to float32.
    Exact,
    /// The same geometry, with `t` inside the bound.
    Within,
    /// Another geometry at the same place, as far as the bound tells places apart.
    Tie,
    /// A ray that passes so close to an edge or an outline that it may hit or miss.
    Silhouette,
    /// A crossing at `t_min` or `t_max` that may lie inside or outside.
    Range,
    /// None of these: the answer is wrong.
    Mismatch,
}

impl Class {
    /// All of them, in the order of a report's columns.
    pub const ALL: [Self; 6] =
        [Self::Exact, Self::Within, Self::Tie, Self::Silhouette, Self::Range, Self::Mismatch];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Within => "within",
            Self::Tie => "tie",
            Self::Silhouette => "silhouette",
            Self::Range => "range",
            Self::Mismatch => "mismatch",
        }
    }
}

/// Judges a batch of answers in order.
pub fn judge_all(judge: &Judge<'_>, rays: &[Ray], hits: &[Hit]) -> Vec<Verdict> {
    rays.par_iter().zip(hits).map(|(ray, hit)| judge.judge(ray, hit)).collect()
}

/// Holds a batch of the CPU tracer's walks of the tree against asking every shape.
pub fn judge_walks(judge: &Judge<'_>, rays: &[Ray], hits: &[Hit]) -> Vec<Verdict> {
    rays.par_iter().zip(hits).map(|(ray, hit)| judge.judge_walk(ray, hit)).collect()
}

/// The largest error of a component of rays that a tracer generated for a view, from `first` pixel
/// on, in units of u: of unit directions as it is, of origins against the largest of the lengths that
/// make them up, the eye's coordinates and the reach of the image's plane.
pub fn camera_error(view: &View, first: usize, rays: &[Ray]) -> f64 {
    rays.par_iter()
        .enumerate()
        .map(|(index, ray)| {
            let exact = view.line(first + index);
            let own = ray.line();
            if ray.t_min != 0.0 || ray.t_max != f32::INFINITY {
                return f64::INFINITY;
            }
            let aside = (exact.origin - view.camera.eye).length();
            let size = view.camera.eye.abs().max_element().max(aside);
            let origin =
                (own.origin - exact.origin).abs().max_element() / size.max(f64::MIN_POSITIVE);
            let direction = (own.direction - exact.direction).abs().max_element();
            origin.max(direction) / U
        })
        // NaN must not pass for the smaller.
        .reduce(|| 0.0, |a, b| if b <= a { a } else { b })
}
