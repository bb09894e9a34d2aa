//! Settings for reading a scene, which its file does not hold.

use super::JointValue;
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// Settings for reading a scene, which its file does not hold. A format ignores those that it does
/// not take: see [`Format::options`](super::Format::options).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Reads the collision geometry of a robot, a world of Gazebo or a glTF scene instead of what is
    /// shown.
    pub collision: bool,
    /// The values of a robot's joints, by name. Other joints are at zero, or where a model's file
    /// has them. Those of a robot in a scene begin with the path of its node, such as
    /// `robot/elbow`.
    pub joints: Vec<(String, JointValue)>,
    /// The name or the number of a model's key, whose pose is taken.
    pub key: Option<String>,
    /// A NumPy file of the numbers of all joints of a model, as MuJoCo's `qpos` has them.
    pub qpos: Option<PathBuf>,
    /// The groups of a model's geoms that rays can hit; `None` for all.
    pub geom_groups: Option<Vec<u8>>,
    /// The folders of the packages that a robot's meshes lie in, and of the models of Gazebo's
    /// worlds, by the package's or the model's name.
    pub packages: Vec<(String, PathBuf)>,
    /// The style in which a molecule is drawn.
    pub style: MoleculeStyle,
    /// What a molecule's colours show; by default its elements, and the chains of a trace.
    pub colors: Option<MoleculeColors>,
    /// The number of a molecule's model, as its file has it; by default its first.
    pub model: Option<u32>,
    /// The alternate location of atoms that is taken, such as `A`; by default the one with the
    /// highest occupancy.
    pub alternate: Option<char>,
    /// Leaves out a molecule's hydrogens.
    pub without_hydrogens: bool,
    /// Leaves out a molecule's water.
    pub without_water: bool,
    /// The radius about a world's lines at which rays hit them; by default a thousandth of the size
    /// of each set of lines.
    pub line_radius: Option<f64>,
    /// The radius of the spheres that a world's points become; without it, points are left out.
    pub point_radius: Option<f64>,
    /// A table of labels (`.csv`) with the columns `pattern` (an id, a path or a pattern, as
    /// [`Scene::select`](raytwin::Scene::select) takes them), `label` (0 to 65535, 0 for none) and,
    /// if wanted, `name` and `reflectance` (0 to 1). The first row that chooses a geometry counts,
    /// and comes before the scene's file.
    pub labels: Option<PathBuf>,
    /// Labels a model's geoms by their groups: those of group N get the label N + 1, `groupN`.
    pub label_groups: bool,
    /// The [`Scene::origin`](raytwin::Scene::origin), in place of the one that the file may give.
    pub origin: Option<Origin>,
    /// Makes every geometry an instance, as [`Scene::add_movable`](raytwin::Scene::add_movable) does.
    /// A tracer of such a scene follows a robot whose joints move: pose the graph that was read,
    /// flatten it, and [`update`](raytwin::Tracer::update) the tracer.
    pub movable: bool,
}

/// The style in which a molecule is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MoleculeStyle {
    /// A small sphere an atom, and a cylinder a bond.
    #[default]
    BallAndStick,
    /// A sphere of van der Waals' radius an atom.
    SpaceFilling,
    /// A cylinder with round ends a bond, and a sphere of its radius an atom without bonds.
    Sticks,
    /// A cylinder with round ends between each alpha carbon of a chain and the next.
    Trace,
}

impl MoleculeStyle {
    /// All styles, by their names.
    pub const NAMES: [(&str, Self); 4] = [
        ("ball-and-stick", Self::BallAndStick),
        ("space-filling", Self::SpaceFilling),
        ("sticks", Self::Sticks),
        ("trace", Self::Trace),
    ];

    /// Returns the style of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, style)| *style)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, style)| *style == self).map_or("", |(name, _)| name)
    }
}

/// What the colours of a molecule show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MoleculeColors {
    /// The elements of its atoms.
    Element,
    /// Its chains.
    Chain,
    /// The B factors of its atoms: from blue for those that move least, over white, to red.
    BFactor,
}

impl MoleculeColors {
    /// All of them, by their names.
    pub const NAMES: [(&str, Self); 3] =
        [("element", Self::Element), ("chain", Self::Chain), ("b-factor", Self::BFactor)];

    /// Returns those of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, colors)| *colors)
    }

    /// Returns their name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, colors)| *colors == self).map_or("", |(name, _)| name)
    }
}

/// The choice of the point that is subtracted from all coordinates before they are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// This point.
    At(DVec3),
    /// A point of round numbers near the middle of the scene.
    Auto,
}

impl Options {
    /// Returns the options that are given of those that only some formats take.
    pub fn given(&self) -> impl Iterator<Item = FormatOption> {
        let given = [
            (self.collision, FormatOption::Collision),
            (!self.joints.is_empty(), FormatOption::Joints),
            (!self.packages.is_empty(), FormatOption::Packages),
            (self.key.is_some(), FormatOption::Key),
            (self.qpos.is_some(), FormatOption::Qpos),
            (self.geom_groups.is_some(), FormatOption::GeomGroups),
            (self.label_groups, FormatOption::LabelGroups),
            (self.style != MoleculeStyle::default(), FormatOption::Style),
            (self.colors.is_some(), FormatOption::Colors),
            (self.model.is_some(), FormatOption::Model),
            (self.alternate.is_some(), FormatOption::Alternate),
            (self.without_hydrogens, FormatOption::Hydrogens),
            (self.without_water, FormatOption::Water),
            (self.line_radius.is_some(), FormatOption::LineRadius),
            (self.point_radius.is_some(), FormatOption::PointRadius),
        ];
        given.into_iter().filter_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// A field of [`Options`] that only some formats take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatOption {
    /// [`Options::collision`]
    Collision,
    /// [`Options::joints`]
    Joints,
    /// [`Options::packages`]
    Packages,
    /// [`Options::key`]
    Key,
    /// [`Options::qpos`]
    Qpos,
    /// [`Options::geom_groups`]
    GeomGroups,
    /// [`Options::label_groups`]
    LabelGroups,
    /// [`Options::style`]
    Style,
    /// [`Options::colors`]
    Colors,
    /// [`Options::model`]
    Model,
    /// [`Options::alternate`]
    Alternate,
    /// [`Options::without_hydrogens`]
    Hydrogens,
    /// [`Options::without_water`]
    Water,
    /// [`Options::line_radius`]
    LineRadius,
    /// [`Options::point_radius`]
    PointRadius,
}

impl FormatOption {
    /// Returns its key in the node of a native scene that holds a file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::Joints => "joints",
            Self::Packages => "packages",
            Self::Key => "key",
            Self::Qpos => "qpos",
            Self::GeomGroups => "geom_groups",
            Self::LabelGroups => "label_groups",
            Self::Style => "style",
            Self::Colors => "colors",
            Self::Model => "model",
            Self::Alternate => "alternate",
            Self::Hydrogens => "hydrogens",
            Self::Water => "water",
            Self::LineRadius => "line_radius",
            Self::PointRadius => "point_radius",
        }
    }
}
