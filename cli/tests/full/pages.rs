//! The commands on the pages run as they are written, in a folder that holds the examples.

#![cfg(unix)]

use crate::common::documentation::{PROJECT, pages};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// The commands that a test of this kind cannot run, each with the file whose run holds it. A command may end in `…`, which stands
/// for anything.
const HELD_ELSEWHERE: [(&str, &str); 7] = [
    ("cargo run --release -- render examples/scenes/gallery.json", ".ci/stranger"),
    ("sh .ci/test", ".ci/run"),
    ("cargo install --path cli", ".ci/stranger"),
    ("pip install ./python", ".ci/stranger"),
    ("apt-get install -y --no-install-recommends mesa-vulkan-drivers libvulkan1", ".ci/prepare"),
    // Its device takes half a minute and more, which other tests take already.
    ("raytwin diff --self-test…", "cli/tests/it/faults.rs"),
    ("raytwin witness…", "cli/tests/it/witness.rs"),
];

/// Returns the lines of a page's fenced blocks of shell commands, without their comments.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or("").lines());
    lines.map(|line| line.split(" #").next().unwrap_or(line).trim_end()).collect()
}

/// Returns where a command is run, if not here.
fn held_elsewhere(command: &str) -> Option<&'static str> {
    let is_that = |listed: &str| match listed.strip_suffix('…') {
        Some(beginning) => command.starts_with(beginning),
        None => command == listed,
    };
    HELD_ELSEWHERE.iter().find(|(listed, _)| is_that(listed)).map(|(_, place)| *place)
}

/// Runs the commands of a page in a folder of its own. Returns how many there are, and those that go wrong.
fn run(path: &str, page: &str) -> (usize, Vec<String>) {
    let program = Path::new(env!("CARGO_BIN_EXE_raytwin")).parent().unwrap();
    let others = std::env::var("PATH").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let examples = Path::new(PROJECT).join("examples");
    std::os::unix::fs::symlink(examples, folder.path().join("examples")).unwrap();
    let (mut used, mut wrong) = (0, Vec::new());
    for command in commands(page).into_iter().filter(|command| held_elsewhere(command).is_none()) {
        assert!(command.starts_with("raytwin "), "{path}: '{command}' is not tested");
        // Light takes most of a render's time, and the pages' answers do not depend on it.
        let is_lit = command.starts_with("raytwin render") && !command.contains("--shading");
        let less = if is_lit { " --shading 1" } else { "" };
        let output = Command::new("sh")
            .args(["-c", &format!("{command}{less}")])
            .current_dir(folder.path())
            .env("PATH", format!("{}:{others}", program.display()))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        // Normals follow from what is judged.
        let mut warnings = errors.lines().filter(|line| line.contains("warning"));
        if !output.status.success() || warnings.any(|line| !line.contains("not judged")) {
            wrong.push(format!("{path}: {command}\n{errors}"));
        }
        used += 1;
    }
    (used, wrong)
}

#[test]
fn every_command_on_the_pages_does_what_it_says() {
    let pages = pages();
    // It takes longer than all other tests, so that two pages are run at a time.
    let waiting = Mutex::new(pages.iter());
    let next = || waiting.lock().unwrap().next();
    let run_pages =
        || std::iter::from_fn(next).map(|(path, page)| run(path, page)).collect::<Vec<_>>();
    let outcomes: Vec<(usize, Vec<String>)> = std::thread::scope(|scope| {
        let other = scope.spawn(run_pages);
        let own = run_pages();
        own.into_iter().chain(other.join().unwrap()).collect()
    });
    let wrong: Vec<&str> =
        outcomes.iter().flat_map(|(_, wrong)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let used: usize = outcomes.iter().map(|(used, _)| used).sum();
    assert!(used > 80, "{used}");
}

#[test]
fn what_is_held_elsewhere_is_there_and_on_a_page() {
    let pages = pages();
    let on_pages: Vec<_> = pages.iter().flat_map(|(_, page)| commands(page)).collect();
    for (command, place) in HELD_ELSEWHERE {
        assert!(Path::new(PROJECT).join(place).exists(), "{place}");
        assert!(on_pages.iter().any(|line| held_elsewhere(line) == Some(place)), "{command}");
    }
}
