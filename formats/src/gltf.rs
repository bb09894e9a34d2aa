//! Reads glTF 2.0, as JSON or in its binary container: the visible meshes of the nodes of a scene,
//! or their colliders, and the cameras. Coordinates stay as they are: metres, with +y upwards.

mod accessors;
mod buffers;
mod colliders;
mod container;
mod document;
mod enumerations;
mod hierarchy;
mod instances;
mod meshes;
mod nodes;
mod objects;
mod parts;
mod references;
mod shapes;
mod skins;
mod warnings;

use super::Options;
use super::graph::{GraphContents, GraphItem, GraphShape, GraphUse};
use super::graph_reader::{GraphReader, called};
use super::mesh_warnings::MeshWarnings;
use super::shortened::shortened;
use accessors::Accessors;
use buffers::Buffers;
use colliders::CollidersHeld;
use document::{GltfFile, NOTHING};
use glam::{DMat3, DVec3};
use hierarchy::Hierarchy;
use meshes::{ColoredGeometry, MeshReader};
use nodes::{NodeWalk, Thing, ThingInScene};
use objects::{GltfDocument, GltfMesh};
use parts::PartReader;
use raytwin::fields::{MAX_SIZE, MIN_SIZE};
use raytwin::geometry::Geometry;
use raytwin::scene::Scene;
use raytwin::transform::{Affine, Transform};
use raytwin_files::memory::TRIANGLE_BYTES;
use raytwin_files::{FileError, FileStore};
use serde::Deserialize;
use shapes::{Dialect, ShapeFile};
use std::collections::HashMap;
use std::path::Path;
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
    let store = reader.store.clone();
    read_scene(&store, path, options, |file, contents, things, parts| {
        let mut filling = Filling { reader, path, contents, parts, used: HashMap::new() };
        filling.add_all(&things);
        let Filling { contents, parts, .. } = filling;
        let mut warnings = parts.warnings;
        if contents.items.is_empty() && !options.collision {
            match colliders::colliders_held(file) {
                CollidersHeld::None => {}
                CollidersHeld::Readable => warnings.colliders.add(|| called(path)),
                CollidersHeld::Unreadable(reason) => {
                    warnings.unread_colliders.add(|| format!("{} ({reason})", called(path)));
                }
            }
        }
        reader.warnings.extend(warnings.all());
        Ok(reader.add(contents))
    })
}

/// Reads the visible triangles of the nodes of a document as one mesh in its own coordinates,
/// without turning an axis upwards. Gazebo does not turn it either (gazebosim/gz-common, pull
/// request 543), nor did RViz before 15.1.4 (ros2/rviz, pull request 1482), and robots that are
/// published with the same meshes as glTF and as OBJ (dexsuite/dex-urdf) have both in the same
/// coordinates.
///
/// Unreadable parts, shapes, lines and points are left out with a warning.
///
/// # Errors
/// [`FileError`] for a document that cannot be read.
pub(super) fn triangles(
    store: &FileStore,
    path: &Path,
    mesh_warnings: &mut MeshWarnings,
) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), FileError> {
    read_scene(store, path, &Options::default(), |_, contents, things, mut parts| {
        let mut meshes = Vec::new();
        let mut count = 0;
        for placed in things.iter().filter(|placed| !placed.is_left_out) {
            let name = || named(&contents, path, placed.group);
            for part in parts.read(placed.thing, name).iter() {
                match &part.geometry {
                    Geometry::Mesh(mesh) => {
                        count += mesh.triangles().len() as u64;
                        meshes.push((part.geometry.clone(), placed.scene_from_group.affine()));
                    }
                    Geometry::Shape(_) => {
                        parts.warnings.shapes.add(|| format!("{} (a shape)", name()));
                    }
                    Geometry::Lines(_) => {
                        let lines = || format!("{} (lines have no surface)", name());
                        parts.warnings.shapes.add(lines);
                    }
                    _ => {}
                }
            }
        }
        parts.warnings.add_to(mesh_warnings, &called(path));
        let needs = || format!("its {count} triangles need");
        store.for_another_scene().take_memory(path, count * TRIANGLE_BYTES, needs)?;
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (mesh, scene_from_mesh) in meshes {
            if let Some(Geometry::Mesh(mesh)) = mesh.image(&scene_from_mesh) {
                let first = vertices.len() as u32;
                vertices.extend(mesh.vertices());
                let renumbered = |corners: &[u32; 3]| corners.map(|corner| first + corner);
                triangles.extend(mesh.triangles().iter().map(renumbered));
            }
        }
        Ok((vertices, triangles))
    })
}

/// Reads a document, and passes on the contents of its default scene.
fn read_scene<R>(
    store: &FileStore,
    path: &Path,
    options: &Options,
    take: impl FnOnce(
        &GltfFile,
        GraphContents,
        Vec<ThingInScene>,
        PartReader<'_, '_>,
    ) -> Result<R, FileError>,
) -> Result<R, FileError> {
    let bytes = store.read(path)?;
    let mut file = GltfFile::parse(path, &bytes)?;
    let buffers = Buffers::read(store, path, &mut file);
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
    let NodeWalk { contents, things, mut warnings, .. } = walk;
    for extension in file.document.extensions_required.iter().filter(|name| !is_known(name)) {
        warnings.extensions.add(|| shortened(extension));
    }
    for name in morphed(&file) {
        warnings.morphs.add(|| name);
    }
    for place in without_material(&file) {
        warnings.colors.add(|| format!("{place} ({NOTHING})"));
    }
    let (hierarchy, meshes) = (&hierarchy, &meshes);
    let parts = PartReader { hierarchy, meshes, shapes, dialect, warnings, known: HashMap::new() };
    take(&file, contents, things, parts)
}

