//! Reads the nodes and the definitions of a native scene. A node has shapes and child nodes, or
//! uses a definition or a file.

use super::format::DefinitionFile;
use super::node_file::{JointFile, KeyFile, NodeFile, Presence};
use super::{Reader, take_items};
use crate::aliases::suggestion;
use crate::graph::{GraphContents, GraphItem, GraphUse, Group, Label};
use crate::options::format_options;
use crate::shortened::shortened;
use crate::{FormatOption, JointValue, MoleculeColors, MoleculeStyle, Options};
use glam::DVec3;
use raytwin::fields::{MAX_SIZE, MIN_SIZE, NO_ROTATION, NO_TURN, ShapeError, unit_rotation};
use raytwin::math::Similarity;
use raytwin::transform::{Affine, Transform};
use raytwin_files::FileError;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

impl Reader<'_> {
    /// Reads a definition into the contents with that index.
    pub(super) fn read_definition(
        &mut self,
        index: u32,
        name: String,
        mut definition: Value,
    ) -> Result<(), FileError> {
        let place = format!("definitions.{}", shortened(&name));
        let contents = ["shapes", "nodes"].map(|key| take_items(&mut definition, key));
        let mut definition: DefinitionFile = self.typed(definition, &place)?;
        [definition.shapes, definition.nodes] = contents;
        self.contents = GraphContents::of_native(name, self.path.to_owned(), format!("{place}."));
        self.read_shapes(definition.shapes, 0)?;
        self.read_nodes(definition.nodes, 0)?;
        self.fill(index, String::new());
        Ok(())
    }

    pub(super) fn read_nodes(&mut self, nodes: Vec<Value>, parent: u32) -> Result<(), FileError> {
        let parent_place = self.contents.place_of(parent);
        for (index, mut node) in (0..).zip(nodes) {
            let place = format!("{parent_place}nodes[{index}]");
            // The contents bypass serde, which would build them again at every level of nesting.
            let contents = ["shapes", "nodes"].map(|key| take_items(&mut node, key));
            let mut node: NodeFile = self.typed(node, &place)?;
            [node.shapes, node.nodes] = contents;
            self.refuse_second_content(&node, &place)?;
            let options = self.take_options(&mut node, &place)?;
            self.refuse_strange_options(&options, node.file.as_deref(), &place)?;
            let group = self.contents.groups.len() as u32;
            let appearance =
                self.appearance(node.color, node.label.take(), node.reflectance, &place)?;
            let integers = self.integers(node.integers.take(), &place)?;
            let parent_from_group = self.transform(&node, &place)?;
            let name = node.name.take();
            let label = Label::Node(index, name);
            let group_of_node = Group { parent, label, appearance, integers, parent_from_group };
            self.contents.groups.push(group_of_node);
            let used = match (&node.r#use, &node.file) {
                (Some(name), _) => Some(self.definition(name, &place)?),
                (None, Some(file)) => Some(self.read_file(file, options, group, &place)?),
                (None, None) => None,
            };
            if let Some(contents) = used {
                self.contents.items.push(GraphItem::Use(GraphUse { group, contents }));
            }
            self.read_shapes(node.shapes, group)?;
            self.read_nodes(node.nodes, group)?;
        }
        Ok(())
    }

    /// Rejects a node with contents of two kinds, whose order would be unclear.
    fn refuse_second_content(&self, node: &NodeFile, place: &str) -> Result<(), FileError> {
        let held = [
            (node.r#use.is_some(), "use"),
            (node.file.is_some(), "file"),
            (!node.shapes.is_empty(), "shapes"),
            (!node.nodes.is_empty(), "nodes"),
        ];
        let held: Vec<&str> =
            held.iter().filter(|(is_held, _)| *is_held).map(|held| held.1).collect();
        if let ["use" | "file", second, ..] = held[..] {
            let reason =
                format!("has both {} and {second}: put each into a child node of its own", held[0]);
            return Err(self.refuse(place, reason));
        }
        Ok(())
    }

    /// Rejects options without a file, and options that the file's format does not have.
    fn refuse_strange_options(
        &self,
        options: &Options,
        file: Option<&str>,
        place: &str,
    ) -> Result<(), FileError> {
        let misfit = match file {
            Some(file) => self.misfit(file, options),
            None => options.given().next().map(|option| {
                (option, "needs a file, which is missing: remove it, or add the file".to_owned())
            }),
        };
        match misfit {
            Some((option, reason)) => {
                Err(self.refuse(&format!("{place}.{}", option.key()), reason))
            }
            None => Ok(()),
        }
    }

    /// The first option that the format of a file does not have, and the reason to reject it.
    fn misfit(&self, file: &str, options: &Options) -> Option<(FormatOption, String)> {
        let known = self.files.formats.options_of(Path::new(file))?;
        let option = options.given().find(|option| !known.contains(option))?;
        let (file, take) = (shortened(file), self.files.formats.that_take(option));
        Some((option, format!("is only for {take} files, and {file} is not one: remove it")))
    }

    fn transform(&self, node: &NodeFile, place: &str) -> Result<Transform, FileError> {
        let checked = |key: &str, affine: Affine| {
            let refuse = |error: ShapeError| self.refuse(&format!("{place}.{key}"), error.reason);
            affine.check().map_err(refuse).map(|()| Transform::Affine(affine))
        };
        if let Some(rows) = node.matrix {
            let parts = [
                (node.translation.is_some(), "translation"),
                (node.rotation_xyzw.is_some(), "rotation_xyzw"),
                (node.scale.is_some(), "scale"),
            ];
            if let Some((_, part)) = parts.iter().find(|(is_given, _)| *is_given) {
                let reason = format!("is given together with {part}: remove one of the two");
                return Err(self.refuse(&format!("{place}.matrix"), reason));
            }
            return checked("matrix", Affine::from_rows(rows));
        }
        let translation = DVec3::from_array(node.translation.unwrap_or_default());
        let rotation = unit_rotation(&node.rotation_xyzw.unwrap_or(NO_TURN))
            .ok_or_else(|| self.refuse(&format!("{place}.rotation_xyzw"), NO_ROTATION))?
            .normalize();
        let scale = DVec3::from_array(node.scale.unwrap_or([1.0; 3]));
        if scale.x > 0.0 && scale == DVec3::splat(scale.x) {
            return Ok(Similarity { translation, rotation, scale: scale.x }.into());
        }
        checked("scale", Affine::from_scale_rotation_translation(scale, rotation, translation))
    }

    /// The index of the definition with that name.
    fn definition(&self, name: &str, place: &str) -> Result<u32, FileError> {
        self.definitions.get(name).copied().ok_or_else(|| {
            let known: Vec<&str> = self.definitions.keys().map(String::as_str).collect();
            let suggestion = match known.is_empty() {
                true => "the file has no definitions".to_owned(),
                false => suggestion(name, &known[..known.len().min(20)]),
            };
            let reason = format!("'{}' is not a definition; {suggestion}", shortened(name));
            self.refuse(&format!("{place}.use"), reason)
        })
    }

    /// Reads the file of a node, and returns the index of its contents. Its warnings name the node.
    fn read_file(
        &mut self,
        file: &str,
        mut options: Options,
        group: u32,
        place: &str,
    ) -> Result<u32, FileError> {
        let outer = self.contents.path_of(group);
        let known = self.files.formats.options_of(Path::new(file));
        if known.is_some_and(|known| known.contains(&FormatOption::Joints)) {
            self.joints.take(&outer, &mut options.joints);
        }
        let before = self.files.warnings.len();
        let path = self.beside(file);
        let contents = self.files.read(&path, &options);
        let contents = contents.map_err(|error| self.refuse(&format!("{place}.file"), error))?;
        for warning in &mut self.files.warnings[before..] {
            warning.names.iter_mut().for_each(|name| *name = format!("{outer}/{name}"));
        }
        Ok(contents)
    }
}

