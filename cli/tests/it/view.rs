//! `raytwin view`: the page, the scene with its flags, changes of its files, and the end.

use crate::common::running::*;
use crate::common::served::*;
use crate::common::workspace::*;
use raytwin_formats::{JointValue, Options};
use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};

const ARM: &str = include_str!("../../../examples/robots/arm.urdf");

#[test]
fn the_page_is_served_from_memory_with_headers_that_keep_others_out() {
    let workspace = Workspace::new();
    let outside = workspace.path("outside.js");
    fs::write(&outside, "secret").unwrap();
    write_page(&workspace, "page");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, workspace.path("page/link.js")).unwrap();
    let served = Served::start(&workspace, &["scene.json"]);
    // No request reads the disk.
    fs::remove_dir_all(workspace.path("page")).unwrap();
    for (path, kind, text) in [
        ("", "text/html; charset=utf-8", "<title>page</title>"),
        ("?served", "text/html; charset=utf-8", "<title>page</title>"),
        ("index.html", "text/html; charset=utf-8", "<title>page</title>"),
        ("main.js", "text/javascript; charset=utf-8", "export {};"),
        ("module.wasm", "application/wasm", "\0asm"),
        ("examples/arm.urdf", "application/octet-stream", "<robot/>"),
    ] {
        let answer = served.get(path);
        assert_eq!((answer.status, &answer.body[..]), (200, text.as_bytes()), "{path}");
        assert_eq!(answer.header("Content-Type"), Some(kind), "{path}");
        for (name, value) in [
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}");
        }
        let policy = answer.header("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"));
        assert!(!policy.contains("http") && !policy.contains("unsafe-inline"), "{policy}");

        let Served { port, token, .. } = &served;
        let head = served
            .answer_to(format!("HEAD /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"));
        assert_eq!((head.status, &head.head, head.body.len()), (200, &answer.head, 0), "{path}");
    }
    assert_eq!(served.get("link.js").status, 404);
}

#[test]
fn the_page_gets_the_scene_to_the_bit_with_the_flags_as_they_were_typed() {
    let workspace = Workspace::new();
    let plain = Served::start(&workspace, &["scene.json", "--ignore", "ball", "--origin=1,0,0"]);
    let (summary, scene) = plain.get("scene").scene();
    assert_eq!(summary["name"], "scene.json");
    assert_eq!(summary["typed"], "scene.json --origin=1,0,0 --ignore ball");
    assert!(summary["error"].is_null() && summary["joints"].as_array().unwrap().is_empty());
    let options = Options {
        origin: Some(raytwin_formats::Origin::At([1.0, 0.0, 0.0].into())),
        ..Options::default()
    };
    let mut expected = raytwin_formats::load(workspace.path("scene.json"), &options).unwrap().scene;
    expected.hide_all(&expected.select("ball"));
    assert!(scene.unwrap().to_bytes() == expected.to_bytes());

    workspace.write("my arm.urdf", ARM);
    let robot =
        Served::start(&workspace, &["my arm.urdf", "--joint", "elbow=30deg", "--collision"]);
    let posed = |elbow: JointValue, waist: f64| {
        let joints = vec![("elbow".to_owned(), elbow), ("waist".to_owned(), waist.into())];
        let options = Options { joints, collision: true, ..Options::default() };
        raytwin_formats::load(workspace.path("my arm.urdf"), &options).unwrap().scene.to_bytes()
    };
    let (summary, scene) = robot.get("scene").scene();
    assert_eq!(summary["typed"], "'my arm.urdf' --collision --joint elbow=30deg");
    assert!(scene.unwrap().to_bytes() == posed(JointValue::Degrees(30.0), 0.0));
    let names: Vec<_> =
        summary["joints"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.iter().any(|name| *name == "waist"), "{names:?}");

    let (summary, scene) = robot.get("scene?waist=0.1&elbow=-1e-7").scene();
    assert_eq!(
        summary["typed"],
        "'my arm.urdf' --collision --joint waist=0.1 --joint elbow=-0.0000001"
    );
    assert!(scene.unwrap().to_bytes() == posed(JointValue::Plain(-1e-7), 0.1));
    let (summary, scene) = robot.get("scene?wrong=1").scene();
    assert!(scene.is_none());
    let message = summary["error"].as_str().unwrap();
    assert!(message.contains("has no moving joint 'wrong'"), "{message}");
}

/// Waits until a version of the scene comes that is not this one, and returns it.
fn next_version(served: &Served, seen: u64) -> u64 {
    let mut version = seen;
    wait_until("the scene is read again", || {
        let answer = served.get(&format!("changes?since={seen}"));
        version = String::from_utf8(answer.body).unwrap().parse().unwrap();
        version != seen
    });
    version
}

