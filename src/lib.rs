//! A GPU raycaster for analytic shapes that proves its own answers.
//!
//! Spheres, oriented boxes and capped cylinders are not cut into triangles: their words go to a WGSL
//! compute shader, which solves them in closed form on any GPU that wgpu reaches, and back come, for
//! each ray, the distance and the shape that was met. The formulas are those that hold in float32 far
//! from a shape and far from the world's origin.
//!
//! Every answer can be held against a float64 twin on the CPU. The twin is not a transliteration: it has
//! formulas of its own and reads the shapes' own fields, not what was packed for the GPU. [`diff`] holds
//! each `t` to an error bound, and lets a different hit pass only where moving the surfaces by that
//! bound could flip it.
//!
//! A [`Scene`] holds shapes in world space, [`PackedScene`] the tree over them that both tracers walk and the
//! words that the GPU reads. A [`Tracer`] casts: [`CpuTracer`] in float64 on all cores, `GpuTracer`
//! (feature `gpu`) on a device. [`Hits`] and [`Image`] are the answers as arrays.
//!
//! ```
//! use raytwin::glam::DVec3;
//! use raytwin::{Batch, CpuTracer, Cylinder, Hits, PackedScene, Ray, Scene, Sphere, Tracer};
//!
//! let mut scene = Scene::new();
//! let ball = scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
//! scene.add(Cylinder::solid(DVec3::NEG_X, DVec3::X, 0.5))?;
//!
//! let packed = PackedScene::new(scene.clone())?;
//! let tracer = CpuTracer::new(&packed);
//! // t is in units of the direction's length, which need not be 1.
//! let rays = [
//!     Ray::new([0.0, 0.0, 1.0], [0.0, 0.0, 2.0]),
//!     Ray::new([0.0, 0.0, 1.0], [0.0, 0.0, 2.0]).within(2.0, f32::INFINITY),
//!     Ray::new([9.0, 0.0, 1.0], [0.0, 0.0, 2.0]),
//! ];
//! let batch = Batch::new(&rays);
//! let hits = Hits::new(&scene, batch, &tracer.closest(batch)?);
//!
//! assert_eq!(hits.t_hit, [1.5, 2.5, f32::INFINITY]);
//! assert_eq!(hits.geometry_ids, [ball, ball, raytwin::NONE]);
//! assert_eq!(hits.primitive_normals[0], [0.0, 0.0, -1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `gpu` (default) is the wgpu engine. `io` (default) reads scenes, robots and meshes, and reads and writes rays, points
//! and answers in NumPy's formats; two features add to it: `parquet` (rays and answers as columns) and `images` (rendered
//! files, and heights from pictures). Without any, the library is the float64 tracer, the tree and the judge.

pub mod bvh;
pub mod camera;
mod closest;
pub mod cpu;
pub mod crossings;
pub mod device;
pub mod diff;
pub mod fields;
pub mod geometry;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod image;
#[cfg(feature = "io")]
pub mod import;
#[cfg(feature = "io")]
pub mod io;
pub mod math;
pub mod packed;
pub mod point_in_shape;
pub mod query;
pub mod ray;
pub mod scene;
pub mod shapes;
pub mod tracer;

/// The programs in the documentation's pages are compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/queries.md")]
    struct Queries;
}

pub use camera::{Camera, CameraError, Elevation, Panorama, Projection, View};
pub use cpu::CpuTracer;
pub use device::{DeviceChoice, OpenError};
pub use fields::ShapeError;
pub use geometry::{Geometry, Lines, Mesh};
pub use glam;
pub use image::Image;
#[cfg(feature = "io")]
pub use io::FileError;
pub use packed::{PackError, PackedScene};
pub use query::{
    AllHits, Answers, Batch, BatchError, Hits, PointAnswer, PointHit, Query, TracedAnswers,
};
pub use ray::{Hit, NONE, Ray};
pub use scene::{Name, Scene};
pub use shapes::{
    Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Heightfield, Plane, Shape, Sphere, Torus,
    Triangle,
};
pub use tracer::{TraceError, Tracer};
