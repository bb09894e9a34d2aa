//! The choice between the kernels for hardware and those for software drivers.

use super::record_texture::TEXELS_PER_ROW;
use crate::gpu_error::GpuError;

/// The environment variable that selects the kernels of every device, for tests and measurements.
const RAYTWIN_KERNELS: &str = "RAYTWIN_KERNELS";

/// The two variants of the kernels. They differ in `shaders/device/`, and give the same answers, to
/// the bit, on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelVariant {
    /// For hardware. Records are in a buffer.
    Hardware,
    /// For software drivers. Records are in a texture.
    Software,
}

impl KernelVariant {
    /// Returns the variant that `RAYTWIN_KERNELS` names, or else the one that is faster on the
    /// device. A device whose textures are too small for a row of records gets the kernels for
    /// hardware in any case.
    pub(super) fn of(device: &wgpu::Device) -> Result<Self, GpuError> {
        let is_software = device.adapter_info().device_type == wgpu::DeviceType::Cpu;
        let fastest = if is_software { Self::Software } else { Self::Hardware };
        let chosen = match std::env::var_os(RAYTWIN_KERNELS) {
            Some(name) => Self::named(&name.to_string_lossy(), fastest)?,
            None => fastest,
        };
        let has_room_for_row = device.limits().max_texture_dimension_2d >= TEXELS_PER_ROW;
        Ok(if has_room_for_row { chosen } else { Self::Hardware })
    }

    /// Returns the variant with this name. An empty name selects `otherwise`.
    fn named(name: &str, otherwise: Self) -> Result<Self, GpuError> {
        match name {
            "" => Ok(otherwise),
            "hardware" => Ok(Self::Hardware),
            "software" => Ok(Self::Software),
            _ => Err(GpuError::UnknownKernels(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_has_a_name_and_a_wrong_name_is_an_error_that_says_the_right_ones() {
        let otherwise = KernelVariant::Software;
        let named = |name| KernelVariant::named(name, otherwise);
        assert_eq!(named("hardware"), Ok(KernelVariant::Hardware));
        assert_eq!(named("software"), Ok(KernelVariant::Software));
        assert_eq!(named(""), Ok(otherwise));
        for wrong in ["Hardware", "buffer", " "] {
            let error = named(wrong).unwrap_err().to_string();
            let says = [RAYTWIN_KERNELS, wrong, "hardware", "software"];
            assert!(says.iter().all(|text| error.contains(text)), "{error}");
        }
    }
}
