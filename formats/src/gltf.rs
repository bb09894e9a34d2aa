//! Reads glTF 2.0, as JSON or in its binary container: the meshes that the nodes of a scene show,
//! or their colliders, and the cameras. Coordinates stay as they are: metres, with +y upwards.

mod accessors;
mod buffers;
mod colliders;
mod document;
mod hierarchy;
mod instances;
mod meshes;
mod nodes;
mod shapes;
mod skins;
mod warnings;

use super::Options;
use super::graph::{GraphContents, GraphItem, GraphShape, GraphUse};
use super::graph_reader::{GraphReader, called};
use super::shortened::shortened;
use accessors::Accessors;
use buffers::Buffers;
use document::GltfFile;
use glam::{DMat3, DVec3};
use hierarchy::Hierarchy;
use meshes::{ColoredGeometry, MeshReader, Missing};
use nodes::{NodeWalk, Thing, ThingInScene};
use raytwin::fields::{MAX_SIZE, MIN_SIZE};
use raytwin::geometry::Geometry;
use raytwin::scene::Scene;
use raytwin::transform::{Affine, Transform};
use raytwin_files::FileError;
use serde::Deserialize;
use shapes::{Dialect, ShapeFile};
use skins::Skin;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use warnings::Warnings;

/// The extension KHR_implicit_shapes of a document.
#[derive(Debug, Deserialize)]
struct ImplicitShapes {
    shapes: Vec<ShapeFile>,
}

/// Reads a document into a graph, and returns the index of its contents.
pub(super) fn read_contents(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let bytes = reader.store.read(path)?;
    let mut file = GltfFile::parse(path, &bytes)?;
    let buffers = Buffers::read(&reader.store, path, &mut file);
    let shapes: Option<ImplicitShapes> = file.extension(path, "KHR_implicit_shapes")?;
    let (shapes, dialect) = match &shapes {
        Some(extension) => (&extension.shapes, Dialect::Extension),
        None => (&file.exact.shapes, Dialect::Draft),
    };
    let hierarchy = Hierarchy::read(path, &file)?;
    let meshes = MeshReader { file: &file, accessors: Accessors::new(&file, &buffers), options };
    let mut walk = NodeWalk {
        file: &file,
        hierarchy: &hierarchy,
        accessors: &meshes.accessors,
        collision: options.collision,
        contents: GraphContents::new(called(path), path.to_owned(), String::new()),
        things: Vec::new(),
        warnings: Warnings::new(),
    };
    walk.walk();
    let NodeWalk { contents, things, warnings, .. } = walk;
    let mut filling = Filling {
        reader,
        path,
        hierarchy: &hierarchy,
        meshes: &meshes,
        shapes,
        dialect,
        contents,
        warnings,
        parts: HashMap::new(),
        used: HashMap::new(),
    };
    filling.add_all(&things);
    let Filling { contents, mut warnings, .. } = filling;
    if contents.items.is_empty() && !options.collision && colliders::has_colliders(&file) {
        warnings.colliders.add(|| called(path));
    }
    for extension in file.document.extensions_required().filter(|name| !is_known(name)) {
        warnings.extensions.add(|| shortened(extension));
    }
    for name in morphed(&file) {
        warnings.morphs.add(|| name);
    }
    reader.warnings.extend(warnings.raised());
    let index = reader.reserve();
    reader.fill(index, contents);
    Ok(index)
}

/// Tells whether an extension is read, or concerns no geometry, or has a warning of its own.
fn is_known(extension: &str) -> bool {
    const KNOWN: [&str; 7] = [
        "EXT_mesh_gpu_instancing",
        "EXT_meshopt_compression",
        "KHR_draco_mesh_compression",
        "KHR_implicit_shapes",
        "KHR_mesh_quantization",
        "KHR_node_visibility",
        "KHR_physics_rigid_bodies",
    ];
    const LOOKS: [&str; 5] =
        ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_animation_"];
    KNOWN.contains(&extension) || LOOKS.iter().any(|start| extension.starts_with(start))
}

