//! Settings for reading a scene, which its file does not hold. An option that only some formats take is
//! a row of `format_options`, from which flags and their help, Python's keywords, the keys beside a
//! file in a native scene, and the checks of what a format takes follow.

mod choice;

pub use choice::{Choice, MoleculeColors, MoleculeStyle};

use super::JointValue;
use FormatOption::*;
use glam::DVec3;
use std::path::PathBuf;

/// The headings of the flags.
const ROBOTS: &str = "Robots";
const MUJOCO: &str = "Models of MuJoCo";
const MOLECULES: &str = "Molecules";
const LINES: &str = "Lines and points of X3D, VRML and glTF";

/// Hands the rows to another macro. A row has the field of [`Options`] and the kind of its values;
/// the key beside a file in a native scene, whose comment is its description in the schema, with its
/// line breaks; the heading and the name of the flag, and what it takes; the short help, and what
/// the long one adds.
#[rustfmt::skip]
macro_rules! format_options { ($take:ident) => { $take! {
Collision {
    /// Reads the collision geometry of a robot, a world of Gazebo or a glTF scene instead of what is
    /// shown.
    collision: bool as Switch,
    /// Beside the `file` of a robot or of a glTF scene: true reads its collision geometry instead
    /// of what is shown.
    collision: bool,
    ROBOTS: "collision",
    "Read collision geometry instead of what is shown",
    "It is that of a robot or of a glTF scene.",
}
Joints {
    /// The values of a robot's joints, by name. Other joints are at zero, or where a model's file
    /// has them. Those of a robot in a scene begin with the path of its node, such as
    /// `robot/elbow`.
    joints: Vec<(String, JointValue)> as Joints,
    /// Beside a robot's `file`: the values of joints by name, in radians or metres, or in degrees
    /// such as "90deg".
    joints: BTreeMap<String, JointFile>,
    ROBOTS: "joint" = "NAME=VALUE",
    "Set a robot's joint to this value, such as elbow=90deg",
    "It is in radians or metres, or in degrees such as elbow=90deg; a ball joint takes the \
     quaternion W,X,Y,Z and a free joint X,Y,Z,W,X,Y,Z. Joints that are not set stand at \
     zero, or where the file has them. A robot in a scene is named by its node, as in \
     robot/elbow=1.57. May be repeated.",
}
Packages {
    /// The folders of the packages that a robot's meshes lie in, and of the models of Gazebo's
    /// worlds, by the package's or the model's name.
    packages: Vec<(String, PathBuf)> as Folders,
    /// Beside a robot's `file`: the folders of its packages by name, by their paths from the folder
    /// of this file.
    packages: BTreeMap<String, String>,
    ROBOTS: "package" = "NAME=DIR",
    "Look in this folder for the meshes of a robot's package. May be repeated", "",
}
Key {
    /// The name or the number of a model's key, whose pose is taken.
    key: Option<String> as NumberOrName,
    /// Beside a model's `file`: the name or the number of the key whose pose is taken.
    key: KeyFile,
    MUJOCO: "key" = "KEY",
    "Pose a model of MuJoCo as this key of its file",
    "The key is given by its name or its number from 0.",
}
Qpos {
    /// A NumPy file of the numbers of all joints of a model, as MuJoCo's `qpos` has them.
    qpos: Option<PathBuf> as File,
    /// Beside a model's `file`: an .npy of the numbers of all joints, by its path from the folder
    /// of this file.
    qpos: String,
    MUJOCO: "qpos" = "FILE.npy",
    "Pose a model of MuJoCo by the numbers of this .npy file",
    "They are its qpos. Several rows give as many worlds, in which query casts the rays \
     that world_ids say, and which scan scans one after the other.",
}
GeomGroups {
    /// The groups of a model's geoms that rays can hit; `None` for all.
    geom_groups: Option<Vec<u8>> as Groups,
    /// Beside a model's `file`: the groups of geoms that rays can hit.
    geom_groups: Vec<u8>,
    MUJOCO: "geomgroup" = "GROUPS",
    "Ignore geoms of MuJoCo that are in none of these groups",
    "All rays and points pass through the geoms of a model of MuJoCo that are in none of \
     these groups, from 0 to 5.",
}
LabelGroups {
    /// Labels a model's geoms by their groups: those of group N get the label N + 1, `groupN`.
    label_groups: bool as Switch,
    /// Beside a model's `file`: true labels geoms by their groups, those of group N by N + 1.
    label_groups: bool,
    MUJOCO: "label-groups",
    "Label the geoms of a model of MuJoCo by their groups",
    "Those of group N get the label N + 1, called groupN.",
}
Style {
    /// The style in which a molecule is drawn.
    style: MoleculeStyle as Choice,
    /// Beside a molecule's `file`: how it is drawn; by default ball-and-stick.
    style: MoleculeStyle,
    MOLECULES: "style" = "STYLE",
    "Draw a molecule in this style, such as space-filling",
    "The styles are ball-and-stick, space-filling, sticks, and trace, which joins the \
     alpha carbons.",
}
Colors {
    /// What a molecule's colours show; by default its elements, and the chains of a trace.
    colors: Option<MoleculeColors> as Choice,
    /// Beside a molecule's `file`: what its colours show; by default its elements, and the chains of
    /// a trace.
    colors: MoleculeColors,
    MOLECULES: "colors" = "COLORS",
    "Colour a molecule by element, chain or b-factor",
    "It is coloured by its elements, its chains, or the B factors of its atoms; by default \
     by its elements, and a trace by its chains.",
}
Model {
    /// The number of a molecule's model, as its file has it; by default its first.
    model: Option<u32> as Number,
    /// Beside a molecule's `file`: the number of a model; by default the first.
    model: u32,
    MOLECULES: "model" = "NUMBER",
    "Take the model of this number of a molecule's file; by default the first", "",
}
Alternate {
    /// The alternate location of atoms that is taken, such as `A`; by default the one with the
    /// highest occupancy.
    alternate: Option<char> as Letter,
    /// Beside a molecule's `file`: the alternate location of atoms, such as "A"; by default the one
    /// with the highest occupancy.
    alternate: char,
    MOLECULES: "alternate" = "LETTER",
    "Take a molecule's atoms at this alternate location, such as B",
    "By default they are taken at each residue's most occupied one.",
}
Hydrogens {
    /// Leaves out a molecule's hydrogens.
    without_hydrogens: bool as Without,
    /// Beside a molecule's `file`: false leaves out hydrogens.
    hydrogens: Presence,
    MOLECULES: "no-hydrogens",
    "Leave out a molecule's hydrogens", "",
}
Water {
    /// Leaves out a molecule's water.
    without_water: bool as Without,
    /// Beside a molecule's `file`: false leaves out water.
    water: Presence,
    MOLECULES: "no-water",
    "Leave out a molecule's water", "",
}
LineRadius {
    /// The radius about a world's lines at which rays hit them; by default a thousandth of the size
    /// of each set of lines.
    line_radius: Option<f64> as Radius,
    /// Beside a world's `file`: the radius about lines at which rays hit them; by default a
    /// thousandth of the size of each set of lines.
    #[schemars(range(min = 1e-9, max = 1e9))]
    line_radius: f64,
    LINES: "line-radius" = "RADIUS",
    "Let rays hit the lines of a world at this distance",
    "By default it is a thousandth of the size of each set of lines.",
}
PointRadius {
    /// The radius of the spheres that a world's points become; without it, points are left out.
    point_radius: Option<f64> as Radius,
    /// Beside a world's `file`: the radius of the spheres that points become; by default points are
    /// left out.
    #[schemars(range(min = 1e-9, max = 1e9))]
    point_radius: f64,
    LINES: "point-radius" = "RADIUS",
    "Make the points of a world spheres of this radius; by default they are left out", "",
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
        /// Settings for reading a scene, which its file does not hold. A format ignores those that
        /// it does not take: see [`Format::options`](super::Format::options).
        #[derive(Clone, Debug, Default)]
        pub struct Options {
            $($(#[$about])* pub $field: $type,)*
            /// A table of labels (`.csv`) with the columns `pattern` (an id, a path or a pattern,
            /// as [`Scene::select`](raytwin::Scene::select) takes them), `label` (0 to 65535, 0
            /// for none) and, if wanted, `name` and `reflectance` (0 to 1). The first row that
            /// chooses a geometry counts, and comes before the scene's file.
            pub labels: Option<PathBuf>,
            /// The [`Scene::origin`](raytwin::Scene::origin), in place of the one that the file may
            /// give.
            pub origin: Option<Origin>,
            /// Makes every geometry an instance, as
            /// [`Scene::add_movable`](raytwin::Scene::add_movable) does. A tracer of such a scene
            /// follows a robot whose joints move: pose the graph that was read, flatten it, and
            /// [`update`](raytwin::Tracer::update) the tracer.
            pub movable: bool,
        }

        /// A field of [`Options`] that only some formats take.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum FormatOption {
            $(#[doc = concat!("[`Options::", stringify!($field), "`]")] $option,)*
        }

        impl Options {
            /// Returns the options that are given of those that only some formats take.
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
            /// All of them, in the order in which help lists them.
            pub const ALL: &[Self] = &[$(Self::$option,)*];

            /// Returns its words.
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

/// The words of an option for those who offer it.
#[derive(Clone, Copy, Debug)]
pub struct OptionDescription {
    /// Its key in the node of a native scene that holds a file, and its keyword in Python.
    pub key: &'static str,
    /// The heading above its flag.
    pub heading: &'static str,
    /// Its flag, without the dashes.
    pub flag: &'static str,
    /// What its flag takes, such as `NAME=VALUE`; empty for a switch.
    pub value: &'static str,
    /// What it does, in a sentence without its period.
    pub help: &'static str,
    /// What long help adds.
    pub more: &'static str,
}

/// A field of [`Options`], by the kind of its values.
pub enum OptionField<'a> {
    /// What is off unless it is asked for.
    Switch(&'a mut bool),
    /// What is there unless it is declined: true leaves it out.
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

/// The choice of the point that is subtracted from all coordinates before they are rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// This point.
    At(DVec3),
    /// A point of round numbers near the middle of the scene.
    Auto,
}

impl FormatOption {
    /// Returns its key in the node of a native scene that holds a file.
    pub fn key(self) -> &'static str {
        self.description().key
    }
}
