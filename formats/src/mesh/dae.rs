//! Reads the triangles of COLLADA 1.4 and 1.5: the geometries of the nodes of the scene, as one
//! mesh.
//!
//! The unit of length is applied, but the up axis is not, because RViz and Gazebo do the same and
//! the meshes of robots are made for them.

mod dae_file;
mod geometry;
mod transforms;

use super::triangles::Triangles;
use crate::graph_reader::called;
use crate::mesh_warnings::MeshWarnings;
use crate::shortened::shortened;
use crate::xml::{self, Node};
use dae_file::{DaeFile, children};
use glam::{DMat3, DVec3};
use raytwin::transform::Affine;
use raytwin_files::FileError;
use std::path::Path;
use std::rc::Rc;

/// The largest number of nested uses of nodes. A circle of uses has more.
const MOST_NESTED: usize = 64;

/// The largest number of controllers between an instance and its geometry.
const MOST_CONTROLLERS: usize = 8;

pub(super) fn parse(
    path: &Path,
    bytes: Vec<u8>,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    parse_part(path, bytes, None, warnings).map(|(mesh, _)| mesh)
}

/// Does the same for only the nodes with a given name, if there is a name. A node without a name
/// has that of the node around it. Also returns the names of other nodes with geometries.
pub(super) fn parse_part(
    path: &Path,
    bytes: Vec<u8>,
    part: Option<&str>,
    warnings: &mut MeshWarnings,
) -> Result<(Triangles, Vec<String>), FileError> {
    let text = xml::decoded(path, bytes, &mut warnings.lapses);
    let document = xml::parse(path, &text, &mut warnings.lapses)?;
    let mut file = DaeFile::new(path, &document, text.len());
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let reason =
            format!("the root element is <{}>: it must be <COLLADA>", root.tag_name().name());
        return Err(file.refuse(root, reason));
    }
    let metres = file.unit(root)?;
    let metres_from_file =
        Affine { linear: DMat3::from_diagonal(DVec3::splat(metres)), translation: DVec3::ZERO };
    match file.visual_scene(root)? {
        Some(scene) => file.add_nodes(scene, metres_from_file, part)?,
        None if part.is_some() => {}
        None => {
            for library in children(root, "library_geometries") {
                for geometry in children(library, "geometry") {
                    file.add(geometry, &metres_from_file)?;
                }
            }
        }
    }
    warnings.merge(file.warnings.into_inner());
    Ok((file.mesh, file.other_parts))
}

impl<'a> DaeFile<'a> {
    /// The length of the file's unit in metres.
    fn unit(&self, root: Node<'a, 'a>) -> Result<f64, FileError> {
        let unit = children(root, "asset").flat_map(|asset| children(asset, "unit")).next();
        let Some((unit, text)) = unit.and_then(|unit| Some((unit, unit.attribute("meter")?)))
        else {
            return Ok(1.0);
        };
        let metres =
            text.trim().parse().ok().filter(|metres: &f64| metres.is_finite() && *metres > 0.0);
        metres.ok_or_else(|| {
            let text = shortened(text);
            self.refuse(
                unit,
                format!("meter is \"{text}\": it must be a number above 0, such as 0.01"),
            )
        })
    }

    /// The scene that the file selects, or its first scene.
    fn visual_scene(&self, root: Node<'a, 'a>) -> Result<Option<Node<'a, 'a>>, FileError> {
        let shown =
            children(root, "scene").flat_map(|scene| children(scene, "instance_visual_scene"));
        match shown.into_iter().next() {
            Some(instance) => {
                let kinds = &["visual_scene"];
                let found = self.found(self.document.root_element(), instance, "url", kinds);
                let refuse = || self.refuse(instance, Self::unresolved(instance, "url", kinds));
                found.map(Some).ok_or_else(refuse)
            }
            None => {
                let libraries = children(root, "library_visual_scenes");
                Ok(libraries.flat_map(|library| children(library, "visual_scene")).next())
            }
        }
    }

