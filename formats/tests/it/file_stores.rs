//! Scenes that are read from bytes in memory, as in a browser, are those of the disk.

use raytwin::Fingerprint;
use raytwin_files::FileError;
use raytwin_formats::{FORMATS, FileStore, ImportedScene, Mount, Options, load, load_from};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns all files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Returns the files below a folder in memory, by their paths.
fn in_memory(folder: &Path) -> FileStore {
    let files = files_below(folder).into_iter();
    FileStore::in_memory(files.map(|path| (path.clone(), std::fs::read(path).unwrap())))
}

/// Returns all that a scene holds, or the error, without the system's number of it.
fn message(read: Result<ImportedScene, FileError>) -> String {
    let ImportedScene { scene, warnings, links, joints, sources, depth, sites } = match read {
        Ok(imported) => imported,
        Err(error) => return error.to_string().replace(" (os error 2)", ""),
    };
    let paths: Vec<String> = (0..scene.geometry_count()).map(|id| scene.path(id)).collect();
    let links: BTreeMap<String, Mount> = links.into_iter().collect();
    let warnings = format!("{warnings:?}").replace(" (os error 2)", "");
    let print = Fingerprint::of(&scene);
    format!(
        "{print} {paths:?} {:?} {warnings} {links:?} {sites:?} {joints:?} {sources:?} {depth}",
        scene.cameras
    )
}

#[test]
fn every_example_is_the_same_from_memory_as_from_the_disk() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("examples");
    let folder = folder.as_path();
    let store = in_memory(folder);
    let mut read = BTreeMap::new();
    for path in files_below(folder) {
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let is_scene = |format: &raytwin_formats::Format| {
            extension.as_deref().is_some_and(|extension| format.extensions.contains(&extension))
        };
        if FORMATS.iter().any(is_scene) {
            let options = Options::default();
            let on_disk = message(load(&path, &options));
            assert_eq!(message(load_from(&store, &path, &options)), on_disk, "{}", path.display());
            *read.entry(extension).or_insert(0) += 1;
        }
    }
    assert!(read.len() >= 10, "there are examples of few formats: {read:?}");
}

/// A robot whose meshes lie in a folder of its own, in a package and above, and some of whose files are missing or broken.
const ROBOT: &str = r#"<robot name="r">
  <link name="a"><visual><geometry><mesh filename="meshes/one.obj"/></geometry></visual></link>
  <link name="b"><visual><geometry><mesh filename="./meshes/../meshes/one.obj"/></geometry></visual></link>
  <link name="c"><visual><geometry><mesh filename="package://parts/one.obj"/></geometry></visual></link>
  <link name="d"><visual><geometry><mesh filename="../above.obj"/></geometry></visual></link>
  <link name="e"><visual><geometry><mesh filename="meshes/ones.obj"/></geometry></visual></link>
  <link name="f"><visual><geometry><mesh filename="Meshes/one.obj"/></geometry></visual></link>
  <link name="g"><visual><geometry><mesh filename="meshes/broken.obj"/></geometry></visual></link>
</robot>"#;

#[test]
fn files_that_a_file_names_are_found_and_missed_as_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path("robot/meshes")).unwrap();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (name, text) in [
        ("robot/robot.urdf", ROBOT),
        ("robot/meshes/one.obj", triangle),
        ("robot/meshes/broken.obj", "v 0 0\n"),
        ("above.obj", triangle),
        (
            "room.json",
            r#"{ "raytwin": 1, "nodes": [ { "name": "r", "file": "robot/robot.urdf" } ] }"#,
        ),
        ("lost.json", r#"{ "raytwin": 1, "nodes": [ { "file": "robot/robots.urdf" } ] }"#),
        ("round.json", r#"{ "raytwin": 1, "nodes": [ { "file": "robot/../round.json" } ] }"#),
        ("broken.json", "{ \"raytwin\": 1,\n \"shapes\": [ }"),
        ("empty.json", ""),
    ] {
        std::fs::write(path(name), text).unwrap();
    }
    let store = in_memory(folder.path());
    let packages = vec![("parts".to_owned(), path("robot/meshes"))];
    let options = Options { packages, ..Options::default() };
    let names = ["robot/robot.urdf", "room.json", "lost.json", "round.json", "broken.json"];
    for name in names.into_iter().chain(["empty.json", "absent.json", "robot", "rooms.json"]) {
        let from_memory = message(load_from(&store, path(name), &options));
        assert_eq!(from_memory, message(load(path(name), &options)), "{name}");
    }
    let robot = load_from(&store, path("robot/robot.urdf"), &options).unwrap();
    assert_eq!((robot.scene.geometry_count(), robot.scene.primitive_count()), (7, 4));
    let error = load_from(&store, path("rooms.json"), &options).unwrap_err().to_string();
    assert!(error.contains("did you mean room.json"), "{error}");
}
