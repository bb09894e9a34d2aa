//! A buffer that Vulkan and CUDA both see.

use crate::card::Card;
use crate::driver::{Copy2d, CopySide, DevicePointer};
use crate::error::CudaError;
use crate::foreign_tensor::ForeignTensor;
use crate::mapping::Mapping;
use crate::registry::Registry;
use crate::rows::Rows;
use crate::vulkan;
use std::fmt;
use std::sync::Arc;

/// A buffer that Vulkan and CUDA both see. Clones share it, and so do the tensors that other
/// libraries made from a [`DeviceArray`](crate::DeviceArray) in it. It is freed when the last of
/// them is dropped.
#[derive(Clone)]
pub struct SharedBuffer(Arc<Inner>);

struct Inner {
    /// CUDA lets go of the memory before Vulkan does, because fields are dropped in this order.
    mapping: Mapping,
    buffer: wgpu::Buffer,
    device: wgpu::Device,
    bytes: u64,
    /// The process that may free it.
    process: u32,
}

static ALIVE: Registry<Inner> = Registry::new();

impl Drop for Inner {
    fn drop(&mut self) {
        ALIVE.remove(self.mapping.pointer());
    }
}

impl Drop for SharedBuffer {
    fn drop(&mut self) {
        if self.0.process != std::process::id() {
            // Both drivers' threads are missing in a fork, which would wait for them: what is
            // shared with its parent is never freed there.
            std::mem::forget(Arc::clone(&self.0));
        }
    }
}

impl SharedBuffer {
    /// Creates a buffer of zeros on the device, which must be the card's. It can be used as
    /// storage, as a uniform, and for copies. Its size is rounded up to a multiple of four above
    /// zero, as wgpu requires.
    ///
    /// # Errors
    /// [`CudaError::OtherDevice`], [`CudaError::TooLarge`], [`CudaError::Usage`],
    /// [`CudaError::OutOfMemory`], [`CudaError::Vulkan`] and [`CudaError::Call`].
    pub fn new(
        card: &Card,
        device: &wgpu::Device,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<Self, CudaError> {
        card.check(device)?;
        // What overflows is larger than any device allows.
        let whole = bytes.max(4).checked_next_multiple_of(4).unwrap_or(u64::MAX);
        let exported = vulkan::export(device, whole, usage)?;
        let mapping = Mapping::of(card, &exported)?;
        // The memory may hold what another process has left.
        card.within(|driver| {
            // SAFETY: the mapping has as many bytes.
            let status = unsafe { (driver.set_bytes)(mapping.pointer(), 0, whole as usize) };
            driver.check("clear memory", "cuMemsetD8", status)
        })?;
        card.wait_for_copies()?;
        let pointer = mapping.pointer();
        let device = device.clone();
        let buffer = exported.into_buffer();
        let inner = Inner { mapping, buffer, device, bytes, process: std::process::id() };
        let inner = Arc::new(inner);
        ALIVE.insert(pointer, bytes, &inner);
        Ok(Self(inner))
    }

    /// Returns the shared buffer with a tensor's memory, and the byte at which the tensor begins,
    /// if there is one. A tensor without elements has no memory.
    pub fn holding(tensor: &ForeignTensor) -> Option<(Self, u64)> {
        let bytes = tensor.span();
        let (inner, offset) = ALIVE.holding(tensor.pointer(), bytes).filter(|_| bytes > 0)?;
        Some((Self(inner), offset))
    }

    /// Returns the wgpu buffer. It may be a few bytes larger.
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.0.buffer
    }

    /// Returns true if it belongs to a device. Another device must not be given its buffer.
    pub fn is_of(&self, device: &wgpu::Device) -> bool {
        vulkan::is_same(&self.0.device, device)
    }

    /// Returns its requested size in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Returns its address in CUDA, a `CUdeviceptr`.
    pub fn pointer(&self) -> u64 {
        self.0.mapping.pointer()
    }

    /// Returns the card on which it is.
    pub fn card(&self) -> &Card {
        self.0.mapping.card()
    }

