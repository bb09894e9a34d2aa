//! Vulkan memory in CUDA.

use crate::card::{Card, warn};
use crate::driver::{
    DEDICATED, DevicePointer, ExternalMemory, Handle, ImportDescription, MappingDescription,
    OPAQUE_FD,
};
use crate::error::CudaError;
use crate::vulkan::ExportedBuffer;

/// CUDA addresses for Vulkan memory. They are released when this is dropped. The memory itself
/// lives as long as either driver uses it.
pub(crate) struct Mapping {
    pointer: DevicePointer,
    import: Import,
}

/// Memory that CUDA has imported.
struct Import {
    memory: ExternalMemory,
    card: Card,
}

// SAFETY: the handle is the driver's, which any thread may call.
unsafe impl Send for Import {}
// SAFETY: as above.
unsafe impl Sync for Import {}

impl Mapping {
    pub(crate) fn of(card: &Card, exported: &ExportedBuffer) -> Result<Self, CudaError> {
        let import = Import::of(card, exported)?;
        let mut pointer = 0;
        let description =
            MappingDescription { offset: 0, size: exported.bytes(), flags: 0, reserved: [0; 16] };
        card.within(|driver| {
            // SAFETY: the memory is imported, and is at least as large as the buffer.
            let status = unsafe {
                (driver.map_memory)(&raw mut pointer, import.memory, &raw const description)
            };
            driver.check("map Vulkan memory", "cuExternalMemoryGetMappedBuffer", status)
        })?;
        Ok(Self { pointer, import })
    }

    pub(crate) fn pointer(&self) -> DevicePointer {
        self.pointer
    }

    pub(crate) fn card(&self) -> &Card {
        &self.import.card
    }
}

impl Import {
    fn of(card: &Card, exported: &ExportedBuffer) -> Result<Self, CudaError> {
        let descriptor = exported.descriptor()?;
        let mut handle = Handle { largest: [std::ptr::null(); 2] };
        handle.descriptor = descriptor.number();
        let description = ImportDescription {
            kind: OPAQUE_FD,
            handle,
            size: exported.memory_bytes(),
            flags: DEDICATED,
            reserved: [0; 16],
        };
        let mut memory = std::ptr::null_mut();
        card.within(|driver| {
            // SAFETY: the descriptor is open, and of memory of that size that one buffer has.
            let status = unsafe { (driver.import_memory)(&raw mut memory, &raw const description) };
            driver.check("import Vulkan memory", "cuImportExternalMemory", status)
        })?;
        // After an error it would be closed here.
        descriptor.give_away();
        Ok(Self { memory, card: card.clone() })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // The kernels of those who held it last may still run.
        warn(self.import.card.wait());
        warn(self.import.card.within(|driver| {
            // SAFETY: the addresses were mapped once, and nothing uses them.
            let status = unsafe { (driver.free)(self.pointer) };
            driver.check("unmap Vulkan memory", "cuMemFree", status)
        }));
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        warn(self.card.within(|driver| {
            // SAFETY: it was imported once, and its mapping has been freed.
            let status = unsafe { (driver.destroy_memory)(self.memory) };
            driver.check("release Vulkan memory", "cuDestroyExternalMemory", status)
        }));
    }
}
