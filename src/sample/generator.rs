//! Rays from random numbers, in float64. `shaders/sample/generate.wgsl` makes the same rays with
//! integers.

use super::error::SampleError;
use crate::math::Bounds;
use crate::ray::{Line, MAX_COORDINATE};
use crate::scan::PosedView;
use crate::scene::Scene;
use glam::DVec3;
use std::f64::consts::TAU;

/// The way in which rays are made from random numbers. All rays have directions of unit length, so
/// `t` is a distance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RayGenerator {
    /// Rays from points that are uniform in a box, in uniform directions.
    InBox {
        /// The lowest corner.
        min: DVec3,
        /// The highest corner. If it equals the lowest corner, all rays start there.
        max: DVec3,
    },
    /// Uniform, isotropic lines through a sphere: rays that start uniformly on its surface and go
    /// inwards by the cosine law. Their mean path through a solid inside is the solid's volume
    /// divided by πR², the area of the sphere's disc (Cauchy, Crofton).
    Lines {
        /// The centre.
        center: DVec3,
        /// The radius.
        radius: f64,
    },
    /// Rays that start uniformly on a round patch and go out about its normal by the cosine law, as
    /// from a light or a detector.
    Patch {
        /// The middle of the patch.
        center: DVec3,
        /// The normal of the patch, of any length.
        normal: DVec3,
        /// The radius of the patch. If it is 0, all rays start in the middle.
        radius: f64,
    },
    /// The rays of images: the pixels of each view, row by row, one view after the other. The seed
    /// has no effect.
    Views(Vec<PosedView>),
}

/// The random numbers of a ray.
pub(super) type Words = [u32; 8];

/// A unit vector and two that are orthogonal to it and to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormalFrame {
    pub normal: DVec3,
    pub first: DVec3,
    pub second: DVec3,
}

impl NormalFrame {
    /// Returns the frame of a checked normal.
    pub fn about(normal: DVec3) -> Self {
        let normal = normal.normalize_or(DVec3::Z);
        let first = normal.any_orthonormal_vector();
        Self { normal, first, second: normal.cross(first) }
    }
}

/// Returns the share of a random number: an odd multiple of 2^-32, so that it is neither 0 nor 1,
/// and as likely as 1 less it.
fn share(word: u32) -> f64 {
    f64::from(word | 1) / 4_294_967_296.0
}

/// Returns the cosine and the sine of a random angle: the middle of one of 2^32 parts of a turn.
fn turn(word: u32) -> [f64; 2] {
    let angle = TAU * ((f64::from(word) + 0.5) / 4_294_967_296.0);
    [libm::cos(angle), libm::sin(angle)]
}

/// Returns the frame of a direction that is uniform on the sphere (Archimedes): its height is
/// uniform.
fn isotropic(height: u32, around: u32) -> NormalFrame {
    let share = share(height);
    let z = 1.0 - 2.0 * share;
    let r = 2.0 * (share * (1.0 - share)).sqrt();
    let [cosine, sine] = turn(around);
    NormalFrame {
        normal: DVec3::new(r * cosine, r * sine, z),
        first: DVec3::new(-sine, cosine, 0.0),
        second: DVec3::new(-z * cosine, -z * sine, r),
    }
}

/// Returns a direction on the normal's side by the cosine law (Malley): its shadow is uniform on
/// the unit disc.
fn cosine_law(frame: &NormalFrame, shadow: u32, around: u32) -> DVec3 {
    let share = share(shadow);
    let [cosine, sine] = turn(around);
    (1.0 - share).sqrt() * frame.normal
        + share.sqrt() * (cosine * frame.first + sine * frame.second)
}

impl RayGenerator {
    /// Returns uniform lines through the smallest sphere around the box around a scene. Planes
    /// count as their points.
    pub fn lines_through(scene: &Scene) -> Self {
        let bounds = extent(scene);
        Self::Lines { center: bounds.center(), radius: bounds.radius() }
    }

    /// Returns rays from everywhere in the box around a scene. Planes count as their points.
    pub fn in_bounds_of(scene: &Scene) -> Self {
        let Bounds { min, max } = extent(scene);
        Self::InBox { min, max }
    }

