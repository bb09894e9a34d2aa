//! The capsules with which DLPack passes tensors from one library to another.

use crate::dlpack::{Managed, Place, Tensor};
use crate::element::Element;
use crate::shared_buffer::SharedBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use std::ffi::c_void;
use std::ptr::NonNull;

/// A tensor that was taken out of its capsule. It is deleted when this is dropped.
pub(crate) struct OwnedTensor<T: Managed>(NonNull<T>);

// SAFETY: DLPack lets any thread delete a tensor, and nothing changes what it describes.
unsafe impl<T: Managed> Send for OwnedTensor<T> {}
// SAFETY: as above.
unsafe impl<T: Managed> Sync for OwnedTensor<T> {}

impl<T: Managed> OwnedTensor<T> {
    /// Takes the tensor out of a capsule, or returns `None` if the capsule holds no such struct.
    pub(crate) fn out_of(capsule: &Bound<'_, PyCapsule>) -> PyResult<Option<Self>> {
        if !capsule.is_valid_checked(Some(T::NAME)) {
            return Ok(None);
        }
        let managed = capsule.pointer_checked(Some(T::NAME))?.cast();
        // The name shows everyone who sees the capsule that the tensor is no longer in it. SAFETY:
        // it is a capsule, and the name is a constant.
        match unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), T::USED.as_ptr()) } {
            0 => Ok(Some(Self(managed))),
            _ => Err(PyErr::fetch(capsule.py())),
        }
    }

    pub(crate) fn managed(&self) -> &T {
        // SAFETY: a capsule of this name holds such a struct, which lives until it is deleted.
        unsafe { self.0.as_ref() }
    }
}

impl<T: Managed> Drop for OwnedTensor<T> {
    fn drop(&mut self) {
        if let Some(delete) = self.managed().deleter() {
            // SAFETY: who takes a tensor out of its capsule deletes it once.
            unsafe { delete(self.0.as_ptr()) };
        }
    }
}

/// The contents of a tensor that is lent to another library.
struct Lent {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _buffer: SharedBuffer,
}

/// Lends a part of a buffer as a tensor without gaps. The buffer lives until the tensor is deleted.
pub(crate) fn lend<'py, T: Managed>(
    py: Python<'py>,
    buffer: &SharedBuffer,
    pointer: u64,
    (shape, strides): (&[usize], &[usize]),
    (place, element): (Place, Element),
) -> PyResult<Bound<'py, PyCapsule>> {
    let signed = |sizes: &[usize]| sizes.iter().map(|&size| size as i64).collect();
    let mut lent =
        Box::new(Lent { shape: signed(shape), strides: signed(strides), _buffer: buffer.clone() });
    let tensor = Tensor {
        data: std::ptr::without_provenance_mut(pointer as usize),
        place,
        axes: shape.len() as i32,
        element,
        shape: lent.shape.as_mut_ptr(),
        strides: lent.strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let owner = Box::into_raw(lent).cast();
    let managed = NonNull::from(Box::leak(Box::new(T::of(tensor, owner, delete::<T>))));
    // SAFETY: the struct is of the kind that the name says, and `end` deletes it.
    let capsule = unsafe {
        PyCapsule::new_with_pointer_and_destructor(py, managed.cast(), T::NAME, Some(end::<T>))
    };
    if capsule.is_err() {
        // SAFETY: no capsule holds it.
        unsafe { delete(managed.as_ptr()) };
    }
    capsule
}

/// Deletes a tensor of ours. It touches nothing of Python, whose lock the thread may not hold.
///
/// # Safety
/// `lend` made the struct, and this is called once.
unsafe extern "C" fn delete<T: Managed>(managed: *mut T) {
    // SAFETY: both were boxed by `lend`.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.owner().cast::<Lent>()));
    }
}

/// The destructor of a capsule. If nobody has taken the tensor, it is deleted.
///
/// # Safety
/// `lend` made the capsule.
unsafe extern "C" fn end<T: Managed>(capsule: *mut ffi::PyObject) {
    let name = T::NAME.as_ptr();
    // SAFETY: Python calls this with the capsule, which holds a struct of `lend` under this name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, name) == 1 {
            let managed: *mut c_void = ffi::PyCapsule_GetPointer(capsule, name);
            delete(managed.cast::<T>());
        }
    }
}
