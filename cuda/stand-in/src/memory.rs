//! Memory of the card, which is imported and mapped.

use crate::contexts::current;
use crate::state::{INVALID_VALUE, Import, Status, answer};
use std::ffi::{c_int, c_long, c_uint, c_void};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;

unsafe extern "C" {
    fn mmap(
        address: *mut c_void,
        bytes: usize,
        protection: c_int,
        flags: c_int,
        descriptor: c_int,
        offset: c_long,
    ) -> *mut c_void;
    fn munmap(address: *mut c_void, bytes: usize) -> c_int;
}

/// Reads a number of a struct at a byte.
///
/// # Safety
/// The struct has such a number there.
pub(crate) unsafe fn field<T: Copy>(description: *const u8, at: usize) -> T {
    // SAFETY: as the caller says.
    unsafe { description.add(at).cast::<T>().read_unaligned() }
}

/// Imports a file that Mesa's software driver exported, by a description of type, descriptor at 8,
/// size at 24 and flags at 32.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuImportExternalMemory(
    memory: *mut *mut c_void,
    description: *const u8,
) -> Status {
    answer("cuImportExternalMemory", |state| {
        current()?;
        // SAFETY: these are the fields of CUDA_EXTERNAL_MEMORY_HANDLE_DESC.
        let (kind, descriptor, size, flags) = unsafe {
            (
                field::<c_int>(description, 0),
                field::<c_int>(description, 8),
                field::<u64>(description, 24),
                field::<c_uint>(description, 32),
            )
        };
        // A descriptor of a file, of an allocation that is one buffer's.
        if kind != 1 || flags != 1 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the descriptor is open. It is closed below only if all goes well, because only
        // then it is the driver's.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        let import = map(&file, descriptor).ok_or(INVALID_VALUE)?;
        if ((import.begin + import.bytes - import.data) as u64) < size {
            return Err(INVALID_VALUE);
        }
        drop(ManuallyDrop::into_inner(file));
        let handle = state.handle();
        state.imports.insert(handle, import);
        // SAFETY: the caller passes where to write a pointer.
        unsafe { *memory = handle as *mut c_void };
        Ok(())
    })
}

/// Maps a file of Mesa, which begins with its size and the byte at which the data begin.
fn map(file: &File, descriptor: c_int) -> Option<Import> {
    let mut head = [0; 16];
    file.read_exact_at(&mut head, 0).ok()?;
    let number = |at: usize| head.get(at..at + 8)?.try_into().ok().map(usize::from_ne_bytes);
    let (bytes, data) = (number(0)?, number(8)?);
    if data >= bytes || bytes as u64 > file.metadata().ok()?.len() {
        return None;
    }
    // SAFETY: new addresses are mapped, for reading and writing, and shared.
    let begin = unsafe { mmap(std::ptr::null_mut(), bytes, 1 | 2, 1, descriptor, 0) } as usize;
    (begin != usize::MAX).then_some(Import { begin, bytes, data: begin + data })
}

/// Maps a part of memory, by a description of offset and size.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuExternalMemoryGetMappedBuffer(
    pointer: *mut usize,
    memory: *mut c_void,
    description: *const u8,
) -> Status {
    answer("cuExternalMemoryGetMappedBuffer", |state| {
        current()?;
        // SAFETY: these are the fields of CUDA_EXTERNAL_MEMORY_BUFFER_DESC.
        let (offset, size, flags) = unsafe {
            (
                field::<u64>(description, 0) as usize,
                field::<u64>(description, 8) as usize,
                field::<c_uint>(description, 16),
            )
        };
        let import = state.imports.get(&(memory as usize)).ok_or(INVALID_VALUE)?;
        let begin = import.data + offset;
        if flags != 0 || begin + size > import.begin + import.bytes {
            return Err(INVALID_VALUE);
        }
        state.mappings.insert(begin, (size, memory as usize));
        // SAFETY: the caller passes where to write an address.
        unsafe { *pointer = begin };
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDestroyExternalMemory(memory: *mut c_void) -> Status {
    answer("cuDestroyExternalMemory", |state| {
        current()?;
        if state.mappings.values().any(|(_, import)| *import == memory as usize) {
            state.misused("memory is let go that is still mapped");
        }
        let Some(import) = state.imports.remove(&(memory as usize)) else {
            state.misused("memory is let go that was not imported");
            return Err(INVALID_VALUE);
        };
        // SAFETY: it was mapped by `map`, and nothing uses it.
        match unsafe { munmap(import.begin as *mut c_void, import.bytes) } {
            0 => Ok(()),
            _ => Err(INVALID_VALUE),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(pointer: usize) -> Status {
    answer("cuMemFree_v2", |state| {
        current()?;
        let Some((bytes, _)) = state.mappings.remove(&pointer) else {
            state.misused("memory is unmapped that was not mapped");
            return Err(INVALID_VALUE);
        };
        if state.work.iter().any(|work| work.uses(pointer, bytes)) {
            state.misused("memory is unmapped that work uses");
        }
        Ok(())
    })
}
