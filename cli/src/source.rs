//! The scene and the camera that a command's flags name.

use super::failure::warning_text;
use super::{Console, Failure, comma_separated};
use clap::{Args, ValueEnum};
use raytwin::bvh::{Layout, Quality};
use raytwin::camera::{Camera, DEFAULT_SIZE, Projection, View};
use raytwin::glam::DVec3;
use raytwin::import::{self, Options};
use raytwin::packed::{PackError, PackedScene};
use raytwin::scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The flags that choose a scene and say how to read it.
#[derive(Debug, Args)]
pub(super) struct SceneArguments {
    /// The scene: .json (native), .npz (bulk arrays), .urdf (a robot), or one mesh: .obj, .stl, .ply.
    scene: PathBuf,
    /// Read a robot's collision geometry instead of its visual geometry.
    #[arg(long)]
    collision: bool,
    /// Set a robot's joint to this value, in radians or metres. Joints that are not set stand at zero. May be repeated.
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint)]
    joints: Vec<(String, f64)>,
    /// Look in this folder for the meshes of a robot's package. May be repeated.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
    #[command(flatten)]
    tree: TreeArguments,
    /// Treat every warning as an error.
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LayoutFlag {
    Auto,
    Binary,
    Wide,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QualityFlag {
    Fast,
    Medium,
    Best,
}

/// The flags that say how to build the tree.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct TreeArguments {
    /// The layout of the tree in memory. auto takes wide (up to eight children a node), which was the fastest wherever
    /// it was measured, or binary if the scene is too large for wide. Answers do not depend on it.
    #[arg(long, value_enum, default_value = "auto", value_name = "LAYOUT")]
    tree: LayoutFlag,
    /// The effort spent on building the tree: the more, the faster it casts.
    #[arg(long, value_enum, default_value = "medium", value_name = "QUALITY")]
    build: QualityFlag,
}

impl TreeArguments {
    pub fn quality(&self) -> Quality {
        match self.build {
            QualityFlag::Fast => Quality::Fast,
            QualityFlag::Medium => Quality::Medium,
            QualityFlag::Best => Quality::Best,
        }
    }

    /// Calls `make` with the layout and the quality that the flags ask for. With `--tree auto`, a scene too large for a
    /// wide tree gets a binary one, and a message says so.
    pub fn make<T>(
        &self,
        name: &str,
        console: &Console,
        mut make: impl FnMut(Layout, Quality) -> Result<T, PackError>,
    ) -> Result<T, Failure> {
        let quality = self.quality();
        let made = match self.tree {
            LayoutFlag::Binary => make(Layout::Binary, quality),
            LayoutFlag::Wide => make(Layout::Wide, quality),
            LayoutFlag::Auto => match make(Layout::default(), quality) {
                Err(PackError::Wide(shapes)) => {
                    console.say(&format!("{name}: {shapes} shapes are too many for a wide tree, so a binary one is built"));
                    make(Layout::Binary, quality)
                }
                made => made,
            },
        };
        made.map_err(|error| Failure::from(error).in_file(name))
    }
}

fn joint(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=');
    let value = parts.and_then(|(name, value)| Some((name.to_owned(), value.trim().parse().ok()?)));
    value.ok_or_else(|| format!("'{text}' must be NAME=VALUE, such as elbow=1.57"))
}

fn package(text: &str) -> Result<(String, PathBuf), String> {
    let parts =
        text.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    let package = parts.map(|(name, folder)| (name.to_owned(), PathBuf::from(folder)));
    package.ok_or_else(|| format!("'{text}' must be NAME=DIR, such as my_robot=src/my_robot"))
}

/// A scene that is ready for rays to be cast into it.
pub(super) struct Loaded {
    pub scene: Arc<Scene>,
    pub packed: PackedScene,
    pub name: String,
    /// The time taken to read the scene, build its tree and pack it.
    pub load_time: Duration,
}

impl SceneArguments {
    pub fn quality(&self) -> Quality {
        self.tree.quality()
    }

    pub fn path(&self) -> &Path {
        &self.scene
    }

    /// Returns the scene's file as messages name it.
    pub fn name(&self) -> String {
        self.scene.display().to_string()
    }

    /// Reads the scene, and prints warnings about what could not be read.
    pub fn read(&self, console: &Console) -> Result<Scene, Failure> {
        let is_robot =
            self.scene.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"));
        let has_robot_flags =
            self.collision || !self.joints.is_empty() || !self.packages.is_empty();
        if !is_robot && has_robot_flags {
            return Err(Failure::usage(
                "--collision, --joint and --package are for robots: give a .urdf file",
            ));
        }
        let options = Options {
            collision: self.collision,
            joints: self.joints.clone(),
            packages: self.packages.clone(),
        };
        let imported = import::load(&self.scene, &options)?;
        let name = self.name();
        for warning in &imported.warnings {
            if self.strict {
                return Err(Failure::input(format!("{name}: {}", warning_text(warning))));
            }
            console.say(&format!("warning: {name}: {}", warning_text(warning)));
        }
        Ok(imported.scene)
    }

