//! Prints to stdout. It is an error if the program started without a stdout, as with `>&-`.

use super::Failure;
use std::fs::File;
use std::io::{self, ErrorKind, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

pub(super) fn write(print: impl FnOnce(&mut StdoutLock) -> io::Result<()>) -> Result<(), Failure> {
    refuse_closed()?;
    let mut stdout = io::stdout().lock();
    match print(&mut stdout).and_then(|()| stdout.flush()) {
        // A reader such as `head` closes the pipe when it has read enough. This is not an error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("stdout: cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns an error if there is no stdout. The result would be lost, although no write fails.
pub(super) fn refuse_closed() -> Result<(), Failure> {
    match WAS_CLOSED.load(Ordering::Relaxed) {
        true => Err(Failure::input(
            "stdout: cannot be written: it is closed or open only for reading, and raytwin prints the result there: open it, or send it to /dev/null",
        )),
        false => Ok(()),
    }
}

/// The system calls this before Rust starts and opens /dev/null in place of a closed stdout. Later,
/// nothing distinguishes the two: many launchers give programs such a /dev/null when nobody wants
/// their output.
#[cfg(unix)]
#[expect(
    unsafe_code,
    reason = "the linker knows by a section's name what is called before Rust begins"
)]
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        use std::os::fd::AsFd;
        // The number of the error "bad file descriptor" on every Unix. Rust's stdout treats it as a
        // success.
        const EBADF: i32 = 9;
        let stdout = io::stdout().as_fd().try_clone_to_owned();
        // An empty write shows whether a file is open for writing, and does nothing else.
        let written = stdout.and_then(|stdout| File::from(stdout).write(&[]));
        let is_closed = written.is_err_and(|error| error.raw_os_error() == Some(EBADF));
        WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
    look
};