/// Returns true if an extension is read, or concerns no geometry, or has a warning of its own.
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

/// The paths of the materials that are not in a document.
fn without_material(file: &GltfFile) -> Vec<String> {
    let is_lost = |material: usize| material >= file.exact.materials.len();
    let mut places = Vec::new();
    for (number, mesh) in file.document.meshes.iter().enumerate() {
        for (primitive, description) in mesh.primitives.iter().enumerate() {
            if description.material.is_some_and(is_lost) {
                places.push(format!("meshes[{number}].primitives[{primitive}].material"));
            }
        }
    }
    places
}

/// The names of the meshes and nodes with a weight for morph targets of positions. Targets may
/// morph only normals or tangents (glTF 2.0, section 3.7.2.2), which moves no surface.
fn morphed(file: &GltfFile) -> Vec<String> {
    let is_moved = |mesh: &GltfMesh, weights: &Option<Vec<f32>>| {
        weights.iter().flatten().enumerate().filter(|(_, weight)| **weight != 0.0).any(
            |(target, _)| {
                let primitives = mesh.primitives.iter();
                let mut targets = primitives.filter_map(|it| it.targets.as_ref()?.get(target));
                targets.any(|target| target.position.is_some())
            },
        )
    };
    let named = |kind: &str, index: usize, name: &Option<String>| match name {
        Some(name) => shortened(name),
        None => format!("{kind}[{index}]"),
    };
    let mut names = Vec::new();
    let GltfDocument { meshes, nodes, .. } = &file.document;
    for (index, mesh) in meshes.iter().enumerate() {
        if is_moved(mesh, &mesh.weights) {
            names.push(named("meshes", index, &mesh.name));
        }
    }
    for (index, node) in nodes.iter().enumerate() {
        if node.mesh.is_some_and(|mesh| is_moved(&meshes[mesh], &node.weights)) {
            names.push(named("nodes", index, &node.name));
        }
    }
    names
}

/// Fills the contents of a document with what stands in its nodes.
struct Filling<'a, 'f> {
    reader: &'f mut GraphReader,
    path: &'f Path,
    contents: GraphContents,
    parts: PartReader<'a, 'f>,
    /// The contents of objects that are in several places.
    used: HashMap<Thing, u32>,
}

impl Filling<'_, '_> {
    fn add_all(&mut self, things: &[ThingInScene]) {
        let mut counts: HashMap<Thing, usize> = HashMap::new();
        for placed in things {
            *counts.entry(placed.thing).or_default() += 1;
        }
        for placed in things {
            let name = || named(&self.contents, self.path, placed.group);
            let parts = self.parts.read(placed.thing, name);
            let unfit = |part: &ColoredGeometry| unfit(&part.geometry, &placed.scene_from_group);
            let reason = parts.iter().find_map(unfit);
            if placed.is_left_out || reason.is_some() {
                let kept =
                    |part: &ColoredGeometry| match placed.is_left_out || unfit(part).is_some() {
                        true => ColoredGeometry { geometry: Geometry::Empty, color: part.color },
                        false => part.clone(),
                    };
                let name = named(&self.contents, self.path, placed.group);
                let reason = reason.filter(|_| !placed.is_left_out);
                reason.iter().for_each(|reason| {
                    self.parts.warnings.shapes.add(|| format!("{name} ({reason})"))
                });
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

    /// The size of a collider's shape follows the absolute value of its node's scale, which does
    /// not mirror it (KHR_physics_rigid_bodies, Geometry).
    fn without_mirror(&self, placed: &ThingInScene) -> Option<Transform> {
        let scale = DVec3::from(*self.parts.meshes.file.exact.nodes[placed.node].scale.as_deref()?);
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
                let name = named(&self.contents, self.path, placed.group);
                let mut contents = GraphContents::new(name, self.path.to_owned(), String::new());
                contents.items = (0..)
                    .zip(parts)
                    .map(|(index, part)| GraphItem::Shape(shape(0, index, part)))
                    .collect();
                let index = self.reader.add(contents);
                self.used.insert(placed.thing, index);
                index
            }
        };
        self.contents.items.push(GraphItem::Use(GraphUse { group: placed.group, contents }));
    }
}

/// The name of a group in messages.
fn named(contents: &GraphContents, path: &Path, group: u32) -> String {
    match contents.path_of(group) {
        name if name.is_empty() => format!("a node of {}", called(path)),
        name => name,
    }
}

fn shape(group: u32, index: u32, part: &ColoredGeometry) -> GraphShape {
    GraphShape {
        appearance: part.color.into(),
        ..GraphShape::new(group, index, part.geometry.clone())
    }
}

/// The reason why a geometry cannot be at its place, which would make loading fail; `None` if it
/// can. For many primitives, it checks the bounds, which needs no copy.
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
        return Some("it has coordinates above 1e9".to_owned());
    }
    if let Geometry::Lines(lines) = geometry
        && !(MIN_SIZE..=MAX_SIZE).contains(&lines.radius())
    {
        return Some("its lines have no size".to_owned());
    }
    (image.radius() < 2.0 * MIN_SIZE).then(|| "all its vertices are at one point".to_owned())
}

#[cfg(test)]
mod tests;