    /// Reads the scene as [`Self::read`] does, and packs it.
    pub fn load(&self, console: &Console) -> Result<Loaded, Failure> {
        let start = Instant::now();
        let scene = Arc::new(self.read(console)?);
        let name = self.name();
        let make = |layout, quality| PackedScene::with_tree(Arc::clone(&scene), layout, quality);
        let packed = self.tree.make(&name, console, make)?;
        let load_time = start.elapsed();
        log::info!("{name}: {:?} shapes, read and packed in {load_time:.2?}", scene.census());
        Ok(Loaded { scene, packed, name, load_time })
    }
}

/// The flags that choose a camera and the size of its image.
#[derive(Debug, Args)]
pub(super) struct ViewArguments {
    /// Take the scene's camera of this name. By default its first is taken, or one that sees everything if it has none.
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// The position of the camera.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    eye: Option<DVec3>,
    /// The point that the camera looks at.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    target: Option<DVec3>,
    /// The direction that points upwards in the image.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    up: Option<DVec3>,
    /// The angle of view from the top to the bottom of the image, in degrees.
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    fov_y: Option<f64>,
    /// The size of the image in pixels.
    #[arg(long, value_name = "WxH", allow_hyphen_values = true, value_parser = size)]
    size: Option<(u32, u32)>,
}

fn point(text: &str) -> Result<DVec3, String> {
    comma_separated(text).map(DVec3::from_array)
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(['x', 'X']);
    sides
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
        .ok_or_else(|| format!("'{text}' must be WIDTHxHEIGHT in pixels, such as 640x480"))
}

impl ViewArguments {
    /// Tells whether any flag of the camera is given.
    pub fn are_given(&self) -> bool {
        self.camera.is_some()
            || self.eye.is_some()
            || self.target.is_some()
            || self.up.is_some()
            || self.fov_y.is_some()
            || self.size.is_some()
    }

    /// Makes the view that the flags and the scene describe.
    pub fn view(&self, scene: &Scene) -> Result<View, Failure> {
        let camera = self.changed(self.named(scene)?)?;
        let (width, height) = self.size.unwrap_or_else(|| camera.default_size());
        Ok(View::new(camera, width, height)?)
    }

    fn named(&self, scene: &Scene) -> Result<Camera, Failure> {
        let Some(name) = &self.camera else {
            return match scene.cameras.first() {
                Some(camera) => Ok(camera.clone()),
                None => {
                    let (width, height) = self.size.unwrap_or(DEFAULT_SIZE);
                    let camera = Camera::that_sees(&scene.bounds(), width, height);
                    camera.map_err(|error| {
                        Failure::usage(format!(
                            "no camera that sees the whole scene can be chosen ({error}): give --eye and --target, or add a camera to the scene"
                        ))
                    })
                }
            };
        };
        let found = scene.cameras.iter().find(|camera| camera.name == *name);
        found.cloned().ok_or_else(|| {
            let names: Vec<_> = scene.cameras.iter().map(|c| c.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Failure::usage(format!("--camera {name}: the scene has no such camera; it has {known}"))
        })
    }

    /// Makes the camera with the changes that the flags ask for.
    fn changed(&self, camera: Camera) -> Result<Camera, Failure> {
        if self.eye.is_none() && self.target.is_none() && self.up.is_none() && self.fov_y.is_none()
        {
            return Ok(camera);
        }
        let projection = match self.fov_y {
            Some(fov_y_degrees) => Projection::Perspective { fov_y_degrees },
            None => camera.projection,
        };
        let eye = self.eye.unwrap_or(camera.eye);
        let target = self.target.unwrap_or(camera.target);
        let up = self.up.unwrap_or(camera.up);
        Ok(Camera::look_at(camera.name, eye, target, up, projection)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::bvh::TreeError;

    /// Asks for a tree of a scene that is too large for a wide one: the layouts that were tried, and the result.
    fn tried(tree: LayoutFlag) -> (Vec<Layout>, Result<Layout, Failure>) {
        let arguments = TreeArguments { tree, build: QualityFlag::Fast };
        let mut tried = Vec::new();
        let made = arguments.make("much", &Console::new(false, true), |layout, _| {
            tried.push(layout);
            match layout {
                Layout::Wide => Err(PackError::from(TreeError::Large(20_000_000))),
                layout => Ok(layout),
            }
        });
        (tried, made)
    }

    #[test]
    fn a_scene_too_large_for_a_wide_tree_gets_a_binary_one_unless_a_wide_one_is_asked_for() {
        let (layouts, made) = tried(LayoutFlag::Auto);
        assert_eq!(layouts, [Layout::Wide, Layout::Binary]);
        assert!(matches!(made, Ok(Layout::Binary)));
        let (layouts, made) = tried(LayoutFlag::Wide);
        assert_eq!(layouts, [Layout::Wide]);
        assert!(made.is_err_and(|failure| failure.message.contains("--tree binary")));
        assert_eq!(tried(LayoutFlag::Binary).0, [Layout::Binary]);
    }
}
