//! Cameras: `raytwin/camera.py` defines them as plain data. This module makes the library's cameras and
//! their rays from that data.

use crate::error::{OrException, SceneError, detached};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use raytwin::camera::{
    Beam, Extrinsics, PatternFields, ProjectionFields, Pulse, ReturnMode, ReturnRules,
};
use raytwin::glam::{DMat3, DVec3};
use raytwin::lidar::{Instrument, Lidar};
use raytwin::ray::Line;
use raytwin::{
    Camera, CameraError, Pose, PosedView, Projection, RangeNoise, Sensor, Trajectory, View,
};

/// The largest deviation of a pose's axes from unit length and from a right angle, for axes that were
/// rounded to float32.
const ROUNDED: f64 = 1e-5;
/// The largest deviation at which axes are used unchanged.
const EXACT: f64 = 1e-14;

/// The attributes of `raytwin.camera.Camera`.
#[derive(FromPyObject)]
pub(crate) struct CameraArgument {
    name: String,
    projection: ProjectionArgument,
    eye: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
    up: Option<[f64; 3]>,
    pose: Option<[[f64; 4]; 3]>,
    range_min: f64,
    range_max: f64,
    noise: Option<NoiseArgument>,
    hide: Vec<String>,
    beam: Option<BeamArgument>,
    returns: Option<ReturnsArgument>,
    attenuation_per_km: f64,
    detection_limit: f64,
}

/// The noise of distances, as a standard deviation and a seed, or as the attributes of
/// `raytwin.camera.Noise`.
#[derive(FromPyObject)]
enum NoiseArgument {
    Pair((f64, u64)),
    Full {
        stddev: f64,
        seed: u64,
        stddev_per_distance: f64,
        reference_intensity: f64,
        jitter_mrad: f64,
        dropout: f64,
    },
}

impl NoiseArgument {
    fn noise(&self) -> RangeNoise {
        match *self {
            Self::Pair((stddev, seed)) => RangeNoise { stddev, seed, ..RangeNoise::default() },
            Self::Full {
                stddev,
                seed,
                stddev_per_distance,
                reference_intensity,
                jitter_mrad,
                dropout,
            } => RangeNoise {
                stddev,
                stddev_per_distance,
                reference_intensity,
                jitter_mrad,
                dropout,
                seed,
                image_number: 0,
            },
        }
    }
}

/// The attributes of `raytwin.camera.Beam`.
#[derive(FromPyObject)]
struct BeamArgument {
    divergence_mrad: f64,
    exit_diameter: f64,
    subrays: u32,
}

/// The attributes of `raytwin.camera.Returns`.
#[derive(FromPyObject)]
struct ReturnsArgument {
    max: u8,
    mode: String,
    range_resolution: f64,
}

/// The attributes of a projection in `raytwin.camera`.
enum ProjectionArgument {
    Fields(Box<ProjectionFields>),
    /// The fields of a pattern, as JSON. The lists of its angles have the same names as the edges of
    /// other projections.
    Pattern(String),
}

impl ProjectionArgument {
    fn fields(&self) -> PyResult<ProjectionFields> {
        let pattern = match self {
            Self::Fields(fields) => return Ok((**fields).clone()),
            Self::Pattern(pattern) => serde_json::from_str::<PatternFields>(pattern),
        };
        let pattern = pattern
            .map_err(|error| SceneError::new_err(format!("the pattern is unknown: {error}")))?;
        Ok(ProjectionFields { pattern: Some(pattern), ..ProjectionFields::default() })
    }
}

impl<'py> FromPyObject<'_, 'py> for ProjectionArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(pattern) = attribute::<String>(&object, "_fields")? {
            return Ok(Self::Pattern(pattern));
        }
        Ok(Self::Fields(Box::new(ProjectionFields {
            fov_y_degrees: attribute(&object, "fov_y_degrees")?,
            fx: attribute(&object, "fx")?,
            fy: attribute(&object, "fy")?,
            cx: attribute(&object, "cx")?,
            cy: attribute(&object, "cy")?,
            width: attribute(&object, "width")?,
            height: attribute(&object, "height")?,
            azimuth_degrees: attribute(&object, "azimuth_degrees")?,
            elevation_degrees: attribute(&object, "elevation_degrees")?,
            elevation_table_degrees: attribute(&object, "elevation_table_degrees")?,
            columns: attribute(&object, "columns")?,
            sweep_s: attribute(&object, "sweep_s")?,
            row_azimuth_offsets_degrees: attribute(&object, "row_azimuth_offsets_degrees")?,
            row_times_s: attribute(&object, "row_times_s")?,
            ..ProjectionFields::default()
        })))
    }
}

