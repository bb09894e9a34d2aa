//! Results go to stdout; messages, errors and progress go to stderr.

use super::summary::{ErrorObject, ErrorSummary, JsonOutput, Summary};
use super::{CommandFlags, Failure, stdout};
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use raytwin_files::Outputs;
use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The number of rays between two moves of the progress bar. Answers do not depend on it.
pub(super) const STRIDE: usize = 1 << 18;

/// After this time without output, a command prints the name of its current phase.
const PATIENCE: Duration = Duration::from_secs(1);

/// The colours of clap's own errors. anstream leaves them out if stderr is not a terminal or if
/// `NO_COLOR` is set.
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Prints results and messages in the form that the flags choose.
#[derive(Clone)]
pub(super) struct Console {
    /// The name of the command, and its flags.
    command: String,
    flags: CommandFlags,
    json: bool,
    quiet: bool,
    progress: Arc<Mutex<Progress>>,
    /// The time of the last message, or else of the start of the command.
    spoke: Arc<Mutex<Instant>>,
}

/// The state of the command, for the message after an interruption.
#[derive(Default)]
struct Progress {
    /// The bar, and the unit that it counts.
    bar: Option<(ProgressBar, &'static str)>,
    /// The text that states what is kept, and how to continue.
    kept: Option<String>,
    /// True once all outputs have appeared.
    is_written: bool,
    is_done: bool,
    /// The last message of a command that only a signal ends.
    last: Option<String>,
}

impl Console {
    pub fn new(command: &str, flags: CommandFlags, json: bool, quiet: bool) -> Self {
        let spoke = Arc::new(Mutex::new(Instant::now()));
        Self { command: command.to_owned(), flags, json, quiet, progress: Arc::default(), spoke }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spoke(&self) -> MutexGuard<'_, Instant> {
        self.spoke.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the text that an interrupted run prints: what it keeps and how to continue.
    pub fn keeps(&self, text: impl Into<String>) {
        self.progress().kept = Some(text.into());
    }

    /// Sets this text for a run that keeps its results in a file.
    pub fn keeps_in(&self, partial: &Path) {
        let shown = partial.display();
        self.keeps(format!(
            "the results so far are in {shown}: the same command continues from there"
        ));
    }

    /// Sets this text for a run that would keep its results with `--resume`.
    pub fn keeps_nothing_yet(&self) {
        self.keeps(
            "nothing is kept: run the same command again; with --resume, an interrupted run can continue",
        );
    }

    /// Publishes outputs, which are all outputs of the run. A later interruption reports that they
    /// are written.
    pub fn publish(&self, outputs: Outputs) -> Result<(), Failure> {
        Ok(outputs.publish_and(|| self.progress().is_written = true)?)
    }

    /// Sets the last message of a command that only a signal ends.
    pub fn ends_by_signal(&self, text: impl Into<String>) {
        self.progress().last = Some(text.into());
    }

    /// Prints how far an interrupted run got.
    pub fn interrupted(&self, signal: &str, code: u8) {
        let Progress { bar, kept, is_written, is_done, last } =
            std::mem::take(&mut *self.progress());
        if let Some(last) = last {
            return self.say(&last);
        }
        if is_done {
            // The result is already printed, and stdout has only one object.
            return self.error(&format!("interrupted by {signal} after everything was done"));
        }
        if is_written {
            if let Some((bar, _)) = bar {
                bar.finish_and_clear();
            }
            let message = format!("interrupted by {signal} after all outputs were written");
            return self.fail(&Failure { code, message, flags: &[] });
        }
        let how_far = match bar {
            Some((bar, unit)) => {
                // Read the position first, because clearing the bar moves it to its end.
                let done = bar.position();
                bar.finish_and_clear();
                format!("after {done} of {} {unit}", bar.length().unwrap_or(0))
            }
            None => "before any ray was cast".to_owned(),
        };
        let kept = kept.unwrap_or_else(|| "nothing is kept: run the same command again".to_owned());
        let message = format!("interrupted by {signal} {how_far}; {kept}");
        self.fail(&Failure { code, message, flags: &[] });
    }

    /// Prints a result to stdout: the table, or with `--json` the object.
    pub fn result(&self, summary: Summary, table: &str) -> Result<(), Failure> {
        self.progress().is_done = true;
        if self.json { self.object(JsonOutput::Done(Box::new(summary))) } else { self.print(table) }
    }

    fn object(&self, output: JsonOutput) -> Result<(), Failure> {
        let text = serde_json::to_string(&output);
        let text = text.map_err(|error| Failure::input(format!("stdout: {error}")))?;
        self.print(&format!("{text}\n"))
    }

    /// Returns true if the summary is an object on stdout, where nothing else may be printed.
    pub fn is_json(&self) -> bool {
        self.json
    }

    pub fn print(&self, text: &str) -> Result<(), Failure> {
        stdout::write(|stdout| stdout.write_all(text.as_bytes()))
    }

    /// Prints the summary of a command that writes files: a line on stderr, or with `--json` the
    /// object on stdout.
    pub fn summary(&self, summary: Summary, line: &str) -> Result<(), Failure> {
        self.progress().is_done = true;
        if self.json {
            return self.object(JsonOutput::Done(Box::new(summary)));
        }
        self.say(line);
        Ok(())
    }

    /// Prints a message to stderr, unless `--quiet` is given.
    pub fn say(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{line}");
            *self.spoke() = Instant::now();
        }
    }

    /// Prints a warning to stderr, unless `--quiet` is given.
    pub fn warn(&self, message: &str) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{WARNING}warning:{WARNING:#} {message}");
        }
    }