    /// Returns it with its numbers rounded to float32, from which the rays are made. A sphere is
    /// rounded so that it still contains the original one.
    pub(super) fn rounded(self) -> Result<Self, SampleError> {
        Ok(match self {
            Self::InBox { min, max } => {
                let [min, max] = [point("the box's minimum", min)?, point("its maximum", max)?];
                if !min.cmple(max).all() {
                    let rule = "no coordinate may be below that of the minimum";
                    return Err(field("the box's maximum", max, rule));
                }
                Self::InBox { min, max }
            }
            Self::Lines { center, radius } => {
                let exact = center;
                let center = point("the sphere's centre", center)?;
                if !(radius > 0.0 && radius <= 1e9) {
                    let rule = "it must be above 0 and at most 1e9";
                    return Err(field("the sphere's radius", radius, rule));
                }
                let holding = radius + (exact - center).length();
                let nearest = holding as f32;
                let radius = if f64::from(nearest) < holding { nearest.next_up() } else { nearest };
                Self::Lines { center, radius: radius.into() }
            }
            Self::Patch { center, normal, radius } => {
                let center = point("the patch's centre", center)?;
                if !(0.0..=1e9).contains(&radius) {
                    return Err(field("the patch's radius", radius, "it must be from 0 to 1e9"));
                }
                if !normal.is_finite() || normal.length() < 1e-12 {
                    return Err(field(
                        "the patch's normal",
                        normal,
                        "its length must be at least 1e-12",
                    ));
                }
                Self::Patch { center, normal: normal.normalize(), radius: (radius as f32).into() }
            }
            Self::Views(views) => {
                let sizes: Vec<_> =
                    views.iter().map(|it| (it.view().width, it.view().height)).collect();
                match sizes.first() {
                    None => return Err(SampleError::Views("there are no views".to_owned())),
                    Some(first) => match sizes.iter().find(|size| *size != first) {
                        Some(other) => {
                            let text =
                                format!("there are views of {first:?} and of {other:?} pixels");
                            return Err(SampleError::Views(text));
                        }
                        None => Self::Views(views),
                    },
                }
            }
        })
    }

    /// Returns how many rays there are; `None` if there is no limit.
    pub fn ray_count(&self) -> Option<u64> {
        match self {
            Self::Views(views) => {
                let pixels = views.first().map_or(0, |view| view.view().pixels());
                Some(views.len() as u64 * pixels as u64)
            }
            _ => None,
        }
    }

    /// Returns the largest of the lengths from which the coordinates of the rays' starts are
    /// computed.
    pub fn size_of_starts(&self) -> f64 {
        let largest = |point: DVec3, extent: f64| point.abs().max_element().max(extent);
        match self {
            Self::InBox { min, max } => largest(*min, max.abs().max_element()),
            Self::Lines { center, radius } | Self::Patch { center, radius, .. } => {
                largest(*center, *radius)
            }
            Self::Views(views) => {
                let ends = views.iter().flat_map(PosedView::outermost_starts);
                ends.map(|start| largest(start, 0.0)).fold(0.0, f64::max)
            }
        }
    }

    pub(super) fn line(&self, number: u64, words: impl FnOnce() -> Words) -> Line {
        match self {
            Self::InBox { min, max } => {
                let [x, y, z, height, around, ..] = words();
                let shares = DVec3::new(share(x), share(y), share(z));
                let direction = isotropic(height, around).normal;
                Line { origin: *min + (*max - *min) * shares, direction }
            }
            Self::Lines { center, radius } => {
                let [height, around, shadow, about_normal, ..] = words();
                let NormalFrame { normal, first, second } = isotropic(height, around);
                let inwards = NormalFrame { normal: -normal, first, second };
                let direction = cosine_law(&inwards, shadow, about_normal);
                Line { origin: *center + *radius * normal, direction }
            }
            Self::Patch { center, normal, radius } => {
                let [place, about_center, shadow, about_normal, ..] = words();
                let frame = NormalFrame::about(*normal);
                let [cosine, sine] = turn(about_center);
                let aside = share(place).sqrt() * (cosine * frame.first + sine * frame.second);
                let direction = cosine_law(&frame, shadow, about_normal);
                Line { origin: *center + *radius * aside, direction }
            }
            Self::Views(views) => {
                let pixels = views.first().map_or(1, |view| view.view().pixels()) as u64;
                let view = &views[(number / pixels) as usize];
                view.line((number % pixels) as usize)
            }
        }
    }
}

/// Returns the bounds of a scene. They have some extent even if the scene has none.
fn extent(scene: &Scene) -> Bounds {
    let bounds = scene.bounds();
    match bounds.min.cmple(bounds.max).all() {
        false => Bounds::around(DVec3::ZERO, DVec3::ONE),
        true if bounds.radius() == 0.0 => Bounds::around(bounds.center(), DVec3::ONE),
        true => bounds,
    }
}

fn field(field: &'static str, value: impl ToString, rule: &'static str) -> SampleError {
    SampleError::Field { field, value: value.to_string(), rule }
}

/// Returns a point of float32 numbers.
fn point(what: &'static str, point: DVec3) -> Result<DVec3, SampleError> {
    if !(point.is_finite() && point.abs().max_element() <= f64::from(MAX_COORDINATE)) {
        return Err(field(what, point, "its coordinates must be numbers between -1e9 and 1e9"));
    }
    Ok(point.as_vec3().as_dvec3())
}
