//! Settings for reading a scene that are not in its file. An option that only some formats have is
//! a row of `format_options`. From this row follow its flag and help, its keyword in Python, its
//! key in a node of a native scene, and the check whether a format has it.

mod choice;

pub use choice::{Choice, MoleculeColors, MoleculeStyle};

use super::JointValue;
use FormatOption::*;
use glam::DVec3;
use std::path::PathBuf;

/// The headings of the flags.
const ROBOTS: &str = "Robots";
const MUJOCO: &str = "MuJoCo models";
const MOLECULES: &str = "Molecules";
const LINES: &str = "Lines and points of X3D, VRML and glTF";

/// Passes the rows to another macro. A row has the field of [`Options`] and the kind of its values;
/// the key in a node with a file in a native scene, whose comment is its description in the schema,
/// with its line breaks; the heading and the name of the flag, and its value; the short help, and
/// the addition of the long help.
#[rustfmt::skip]
macro_rules! format_options { ($take:ident) => { $take! {
Collision {
    /// Reads the collision geometry of a robot, a Gazebo world or a glTF scene instead of the
    /// visible geometry.
    collision: bool as Switch,
    /// For a robot or a glTF scene: true reads its collision geometry instead of the visible
    /// geometry.
    collision: bool,
    ROBOTS: "collision",
    "Read collision geometry instead of visual geometry",
    "Works for robots, Gazebo worlds and glTF scenes.",
}
Joints {
    /// The values of a robot's joints, by name. Other joints are at zero, or at their position in a
    /// model's file. For a robot in a scene, names begin with the path of its node, such as
    /// `robot/elbow`.
    joints: Vec<(String, JointValue)> as Joints,
    /// For a robot: the values of joints by name, in radians or metres, or in degrees such as
    /// "90deg".
    joints: BTreeMap<String, JointFile>,
    ROBOTS: "joint" = "NAME=VALUE",
    "Set a robot joint to this value, such as elbow=90deg",
    "Values are in radians or metres, or in degrees with deg. A ball joint needs the quaternion \
     W,X,Y,Z, and a free joint X,Y,Z,W,X,Y,Z. Other joints stay at zero, or at their position in \
     the file. For a robot in a scene, add the name of its node: robot/elbow=1.57. May be \
     repeated.",
}
Packages {
    /// The folders of the packages of a robot's meshes, and of the models of Gazebo worlds, by the
    /// name of the package or the model.
    packages: Vec<(String, PathBuf)> as Folders,
    /// For a robot: the folders of its packages by name, as paths relative to the folder of this
    /// file.
    packages: BTreeMap<String, String>,
    ROBOTS: "package" = "NAME=DIR",
    "Look for the files of a robot's package in this folder",
    "NAME is the name of the package, or of a model of a Gazebo world. May be repeated.",
}
Key {
    /// The name or the number of the keyframe whose pose a MuJoCo model has.
    key: Option<String> as NumberOrName,
    /// For a MuJoCo model: the name or the number of the keyframe whose pose it has.
    key: KeyFile,
    MUJOCO: "key" = "KEY",
    "Pose a MuJoCo model as in this keyframe",
    "KEY is the name of the keyframe, or its number from 0.",
}
Qpos {
    /// A NumPy file with the numbers of all joints of a MuJoCo model, in the order of `qpos`.
    qpos: Option<PathBuf> as File,
    /// For a MuJoCo model: an .npy with the numbers of all joints in the order of `qpos`, as a path
    /// relative to the folder of this file.
    qpos: String,
    MUJOCO: "qpos" = "FILE.npy",
    "Pose a MuJoCo model with the qpos values of this .npy file",
    "If the file has several rows, each row makes a world. query casts each ray in the world of \
     its world_id. scan scans the worlds one after the other.",
}
GeomGroups {
    /// The groups of a MuJoCo model's geoms that rays can hit; `None` for all.
    geom_groups: Option<Vec<u8>> as Groups,
    /// For a MuJoCo model: the groups of geoms that rays can hit.
    geom_groups: Vec<u8>,
    MUJOCO: "geomgroup" = "GROUPS",
    "Let rays and points meet only the MuJoCo geoms of these groups",
    "They pass through the geoms of other groups. Groups are numbers from 0 to 5. May be \
     repeated, or separated by commas.",
}
LabelGroups {
    /// Labels a MuJoCo model's geoms by their groups: geoms of group N get the label N + 1,
    /// `groupN`.
    label_groups: bool as Switch,
    /// For a MuJoCo model: true labels geoms by their groups; geoms of group N get the label N + 1.
    label_groups: bool,
    MUJOCO: "label-groups",
    "Label the geoms of a MuJoCo model by their groups",
    "Geoms of group N get the label N + 1 with the name groupN.",
}
Style {
    /// The style of the drawing of a molecule.
    style: MoleculeStyle as Choice,
    /// For a molecule: the style of its drawing. Default: ball-and-stick.
    style: MoleculeStyle,
    MOLECULES: "style" = "STYLE",
    "Draw a molecule in this style, such as space-filling",
    "The styles are ball-and-stick, space-filling, sticks and trace. trace joins the alpha \
     carbons.",
}
Colors {
    /// What the colours of a molecule show. Default: its elements, or the chains of a trace.
    colors: Option<MoleculeColors> as Choice,
    /// For a molecule: what its colours show. Default: its elements, or the chains of a trace.
    colors: MoleculeColors,
    MOLECULES: "colors" = "COLORS",
    "Colour a molecule by element, chain or b-factor",
    "Default: element, or chain for the style trace.",
}
Model {
    /// The number of a molecule's model, as in its file. Default: the first model.
    model: Option<u32> as Number,
    /// For a molecule: the number of a model. Default: the first model.
    model: u32,
    MOLECULES: "model" = "NUMBER",
    "Use the model of this number in a molecule file (default: the first)", "",
}
Alternate {
    /// The alternate location of atoms to use, such as `A`. Default: the one with the highest
    /// occupancy.
    alternate: Option<char> as Letter,
    /// For a molecule: the alternate location of atoms to use, such as "A". Default: the one with
    /// the highest occupancy.
    alternate: char,
    MOLECULES: "alternate" = "LETTER",
    "Use a molecule's atoms at this alternate location, such as B",
    "Default: the location with the highest occupancy in each residue.",
}
Hydrogens {
    /// Leaves out a molecule's hydrogens.
    without_hydrogens: bool as Without,
    /// For a molecule: false leaves out hydrogens.
    hydrogens: Presence,
    MOLECULES: "no-hydrogens",
    "Leave out a molecule's hydrogens", "",
}
Water {
    /// Leaves out a molecule's water.
    without_water: bool as Without,
    /// For a molecule: false leaves out water.
    water: Presence,
    MOLECULES: "no-water",
    "Leave out a molecule's water", "",
}
LineRadius {
    /// The radius of lines, within which rays hit them. Default: a thousandth of the size of each
    /// set of lines.
    line_radius: Option<f64> as Radius,
    /// For a world: the radius of lines, within which rays hit them. Default: a thousandth of the
    /// size of each set of lines.
    #[schemars(range(min = 1e-9, max = 1e9))]
    line_radius: f64,
    LINES: "line-radius" = "RADIUS",
    "Set the radius at which rays hit lines",
    "Default: a thousandth of the size of each set of lines.",
}
PointRadius {
    /// The radius of the spheres that replace points. Without it, points are left out.
    point_radius: Option<f64> as Radius,
    /// For a world: the radius of the spheres that replace points. Default: points are left out.
    #[schemars(range(min = 1e-9, max = 1e9))]
    point_radius: f64,
    LINES: "point-radius" = "RADIUS",
    "Turn points into spheres of this radius (default: leave points out)", "",
}
}}}

