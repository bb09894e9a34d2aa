//! The files that a scene is read from, and the wishes (options) for reading it.

use raytwin_formats::{
    FileError, FileStore, Format, ImportedScene, JointValue, MoleculeColors, MoleculeStyle,
    Options, Origin, SceneGraph,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The path of the scene that is combined from several files.
const TOGETHER: &str = "together.json";

/// The files that a user chose, by their paths.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(BTreeMap<String, Arc<[u8]>>);

#[wasm_bindgen]
impl Files {
    /// Returns an empty set of files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces the file with this path.
    pub fn add(&mut self, path: String, bytes: &[u8]) {
        self.0.insert(path, bytes.into());
    }

    /// Returns the main file of the scene: among the files of known formats, the one with the fewest
    /// folders above it. A mesh is the main file only if there is no other kind. If several files are in
    /// one folder and none refers to another, they are combined into a scene called `together.json`.
    /// Returns nothing if there is no file of a known format.
    pub fn main(&mut self) -> Option<String> {
        let meshes = ["obj", "stl", "ply", "dae"];
        let rank = |path: &str| {
            let lowercase = path.to_lowercase();
            let extension = lowercase.rsplit('.').next().unwrap_or_default();
            (meshes.contains(&extension), path.matches('/').count())
        };
        let is_scene = |path: &&String| Format::of(Path::new(path)).is_some();
        let mut scenes: Vec<&String> = self.0.keys().filter(is_scene).collect();
        scenes.sort_by_key(|path| (rank(path), (*path).clone()));
        let first = (*scenes.first()?).clone();
        let (is_mesh, depth) = rank(&first);
        let beside: Vec<&String> = scenes
            .into_iter()
            .filter(|path| depth == 0 && rank(path) == (is_mesh, depth) && !self.is_named(path))
            .collect();
        let node = |path: &String| {
            let name = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            serde_json::json!({ "name": name, "file": path })
        };
        if beside.len() < 2 {
            return beside.first().map(|path| (*path).clone()).or(Some(first));
        }
        let nodes: Vec<_> = beside.into_iter().map(node).collect();
        let scene = serde_json::json!({ "raytwin": 1, "nodes": nodes });
        self.0.insert(TOGETHER.to_owned(), scene.to_string().into_bytes().into());
        Some(TOGETHER.to_owned())
    }

    /// Returns true if the name of a file occurs in another file.
    fn is_named(&self, path: &str) -> bool {
        let mut others = self.0.iter().filter(|(other, _)| *other != path);
        others.any(|(_, bytes)| hold(bytes, path.as_bytes()))
    }

    fn store(&self) -> FileStore {
        FileStore::in_memory(self.0.iter().map(|(path, bytes)| (path, Arc::clone(bytes))))
    }

    /// Returns every folder as the package with its name, because a robot's description is in a folder
    /// with the name of its package.
    fn packages(&self) -> Vec<(String, std::path::PathBuf)> {
        let folders: BTreeSet<&Path> =
            self.0.keys().flat_map(|path| Path::new(path).ancestors().skip(1)).collect();
        let named =
            |folder: &Path| Some((folder.file_name()?.to_str()?.to_owned(), folder.to_owned()));
        folders.into_iter().filter_map(named).collect()
    }
}

/// The user's options for reading a scene.
#[derive(Clone, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    joints: BTreeMap<String, f64>,
    /// The name of a molecule's style.
    style: Option<String>,
    /// The name of the meaning of a molecule's colours.
    colors: Option<String>,
    collision: bool,
}

/// The files that a scene was read from, with their contents.
#[derive(Clone)]
pub struct Source {
    store: FileStore,
    pub path: PathBuf,
    packages: Vec<(String, PathBuf)>,
    /// The contents that were read last, and the wishes for reading them, without those for joints.
    graph: Option<(Wishes, SceneGraph)>,
}

impl Source {
    pub fn new(files: &Files, path: &str) -> Self {
        Self { store: files.store(), path: path.into(), packages: files.packages(), graph: None }
    }

    /// Makes the scene with wishes, which are a JSON object. Files are read again only if other wishes
    /// change than those for joints. The values of joints pose the contents that were read.
    pub fn scene(&mut self, wishes: &str) -> Result<ImportedScene, JsError> {
        let mut wishes: Wishes = serde_json::from_str(wishes)?;
        let joints = std::mem::take(&mut wishes.joints).into_iter();
        let joints: Vec<(String, JointValue)> =
            joints.map(|(name, value)| (name, value.into())).collect();
        let (_, graph) = match self.graph.take() {
            Some(read) if read.0 == wishes => self.graph.insert(read),
            _ => {
                let graph = self.read(&wishes)?;
                self.graph.insert((wishes, graph))
            }
        };
        let flattened = |options: &Options| graph.posed(&joints)?.flatten(options);
        // A table in map coordinates needs an origin, which a user cannot choose on the page.
        let nearby = Options { origin: Some(Origin::Auto), ..Options::default() };
        let scene = flattened(&Options::default());
        Ok(scene.or_else(|error| flattened(&nearby).map_err(|_| error))?)
    }

    fn read(&self, wishes: &Wishes) -> Result<SceneGraph, FileError> {
        // A link may have an unknown name, which is ignored.
        let style = wishes.style.as_deref().and_then(MoleculeStyle::named);
        let options = Options {
            packages: self.packages.clone(),
            style: style.unwrap_or_default(),
            colors: wishes.colors.as_deref().and_then(MoleculeColors::named),
            collision: wishes.collision,
            ..Options::default()
        };
        raytwin_formats::read(&self.store, &self.path, &options)
    }
}

fn hold(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
