//! Casts rays that are in GPU memory, and keeps answers there.

use super::engine::Caster;
use super::rays_argument::Filters;
use super::{Argument, Current, Tracer};
use crate::camera::CameraArgument;
use crate::error::{DeviceError, OrException, detached};
use crate::hiding::refuse_hidden;
use crate::on_card::{RAY_BYTES, USAGE, card_error, endless_rays};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::TraceError;
use raytwin::glam::DVec3;
use raytwin::gpu::{AnswersOnDevice, ArrayOnDevice, Gpu, GpuTracer, RaysOnDevice};
use raytwin_cuda::{Card, DeviceArray, Element, ForeignTensor, SharedBuffer};

/// The alignment, in bytes, of arrays and rays in a buffer.
const ALIGNMENT: u64 = 256;

/// The number of bytes of an answer in an array.
const WORD: u64 = 4;

/// Answers in GPU memory, by name.
struct Columns {
    buffer: SharedBuffer,
    names: Vec<&'static str>,
    count: u64,
}

impl Columns {
    fn new(gpu: &Gpu, card: &Card, names: Vec<&'static str>, count: usize) -> PyResult<Self> {
        let count = count as u64;
        let stride = Self::stride(count);
        let bytes = names.len() as u64 * stride;
        let (device, _) = gpu.wgpu();
        let buffer = SharedBuffer::new(card, device, bytes, USAGE).map_err(card_error)?;
        Ok(Self { buffer, names, count })
    }

    fn stride(count: u64) -> u64 {
        (count * WORD).next_multiple_of(ALIGNMENT)
    }

    fn array(&self, name: &str) -> Option<ArrayOnDevice<'_>> {
        let index = self.names.iter().position(|other| *other == name)?;
        let offset = index as u64 * Self::stride(self.count);
        Some(ArrayOnDevice { buffer: self.buffer.buffer(), offset })
    }

    /// Returns the arrays that exist, for a tracer to fill.
    fn answers(&self) -> AnswersOnDevice<'_> {
        AnswersOnDevice {
            distance: self.array("t_hit").or_else(|| self.array("distance")),
            z: self.array("z"),
            geometry_ids: self.array("geometry_ids"),
            primitive_ids: self.array("primitive_ids"),
            label_ids: self.array("label_ids"),
        }
    }

    /// Returns the types that an array's elements may have. Our own arrays have the first.
    fn elements(name: &str) -> &'static [Element] {
        match name {
            "t_hit" | "distance" | "z" => &[Element::F32],
            _ => &[Element::U32, Element::I32],
        }
    }

    /// Reads a caller's arrays by name. Our arrays, of this shape, are copied into them later.
    ///
    /// # Errors
    /// `TypeError` and `ValueError` for arrays that do not fit. No array has been written to then.
    fn targets(
        &self,
        out: Vec<(String, Bound<'_, PyAny>)>,
        card: &Card,
        shape: &[usize],
    ) -> PyResult<Vec<(u64, ForeignTensor)>> {
        let mut targets: Vec<(u64, ForeignTensor)> = Vec::with_capacity(out.len());
        for (name, given) in out {
            let Some(index) = self.names.iter().position(|own| *own == name) else {
                return Err(PyValueError::new_err(format!(
                    "out has an array '{name}', and the images have {}: request it, or leave it out",
                    self.names.join(", ")
                )));
            };
            let Some(tensor) = ForeignTensor::take(&given, card)? else {
                return Err(PyTypeError::new_err(format!(
                    "out['{name}'] is on the host, and other arrays of the call are on a GPU: give all arrays in one place"
                )));
            };
            let elements = Self::elements(&name);
            if !elements.contains(&tensor.element()) || tensor.shape() != shape {
                let elements: Vec<String> = elements.iter().map(Element::to_string).collect();
                return Err(PyValueError::new_err(format!(
                    "out['{name}'] must be {} {shape:?}, and is {} {:?}",
                    elements.join(" or "),
                    tensor.element(),
                    tensor.shape()
                )));
            }
            tensor.check_writable().map_err(card_error)?;
            if targets.iter().any(|(_, other)| other.may_overlap(&tensor)) {
                return Err(PyValueError::new_err(format!(
                    "out['{name}'] shares memory with another array of out: give each its own"
                )));
            }
            targets.push((index as u64 * Self::stride(self.count), tensor));
        }
        Ok(targets)
    }

    /// Returns the arrays as Python objects. If `signed`, ids are int32, and -1 means none.
    fn into_dict<'py>(
        self,
        py: Python<'py>,
        shape: &[usize],
        signed: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for (index, name) in (0..).zip(&self.names) {
            let elements = Self::elements(name);
            let wanted = if signed { elements.last() } else { elements.first() };
            let element = wanted.copied().unwrap_or(Element::F32);
            let offset = index * Self::stride(self.count);
            let array = DeviceArray::new(self.buffer.clone(), offset, shape.to_vec(), element);
            arrays.set_item(name, Bound::new(py, array.map_err(card_error)?)?)?;
        }
        Ok(arrays)
    }
}

