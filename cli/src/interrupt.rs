//! Handles SIGINT and SIGTERM: an interrupted run removes its drafts, and prints how far it got and
//! how to continue. Also handles SIGABRT, which ends a program that has no memory left.

use super::console::Console;
use raytwin_files::abandon_drafts;
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// The time between two checks for signals.
const PAUSE: Duration = Duration::from_millis(20);

/// A second signal counts only this long after the first. A program such as `timeout` sends one
/// signal to a process and at once another to its group, and both mean the same.
const ONE_SIGNAL: Duration = Duration::from_secs(1);

/// Makes the first SIGINT or SIGTERM end the program in order, and a second one end it at once.
pub(super) fn watch(console: Console) -> io::Result<()> {
    let signal = Arc::new(AtomicUsize::new(0));
    let is_impatient = Arc::new(AtomicBool::new(false));
    for number in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(number, 128 + number, is_impatient.clone())?;
        flag::register_usize(number, signal.clone(), number as usize)?;
    }
    // By default, SIGXFSZ kills a process that writes beyond its file size limit. With a handler,
    // the write returns an error, which is reported.
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    thread::Builder::new().spawn(move || {
        loop {
            match signal.load(Ordering::Relaxed) as i32 {
                0 => thread::sleep(PAUSE),
                number => {
                    let is_impatient = is_impatient.clone();
                    // Without this thread, a second signal has no effect.
                    let _ = thread::Builder::new().spawn(move || {
                        thread::sleep(ONE_SIGNAL);
                        is_impatient.store(true, Ordering::Relaxed);
                    });
                    end(number, &console)
                }
            }
        }
    })?;
    Ok(())
}

/// Makes a failed allocation end the program with its own exit code. Rust's libraries and drivers
/// abort in this case, after a message.
pub(super) fn end_without_memory() -> io::Result<()> {
    let is_always = Arc::new(AtomicBool::new(true));
    flag::register_conditional_shutdown(SIGABRT, 5, is_always).map(drop)
}

fn end(number: i32, console: &Console) -> ! {
    // The lock keeps other threads from renaming a draft until the process is gone, so that no set
    // of outputs is incomplete.
    let _lock = abandon_drafts();
    let name = if number == SIGINT { "SIGINT" } else { "SIGTERM" };
    console.interrupted(name, (128 + number) as u8);
    // Destructors do not run here, because other threads may still be inside the libraries that
    // they would unload.
    low_level::exit(128 + number)
}
