//! Scenes and rays to measure: random ones with a documented rule, or files.
//!
//! A random scene has alternating spheres, capped cylinders and oriented boxes in a cube of side
//! 100. It is the same in every run and with any number of threads.

use crate::Failure;
use crate::numbers::count;
use crate::rays::plain_rays;
use fastrand::Rng;
use rayon::prelude::*;
use raytwin::camera::{Camera, Projection, View};
use raytwin::glam::{DQuat, DVec3, DVec4, Vec4Swizzles};
use raytwin::ray::Ray;
use raytwin::scene::Scene;
use raytwin::shapes::{Cuboid, Cylinder, Sphere};
use std::f64::consts::TAU;
use std::path::PathBuf;

/// The distance from the middle of the cube to its sides.
const HALF_SIDE: f64 = 50.0;
/// The largest number of shapes whose tree and records fit into memory and can be numbered.
const MOST_SHAPES: usize = 20_000_000;
const SCENE_SEED: u64 = 42;
const RAYS_SEED: u64 = 43;
const INCOHERENT_RAYS: usize = 1_000_000;
/// The size of the image with the coherent rays.
const IMAGE_SIZE: (u32, u32) = (1024, 768);

/// A scene to cast rays into.
#[derive(Clone, Debug)]
pub enum SceneSource {
    /// Random shapes.
    Workload(Workload),
    /// A scene file, as for other commands.
    File(PathBuf),
}

/// The rule for the size of random shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Density {
    /// The mean distance of a ray to its hit is the same for any number of shapes.
    Moderate,
    /// Shapes fill the same share of the cube for any number of them.
    Dense,
}

/// A number of random shapes, and the rule for their size.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    density: Density,
    shapes: usize,
}

/// Rays to cast.
#[derive(Clone, Debug)]
pub enum RaySource {
    /// Rays that start anywhere in the cube and go in any direction.
    Incoherent,
    /// The rays of an image of the cube, row by row.
    Coherent,
    /// A ray file, as for `query`.
    File(PathBuf),
}

impl SceneSource {
    /// Reads the value of `--scene`: the name of a workload, or the name of a file with its
    /// extension.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(workload) = Workload::named(text) {
            return Ok(Self::Workload(workload));
        }
        file(text).map(Self::File).ok_or_else(|| {
            format!("'{text}' must be w1m_N (N shapes of moderate size), w1d_N (dense), N from 1 to {MOST_SHAPES}, or a scene file")
        })
    }
}

impl std::fmt::Display for SceneSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Workload(Workload { density: Density::Moderate, shapes }) => {
                write!(f, "w1m_{shapes}")
            }
            Self::Workload(Workload { density: Density::Dense, shapes }) => {
                write!(f, "w1d_{shapes}")
            }
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl RaySource {
    /// Reads the value of `--rays`: `inc`, `coh`, or the name of a file with its extension.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "inc" => Ok(Self::Incoherent),
            "coh" => Ok(Self::Coherent),
            _ => file(text).map(Self::File).ok_or_else(|| {
                format!("'{text}' must be inc (random rays), coh (an image's rays), or a ray file")
            }),
        }
    }

    /// Makes or reads the rays.
    pub fn rays(&self) -> Result<Vec<Ray>, Failure> {
        match self {
            Self::Incoherent => Ok(incoherent()),
            Self::Coherent => coherent(),
            Self::File(path) => plain_rays(path, DVec3::ZERO),
        }
    }
}

impl std::fmt::Display for RaySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Incoherent => f.write_str("inc"),
            Self::Coherent => f.write_str("coh"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// Reads a name with an extension as that of a file, because no workload has one. A missing file is
/// an error when it is opened.
fn file(text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text);
    path.extension().is_some().then_some(path)
}

impl Workload {
    fn named(text: &str) -> Option<Self> {
        let (density, shapes) = match text.split_at_checked(4)? {
            ("w1m_", shapes) => (Density::Moderate, shapes),
            ("w1d_", shapes) => (Density::Dense, shapes),
            _ => return None,
        };
        let shapes = count(shapes).ok().filter(|shapes| (1..=MOST_SHAPES).contains(shapes))?;
        Some(Self { density, shapes })
    }

    /// Returns the radius of a sphere whose random factor is 1.
    fn radius(&self) -> f64 {
        let shapes = self.shapes as f64;
        match self.density {
            Density::Moderate => 0.564 * 2.0 * HALF_SIDE / shapes.sqrt(),
            Density::Dense => 0.5 * 2.0 * HALF_SIDE / shapes.cbrt(),
        }
    }

    pub fn scene(&self) -> Result<Scene, Failure> {
        let rng = &mut Rng::with_seed(SCENE_SEED);
        let radius = self.radius();
        let mut scene = Scene::new();
        for index in 0..self.shapes {
            let center = in_cube(rng);
            let rotation = DQuat::from_vec4(normal(rng).normalize());
            let factors = DVec3::new(rng.f64(), rng.f64(), rng.f64()) + 0.5;
            let added = match index % 3 {
                0 => scene.add(Sphere { center, radius: radius * factors.x }),
                1 => {
                    let half = rotation * DVec3::Z * radius * factors.z;
                    let side_radius = 0.7 * radius * factors.x;
                    scene.add(Cylinder::solid(center - half, center + half, side_radius))
                }
                _ => scene.add(Cuboid { center, half_extents: 0.7 * radius * factors, rotation }),
            };
            added.map_err(|shape_error| Failure::input(format!("shape {index}: {shape_error}")))?;
        }
        Ok(scene)
    }
}

fn in_cube(rng: &mut Rng) -> DVec3 {
    HALF_SIDE * (2.0 * DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 1.0)
}

/// Draws four numbers from the normal distribution with the Box–Muller transform. Their direction
/// is uniformly distributed.
fn normal(rng: &mut Rng) -> DVec4 {
    let mut pair = || {
        let (sin, cos) = (TAU * rng.f64()).sin_cos();
        // A random number may be 0, but not 1, so the logarithm is finite.
        let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
        (radius * cos, radius * sin)
    };
    let ((x, y), (z, w)) = (pair(), pair());
    DVec4::new(x, y, z, w)
}

fn incoherent() -> Vec<Ray> {
    let rng = &mut Rng::with_seed(RAYS_SEED);
    let mut ray = || {
        let origin = in_cube(rng).as_vec3();
        Ray::new(origin, normal(rng).xyz().normalize().as_vec3())
    };
    (0..INCOHERENT_RAYS).map(|_| ray()).collect()
}

fn coherent() -> Result<Vec<Ray>, Failure> {
    let eye = DVec3::new(150.0, 110.0, 90.0);
    let projection = Projection::Perspective { fov_y_degrees: 24.0 };
    let camera = Camera::look_at("coh".to_owned(), eye, DVec3::ZERO, DVec3::Z, projection)?;
    let view = View::new(camera, IMAGE_SIZE.0, IMAGE_SIZE.1)?;
    Ok((0..view.pixels()).into_par_iter().map(|pixel| view.ray(pixel)).collect())
}

#[cfg(test)]
mod tests;
