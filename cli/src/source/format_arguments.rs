//! The flags that say how to read a scene of one format or another.

use clap::Args;
use raytwin_formats::{FormatOption, JointValue, MoleculeColors, MoleculeStyle, Options};
use std::path::PathBuf;

/// The heading of the flags for formats that have lines and points.
const LINES: &str = "Lines and points of X3D, VRML and glTF";

/// The flags that only some formats take.
#[derive(Clone, Debug, Args)]
pub(super) struct FormatArguments {
    /// Read collision geometry instead of what is shown.
    ///
    /// It is that of a robot or of a glTF scene.
    #[arg(long, help_heading = "Robots")]
    collision: bool,
    /// Set a robot's joint to this value, such as elbow=90deg.
    ///
    /// It is in radians or metres, or in degrees such as elbow=90deg; a ball joint takes the
    /// quaternion W,X,Y,Z and a free joint X,Y,Z,W,X,Y,Z. Joints that are not set stand at zero, or
    /// where the file has them. A robot in a scene is named by its node, as in robot/elbow=1.57.
    /// May be repeated.
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint, help_heading = "Robots")]
    pub joints: Vec<(String, JointValue)>,
    /// Pose a model of MuJoCo as this key of its file.
    ///
    /// The key is given by its name or its number from 0.
    #[arg(long, value_name = "KEY", help_heading = "Models of MuJoCo")]
    key: Option<String>,
    /// Pose a model of MuJoCo by the numbers of this .npy file.
    ///
    /// They are its qpos. Several rows give as many worlds, in which query casts the rays that
    /// world_ids say, and which scan scans one after the other.
    #[arg(long, value_name = "FILE.npy", help_heading = "Models of MuJoCo")]
    qpos: Option<PathBuf>,
    /// Ignore geoms of MuJoCo that are in none of these groups.
    ///
    /// All rays and points pass through the geoms of a model of MuJoCo that are in none of these
    /// groups, from 0 to 5.
    #[arg(long = "geomgroup", value_name = "GROUPS", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u8).range(..=5), help_heading = "Models of MuJoCo")]
    geom_groups: Option<Vec<u8>>,
    /// Label the geoms of a model of MuJoCo by their groups.
    ///
    /// Those of group N get the label N + 1, called groupN.
    #[arg(long, help_heading = "Models of MuJoCo")]
    label_groups: bool,
    /// Look in this folder for the meshes of a robot's package. May be repeated.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    #[arg(help_heading = "Robots")]
    packages: Vec<(String, PathBuf)>,
    /// Draw a molecule in this style, such as space-filling.
    ///
    /// The styles are ball-and-stick, space-filling, sticks, and trace, which joins the alpha
    /// carbons.
    #[arg(long, value_name = "STYLE", default_value = "ball-and-stick", value_parser = style)]
    #[arg(help_heading = "Molecules")]
    style: MoleculeStyle,
    /// Colour a molecule by element, chain or b-factor.
    ///
    /// It is coloured by its elements, its chains, or the B factors of its atoms; by default by its
    /// elements, and a trace by its chains.
    #[arg(long, value_name = "COLORS", value_parser = colors, help_heading = "Molecules")]
    colors: Option<MoleculeColors>,
    /// Take the model of this number of a molecule's file; by default the first.
    #[arg(long, value_name = "NUMBER", help_heading = "Molecules")]
    model: Option<u32>,
    /// Take a molecule's atoms at this alternate location, such as B.
    ///
    /// By default they are taken at each residue's most occupied one.
    #[arg(long, value_name = "LETTER", help_heading = "Molecules")]
    alternate: Option<char>,
    /// Leave out a molecule's hydrogens.
    #[arg(long, help_heading = "Molecules")]
    no_hydrogens: bool,
    /// Leave out a molecule's water.
    #[arg(long, help_heading = "Molecules")]
    no_water: bool,
    /// Let rays hit the lines of a world at this distance.
    ///
    /// By default it is a thousandth of the size of each set of lines.
    #[arg(long, value_name = "RADIUS", value_parser = radius, help_heading = LINES)]
    line_radius: Option<f64>,
    /// Make the points of a world spheres of this radius; by default they are left out.
    #[arg(long, value_name = "RADIUS", value_parser = radius, help_heading = LINES)]
    point_radius: Option<f64>,
}

impl FormatArguments {
    pub fn has_qpos(&self) -> bool {
        self.qpos.is_some()
    }

