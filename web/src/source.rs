//! The files that a scene is read from, and the wishes by which it is read.

use raytwin_formats::{
    FileError, FileStore, Format, ImportedScene, JointValue, MoleculeColors, MoleculeStyle,
    Options, Origin, SceneGraph,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// The scene that is made of several files.
const TOGETHER: &str = "together.json";

/// The files that a visitor chose, by their paths.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(BTreeMap<String, Arc<[u8]>>);

#[wasm_bindgen]
impl Files {
    /// Returns no files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, or replaces the one of that path.
    pub fn add(&mut self, path: String, bytes: &[u8]) {
        self.0.insert(path, bytes.into());
    }

    /// Returns the file that holds the scene: of those that a reader knows the one with the fewest
    /// folders above it, and no mesh where there is another. Nothing if there is none. Of several
    /// files side by side, of which none names another, it makes a scene of all of them, called
    /// `together.json`.
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

    /// Returns true if the name of a file stands in another one.
    fn is_named(&self, path: &str) -> bool {
        let mut others = self.0.iter().filter(|(other, _)| *other != path);
        others.any(|(_, bytes)| hold(bytes, path.as_bytes()))
    }

    fn store(&self) -> FileStore {
        FileStore::in_memory(self.0.iter().map(|(path, bytes)| (path, Arc::clone(bytes))))
    }

    /// Every folder, as the package of its name: a robot's description lies in a folder that is
    /// named so.
    fn packages(&self) -> Vec<(String, std::path::PathBuf)> {
        let folders: BTreeSet<&Path> =
            self.0.keys().flat_map(|path| Path::new(path).ancestors().skip(1)).collect();
        let named =
            |folder: &Path| Some((folder.file_name()?.to_str()?.to_owned(), folder.to_owned()));
        folders.into_iter().filter_map(named).collect()
    }
}

/// The wishes of a visitor about how a scene is read.
#[derive(Clone, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    joints: BTreeMap<String, f64>,
    /// The name of a molecule's style.
    style: Option<String>,
    /// The name of what a molecule's colours show.
    colors: Option<String>,
    collision: bool,
}

/// The files that a scene was read from, with what they describe.
#[derive(Clone)]
pub struct Source {
    store: FileStore,
    pub path: PathBuf,
    packages: Vec<(String, PathBuf)>,
    /// What was read last, and by which wishes but those for joints.
    graph: Option<(Wishes, SceneGraph)>,
}

impl Source {
    pub fn new(files: &Files, path: &str) -> Self {
        Self { store: files.store(), path: path.into(), packages: files.packages(), graph: None }
    }

    /// Makes the scene by wishes, which are a JSON object. Files are read for other wishes than those
    /// for joints, which pose what was read.
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
        // A table in a map's coordinates needs an origin, for which the page has no wish.
        let nearby = Options { origin: Some(Origin::Auto), ..Options::default() };
        let scene = flattened(&Options::default());
        Ok(scene.or_else(|error| flattened(&nearby).map_err(|_| error))?)
    }

    fn read(&self, wishes: &Wishes) -> Result<SceneGraph, FileError> {
        // A link may name what there is not, which counts as none.
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