/// Returns an attribute, or `None` if it is missing or None.
fn attribute<'py, T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
    object: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Option<T>> {
    match object.getattr_opt(name)? {
        Some(value) => value.extract().map_err(Into::into),
        None => Ok(None),
    }
}

impl CameraArgument {
    /// Returns the camera in a scene with this origin.
    pub fn about(&self, origin: DVec3) -> PyResult<Camera> {
        let sensor = Sensor {
            range_min: self.range_min,
            range_max: self.range_max,
            noise: self.noise.as_ref().map(NoiseArgument::noise),
            hide: self.hide.clone(),
            pulse: self.pulse()?,
            ..Sensor::default()
        };
        self.placed(origin)?.with_sensor(sensor).or_exception()
    }

    fn pulse(&self) -> PyResult<Pulse> {
        let beam = self.beam.as_ref().map(|it| Beam {
            divergence_mrad: it.divergence_mrad,
            exit_diameter: it.exit_diameter,
            subrays: it.subrays,
        });
        let rules = |it: &ReturnsArgument| {
            let mode = ReturnMode::named(&it.mode).ok_or_else(|| {
                let known = ReturnMode::NAMES.map(|(name, _)| name).join(", ");
                PyValueError::new_err(format!("mode must be one of {known}, and is '{}'", it.mode))
            })?;
            Ok::<_, PyErr>(ReturnRules { max: it.max, mode, range_resolution: it.range_resolution })
        };
        Ok(Pulse {
            beam,
            returns: self.returns.as_ref().map(rules).transpose()?,
            attenuation_per_km: self.attenuation_per_km,
            detection_limit: self.detection_limit,
        })
    }

    fn placed(&self, origin: DVec3) -> PyResult<Camera> {
        let projection = Projection::try_from(self.projection.fields()?).or_exception()?;
        let look_at = |eye: DVec3, target: DVec3, up: Option<DVec3>| {
            let camera = Camera::look_at(self.name.clone(), eye, target, up, projection.clone());
            // The error names the point in the caller's coordinates.
            camera
                .map_err(|error| match error {
                    CameraError::NoDirection(eye) => CameraError::NoDirection(eye + origin),
                    other => other,
                })
                .or_exception()
        };
        let Some(pose) = &self.pose else {
            let point = |name: &str, point: Option<[f64; 3]>| {
                let missing =
                    || PyValueError::new_err(format!("a camera without a pose needs its {name}"));
                point.map(|point| DVec3::from_array(point) - origin).ok_or_else(missing)
            };
            let up = self.up.map(DVec3::from_array);
            return look_at(point("eye", self.eye)?, point("target", self.target)?, up);
        };
        // The projection is checked with a camera at any place, which is then moved to the pose.
        let any = look_at(DVec3::ZERO, DVec3::X, None)?;
        Ok(any.at(&place_of(pose, &projection, origin)?))
    }

    pub fn view(&self, origin: DVec3, size: Option<(u32, u32)>) -> PyResult<View> {
        view_of(self.about(origin)?, size)
    }

    fn eye(&self) -> DVec3 {
        let of_pose = self.pose.map(|pose| pose.map(|row| row[3]));
        of_pose.or(self.eye).map_or(DVec3::ZERO, DVec3::from_array)
    }
}

/// Returns a view with this size, by default the camera's own.
pub(crate) fn view_of(camera: Camera, size: Option<(u32, u32)>) -> PyResult<View> {
    let (width, height) = size.unwrap_or_else(|| camera.default_size());
    View::new(camera, width, height).or_exception()
}

