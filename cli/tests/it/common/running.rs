//! A run of the program in the background.

use super::workspace::Workspace;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run in the background, which is killed when it is dropped.
pub struct Running(Child);

/// Waits until a condition holds, and fails after two minutes.
pub fn wait_until(condition: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain: {condition}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Running {
    /// Starts the program in the workspace.
    pub fn start(workspace: &Workspace, arguments: &[&str], stderr: impl Into<Stdio>) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .current_dir(workspace.folder.path())
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn();
        Self(child.unwrap())
    }

    /// Starts the program in the workspace, and returns the first line that it prints to stdout.
    pub fn with_first_line(
        workspace: &Workspace,
        arguments: &[&str],
        stderr: impl Into<Stdio>,
    ) -> (Self, String) {
        let program = Command::new(env!("CARGO_BIN_EXE_raytwin"));
        Self::of(program, workspace, arguments, stderr)
    }

    /// Starts this program in the workspace, and returns the first line that it prints to stdout.
    pub fn of(
        mut program: Command,
        workspace: &Workspace,
        arguments: &[&str],
        stderr: impl Into<Stdio>,
    ) -> (Self, String) {
        program.args(arguments).current_dir(workspace.folder.path());
        let mut child = program.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (Self(child), line)
    }

    pub fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    /// Sends a signal by its name, such as INT.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.0.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success(), "{kill}");
    }

    /// Sends a signal, unless the run has ended by itself.
    pub fn signal_if_running(&mut self, name: &str) {
        if self.is_running() {
            self.signal(name);
        }
    }

    /// Waits for the end of the run. Returns the exit code, which is none after a signal that was not handled, and the
    /// text on stderr.
    pub fn end(mut self) -> (Option<i32>, String) {
        wait_until("the program ends", || !self.is_running());
        let mut errors = String::new();
        if let Some(mut stderr) = self.0.stderr.take() {
            stderr.read_to_string(&mut errors).unwrap();
        }
        (self.0.wait().unwrap().code(), errors)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
