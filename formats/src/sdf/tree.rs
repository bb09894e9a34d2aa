//! Walks a world, its models and the models that it includes.

use super::element::{SdfElement, is_true};
use super::frames::{Frames, Parent, Within};
use super::geometry::GeometryReader;
use super::labels::{self, LaserRetro};
use super::material;
use super::models::ModelFiles;
use super::pose::GivenPose;
use super::repeats::left_out_of_shape;
use super::resources::Resources;
use super::warnings::WorldWarnings;
use super::world::{World, WorldGroup, WorldSensor, WorldShape};
use crate::Options;
use crate::shortened::shortened;
use raytwin::geometry::Geometry;
use raytwin::scene::{Appearance, Name};
use raytwin_files::memory::bytes_of;
use raytwin_files::{FileError, FileStore};
use std::path::{Path, PathBuf};

mod sensors;

/// The largest depth of nested models.
const MAX_DEPTH: usize = 64;

/// The largest number of elements of all included models, counted for each inclusion. A small file
/// may have many more.
const MAX_INCLUDED: usize = 1 << 18;

struct WorldReader<'a> {
    path: &'a Path,
    resources: Resources<'a>,
    /// The elements of a link that are read.
    which: &'static str,
    files: ModelFiles,
    geometries: GeometryReader,
    /// The files that are being read, each included by the previous one.
    open: Vec<PathBuf>,
    /// The number of elements of included models so far.
    included: usize,
    frames: Frames,
    groups: Vec<WorldGroup>,
    shapes: Vec<WorldShape>,
    joints: Vec<([Name; 2], bool)>,
    sensors: Vec<WorldSensor>,
    warnings: WorldWarnings,
}

/// The world or the model that an element is in.
#[derive(Clone)]
struct Around {
    within: Within,
    /// The path of the model; `None` for the world.
    path: Option<Name>,
    /// The label of everything in the model that has none of its own.
    label: Option<u16>,
    depth: usize,
}

impl Around {
    fn path_of(&self, name: &str) -> Name {
        self.path.as_ref().map_or_else(|| Name::from(name), |path| path.child(name))
    }
}

/// Reads the first world of a file, or its models.
pub(super) fn read(store: &FileStore, path: &Path, options: &Options) -> Result<World, FileError> {
    let mut files = ModelFiles::default();
    let root = SdfElement::read(store, path, &mut files.lapses)?;
    let which = if options.collision { "collision" } else { "visual" };
    let mut reader = WorldReader {
        path,
        resources: Resources::new(store, &options.packages),
        which,
        files,
        geometries: GeometryReader::default(),
        open: vec![identity(store, path)],
        included: 0,
        frames: Frames::new(root.place().clone()),
        groups: Vec::new(),
        shapes: Vec::new(),
        joints: Vec::new(),
        sensors: Vec::new(),
        warnings: WorldWarnings::new(which),
    };
    let around = Around { within: Within::WORLD, path: None, label: None, depth: 0 };
    match root.child("world") {
        Some(first) => {
            let is_other = |other: &&SdfElement| {
                ["world", "model"].contains(&other.tag.as_str()) && !std::ptr::eq(*other, first)
            };
            for other in root.elements().iter().filter(is_other) {
                reader.warnings.other_worlds.add(|| described(other));
            }
            reader.members(first, &around)?;
        }
        None => reader.members(&root, &around)?,
    }
    let WorldReader { frames, groups, shapes, sensors, warnings, .. } = &mut reader;
    for shape in shapes {
        if let Err(fault) = frames.check(shape.frame) {
            // An empty one already has a warning, or is intended.
            if shape.geometry != Geometry::Empty {
                warnings.unread_shapes.add(|| format!("{} ({fault})", shape.path));
            }
            shape.geometry = Geometry::Empty;
            shape.frame = groups[shape.link].frame;
        }
    }
    sensors.retain(|sensor| match frames.check(sensor.frame) {
        Ok(()) => true,
        Err(fault) => {
            warnings.sensors.add(|| format!("{} ({fault})", sensor.path));
            false
        }
    });
    let frames_of_shapes = reader.shapes.iter().map(|it| it.frame);
    let wanted = frames_of_shapes.chain(reader.sensors.iter().map(|it| it.frame));
    Ok(World {
        world_from_frames: reader.frames.resolve(wanted)?,
        groups: reader.groups,
        shapes: reader.shapes,
        joints: reader.joints,
        sensors: reader.sensors,
        warnings: reader
            .warnings
            .all()
            .chain(reader.files.lapses.warnings())
            .chain(reader.geometries.meshes.warnings.raised())
            .collect(),
    })
}