    /// Copies a tensor's elements to the bytes from `offset`, row by row without gaps, and waits
    /// until they are there. The tensor must not overlap these bytes.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::Strides`] and [`CudaError::Call`].
    pub fn copy_from(&self, offset: u64, tensor: &ForeignTensor) -> Result<(), CudaError> {
        let (begin, rows) = self.place(offset, tensor)?;
        let from = (tensor.pointer(), rows.pitch);
        self.copy(from, (begin, rows.width), rows)
    }

    /// Copies a tensor's rows along its last axis to places that are `pitch` bytes apart, from
    /// `offset` on, and waits until they are there. The bytes between them do not change. The
    /// tensor must not overlap these bytes.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`], [`CudaError::Strides`] and [`CudaError::Call`].
    pub fn spread_from(
        &self,
        offset: u64,
        pitch: u64,
        tensor: &ForeignTensor,
    ) -> Result<(), CudaError> {
        let rows = tensor.rows_of_last_axis()?;
        if rows.width == 0 {
            return Ok(());
        }
        let bytes = pitch.checked_mul(rows.count.saturating_sub(1));
        let bytes = bytes.and_then(|bytes| bytes.checked_add(rows.width)).unwrap_or(u64::MAX);
        let begin = self.part(offset, bytes)?;
        self.copy((tensor.pointer(), rows.pitch), (begin, pitch), rows)
    }

    /// Copies the bytes from `offset` to a tensor's elements, and waits until they are there. The
    /// tensor must not overlap these bytes.
    ///
    /// # Errors
    /// [`CudaError::ReadOnly`], and those of [`Self::copy_from`].
    pub fn copy_to(&self, offset: u64, tensor: &ForeignTensor) -> Result<(), CudaError> {
        tensor.check_writable()?;
        let (begin, rows) = self.place(offset, tensor)?;
        self.copy((begin, rows.width), (tensor.pointer(), rows.pitch), rows)
    }

    /// Copies the bytes from `offset` to the host.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] and [`CudaError::Call`].
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), CudaError> {
        let begin = self.part(offset, into.len() as u64)?;
        if into.is_empty() {
            return Ok(());
        }
        self.card().within(|driver| {
            let to = into.as_mut_ptr().cast();
            // SAFETY: both sides have as many bytes. It returns when they have been copied.
            let status = unsafe { (driver.copy_to_host)(to, begin, into.len()) };
            driver.check("copy to the host", "cuMemcpyDtoH", status)
        })
    }

    fn part(&self, offset: u64, bytes: u64) -> Result<DevicePointer, CudaError> {
        let holds = self.bytes();
        match offset.checked_add(bytes) {
            Some(end) if end <= holds => Ok(self.pointer() + offset),
            _ => Err(CudaError::OutOfBounds { offset, bytes, holds }),
        }
    }

    /// Returns the address of the part that is as large as a tensor, and the tensor's rows.
    fn place(&self, offset: u64, tensor: &ForeignTensor) -> Result<(u64, Rows), CudaError> {
        Ok((self.part(offset, tensor.bytes())?, tensor.rows()?))
    }

    /// Copies rows between two addresses, each with the distance of its rows.
    fn copy(&self, from: (u64, u64), to: (u64, u64), rows: Rows) -> Result<(), CudaError> {
        let ((from, from_pitch), (to, to_pitch)) = (from, to);
        let Rows { width, count, .. } = rows;
        if width == 0 || count == 0 {
            return Ok(());
        }
        self.card().within(|driver| {
            if count == 1 {
                // SAFETY: `part` has seen that this side has as many bytes, and the tensor's has by
                // its shape.
                let status = unsafe { (driver.copy_on_card)(to, from, width as usize) };
                return driver.check("copy on the card", "cuMemcpyDtoD", status);
            }
            let copy = Copy2d {
                source: CopySide::on_card(from, from_pitch as usize),
                destination: CopySide::on_card(to, to_pitch as usize),
                width_in_bytes: width as usize,
                height: count as usize,
            };
            // SAFETY: as above.
            let status = unsafe { (driver.copy_rows)(&raw const copy) };
            driver.check("copy rows on the card", "cuMemcpy2DUnaligned", status)
        })?;
        self.card().wait_for_copies()
    }
}

impl fmt::Debug for SharedBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SharedBuffer({} bytes on {:?})", self.bytes(), self.card())
    }
}
