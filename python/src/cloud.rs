//! Writes the clouds of `raytwin/cloud.py` to files.

use crate::error::{OrException, detached};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::Pose;
use raytwin::glam::{DMat3, DQuat, DVec3};
use raytwin_files::clouds::{
    CloudFormat, CloudFrame, CloudLayout, CloudPoint, CloudSource, CloudWriter, IntensityScale,
    Survey, scan_angle,
};
use raytwin_files::messages::{CloudSensor, StampedCloud, write_clouds};
use raytwin_files::{CoordinateSystem, Outputs};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The columns of a cloud in addition to its points, with their types and fields of a point. Columns
/// of the second list may be missing. Their values are 0 then.
macro_rules! cloud_columns {
    (
        { $($name:ident: $type:ty => ($($field:tt)+),)+ }
        { $($optional:ident: $optional_type:ty => $optional_field:ident,)+ }
    ) => {
        /// The columns of a cloud, all of one length.
        #[derive(FromPyObject)]
        pub(crate) struct CloudArrays<'py> {
            #[pyo3(item)]
            points: PyReadonlyArray2<'py, f64>,
            $(
                #[pyo3(item)]
                $name: PyReadonlyArray1<'py, $type>,
            )+
            $(
                #[pyo3(item, default)]
                $optional: Option<PyReadonlyArray1<'py, $optional_type>>,
            )+
        }

        impl CloudArrays<'_> {
            fn lengths(&self) -> Vec<(&'static str, usize)> {
                let mut lengths = vec![$((stringify!($name), self.$name.len())),+];
                $(lengths.extend(
                    self.$optional.as_ref().map(|array| (stringify!($optional), array.len())),
                );)+
                lengths
            }

            fn points(&self) -> PyResult<Vec<CloudPoint>> {
                self.check()?;
                let positions = self.points.as_slice()?.as_chunks::<3>().0;
                let point = |&position| CloudPoint { position, ..CloudPoint::default() };
                let mut points: Vec<CloudPoint> = positions.iter().map(point).collect();
                $(for (point, number) in points.iter_mut().zip(self.$name.as_slice()?) {
                    point.$($field)+ = *number;
                })+
                $(if let Some(array) = &self.$optional {
                    for (point, number) in points.iter_mut().zip(array.as_slice()?) {
                        point.$optional_field = *number;
                    }
                })+
                Ok(points)
            }
        }
    };
}

cloud_columns! {
    {
        distance: f32 => (distance),
        geometry_ids: u32 => (geometry_id),
        primitive_ids: u32 => (primitive_id),
        ring: u32 => (pixel[0]),
        column: u32 => (pixel[1]),
        time: f64 => (time),
    }
    {
        label_ids: u16 => label,
        intensity: f32 => intensity,
        normalized_intensity: f32 => normalized_intensity,
        return_number: u8 => return_number,
        number_of_returns: u8 => number_of_returns,
        incidence: f32 => incidence,
    }
}

/// Where and when a sensor saw the points of a cloud, one sweep after another.
#[derive(FromPyObject)]
pub(crate) struct SweepArguments<'py> {
    name: String,
    is_panoramic: bool,
    is_in_sensor: bool,
    range_min: f64,
    times: PyReadonlyArray1<'py, f64>,
    counts: PyReadonlyArray1<'py, u64>,
    poses: PyReadonlyArray2<'py, f64>,
}

impl CloudArrays<'_> {
    fn layout(&self) -> CloudLayout {
        let (has_labels, has_returns) = (self.label_ids.is_some(), self.intensity.is_some());
        CloudLayout { has_labels, has_returns, ..CloudLayout::of(CloudSource::Scan) }
    }

    /// Returns an error if the arrays have different lengths.
    fn check(&self) -> PyResult<()> {
        let [count, width] = [0, 1].map(|axis| self.points.shape()[axis]);
        if width != 3 {
            let shape = self.points.shape();
            return Err(PyValueError::new_err(format!("points must be (M, 3), and are {shape:?}")));
        }
        for (name, length) in self.lengths() {
            if length != count {
                return Err(PyValueError::new_err(format!(
                    "the cloud has {count} points, and {name} has {length} entries"
                )));
            }
        }
        if self.intensity.is_some() != self.normalized_intensity.is_some() {
            return Err(PyValueError::new_err(
                "the cloud has only one of intensity and normalized_intensity: give both or neither",
            ));
        }
        Ok(())
    }
}

