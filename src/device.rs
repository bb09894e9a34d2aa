//! The choice of a device, and the tracer that it gives.

use crate::cpu::CpuTracer;
#[cfg(feature = "gpu")]
use crate::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer};
use crate::packed::{PackError, PackedScene};
use crate::scene::Scene;
use crate::tracer::Tracer;
use std::sync::Arc;
use thiserror::Error;

/// The device to cast rays on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceChoice {
    /// A hardware GPU if there is one that the scene fits, otherwise the CPU.
    #[default]
    Auto,
    /// The float64 tracer, on all cores.
    Cpu,
    /// A GPU.
    #[cfg(feature = "gpu")]
    Gpu(AdapterChoice),
}

/// The reason why no tracer could be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The scene is too large.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// There is no such GPU, or it cannot hold the scene.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The device that [`DeviceChoice::Auto`] came to.
#[derive(Debug)]
pub enum AutoDevice {
    /// A hardware GPU.
    #[cfg(feature = "gpu")]
    Gpu(GpuTracer),
    /// The CPU, and the reason why no GPU is used.
    Cpu(CpuTracer, String),
}

impl AutoDevice {
    /// Makes a tracer on a hardware GPU, or on the CPU if there is none or if the scene does not fit it.
    ///
    /// # Errors
    /// [`OpenError::Gpu`] for a fault of a GPU that is there and has room.
    #[cfg(feature = "gpu")]
    pub fn open(packed: &PackedScene) -> Result<Self, OpenError> {
        let tracer =
            Gpu::open(&AdapterChoice::Hardware).and_then(|gpu| GpuTracer::new(&gpu, packed));
        match tracer {
            Ok(tracer) => Ok(Self::Gpu(tracer)),
            Err(error) => Ok(Self::Cpu(CpuTracer::new(packed), why_the_cpu(error)?)),
        }
    }

    /// Makes a tracer on the CPU, because this build has no GPU engine.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "gpu"))]
    pub fn open(packed: &PackedScene) -> Result<Self, OpenError> {
        Ok(Self::Cpu(CpuTracer::new(packed), "this build has no GPU engine".to_owned()))
    }

    /// Returns the tracer.
    pub fn into_tracer(self) -> Box<dyn Tracer> {
        match self {
            #[cfg(feature = "gpu")]
            Self::Gpu(tracer) => Box::new(tracer),
            Self::Cpu(tracer, _) => Box::new(tracer),
        }
    }
}

/// Returns why the CPU takes over from a hardware GPU, or the error if it must not.
#[cfg(feature = "gpu")]
fn why_the_cpu(error: GpuError) -> Result<String, GpuError> {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => {
            Ok(format!("there is no hardware GPU, only {}", found.join("; ")))
        }
        GpuError::NoAdapter { .. }
        | GpuError::NoDevice { .. }
        | GpuError::TooLarge { .. }
        | GpuError::OutOfMemory(_) => Ok(error.to_string()),
        _ => Err(error),
    }
}

impl DeviceChoice {
    /// Builds the tree over a scene and makes a tracer for it.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn tracer(&self, scene: impl Into<Arc<Scene>>) -> Result<Box<dyn Tracer>, OpenError> {
        self.tracer_for(&PackedScene::new(scene)?)
    }

    /// Makes a tracer for a scene that has its tree.
    ///
    /// # Errors
    /// [`OpenError::Gpu`], if there is no such GPU, if it cannot hold the scene or if it fails.
    pub fn tracer_for(&self, packed: &PackedScene) -> Result<Box<dyn Tracer>, OpenError> {
        Ok(match self {
            Self::Auto => AutoDevice::open(packed)?.into_tracer(),
            Self::Cpu => Box::new(CpuTracer::new(packed)),
            #[cfg(feature = "gpu")]
            Self::Gpu(choice) => Box::new(GpuTracer::new(&Gpu::open(choice)?, packed)?),
        })
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_casts_if_a_gpu_has_no_room_and_not_if_it_fails() {
        let device = "a GPU".to_owned();
        let too_large =
            GpuError::TooLarge { what: "the shapes", needed: 7_000, allowed: 4_000, device };
        let why = why_the_cpu(too_large).unwrap();
        assert!(why.contains("7000") && why.contains("4000"), "{why}");
        assert!(why_the_cpu(GpuError::OutOfMemory("the shapes")).is_ok());
        assert!(why_the_cpu(GpuError::Lost("driver reset".to_owned())).is_err());
    }
}
