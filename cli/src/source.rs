//! The flags that choose a scene and a camera.

mod build_argument;
mod format_arguments;
mod instrument_arguments;
mod loaded;
mod memory_arguments;
mod outputs;
mod side;
mod site_argument;
mod view_arguments;
mod visibility;
mod warning_text;

pub(super) use build_argument::BuildArgument;
pub(super) use instrument_arguments::InstrumentArguments;
pub(super) use loaded::{LoadedScene, ReadScene, hide_from};
pub(super) use site_argument::{NamedMount, SiteArgument};
pub(super) use view_arguments::ViewArguments;

use super::stages::has_extension;
use super::{Console, Failure};
use crate::shell_words::shell_quoted;
use clap::Args;
use format_arguments::{FormatArguments, flag_of};
use memory_arguments::MemoryArguments;
use raytwin::bvh::Quality;
use raytwin::camera::View;
use raytwin::glam::DVec3;
use raytwin::packed::PackedScene;
use raytwin::scene::Scene;
use raytwin_files::FileError;
use raytwin_formats::{
    FORMATS, FileStore, Format, FormatOption, JointValue, NamedAtom, Options, Origin, SceneGraph,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use view_arguments::point;
use visibility::VisibilityArguments;
use warning_text::warning_text;

/// The flags that choose a scene and how to read it.
#[derive(Clone, Debug, Args)]
pub(super) struct SceneArguments {
    // It is required, except with some flags that need no scene.
    #[arg(required = true, help_heading = "Input", help = SCENE_HELP, long_help = scene_help())]
    scene: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArguments,
    /// Use this world of the scene (worlds are numbered from 0).
    ///
    /// A world is a variant of the scene: the same shapes with other transforms.
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    #[arg(help_heading = "Input", hide_short_help = true)]
    world: Option<u32>,
    /// Subtract this point from all coordinates, in float64.
    ///
    /// raytwin subtracts it from the coordinates of the scene, cameras, rays and points, and then
    /// rounds them to float32. Points in answers are in the original coordinates again, in float64.
    /// auto chooses a point with round coordinates near the middle of the scene.
    #[arg(long, value_name = "X,Y,Z|auto", allow_hyphen_values = true, value_parser = origin)]
    #[arg(help_heading = "Input", hide_short_help = true)]
    origin: Option<Origin>,
    #[command(flatten)]
    visibility: VisibilityArguments,
    /// Label shapes according to this table.
    ///
    /// The table has the columns pattern and label (0 to 65535; 0 means no label), and optionally
    /// name and reflectance (0 to 1). Patterns work as in --ignore. The first row that matches a
    /// shape applies, and overrides the scene file.
    #[arg(long, value_name = "LABELS.csv", help_heading = "Input", hide_short_help = true)]
    labels: Option<PathBuf>,
    #[command(flatten)]
    build: BuildArgument,
    /// Treat every warning as an error.
    #[arg(long, help_heading = "Messages", hide_short_help = true)]
    pub strict: bool,
    #[command(flatten)]
    memory: MemoryArguments,
    /// The store that the scene is read from. It records which files the run reads.
    #[arg(skip)]
    files: FileStore,
}

/// The short help for the scene file.
const SCENE_HELP: &str = "The scene file, such as a .json, .urdf, .xml, .gltf or .stl";

/// Returns the help for the scene file, which lists all formats.
fn scene_help() -> String {
    let formats = FORMATS.iter().map(|it| format!("{} ({})", it.dotted_extensions(), it.content));
    format!("The scene file, in one of these formats: {}", formats.collect::<Vec<_>>().join(", "))
}

fn origin(text: &str) -> Result<Origin, String> {
    if text == "auto" {
        return Ok(Origin::Auto);
    }
    let point = point(text).map_err(|error| format!("{error}, or auto"))?;
    match point.is_finite() && point.abs().max_element() <= 1e9 {
        true => Ok(Origin::At(point)),
        false => Err(format!("'{text}' must be numbers between -1e9 and 1e9")),
    }
}

fn typed_origin(origin: Origin) -> String {
    match origin {
        Origin::At(DVec3 { x, y, z }) => format!("{x},{y},{z}"),
        _ => "auto".to_owned(),
    }
}

impl SceneArguments {
    /// Returns true if there is a scene.
    pub fn is_given(&self) -> bool {
        self.scene.is_some()
    }

    pub fn quality(&self) -> Quality {
        self.build.quality()
    }

    pub fn path(&self) -> &Path {
        self.scene.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the name of the phase that reads the scene.
    pub fn reading(&self) -> String {
        format!("reading {}", self.name())
    }

    /// Returns the name of the scene file for messages.
    pub fn name(&self) -> String {
        self.path().display().to_string()
    }

    /// Returns the scene and the flags for reading it and building its tree, as you type them in a
    /// shell.
    pub fn typed(&self) -> String {
        let mut words = vec![self.path().display().to_string()];
        words.extend(self.format.typed());
        if let Some(world) = self.world {
            words.extend(["--world".to_owned(), world.to_string()]);
        }
        words.extend(self.origin.map(|origin| format!("--origin={}", typed_origin(origin))));
        words.extend(self.visibility.typed());
        if let Some(labels) = &self.labels {
            words.extend(["--labels".to_owned(), labels.display().to_string()]);
        }
        words.extend(self.build.typed());
        words.extend(self.memory.typed());
        words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the same flags with these values of a robot's joints, which replace those of flags.
    pub fn with_joints(&self, joints: &[(String, JointValue)]) -> Self {
        let mut arguments = self.clone();
        let given = &mut arguments.format.options.joints;
        given.retain(|(name, _)| joints.iter().all(|(other, _)| other != name));
        given.extend_from_slice(joints);
        arguments
    }

    /// Returns the same flags with another store for the files.
    pub fn with_files(&self, files: FileStore) -> Self {
        Self { files, ..self.clone() }
    }

    /// Returns an error if the file of rays or points seems to come before the scene.
    pub fn refuse_swap(&self, other: &Path, content: &str) -> Result<(), Failure> {
        let may_be_either = |path: &Path| has_extension(path, &["npz", "parquet"]);
        let may_be_scene = |path: &Path| Format::of(path).is_some();
        let is_scene = |path: &Path| {
            may_be_scene(path) && !may_be_either(path) && !has_extension(path, &["csv"])
        };
        let scene = self.path();
        if (has_extension(scene, &["npy"]) && may_be_scene(other))
            || (may_be_either(scene) && is_scene(other))
        {
            return Err(Failure::usage(format!(
                "{} looks like a file of {content} and {} like a scene: give the scene first",
                self.path().display(),
                other.display()
            )));
        }
        Ok(())
    }

    /// Returns an error if flags hide shapes in a command that casts no rays.
    pub fn refuse_ignored(&self, what_it_does: &str) -> Result<(), Failure> {
        self.visibility.refuse(what_it_does)
    }

    /// Reads and packs the scene.
    pub fn load(&self, console: &Console) -> Result<LoadedScene, Failure> {
        let start = Instant::now();
        let scene = self.reported(console, || self.read_one_world())?.scene;
        self.pack(scene, start, console)
    }

    /// Returns true if a flag or the scene's file gives an origin.
    pub fn has_origin(&self, scene: &Scene) -> bool {
        self.origin.is_some() || scene.origin() != DVec3::ZERO
    }

    /// Returns true if the flags may give several worlds and no flag chooses one.
    pub fn may_have_worlds(&self) -> bool {
        self.world.is_none() && self.format.options.qpos.is_some()
    }

    /// Reads and packs the scene, which may have several worlds.
    pub fn load_worlds(&self, console: &Console) -> Result<LoadedScene, Failure> {
        let start = Instant::now();
        let scene = self.reported(console, || self.read())?.scene;
        self.pack(scene, start, console)
    }

    /// Reads and packs the scene as a camera sees it, and makes the view. The camera's sensor may
    /// hide shapes.
    pub fn load_with_view(
        &self,
        view: &ViewArguments,
        console: &Console,
    ) -> Result<(LoadedScene, View), Failure> {
        self.load_with_sensor(view, |_| Ok(None), console)
    }

    /// Does the same for a sensor that may be mounted on a link or at a site.
    pub fn load_with_sensor(
        &self,
        view: &ViewArguments,
        mount: impl FnOnce(&ReadScene) -> Result<Option<NamedMount>, Failure>,
        console: &Console,
    ) -> Result<(LoadedScene, View), Failure> {
        let start = Instant::now();
        let (read, view) = self.read_with_sensor(view, mount, console)?;
        Ok((self.pack(read.scene, start, console)?, view))
    }

    /// Reads the scene, hides the shapes that the sensor passes through, and makes the view of the
    /// sensor, which may be mounted on a link or at a site.
    pub fn read_with_sensor(
        &self,
        view: &ViewArguments,
        mount: impl FnOnce(&ReadScene) -> Result<Option<NamedMount>, Failure>,
        console: &Console,
    ) -> Result<(ReadScene, View), Failure> {
        let mut read = self.reported(console, || self.read_one_world())?;
        let mount = mount(&read)?;
        let view = view.view_at(&read.scene, mount.as_ref(), console)?;
        hide_from(&mut read.scene, &view.camera);
        Ok((read, view))
    }

    /// Returns an error if the scene's format does not support an option.
    fn refuse_option(&self, option: FormatOption) -> Result<(), Failure> {
        match Format::of(self.path()) {
            Some(format) if !format.options.contains(&option) => Err(Failure::usage(format!(
                "{} works only for {}, and not for {}",
                flag_of(option),
                Format::that_take(option),
                self.name()
            ))),
            _ => Ok(()),
        }
    }

    /// Returns an error if the scene has no joints, or if a flag sets a joint that the trajectory
    /// also sets.
    pub fn refuse_joints(&self, set: &[String]) -> Result<(), Failure> {
        if let Some(name) = set.first() {
            self.refuse_option(FormatOption::Joints).map_err(|failure| {
                Failure::usage(format!(
                    "--poses: the column {name} is not part of a pose, and this scene has no joints: {}",
                    failure.message
                ))
            })?;
        }
        match self.format.options.joints.iter().find(|(name, _)| set.contains(name)) {
            Some((name, _)) => Err(Failure::usage(format!(
                "--joint {name}: the trajectory also has a column for this joint: remove one of the two"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the store that files are read from, with the memory limit of the flags.
    pub fn limited_files(&self) -> FileStore {
        self.memory.limited(&self.files)
    }

    /// Reads the scene as a phase of a run, and prints the warnings.
    pub fn reported(
        &self,
        console: &Console,
        read: impl FnOnce() -> Result<ReadScene, Failure>,
    ) -> Result<ReadScene, Failure> {
        let read = console.phase(&self.reading(), read)?;
        read.warnings.iter().for_each(|warning| console.warn(warning));
        Ok(read)
    }

    /// Returns the options for reading the scene.
    fn options(&self) -> Options {
        Options { origin: self.origin, labels: self.labels.clone(), ..self.format.options.clone() }
    }

    /// Returns true if the scene is a native file and no flag leaves anything out, so that its
    /// graph can be written again.
    pub fn is_whole_graph(&self) -> bool {
        has_extension(self.path(), &["json"]) && self.visibility.are_all() && self.labels.is_none()
    }

    /// Reads the scene without the ignored shapes. Returns an error if it has several worlds and no
    /// flag chooses one.
    pub fn read_one_world(&self) -> Result<ReadScene, Failure> {
        self.one_world(self.read()?)
    }

    /// Returns an error for a scene with several worlds.
    pub fn one_world(&self, read: ReadScene) -> Result<ReadScene, Failure> {
        match read.scene.world_count() {
            1 => Ok(read),
            worlds => Err(Failure::usage(format!(
                "{}: the scene has {worlds} worlds, and this command uses only one: choose one from 0 to {} with --world",
                self.name(),
                worlds - 1
            ))),
        }
    }

    /// Reads the scene without the ignored shapes, in the world that a flag chooses or in all
    /// worlds.
    pub fn read(&self) -> Result<ReadScene, Failure> {
        self.flatten(self.read_graph()?, false)
    }

    /// Reads what the scene's files describe.
    pub fn read_graph(&self) -> Result<SceneGraph, Failure> {
        let options = self.options();
        options.given().try_for_each(|option| self.refuse_option(option))?;
        let graph = raytwin_formats::read(&self.limited_files(), self.path(), &options);
        graph.map_err(|error| self.with_colliders(error, &options))
    }

    /// Returns the atoms of the scene file if it is a molecule.
    pub fn atoms(&self) -> Result<Vec<NamedAtom>, Failure> {
        let atoms = raytwin_formats::atoms(&self.limited_files(), self.path(), &self.options())?;
        Ok(atoms.unwrap_or_default())
    }

    /// Makes the scene of a graph from [`Self::read_graph`], with these values of a robot's joints
    /// in addition to those of the flags. Returns an error if the scene has several worlds and no
    /// flag chooses one.
    pub fn posed(
        &self,
        graph: &SceneGraph,
        joints: &[(String, JointValue)],
    ) -> Result<ReadScene, Failure> {
        self.one_world(self.flatten(graph.posed(joints)?, false)?)
    }

    /// Makes the scene of a graph from [`Self::read_graph`] according to the flags. With `movable`,
    /// every geometry becomes an instance that can move.
    pub fn flatten(&self, graph: SceneGraph, movable: bool) -> Result<ReadScene, Failure> {
        let options = Options { movable, ..self.options() };
        let imported = graph.flatten(&options);
        let imported = imported.map_err(|error| self.with_origin(error, &options))?;
        let name = self.name();
        let warnings: Vec<String> = imported
            .warnings
            .iter()
            .map(|warning| format!("{name}: {}", warning_text(warning)))
            .collect();
        if let Some(warning) = warnings.first().filter(|_| self.strict) {
            return Err(Failure::input(warning.clone()));
        }
        let (mut scene, mut sites) = (imported.scene, imported.sites);
        self.visibility.hide_in(&mut scene)?;
        if let Some(world) = self.world {
            let worlds = scene.world_count();
            let alone = match movable {
                true => scene.moved_to_world(world),
                false => scene.in_world(world),
            };
            let alone = alone.map_err(|error| {
                Failure::input(format!("--world {world}: {error}")).in_file(&name)
            })?;
            scene = alone.ok_or_else(|| {
                Failure::input(format!(
                    "--world {world}: the scene has {worlds} worlds, numbered from 0"
                ))
            })?;
            sites = sites.into_iter().skip(world as usize).take(1).collect();
        }
        Ok(ReadScene {
            scene,
            links: imported.links,
            sites,
            joints: imported.joints,
            warnings,
            warning_parts: imported.warnings,
            sources: imported.sources,
            depth: imported.depth,
        })
    }

    /// Adds the flag --origin or --collision to an error if it would avoid the error.
    fn with_origin(&self, error: FileError, options: &Options) -> Failure {
        let nearby = Options { origin: Some(Origin::Auto), ..options.clone() };
        let helps = matches!(error, FileError::Meaning { .. })
            && options.origin != nearby.origin
            && raytwin_formats::load_from(&self.limited_files(), self.path(), &nearby).is_ok();
        match helps {
            true => Failure::input(error.to_string()).with_flags(&["--origin auto"]),
            false => self.with_colliders(error, options),
        }
    }

    /// Adds the flag --collision to an error if the collision geometry can be read.
    fn with_colliders(&self, error: FileError, options: &Options) -> Failure {
        let has_colliders = Format::of(self.path())
            .is_some_and(|format| format.options.contains(&FormatOption::Collision));
        let colliders = Options { collision: true, ..options.clone() };
        match has_colliders
            && matches!(error, FileError::Meaning { .. })
            && !options.collision
            && raytwin_formats::load_from(&self.limited_files(), self.path(), &colliders).is_ok()
        {
            true => Failure::input(error.to_string()).with_flags(&["--collision"]),
            false => error.into(),
        }
    }

    /// Packs a scene whose reading began at `start`, as a phase of a run.
    pub fn pack(
        &self,
        scene: Scene,
        start: Instant,
        console: &Console,
    ) -> Result<LoadedScene, Failure> {
        let phase = format!("building the tree of {}", self.name());
        console.phase(&phase, || self.packed(scene, start))
    }

    /// Does the same without a message.
    pub fn packed(&self, scene: Scene, start: Instant) -> Result<LoadedScene, Failure> {
        let name = self.name();
        let scene = Arc::new(scene);
        let packed = PackedScene::with_quality(Arc::clone(&scene), self.quality());
        let packed = packed.map_err(|error| Failure::from(error).in_file(&name))?;
        let load_time = start.elapsed();
        log::info!("{name}: {:?} shapes, read and packed in {load_time:.2?}", scene.type_counts());
        Ok(LoadedScene { scene, packed, name, load_time })
    }
}