#[test]
fn a_change_is_read_a_fault_is_reported_and_a_mended_file_goes_on() {
    let workspace = Workspace::new();
    let mesh = r#"{ "type": "mesh", "file": "part.obj" }"#;
    let scene = format!(r#"{{ "raytwin": 1, "shapes": [ {mesh} ] }}"#);
    workspace.write("meshed.json", &scene);
    let part = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    workspace.write("part.obj", part);
    let served = Served::start(&workspace, &["meshed.json"]);
    let summary = || served.get("scene").scene();
    let primitives = || summary().1.unwrap().primitive_count();
    assert_eq!(primitives(), 1);

    // A file that the scene names, written in place.
    workspace.write("part.obj", format!("{part}f 1 2 4\n"));
    assert_eq!((next_version(&served, 0), primitives()), (1, 2));

    // The scene itself, which an editor replaces.
    workspace.write("new.json", scene.replace(mesh, &format!("{mesh}, {mesh}")));
    fs::rename(workspace.path("new.json"), workspace.path("meshed.json")).unwrap();
    assert_eq!((next_version(&served, 1), primitives()), (2, 4));

    workspace.write("meshed.json", &scene[..30]);
    assert_eq!(next_version(&served, 2), 3);
    let (broken, none) = summary();
    let expected = workspace.fails(3, &["info", "meshed.json"]);
    let message = broken["error"].as_str().unwrap().to_owned();
    assert!(none.is_none() && expected.contains(&message), "{message}");
    let errors = fs::read_to_string(workspace.path("stderr")).unwrap();
    assert!(errors.contains(&format!("error: {message}")), "{errors}");
    // The server still stands, and says the same.
    assert_eq!(served.get("").status, 200);

    workspace.write("meshed.json", &scene);
    assert_eq!((next_version(&served, 3), primitives()), (4, 2));

    // A file that is gone for long is an error, until it is back.
    fs::remove_file(workspace.path("part.obj")).unwrap();
    assert_eq!(next_version(&served, 4), 5);
    let (missing, _) = summary();
    assert!(missing["error"].as_str().unwrap().contains("part.obj: cannot be read"), "{missing}");
    workspace.write("part.obj", part);
    assert_eq!((next_version(&served, 5), primitives()), (6, 1));
    let errors = fs::read_to_string(workspace.path("stderr")).unwrap();
    assert_eq!(errors.matches("reread meshed.json").count(), 4, "{errors}");
}

#[test]
#[cfg(unix)]
fn a_pipe_in_place_of_a_file_is_refused_until_a_file_is_back() {
    let workspace = Workspace::new();
    let scene =
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ] }"#;
    workspace.write("scene.json", scene);
    let served = Served::start(&workspace, &["scene.json"]);
    let path = workspace.path("scene.json");
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(next_version(&served, 0), 1);
    let (summary, _) = served.get("scene").scene();
    let error = summary["error"].as_str().unwrap();
    assert!(error.contains("scene.json: cannot be read: it is a pipe"), "{error}");
    fs::remove_file(&path).unwrap();
    workspace.write("scene.json", scene);
    assert_eq!(next_version(&served, 1), 2);
    assert!(served.get("scene").scene().1.is_some());
}

#[test]
fn what_cannot_be_served_is_refused_with_what_to_do() {
    let workspace = Workspace::new();
    write_page(&workspace, "page");
    fs::create_dir(workspace.path("empty")).unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let with_page = |arguments: &[&'static str]| {
        [&["view"], arguments, &["--no-open", "--page", "page"]].concat()
    };
    for (code, arguments, messages) in [
        (3, with_page(&["scen.json"]), ["did you mean scene.json?", ""]),
        (
            3,
            vec!["view", "scene.json", "--page", "empty"],
            ["--page empty: has no index.html", "target/web"],
        ),
        (3, vec!["view", "scene.json", "--page", "none"], ["--page none: has no index.html", ""]),
        (
            2,
            with_page(&["scene.json", "--device", "GeForce"]),
            ["the browser chooses the GPU", "cpu"],
        ),
        (2, with_page(&["scene.json", "--port", "80"]), ["80", "1024"]),
        (3, with_page(&["scene.json", "--ignore", "none"]), ["has no such shape", ""]),
    ] {
        let errors = workspace.fails(code, &arguments);
        assert!(messages.iter().all(|message| errors.contains(message)), "{errors}");
    }
    let errors =
        workspace.fails(3, &[&with_page(&["scene.json"])[..], &["--port", &port]].concat());
    assert!(errors.contains(&format!("--port {port}: cannot be used")), "{errors}");
    assert!(errors.contains("give another port"), "{errors}");
}

