//! The place of the walked elements in a model: their body and frame, their class and their names.

use super::attributes::Attributes;
use super::document::Element;
use super::model::Model;
use raytwin::math::Similarity;
use raytwin_files::FileError;

/// The place in the tree of the elements that are walked.
pub(super) struct Scope<'m, 'a> {
    /// The scope of the element that these are in.
    pub outer: Option<&'m Self>,
    pub model: &'m Model<'a>,
    pub body: usize,
    /// The frame around the elements, in their body.
    pub body_from_frame: Similarity,
    /// The class of elements that name none.
    pub class: &'a str,
    pub prefix: String,
    pub suffix: String,
    pub depth: usize,
}

impl<'a> Scope<'_, 'a> {
    /// Returns the attributes of an element with those of its class.
    pub fn attributes(&self, element: &'a Element) -> Result<Attributes<'a>, FileError> {
        self.model.attributes(element, self.class)
    }

    pub fn full_name(&self, name: &str) -> String {
        format!("{}{name}{}", self.prefix, self.suffix)
    }

    /// Returns the names of an element with this full name in each scope around it, with the
    /// scope's model. The elements of a model may omit the prefixes and suffixes that the name gets
    /// outside a scope, and then refer to each copy.
    pub fn names_within<'n>(&self, name: &'n str) -> impl Iterator<Item = (&'a Element, &'n str)> {
        std::iter::successors(Some(self), |scope| scope.outer).filter_map(move |scope| {
            let end = name.len().checked_sub(scope.suffix.len())?;
            Some((scope.model.root, name.get(scope.prefix.len()..end)?))
        })
    }

    /// Returns the name of an element, if it has one.
    pub fn name_of(&self, element: &Element) -> Option<String> {
        element.attribute("name").map(|name| self.full_name(name))
    }
}

pub(super) fn child_class<'a>(
    element: &'a Element,
    scope: &Scope<'_, 'a>,
) -> Result<&'a str, FileError> {
    Ok(scope.model.class_of(element, "childclass")?.unwrap_or(scope.class))
}

pub(super) fn inner<'m, 'a>(
    scope: &'m Scope<'_, 'a>,
    body: usize,
    body_from_frame: Similarity,
    class: &'a str,
) -> Scope<'m, 'a> {
    Scope {
        outer: Some(scope),
        model: scope.model,
        body,
        body_from_frame,
        class,
        prefix: scope.prefix.clone(),
        suffix: scope.suffix.clone(),
        depth: scope.depth + 1,
    }
}