    /// Adds the geometries of all nodes of a scene, or of those with one name, each before its
    /// children.
    fn add_nodes(
        &mut self,
        scene: Node<'a, 'a>,
        metres_from_scene: Affine,
        part: Option<&str>,
    ) -> Result<(), FileError> {
        // Each node with the name and the transform of its parent and the number of uses that it
        // lies in.
        let mut waiting = vec![(scene, "", metres_from_scene, 0)];
        while let Some((node, outer_name, metres_from_parent, nested)) = waiting.pop() {
            self.take(node, 1)?;
            let name = node.attribute("name").or_else(|| node.attribute("id"));
            let name = name.unwrap_or(outer_name);
            let is_wanted = part.is_none_or(|part| part == name);
            let metres_from_node = metres_from_parent.then_inner(&self.transform(node)?);
            let inner = waiting.len();
            for child in node.children().filter(Node::is_element) {
                match child.tag_name().name() {
                    "node" => waiting.push((child, name, metres_from_node, nested)),
                    "instance_node" => {
                        if nested == MOST_NESTED {
                            let reason = format!(
                                "uses a node inside {MOST_NESTED} uses of others: they are nested too deeply, or in a circle"
                            );
                            return Err(self.refuse(child, reason));
                        }
                        if let Some(used) =
                            self.referred(self.document.root_element(), child, "url", &["node"])
                        {
                            waiting.push((used, name, metres_from_node, nested + 1));
                        }
                    }
                    "instance_geometry" | "instance_controller" if !is_wanted => {
                        self.other_parts.push(name.to_owned());
                    }
                    "instance_geometry" => {
                        if let Some(geometry) =
                            self.referred(self.document.root_element(), child, "url", &["geometry"])
                        {
                            self.add(geometry, &metres_from_node)?;
                        }
                    }
                    "instance_controller" => {
                        if let Some((geometry, bind_shape)) = self.controlled(child)? {
                            self.add(geometry, &metres_from_node.then_inner(&bind_shape))?;
                        }
                    }
                    _ => {}
                }
            }
            waiting[inner..].reverse();
        }
        Ok(())
    }

    /// The geometry that an instance of a controller deforms, and the transform of its bind shape;
    /// `None` if either is not in the file.
    fn controlled(
        &self,
        instance: Node<'a, 'a>,
    ) -> Result<Option<(Node<'a, 'a>, Affine)>, FileError> {
        let Some(mut found) =
            self.referred(self.document.root_element(), instance, "url", &["controller"])
        else {
            return Ok(None);
        };
        let mut bind_shape = Affine { linear: DMat3::IDENTITY, translation: DVec3::ZERO };
        for _ in 0..MOST_CONTROLLERS {
            let deformer = children(found, "skin").chain(children(found, "morph")).next();
            let deformer = deformer.ok_or_else(|| {
                self.refuse(found, "a controller must have a <skin> or a <morph>")
            })?;
            for matrix in children(deformer, "bind_shape_matrix") {
                bind_shape = bind_shape.then_inner(&self.matrix(matrix)?);
            }
            let Some(source) = self.referred(
                self.document.root_element(),
                deformer,
                "source",
                &["geometry", "controller"],
            ) else {
                return Ok(None);
            };
            if self.is_morphed(deformer) {
                self.warnings.borrow_mut().morphs.add(|| called(self.path));
            }
            if source.tag_name().name() == "geometry" {
                return Ok(Some((source, bind_shape)));
            }
            found = source;
        }
        let reason =
            format!("refers to {MOST_CONTROLLERS} controllers without reaching a geometry");
        Err(self.refuse(instance, reason))
    }

    /// Returns whether a deformer has morph targets with a weight that is not 0.
    fn is_morphed(&self, deformer: Node<'a, 'a>) -> bool {
        let inputs = children(deformer, "targets").flat_map(|targets| children(targets, "input"));
        let weights = inputs.filter(|input| input.attribute("semantic") == Some("MORPH_WEIGHT"));
        let sources = weights.filter_map(|input| {
            self.found(self.document.root_element(), input, "source", &["source"])
        });
        let mut arrays = sources.flat_map(|source| children(source, "float_array"));
        arrays.any(|array| {
            let mut weights = array.text().unwrap_or_default().split_ascii_whitespace();
            weights.any(|weight| weight.parse() != Ok(0.0))
        })
    }

    /// Adds a geometry, moved by a transform.
    fn add(
        &mut self,
        geometry: Node<'a, 'a>,
        metres_from_geometry: &Affine,
    ) -> Result<(), FileError> {
        let position = geometry.range().start;
        let read = match self.geometries.get(&position) {
            Some(read) => Rc::clone(read),
            None => {
                let read = Rc::new(geometry::triangles(self, geometry)?);
                self.geometries.insert(position, Rc::clone(&read));
                read
            }
        };
        self.take(geometry, read.vertices.len() + read.triangles.len())?;
        let first = self.mesh.vertices.len() as u32;
        let place = |vertex: &DVec3| metres_from_geometry.point(*vertex);
        self.mesh.vertices.extend(read.vertices.iter().map(place));
        let is_mirror = metres_from_geometry.is_mirror();
        let renumbered = |&[a, b, c]: &[u32; 3]| match is_mirror {
            true => [a, c, b].map(|corner| first + corner),
            false => [a, b, c].map(|corner| first + corner),
        };
        self.mesh.triangles.extend(read.triangles.iter().map(renumbered));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
