//! The stand-in for CUDA's driver, as tests command it.

use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_int};

/// It is the library that the package finds, too.
pub struct StandIn(Library);

/// What is alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alive {
    /// How often a context is retained.
    pub contexts: u64,
    /// How many contexts are pushed.
    pub pushed: u64,
    pub imports: u64,
    pub mappings: u64,
}

pub const NOTHING: Alive = Alive { contexts: 0, pushed: 0, imports: 0, mappings: 0 };

impl StandIn {
    pub fn load() -> Self {
        // SAFETY: the library runs nothing when it is loaded.
        let library = unsafe { Library::new("libcuda.so.1") };
        let library = library.expect("no stand-in for libcuda.so.1 here, so nothing was tested");
        let stand_in = Self(library);
        // A driver of NVIDIA has no such function.
        // SAFETY: the function is not called.
        unsafe { stand_in.0.get::<extern "C" fn()>(b"stand_in_counts") }.unwrap();
        stand_in
    }

    fn function<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: each caller below gives the type that the stand-in declares.
        unsafe { self.0.get(name.as_bytes()) }.unwrap()
    }

    pub fn set_cards(&self, uuids: &[[u8; 16]]) {
        let set = self.function::<extern "C" fn(*const [u8; 16], usize)>("stand_in_cards");
        set(uuids.as_ptr(), uuids.len());
    }

    /// Lets a function of the driver fail.
    pub fn let_fail(&self, function: &str, status: c_int) {
        let name = CString::new(function).unwrap();
        self.function::<extern "C" fn(*const c_char, c_int)>("stand_in_fail")(
            name.as_ptr(),
            status,
        );
    }

    pub fn let_nothing_fail(&self) {
        let fail = self.function::<extern "C" fn(*const c_char, c_int)>("stand_in_fail");
        fail(std::ptr::null(), 0);
    }

    /// Lets memory of the host pass for the card's.
    pub fn own(&self, pointer: u64, bytes: u64) {
        self.function::<extern "C" fn(u64, u64)>("stand_in_own")(pointer, bytes);
    }

    pub fn disown(&self, pointer: u64) {
        self.function::<extern "C" fn(u64)>("stand_in_disown")(pointer);
    }

    /// Gives the card a copy to do, once somebody waits for it.
    pub fn give_work(&self, to: u64, from: u64, bytes: u64) {
        self.function::<extern "C" fn(u64, u64, u64)>("stand_in_work")(to, from, bytes);
    }

    fn counts(&self) -> [u64; 5] {
        let mut counts = [0; 5];
        self.function::<extern "C" fn(*mut [u64; 5])>("stand_in_counts")(&raw mut counts);
        counts
    }

    pub fn alive(&self) -> Alive {
        let [contexts, pushed, imports, mappings, _] = self.counts();
        Alive { contexts, pushed, imports, mappings }
    }

    pub fn assert_nothing_is_left(&self) {
        let [.., misuse] = self.counts();
        assert_eq!((self.alive(), misuse), (NOTHING, 0));
    }

    pub fn forget_misuse(&self) {
        self.function::<extern "C" fn()>("stand_in_forget_misuse")();
    }
}