#[test]
fn the_page_is_in_the_program_if_it_was_built_before() {
    let workspace = Workspace::new();
    // A scene that is not there is said first, page or not.
    let errors = workspace.fails(3, &["view", "absent.json", "--no-open"]);
    assert!(errors.contains("absent.json"), "{errors}");
    if cfg!(has_page) {
        let view = ["view", "scene.json", "--no-open"];
        let program = Command::new(env!("CARGO_BIN_EXE_raytwin"));
        let (running, address) = Running::of(program, &workspace, &view, Stdio::null());
        let (port, token) = parts_of(&address);
        let served = Served { running, port, token };
        let page = String::from_utf8(served.get("").body).unwrap();
        assert!(page.contains("<title>raytwin</title>"), "{page}");
        let module = served.get("raytwin_web_bg.wasm");
        assert_eq!(module.header("Content-Type"), Some("application/wasm"));
        assert!(module.body.starts_with(b"\0asm"));
    } else {
        let errors = workspace.fails(3, &["view", "scene.json", "--no-open"]);
        assert!(errors.contains("cargo run --release -p raytwin-web-builder"), "{errors}");
    }
}

/// A program of the name by which desktops open addresses notes what it is to open.
#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn a_browser_is_opened_where_there_is_a_display_by_an_address_that_works_once() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    write_page(&workspace, "page");
    workspace
        .write("xdg-open", "#!/bin/sh\nprintf %s \"$1\" > opened.new && mv opened.new opened\n");
    fs::set_permissions(workspace.path("xdg-open"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", workspace.folder.path().display());
    let start = |environment: &[(&str, &str)]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_raytwin"));
        program.env("PATH", &path);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY", "WSL_DISTRO_NAME"] {
            program.env_remove(name);
        }
        program.envs(environment.iter().copied());
        let stderr = fs::File::create(workspace.path("stderr")).unwrap();
        let view = ["view", "scene.json", "--page", "page"];
        let (running, address) = Running::of(program, &workspace, &view, stderr);
        wait_until("it says that it serves", || {
            fs::read_to_string(workspace.path("stderr")).unwrap().contains("until Ctrl-C")
        });
        let (port, token) = parts_of(&address);
        (Served { running, port, token }, fs::read_to_string(workspace.path("stderr")).unwrap())
    };
    for environment in [&[][..], &[("DISPLAY", ":0"), ("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22")]]
    {
        let (served, errors) = start(environment);
        let tunnel = format!("ssh -L {0}:127.0.0.1:{0}", served.port);
        assert!(errors.contains(&tunnel), "{errors}");
    }
    assert!(!workspace.path("opened").exists());

    let (served, _) = start(&[("DISPLAY", ":0")]);
    let Served { port, token, .. } = &served;
    wait_until("a browser is opened", || workspace.path("opened").exists());
    let opened = fs::read_to_string(workspace.path("opened")).unwrap();
    assert!(!opened.contains(token.as_str()), "other users can read it: {opened}");
    let once = opened.strip_prefix(&format!("http://127.0.0.1:{port}")).unwrap();
    let request = format!("GET {once} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let other = request.replace(&once[..9], "/01234567");
    assert_eq!(served.answer_to(other).status, 404);
    let answer = served.answer_to(&request);
    let page = format!("/{token}/?served");
    assert_eq!((answer.status, answer.header("Location")), (303, Some(page.as_str())));
    assert_eq!(served.answer_to(&request).status, 404);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_with_one_line_and_nothing_left() {
    let workspace = Workspace::new();
    write_page(&workspace, "page");
    let before = workspace.listing();
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let view = ["view", "scene.json", "--page", "page", "--no-open", "--json"];
        let (running, line) = Running::with_first_line(&workspace, &view, Stdio::piped());
        let object: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&object["command"], &object["scene"]), (&"view".into(), &"scene.json".into()));
        let (port, token) = parts_of(object["address"].as_str().unwrap());
        assert!(object["address"].as_str().unwrap().ends_with(&format!("/{token}/?served")));
        // A visitor who waits does not keep the program.
        let served = Served { running, port, token };
        let waiting = served.connect();
        assert_eq!(served.get("changes?since=1").body, b"0");
        served.running.signal(signal);
        let (ended, errors) = served.running.end();
        drop(waiting);
        assert_eq!(ended, Some(code), "{errors}");
        assert_eq!(errors.lines().last(), Some("scene.json is not served any more"), "{errors}");
        assert_eq!(workspace.listing(), before);
    }
}
