//! The rules of the house that a test can check. See ARCHITECTURE.md.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The sources of the libraries, the engine first.
const LIBRARIES: [&str; 4] = ["src", "verify/src", "files/src", "formats/src"];

/// Reads the sources of all libraries.
fn library_files() -> Vec<(String, String)> {
    LIBRARIES.iter().flat_map(|folder| files(folder, ".rs")).collect()
}

/// Reads the files below a folder, except tests beside their source, and returns their paths from the root and their
/// texts.
pub fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = vec![root().join(folder)];
    while let Some(path) = waiting.pop() {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().ends_with(ending) && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, text));
            }
        }
    }
    assert!(!found.is_empty(), "no {ending} in {folder}");
    found
}

/// Returns a source file without its tests and its comments.
pub fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let is_comment = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_comment).map(|line| format!("{line}\n")).collect()
}

#[test]
fn only_the_gpu_folder_mentions_wgpu() {
    for (name, text) in library_files() {
        let is_gpu = name == "src/gpu.rs" || name.starts_with("src/gpu/");
        assert!(is_gpu || !code(&text).contains("wgpu::"), "{name}");
    }
}

#[test]
fn no_library_prints_reads_flags_or_exits() {
    for (name, text) in library_files() {
        for word in [
            "print!",
            "println!",
            "eprintln!",
            "stdout()",
            "stderr()",
            "process::exit",
            "ExitCode",
            "clap",
            "env::",
        ] {
            // A message names the environment variables by which wgpu looks for adapters, one chooses the kernels, and two
            // list the folders of Gazebo's models.
            let is_allowed = word == "env::"
                && [
                    "src/gpu/adapter.rs",
                    "src/gpu/kernel_variant.rs",
                    "formats/src/sdf/resources.rs",
                ]
                .contains(&name.as_str());
            assert!(is_allowed || !code(&text).contains(word), "{name} has {word}");
        }
    }
}

/// The names of the types of all closed forms.
const SHAPES: [&str; 10] = [
    "Sphere",
    "Cuboid",
    "Cylinder",
    "Capsule",
    "Cone",
    "Ellipsoid",
    "Torus",
    "Plane",
    "Disc",
    "Triangle",
];

#[test]
fn a_shape_touches_nothing_but_its_files_and_the_switches() {
    // Geometries of many primitives say what their primitives are, faults name the shapes that they change, a scene's
    // module leaves out the files of absent shapes, and the proof says which kinds share a scene.
    let allowed = [
        "verify/src/proof/scenes.rs",
        "src/shapes.rs",
        "src/lib.rs",
        "src/geometry/mesh.rs",
        "src/geometry/lines.rs",
        "src/geometry/outline.rs",
        "src/gpu/shader/absent_kinds.rs",
    ];
    for (name, text) in library_files() {
        let is_of_shapes = ["src/shapes/", "verify/src/faults/", "verify/src/self_test/"]
            .iter()
            .any(|folder| name.starts_with(folder));
        if allowed.contains(&name.as_str()) || is_of_shapes {
            continue;
        }
        let code = code(&text);
        let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for shape in SHAPES {
            // Node types of X3D have the names of our shapes.
            let is_node_type = name.starts_with("formats/src/x3d/")
                && !code.replace(&format!("\"{shape}\""), "").contains(shape);
            assert!(is_node_type || !words.contains(&shape), "{name} speaks of a {shape}");
        }
        // Importers and the names that people try name kinds of shapes as data; the core does not.
        let names_kinds = [
            "formats/src/urdf",
            "formats/src/mjcf",
            "formats/src/gltf",
            "formats/src/molecule",
            "formats/src/sdf",
            "formats/src/x3d",
            "formats/src/tables/tree_columns.rs",
        ]
        .iter()
        .any(|of| name.starts_with(of))
            || name.ends_with("/aliases.rs");
        for kind in raytwin::shapes::SHAPE_TYPES {
            let quoted = format!("\"{}\"", kind.name);
            assert!(names_kinds || !code.contains(&quoted), "{name} speaks of a {quoted}");
        }
    }
    // A tube whose hole is grown over is a cylinder.
    let switches = ["shaders/shapes.wgsl", "shaders/nearest.wgsl", "shaders/canonical/solids.wgsl"];
    for (name, text) in files("shaders", ".wgsl") {
        for shape in SHAPES.map(str::to_lowercase) {
            let is_own = name == format!("shaders/shapes/{shape}.wgsl");
            let functions = ["span", "spans", "first", "crossing", "distance", "nearest"];
            let spoken =
                functions.iter().any(|what| code(&text).contains(&format!("{shape}_{what}(")));
            // A heightfield is made of triangles.
            let is_own = is_own || shape == "triangle" && name == "shaders/shapes/heightfield.wgsl";
            assert!(
                !spoken || is_own || switches.contains(&name.as_str()),
                "{name} speaks of a {shape}"
            );
        }
    }
}

