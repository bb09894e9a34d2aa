//! What goes where: results to stdout, all else to stderr.

use super::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The rays cast between two movements of the progress bar. Answers do not depend on it.
const STRIDE: usize = 1 << 18;

/// How the user wants to be told.
#[derive(Clone)]
pub(super) struct Report {
    json: bool,
    quiet: bool,
    under_way: Arc<Mutex<UnderWay>>,
}

/// What is said of a command that is interrupted.
#[derive(Default)]
struct UnderWay {
    bar: Option<(ProgressBar, &'static str)>,
    /// What is kept, and how to go on.
    kept: Option<String>,
    is_done: bool,
}

impl Report {
    pub fn new(json: bool, quiet: bool) -> Self {
        Self { json, quiet, under_way: Arc::default() }
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what an interrupted run keeps from now on, and how to go on.
    pub fn keeps(&self, what_and_how: impl Into<String>) {
        self.under_way().kept = Some(what_and_how.into());
    }

    /// The last words of an interrupted run.
    pub fn interrupted(&self, signal: &str) {
        let UnderWay { bar, kept, is_done } = std::mem::take(&mut *self.under_way());
        if is_done {
            return self.error(&format!("interrupted by {signal} when all was done"));
        }
        let how_far = match bar {
            Some((bar, unit)) => {
                // Clearing it moves it to its end.
                let done = bar.position();
                bar.finish_and_clear();
                format!("after {done} of {} {unit}", bar.length().unwrap_or(0))
            }
            None => "before anything was cast".to_owned(),
        };
        let kept = kept.unwrap_or_else(|| "nothing is kept: run the same command again".to_owned());
        self.error(&format!("interrupted by {signal} {how_far}; {kept}"));
    }

    /// A result: the table, or with `--json` the object.
    pub fn result(&self, object: &Value, table: &str) -> Result<(), Failure> {
        self.under_way().is_done = true;
        if self.json { self.print(&format!("{object}\n")) } else { self.print(table) }
    }

    /// A text to stdout.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            // A reader that closed the pipe has seen what it wanted.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::input(format!("stdout: cannot be written: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// The summary of a command whose results are files: a line on stderr, with `--json` the object on
    /// stdout.
    pub fn summary(&self, object: &Value, line: &str) -> Result<(), Failure> {
        self.under_way().is_done = true;
        if self.json {
            return self.print(&format!("{object}\n"));
        }
        self.say(line);
        Ok(())
    }

    /// A message to stderr.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// What is wrong, quiet or not.
    pub fn error(&self, message: &str) {
        let _ = writeln!(std::io::stderr(), "error: {message}");
    }

    /// A bar of `count` rays or points, where stderr is a terminal: how many are done, how fast, how long yet.
    pub fn bar(&self, what: &'static str, unit: &'static str, count: usize) -> ProgressBar {
        // Drawn only to a terminal; indicatif sees to that.
        let bar = ProgressBar::new(count as u64);
        if self.quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        self.under_way().bar = Some((bar.clone(), unit));
        let template = "{msg} {wide_bar} {human_pos}/{human_len} {per_sec} {eta}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar
    }

    /// Runs `work` over a range stride by stride, with a bar.
    pub fn by_strides(
        &self,
        what: &'static str,
        count: usize,
        mut work: impl FnMut(Range<usize>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let bar = self.bar(what, "rays", count);
        for start in (0..count).step_by(STRIDE) {
            let end = count.min(start + STRIDE);
            work(start..end)?;
            bar.set_position(end as u64);
        }
        bar.finish_and_clear();
        Ok(())
    }
}

/// `1.25 s, 3.4 M rays/s`.
pub(super) fn speed(rays: usize, time: Duration) -> String {
    format!("{:.2} s, {:.2} M rays/s", time.as_secs_f64(), mrays_per_s(rays, time))
}

/// Million rays a second.
pub(super) fn mrays_per_s(rays: usize, time: Duration) -> f64 {
    rays as f64 / time.as_secs_f64().max(1e-9) / 1e6
}