    /// Returns the flags that are given, as they are typed in a shell, before quoting.
    pub fn typed(&self) -> Vec<String> {
        let mut words = Vec::new();
        words.extend(self.collision.then(|| "--collision".to_owned()));
        for (name, value) in &self.joints {
            words.extend(["--joint".to_owned(), format!("{name}={value}")]);
        }
        if let Some(key) = &self.key {
            words.extend(["--key".to_owned(), key.clone()]);
        }
        if let Some(file) = &self.qpos {
            words.extend(["--qpos".to_owned(), file.display().to_string()]);
        }
        if let Some(groups) = &self.geom_groups {
            let groups: Vec<String> = groups.iter().map(u8::to_string).collect();
            words.extend(["--geomgroup".to_owned(), groups.join(",")]);
        }
        words.extend(self.label_groups.then(|| "--label-groups".to_owned()));
        for (name, folder) in &self.packages {
            words.extend(["--package".to_owned(), format!("{name}={}", folder.display())]);
        }
        if self.style != MoleculeStyle::default() {
            words.extend(["--style".to_owned(), self.style.name().to_owned()]);
        }
        if let Some(colors) = self.colors {
            words.extend(["--colors".to_owned(), colors.name().to_owned()]);
        }
        if let Some(model) = self.model {
            words.extend(["--model".to_owned(), model.to_string()]);
        }
        if let Some(alternate) = self.alternate {
            words.extend(["--alternate".to_owned(), alternate.to_string()]);
        }
        words.extend(self.no_hydrogens.then(|| "--no-hydrogens".to_owned()));
        words.extend(self.no_water.then(|| "--no-water".to_owned()));
        if let Some(radius) = self.line_radius {
            words.extend(["--line-radius".to_owned(), radius.to_string()]);
        }
        if let Some(radius) = self.point_radius {
            words.extend(["--point-radius".to_owned(), radius.to_string()]);
        }
        words
    }

    /// Returns how the flags say to read the scene.
    pub fn options(&self) -> Options {
        Options {
            collision: self.collision,
            joints: self.joints.clone(),
            key: self.key.clone(),
            qpos: self.qpos.clone(),
            geom_groups: self.geom_groups.clone(),
            label_groups: self.label_groups,
            packages: self.packages.clone(),
            style: self.style,
            colors: self.colors,
            model: self.model,
            alternate: self.alternate,
            without_hydrogens: self.no_hydrogens,
            without_water: self.no_water,
            line_radius: self.line_radius,
            point_radius: self.point_radius,
            ..Options::default()
        }
    }
}

/// Returns the flag that gives an option.
pub(super) fn flag_of(option: FormatOption) -> &'static str {
    match option {
        FormatOption::Collision => "--collision",
        FormatOption::Joints => "--joint",
        FormatOption::Packages => "--package",
        FormatOption::Key => "--key",
        FormatOption::Qpos => "--qpos",
        FormatOption::GeomGroups => "--geomgroup",
        FormatOption::LabelGroups => "--label-groups",
        FormatOption::Style => "--style",
        FormatOption::Colors => "--colors",
        FormatOption::Model => "--model",
        FormatOption::Alternate => "--alternate",
        FormatOption::Hydrogens => "--no-hydrogens",
        FormatOption::Water => "--no-water",
        FormatOption::LineRadius => "--line-radius",
        FormatOption::PointRadius => "--point-radius",
        other => other.key(),
    }
}

fn joint(text: &str) -> Result<(String, JointValue), String> {
    let parts = text.split_once('=');
    let value = parts.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    value.ok_or_else(|| format!("'{text}' must be NAME=VALUE, such as elbow=1.57 or elbow=90deg"))
}

fn style(text: &str) -> Result<MoleculeStyle, String> {
    MoleculeStyle::named(text).ok_or_else(|| {
        let known = MoleculeStyle::NAMES.map(|(name, _)| name).join(", ");
        format!("'{text}' must be one of {known}")
    })
}

fn colors(text: &str) -> Result<MoleculeColors, String> {
    MoleculeColors::named(text).ok_or_else(|| {
        let known = MoleculeColors::NAMES.map(|(name, _)| name).join(", ");
        format!("'{text}' must be one of {known}")
    })
}

fn radius(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius| (1e-9..=1e9).contains(radius));
    radius.ok_or_else(|| format!("'{text}' must be a number from 1e-9 to 1e9"))
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let parts =
        text.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    let package = parts.map(|(name, folder)| (name.to_owned(), PathBuf::from(folder)));
    package.ok_or_else(|| format!("'{text}' must be NAME=DIR, such as my_robot=src/my_robot"))
}
