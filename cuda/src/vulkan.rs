//! Vulkan memory that other drivers of the process can import.

use crate::error::CudaError;
use ash::vk;
use std::mem::take;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use wgpu::hal::api::Vulkan;
use wgpu::hal::vulkan as hal;
use wgpu::{BufferUsages, Device};

/// What the memory is exported as.
const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// Returns the identity of the device's card, which is the same in Vulkan and CUDA.
pub(crate) fn uuid(device: &Device) -> Result<[u8; 16], CudaError> {
    with_hal(device, |hal| {
        let mut identity = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut identity);
        let instance = hal.shared_instance().raw_instance();
        // SAFETY: `with_hal` has seen that the driver knows Vulkan 1.1, which has this function.
        unsafe {
            instance.get_physical_device_properties2(hal.raw_physical_device(), &mut properties);
        }
        Ok(identity.device_uuid)
    })
}

/// Calls Vulkan for a device, if it shares memory.
fn with_hal<T>(
    device: &Device,
    calls: impl FnOnce(&hal::Device) -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let shares_nothing = || CudaError::SharesNothing { device: device.adapter_info().name };
    if !device.features().contains(crate::features()) {
        return Err(shares_nothing());
    }
    // SAFETY: nothing of the device is destroyed.
    let hal = unsafe { device.as_hal::<Vulkan>() }.ok_or_else(shares_nothing)?;
    let instance = hal.shared_instance();
    // SAFETY: the device is of this instance.
    let properties = unsafe {
        instance.raw_instance().get_physical_device_properties(hal.raw_physical_device())
    };
    if instance.instance_api_version().min(properties.api_version) < vk::API_VERSION_1_1 {
        return Err(shares_nothing());
    }
    calls(&hal)
}

/// Returns true if both are one device of Vulkan. wgpu's own comparison uses numbers that differ
/// between its instances.
pub(crate) fn is_same(a: &wgpu::Device, b: &wgpu::Device) -> bool {
    use ash::vk::Handle;
    let handle = |device: &wgpu::Device| {
        // SAFETY: nothing of the device is destroyed.
        unsafe { device.as_hal::<Vulkan>() }.map(|hal| hal.raw_device().handle().as_raw())
    };
    handle(a).is_some() && handle(a) == handle(b)
}

/// A buffer with memory of its own, until wgpu takes both.
pub(crate) struct ExportedBuffer {
    handles: Handles,
    /// Keeps the device alive until the handles are destroyed, which come first for this reason.
    device: Device,
    bytes: u64,
    usage: BufferUsages,
}

/// The handles of a buffer and its memory, which are destroyed with this.
struct Handles {
    device: ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    memory_bytes: u64,
}