#[test]
fn no_test_is_skipped_and_nothing_is_left_open() {
    // This file is read, too, so no word stands here in one piece.
    let open = [["TO", "DO"].concat(), ["FIX", "ME"].concat()];
    let of_rust =
        [["#[", "ignore"].concat(), ["unimplemented", "!("].concat(), ["todo", "!("].concat()];
    let of_python = ["skip(", "skipif", "importorskip", "xfail"].map(str::to_owned);
    let assert_without = |words: &[String], folder: &str, ending: &str| {
        for (name, text) in files(folder, ending) {
            for word in open.iter().chain(words) {
                assert!(!text.contains(word.as_str()), "{name} has {word}");
            }
        }
    };
    for folder in [
        "src", "tests", "benches", "examples", "verify", "files", "formats", "cli", "python",
        "tools", "web",
    ] {
        assert_without(&of_rust, folder, ".rs");
    }
    assert_without(&of_python, "python", ".py");
    assert_without(&of_python, "web", ".py");
}

/// Returns a Python file without what stands between triple quotes.
fn without_docstrings(text: &str) -> String {
    text.split("\"\"\"").step_by(2).collect()
}

#[test]
fn files_hold_one_idea() {
    let sources = [
        ("src", ".rs"),
        ("shaders", ".wgsl"),
        ("tests", ".rs"),
        ("verify", ".rs"),
        ("files", ".rs"),
        ("formats", ".rs"),
        ("cli", ".rs"),
        ("python", ".rs"),
        ("python", ".py"),
        ("web", ".rs"),
        ("web", ".py"),
        ("web/page", ".js"),
    ];
    for (folder, ending) in sources {
        for (name, text) in files(folder, ending) {
            // Python's docstrings are what comments are in Rust.
            let text = if ending == ".py" { without_docstrings(&text) } else { code(&text) };
            let lines = text.lines().count();
            assert!(lines <= 400, "{name} has {lines} lines of code: split it");
        }
    }
}

#[test]
fn no_library_reads_a_clock_and_only_one_touches_files() {
    for (name, text) in library_files() {
        for clock in ["Instant", "SystemTime", "std::thread"] {
            let is_allowed = match clock {
                // The tuner measures the time of a chunk if the device does not report it.
                "Instant" => name == "src/gpu/chunk_tuner.rs",
                // A device is opened while a scene is packed.
                "std::thread" => name == "src/gpu/opening.rs",
                _ => false,
            };
            assert!(is_allowed || !code(&text).contains(clock), "{name} has {clock}");
        }
        // The engine reads no file, and formats read by a `FileStore`, which need not be the disk.
        let is_of_files = name.starts_with("files/");
        assert!(is_of_files || !code(&text).contains("std::fs"), "{name} touches files");
    }
}

/// The last bits of these functions differ from machine to machine, but those of `libm` do not. Pictures are only for
/// eyes.
#[test]
fn what_is_answered_asks_no_function_whose_rounding_differs_from_one_machine_to_the_next() {
    let functions = "sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln ln_1p \
        log log2 log10 powi powf hypot cbrt mul_add to_radians to_degrees from_axis_angle from_scaled_axis from_euler \
        from_rotation_x from_rotation_y from_rotation_z from_angle angle_between slerp rotate_towards";
    for (name, text) in library_files() {
        if name.starts_with("files/src/image/picture/") {
            continue;
        }
        let code = code(&text).replace("libm::", "");
        for function in functions.split_whitespace() {
            for call in [format!(".{function}("), format!("::{function}(")] {
                assert!(!code.contains(&call), "{name} asks for {function}");
            }
        }
    }
}

/// Reads the manifest of the package in a folder.
fn manifest(folder: &str) -> String {
    std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap()
}

