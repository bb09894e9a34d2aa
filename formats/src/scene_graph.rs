//! The contents of a scene's files, and the scenes that are made from them.

use super::graph::{FlatScene, Graph, flatten, geometry_count, origin_near_scene, pose};
use super::graph_reader::GraphReader;
use super::joint_value::{JointState, JointValue, looks_like_radians};
use super::label_table::LabelTable;
use super::mount::Mount;
use super::{Options, Origin, Remedy, Warning};
use raytwin::camera::{Elevation, Projection, UpAxis};
use raytwin::scene::Scene;
use raytwin_files::{FileError, FileStore};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The contents of a file and of the files that it names: shapes, instances of definitions, names,
/// colours, masks, a robot's links and joints, cameras and worlds. Nothing in it is rounded, placed
/// in the world or written out as single shapes. You can therefore make scenes with other origins,
/// or with everything movable, without reading a file again. A clone shares its meshes and heights.
#[derive(Clone, Debug)]
pub struct SceneGraph {
    pub(crate) graph: Graph,
    /// The index of the file's own contents.
    pub(crate) root: u32,
    warnings: Vec<Warning>,
    /// The store of the files, which limits the memory of scenes.
    store: FileStore,
    path: PathBuf,
    up: UpAxis,
    labels: Option<LabelTable>,
    floats: bool,
}

/// A scene, and warnings about the parts of its file that are not in it.
#[derive(Clone, Debug, Default)]
pub struct ImportedScene {
    /// The scene, which has at least one geometry.
    pub scene: Scene,
    /// Warnings; empty if everything was read exactly.
    pub warnings: Vec<Warning>,
    /// A robot's links, by name, at the values of its joints.
    pub links: HashMap<String, Mount>,
    /// A model's sites, by name, in each world of the scene. A scene does not list the sites of the
    /// models in it.
    pub sites: Vec<Vec<(String, Mount)>>,
    /// The joints of a robot or a model that [`Options::joints`] can move with one number each, in
    /// the file's order, without those that follow others. A scene does not list the joints of the
    /// robots in it.
    pub joints: Vec<JointState>,
    /// The files that the geometries come from.
    pub sources: Vec<Source>,
    /// The depth of nested nodes, instances and files.
    pub depth: u64,
}

/// A file that geometries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// The number of its geometries, counted for each instance. The meshes and heights that a scene
    /// file names count as its own.
    pub geometry_count: u64,
}

impl SceneGraph {
    /// The graph that was read from a file, given the index of its contents.
    pub(super) fn new(reader: GraphReader, root: u32, path: &Path, up: UpAxis) -> Self {
        let GraphReader { graph, warnings, store, .. } = reader;
        Self {
            graph,
            root,
            warnings,
            store,
            path: path.to_owned(),
            up,
            labels: None,
            floats: false,
        }
    }

    /// Sets whether the scenes float freely, so that their pictures have no floor.
    pub(super) fn floating(self, floats: bool) -> Self {
        Self { floats, ..self }
    }

    /// The graph whose scenes are labelled by a table.
    pub(super) fn with_labels(self, labels: Option<LabelTable>) -> Self {
        Self { labels, ..self }
    }

    /// The number of geometries of its scenes, counted for each instance. It saturates.
    ///
    /// # Errors
    /// [`FileError`] for definitions in a circle.
    pub fn geometry_count(&self) -> Result<u64, FileError> {
        geometry_count(&self.graph, self.root)
    }

    /// The joints with one number each, of a file that is a single robot or model, in the file's
    /// order; empty for other files.
    pub fn joints(&self) -> &[JointState] {
        &self.graph.0[self.root as usize].joints
    }

    /// The graph with other values of joints and everything else unchanged; reads no file. For a
    /// robot in a scene, names begin with the path of its node, as in `robot/elbow`. Joints that
    /// are not named keep their values.
    ///
    /// # Errors
    /// [`FileError`] for a joint that does not exist, and for a value that it cannot have.
    pub fn posed(&self, joints: &[(String, JointValue)]) -> Result<Self, FileError> {
        let mut posed = self.clone();
        pose(&mut posed.graph, posed.root, joints, &mut posed.warnings)?;
        Ok(posed)
    }