/// Returns the place of a camera in a scene with this origin, from the first three rows of its pose's
/// matrix. Axes that are exactly those of a rotation are used unchanged.
pub(crate) fn place_of(
    rows: &[[f64; 4]; 3],
    projection: &Projection,
    origin: DVec3,
) -> PyResult<Extrinsics> {
    let (pose, axes) = pose_of(rows)?;
    let place = Extrinsics::in_scene(&pose, projection, origin).or_exception()?;
    let Some(axes) = axes else { return Ok(place) };
    let [right, up, forward] = match projection.is_lidar() {
        true => [-axes.y_axis, axes.z_axis, axes.x_axis],
        false => [axes.x_axis, -axes.y_axis, axes.z_axis],
    };
    Ok(Extrinsics { right, up, forward, ..place })
}

/// Returns the error for one of several poses.
pub(crate) fn of_pose(py: Python<'_>, index: usize, error: &PyErr) -> PyErr {
    PyValueError::new_err(format!("poses[{index}]: {}", error.value(py)))
}

/// Returns the rows of a matrix of twelve numbers.
pub(crate) fn rows_of(numbers: &[f64; 12]) -> [[f64; 4]; 3] {
    std::array::from_fn(|row| std::array::from_fn(|column| numbers[4 * row + column]))
}

/// Returns the pose of a matrix, and its axes if they are exactly those of a rotation.
fn pose_of(rows: &[[f64; 4]; 3]) -> PyResult<(Pose, Option<DMat3>)> {
    let axes = DMat3::from_cols_array_2d(&rows.map(|[x, y, z, _]| [x, y, z])).transpose();
    let position = DVec3::from_array(rows.map(|row| row[3]));
    let excess = axes.transpose() * axes - DMat3::IDENTITY;
    let excess =
        excess.to_cols_array().into_iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    let is_rotation = axes.is_finite() && excess <= ROUNDED && axes.determinant() > 0.0;
    if !is_rotation {
        return Err(PyValueError::new_err(
            "a pose must be a rotation and a translation: its first three columns must have unit length, be perpendicular to each other and be right-handed",
        ));
    }
    let rotation = raytwin::glam::DQuat::from_mat3(&axes).to_array();
    let pose = Pose::new(position, rotation).or_exception()?;
    Ok((pose, (excess <= EXACT).then_some(axes)))
}

/// Returns the attributes of `raytwin.camera.Camera` for a camera of the library.
pub(crate) fn attributes<'py>(
    py: Python<'py>,
    camera: &Camera,
    origin: DVec3,
) -> PyResult<Bound<'py, PyDict>> {
    let given = PyDict::new(py);
    let fields = fields_of(&camera.projection)?;
    let [x, y, z] = camera.sensor_axes();
    let eye = camera.eye + origin;
    let rows: Vec<[f64; 4]> = (0..3).map(|row| [x[row], y[row], z[row], eye[row]]).collect();
    given.set_item("name", &camera.name)?;
    given.set_item("kind", camera.projection.name())?;
    given.set_item("projection", fields)?;
    given.set_item("pose", rows)?;
    given.set_item("range_min", camera.sensor.range_min)?;
    given.set_item("range_max", camera.sensor.range_max)?;
    let noise = camera.sensor.noise.map(|it| {
        let others = (it.stddev_per_distance, it.reference_intensity, it.jitter_mrad, it.dropout);
        (it.stddev, it.seed, others)
    });
    given.set_item("noise", noise)?;
    given.set_item("hide", camera.sensor.hide.clone())?;
    let Pulse { beam, returns, attenuation_per_km, detection_limit } = &camera.sensor.pulse;
    let beam = beam.map(|it| (it.divergence_mrad, it.exit_diameter, it.subrays));
    let returns = returns.map(|it| (it.max, it.mode.name(), it.range_resolution));
    given.set_item("beam", beam)?;
    given.set_item("returns", returns)?;
    given.set_item("attenuation_per_km", attenuation_per_km)?;
    given.set_item("detection_limit", detection_limit)?;
    Ok(given)
}

/// Returns the width and height of a camera's images. Raises an exception if a number is out of range.
#[pyfunction]
pub(crate) fn camera_size(camera: CameraArgument) -> PyResult<(u32, u32)> {
    Ok(camera.about(camera.eye())?.default_size())
}

