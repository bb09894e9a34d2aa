//! The structs of DLPack, as dlpack.h lays them out.

use crate::element::Element;
use std::ffi::{CStr, c_void};

/// The kind of memory that lies on a card.
pub(crate) const CUDA: i32 = 2;
/// The kind of memory that moves between a card and the host by itself.
pub(crate) const CUDA_MANAGED: i32 = 13;

/// The version in which tensors are asked for, the first one that says whether a tensor may be
/// written.
pub(crate) const VERSION: Version = Version { major: 1, minor: 0 };

/// The bit of the flags of a tensor that must not be written.
const READ_ONLY: u64 = 1;

/// `DLDevice`.
#[repr(C)]
pub(crate) struct Place {
    pub(crate) kind: i32,
    pub(crate) ordinal: i32,
}

/// `DLTensor`.
#[repr(C)]
pub(crate) struct Tensor {
    pub(crate) data: *mut c_void,
    pub(crate) place: Place,
    pub(crate) axes: i32,
    pub(crate) element: Element,
    pub(crate) shape: *mut i64,
    /// In elements; null for a tensor without gaps.
    pub(crate) strides: *mut i64,
    pub(crate) byte_offset: u64,
}

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// `DLManagedTensor`, which says nothing of its version.
#[repr(C)]
pub(crate) struct Unversioned {
    pub(crate) tensor: Tensor,
    pub(crate) owner: *mut c_void,
    pub(crate) deleter: Option<Deleter<Self>>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
pub(crate) struct Versioned {
    pub(crate) version: Version,
    pub(crate) owner: *mut c_void,
    pub(crate) deleter: Option<Deleter<Self>>,
    pub(crate) flags: u64,
    pub(crate) tensor: Tensor,
}

/// The function that frees a struct and what it owns.
pub(crate) type Deleter<T> = unsafe extern "C" fn(*mut T);

/// A struct of DLPack that owns a tensor, with the names of its capsules.
pub(crate) trait Managed: Sized {
    /// The name of a capsule that nobody has taken.
    const NAME: &'static CStr;
    /// The name of one that somebody has taken, and whose tensor is theirs to delete.
    const USED: &'static CStr;

    fn of(tensor: Tensor, owner: *mut c_void, deleter: Deleter<Self>) -> Self;
    fn tensor(&self) -> &Tensor;
    fn owner(&self) -> *mut c_void;
    fn deleter(&self) -> Option<Deleter<Self>>;
    fn is_read_only(&self) -> bool;
}

impl Managed for Unversioned {
    const NAME: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";

    fn of(tensor: Tensor, owner: *mut c_void, deleter: Deleter<Self>) -> Self {
        Self { tensor, owner, deleter: Some(deleter) }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn owner(&self) -> *mut c_void {
        self.owner
    }

    fn deleter(&self) -> Option<Deleter<Self>> {
        self.deleter
    }

    fn is_read_only(&self) -> bool {
        false
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";

    fn of(tensor: Tensor, owner: *mut c_void, deleter: Deleter<Self>) -> Self {
        Self { version: VERSION, owner, deleter: Some(deleter), flags: 0, tensor }
    }

    fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    fn owner(&self) -> *mut c_void {
        self.owner
    }

    fn deleter(&self) -> Option<Deleter<Self>> {
        self.deleter
    }

    fn is_read_only(&self) -> bool {
        self.flags & READ_ONLY != 0
    }
}