    /// Makes a scene: places all shapes in the world, rounds them to float32 relative to the
    /// origin, writes definitions out or makes instances, and numbers the geometries.
    /// [`Options::origin`] and [`Options::movable`] apply here; all other options apply when files
    /// are read. The scene takes ownership of as much as possible, which saves memory.
    ///
    /// # Errors
    /// A [`FileError`] with the place in the file of a part that cannot be in a scene; also if
    /// there are no shapes.
    pub fn flatten(self, options: &Options) -> Result<ImportedScene, FileError> {
        let path = self.path.clone();
        let imported = self.flatten_any(options)?;
        if imported.scene.primitive_count() > 0 {
            return Ok(imported);
        }
        let skipped: Vec<_> = imported.warnings.iter().map(|w| format!("; {w}")).collect();
        let reason = format!("has no shapes to cast rays at{}", skipped.concat());
        Err(FileError::meaning(&path, "", reason))
    }

    /// Does the same, also if there are no shapes.
    pub(super) fn flatten_any(self, options: &Options) -> Result<ImportedScene, FileError> {
        let Self { mut graph, root, warnings, store, path, up, labels, floats } = self;
        if options.origin.is_none() {
            graph.0[root as usize].refuse_coarse_rows()?;
        }
        let flattened = flatten(&store, &mut graph, root, options, warnings)?;
        let FlatScene { mut scene, plan, mut warnings } = flattened;
        scene.up = up;
        scene.floats = floats;
        warnings.retain(|warning| warning.count > 0);
        warnings.extend(coarsely_rounded(&scene, options));
        warnings.extend(cameras_in_radians(&scene));
        warnings.extend(labels.and_then(|labels| labels.apply(&mut scene)));
        let sources = plan.sources(&graph, root);
        let mut sources: Vec<Source> =
            sources.map(|(path, geometry_count)| Source { path, geometry_count }).collect();
        if sources.is_empty() {
            sources.push(Source { path, geometry_count: 0 });
        }
        let contents = graph.0.swap_remove(root as usize);
        let others = contents.worlds.into_iter().map(|world| world.sites);
        Ok(ImportedScene {
            scene,
            warnings,
            links: contents.links,
            sites: std::iter::once(contents.sites).chain(others).collect(),
            joints: contents.joints,
            sources,
            depth: plan.depth(root),
        })
    }
}

/// The warnings about shapes that rounding moved much, because they are far from the origin of the
/// scene or of their own definition.
fn coarsely_rounded(scene: &Scene, options: &Options) -> impl Iterator<Item = Warning> {
    let coarse = scene.coarsely_rounded();
    let has_nearest = matches!(options.origin, Some(Origin::Auto)) || !helps_some(scene, coarse);
    let advice = match has_nearest {
        true => {
            "no round origin is near all of them, so set one in their middle, or give each part a scene of its own"
        }
        false => "set an origin near the scene",
    };
    let mut of_scene = Warning::about_read(format!(
        "shapes moved by more than a thousandth of their size when their numbers were rounded to float32; {advice}"
    ));
    of_scene.remedy = (!has_nearest).then_some(Remedy::Origin);
    coarse.iter().for_each(|&id| of_scene.add(|| scene.path(id)));
    let mut of_definitions = Warning::about_read(
        "shapes moved by more than a thousandth of their size when their numbers were rounded to float32 far from the origin of their own definition; place them near it, and move the instances instead",
    );
    scene.coarse_in_definitions().iter().for_each(|&id| of_definitions.add(|| scene.path(id)));
    [of_scene, of_definitions].into_iter().filter(|warning| warning.count > 0)
}

/// Returns true if one of the shapes is less than half as far from the origin of [`Origin::Auto`]
/// as from the scene's own.
fn helps_some(scene: &Scene, coarse: &[u32]) -> bool {
    if coarse.is_empty() {
        return false;
    }
    let nearest = origin_near_scene(scene) - scene.origin();
    coarse.iter().any(|&id| {
        let middle = scene.bounds_of(&[id]).center();
        middle.distance(nearest) < 0.5 * middle.length()
    })
}