    /// Prints an error to stderr, even with `--quiet`.
    pub fn error(&self, message: &str) {
        let _ = writeln!(anstream::stderr(), "{ERROR}error:{ERROR:#} {message}");
    }

    /// Prints the failure that ends the command: on stderr, or with `--json` as an object on
    /// stdout.
    pub fn fail(&self, failure: &Failure) {
        let message = self.text(failure);
        let error = ErrorObject { message: message.clone(), code: failure.code };
        let object = ErrorSummary { command: Some(self.command.clone()), error };
        if !self.json || self.object(JsonOutput::Failed(object)).is_err() {
            self.error(&message);
        }
    }

    /// Returns the text of a failure, with those of its flags that the command accepts.
    pub fn text(&self, failure: &Failure) -> String {
        format!("{}{}", failure.message, self.flags.advice(failure.flags))
    }

    /// Runs a phase of a command. If it is slow, its name is printed on stderr, so that people know
    /// why they wait.
    pub fn phase<T>(&self, name: &str, work: impl FnOnce() -> T) -> T {
        let patience = PATIENCE.saturating_sub(self.spoke().elapsed());
        announced_if_slow(patience, || self.say(&format!("{name} ...")), work)
    }

    /// Casts rays or points while files are read and written. If the bar is hidden, this is a phase
    /// of its own.
    pub fn casting<T>(&self, bar: &ProgressBar, work: impl FnOnce() -> T) -> T {
        match bar.is_hidden() {
            true => self.phase("compiling, reading, casting and writing", work),
            false => work(),
        }
    }

    /// Shows the progress through `count` rays or points. indicatif draws the bar only if stderr is
    /// a terminal.
    pub fn bar(&self, command: &'static str, unit: &'static str, count: usize) -> ProgressBar {
        let bar = ProgressBar::new(count as u64);
        if self.quiet {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        self.progress().bar = Some((bar.clone(), unit));
        let template = "{msg} {wide_bar} {done} of {all}, {rate}/s, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            let style = style
                .with_key("done", |state: &ProgressState, text: &mut dyn fmt::Write| {
                    let _ = text.write_str(&rounded(state.pos() as f64));
                })
                .with_key("all", |state: &ProgressState, text: &mut dyn fmt::Write| {
                    let _ = text.write_str(&rounded(state.len().unwrap_or(0) as f64));
                })
                .with_key("rate", |state: &ProgressState, text: &mut dyn fmt::Write| {
                    let _ = text.write_str(&rounded(state.per_sec()));
                });
            bar.set_style(style);
        }
        bar.set_message(command);
        bar
    }

    /// Runs `work` for one stride of `count` rays after the other, and moves a progress bar.
    pub fn by_strides(
        &self,
        command: &'static str,
        count: usize,
        mut work: impl FnMut(Range<usize>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let bar = self.bar(command, "rays", count);
        self.casting(&bar, || -> Result<(), Failure> {
            (0..count).step_by(STRIDE).try_for_each(|start| {
                let end = count.min(start + STRIDE);
                work(start..end)?;
                bar.set_position(end as u64);
                Ok(())
            })
        })?;
        bar.finish_and_clear();
        Ok(())
    }
}

/// Runs `work`, and calls `announce` meanwhile if it takes longer than `patience`.
fn announced_if_slow<T>(
    patience: Duration,
    announce: impl FnOnce() + Send,
    work: impl FnOnce() -> T,
) -> T {
    let (done, waits) = channel::<()>();
    let watch = move || {
        if waits.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
            announce();
        }
    };
    thread::scope(|scope| {
        // Without a thread, nothing is printed.
        let _ = thread::Builder::new().spawn_scoped(scope, watch);
        let result = work();
        drop(done);
        result
    })
}

/// Formats a time and a rate, such as `1.25 s, 3.40 M rays/s`.
pub(super) fn speed(rays: usize, time: Duration) -> String {
    format!("{:.2} s, {:.2} M rays/s", time.as_secs_f64(), mrays_per_s(rays, time))
}

/// Computes the rays cast per second, in millions.
pub(super) fn mrays_per_s(rays: usize, time: Duration) -> f64 {
    rays as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// Rounds a number to three digits, such as `1.05 M`.
fn rounded(number: f64) -> String {
    let (scaled, unit) = match number {
        ..999.5 => return format!("{number:.0}"),
        ..999.5e3 => (number / 1e3, "k"),
        ..999.5e6 => (number / 1e6, "M"),
        _ => (number / 1e9, "G"),
    };
    let decimals = match scaled {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_slow_is_reported_while_it_runs_and_nothing_else() {
        let (announced, is_announced) = channel();
        let work = || is_announced.recv_timeout(Duration::from_secs(60));
        assert_eq!(announced_if_slow(Duration::ZERO, || announced.send(7).unwrap(), work), Ok(7));
        let start = std::time::Instant::now();
        assert_eq!(
            announced_if_slow(Duration::from_secs(60), || panic!("it is not slow"), || 7),
            7
        );
        assert!(start.elapsed() < Duration::from_secs(30), "nobody waits for the watch");
    }

    #[test]
    fn progress_counts_in_round_numbers() {
        for (number, text) in [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1.00 k"),
            (262_144.0, "262 k"),
            (1_048_576.0, "1.05 M"),
            (99_960_000.0, "100 M"),
            (2.5e9, "2.50 G"),
        ] {
            assert_eq!(rounded(number), text);
        }
    }
}
