//! What is cast at and with: shapes and rays at random, after rules known to others who measure, or files.
//!
//! A scene holds spheres, capped cylinders and oriented boxes by turns, in a cube of side 100. Nothing depends on
//! the run or on the number of threads.

use crate::Failure;
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

/// From the middle of the cube to its sides.
const REACH: f64 = 50.0;
/// What can still be numbered and held.
const MOST_SHAPES: usize = 20_000_000;
const SCENE_SEED: u64 = 42;
const RAYS_SEED: u64 = 43;
const INCOHERENT_RAYS: usize = 1_000_000;
/// Of the coherent rays' image.
const SIZE: (u32, u32) = (1024, 768);

/// A scene to cast at.
#[derive(Clone, Debug)]
pub enum SceneSource {
    /// Random shapes.
    Workload(Workload),
    /// As other commands read it.
    File(PathBuf),
}

/// How large random shapes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// A ray goes about as far before it hits something, however many shapes there are.
    Moderate,
    /// Shapes fill the same part of the cube, however many there are.
    Dense,
}

/// Random shapes, so many and so large.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    size: Size,
    shapes: usize,
}

/// Rays to cast.
#[derive(Clone, Debug)]
pub enum RaySource {
    /// From anywhere in the cube to anywhere.
    Incoherent,
    /// Of an image of the cube, row by row.
    Coherent,
    /// As `query` reads it.
    File(PathBuf),
}

impl SceneSource {
    /// Reads what `--scene` says: a workload's name, or a file's with its ending.
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
            Self::Workload(Workload { size: Size::Moderate, shapes }) => write!(f, "w1m_{shapes}"),
            Self::Workload(Workload { size: Size::Dense, shapes }) => write!(f, "w1d_{shapes}"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl RaySource {
    /// Reads what `--rays` says: `inc`, `coh`, or a file's name with its ending.
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
            Self::File(path) => plain_rays(path),
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

/// A name with an ending, which no workload has; that there is no such file is said when it is opened.
fn file(text: &str) -> Option<PathBuf> {
    let path = PathBuf::from(text);
    path.extension().is_some().then_some(path)
}

impl Workload {
    fn named(text: &str) -> Option<Self> {
        let (size, shapes) = match text.split_at_checked(4)? {
            ("w1m_", shapes) => (Size::Moderate, shapes),
            ("w1d_", shapes) => (Size::Dense, shapes),
            _ => return None,
        };
        let shapes = shapes.parse().ok().filter(|shapes| (1..=MOST_SHAPES).contains(shapes))?;
        Some(Self { size, shapes })
    }

    /// The radius of a sphere whose factor is 1.
    fn radius(&self) -> f64 {
        let shapes = self.shapes as f64;
        match self.size {
            Size::Moderate => 0.564 * 2.0 * REACH / shapes.sqrt(),
            Size::Dense => 0.5 * 2.0 * REACH / shapes.cbrt(),
        }
    }

    /// The scene.
    pub fn scene(&self) -> Result<Scene, Failure> {
        let rng = &mut Rng::with_seed(SCENE_SEED);
        let radius = self.radius();
        let mut scene = Scene::new();
        for turn in 0..self.shapes {
            let center = in_cube(rng);
            let rotation = DQuat::from_vec4(normal(rng).normalize());
            let factors = DVec3::new(rng.f64(), rng.f64(), rng.f64()) + 0.5;
            let added = match turn % 3 {
                0 => scene.add(Sphere { center, radius: radius * factors.x }),
                1 => {
                    let half = rotation * DVec3::Z * radius * factors.z;
                    let side = 0.7 * radius * factors.x;
                    scene.add(Cylinder::solid(center - half, center + half, side))
                }
                _ => scene.add(Cuboid { center, half_extents: 0.7 * radius * factors, rotation }),
            };
            added.map_err(|shape_error| Failure::input(format!("shape {turn}: {shape_error}")))?;
        }
        Ok(scene)
    }
}

fn in_cube(rng: &mut Rng) -> DVec3 {
    REACH * (2.0 * DVec3::new(rng.f64(), rng.f64(), rng.f64()) - 1.0)
}

/// Four numbers of the normal distribution, by Box and Muller: their direction is as likely as any other.
fn normal(rng: &mut Rng) -> DVec4 {
    let mut pair = || {
        let (sin, cos) = (TAU * rng.f64()).sin_cos();
        // The logarithm of 0 is not asked for: a random number may be 0, but not 1.
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
    let view = View::new(camera, SIZE.0, SIZE.1)?;
    Ok((0..view.pixels()).into_par_iter().map(|pixel| view.ray(pixel)).collect())
}

#[cfg(test)]
mod tests;