/// The names of the meshes and nodes that give morph targets a weight.
fn morphed(file: &GltfFile) -> Vec<String> {
    let is_used = |weights: Option<&[f32]>| {
        weights.is_some_and(|weights| weights.iter().any(|weight| *weight != 0.0))
    };
    let named = |kind: &str, index: usize, name: Option<&str>| match name {
        Some(name) => shortened(name),
        None => format!("{kind}[{index}]"),
    };
    let meshes = file.document.meshes().filter(|mesh| is_used(mesh.weights()));
    let nodes = file.document.nodes().filter(|node| is_used(node.weights()));
    let meshes = meshes.map(|mesh| named("meshes", mesh.index(), mesh.name()));
    meshes.chain(nodes.map(|node| named("nodes", node.index(), node.name()))).collect()
}

/// A geometry that could not be read, which keeps its id.
const EMPTY: ColoredGeometry = ColoredGeometry { geometry: Geometry::Empty, color: None };

/// Fills the contents of a document with what stands in its nodes.
struct Filling<'a, 'f> {
    reader: &'f mut GraphReader,
    path: &'f Path,
    hierarchy: &'f Hierarchy,
    meshes: &'f MeshReader<'a>,
    shapes: &'f [ShapeFile],
    dialect: Dialect,
    contents: GraphContents,
    warnings: Warnings,
    /// The geometries of each thing that was read.
    parts: HashMap<Thing, Rc<[ColoredGeometry]>>,
    /// The contents of the things that stand in several places.
    used: HashMap<Thing, u32>,
}

impl Filling<'_, '_> {
    fn add_all(&mut self, things: &[ThingInScene]) {
        let mut counts: HashMap<Thing, usize> = HashMap::new();
        for placed in things {
            *counts.entry(placed.thing).or_default() += 1;
        }
        for placed in things {
            let parts = self.parts(placed.thing, placed.group);
            let unfit = |part: &ColoredGeometry| unfit(&part.geometry, &placed.scene_from_group);
            let reason = parts.iter().find_map(unfit);
            if placed.is_left_out || reason.is_some() {
                let kept =
                    |part: &ColoredGeometry| match placed.is_left_out || unfit(part).is_some() {
                        true => ColoredGeometry { geometry: Geometry::Empty, color: part.color },
                        false => part.clone(),
                    };
                let name = self.name(placed.group);
                let reason = reason.filter(|_| !placed.is_left_out);
                reason
                    .iter()
                    .for_each(|reason| self.warnings.shapes.add(|| format!("{name} ({reason})")));
                self.add_parts(placed, &parts.iter().map(kept).collect::<Vec<_>>());
                continue;
            }
            let is_instanced = matches!(placed.thing, Thing::Mesh(_) | Thing::Collider { .. });
            match is_instanced && counts[&placed.thing] > 1 && !parts.is_empty() {
                true => self.add_use(placed, &parts),
                false => self.add_parts(placed, &parts),
            }
        }
    }

    fn name(&self, group: u32) -> String {
        match self.contents.path_of(group) {
            name if name.is_empty() => format!("a node of {}", called(self.path)),
            name => name,
        }
    }

    /// The geometries of a thing, in the space of its group. Those that cannot be read are warned
    /// of once.
    fn parts(&mut self, thing: Thing, group: u32) -> Rc<[ColoredGeometry]> {
        if let Some(known) = self.parts.get(&thing) {
            return Rc::clone(known);
        }
        let name = self.name(group);
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
        self.parts.insert(thing, Rc::clone(&parts));
        parts
    }

    fn add_primitives(
        &mut self,
        primitives: Vec<Result<Vec<ColoredGeometry>, Missing>>,
        name: &str,
        parts: &mut Vec<ColoredGeometry>,
    ) {
        for (index, primitive) in primitives.into_iter().enumerate() {
            match primitive {
                Ok(read) => parts.extend(read),
                Err(Missing::Size) => self.warnings.points.add(|| name.to_owned()),
                Err(Missing::Fault(reason)) => {
                    self.warnings.meshes.add(|| format!("{name}, primitive {index} ({reason})"));
                    parts.push(EMPTY);
                }
            }
        }
    }

