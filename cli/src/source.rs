//! The scene and the camera that a command's flags name.

use super::compiling::CastTimes;
use super::failure::warning_text;
use super::stages::has_extension;
use super::summary::Times;
use super::{Console, Failure, comma_separated};
use clap::{Args, ValueEnum};
use raytwin::FileError;
use raytwin::bvh::{Layout, Quality};
use raytwin::camera::{Camera, CameraError, DEFAULT_SIZE, Projection, View};
use raytwin::glam::DVec3;
use raytwin::import::{self, JointValue, Options, Origin, looks_like_radians};
use raytwin::packed::{PackError, PackedScene};
use raytwin::scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The flags that choose a scene and say how to read it.
#[derive(Debug, Args)]
pub(super) struct SceneArguments {
    /// The scene: .json (native), .npz (bulk arrays), .csv or .parquet (a table of shapes), .urdf (a robot), or one mesh:
    /// .obj, .stl, .ply.
    // It is always given, except with flags of one command that need no scene.
    #[arg(required = true)]
    scene: Option<PathBuf>,
    /// Read a robot's collision geometry instead of its visual geometry.
    #[arg(long)]
    collision: bool,
    /// Set a robot's joint to this value, in radians or metres, or in degrees such as elbow=90deg. Joints that are not
    /// set stand at zero. May be repeated.
    #[arg(long = "joint", value_name = "NAME=VALUE", value_parser = joint)]
    joints: Vec<(String, JointValue)>,
    /// Look in this folder for the meshes of a robot's package. May be repeated.
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    packages: Vec<(String, PathBuf)>,
    /// Subtract this point in float64 from all coordinates of the scene, cameras, rays and points before they are rounded
    /// to float32, and add it to points that are answered, which are float64 then. auto takes a round point near the
    /// middle of the scene.
    #[arg(long, value_name = "X,Y,Z|auto", allow_hyphen_values = true, value_parser = origin)]
    origin: Option<Origin>,
    /// Let all rays and points pass through these shapes: an id, a path of names such as arm/elbow with all that lies
    /// below it, or a pattern such as arm/* ('*' stands for any characters, '?' for one). May be repeated, or separated by
    /// commas.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', allow_hyphen_values = true)]
    ignore: Vec<String>,
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

