//! Judges answers of any device or program against the bound that raytwin promises.
//!
//! u = 2⁻²⁴. D is the distance from the ray's origin to the shape's centre, and R is the shape's
//! bounding radius. For a mesh, both are those of the triangle; for a heightfield, those of the
//! whole field. cos is the cosine between the ray and the normal at the hit. The `t` of an answer
//! may be off by K u (D + R + |t||d|) / |cos| with K = 8, for a torus 64. A wrong hit, miss or id
//! is allowed only if moving every surface by δ = 16 u max(D, R) could flip the exact answer. For a
//! torus, δ is 128 u max(D, R), and for a plane 16 u (D + |t||d|).
//!
//! A [`Judge`] computes the *zones* of each primitive: the stretches of the ray where it may be
//! crossed, where it surely is crossed, and where the ray is surely inside, if the surface may be
//! anywhere within δ. A surface of many triangles is also treated as a whole: both sides of an
//! inner edge move alike, so a ray there can miss it only near an outline. A [`SurfaceTolerance`]
//! replaces δ and the bound where it is wider.
//!
//! [`faults`] lists deliberate faults of the GPU engine, and [`self_test`] plants each of them.
//! [`proof`] asks a GPU questions whose answers have the same hash on every device. [`reports`]
//! writes the results of a comparison.

pub mod aim;
mod class;
mod clues;
mod distance_errors;
#[cfg(feature = "gpu")]
pub mod faults;
mod given_parts;
mod judge;
mod misses;
mod needed_tolerance;
mod nudge;
mod number_set;
mod outcome;
mod probe;
#[cfg(feature = "gpu")]
pub mod proof;
mod question_choice;
mod rates;
pub mod reports;
mod seeded;
#[cfg(feature = "gpu")]
pub mod self_test;
mod surface_tolerance;
mod verdict;
mod verdict_counts;
mod world_images;

pub use class::{CAMERA, Class, K};
pub use clues::Clues;
pub use distance_errors::DistanceErrors;
pub use given_parts::GivenParts;
pub use judge::Judge;
pub use misses::Misses;
pub use needed_tolerance::NeededTolerances;
pub use nudge::nudged;
pub use number_set::NumberSet;
pub use outcome::{ComparedPart, JudgedImage, Limits, Outcome};
pub use probe::Probe;
pub use question_choice::QuestionChoice;
pub use rates::{Bias, Rate, Rates};
pub use seeded::{ray_questions, seeded_points};
pub use surface_tolerance::SurfaceTolerance;
pub use verdict::{Answer, Cause, PartialHit, Verdict};
pub use verdict_counts::{Histogram, Row, VerdictCounts, Worst};

use raytwin::math::U;
use raytwin::parallel::{RAYS_A_TASK, mapped};
use raytwin::ray::Ray;
use raytwin::sample::Sampler;
use raytwin::scan::Views;

/// Returns the largest error of a component of the rays that a tracer generated for images from
/// pixel `first` on, in units of u. The error of a unit direction is absolute. The error of an
/// origin is relative to the largest length that it is made of: the eye's coordinates and the
/// extent of the image plane.
pub fn camera_error(views: &Views, first: usize, rays: &[Ray]) -> f64 {
    let error = |index: usize| {
        let ray = &rays[index];
        let exact = views.line(first + index);
        let eye = views.place(first + index).eye;
        let generated = ray.line();
        if ray.t_min != 0.0 || ray.t_max != f32::INFINITY {
            return f64::INFINITY;
        }
        let aside = (exact.origin - eye).length();
        let size = eye.abs().max_element().max(aside);
        let origin =
            (generated.origin - exact.origin).abs().max_element() / size.max(f64::MIN_POSITIVE);
        let direction = (generated.direction - exact.direction).abs().max_element();
        origin.max(direction) / U
    };
    // A NaN must win.
    mapped(rays.len(), RAYS_A_TASK, error).into_iter().fold(0.0, |a, b| if b <= a { a } else { b })
}

/// Returns the largest error of a component of the rays of a sampler that a tracer generated from
/// number `first` on, in units of u. The error of a unit direction is absolute. The error of an
/// origin is relative to the largest length that it is made of: the coordinates and the extent of
/// the region where rays start.
pub fn sampler_error(sampler: &Sampler, first: u64, rays: &[Ray]) -> f64 {
    let size = sampler.generator().size_of_starts().max(f64::MIN_POSITIVE);
    (first..)
        .zip(rays)
        .map(|(number, ray)| {
            let (exact, generated) = (sampler.line(number), ray.line());
            if [ray.t_min, ray.t_max] != sampler.interval() {
                return f64::INFINITY;
            }
            let origin = (generated.origin - exact.origin).abs().max_element() / size;
            let direction = (generated.direction - exact.direction).abs().max_element();
            origin.max(direction) / U
        })
        // A NaN must win.
        .fold(0.0, |a, b| if b <= a { a } else { b })
}

/// The program of the readme compiles as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