/// Returns what stands between the quotes of the first line that begins with a key.
fn quoted(text: &str, key: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

#[test]
fn the_oldest_compiler_that_is_promised_is_the_one_that_tests() {
    let toolchain = std::fs::read_to_string(root().join("rust-toolchain.toml")).unwrap();
    let promised = quoted(&manifest(""), "rust-version = ");
    assert_eq!(quoted(&toolchain, "channel = "), format!("{promised}.0"));
}

#[test]
fn an_arrow_between_packages_goes_only_downwards() {
    let workspace = manifest("");
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = ")).unwrap();
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    let floors = [
        ("raytwin", "."),
        ("raytwin-files", "files"),
        ("raytwin-verify", "verify"),
        ("raytwin-formats", "formats"),
        ("raytwin-cuda", "cuda"),
    ];
    assert!(floors.iter().all(|(_, folder)| members.contains(folder)), "{members:?}");
    for member in members {
        let own = floors.iter().position(|(_, folder)| *folder == member).unwrap_or(floors.len());
        // A package below may be a dependency, also of tests.
        let text = manifest(member);
        let (_, dependencies) = text.split_once("dependencies]\n").unwrap_or_default();
        let dependencies = if member == "." {
            text.split_once("\n[dependencies]\n").unwrap().1
        } else {
            dependencies
        };
        for line in dependencies.lines().filter(|line| line.starts_with("raytwin")) {
            let name = line.split([' ', '.', '=']).next().unwrap();
            let floor = floors.iter().position(|(below, _)| *below == name);
            let is_below = floor.is_some_and(|floor| floor < own);
            assert!(is_below, "{member}/Cargo.toml: {line}");
        }
    }
}

/// Returns the name of the public type that a line of source declares, if there is one.
fn public_type(line: &str) -> Option<&str> {
    let declared = line.trim_start().strip_prefix("pub")?;
    let declared = match declared.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => declared,
    };
    let declared = declared.strip_prefix(" unsafe").unwrap_or(declared).trim_start();
    let (keyword, rest) = declared.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
    is_type.then(|| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())?
}

#[test]
fn no_two_types_have_one_name() {
    let mut files_by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in library_files() {
        for line in code(&text).lines() {
            // Associated types are indented, and may share the name that their trait gives them.
            let is_at_top = !line.starts_with(' ');
            if let Some(declared) = public_type(line).filter(|_| is_at_top) {
                files_by_type.entry(declared.to_owned()).or_default().push(name.clone());
            }
        }
    }
    files_by_type.retain(|_, files| files.len() > 1);
    assert!(files_by_type.is_empty(), "{files_by_type:#?}");
}

#[test]
fn every_source_file_is_a_module() {
    for sources in LIBRARIES.into_iter().chain(["cuda/src", "python/src"]) {
        let crate_root = Path::new(sources).join("lib.rs");
        for (name, _) in files(sources, ".rs") {
            let path = Path::new(&name);
            if path == crate_root {
                continue;
            }
            let module = path.file_stem().unwrap().to_string_lossy();
            let folder = path.parent().unwrap();
            let parent = match folder == Path::new(sources) {
                true => crate_root.clone(),
                false => folder.with_extension("rs"),
            };
            let text = std::fs::read_to_string(root().join(&parent)).unwrap_or_default();
            let declaration = format!("mod {module};");
            let is_declared = text.lines().any(|line| {
                let line = line.trim_start();
                line.ends_with(&declaration) && (line.starts_with("mod") || line.starts_with("pub"))
            });
            assert!(is_declared, "{name}: {} declares no such module", parent.display());
        }
    }
}

/// Only the program has flags: it names one where it prints an error that the flag helps against.
#[test]
fn no_message_of_a_library_or_the_wheel_names_a_flag() {
    for (name, text) in [library_files(), files("python/src", ".rs")].concat() {
        for literal in code(&text).split('"').skip(1).step_by(2) {
            let mut words = literal.split([' ', '(', ',', ';', ':']);
            let flag = words.find(|word| {
                let long = word.strip_prefix("--").and_then(|name| name.chars().next());
                let is_short =
                    matches!(word.as_bytes(), [b'-', letter] if letter.is_ascii_alphabetic());
                is_short || long.is_some_and(|first| first.is_ascii_lowercase())
            });
            assert!(flag.is_none(), "{name} names the flag {flag:?} in {literal:?}");
        }
    }
}

#[test]
fn every_file_that_a_comment_names_exists() {
    for (name, text) in [files("shaders", ".wgsl"), library_files()].concat() {
        let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
        let is_of_path = |c: char| c.is_alphanumeric() || "_/.".contains(c);
        for word in comments.flat_map(|line| line.split(|c| !is_of_path(c))) {
            let path = word.trim_end_matches('.');
            let is_ours = path.starts_with("src/") || path.starts_with("shaders/");
            let is_file = path.ends_with(".rs") || path.ends_with(".wgsl");
            let is_named = is_ours && is_file;
            assert!(!is_named || root().join(path).is_file(), "{name} names {path}");
        }
    }
}