/// The value of an option of a node's file.
trait OptionFile {
    /// The type of the struct field for it.
    type Read;

    fn read(self, reader: &Reader<'_>, place: &str) -> Result<Self::Read, FileError>;
}

macro_rules! take_options {
    ($($_option:ident {
        $(#[$_about:meta])* $field:ident: $_type:ty as $_kind:ident,
        $(#[$_beside:meta])* $key:ident: $_file:ty,
        $_heading:ident: $_flag:literal $(= $_value:literal)?,
        $_help:literal, $_more:literal,
    })*) => {
        impl Reader<'_> {
            /// Moves the options of a node's file out of the node.
            fn take_options(&self, node: &mut NodeFile, place: &str) -> Result<Options, FileError> {
                let mut options = Options::default();
                $(if let Some(value) = node.$key.take() {
                    let place = format!("{place}.{}", stringify!($key));
                    options.$field = value.read(self, &place)?.into();
                })*
                Ok(options)
            }
        }
    };
}

format_options!(take_options);

macro_rules! as_they_are {
    ($($type:ty),*) => {$(
        impl OptionFile for $type {
            type Read = Self;

            fn read(self, _: &Reader<'_>, _: &str) -> Result<Self, FileError> {
                Ok(self)
            }
        }
    )*};
}

as_they_are!(bool, Vec<u8>, MoleculeStyle, MoleculeColors, u32, char);

impl OptionFile for Presence {
    /// What is left out.
    type Read = bool;

    fn read(self, _: &Reader<'_>, _: &str) -> Result<bool, FileError> {
        Ok(!self.0)
    }
}

impl OptionFile for KeyFile {
    type Read = String;

    fn read(self, _: &Reader<'_>, _: &str) -> Result<String, FileError> {
        Ok(match self {
            Self::Number(number) => number.to_string(),
            Self::Name(name) => name,
        })
    }
}

/// The path of a file or a folder.
impl OptionFile for String {
    type Read = PathBuf;

    fn read(self, reader: &Reader<'_>, _: &str) -> Result<PathBuf, FileError> {
        Ok(reader.beside(&self))
    }
}

/// A radius that a shape may have.
impl OptionFile for f64 {
    type Read = Self;

    fn read(self, reader: &Reader<'_>, place: &str) -> Result<Self, FileError> {
        match (MIN_SIZE..=MAX_SIZE).contains(&self) {
            true => Ok(self),
            false => {
                Err(reader
                    .refuse(place, format!("is {self:?}: it must be a number from 1e-9 to 1e9")))
            }
        }
    }
}

impl OptionFile for JointFile {
    type Read = JointValue;

    fn read(self, reader: &Reader<'_>, place: &str) -> Result<JointValue, FileError> {
        match self {
            Self::Number(value) => Ok(JointValue::Plain(value)),
            Self::Text(text) => text.parse().map_err(|_| {
                let reason = format!(
                    "is \"{}\": it must be a number, or degrees such as \"90deg\"",
                    shortened(&text)
                );
                reader.refuse(place, reason)
            }),
        }
    }
}

impl<T: OptionFile> OptionFile for BTreeMap<String, T> {
    type Read = Vec<(String, T::Read)>;

    fn read(self, reader: &Reader<'_>, place: &str) -> Result<Self::Read, FileError> {
        let read = |(name, value): (String, T)| {
            let value = value.read(reader, &format!("{place}.{}", shortened(&name)))?;
            Ok((name, value))
        };
        self.into_iter().map(read).collect()
    }
}