impl Tracer {
    /// Returns the CUDA device that the tracer casts on.
    fn card(&self, current: &Current) -> PyResult<Card> {
        if let Some(card) = self.card.get() {
            return Ok(card.clone());
        }
        let (_, gpu) = device_of(current)?;
        let card = Card::of(gpu.wgpu().0).map_err(card_error)?;
        Ok(self.card.get_or_init(|| card).clone())
    }
}

fn device_of(current: &Current) -> PyResult<(&GpuTracer, Gpu)> {
    match &current.open.tracer {
        Caster::Device(tracer) => Ok((tracer, tracer.gpu())),
        Caster::Host(_) if current.open.gpu.is_some() => Err(DeviceError::new_err(
            "canonical answers are completed in float64 on the host: give arrays of the host, or make the tracer without canonical=True",
        )),
        Caster::Host(tracer) => Err(DeviceError::new_err(format!(
            "the tracer casts on {}, and the arrays are on a GPU: give arrays of the host (torch: .cpu()), or make the tracer on that GPU",
            tracer.device()
        ))),
    }
}

/// Rejects a scene with an origin, which cannot be subtracted exactly from float32 numbers on the GPU.
fn refuse_origin(origin: DVec3) -> PyResult<()> {
    match origin {
        DVec3::ZERO => Ok(()),
        origin => Err(PyValueError::new_err(format!(
            "the scene's origin is {origin}, which is subtracted from rays in float64 on the host: give rays of the host, or load the scene without an origin"
        ))),
    }
}

