//! The commands on the pages for users run as they are written, in a folder that holds the examples.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// Returns the lines of a page's fenced blocks of shell commands.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    blocks.flat_map(|block| block.split("```").next().unwrap_or("").lines()).collect()
}

#[test]
fn every_command_on_the_pages_does_what_it_says() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_raytwin")).parent().unwrap();
    let others = std::env::var("PATH").unwrap();
    let mut pages = 0;
    for entry in std::fs::read_dir(project.join("docs/guide")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(project.join("examples"), folder.path().join("examples"))
            .unwrap();
        let commands = commands(&page);
        assert!(!commands.is_empty(), "{path:?} has no commands");
        for command in commands {
            assert!(command.starts_with("raytwin "), "{path:?}: '{command}' is not tested");
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(folder.path())
                .env("PATH", format!("{}:{others}", program.display()))
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{path:?}: {command}\n{errors}");
            assert!(!errors.contains("warning"), "{path:?}: {command}\n{errors}");
        }
        pages += 1;
    }
    assert_eq!(pages, 7);
}
