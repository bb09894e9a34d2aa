//! Reads scene files into a graph, each file once.

use super::graph::{Graph, GraphContents, GraphItem, GraphShape, GraphUse};
use super::options::{FormatOption, Options};
use super::warning::Warning;
use raytwin::geometry::Geometry;
use raytwin_files::{FileError, FileStore};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The largest depth of files that use other files.
const MOST_NESTED: usize = 64;

/// Adds a file of a format to a graph, and returns the index of its contents there.
pub(super) type FileReader = fn(&mut GraphReader, &Path, &Options) -> Result<u32, FileError>;

/// The formats of files that may use each other, as their readers see them.
pub(super) trait FileFormats: fmt::Debug + Sync {
    /// Adds what a file holds to the graph, and returns its index.
    fn read(
        &self,
        reader: &mut GraphReader,
        path: &Path,
        options: &Options,
    ) -> Result<u32, FileError>;

    /// The options of files with a path's extension; `None` if it is not that of a format.
    fn options_of(&self, path: &Path) -> Option<&'static [FormatOption]>;

    /// The extensions of the formats that have an option, for messages.
    fn that_take(&self, option: FormatOption) -> String;
}

/// A graph with information about its files.
#[derive(Debug)]
pub(super) struct GraphReader {
    pub graph: Graph,
    pub warnings: Vec<Warning>,
    /// The store of all files.
    pub store: FileStore,
    pub formats: &'static dyn FileFormats,
    /// The files that are being read, each used by the previous one, by their canonical paths.
    open: Vec<PathBuf>,
    /// True if files use themselves or are nested too deeply, which no reader may ignore.
    pub nests_without_end: bool,
    /// The files that were read, by their canonical paths and the options that they were read with.
    read: HashMap<(PathBuf, String), u32>,
    /// The contents that only keep the ids of others, by the index of the others.
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
        // They stay empty if the file is skipped.
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

    /// Removes everything from items except their ids.
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

    /// Returns contents that only have the ids of others.
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
    /// [`FileError`], also for a file that uses itself.
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
            let reason = format!("is nested more than {MOST_NESTED} files deep: nest fewer files");
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

    /// Returns true if another file uses the file that is being read.
    pub fn is_in_another(&self) -> bool {
        self.open.len() > 1
    }

    /// Records that a file is being read, so that it is recognised in itself.
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
