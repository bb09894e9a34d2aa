//! Writes the clouds of `raytwin/cloud.py` to files.

use crate::error::{IntoException, detached};
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
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

/// The columns of a cloud, all of one length.
#[derive(FromPyObject)]
pub(crate) struct CloudArrays<'py> {
    #[pyo3(item)]
    points: PyReadonlyArray2<'py, f64>,
    #[pyo3(item)]
    distance: PyReadonlyArray1<'py, f32>,
    #[pyo3(item)]
    geometry_ids: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    primitive_ids: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    ring: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    column: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    time: PyReadonlyArray1<'py, f64>,
    #[pyo3(item, default)]
    label_ids: Option<PyReadonlyArray1<'py, u16>>,
    #[pyo3(item, default)]
    intensity: Option<PyReadonlyArray1<'py, f32>>,
    #[pyo3(item, default)]
    normalized_intensity: Option<PyReadonlyArray1<'py, f32>>,
    #[pyo3(item, default)]
    return_number: Option<PyReadonlyArray1<'py, u8>>,
    #[pyo3(item, default)]
    number_of_returns: Option<PyReadonlyArray1<'py, u8>>,
    #[pyo3(item, default)]
    incidence: Option<PyReadonlyArray1<'py, f32>>,
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

    /// Returns an error if the arrays are not all of one length.
    fn check(&self) -> PyResult<()> {
        let [count, width] = [0, 1].map(|axis| self.points.shape()[axis]);
        if width != 3 {
            let shape = self.points.shape();
            return Err(PyValueError::new_err(format!("points must be (M, 3), and are {shape:?}")));
        }
        fn length<T: Element>(array: &Option<PyReadonlyArray1<'_, T>>, default: usize) -> usize {
            array.as_ref().map_or(default, |array| array.len())
        }
        for (name, length) in [
            ("distance", self.distance.len()),
            ("geometry_ids", self.geometry_ids.len()),
            ("primitive_ids", self.primitive_ids.len()),
            ("ring", self.ring.len()),
            ("column", self.column.len()),
            ("time", self.time.len()),
            ("label_ids", length(&self.label_ids, count)),
            ("intensity", length(&self.intensity, count)),
            ("normalized_intensity", length(&self.normalized_intensity, count)),
            ("return_number", length(&self.return_number, count)),
            ("number_of_returns", length(&self.number_of_returns, count)),
            ("incidence", length(&self.incidence, count)),
        ] {
            if length != count {
                return Err(PyValueError::new_err(format!(
                    "the cloud has {count} points, and {name} has {length} entries"
                )));
            }
        }
        if self.intensity.is_some() != self.normalized_intensity.is_some() {
            return Err(PyValueError::new_err(
                "the cloud has one of intensity and normalized_intensity: give both or none",
            ));
        }
        Ok(())
    }

    fn points(&self) -> PyResult<Vec<CloudPoint>> {
        self.check()?;
        let positions = self.points.as_slice()?.as_chunks::<3>().0;
        let (distances, times) = (self.distance.as_slice()?, self.time.as_slice()?);
        let [geometry_ids, primitive_ids] =
            [self.geometry_ids.as_slice()?, self.primitive_ids.as_slice()?];
        let [rings, columns] = [self.ring.as_slice()?, self.column.as_slice()?];
        let labels = slice(&self.label_ids)?;
        let [intensities, incidences] = [slice(&self.intensity)?, slice(&self.incidence)?];
        let normalized = slice(&self.normalized_intensity)?;
        let [numbers, counts] = [slice(&self.return_number)?, slice(&self.number_of_returns)?];
        let point = |index: usize| CloudPoint {
            position: positions[index],
            geometry_id: geometry_ids[index],
            pixel: [rings[index], columns[index]],
            primitive_id: primitive_ids[index],
            distance: distances[index],
            time: times[index],
            label: of(labels, index),
            intensity: of(intensities, index),
            normalized_intensity: of(normalized, index),
            incidence: of(incidences, index),
            return_number: of(numbers, index),
            number_of_returns: of(counts, index),
            ..CloudPoint::default()
        };
        Ok((0..positions.len()).map(point).collect())
    }
}

/// The numbers of an array that may be absent.
fn slice<'a, T: Element>(array: &'a Option<PyReadonlyArray1<'_, T>>) -> PyResult<Option<&'a [T]>> {
    Ok(array.as_ref().map(PyReadonlyArray1::as_slice).transpose()?)
}

fn of<T: Copy + Default>(numbers: Option<&[T]>, index: usize) -> T {
    numbers.map_or_else(T::default, |numbers| numbers[index])
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

    /// Tells points the number of their sweep, and the angle at which they were seen.
    fn tell_angles(&self, points: &mut [CloudPoint]) -> PyResult<()> {
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

    /// The facts of the whole cloud: times count from the first.
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

/// Writes a cloud as a scan does; the extension decides the format. `crs` is the code of a coordinate
/// system, or a file of its well-known text.
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
        let reason = format!("{}: only a .las or .laz names a crs: leave it out", path.display());
        return Err(PyValueError::new_err(reason));
    }
    let crs = crs.map(|crs| crs.parse::<CoordinateSystem>()).transpose();
    let crs = crs.map_err(|reason| PyValueError::new_err(format!("crs: {reason}")))?;
    let wkt = crs.map(|crs| crs.well_known_text()).transpose();
    let survey = sweeps.survey(label_names, wkt.map_err(IntoException::into_exception)?, is_raw)?;
    sweeps.tell_angles(&mut points)?;
    detached(py, || {
        let outputs = write_cloud(&path, &layout, survey, &points)?;
        outputs.publish().map_err(IntoException::into_exception)
    })
}

/// Writes points to a cloud's file, and returns its outputs, which are not published yet.
pub(crate) fn write_cloud(
    path: &Path,
    layout: &CloudLayout,
    survey: Survey,
    points: &[CloudPoint],
) -> PyResult<Outputs> {
    let writer = CloudWriter::new(path, layout).map_err(IntoException::into_exception)?;
    let mut writer = writer.with_survey(survey);
    writer.add(points).map_err(IntoException::into_exception)?;
    let (_, outputs) = writer.complete().map_err(IntoException::into_exception)?;
    Ok(outputs)
}

/// Writes a cloud as messages of ROS 2, one for each sweep.
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
    let sensor = CloudSensor { name: &sweeps.name, is_panoramic: sweeps.is_panoramic, frame };
    detached(py, || {
        write_clouds(&path, sensor, &layout, &clouds).map_err(IntoException::into_exception)
    })
}

/// Makes a pose of the first three rows of a matrix.
fn posed([xx, yx, zx, x, xy, yy, zy, y, xz, yz, zz, z]: &[f64; 12]) -> PyResult<Pose> {
    let axes = DMat3::from_cols_array(&[*xx, *xy, *xz, *yx, *yy, *yz, *zx, *zy, *zz]);
    let rotation = DQuat::from_mat3(&axes).to_array();
    Pose::new(DVec3::new(*x, *y, *z), rotation)
        .map_err(|error| PyValueError::new_err(error.to_string()))
}