pub(crate) use format_options;

macro_rules! options {
    ($($option:ident {
        $(#[$about:meta])* $field:ident: $type:ty as $kind:ident,
        $(#[$_beside:meta])* $key:ident: $_file:ty,
        $heading:ident: $flag:literal $(= $value:literal)?,
        $help:literal, $more:literal,
    })*) => {
        /// Settings for reading a scene that are not in its file. A format ignores settings that it
        /// does not have: see [`Format::options`](super::Format::options).
        #[derive(Clone, Debug, Default)]
        pub struct Options {
            $($(#[$about])* pub $field: $type,)*
            /// A table of labels (`.csv`) with the columns `pattern` (an id, a path or a pattern,
            /// as in [`Scene::select`](raytwin::Scene::select)), `label` (0 to 65535, 0 for none)
            /// and optionally `name` and `reflectance` (0 to 1). The first row that chooses a
            /// geometry applies, and overrides the scene's file.
            pub labels: Option<PathBuf>,
            /// The [`Scene::origin`](raytwin::Scene::origin), which replaces that of the file.
            pub origin: Option<Origin>,
            /// Makes every geometry an instance, as
            /// [`Scene::add_movable`](raytwin::Scene::add_movable) does. A tracer of such a scene
            /// can follow a robot whose joints move: pose the graph that was read, flatten it, and
            /// [`update`](raytwin::Tracer::update) the tracer.
            pub movable: bool,
        }

        /// A field of [`Options`] that only some formats have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum FormatOption {
            $(#[doc = concat!("[`Options::", stringify!($field), "`]")] $option,)*
        }

        impl Options {
            /// Returns those given options that only some formats have.
            pub fn given(&self) -> impl Iterator<Item = FormatOption> {
                let given =
                    [$((self.$field != <$type>::default(), FormatOption::$option),)*];
                given.into_iter().filter_map(|(is_given, option)| is_given.then_some(option))
            }

            /// Returns the field of an option.
            pub fn field(&mut self, option: FormatOption) -> OptionField<'_> {
                match option {
                    $(FormatOption::$option => OptionField::$kind(&mut self.$field),)*
                }
            }
        }

        impl FormatOption {
            /// All of them, in the order of the help.
            pub const ALL: &[Self] = &[$(Self::$option,)*];

            /// Returns its names and texts.
            pub fn description(self) -> OptionDescription {
                match self {
                    $(Self::$option => OptionDescription {
                        key: stringify!($key),
                        heading: $heading,
                        flag: $flag,
                        value: concat!("" $(, $value)?),
                        help: $help,
                        more: $more,
                    },)*
                }
            }
        }
    };
}

format_options!(options);

pub(crate) const OF_NATIVE_SCENES: &[FormatOption] = &[Joints];
pub(crate) const OF_ROBOTS: &[FormatOption] = &[Collision, Joints, Packages];
pub(crate) const OF_MUJOCO: &[FormatOption] = &[Joints, Key, Qpos, GeomGroups, LabelGroups];
pub(crate) const OF_GAZEBO: &[FormatOption] = &[Collision, Packages];
pub(crate) const OF_WORLDS: &[FormatOption] = &[LineRadius, PointRadius];
pub(crate) const OF_GLTF: &[FormatOption] = &[Collision, LineRadius, PointRadius];
pub(crate) const OF_MACROMOLECULES: &[FormatOption] =
    &[Style, Colors, Model, Alternate, Hydrogens, Water];
pub(crate) const OF_ATOMS: &[FormatOption] = &[Style, Model, Hydrogens];

/// The names and texts of an option, for interfaces that offer it.
#[derive(Clone, Copy, Debug)]
pub struct OptionDescription {
    /// Its key in a node with a file in a native scene, and its keyword in Python.
    pub key: &'static str,
    /// The heading above its flag.
    pub heading: &'static str,
    /// Its flag, without the dashes.
    pub flag: &'static str,
    /// The value of its flag, such as `NAME=VALUE`; empty for a switch.
    pub value: &'static str,
    /// Its effect, in a sentence without its period.
    pub help: &'static str,
    /// The addition of the long help.
    pub more: &'static str,
}

/// A field of [`Options`], by the kind of its values.
pub enum OptionField<'a> {
    /// An effect that is off by default.
    Switch(&'a mut bool),
    /// A part that is present by default; true leaves it out.
    Without(&'a mut bool),
    /// The values of joints by name.
    Joints(&'a mut Vec<(String, JointValue)>),
    /// Folders by name.
    Folders(&'a mut Vec<(String, PathBuf)>),
    /// The number or the name of something.
    NumberOrName(&'a mut Option<String>),
    /// A file.
    File(&'a mut Option<PathBuf>),
    /// Numbers of groups, from 0 to 5.
    Groups(&'a mut Option<Vec<u8>>),
    /// One of some names.
    Choice(&'a mut dyn Choice),
    /// A whole number from 0.
    Number(&'a mut Option<u32>),
    /// A letter.
    Letter(&'a mut Option<char>),
    /// The radius of a shape.
    Radius(&'a mut Option<f64>),
}

/// The choice of the point that is subtracted from all coordinates before they are rounded to
/// float32.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// This point.
    At(DVec3),
    /// A point of round numbers near the middle of the scene.
    Auto,
}

impl FormatOption {
    /// Returns its key in a node with a file in a native scene.
    pub fn key(self) -> &'static str {
        self.description().key
    }
}
