//! The structs of CUDA's driver, as cuda.h lays them out.

use super::{DevicePointer, ExternalMemory};
use std::ffi::{c_int, c_uint, c_void};

/// `CUuuid`.
pub(crate) type Uuid = [u8; 16];

/// The kind of a handle that is a descriptor of a file, which belongs to the driver once it has
/// imported it.
pub(crate) const OPAQUE_FD: c_int = 1;

/// Tells the driver that an allocation of Vulkan is a single buffer's.
pub(crate) const DEDICATED: c_uint = 1;

/// The kind of memory that lies on the card.
pub(crate) const ON_CARD: c_int = 2;

/// `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`, whose union is a descriptor here.
#[repr(C)]
pub(crate) struct ImportDescription {
    pub(crate) kind: c_int,
    pub(crate) handle: Handle,
    pub(crate) size: u64,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// The union of handles, which is as large as the two pointers of Windows.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union Handle {
    pub(crate) descriptor: c_int,
    pub(crate) largest: [*const c_void; 2],
}

/// `CUDA_EXTERNAL_MEMORY_BUFFER_DESC`.
#[repr(C)]
pub(crate) struct MappingDescription {
    pub(crate) offset: u64,
    pub(crate) size: u64,
    pub(crate) flags: c_uint,
    pub(crate) reserved: [c_uint; 16],
}

/// One side of `CUDA_MEMCPY2D`. Both sides have the same fields in the same order.
#[repr(C)]
pub(crate) struct CopySide {
    pub(crate) x_in_bytes: usize,
    pub(crate) y: usize,
    pub(crate) kind: c_int,
    pub(crate) host: *const c_void,
    pub(crate) device: DevicePointer,
    pub(crate) array: *const c_void,
    pub(crate) pitch: usize,
}

impl CopySide {
    /// Rows on the card that lie `pitch` bytes apart.
    pub(crate) fn on_card(device: DevicePointer, pitch: usize) -> Self {
        Self {
            x_in_bytes: 0,
            y: 0,
            kind: ON_CARD,
            host: std::ptr::null(),
            device,
            array: std::ptr::null(),
            pitch,
        }
    }
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub(crate) struct Copy2d {
    pub(crate) source: CopySide,
    pub(crate) destination: CopySide,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
}

// The sizes are those that a compiler of C gives the structs of cuda.h for 64 bits.
const _: () =
    assert!(cfg!(not(target_pointer_width = "64")) || size_of::<ImportDescription>() == 104);
const _: () = assert!(size_of::<MappingDescription>() == 88);
const _: () = assert!(cfg!(not(target_pointer_width = "64")) || size_of::<Copy2d>() == 128);
const _: () = assert!(size_of::<ExternalMemory>() == size_of::<usize>());
