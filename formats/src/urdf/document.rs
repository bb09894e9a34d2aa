//! The XML of one robot file: attributes as numbers, origins, and errors with their line.

use crate::checks::not_finite_in;
use crate::shortened::shortened;
use crate::xml::{self, Document, Node};
use glam::DVec3;
use raytwin::math::{Similarity, rotation_about};
use raytwin_files::FileError;
use std::path::Path;

/// The child elements of this name. Those with a prefix belong to other programs.
pub(super) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

/// The path and the parsed text of a robot file.
pub(super) struct UrdfFile<'a> {
    pub path: &'a Path,
    pub document: &'a Document<'a>,
}

impl<'a> UrdfFile<'a> {
    /// A syntax error at the line and column where the node begins.
    pub fn refuse(&self, node: Node<'_, '_>, reason: impl Into<String>) -> FileError {
        xml::refuse(self.path, self.document, node, reason)
    }

    /// A required attribute.
    pub fn attribute(&self, node: Node<'a, 'a>, name: &str) -> Result<&'a str, FileError> {
        node.attribute(name).ok_or_else(|| {
            self.refuse(node, format!("<{}> has no {name}=\"...\"", node.tag_name().name()))
        })
    }

    /// The numbers of an attribute's text, which must be exactly N.
    fn numbers<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        text: &str,
    ) -> Result<[f64; N], FileError> {
        let quoted = format!("{name}=\"{}\"", shortened(text));
        let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
        let Some(numbers) = numbers.ok().and_then(|numbers| <[f64; N]>::try_from(numbers).ok())
        else {
            let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            return Err(self.refuse(node, format!("{quoted} must be {wanted}")));
        };
        match not_finite_in(text) {
            Some(fault) => Err(self.refuse(node, format!("{quoted}: {fault}"))),
            None => Ok(numbers),
        }
    }

    /// The numbers of a required attribute.
    pub fn required<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
    ) -> Result<[f64; N], FileError> {
        self.numbers(node, name, self.attribute(node, name)?)
    }

    /// The numbers of an attribute, or `default` if the node does not have it.
    pub fn optional<const N: usize>(
        &self,
        node: Node<'a, 'a>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], FileError> {
        node.attribute(name).map_or(Ok(default), |text| self.numbers(node, name, text))
    }

    /// Finds a number that is not finite in the attributes of a shape or its place. Such a shape is
    /// left out, and the rest of the robot is read.
    pub fn not_finite(&self, node: Node<'a, 'a>, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let text = node.attribute(name)?;
            Some(format!("{name}=\"{}\": {}", shortened(text), not_finite_in(text)?))
        })
    }

    /// The transform of the `<origin>` of a visual or a collision; the inner error is the reason why
    /// there is none.
    pub fn shape_origin(
        &self,
        item: Node<'a, 'a>,
    ) -> Result<Result<Similarity, String>, FileError> {
        let origin = children(item, "origin").next();
        match origin.and_then(|origin| self.not_finite(origin, &["xyz", "rpy"])) {
            Some(reason) => Ok(Err(reason)),
            None => self.origin(item).map(Ok),
        }
    }

    /// The transform of the `<origin xyz rpy>` in a node: roll, pitch and yaw turn about the fixed
    /// axes x, y and z.
    pub fn origin(&self, node: Node<'a, 'a>) -> Result<Similarity, FileError> {
        let Some(origin) = children(node, "origin").next() else {
            return Ok(Similarity::IDENTITY);
        };
        let [roll, pitch, yaw] = self.optional(origin, "rpy", [0.0; 3])?;
        Ok(Similarity {
            translation: self.optional(origin, "xyz", [0.0; 3])?.into(),
            rotation: rotation_about(DVec3::Z, yaw)
                * rotation_about(DVec3::Y, pitch)
                * rotation_about(DVec3::X, roll),
            scale: 1.0,
        })
    }
}
