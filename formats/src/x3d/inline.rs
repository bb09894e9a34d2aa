//! Reads the files that a world includes with Inline nodes.

use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::{TreeReader, described};
use crate::Options;
use crate::graph::{GraphItem, GraphUse};
use crate::graph_reader::GraphReader;
use crate::reference::{path_in, percent_decoded};
use crate::shortened::shortened;
use raytwin::math::Similarity;
use raytwin_files::FileError;
use std::path::{Path, PathBuf};

impl TreeReader<'_> {
    /// Reads the first existing file of an Inline. A file that cannot be found or read is a
    /// warning; files that include each other in a circle, or too deeply, are an error.
    pub fn read_inline(&mut self, node: NodeIndex, within: &Surroundings) -> Result<(), FileError> {
        let tree = self.tree;
        if !tree.flag(node, "load", true)? {
            return Ok(());
        }
        let urls = tree.strings(node, "url")?;
        let Some(path) = urls.iter().find_map(|url| self.file_of(url)) else {
            let first = urls.first().map_or("it has no url", |url| url);
            self.warnings
                .inlines
                .add(|| format!("{}: {}", described(tree, node), shortened(first)));
            return Ok(());
        };
        let options = Options { origin: None, movable: false, ..self.options.clone() };
        let before = self.files.warnings.len();
        let contents = match self.files.read(&path, &options) {
            Ok(contents) => contents,
            Err(error) if self.files.nests_without_end => {
                let [line, _] = tree.source.position(tree.node(node).offset);
                let place = format!("Inline at line {line}");
                return Err(FileError::meaning(tree.source.path, place, error));
            }
            Err(error) => {
                self.warnings.inlines.add(|| format!("{}: {error}", described(tree, node)));
                return Ok(());
            }
        };
        let name = tree.node(node).name.as_deref();
        let outer = self.path_in(within, name.unwrap_or_default());
        for warning in self.files.warnings[before..].iter_mut().filter(|_| !outer.is_empty()) {
            warning.names.iter_mut().for_each(|name| *name = format!("{outer}/{name}"));
        }
        // The contents of a file are in metres, and this world's unit applies to the node.
        let unit = Similarity { scale: 1.0 / tree.length_unit, ..Similarity::IDENTITY };
        if let Some(inner) = self.begin_group(name, Some(unit.into()), within) {
            let used = GraphUse { group: inner.group, contents };
            self.contents.items.push(GraphItem::Use(used));
        }
        Ok(())
    }

    /// The file next to this one at an address; `None` if it does not exist, or is elsewhere.
    fn file_of(&self, url: &str) -> Option<PathBuf> {
        let url = url.trim();
        let is_elsewhere =
            url.contains("://") || url.starts_with("urn:") || url.starts_with("data:");
        if url.is_empty() || is_elsewhere {
            return None;
        }
        // The part after the mark is a viewpoint in the file.
        let file = url.split('#').next().unwrap_or_default();
        let folder = self.tree.source.path.parent().unwrap_or(Path::new(""));
        let GraphReader { store, formats, .. } = &*self.files;
        let decoded = String::from_utf8_lossy(&percent_decoded(file)).into_owned();
        [file.to_owned(), decoded].into_iter().find_map(|file| {
            let path = path_in(store, folder, file);
            (formats.options_of(&path).is_some() && store.is_file(&path)).then_some(path)
        })
    }
}
