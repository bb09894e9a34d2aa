//! The functions of the CUDA driver, which is loaded at run time.

mod structs;

use crate::error::CudaError;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
pub(crate) use structs::{
    Copy2d, CopySide, DEDICATED, Handle, ImportDescription, MappingDescription, OPAQUE_FD, Uuid,
};

/// `CUresult`; zero is success.
pub(crate) type Status = c_int;
/// `CUdevice`.
pub(crate) type Device = c_int;
/// `CUdeviceptr`.
pub(crate) type DevicePointer = u64;
/// `CUcontext`.
pub(crate) type Context = *mut c_void;
/// `CUexternalMemory`.
pub(crate) type ExternalMemory = *mut c_void;
/// `CUstream`.
pub(crate) type Stream = *mut c_void;

/// The legacy default stream, on which copies without a stream run, and with which other blocking
/// streams synchronise.
pub(crate) const LEGACY_STREAM: usize = 1;

/// The driver was shut down, which happens before a program's last objects are dropped.
pub(crate) const DEINITIALIZED: Status = 4;

/// Declares the functions of the driver with the names that it exports. For a name that ends in
/// `_v2`, the plain name has another interface.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ty),*);)+) => {
        /// CUDA's driver. It is never unloaded: other libraries use it, too, and it has threads.
        pub(crate) struct Driver {
            $(pub(crate) $field: unsafe extern "system" fn($($argument),*) -> Status,)+
            device_get_uuid: unsafe extern "system" fn(*mut Uuid, Device) -> Status,
            _library: Library,
        }

        impl Driver {
            fn of(library: Library) -> Result<Self, CudaError> {
                Ok(Self {
                    // SAFETY: the signatures are those of cuda.h for these names.
                    $($field: unsafe { symbol(&library, $symbol) }?,)+
                    // A driver before 11.4 has the older one alone, which says the same of a card
                    // that is not divided.
                    // SAFETY: as above.
                    device_get_uuid: unsafe { symbol(&library, "cuDeviceGetUuid_v2") }
                        .or_else(|_| unsafe { symbol(&library, "cuDeviceGetUuid") })?,
                    _library: library,
                })
            }
        }
    };
}

functions! {
    init = "cuInit" (c_uint);
    get_error_name = "cuGetErrorName" (Status, *mut *const c_char);
    device_get_count = "cuDeviceGetCount" (*mut c_int);
    device_get = "cuDeviceGet" (*mut Device, c_int);
    device_get_name = "cuDeviceGetName" (*mut c_char, c_int, Device);
    primary_context_retain = "cuDevicePrimaryCtxRetain" (*mut Context, Device);
    primary_context_release = "cuDevicePrimaryCtxRelease_v2" (Device);
    context_push = "cuCtxPushCurrent_v2" (Context);
    context_pop = "cuCtxPopCurrent_v2" (*mut Context);
    context_synchronize = "cuCtxSynchronize" ();
    stream_synchronize = "cuStreamSynchronize" (Stream);
    import_memory = "cuImportExternalMemory" (*mut ExternalMemory, *const ImportDescription);
    map_memory = "cuExternalMemoryGetMappedBuffer" (
        *mut DevicePointer, ExternalMemory, *const MappingDescription
    );
    destroy_memory = "cuDestroyExternalMemory" (ExternalMemory);
    free = "cuMemFree_v2" (DevicePointer);
    set_bytes = "cuMemsetD8_v2" (DevicePointer, u8, usize);
    copy_on_card = "cuMemcpyDtoD_v2" (DevicePointer, DevicePointer, usize);
    // The plain function may reject distances of rows that CUDA did not choose.
    copy_rows = "cuMemcpy2DUnaligned_v2" (*const Copy2d);
    copy_to_host = "cuMemcpyDtoH_v2" (*mut c_void, DevicePointer, usize);
}

/// Finds a function.
///
/// # Safety
/// `T` is the function's type.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, CudaError> {
    // SAFETY: the caller knows the type.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|found| *found).map_err(|_| CudaError::OldDriver { symbol: name })
}

impl Driver {
    /// Loads the driver, once for the process.
    pub(crate) fn load() -> Result<&'static Self, CudaError> {
        static LOADED: OnceLock<Driver> = OnceLock::new();
        if let Some(driver) = LOADED.get() {
            return Ok(driver);
        }
        // SAFETY: what the driver runs when it is loaded is made to be run in any program.
        let library = unsafe { Library::new("libcuda.so.1") };
        let library = library.map_err(|error| CudaError::NoDriver { reason: error.to_string() })?;
        let driver = Self::of(library)?;
        Ok(LOADED.get_or_init(|| driver))
    }

    /// Turns what a call returned into a result.
    pub(crate) fn check(
        &self,
        what: &'static str,
        call: &'static str,
        status: Status,
    ) -> Result<(), CudaError> {
        match status {
            0 => Ok(()),
            code => Err(CudaError::Call {
                what,
                call,
                code,
                name: self.error_name(code),
                advice: advice(code),
            }),
        }
    }

    fn error_name(&self, code: Status) -> String {
        let mut name = std::ptr::null();
        // SAFETY: `name` is written.
        let status = unsafe { (self.get_error_name)(code, &raw mut name) };
        match status == 0 && !name.is_null() {
            // SAFETY: the driver's names are constants that end with a zero.
            true => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
            false => "an error without a name".to_owned(),
        }
    }

    /// Returns the identity of a card.
    pub(crate) fn uuid(&self, device: Device) -> Result<Uuid, CudaError> {
        let mut uuid = [0; 16];
        // SAFETY: `uuid` has the size of a CUuuid.
        let status = unsafe { (self.device_get_uuid)(&raw mut uuid, device) };
        self.check("read a card's identity", "cuDeviceGetUuid", status)?;
        Ok(uuid)
    }

    /// Returns the name of a card.
    pub(crate) fn name(&self, device: Device) -> Result<String, CudaError> {
        let mut name = [0_u8; 256];
        let size = name.len() as c_int;
        // SAFETY: no more than `size` bytes are written.
        let status = unsafe { (self.device_get_name)(name.as_mut_ptr().cast(), size, device) };
        self.check("read a card's name", "cuDeviceGetName", status)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(name.to_string_lossy().into_owned())
    }
}

/// Returns advice for an error.
fn advice(code: Status) -> &'static str {
    match code {
        2 => {
            "the card has no memory left: request less at a time, or end other programs that use its memory"
        }
        3 => {
            "a process that was forked after CUDA was initialised cannot use CUDA: start processes with 'spawn'"
        }
        100 => "no card is visible: check the list of nvidia-smi, and CUDA_VISIBLE_DEVICES",
        // Every later call in the process returns it, too.
        700 => {
            "a kernel of this process accessed invalid memory, after which CUDA cannot continue in this process: start the \
             process again"
        }
        _ => "check that nvidia-smi lists the card, and that the driver's versions match",
    }
}
