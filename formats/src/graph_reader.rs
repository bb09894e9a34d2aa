//! Reads scene files into a graph, each file once.

use super::graph::{Graph, GraphContents, GraphItem, GraphShape, GraphUse};
use super::options::{FormatOption, Options};
use super::warning::Warning;
use raytwin::geometry::Geometry;
use raytwin_files::{FileError, FileStore};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// How deeply files may hold each other.
const MOST_NESTED: usize = 64;

/// Adds what a file of a format holds to a graph, and returns the index of its contents there.
pub(super) type FileReader = fn(&mut GraphReader, &Path, &Options) -> Result<u32, FileError>;

/// The formats of files that may hold each other, as the readers of files that hold others see
/// them.
pub(super) trait FileFormats: fmt::Debug + Sync {
    /// Adds what a file holds to the graph, and returns its index.
    fn read(
        &self,
        reader: &mut GraphReader,
        path: &Path,
        options: &Options,
    ) -> Result<u32, FileError>;

    /// The options that files of a path's extension take; `None` if it is that of no format.
    fn options_of(&self, path: &Path) -> Option<&'static [FormatOption]>;

    /// The extensions of the formats that take an option, for messages.
    fn that_take(&self, option: FormatOption) -> String;
}

/// A graph with what is known of the files in it.
#[derive(Debug)]
pub(super) struct GraphReader {
    pub graph: Graph,
    pub warnings: Vec<Warning>,
    /// The place that all files are read from.
    pub store: FileStore,
    pub formats: &'static dyn FileFormats,
    /// The files that are being read, each held by the one before, by their canonical paths.
    open: Vec<PathBuf>,
    /// True once files hold themselves or are nested too deeply, which no reader of files in files
    /// may pass over.
    pub nests_without_end: bool,
    /// The files that were read, by their canonical paths and the options that they were read with.
    read: HashMap<(PathBuf, String), u32>,
    /// The contents that keep the ids of others and nothing else, by the index of the others.
    emptied: HashMap<u32, u32>,
}

impl GraphReader {
    pub fn new(store: FileStore, formats: &'static dyn FileFormats) -> Self {
        Self {
            graph: Graph::default(),
            warnings: Vec::new(),
            store,
            formats,
            open: Vec::new(),
            nests_without_end: false,
            read: HashMap::new(),
            emptied: HashMap::new(),
        }
    }

    /// Makes room for contents, which others may refer to before they are read.
    pub fn reserve(&mut self) -> u32 {
        // They stay empty where the file is passed over.
        self.add(GraphContents::new(String::new(), PathBuf::new(), String::new()))
    }

    /// Adds contents, and returns their index.
    pub fn add(&mut self, contents: GraphContents) -> u32 {
        self.graph.0.push(contents);
        self.graph.0.len() as u32 - 1
    }

    pub fn fill(&mut self, index: u32, contents: GraphContents) {
        self.graph.0[index as usize] = contents;
    }

    /// Takes everything out of items but their ids.
    pub fn emptied_items(&mut self, items: Vec<GraphItem>) -> Vec<GraphItem> {
        let mut emptied = Vec::with_capacity(items.len());
        for item in items {
            match item {
                GraphItem::Shape(shape) => emptied.push(emptied_shape(shape)),
                GraphItem::Rows(rows) => emptied.extend(rows.shapes().map(emptied_shape)),
                GraphItem::Use(used) => {
                    let contents = self.emptied(used.contents);
                    emptied.push(GraphItem::Use(GraphUse { contents, ..used }));
                }
            }
        }
        emptied
    }

    /// Returns contents that have the ids of others, and nothing else.
    fn emptied(&mut self, contents: u32) -> u32 {
        if let Some(&known) = self.emptied.get(&contents) {
            return known;
        }
        let index = self.reserve();
        self.emptied.insert(contents, index);
        let full = &self.graph.0[contents as usize];
        let (called, path, place) = (full.called.clone(), full.path.clone(), full.place.clone());
        let (groups, items) = (full.groups.clone(), full.items.clone());
        let is_native = full.is_native;
        let items = self.emptied_items(items);
        let empty = GraphContents::new(called, path, place);
        self.fill(index, GraphContents { is_native, groups, items, ..empty });
        index
    }

    /// Reads a file that the text of another names, and returns the index of its contents.
    ///
    /// # Errors
    /// [`FileError`], also for a file that holds itself.
    pub fn read(&mut self, path: &Path, options: &Options) -> Result<u32, FileError> {
        let canonical = self.store.identity(path).map_err(self.store.unreadable(path))?;
        if let Some(first) = self.open.iter().position(|open| *open == canonical) {
            let around = self.open[first..].iter().chain([&canonical]);
            let names: Vec<String> = around.map(|path| called(path)).collect();
            let reason = format!("closes a circle of files: {}", names.join(" -> "));
            self.nests_without_end = true;
            return Err(FileError::meaning(path, "", reason));
        }
        if self.open.len() > MOST_NESTED {
            self.nests_without_end = true;
            let reason = format!(
                "is held by {MOST_NESTED} files, each in the one before: no more may be nested"
            );
            return Err(FileError::meaning(path, "", reason));
        }
        let key = (canonical.clone(), format!("{options:?}"));
        if let Some(&contents) = self.read.get(&key) {
            return Ok(contents);
        }
        self.open.push(canonical);
        let contents = self.formats.read(self, path, options);
        self.open.pop();
        if let Ok(contents) = contents {
            self.read.insert(key, contents);
        }
        contents
    }

    /// Returns true if the file that is being read is held by another.
    pub fn is_in_another(&self) -> bool {
        self.open.len() > 1
    }

    /// Notes that a file is being read, so that it is recognised in itself.
    pub fn begin(&mut self, path: &Path) {
        self.open.push(self.store.identity(path).unwrap_or_else(|_| path.to_owned()));
    }
}

fn emptied_shape(shape: GraphShape) -> GraphItem {
    GraphItem::Shape(GraphShape { geometry: Geometry::Empty, ..shape })
}

/// The name of a file in messages.
pub(super) fn called(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
