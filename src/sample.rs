//! Sampling: rays that are made from a seed and their numbers, and sums over their answers. Neither
//! rays nor answers are stored or copied from a device.
//!
//! Ray number i depends only on the seed and i, so a run can be split into ranges of numbers. The
//! [tallies](Tally) of the parts add up to the tally of the whole, to the bit, because all sums are
//! of integers.
//!
//! ```
//! use raytwin::glam::DVec3;
//! use raytwin::{DeviceChoice, RayGenerator, Sampler, Scene, Sphere, Tracer};
//!
//! let mut scene = Scene::new();
//! scene.add(Sphere { center: DVec3::new(0.5, 0.0, 0.0), radius: 0.5 })?;
//! scene.add(Sphere { center: DVec3::new(-0.5, 0.0, 0.0), radius: 0.25 })?;
//! let lines = RayGenerator::lines_through(&scene);
//! let sampler = Sampler::new(&scene, lines, 7)?.with_paths();
//! let tracer = DeviceChoice::Cpu.tracer(scene)?;
//!
//! let whole = tracer.sample(&sampler, 0..20_000)?;
//! let mut parts = tracer.sample(&sampler, 0..5_000)?;
//! parts.add(&tracer.sample(&sampler, 5_000..20_000)?)?;
//! assert_eq!(parts, whole);
//! // The mean path of uniform lines through a solid gives its volume.
//! let [volume, error] = whole.volume(0).expect("the lines cross the whole scene");
//! assert!((volume - 4.0 / 3.0 * std::f64::consts::PI / 8.0).abs() < 4.0 * error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fixed;
mod generator;
mod json;
mod reduce;
mod region;
mod sampler;
mod tally;

pub use error::{SampleError, TallyError};
pub(crate) use generator::NormalFrame;
pub use generator::RayGenerator;
pub use sampler::Sampler;
pub use tally::Tally;