impl SweepArguments<'_> {
    /// Calls `take` with the time and the pose of each sweep, and with its points.
    fn each<'a>(
        &self,
        points: &'a mut [CloudPoint],
        mut take: impl FnMut(f64, Pose, &'a mut [CloudPoint]),
    ) -> PyResult<()> {
        let (times, counts) = (self.times.as_slice()?, self.counts.as_slice()?);
        let poses = self.poses.as_slice()?.as_chunks::<12>().0;
        let mut rest = points;
        for ((&time, &count), pose) in times.iter().zip(counts).zip(poses) {
            let Some((points, after)) = rest.split_at_mut_checked(count as usize) else {
                let reason = "the sweeps have more points than the cloud has rows";
                return Err(PyValueError::new_err(reason));
            };
            rest = after;
            take(time, posed(pose)?, points);
        }
        Ok(())
    }

    /// Sets the number of the sweep of each point, and the angle at which it was seen.
    fn set_angles(&self, points: &mut [CloudPoint]) -> PyResult<()> {
        let mut number = 0;
        self.each(points, |_, pose, points| {
            number += 1;
            let axes = DMat3::from_quat(pose.rotation);
            let right = if self.is_panoramic { -axes.y_axis } else { axes.x_axis };
            for point in points {
                let at = DVec3::from_array(point.position);
                let seen = if self.is_in_sensor { axes * at } else { at - pose.position };
                point.scan_angle = scan_angle(seen.normalize_or_zero(), right);
                point.pose_number = number;
            }
        })
    }

    /// Returns the facts about the whole cloud. Times count from the first.
    fn survey(
        &self,
        label_names: BTreeMap<u16, String>,
        crs_wkt: Option<String>,
        is_raw: bool,
    ) -> PyResult<Survey> {
        let times = self.times.as_slice()?;
        let start_time = times.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let raw_intensity = is_raw.then(|| IntensityScale::from_range(self.range_min));
        Ok(Survey { start_time, raw_intensity, label_names, crs_wkt })
    }
}

/// Writes a cloud as `raytwin scan` does. The extension decides the format. `crs` is the code of a
/// coordinate system, or a file with its well-known text.
#[pyfunction]
#[pyo3(signature = (path, cloud, sweeps, label_names, crs, is_raw))]
pub(crate) fn save_cloud(
    py: Python<'_>,
    path: PathBuf,
    cloud: CloudArrays<'_>,
    sweeps: SweepArguments<'_>,
    label_names: BTreeMap<u16, String>,
    crs: Option<String>,
    is_raw: bool,
) -> PyResult<()> {
    let (layout, mut points) = (cloud.layout(), cloud.points()?);
    if crs.is_some() && !CloudFormat::of(&path).is_ok_and(|format| format.is_las) {
        let reason = format!("{}: only a .las or .laz stores a crs: leave it out", path.display());
        return Err(PyValueError::new_err(reason));
    }
    let crs = crs.map(|crs| crs.parse::<CoordinateSystem>()).transpose();
    let crs = crs.map_err(|reason| PyValueError::new_err(format!("crs: {reason}")))?;
    let wkt = crs.map(|crs| crs.well_known_text()).transpose();
    let survey = sweeps.survey(label_names, wkt.or_exception()?, is_raw)?;
    sweeps.set_angles(&mut points)?;
    detached(py, || {
        let outputs = write_cloud(&path, &layout, survey, &points)?;
        outputs.publish().or_exception()
    })
}

/// Writes points to a file, and returns its outputs, which are not published yet.
pub(crate) fn write_cloud(
    path: &Path,
    layout: &CloudLayout,
    survey: Survey,
    points: &[CloudPoint],
) -> PyResult<Outputs> {
    let writer = CloudWriter::new(path, layout).or_exception()?;
    let mut writer = writer.with_survey(survey);
    writer.add(points).or_exception()?;
    let (_, outputs) = writer.complete().or_exception()?;
    Ok(outputs)
}

/// Writes a cloud as ROS 2 messages, one for each sweep.
#[pyfunction]
pub(crate) fn save_messages(
    py: Python<'_>,
    path: PathBuf,
    cloud: CloudArrays<'_>,
    sweeps: SweepArguments<'_>,
) -> PyResult<()> {
    let (layout, mut points) = (cloud.layout(), cloud.points()?);
    let mut clouds = Vec::new();
    sweeps.each(&mut points, |time, pose, points| {
        clouds.push(StampedCloud { time, pose, points });
    })?;
    let frame = if sweeps.is_in_sensor { CloudFrame::Sensor } else { CloudFrame::World };
    let sensor = CloudSensor { name: &sweeps.name, is_lidar: sweeps.is_panoramic, frame };
    detached(py, || write_clouds(&path, sensor, &layout, &clouds).or_exception())
}

/// Returns the pose of a matrix, from its first three rows.
fn posed([xx, yx, zx, x, xy, yy, zy, y, xz, yz, zz, z]: &[f64; 12]) -> PyResult<Pose> {
    let axes = DMat3::from_cols_array(&[*xx, *xy, *xz, *yx, *yy, *yz, *zx, *zy, *zz]);
    let rotation = DQuat::from_mat3(&axes).to_array();
    Pose::new(DVec3::new(*x, *y, *z), rotation)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