    /// The mesh of a node and its skin.
    fn skin(&self, node: usize) -> Result<(usize, Skin), String> {
        let json = &self.meshes.file.document.as_json().nodes[node];
        let (mesh, skin) = json.mesh.zip(json.skin).ok_or("has no skin")?;
        let file = self.meshes.file;
        let skin = Skin::read(file, &self.meshes.accessors, self.hierarchy, skin.value())?;
        Ok((mesh.value(), skin))
    }

    /// Adds geometries to a group. A skinned mesh is where its joints are, which are nodes of the
    /// scene.
    fn add_parts(&mut self, placed: &ThingInScene, parts: &[ColoredGeometry]) {
        let contents_from_shape = match placed.thing {
            Thing::SkinnedMesh(_) => Some(Transform::IDENTITY),
            Thing::ColliderShape(_) => self.without_mirror(placed),
            _ => None,
        };
        let of_group = |item: &GraphItem| match item {
            GraphItem::Shape(shape) if shape.group == placed.group => Some(shape.index),
            _ => None,
        };
        let next = self.contents.items.last().and_then(of_group).map_or(0, |last| last + 1);
        for (index, part) in (next..).zip(parts) {
            let contents_from_shape = contents_from_shape.map(Box::new);
            self.contents.items.push(GraphItem::Shape(GraphShape {
                contents_from_shape,
                ..shape(placed.group, index, part)
            }));
        }
    }

    /// A collider's shape is as large as the absolute value of its node's scale says, and not
    /// turned over by it (KHR_physics_rigid_bodies, Geometry).
    fn without_mirror(&self, placed: &ThingInScene) -> Option<Transform> {
        let scale = DVec3::from(*self.meshes.file.exact.nodes[placed.node].scale.as_deref()?);
        if scale.min_element() >= 0.0 {
            return None;
        }
        let linear = DMat3::from_diagonal(scale.signum());
        let turned_back = Affine { linear, translation: DVec3::ZERO };
        Some(placed.scene_from_group.then_inner(&turned_back.into()))
    }

    fn add_use(&mut self, placed: &ThingInScene, parts: &[ColoredGeometry]) {
        let contents = match self.used.get(&placed.thing) {
            Some(&contents) => contents,
            None => {
                let name = self.name(placed.group);
                let mut contents = GraphContents::new(name, self.path.to_owned(), String::new());
                contents.items = (0..)
                    .zip(parts)
                    .map(|(index, part)| GraphItem::Shape(shape(0, index, part)))
                    .collect();
                let index = self.reader.reserve();
                self.reader.fill(index, contents);
                self.used.insert(placed.thing, index);
                index
            }
        };
        self.contents.items.push(GraphItem::Use(GraphUse { group: placed.group, contents }));
    }
}

fn shape(group: u32, index: u32, part: &ColoredGeometry) -> GraphShape {
    GraphShape {
        appearance: part.color.into(),
        ..GraphShape::new(group, index, part.geometry.clone())
    }
}

/// Why a geometry cannot stand at its place, where the load would fail; `None` if it can. Of many
/// primitives the bounds are looked at, which takes no copy.
fn unfit(geometry: &Geometry, scene_from_geometry: &Transform) -> Option<String> {
    if let Geometry::Shape(_) | Geometry::Empty = geometry {
        let placed = Scene::new().add_transformed(geometry, scene_from_geometry);
        return placed.err().map(|error| error.to_string());
    }
    let bounds = geometry.bounds()?;
    let image = scene_from_geometry.affine().bounds(&bounds);
    let reach =
        [bounds.min, bounds.max, image.min, image.max].map(|corner| corner.abs().max_element());
    if reach.into_iter().any(|reach| !reach.is_finite() || reach > MAX_SIZE) {
        return Some("it reaches beyond coordinates of 1e9".to_owned());
    }
    if let Geometry::Lines(lines) = geometry
        && !(MIN_SIZE..=MAX_SIZE).contains(&lines.radius())
    {
        return Some("its lines have no size".to_owned());
    }
    (image.radius() < 2.0 * MIN_SIZE).then(|| "its vertices lie at one point".to_owned())
}

#[cfg(test)]
mod tests;
