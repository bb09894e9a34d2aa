//! Reads the geometries of the objects in the nodes of a document, each object once.

use super::colliders;
use super::hierarchy::Hierarchy;
use super::meshes::{ColoredGeometry, MeshReader, Missing, PrimitiveGeometries};
use super::nodes::Thing;
use super::shapes::{Dialect, ShapeFile};
use super::skins::Skin;
use super::warnings::Warnings;
use raytwin::geometry::Geometry;
use std::collections::HashMap;
use std::rc::Rc;

/// A geometry that could not be read, which keeps its id.
const EMPTY: ColoredGeometry = ColoredGeometry { geometry: Geometry::Empty, color: None };

/// Reads the geometries of things.
pub(super) struct PartReader<'a, 'f> {
    pub hierarchy: &'f Hierarchy,
    pub meshes: &'f MeshReader<'a>,
    pub shapes: &'f [ShapeFile],
    pub dialect: Dialect,
    pub warnings: Warnings,
    /// The geometries of each thing that was read.
    pub known: HashMap<Thing, Rc<[ColoredGeometry]>>,
}

impl PartReader<'_, '_> {
    /// The geometries of an object, in the space of its group. There is one warning for those that
    /// cannot be read.
    pub fn read(&mut self, thing: Thing, name: impl Fn() -> String) -> Rc<[ColoredGeometry]> {
        if let Some(known) = self.known.get(&thing) {
            return Rc::clone(known);
        }
        let name = name();
        let mut parts: Vec<ColoredGeometry> = Vec::new();
        let read = match thing {
            Thing::Mesh(mesh) => {
                self.add_primitives(self.meshes.read(mesh, None), &name, &mut parts);
                Ok(Vec::new())
            }
            Thing::SkinnedMesh(node) => match self.skin(node) {
                Ok((mesh, skin)) => {
                    self.add_primitives(self.meshes.read(mesh, Some(&skin)), &name, &mut parts);
                    Ok(Vec::new())
                }
                Err(reason) => {
                    self.warnings.meshes.add(|| format!("{name} ({reason})"));
                    Ok(vec![EMPTY; self.meshes.primitive_count(node)])
                }
            },
            Thing::Unread => Ok(vec![EMPTY]),
            Thing::Collider { node, is_hull } => {
                colliders::mesh_parts(self.meshes, self.hierarchy, node, is_hull)
            }
            Thing::Shape(shape) | Thing::ColliderShape(shape) => match self.shapes.get(shape) {
                Some(file) => {
                    let geometry = file.geometry(self.dialect);
                    geometry.map(|geometry| vec![ColoredGeometry { geometry, color: None }])
                }
                None => {
                    Err(format!("shape {shape}: there are {}, counted from 0", self.shapes.len()))
                }
            },
        };
        match read {
            Ok(read) => parts.extend(read),
            Err(reason) => {
                self.warnings.shapes.add(|| format!("{name} ({reason})"));
                parts.push(EMPTY);
            }
        }
        let parts: Rc<[ColoredGeometry]> = parts.into();
        self.known.insert(thing, Rc::clone(&parts));
        parts
    }

    fn add_primitives(
        &mut self,
        primitives: Vec<Result<PrimitiveGeometries, Missing>>,
        name: &str,
        parts: &mut Vec<ColoredGeometry>,
    ) {
        for (index, primitive) in primitives.into_iter().enumerate() {
            match primitive {
                Ok(PrimitiveGeometries { geometries, corners_left }) => {
                    parts.extend(geometries);
                    if corners_left > 0 {
                        self.warnings.corners.add(|| {
                            format!("{name}, primitive {index} (its last {corners_left} corners)")
                        });
                    }
                }
                Err(Missing::Size) => self.warnings.points.add(|| name.to_owned()),
                Err(Missing::Fault(reason)) => {
                    self.warnings.meshes.add(|| format!("{name}, primitive {index} ({reason})"));
                    parts.push(EMPTY);
                }
            }
        }
    }

    fn skin(&self, node: usize) -> Result<(usize, Skin), String> {
        let file = self.meshes.file;
        let node = &file.document.nodes[node];
        let (mesh, skin) = node.mesh.zip(node.skin).ok_or("has no skin")?;
        let skin = Skin::read(file, &self.meshes.accessors, self.hierarchy, skin)?;
        Ok((mesh, skin))
    }
}
