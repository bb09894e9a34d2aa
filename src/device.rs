//! The choice of a device, and a tracer on it.

use crate::cpu::CpuTracer;
#[cfg(feature = "gpu")]
use crate::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer};
use crate::packed::{PackError, PackedScene};
use crate::scene::Scene;
use crate::tracer::Tracer;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The device on which rays are cast.
///
/// It parses from a text: `"auto"`, `"cpu"`, `"gpu"` (any adapter, including a software one), or
/// part of an adapter's name.
///
/// ```
/// use raytwin::DeviceChoice;
///
/// assert_eq!("cpu".parse(), Ok(DeviceChoice::Cpu));
/// assert!("".parse::<DeviceChoice>().is_err());
/// ```
#[doc(alias("Device", "Backend", "Engine"))]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// A hardware GPU if there is one with room for the scene, otherwise the CPU.
    #[default]
    Auto,
    /// The float64 tracer, on all cores.
    Cpu,
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(AdapterChoice),
}

/// The error for a text that names no device. The message lists the valid texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct DeviceChoiceError(&'static str);

impl FromStr for DeviceChoice {
    type Err = DeviceChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            #[cfg(feature = "gpu")]
            "" => Err(DeviceChoiceError("give auto, gpu, cpu or part of an adapter's name")),
            #[cfg(feature = "gpu")]
            "gpu" => Ok(Self::Gpu(AdapterChoice::Any)),
            #[cfg(feature = "gpu")]
            name => Ok(Self::Gpu(AdapterChoice::Named(name.to_owned()))),
            #[cfg(not(feature = "gpu"))]
            _ => Err(DeviceChoiceError(
                "give auto or cpu, because this library was built without the feature gpu",
            )),
        }
    }
}

/// The reason why no tracer could be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The scene is too large.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// There is no such GPU, or it has no room for the scene.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The tracer that [`DeviceChoice::Auto`] makes.
#[cfg(feature = "gpu")]
#[derive(Debug)]
pub enum AutoTracer {
    /// A tracer on a hardware GPU.
    Gpu(Box<GpuTracer>),
    /// A tracer on the CPU, and the reason why no GPU is used.
    Cpu(Box<CpuTracer>, GpuError),
}

#[cfg(feature = "gpu")]
impl AutoTracer {
    /// Makes a tracer on an opened hardware GPU, or on the CPU if there is no such GPU or it has no
    /// room for the scene.
    ///
    /// # Errors
    /// [`GpuError`], for any other error of a GPU.
    pub fn new(opened: Result<Gpu, GpuError>, packed: &PackedScene) -> Result<Self, GpuError> {
        match opened.and_then(|gpu| GpuTracer::new(&gpu, packed)) {
            Ok(tracer) => Ok(Self::Gpu(Box::new(tracer))),
            Err(error) if lets_the_cpu_take_over(&error) => {
                Ok(Self::Cpu(Box::new(CpuTracer::new(packed)), error))
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns true if there is no GPU or it has no room. Any other error must be reported.
#[cfg(feature = "gpu")]
fn lets_the_cpu_take_over(error: &GpuError) -> bool {
    matches!(
        error,
        GpuError::NoAdapter { .. }
            | GpuError::NoDevice { .. }
            | GpuError::TooLarge { .. }
            | GpuError::OutOfMemory(_)
    )
}

impl DeviceChoice {
    /// Builds the tree over a scene, opens the GPU at the same time, and makes a tracer for the
    /// scene.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn tracer(&self, scene: impl Into<Arc<Scene>>) -> Result<Box<dyn Tracer>, OpenError> {
        self.tracer_of(|| PackedScene::new(scene))
    }

    /// Makes a tracer for a packed scene.
    ///
    /// # Errors
    /// [`OpenError::Gpu`], if there is no such GPU, if it has no room for the scene or if it fails.
    pub fn tracer_for(&self, packed: &PackedScene) -> Result<Box<dyn Tracer>, OpenError> {
        self.tracer_of(|| Ok(packed.clone()))
    }

    fn tracer_of(
        &self,
        pack: impl FnOnce() -> Result<PackedScene, PackError>,
    ) -> Result<Box<dyn Tracer>, OpenError> {
        Ok(match self {
            #[cfg(feature = "gpu")]
            Self::Auto => {
                let (gpu, packed) = (Gpu::opening(&AdapterChoice::Hardware), pack()?);
                match AutoTracer::new(gpu.wait(), &packed)? {
                    AutoTracer::Gpu(tracer) => tracer,
                    AutoTracer::Cpu(tracer, _) => tracer,
                }
            }
            #[cfg(not(feature = "gpu"))]
            Self::Auto => Box::new(CpuTracer::new(&pack()?)),
            Self::Cpu => Box::new(CpuTracer::new(&pack()?)),
            #[cfg(feature = "gpu")]
            Self::Gpu(choice) => {
                let (gpu, packed) = (Gpu::opening(choice), pack()?);
                Box::new(GpuTracer::new(&gpu.wait()?, &packed)?)
            }
        })
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    #[test]
    fn a_text_chooses_a_device() {
        let named = DeviceChoice::Gpu(AdapterChoice::Named("llvmpipe".to_owned()));
        for (text, choice) in [
            ("auto", Ok(DeviceChoice::Auto)),
            (" cpu ", Ok(DeviceChoice::Cpu)),
            ("gpu", Ok(DeviceChoice::Gpu(AdapterChoice::Any))),
            ("llvmpipe", Ok(named)),
            (" ", Err("give auto, gpu, cpu or part of an adapter's name".to_owned())),
        ] {
            let parsed = text.parse::<DeviceChoice>().map_err(|error| error.to_string());
            assert_eq!(parsed, choice, "{text}");
        }
    }

    #[test]
    fn the_cpu_casts_if_a_gpu_has_no_room_and_not_if_it_fails() {
        let device = "a GPU".to_owned();
        let too_large =
            GpuError::TooLarge { what: "the shapes", needed: 7_000, allowed: 4_000, device };
        assert!(lets_the_cpu_take_over(&too_large));
        assert!(lets_the_cpu_take_over(&GpuError::OutOfMemory("the shapes")));
        assert!(!lets_the_cpu_take_over(&GpuError::Lost("driver reset".to_owned())));
    }
}
