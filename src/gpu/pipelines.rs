//! Compiles modules and pipelines for a device, each once: see
//! [`PipelineCache`](super::pipeline_cache::PipelineCache).

use super::bindings::{Access, layout};
use super::buffer::scoped;
use super::capabilities::Capabilities;
use super::device::Gpu;
use super::kernel::{EntryPoint, KernelKey, ModuleContents, ModuleKey};
use super::kernel_variant::KernelVariant;
use super::pipeline_cache::GroupLayout;
use super::shader;
use crate::gpu_error::GpuError;

pub(super) async fn pipeline(
    gpu: &Gpu,
    key: &KernelKey,
) -> Result<wgpu::ComputePipeline, GpuError> {
    gpu.pipelines.pipelines.get_or_make(key, async || compile_pipeline(gpu, key).await).await
}

async fn compile_pipeline(gpu: &Gpu, key: &KernelKey) -> Result<wgpu::ComputePipeline, GpuError> {
    let module = module(gpu, &key.module).await?;
    let mut group_layouts = Vec::new();
    for group in groups(key) {
        group_layouts.push(Some(group_layout(gpu, group).await?));
    }
    let group_layouts: Vec<_> = group_layouts.iter().map(Option::as_ref).collect();
    let form = match key.entry_point {
        EntryPoint::PointInShape(_, form) => Some(("FORM", f64::from(form))),
        _ => None,
    };
    let entry_point = Some(key.entry_point.name());
    scoped(gpu, "a pipeline", || {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: entry_point,
            bind_group_layouts: &group_layouts,
            immediate_size: 0,
        });
        gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: entry_point,
            layout: Some(&layout),
            module: &module,
            entry_point,
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: form.as_slice(),
                // Kernels write workgroup memory before they read it.
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    })
    .await
}

/// Returns a module, compiled and checked.
pub(super) async fn module(gpu: &Gpu, key: &ModuleKey) -> Result<wgpu::ShaderModule, GpuError> {
    gpu.pipelines.modules.get_or_make(key, async || compile_module(gpu, key).await).await
}

fn groups(key: &KernelKey) -> Vec<GroupLayout> {
    match &key.module.contents {
        ModuleContents::PointInShape | ModuleContents::Arithmetic => vec![GroupLayout::Elementwise],
        ModuleContents::Sample => vec![GroupLayout::Sample],
        ModuleContents::Answers => vec![GroupLayout::Answers],
        ModuleContents::Beams(Capabilities { kernel_variant, .. }) => {
            vec![GroupLayout::Scene(*kernel_variant), GroupLayout::Beams]
        }
        ModuleContents::Scene(capabilities, _) => {
            let of_rays = match key.entry_point {
                EntryPoint::CameraRays => GroupLayout::Camera,
                _ => GroupLayout::Query,
            };
            vec![GroupLayout::Scene(capabilities.kernel_variant), of_rays]
        }
    }
}

/// The layout is explicit, because pipelines cannot share an automatic one.
pub(super) async fn group_layout(
    gpu: &Gpu,
    group: GroupLayout,
) -> Result<wgpu::BindGroupLayout, GpuError> {
    use Access::{Read, Texture, Uniform, Write};
    let create = async |label, bindings: &[Access]| {
        scoped(gpu, "a pipeline's layout", || layout(&gpu.device, label, bindings)).await
    };
    let make = async || match group {
        GroupLayout::Scene(kernel_variant) => {
            let records = match kernel_variant {
                KernelVariant::Hardware => Read,
                KernelVariant::Software => Texture,
            };
            create("scene", &[records, Read, Uniform]).await
        }
        GroupLayout::Query => create("query", &[Read, Write, Read, Read, Write, Uniform]).await,
        GroupLayout::Camera => create("camera", &[Uniform, Read, Write, Read, Write]).await,
        GroupLayout::Beams => create("beams", &[Uniform, Write, Read, Read, Read, Write]).await,
        GroupLayout::Elementwise => create("elements", &[Read, Read, Write]).await,
        GroupLayout::Answers => {
            create("answers", &[Uniform, Read, Read, Read, Read, Read, Write, Write]).await
        }
        GroupLayout::Sample => {
            create("sample", &[Uniform, Write, Read, Write, Read, Read, Write]).await
        }
    };
    gpu.pipelines.layouts.get_or_make(&group, make).await
}

/// Compiles a module. An error names the file in `shaders/` and the line in it.
async fn compile_module(gpu: &Gpu, key: &ModuleKey) -> Result<wgpu::ShaderModule, GpuError> {
    let text = shader::source(key)?;
    let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("raytwin"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let refused = scope.pop().await;
    let messages = module.get_compilation_info().await.messages;
    let is_error = |message: &wgpu::CompilationMessage| {
        message.message_type == wgpu::CompilationMessageType::Error
    };
    if let Some(error) = messages.into_iter().find(is_error) {
        let [line, column] = error.location.map_or([1, 1], |location| {
            [location.line_number as usize, location.line_position as usize]
        });
        let (file, line) = shader::locate(shader::files(&key.contents), line);
        return Err(GpuError::Shader {
            file: format!("shaders/{file}"),
            line,
            column,
            message: error.message,
        });
    }
    match refused {
        Some(error) => Err(GpuError::Refused { what: "the shader", reason: error.to_string() }),
        None => Ok(module),
    }
}

#[cfg(test)]
mod tests;
