//! A GPU raycaster for analytic shapes that verifies its own answers.
//!
//! ```
//! use raytwin::{DeviceChoice, Ray, Scene, Sphere, glam::DVec3};
//!
//! let mut scene = Scene::new();
//! scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
//! let tracer = DeviceChoice::Auto.tracer(scene)?;
//! let hits = tracer.cast(&[Ray::new([0.0; 3], [0.0, 0.0, 1.0])])?;
//! assert_eq!((hits.t_hit[0], hits.primitive_normals[0]), (4.0, [0.0, 0.0, -1.0]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Shapes
//!
//! [`Sphere`], [`Cuboid`] (an oriented box), [`Cylinder`] (solid or a tube), [`Capsule`], [`Cone`]
//! (or a frustum), [`Ellipsoid`], [`Torus`], [`Plane`], [`Disc`] (or an annulus) and [`Triangle`]
//! are intersected in closed form, without triangles. A [`Mesh`], [`Lines`] and a [`Heightfield`]
//! have many primitives each. [`Lines`] have a radius within which rays hit them. The formulas are
//! precise in float32, also far from a shape and far from the world's origin.
//!
//! # Jobs
//!
//! - **Cast rays.** [`Tracer::cast`] returns [`Hits`]: `t`, ids, normals and faces.
//!   [`Tracer::closest`], [`any`](Tracer::any), [`count`](Tracer::count) and [`all`](Tracer::all)
//!   answer a [`Batch`] of rays, which may have masks and ids to ignore. A batch treats solids as
//!   solid or as surfaces. [`Tracer::ask`] answers any kind of [`Query`], and [`Tracer::answer`]
//!   any [`Question`], also about images and points.
//! - **Render images.** A [`View`] is a [`Camera`] (perspective, pinhole, orthographic, or a
//!   panoramic lidar) with an image size. [`Tracer::render`] casts its rays, which the device
//!   generates, and an [`Image`] has the arrays of its pixels. [`image::Shading`] makes a picture
//!   for people.
//! - **Scan.** A [`PosedView`] is a view from a pose of a [`Trajectory`], such as the trajectory of
//!   a moving lidar that casts its columns one after another. A [`Carrier`] moves with the sensor.
//! - **Query points.** [`Tracer::points`] returns the solids that contain a point and the nearest
//!   surface. [`point_in_shape`] has the classic tests of one point against one shape.
//! - **Read and write files** with the crates that build on this one: `raytwin-files` reads and
//!   writes rays, points, answers, images and reports, and `raytwin-formats` reads and writes
//!   scenes, robots, meshes and molecules.
//! - **Verify** with the crate `raytwin-verify`, which checks answers against the float64
//!   reference: each `t` must be within an error bound, and each different hit must be possible if
//!   the surfaces move by that bound.
//!
//! # Tracers
//!
//! [`DeviceChoice`] makes a tracer in one call. For more control, pack the scene yourself: a
//! [`PackedScene`] is a [`Scene`] with the tree (bounding volume hierarchy) over it, which all its
//! tracers share. [`CpuTracer`] casts in float64 on all cores. It is the reference: it has its own
//! formulas, and reads the shapes' own fields and not the data packed for the GPU. `gpu::GpuTracer`
//! casts on a device: Vulkan, Metal, DirectX 12, or WebGPU. The examples `shared_device.rs` and
//! `resident_buffers.rs` use a device and buffers that your program already has.
//!
//! # Features
//!
//! `gpu` (default) is the wgpu engine. Without it, the library is the float64 tracer and the tree.

#![cfg_attr(
    not(feature = "gpu"),
    allow(
        dead_code,
        unused_imports,
        reason = "only the GPU engine uses packing and the sizes of batches"
    )
)]

#[cfg(feature = "gpu")]
mod arithmetic;
pub mod bvh;
pub mod camera;
#[cfg(feature = "gpu")]
pub mod canonical;
mod closest;

pub mod cpu;
pub mod crossings;
mod deprecated;
pub mod device;
pub mod fields;
mod fingerprint;
pub mod geometry;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(feature = "gpu")]
mod gpu_error;
pub mod image;
mod image_rows;
mod lanes;
pub mod lidar;
pub mod math;
pub mod overlaps;
pub mod packed;
#[doc(hidden)]
pub mod parallel;
mod philox;
pub mod placement;
pub mod point_in_shape;
mod prefetch;
pub mod query;
pub mod question;
pub mod ray;
pub mod sample;
pub mod scan;
pub mod scene;
pub mod shapes;
pub mod tracer;
pub mod transform;

/// The programs in the documentation's pages are compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/reference/queries.md")]
    struct Queries;

    #[doc = include_str!("../docs/reference/sampling.md")]
    struct Sampling;
}

pub use camera::{
    Camera, CameraError, Elevation, Panorama, Pose, Projection, RangeNoise, Sensor, View,
};
#[cfg(feature = "gpu")]
pub use canonical::CanonicalTracer;
pub use cpu::CpuTracer;
pub use device::{DeviceChoice, DeviceChoiceError, OpenError};
pub use fields::ShapeError;
pub use fingerprint::Fingerprint;
pub use geometry::{Geometry, Lines, Mesh};
pub use glam;
pub use image::Image;
pub use lidar::{Ground, Lidar, returns};
pub use packed::{PackError, PackedScene, Update, UpdateError};
pub use placement::Placement;
pub use query::{
    AllHits, Answers, Batch, BatchError, Containment, HitArrays, Hits, PathRule, PointAnswer,
    PointHit, Query, RaySource, Rays, SolidPaths,
};
pub use question::{Question, QuestionAnswers, QuestionKind, RayQuestion};
pub use ray::{Hit, NONE, Ray};
pub use sample::{RayGenerator, SampleError, Sampler, Tally, TallyError};
pub use scan::{
    Carrier, Flight, FlightError, Leg, PosedView, SweepStart, Trajectory, TrajectoryError, Views,
};
pub use scene::{Definition, Instance, Name, NodeId, Scene};
pub use shapes::{
    CappedSolid, Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Heightfield, Parts, Plane,
    Rectangle, Shape, Shell, Sphere, Torus, Triangle,
};
pub use tracer::{TraceError, Tracer};
pub use transform::{Affine, Transform};
