//! Results that are printed, and places that do not take them.

use crate::common::workspace::*;
use std::fs::File;
use std::process::{Command, Stdio};

/// Runs the program by a shell's command line, in which `"$0" "$@"` stands for it.
fn by_shell(workspace: &Workspace, line: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_raytwin");
    let output = Command::new("sh")
        .args([&["-c", line, program], arguments].concat())
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_result_that_stdout_does_not_take_is_an_error() {
    let workspace = Workspace::new();
    let lines =
        [r#"exec "$0" "$@" >&-"#, r#"exec "$0" "$@" 1</dev/null"#, r#"exec "$0" "$@" >/dev/full"#];
    let lines = &lines[..if cfg!(target_os = "linux") { 3 } else { 2 }];
    for line in lines {
        for arguments in [
            &["--help"][..],
            &["--version"],
            &["info", "scene.json"],
            &["schema"],
            &["completions", "bash"],
            &["pick", "scene.json", "--ray", "0,0,5,0,0,-1", "--device", "cpu"],
            &["diff", "scene.json", "rays.npy", "--device", "cpu"],
            &["sample", "scene.json", "--rays", "9", "--device", "cpu"],
            &["query", "scene.json", "rays.npy", "-o", "h.npz", "--device", "cpu", "--json"],
        ] {
            let (code, errors) = by_shell(&workspace, line, arguments);
            assert_eq!(code, Some(3), "{line} {arguments:?}: {errors}");
            assert!(errors.contains("stdout: cannot be written"), "{arguments:?}: {errors}");
        }
        // The codes of errors stay, and what prints no result needs no stdout.
        assert_eq!(by_shell(&workspace, line, &["info", "absent.json", "--json"]).0, Some(3));
        assert_eq!(by_shell(&workspace, line, &["--nonsense", "--json"]).0, Some(2));
        let query = ["query", "scene.json", "rays.npy", "-o", "h.npz", "--device", "cpu"];
        let (code, errors) = by_shell(&workspace, line, &query);
        assert_eq!(code, Some(0), "{errors}");
    }
}

/// Python and Node give this to programs whose output is not wanted. It is open as Rust opens it in place of a closed
/// stdout.
#[cfg(unix)]
#[test]
fn a_null_device_that_is_open_both_ways_takes_results() {
    let workspace = Workspace::new();
    let null = File::options().read(true).write(true).open("/dev/null").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_raytwin"))
        .args(["info", "scene.json", "--json"])
        .current_dir(workspace.folder.path())
        .stdout(Stdio::from(null))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_no_unicode_is_shown_in_the_summary() {
    use std::os::unix::ffi::OsStrExt;
    let workspace = Workspace::new();
    let named = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
    let json = |arguments: &[std::ffi::OsString]| {
        let output = Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .args(["--device", "cpu", "--json"])
            .current_dir(workspace.folder.path())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let words = |words: &[&[u8]]| words.iter().map(|word| named(word)).collect::<Vec<_>>();
    let query = json(&words(&[b"query", b"scene.json", b"rays.npy", b"-o", b"h\xff.npz"]));
    assert_eq!(query["files"][0], "h\u{fffd}.npz");
    assert!(workspace.folder.path().join(named(b"h\xff.npz")).exists());
    std::fs::copy(workspace.path("scene.json"), workspace.folder.path().join(named(b"s\xff.json")))
        .unwrap();
    for command in [
        &[&b"diff"[..], b"s\xff.json", b"rays.npy", b"--report", b"r\xff"][..],
        &[b"info", b"s\xff.json"],
        &[b"convert", b"s\xff.json", b"c\xff.json"],
        &[b"render", b"s\xff.json", b"--out", b"o\xff", b"--size", b"4x4", b"--shading", b"0"],
        &[b"sample", b"s\xff.json", b"--rays", b"9", b"-o", b"t\xff.json"],
    ] {
        let summary = json(&words(command));
        assert_eq!(summary["command"], String::from_utf8_lossy(command[0]).as_ref());
    }
}
