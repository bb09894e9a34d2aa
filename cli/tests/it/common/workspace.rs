//! A temporary folder in which the program runs.

pub use super::numpy::{float32, npy, zipped};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary folder with a small scene and a few rays.
pub struct Workspace {
    pub folder: TempDir,
}

pub const SCENE: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "sphere", "name": "ball", "center": [0, 0, 1], "radius": 0.5 },
    { "type": "box", "center": [2, 0, 0.5], "half_extents": [0.5, 0.5, 0.5] },
    { "type": "cylinder", "start": [0, 2, 0], "end": [0, 2, 2], "radius": 0.25 } ],
  "cameras": [
    { "name": "main", "eye": [6, -6, 4], "target": [0, 0, 1], "fov_y_degrees": 40 },
    { "name": "plan", "eye": [0, 0, 9], "target": [0, 0, 0], "up": [0, 1, 0], "height": 6 } ] }"#;

impl Workspace {
    pub fn new() -> Self {
        let workspace = Self { folder: tempfile::tempdir().unwrap() };
        workspace.write("scene.json", SCENE);
        let down = [0.0, 0.0, 5.0, 0.0, 0.0, -2.0];
        let away = [0.0, 0.0, 5.0, 0.0, 0.0, 2.0];
        let invalid = [0.0, 0.0, 5.0, 0.0, 0.0, 0.0];
        let rays = float32(&[down, away, invalid].concat());
        workspace.write("rays.npy", npy("<f4", "False", "(3, 6)", &rays));
        workspace
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Runs the program in this folder, without a display or a runtime folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("DISPLAY")
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("WGPU_ADAPTER_NAME")
            .output()
            .unwrap()
    }

    /// Runs the program successfully, and returns the object on stdout.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs the program to this exit code, with nothing on stdout and nothing written, and returns stderr.
    pub fn fails(&self, code: i32, arguments: &[&str]) -> String {
        let before = self.listing();
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
        assert_eq!(self.listing(), before, "{arguments:?} wrote something");
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        errors
    }

    /// Reads a file, or the files of a folder by their names.
    pub fn contents(&self, output: &str) -> BTreeMap<String, Vec<u8>> {
        let path = self.path(output);
        if path.is_file() {
            return [(String::new(), std::fs::read(path).unwrap())].into();
        }
        let entries = path.read_dir().unwrap().map(|entry| entry.unwrap());
        let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
        named.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
    }

    pub fn listing(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    }
}

/// Reads an array of an `.npz` as little-endian bytes.
pub fn array(path: &Path, name: &str) -> Vec<u8> {
    use std::io::Read;
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes.split_off(header)
}

pub fn as_f32(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

pub fn as_u32(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}