/// Returns the pose of a camera: the first three rows of the matrix from its sensor's frame into the
/// world frame.
#[pyfunction]
pub(crate) fn camera_pose(camera: CameraArgument) -> PyResult<[[f64; 4]; 3]> {
    let eye = camera.eye();
    let [x, y, z] = camera.about(eye)?.sensor_axes();
    Ok(std::array::from_fn(|row| [x[row], y[row], z[row], eye[row]]))
}

/// Returns the rays of a camera's image in float64, row by row, six numbers each, and the size of
/// the image.
#[pyfunction]
pub(crate) fn camera_rays<'py>(
    py: Python<'py>,
    camera: CameraArgument,
    size: Option<(u32, u32)>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, [u32; 2])> {
    let eye = camera.eye();
    // Relative to its own eye, no coordinate of the camera's place is rounded.
    let view = camera.view(eye, size)?;
    let rays = detached(py, || Ok(numbers(view.pixels(), eye, |pixel| view.line(pixel))))?;
    Ok((rays.into_pyarray(py), [view.width, view.height]))
}

/// Returns the rays of one sweep of a camera along a trajectory, as [`camera_rays`] does.
#[pyfunction]
pub(crate) fn sweep_rays<'py>(
    py: Python<'py>,
    camera: CameraArgument,
    size: Option<(u32, u32)>,
    times: PyReadonlyArray1<'py, f64>,
    poses: PyReadonlyArray2<'py, f64>,
    index: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, [u32; 2])> {
    let times = times.as_slice()?.to_vec();
    let pose = |(row, numbers): (usize, &[f64; 12])| {
        pose_of(&rows_of(numbers)).map(|(pose, _)| pose).map_err(|error| of_pose(py, row, &error))
    };
    let poses: Vec<Pose> = poses
        .as_slice()?
        .as_chunks::<12>()
        .0
        .iter()
        .enumerate()
        .map(pose)
        .collect::<PyResult<_>>()?;
    let origin = poses.get(index).map(|pose| pose.position).ok_or_else(|| {
        PyIndexError::new_err(format!("there are {} poses, and no number {index}", poses.len()))
    })?;
    let trajectory =
        Trajectory::new(times, poses).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let view = camera.view(camera.eye(), size)?;
    let posed = PosedView::new(&view, &trajectory, index, origin).or_exception()?;
    let posed = posed.ok_or_else(|| {
        PyValueError::new_err(format!(
            "the trajectory ends before the end of the sweep that begins at pose {index}"
        ))
    })?;
    let rays = detached(py, || Ok(numbers(view.pixels(), origin, |pixel| posed.line(pixel))))?;
    Ok((rays.into_pyarray(py), [view.width, view.height]))
}

/// Returns the six numbers of each line, in the world frame. The lines are relative to the origin.
fn numbers(count: usize, origin: DVec3, line: impl Fn(usize) -> Line + Sync) -> Vec<f64> {
    let mut rays = vec![[0.0; 6]; count];
    rays.par_iter_mut().with_min_len(1 << 12).enumerate().for_each(|(pixel, ray)| {
        let Line { origin: start, direction } = line(pixel);
        let start = start + origin;
        *ray = [start.x, start.y, start.z, direction.x, direction.y, direction.z];
    });
    rays.into_flattened()
}

/// A published lidar: its name, the kind and the fields of its projection, its range, the fields of
/// its `Beam` and its `Returns` in `raytwin/camera.py`, and the standard deviation of its distances.
type LidarRow =
    (&'static str, &'static str, String, [f64; 2], (f64, f64, u32), (u8, &'static str, f64), f64);

#[pyfunction]
pub(crate) fn lidars() -> PyResult<Vec<LidarRow>> {
    let row = |lidar: &Lidar| {
        let projection = lidar.projection();
        let Instrument { beam, returns, range_stddev, .. } = lidar.instrument;
        let beam = (beam.divergence_mrad, beam.exit_diameter, beam.subrays);
        let returns = (returns.max, returns.mode.name(), returns.range_resolution);
        let fields = fields_of(&projection)?;
        Ok((lidar.name, projection.name(), fields, lidar.range, beam, returns, range_stddev))
    };
    Lidar::ALL.iter().map(row).collect()
}

fn fields_of(projection: &Projection) -> PyResult<String> {
    serde_json::to_string(&ProjectionFields::from(projection))
        .map_err(|error| SceneError::new_err(error.to_string()))
}
