//! A GPU raycaster for analytic shapes, with a float64 twin on the CPU that proves its answers.

pub mod bvh;
pub mod camera;
#[cfg(feature = "cli")]
pub mod cli;
pub mod cpu;
pub mod diff;
pub mod fields;
pub mod files;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod image;
pub mod import;
pub mod math;
#[cfg(feature = "npz")]
mod npz;
pub mod packed;
pub mod ray;
#[cfg(feature = "npz")]
pub mod rays;
pub mod scene;
pub mod shapes;
pub mod tracer;

pub use camera::{Camera, CameraError, Projection, View};
pub use cpu::CpuTracer;
pub use fields::Refusal;
pub use files::FileError;
pub use glam;
pub use image::Image;
pub use packed::{PackError, Packed};
pub use ray::{Hit, NONE, Ray};
pub use scene::Scene;
pub use shapes::{Cuboid, Cylinder, Shape, Sphere};
pub use tracer::{Hits, TraceError, Tracer};