impl Drop for Handles {
    fn drop(&mut self) {
        // SAFETY: both are of this device, nothing uses them, and a null handle is allowed.
        unsafe {
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// Creates a buffer of `bytes` bytes, which other drivers can import.
pub(crate) fn export(
    device: &Device,
    bytes: u64,
    usage: BufferUsages,
) -> Result<ExportedBuffer, CudaError> {
    let allowed = device.limits().max_buffer_size;
    if bytes > allowed {
        return Err(CudaError::TooLarge { device: device.adapter_info().name, bytes, allowed });
    }
    let flags = flags(usage)?;
    let handles = with_hal(device, |hal| {
        let failed = |what, result| match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                CudaError::OutOfMemory { device: device.adapter_info().name, bytes }
            }
            result => CudaError::Vulkan { what, result: result.to_string() },
        };
        create(hal, bytes, flags, failed)
    })?;
    Ok(ExportedBuffer { device: device.clone(), handles, bytes, usage })
}

fn create(
    hal: &hal::Device,
    bytes: u64,
    flags: vk::BufferUsageFlags,
    failed: impl Fn(&'static str, vk::Result) -> CudaError,
) -> Result<Handles, CudaError> {
    if !is_exportable(hal, flags) {
        let result = vk::Result::ERROR_FEATURE_NOT_PRESENT;
        return Err(failed("share memory of buffers with these usages", result));
    }
    let device = hal.raw_device();
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
    let description = vk::BufferCreateInfo::default()
        .size(bytes)
        .usage(flags)
        .sharing_mode(vk::SharingMode::EXCLUSIVE)
        .push_next(&mut external);
    // SAFETY: the size is above zero, and the usages are those of wgpu.
    let buffer = unsafe { device.create_buffer(&description, None) }
        .map_err(|result| failed("create a buffer to share", result))?;
    // SAFETY: the buffer is of this device.
    let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
    let mut handles = Handles {
        device: device.clone(),
        buffer,
        memory: vk::DeviceMemory::null(),
        memory_bytes: needs.size,
    };
    let kind = memory_type(hal, needs.memory_type_bits)
        .ok_or_else(|| failed("find memory to share", vk::Result::ERROR_FEATURE_NOT_PRESENT))?;
    let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(HANDLE);
    // Some drivers export no memory that several buffers share.
    let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
    let description = vk::MemoryAllocateInfo::default()
        .allocation_size(needs.size)
        .memory_type_index(kind)
        .push_next(&mut export)
        .push_next(&mut dedicated);
    // SAFETY: the size and the kind are those that the buffer needs.
    handles.memory = unsafe { device.allocate_memory(&description, None) }
        .map_err(|result| failed("allocate memory to share", result))?;
    // SAFETY: the memory is this buffer's, and neither was bound before.
    unsafe { device.bind_buffer_memory(buffer, handles.memory, 0) }
        .map_err(|result| failed("bind memory to share", result))?;
    Ok(handles)
}

/// Returns true if the driver exports memory of buffers with such usages.
fn is_exportable(hal: &hal::Device, flags: vk::BufferUsageFlags) -> bool {
    let asked = vk::PhysicalDeviceExternalBufferInfo::default().usage(flags).handle_type(HANDLE);
    let mut answer = vk::ExternalBufferProperties::default();
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: `with_hal` has seen that the driver knows Vulkan 1.1, which has this function.
    unsafe {
        instance.get_physical_device_external_buffer_properties(
            hal.raw_physical_device(),
            &asked,
            &mut answer,
        );
    }
    let features = answer.external_memory_properties.external_memory_features;
    features.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE)
}

/// Returns the first kind of the card's own memory among those that fit a buffer.
fn memory_type(hal: &hal::Device, fitting: u32) -> Option<u32> {
    let instance = hal.shared_instance().raw_instance();
    // SAFETY: the device is of this instance.
    let kinds =
        unsafe { instance.get_physical_device_memory_properties(hal.raw_physical_device()) };
    (0..kinds.memory_type_count).find(|&kind| {
        let properties = kinds.memory_types[kind as usize].property_flags;
        fitting & (1 << kind) != 0 && properties.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    })
}

/// Returns Vulkan's names of usages, of which a shared buffer can have only these.
fn flags(usage: BufferUsages) -> Result<vk::BufferUsageFlags, CudaError> {
    let mut flags = vk::BufferUsageFlags::empty();
    let mut left = usage;
    for (of_wgpu, of_vulkan) in [
        (BufferUsages::STORAGE, vk::BufferUsageFlags::STORAGE_BUFFER),
        (BufferUsages::UNIFORM, vk::BufferUsageFlags::UNIFORM_BUFFER),
        (BufferUsages::COPY_SRC, vk::BufferUsageFlags::TRANSFER_SRC),
        (BufferUsages::COPY_DST, vk::BufferUsageFlags::TRANSFER_DST),
    ] {
        if usage.contains(of_wgpu) {
            flags |= of_vulkan;
            left -= of_wgpu;
        }
    }
    match left.is_empty() && !flags.is_empty() {
        true => Ok(flags),
        false => Err(CudaError::Usage { usage: format!("{left:?}") }),
    }
}

impl ExportedBuffer {
    /// Returns the size of the memory, which may be larger than the buffer.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.handles.memory_bytes
    }

    /// Returns the size of the buffer.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes a descriptor by which another driver finds the memory.
    pub(crate) fn descriptor(&self) -> Result<Descriptor, CudaError> {
        with_hal(&self.device, |hal| {
            let functions = ash::khr::external_memory_fd::Device::new(
                hal.shared_instance().raw_instance(),
                hal.raw_device(),
            );
            let description =
                vk::MemoryGetFdInfoKHR::default().memory(self.handles.memory).handle_type(HANDLE);
            // SAFETY: the memory was allocated to be exported so.
            let descriptor = unsafe { functions.get_memory_fd(&description) };
            let descriptor = descriptor.map_err(|result| CudaError::Vulkan {
                what: "export memory",
                result: result.to_string(),
            })?;
            // SAFETY: each call makes a new descriptor, which is the caller's.
            Ok(Descriptor(unsafe { OwnedFd::from_raw_fd(descriptor) }))
        })
    }

    /// Gives the buffer and its memory to wgpu, which destroys them once the device is done with
    /// them. Something has to have been written to all of it.
    pub(crate) fn into_buffer(self) -> wgpu::Buffer {
        let Self { mut handles, device, bytes, usage } = self;
        let (buffer, memory) = (take(&mut handles.buffer), take(&mut handles.memory));
        // SAFETY: both are wgpu's alone from here on, and the memory is the buffer's from its first
        // byte.
        let buffer = unsafe { hal::Buffer::from_raw_managed(buffer, memory, 0, bytes) };
        let description = wgpu::BufferDescriptor {
            label: Some("shared with CUDA"),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        // SAFETY: the buffer was created on this device with this size and these usages, and holds
        // what the caller wrote.
        unsafe { device.create_buffer_from_hal::<Vulkan>(buffer, &description) }
    }
}

/// A descriptor of memory, which is closed unless it is given away.
pub(crate) struct Descriptor(OwnedFd);

impl Descriptor {
    pub(crate) fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Leaves the descriptor to a driver that has taken it.
    pub(crate) fn give_away(self) {
        let _ = self.0.into_raw_fd();
    }
}