#[pymethods]
impl Tracer {
    /// Returns the closest hits of rays in GPU memory, as arrays there. Ids are int32 if `signed`.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _cast_on_card<'py>(
        &self,
        py: Python<'py>,
        rays: Argument<'_, 'py>,
        solid: bool,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        labels: bool,
        signed: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let origin = self.origin();
        refuse_origin(origin)?;
        let card = detached(py, || self.card(&*self.current(origin)?))?;
        let Some(tensor) = ForeignTensor::take(rays, &card)? else {
            return Err(PyTypeError::new_err("rays are not on a GPU"));
        };
        let (width, shape) = rows_of_rays(&tensor)?;
        let shape = shape.to_vec();
        let count: usize = shape.iter().product();
        let filters = Filters::read([masks, ignore_ids, world_ids], solid, &shape)?;
        let columns = detached(py, || {
            let current = self.current(origin)?;
            let (tracer, gpu) = device_of(&current)?;
            let (buffer, offset) = rays_on_device(&gpu, &card, &tensor, width, count)?;
            let given = ArrayOnDevice { buffer: buffer.buffer(), offset };
            let filtered = || {
                let mut rays = RaysOnDevice::new(given, count);
                if let Some(masks) = &filters.masks {
                    rays = rays.with_masks(masks)?;
                }
                if let Some(ignored) = &filters.ignored {
                    rays = rays.ignoring(ignored)?;
                }
                if let Some(worlds) = &filters.worlds {
                    rays = rays.in_worlds(worlds)?;
                }
                Ok::<_, TraceError>(if filters.is_solid { rays.solid() } else { rays })
            };
            let rays = filtered().or_exception()?;
            let mut names = vec!["t_hit", "geometry_ids", "primitive_ids"];
            names.extend(labels.then_some("label_ids"));
            let columns = Columns::new(&gpu, &card, names, count)?;
            tracer.closest_to_device(rays, columns.answers()).or_exception()?;
            Ok(columns)
        })?;
        columns.into_dict(py, &shape, signed)
    }

    /// Returns the arrays of a camera's images in GPU memory, after copying them into those of `out`.
    /// `_render_views` does the same for arrays of the host.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _render_on_card<'py>(
        &self,
        py: Python<'py>,
        camera: CameraArgument,
        size: Option<(u32, u32)>,
        poses: PyReadonlyArray2<'py, f64>,
        world_ids: Option<PyReadonlyArray1<'py, u32>>,
        mask: u32,
        labels: bool,
        signed: bool,
        out: Vec<(String, Bound<'py, PyAny>)>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (scene, _) = self.scene.get().snapshot();
        let views = super::views::views_of(py, &camera, size, &scene, poses, world_ids, (mask, 0))?;
        refuse_hidden(&scene, views.view(), mask)?;
        let sensor = &views.view().camera.sensor;
        if sensor.noise.is_some() || sensor.makes_returns() {
            return Err(PyValueError::new_err(
                "noise, returns and beams are computed in float64 on the host: give a camera without them, or arrays of the host",
            ));
        }
        let origin = scene.origin();
        let shape = [views.count(), views.view().height as usize, views.view().width as usize];
        let (card, columns) = detached(py, || {
            let current = self.current(origin)?;
            let card = self.card(&current)?;
            let mut names = vec!["distance", "z", "geometry_ids", "primitive_ids"];
            names.extend(labels.then_some("label_ids"));
            let columns = Columns::new(&device_of(&current)?.1, &card, names, views.pixels())?;
            Ok((card, columns))
        })?;
        let targets = columns.targets(out, &card, &shape)?;
        detached(py, || {
            let current = self.current(origin)?;
            let (tracer, _) = device_of(&current)?;
            tracer.render_to_device(&views, columns.answers()).or_exception()?;
            let mut targets = targets.iter();
            targets
                .try_for_each(|(offset, target)| columns.buffer.copy_to(*offset, target))
                .map_err(card_error)
        })?;
        columns.into_dict(py, &shape, signed)
    }
}

/// Returns how many numbers each ray has, and the sizes of the axes before them.
fn rows_of_rays(tensor: &ForeignTensor) -> PyResult<(usize, &[usize])> {
    if tensor.element() != Element::F32 {
        return Err(PyTypeError::new_err(format!(
            "rays on a GPU must be float32, and are {}: convert them first (torch: .float())",
            tensor.element()
        )));
    }
    match tensor.shape().split_last() {
        Some((&width @ (6 | 8), shape)) => Ok((width, shape)),
        _ => Err(PyValueError::new_err(format!(
            "rays must have the shape (..., 6) or (..., 8), and have {:?}",
            tensor.shape()
        ))),
    }
}

/// Returns rays where the device can read them: in their own buffer, or in a copy.
fn rays_on_device(
    gpu: &Gpu,
    card: &Card,
    tensor: &ForeignTensor,
    width: usize,
    count: usize,
) -> PyResult<(SharedBuffer, u64)> {
    if let Some((buffer, offset)) = SharedBuffer::holding(tensor)
        && width == 8
        && tensor.is_contiguous()
        && offset.is_multiple_of(ALIGNMENT)
        && buffer.is_of(gpu.wgpu().0)
    {
        return Ok((buffer, offset));
    }
    let copied = match width {
        8 => {
            let bytes = count as u64 * RAY_BYTES;
            let (device, _) = gpu.wgpu();
            let buffer = SharedBuffer::new(card, device, bytes, USAGE).map_err(card_error)?;
            buffer.copy_from(0, tensor).map_err(card_error)?;
            buffer
        }
        _ => {
            let buffer = endless_rays(gpu, card, count as u64)?;
            buffer.spread_from(0, RAY_BYTES, tensor).map_err(card_error)?;
            buffer
        }
    };
    Ok((copied, 0))
}
