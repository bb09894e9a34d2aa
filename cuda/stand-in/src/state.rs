//! What the driver knows, and how its functions answer.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CUresult`.
pub(crate) type Status = c_int;

pub(crate) const INVALID_VALUE: Status = 1;
pub(crate) const OUT_OF_MEMORY: Status = 2;
pub(crate) const NOT_INITIALIZED: Status = 3;
pub(crate) const NO_DEVICE: Status = 100;
pub(crate) const INVALID_DEVICE: Status = 101;
pub(crate) const INVALID_CONTEXT: Status = 201;

/// Memory that was imported.
pub(crate) struct Import {
    /// All that is mapped.
    pub(crate) begin: usize,
    pub(crate) bytes: usize,
    /// Where the part begins that the memory's maker handed out.
    pub(crate) data: usize,
}

/// Work that a card has been given.
pub(crate) enum Work {
    Copy { from: usize, to: usize, bytes: usize },
    Set { to: usize, value: u8, bytes: usize },
}

pub(crate) struct State {
    pub(crate) has_begun: bool,
    pub(crate) cards: Vec<[u8; 16]>,
    /// How often the primary context of each card is retained.
    pub(crate) retained: BTreeMap<c_int, u64>,
    /// How many contexts are pushed on all threads.
    pub(crate) pushed: i64,
    /// Imported memory by its handle.
    pub(crate) imports: BTreeMap<usize, Import>,
    /// The bytes of mappings by their addresses, with the import of each.
    pub(crate) mappings: BTreeMap<usize, (usize, usize)>,
    /// The bytes of memory of the host that passes for the card's, by its addresses.
    pub(crate) owned: BTreeMap<usize, usize>,
    pub(crate) work: Vec<Work>,
    pub(crate) next_handle: usize,
    /// The function that fails, and what it returns.
    pub(crate) failing: Option<(String, Status)>,
    /// What a driver may forgive.
    pub(crate) misuse: Vec<String>,
}

static STATE: Mutex<State> = Mutex::new(State {
    has_begun: false,
    cards: Vec::new(),
    retained: BTreeMap::new(),
    pushed: 0,
    imports: BTreeMap::new(),
    mappings: BTreeMap::new(),
    owned: BTreeMap::new(),
    work: Vec::new(),
    next_handle: 1,
    failing: None,
    misuse: Vec::new(),
});

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a call of a function, which fails where a test wants it to.
pub(crate) fn answer(
    function: &str,
    call: impl FnOnce(&mut State) -> Result<(), Status>,
) -> Status {
    let mut state = state();
    if let Some((failing, status)) = &state.failing
        && failing == function
    {
        return *status;
    }
    call(&mut state).err().unwrap_or(0)
}

impl Work {
    /// Returns true if it reads or writes some of these bytes.
    pub(crate) fn uses(&self, begin: usize, bytes: usize) -> bool {
        let is_there = |at: usize, count: usize| at < begin + bytes && begin < at + count;
        match *self {
            Self::Copy { from, to, bytes } => is_there(from, bytes) || is_there(to, bytes),
            Self::Set { to, bytes, .. } => is_there(to, bytes),
        }
    }
}

impl State {
    pub(crate) fn cards(&self) -> Result<&[[u8; 16]], Status> {
        if self.has_begun { Ok(&self.cards) } else { Err(NOT_INITIALIZED) }
    }

    pub(crate) fn card(&self, ordinal: c_int) -> Result<[u8; 16], Status> {
        let at = usize::try_from(ordinal).map_err(|_| INVALID_DEVICE)?;
        self.cards()?.get(at).copied().ok_or(INVALID_DEVICE)
    }

    pub(crate) fn misused(&mut self, what: impl Into<String>) {
        self.misuse.push(what.into());
    }

    pub(crate) fn handle(&mut self) -> usize {
        self.next_handle += 1;
        self.next_handle
    }

    /// Refuses addresses that are not the card's.
    pub(crate) fn check(&mut self, begin: usize, bytes: usize) -> Result<(), Status> {
        let of_mappings = self.mappings.range(..=begin).next_back();
        let of_mappings = of_mappings.map(|(at, (bytes, _))| at + bytes);
        let of_owned = self.owned.range(..=begin).next_back();
        let of_owned = of_owned.map(|(at, bytes)| at + bytes);
        let end = begin.checked_add(bytes).ok_or(INVALID_VALUE)?;
        if [of_mappings, of_owned].into_iter().flatten().any(|last| end <= last) {
            return Ok(());
        }
        self.misused(format!("{bytes} bytes at {begin:#x} are not the card's"));
        Err(INVALID_VALUE)
    }

    /// Does the work that the card has been given.
    pub(crate) fn finish(&mut self) {
        for work in std::mem::take(&mut self.work) {
            // SAFETY: the addresses were the card's when the work was given, and what would take
            // them away looks at the work.
            match work {
                Work::Copy { from, to, bytes } => unsafe {
                    std::ptr::copy(from as *const u8, to as *mut u8, bytes);
                },
                Work::Set { to, value, bytes } => unsafe {
                    std::ptr::write_bytes(to as *mut u8, value, bytes);
                },
            }
        }
    }
}
