//! A run that is ended early removes its drafts, and says how far it came and how to go on.

use super::report::Report;
use raytwin::io::abandon_drafts;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How long a signal may wait until it is seen.
const PAUSE: Duration = Duration::from_millis(20);

/// From now on, SIGINT and SIGTERM end the program in order, and a second one ends it at once.
pub(super) fn watch(report: Report) -> io::Result<()> {
    let signal = Arc::new(AtomicUsize::new(0));
    let is_ending = Arc::new(AtomicBool::new(false));
    for number in [SIGINT, SIGTERM] {
        // What is registered first runs first: at the first signal the flag is not set yet.
        flag::register_conditional_shutdown(number, 128 + number, is_ending.clone())?;
        flag::register(number, is_ending.clone())?;
        flag::register_usize(number, signal.clone(), number as usize)?;
    }
    // Writing a file that grows longer than it may is then an error, which is told, and not the end.
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    thread::spawn(move || {
        loop {
            match signal.load(Ordering::Relaxed) as i32 {
                0 => thread::sleep(PAUSE),
                number => end(number, &report),
            }
        }
    });
    Ok(())
}

fn end(number: i32, report: &Report) -> ! {
    let _nothing_appears = abandon_drafts();
    report.interrupted(if number == SIGINT { "SIGINT" } else { "SIGTERM" });
    // Without the destructors of libraries that other threads are still in.
    low_level::exit(128 + number)
}
