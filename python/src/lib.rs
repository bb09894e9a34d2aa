//! The extension module of the wheel: scenes and tracers as Python classes, answers as NumPy arrays.
//!
//! The classes are thin. They read their arguments, release the interpreter while the library works,
//! and return its answers as arrays. The folder `raytwin/` has the Python code on top of them.

mod answers;
mod argument;
mod arrays;
mod camera;
mod cloud;
mod devices;
mod error;
mod generator;
mod hiding;
mod on_card;
mod options;
mod pieces;
mod process;
mod report;
mod scene;
mod tally;
mod tracer;
mod waiting;

use pyo3::prelude::*;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: raytwin_files::HugePages = raytwin_files::HugePages;

/// The module `raytwin._raytwin`.
#[pymodule]
mod _raytwin {
    #[pymodule_export]
    use super::camera::{camera_pose, camera_rays, camera_size, lidars, sweep_rays};
    #[pymodule_export]
    use super::cloud::{save_cloud, save_messages};
    #[pymodule_export]
    use super::devices::{Device, devices};
    #[pymodule_export]
    use super::error::{DeviceError, Error, FileError, MismatchError, NoAdapterError, SceneError};
    #[pymodule_export]
    use super::on_card::empty_rays;
    #[pymodule_export]
    use super::report::Report;
    #[pymodule_export]
    use super::scene::{Scene, shape_fields};
    #[pymodule_export]
    use super::tally::Tally;
    #[pymodule_export]
    use super::tracer::Tracer;
    #[pymodule_export]
    use super::tracer::render::ImageSource;
    #[pymodule_export]
    use super::tracer::update::Update;
    #[pymodule_export]
    use raytwin_cuda::DeviceArray;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