    /// The flags that differ from the default, as words.
    fn typed(&self) -> impl Iterator<Item = String> + use<> {
        let layout = match self.tree {
            LayoutFlag::Auto => None,
            LayoutFlag::Binary => Some("--tree=binary"),
            LayoutFlag::Wide => Some("--tree=wide"),
        };
        let quality = match self.build {
            QualityFlag::Fast => Some("--build=fast"),
            QualityFlag::Medium => None,
            QualityFlag::Best => Some("--build=best"),
        };
        layout.into_iter().chain(quality).map(str::to_owned)
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

/// Quotes a word for a POSIX shell if it has characters that mean something there.
pub(super) fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
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

fn joint(text: &str) -> Result<(String, JointValue), String> {
    let parts = text.split_once('=');
    let value = parts.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    value.ok_or_else(|| format!("'{text}' must be NAME=VALUE, such as elbow=1.57 or elbow=90deg"))
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

impl Loaded {
    /// The times of a run on this scene, for its summary.
    pub fn times(&self, casting: &CastTimes) -> Times {
        Times {
            load_s: self.load_time.as_secs_f64(),
            compile_s: casting.compile.as_secs_f64(),
            trace_s: casting.trace.as_secs_f64(),
        }
    }
}

impl SceneArguments {
    pub fn quality(&self) -> Quality {
        self.tree.quality()
    }

    pub fn path(&self) -> &Path {
        self.scene.as_deref().unwrap_or(Path::new(""))
    }

    /// Returns the scene's file as messages name it.
    pub fn name(&self) -> String {
        self.path().display().to_string()
    }

    /// The scene and the flags that say how to read it and build its tree, as they are typed in a shell.
    pub fn typed(&self) -> String {
        let mut words = vec![self.path().display().to_string()];
        words.extend(self.collision.then(|| "--collision".to_owned()));
        for (name, value) in &self.joints {
            words.extend(["--joint".to_owned(), format!("{name}={value}")]);
        }
        for (name, folder) in &self.packages {
            words.extend(["--package".to_owned(), format!("{name}={}", folder.display())]);
        }
        words.extend(self.origin.map(|origin| format!("--origin={}", typed_origin(origin))));
        for ignored in &self.ignore {
            words.extend(["--ignore".to_owned(), ignored.clone()]);
        }
        words.extend(self.tree.typed());
        words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns an error if the flags seem to give the file of rays or points before the scene.
    pub fn refuse_swap(&self, other: &Path, content: &str) -> Result<(), Failure> {
        let is_never_scene = has_extension(self.path(), &["npy"]);
        let may_be_either = has_extension(self.path(), &["npz", "parquet"]);
        let is_scene = has_extension(other, &["json", "urdf", "obj", "stl", "ply"]);
        let may_be_scene = has_extension(other, &["npz", "parquet", "csv"]);
        if (is_never_scene && (is_scene || may_be_scene)) || (may_be_either && is_scene) {
            return Err(Failure::usage(format!(
                "{} looks like a file of {content} and {} like a scene: give the scene first",
                self.path().display(),
                other.display()
            )));
        }
        Ok(())
    }

    /// Returns an error if shapes are to be ignored by a command that casts no rays.
    pub fn refuse_ignored(&self, what_it_does: &str) -> Result<(), Failure> {
        match self.ignore.is_empty() {
            true => Ok(()),
            false => Err(Failure::usage(format!(
                "{what_it_does}: leave --ignore out, which is for rays"
            ))),
        }
    }

    /// Reads and packs the scene.
    pub fn load(&self, console: &Console) -> Result<Loaded, Failure> {
        let start = Instant::now();
        self.pack(self.read(console)?, start, console)
    }

    /// Reads and packs the scene as a camera sees it, whose sensor may hide shapes, and makes the view.
    pub fn load_with_view(
        &self,
        view: &ViewArguments,
        console: &Console,
    ) -> Result<(Loaded, View), Failure> {
        let start = Instant::now();
        let mut scene = self.read(console)?;
        let view = view.view(&scene, console)?;
        for path in &view.camera.sensor.hide {
            scene.select(path).into_iter().for_each(|id| scene.hide(id));
        }
        Ok((self.pack(scene, start, console)?, view))
    }

    /// Reads the scene without the shapes to ignore, and prints warnings about what could not be read.
    pub fn read(&self, console: &Console) -> Result<Scene, Failure> {
        let is_robot =
            self.path().extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf"));
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
            origin: self.origin,
        };
        let imported =
            import::load(self.path(), &options).map_err(|error| self.explained(error, options))?;
        let name = self.name();
        for warning in &imported.warnings {
            if self.strict {
                return Err(Failure::input(format!("{name}: {}", warning_text(warning))));
            }
            console.warn(&format!("{name}: {}", warning_text(warning)));
        }
        let mut scene = imported.scene;
        for ignored in &self.ignore {
            self.ignore_one(&mut scene, ignored)?;
        }
        Ok(scene)
    }

    fn ignore_one(&self, scene: &mut Scene, ignored: &str) -> Result<(), Failure> {
        let chosen = scene.select(ignored);
        if chosen.is_empty() {
            let last = scene.geometries().len() - 1;
            return Err(Failure::input(format!(
                "--ignore {ignored}: the scene has no such shape: give an id from 0 to {last}, or a path as pick prints it"
            )));
        }
        chosen.into_iter().for_each(|id| scene.hide(id));
        Ok(())
    }

    /// Adds the flag to an error if an origin near the scene helps against it.
    fn explained(&self, error: FileError, options: Options) -> Failure {
        let nearby = Options { origin: Some(Origin::Auto), ..options };
        let is_about_contents =
            matches!(error, FileError::Meaning { .. } | FileError::Syntax { .. });
        match is_about_contents && import::load(self.path(), &nearby).is_ok() {
            true => Failure::input(format!("{error} (--origin auto)")),
            false => error.into(),
        }
    }

    /// Packs a scene whose reading began at `start`.
    fn pack(&self, scene: Scene, start: Instant, console: &Console) -> Result<Loaded, Failure> {
        let name = self.name();
        let scene = Arc::new(scene);
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
    /// The direction that points upwards in the image. By default it is that of the scene's camera, or z, or y for a
    /// camera that looks along z.
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
    fn view(&self, scene: &Scene, console: &Console) -> Result<View, Failure> {
        if let Some(angle) = self.fov_y.filter(|&angle| looks_like_radians(angle)) {
            console.warn(&format!("--fov-y {angle} looks like radians, but is read as degrees"));
        }
        let camera = self.changed(self.named(scene)?, scene.origin())?;
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
    fn changed(&self, camera: Camera, origin: DVec3) -> Result<Camera, Failure> {
        if self.eye.is_none() && self.target.is_none() && self.up.is_none() && self.fov_y.is_none()
        {
            return Ok(camera);
        }
        let projection = match self.fov_y {
            Some(fov_y_degrees) => Projection::Perspective { fov_y_degrees },
            None => camera.projection.clone(),
        };
        let eye = self.eye.map_or(camera.eye, |eye| eye - origin);
        let target = self.target.map_or(camera.target, |target| target - origin);
        let look = |up| {
            Camera::look_at(camera.name.clone(), eye, target, up, projection.clone())?
                .with_sensor(camera.sensor.clone())
        };
        match look(self.up.or(camera.requested_up)) {
            // The scene's camera looked elsewhere, where its `up` did not point along the view.
            Err(CameraError::NoUp(_)) if self.up.is_none() => Ok(look(None)?),
            camera => Ok(camera?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::bvh::TreeError;

    #[test]
    fn the_horizon_is_level_wherever_the_camera_is_moved_to() {
        let scene = |cameras: &str| {
            let sphere = r#"{ "type": "sphere", "center": [1, 2, 3], "radius": 1 }"#;
            let text =
                format!(r#"{{ "raytwin": 1, "shapes": [{sphere}], "cameras": [{cameras}] }}"#);
            import::json::parse(&text, Path::new("scene.json")).unwrap()
        };
        let camera = |scene: &Scene, eye, up| {
            let arguments =
                ViewArguments { camera: None, eye, target: None, up, fov_y: None, size: None };
            arguments.view(scene, &Console::new("render", false, true)).unwrap().camera
        };
        let with_none = scene("");
        let z_up =
            r#"{ "eye": [3, 0, 0], "target": [1, 2, 3], "up": [0, 0, 1], "fov_y_degrees": 40 }"#;
        let x_up =
            r#"{ "eye": [1, 0, 3], "target": [1, 2, 3], "up": [1, 0, 0], "fov_y_degrees": 40 }"#;
        for eye in [None, Some(DVec3::new(5.0, -4.0, 9.0))] {
            for scene in [&with_none, &scene(z_up)] {
                let level = camera(scene, eye, None);
                assert!(level.right.z.abs() < 1e-12 && level.up.z > 0.0, "{level:?}");
            }
            assert!(camera(&scene(x_up), eye, None).right.x.abs() < 1e-12);
            assert!(camera(&with_none, eye, Some(DVec3::Y)).right.y.abs() < 1e-12);
        }
        let from_above = camera(&scene(z_up), Some(DVec3::new(1.0, 2.0, 9.0)), None);
        assert_eq!(from_above.up, DVec3::Y);
    }

    /// Asks for a tree of a scene that is too large for a wide one: the layouts that were tried, and the result.
    fn tried(tree: LayoutFlag) -> (Vec<Layout>, Result<Layout, Failure>) {
        let arguments = TreeArguments { tree, build: QualityFlag::Fast };
        let mut tried = Vec::new();
        let made = arguments.make("much", &Console::new("render", false, true), |layout, _| {
            tried.push(layout);
            match layout {
                Layout::Wide => Err(PackError::from(TreeError::Large(20_000_000))),
                layout => Ok(layout),
            }
        });
        (tried, made)
    }

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        for (word, quoted) in [
            ("a/b-1.json", "a/b-1.json"),
            ("elbow=90deg", "elbow=90deg"),
            ("my robot.urdf", "'my robot.urdf'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(shell_quoted(word), quoted);
        }
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