impl WorldReader<'_> {
    /// Counts an element that is read, if an included model has it.
    fn count(&mut self, element: &SdfElement) -> Result<(), FileError> {
        self.included += usize::from(self.open.len() > 1);
        if self.included <= MAX_INCLUDED {
            return Ok(());
        }
        let reason = format!("included models have more than {MAX_INCLUDED} elements");
        Err(element.refuse(reason))
    }

    /// Reads the pose of an element, and names further poses that it has.
    fn pose(&mut self, element: &SdfElement) -> Result<GivenPose, FileError> {
        self.leave_out(element.repeated().filter(|it| it.tag == "pose"));
        GivenPose::of(element)
    }

    /// Names elements that are left out because another one is read instead.
    fn leave_out<'a>(&mut self, elements: impl IntoIterator<Item = &'a SdfElement>) {
        for element in elements {
            let name = || element.refuse(format!("<{}>", element.tag)).to_string();
            self.warnings.repeated.add(name);
        }
    }

    /// Reads the contents of the world or of a model.
    fn members(&mut self, element: &SdfElement, around: &Around) -> Result<(), FileError> {
        let is_world = around.path.is_none();
        for member in element.elements() {
            self.count(member)?;
            match member.tag.as_str() {
                "model" => self.model(member, None, around)?,
                "include" => self.include(member, around)?,
                "link" if !is_world => self.link(member, around)?,
                "frame" => {
                    let pose = self.pose(member)?;
                    let attached = member.attribute("attached_to").map(str::to_owned);
                    let default = Parent::named_or(attached.as_ref(), around.within.frame);
                    let name = member.required_attribute("name")?;
                    self.frames.add_named(around.within, name, default, &pose);
                }
                "joint" => {
                    let pose = self.pose(member)?;
                    let name = member.required_attribute("name")?;
                    if let (Some(parent), Some(child)) =
                        (member.text_of("parent"), member.text_of("child"))
                    {
                        let link = |name: &str| around.path_of(&name.replace("::", "/"));
                        let is_fixed = member.attribute("type") == Some("fixed");
                        self.joints.push(([link(parent), link(child)], is_fixed));
                    }
                    if let Some(child) = member.text_of("child") {
                        let child = Parent::Named(child.to_owned());
                        self.frames.add_joint(around.within, name, child, &pose);
                    }
                }
                "actor" | "population" | "road" => self.warnings.elements.add(|| described(member)),
                "state" => self.warnings.states.add(|| described(member)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a model. An `<include>` may contain it, rename it, and place it elsewhere.
    fn model(
        &mut self,
        model: &SdfElement,
        include: Option<&SdfElement>,
        around: &Around,
    ) -> Result<(), FileError> {
        let placed = include.filter(|include| include.child("pose").is_some());
        let pose = self.pose(placed.unwrap_or(model))?;
        let given_name = include.and_then(|include| include.text_of("name"));
        let name = match given_name {
            Some(name) => name,
            None => model.required_attribute("name")?,
        };
        let given_placement = include.and_then(|include| include.text_of("placement_frame"));
        let placement = given_placement.or_else(|| model.attribute("placement_frame"));
        let is_merged = include.and_then(|include| include.attribute("merge")).is_some_and(is_true);
        if around.depth == MAX_DEPTH {
            let reason = format!("models are nested more than {MAX_DEPTH} deep");
            return Err(include.unwrap_or(model).refuse(reason));
        }
        let depth = around.depth + 1;
        let mut label = None;
        for element in include.into_iter().chain([model]) {
            label = label.or(self.label(element, || around.path_of(name)));
        }
        let label = label.or(around.label);
        if is_merged && let Some(path) = &around.path {
            let within = self.frames.add_merged(around.within, name, &pose, placement);
            return self.members(model, &Around { within, path: Some(path.clone()), label, depth });
        }
        let within = self.frames.add_model(around.within, name, &pose, placement);
        let path = around.path_of(name);
        let [first_group, first_shape, first_sensor] =
            [self.groups.len(), self.shapes.len(), self.sensors.len()];
        let (frame, is_link, carrier) = (within.frame, false, 0..0);
        self.groups.push(WorldGroup { path: path.clone(), frame, is_link, carrier });
        self.members(model, &Around { within, path: Some(path), label, depth })?;
        if around.path.is_none() {
            // A model in the world moves as a whole, with the models in it.
            let carrier = first_shape as u32..self.shapes.len() as u32;
            let groups = self.groups[first_group..].iter_mut().map(|group| &mut group.carrier);
            let sensors = self.sensors[first_sensor..].iter_mut().map(|it| &mut it.carrier);
            groups.chain(sensors).for_each(|of_member| *of_member = carrier.clone());
        }
        Ok(())
    }

    /// Reads the model that an `<include>` names. One that cannot be found is a warning; files that
    /// include each other in a circle are an error.
    fn include(&mut self, include: &SdfElement, around: &Around) -> Result<(), FileError> {
        let address = include.required("uri")?.text();
        let (path, root) = match self.files.read(&mut self.resources, address, include.path())? {
            Ok(read) => read,
            Err(reason) => {
                let remedy = self.resources.take_remedy();
                let advice = match remedy {
                    Some(_) => {
                        "; put it next to this file or in a folder above it, or give it as a package"
                    }
                    None => "",
                };
                self.frames.add_missing(around.within, format!("{reason}{advice}"));
                self.warnings.includes.add(|| reason);
                self.warnings.includes.remedy = self.warnings.includes.remedy.take().or(remedy);
                return Ok(());
            }
        };
        let identity = identity(self.resources.store, &path);
        if let Some(first) = self.open.iter().position(|open| *open == identity) {
            let around = self.open[first..].iter().chain([&identity]);
            let names: Vec<String> = around.map(|path| path.display().to_string()).collect();
            let reason = format!("closes a circle of files: {}", names.join(" -> "));
            return Err(include.refuse(reason));
        }
        self.open.push(identity);
        match (root.child("model"), root.child("actor"), root.child("light")) {
            (Some(model), ..) => self.model(model, Some(include), around)?,
            (None, Some(actor), _) => self.warnings.elements.add(|| described(actor)),
            (None, None, Some(_)) => {}
            (None, None, None) => {
                let reason = || format!("{}: has no model", path.display());
                self.warnings.includes.add(reason);
            }
        }
        self.open.pop();
        Ok(())
    }

    fn link(&mut self, link: &SdfElement, around: &Around) -> Result<(), FileError> {
        let name = link.required_attribute("name")?;
        let pose = self.pose(link)?;
        let default = Parent::Frame(around.within.frame);
        let frame = self.frames.add_named(around.within, name, default, &pose);
        let path = around.path_of(name);
        let index = self.groups.len();
        self.groups.push(WorldGroup { path: path.clone(), frame, is_link: true, carrier: 0..0 });
        for (number, item) in link.children(self.which).enumerate() {
            let name = match item.attribute("name") {
                Some(name) => path.child(name),
                None => path.child(format!("{}[{number}]", self.which)),
            };
            self.shape(item, name, index, around)?;
        }
        for (number, sensor) in link.children("sensor").enumerate() {
            let name = match sensor.attribute("name") {
                Some(name) => path.child(name),
                None => path.child(format!("sensor[{number}]")),
            };
            self.sensor(sensor, &name, frame, around.within)?;
        }
        Ok(())
    }

    fn shape(
        &mut self,
        item: &SdfElement,
        path: Name,
        link: usize,
        around: &Around,
    ) -> Result<(), FileError> {
        self.count(item)?;
        self.leave_out(left_out_of_shape(item));
        let (pose, read) = match self.pose(item) {
            Ok(pose) => (pose, self.geometries.read(&mut self.resources, item)),
            Err(fault) => (GivenPose::identity(item), Err(fault.to_string())),
        };
        let frame = self.frames.add_optional(around.within, self.groups[link].frame, &pose);
        let read = read.and_then(|geometry| {
            let needs = || format!("its meshes and heights up to those of {path} need");
            let taken = self.resources.store.take_memory(self.path, bytes_of(&geometry), needs);
            taken.map_err(|error| error.to_string())?;
            geometry.check().map_err(|shape_error| shape_error.to_string())?;
            Ok(geometry)
        });
        let geometry = read.unwrap_or_else(|reason| {
            let remedy = self.resources.take_remedy();
            let unread = &mut self.warnings.unread_shapes;
            unread.add(|| format!("{path} ({reason})"));
            unread.remedy = unread.remedy.take().or(remedy);
            Geometry::Empty
        });
        let color = material::color(item).unwrap_or_else(|reason| {
            self.warnings.colors.add(|| format!("{path} ({reason})"));
            None
        });
        let label = self.label(item, || path.clone()).or(around.label);
        let (mut reflectance, mut laser_retro) = (None, None);
        let warning = &mut self.warnings.reflectances;
        match labels::laser_retro(item) {
            Ok(LaserRetro::Unsaid) => {}
            Ok(LaserRetro::Reflectance(share)) => reflectance = Some(share),
            Ok(LaserRetro::Other(number)) => {
                let is_whole = number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
                laser_retro = is_whole.then_some(number as i32);
                let kept = if is_whole { ", kept as the column laser_retro" } else { "" };
                warning.add(|| format!("{path} (it is {number}{kept})"));
            }
            Err(reason) => warning.add(|| format!("{path} ({reason})")),
        }
        let appearance = Appearance { color, label, reflectance };
        self.shapes.push(WorldShape { path, link, frame, geometry, appearance, laser_retro });
        Ok(())
    }

    /// The label that a plugin gives a model or a shape.
    fn label(&mut self, element: &SdfElement, path: impl Fn() -> Name) -> Option<u16> {
        labels::label(element).unwrap_or_else(|reason| {
            self.warnings.labels.add(|| format!("{} ({reason})", path()));
            None
        })
    }
}

fn described(element: &SdfElement) -> String {
    let name = element.attribute("name").or_else(|| element.attribute("world_name"));
    match name {
        Some(name) => format!("<{}> {}", element.tag, shortened(name)),
        None => format!("<{}>", element.tag),
    }
}

/// The canonical path of a file, however its path is written.
fn identity(store: &FileStore, path: &Path) -> PathBuf {
    store.identity(path).unwrap_or_else(|_| path.to_owned())
}