/// A warning about the cameras whose angles look like radians, but are read as degrees.
fn cameras_in_radians(scene: &Scene) -> Option<Warning> {
    let mut warning = Warning::about_read(
        "cameras have angles that look like radians, but are read as degrees (multiply radians by 180/pi)",
    );
    for camera in &scene.cameras {
        let angles = match &camera.projection {
            Projection::Perspective { fov_y_degrees } => vec![*fov_y_degrees],
            Projection::Panoramic(panorama) => match &panorama.elevation_degrees {
                Elevation::Range(edges) => [panorama.azimuth_degrees, *edges].concat(),
                Elevation::Table(_) => panorama.azimuth_degrees.to_vec(),
            },
            _ => Vec::new(),
        };
        if let Some(angle) = angles.into_iter().find(|&angle| looks_like_radians(angle)) {
            warning.add(|| format!("{} ({angle})", camera.name));
        }
    }
    (warning.count > 0).then_some(warning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// The warnings about a plate of 0.2 with one edge of 1e-7, which lies so far off.
    fn warnings(far: f64, options: &Options) -> Vec<Warning> {
        let vertices = [
            [0.1, 0.1, 0.1],
            [0.3, 0.1, 0.1],
            [0.3, 0.3, 0.1],
            [0.1, 0.3, 0.1],
            [0.2, 0.1, 0.1],
            [0.1, 0.1, 0.1000001],
        ];
        let line = |[x, y, z]: [f64; 3]| format!("v {} {y} {z}\n", far + x);
        let text = vertices.map(line).concat() + "f 1 2 3\nf 1 3 4\nf 1 6 5\n";
        let store = FileStore::in_memory([("plate.obj", text.as_bytes())]);
        crate::load_from(&store, Path::new("plate.obj"), options).unwrap().warnings
    }

    #[test]
    fn an_origin_is_offered_where_it_helps_and_taken_away_with_it() {
        let auto = Options { origin: Some(Origin::Auto), ..Options::default() };
        assert!(warnings(0.0, &Options::default()).is_empty());
        assert!(warnings(0.0, &auto).is_empty());
        let [warning] = &warnings(1e6, &Options::default())[..] else { panic!() };
        assert_eq!((warning.count, &warning.remedy), (1, &Some(Remedy::Origin)));
        assert!(warnings(1e6, &auto).is_empty());
        let near = Options { origin: Some(Origin::At(DVec3::X * 999_000.0)), ..Options::default() };
        assert!(warnings(1e6, &near).is_empty());
    }

    #[test]
    fn no_origin_is_offered_that_the_scene_has_or_that_is_no_nearer() {
        let remedies = |text: &str, options: &Options| {
            let store = FileStore::in_memory([("balls.json", text.as_bytes())]);
            let read = crate::load_from(&store, Path::new("balls.json"), options).unwrap();
            let remedy = |warning: &Warning| (warning.count, warning.remedy.is_some());
            read.warnings.iter().map(remedy).collect::<Vec<_>>()
        };
        let ball = |x: f64, radius: f64| {
            format!(r#"{{ "type": "sphere", "center": [{x}, 0, 0], "radius": {radius} }}"#)
        };
        // The round point that is nearest has a metre, and the ball a millionth of that.
        let small = |origin: &str| {
            format!(r#"{{ "raytwin": 1{origin}, "shapes": [{}] }}"#, ball(5_000_000.3, 1e-6))
        };
        let none = Options::default();
        assert_eq!(remedies(&small(""), &none), [(1, true)]);
        assert_eq!(remedies(&small(r#", "origin": [5000000, 0, 0]"#), &none), [(1, false)]);

        let balls = [0.1, 10_000_000.3, 20_000_000.7].map(|x| ball(x, 0.01)).join(",");
        let row = format!(r#"{{ "raytwin": 1, "shapes": [{balls}] }}"#);
        let at = |x: f64| Options { origin: Some(Origin::At(DVec3::X * x)), ..Options::default() };
        assert_eq!(remedies(&row, &none), [(2, true)]);
        assert_eq!(remedies(&row, &at(1e7)), [(2, false)]);
    }

    #[test]
    fn a_movable_shape_that_is_far_from_its_own_origin_is_offered_none() {
        let movable = Options { movable: true, origin: Some(Origin::Auto), ..Options::default() };
        let [warning] = &warnings(1e6, &movable)[..] else { panic!() };
        let text = warning.to_string();
        assert!(text.contains("origin of their own definition") && warning.remedy.is_none());
    }
}
