//! The flags that choose a camera and the size of its image.

use super::side::Side;
use super::site_argument::NamedMount;
use crate::console::Console;
use crate::failure::Failure;
use crate::lidars::{LidarChoice, lidar};
use crate::numbers::comma_separated;
use clap::Args;
use raytwin::Lidar;
use raytwin::camera::{Camera, CameraError, DEFAULT_SIZE, Projection, Sensor, View};
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
use raytwin_files::messages::FrameName;
use raytwin_formats::{Mount, looks_like_radians};
use std::path::Path;

/// The flags that choose a camera and the size of its image.
#[derive(Debug, Default, Args)]
pub(crate) struct ViewArguments {
    /// Use this camera of the scene (default: the first).
    ///
    /// The last part of a path is enough if no other camera's path ends with it: front for
    /// robot/front. If the scene has no camera, or is a molecule, raytwin places one so that all
    /// visible shapes just fit into the image. With both --eye and --target, the default camera is
    /// not panoramic, and has no range, noise or hidden shapes.
    #[arg(long, value_name = "NAME")]
    camera: Option<String>,
    /// Look from this side, so that all shapes just fit.
    ///
    /// SIDE is front, back, left, right, top or bottom. X,Y,Z is the direction from the shapes to
    /// the camera. The front is the side at -y, or at +z in X3D, VRML and glTF scenes.
    #[arg(long, value_name = "SIDE|X,Y,Z", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["camera", "eye", "target", "lidar"])]
    view: Option<Side>,
    /// Crop the image to the shapes, with a margin of 5 %.
    ///
    /// The remaining pixels are the same as in the full image of --size. Infinite planes do not
    /// count.
    #[arg(long, conflicts_with = "lidar")]
    crop: bool,
    /// Set the position of the camera.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    eye: Option<DVec3>,
    /// Set the point that the camera looks at.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    target: Option<DVec3>,
    /// Set the direction that points up in the image.
    ///
    /// Default: the up direction of the scene's camera, or else z, or y for a camera that looks
    /// along z.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    up: Option<DVec3>,
    /// Set the vertical angle of view, in degrees.
    #[arg(long, value_name = "DEG", allow_hyphen_values = true)]
    fov_y: Option<f64>,
    /// Use an orthographic view of this height.
    ///
    /// The height of the image is in scene units.
    #[arg(long, value_name = "HEIGHT", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["fov_y", "lidar"])]
    orthographic: Option<f64>,
    /// Use this lidar, such as VLP-16 or VZ-400.
    ///
    /// Its directions, range, beam and returns replace those of the camera. They are the values
    /// that its maker publishes, for a scene in metres. raytwin scan --list-lidars lists all
    /// lidars. --size thins out the directions for a quick look.
    ///
    /// A .csv of your own lists the beams of a sweep. Its columns are azimuth_degrees,
    /// elevation_degrees and optionally time_s, or those of Livox's tables. If it has no times,
    /// append the number of beams per second to its name, such as mid360.csv,200000.
    #[arg(long, value_name = "NAME|FILE.csv", value_parser = lidar)]
    #[arg(conflicts_with = "fov_y")]
    lidar: Option<LidarChoice>,
    /// Set the size of the image in pixels.
    #[arg(long, value_name = "WxH", allow_hyphen_values = true, value_parser = size)]
    size: Option<(u32, u32)>,
}

pub(super) fn point(text: &str) -> Result<DVec3, String> {
    comma_separated(text).map(DVec3::from_array)
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once(['x', 'X']);
    sides
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)))
        .ok_or_else(|| format!("'{text}' must be WIDTHxHEIGHT in pixels, such as 640x480"))
}

impl ViewArguments {
    /// Returns true if any flag of the camera is given.
    pub fn are_given(&self) -> bool {
        self.camera.is_some()
            || self.view.is_some()
            || self.crop
            || self.eye.is_some()
            || self.target.is_some()
            || self.up.is_some()
            || self.fov_y.is_some()
            || self.orthographic.is_some()
            || self.lidar.is_some()
            || self.size.is_some()
    }

    /// Returns the published lidar that the flag names.
    pub fn lidar(&self) -> Option<&'static Lidar> {
        match self.lidar {
            Some(LidarChoice::Published(lidar)) => Some(lidar),
            Some(LidarChoice::File(_)) | None => None,
        }
    }

    /// Returns the file of a lidar's beams, if the flag names one.
    pub fn lidar_file(&self) -> Option<&Path> {
        match &self.lidar {
            Some(LidarChoice::File(file)) => Some(file.path()),
            Some(LidarChoice::Published(_)) | None => None,
        }
    }

    /// Returns true if a flag sets where the camera is or where it looks.
    pub fn sets_camera(&self) -> bool {
        self.view.is_some() || self.eye.is_some() || self.target.is_some() || self.up.is_some()
    }

    /// Makes the view that the flags and the scene describe.
    pub fn view(&self, scene: &Scene, console: &Console) -> Result<View, Failure> {
        self.view_at(scene, None, console)
    }

    /// Makes the view, from the place where a sensor is mounted if there is one.
    pub fn view_at(
        &self,
        scene: &Scene,
        mount: Option<&NamedMount>,
        console: &Console,
    ) -> Result<View, Failure> {
        if let Some(angle) = self.fov_y.filter(|&angle| looks_like_radians(angle)) {
            console.warn(&format!("--fov-y {angle} looks like radians, but raytwin reads degrees"));
        }
        let camera = match mount {
            Some(mount) => self.mounted(scene, mount)?,
            None => self.with_camera_flags(self.named(scene)?, scene.origin())?,
        };
        let (width, height) = self.size.unwrap_or_else(|| camera.default_size());
        let view = View::new(camera, width, height)?;
        if !self.crop {
            return Ok(view);
        }
        scene.cropped(&view)?.ok_or_else(|| {
            Failure::usage(
                "--crop needs all shapes in front of the camera, some of them in the image, and a camera that is not a lidar: move the camera, or leave --crop out",
            )
        })
    }

    /// Makes the camera of the flags at the place where a sensor is mounted. A lidar keeps its own
    /// name, as in Python. An ordinary view gets the name of the place. The sensor's frame is that
    /// of a link.
    fn mounted(&self, scene: &Scene, place: &NamedMount) -> Result<Camera, Failure> {
        let own = match &self.camera {
            Some(_) => {
                let own = self.named(scene)?;
                if place.is_link && !own.carrier.is_empty() {
                    return Err(Failure::usage(format!(
                        "--link {}: the scene file already mounts camera {}: leave --link out, or give --poses-of {} if --poses has poses of this link",
                        place.name, own.name, place.name
                    )));
                }
                own
            }
            None => {
                let ordinary = Projection::Perspective { fov_y_degrees: 45.0 };
                let name = self.lidar().map_or(place.name.as_str(), |lidar| lidar.name);
                Camera::look_at(name, DVec3::ZERO, DVec3::X, None, ordinary)?
            }
        };
        let mut camera = self.with_camera_flags(own, scene.origin())?;
        // The name of a link may be no valid name of a frame.
        if place.is_link && place.name.parse::<FrameName>().is_ok() {
            camera.sensor.frame_id.get_or_insert_with(|| place.name.clone());
        }
        let Mount { pose, carrier } = &place.mount;
        Ok(Camera { carrier: carrier.clone(), ..camera.at_pose(pose, scene.origin())? })
    }

    fn named(&self, scene: &Scene) -> Result<Camera, Failure> {
        let (width, height) = self.size.unwrap_or(DEFAULT_SIZE);
        let camera = match &self.camera {
            Some(name) => {
                let number = scene.camera_number(name);
                let number =
                    number.map_err(|error| Failure::input(format!("--camera {name}: {error}")))?;
                Some(&scene.cameras[number])
            }
            None => {
                let first = scene.cameras.first();
                first.filter(|camera| !(self.is_own_view() && camera.projection.is_lidar()))
            }
        };
        let chosen = match camera {
            _ if let Some(side) = &self.view => {
                side.camera(scene, (self.up, self.own_projection()), [width, height])
            }
            Some(camera) => scene.fitted(camera, width, height),
            None => scene.fit_camera(width, height).map(|made| match self.lidar() {
                Some(lidar) => Camera { name: lidar.name.to_owned(), ..made },
                None => made,
            }),
        };
        chosen.map_err(|error| {
            Failure::usage(format!(
                "raytwin finds no camera that sees the whole scene ({error}): give --eye and --target, or add a camera to the scene"
            ))
        })
    }

    /// Returns true if the flags set a view from one point to another, and choose none of the
    /// scene's sensors.
    fn is_own_view(&self) -> bool {
        let is_placed = self.eye.is_some() && self.target.is_some();
        is_placed && self.camera.is_none() && self.lidar.is_none()
    }

    /// Returns the directions of a lidar, thinned out to the size if the flag is given. A size with
    /// more rows than the lidar has is an error when the view is made.
    fn directions(&self, lidar: &LidarChoice) -> Result<Projection, Failure> {
        match lidar {
            LidarChoice::Published(lidar) => {
                let thinned = self.size.and_then(|(width, height)| lidar.thinned(width, height));
                Ok(thinned.unwrap_or_else(|| lidar.projection()))
            }
            LidarChoice::File(file) => file.projection(self.size),
        }
    }

    /// Returns the projection of the flags, except that of a lidar.
    fn own_projection(&self) -> Option<Projection> {
        let perspective = |fov_y_degrees| Projection::Perspective { fov_y_degrees };
        let orthographic = |height| Projection::Orthographic { height };
        self.fov_y.map(perspective).or_else(|| self.orthographic.map(orthographic))
    }

    /// Applies the flags to a camera.
    fn with_camera_flags(&self, camera: Camera, origin: DVec3) -> Result<Camera, Failure> {
        let of_lidar = self.lidar.as_ref().map(|lidar| self.directions(lidar)).transpose()?;
        let of_flags = self.own_projection().or(of_lidar);
        let moves = self.eye.is_some() || self.target.is_some() || self.up.is_some();
        if !moves && of_flags.is_none() {
            return Ok(camera);
        }
        let projection = of_flags.unwrap_or_else(|| camera.projection.clone());
        let sensor = match self.lidar() {
            Some(lidar) => lidar.as_sensor(camera.sensor.clone()),
            // The ignored shapes and the range of a sensor belong to its mount. A view from
            // elsewhere has the defaults.
            None if self.is_own_view() => Sensor::default(),
            None => camera.sensor.clone(),
        };
        // Another sensor has no mount, unless the flag names the scene's camera.
        let carrier = match self.camera {
            Some(_) => camera.carrier.clone(),
            None => 0..0,
        };
        let eye = self.eye.map_or(camera.eye, |eye| eye - origin);
        let target = self.target.map_or(camera.target, |target| target - origin);
        let look = |up| {
            let changed =
                Camera::look_at(camera.name.clone(), eye, target, up, projection.clone())?;
            Camera { carrier: carrier.clone(), ..changed }.with_sensor(sensor.clone())
        };
        match look(self.up.or(camera.requested_up)) {
            // The scene's camera looked elsewhere, and its `up` was not along its view.
            Err(CameraError::NoUp(_)) if self.up.is_none() => Ok(look(None)?),
            camera => Ok(camera?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CommandFlags;
    use std::path::Path;

    fn console() -> Console {
        Console::new("render", CommandFlags::default(), false, true)
    }

    #[test]
    fn the_horizon_is_level_wherever_the_camera_is_moved_to() {
        let scene = |cameras: &str| {
            let sphere = r#"{ "type": "sphere", "center": [1, 2, 3], "radius": 1 }"#;
            let text =
                format!(r#"{{ "raytwin": 1, "shapes": [{sphere}], "cameras": [{cameras}] }}"#);
            raytwin_formats::parse(&text, Path::new("scene.json")).unwrap()
        };
        let camera = |scene: &Scene, eye, up| {
            let arguments = ViewArguments { eye, up, ..ViewArguments::default() };
            arguments.view(scene, &console()).unwrap().camera
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

    #[test]
    fn an_eye_and_a_target_give_an_ordinary_view_unless_a_lidar_is_asked_for() {
        let text = r#"{ "raytwin": 1,
            "shapes": [ { "type": "sphere", "name": "housing", "center": [0, 0, 0], "radius": 1 } ],
            "cameras": [ { "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [180, -180],
              "elevation_table_degrees": [0, 5], "range_max": 2, "hide": ["housing"] } ] }"#;
        let scene = raytwin_formats::parse(text, Path::new("scene.json")).unwrap();
        let view = |arguments: ViewArguments| {
            let view = arguments.view(&scene, &console()).unwrap();
            (
                view.camera.projection.name(),
                view.camera.sensor.hide.len(),
                [view.width, view.height],
            )
        };
        let [eye, target] = [Some(DVec3::splat(9.0)), Some(DVec3::ZERO)];
        let placed = || ViewArguments { eye, target, ..ViewArguments::default() };
        let ordinary = ("perspective", 0, [640, 480]);
        let panorama = ("panoramic", 1, [1024, 2]);
        assert_eq!(view(placed()), ordinary);
        assert_eq!(view(ViewArguments { fov_y: Some(30.0), ..placed() }), ordinary);
        let parallel = view(ViewArguments { orthographic: Some(3.0), ..placed() });
        assert_eq!(parallel.0, "orthographic");
        assert_eq!(view(ViewArguments { camera: Some("lidar".to_owned()), ..placed() }), panorama);
        // One of the two moves or turns the lidar.
        assert_eq!(view(ViewArguments { eye, ..ViewArguments::default() }), panorama);
        let vlp_16 = lidar("VLP-16").ok();
        assert_eq!(view(ViewArguments { lidar: vlp_16, ..placed() }).0, "panoramic");
    }
}
