//! Writes the clouds of `raytwin/cloud.py` to files.

use crate::error::{IntoException, detached};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use raytwin_files::clouds::{CloudLayout, CloudPoint, CloudSource, CloudWriter};
use std::path::PathBuf;

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
}

/// Writes a cloud as a scan does; the extension tells the format.
#[pyfunction]
pub(crate) fn save_cloud(py: Python<'_>, path: PathBuf, cloud: CloudArrays<'_>) -> PyResult<()> {
    let positions = cloud.points.as_slice()?.as_chunks::<3>().0;
    let (distances, times) = (cloud.distance.as_slice()?, cloud.time.as_slice()?);
    let [geometry_ids, primitive_ids] =
        [cloud.geometry_ids.as_slice()?, cloud.primitive_ids.as_slice()?];
    let [rings, columns] = [cloud.ring.as_slice()?, cloud.column.as_slice()?];
    let point = |index: usize| CloudPoint {
        position: positions[index],
        geometry_id: geometry_ids[index],
        pixel: [rings[index], columns[index]],
        primitive_id: primitive_ids[index],
        distance: distances[index],
        time: times[index],
        ..CloudPoint::default()
    };
    detached(py, || {
        let layout = CloudLayout { source: CloudSource::Scan, has_normals: false };
        let points: Vec<CloudPoint> = (0..positions.len()).map(point).collect();
        let mut writer = CloudWriter::new(&path, layout).map_err(IntoException::into_exception)?;
        writer.add(&points).map_err(IntoException::into_exception)?;
        writer.finish().map(drop).map_err(IntoException::into_exception)
    })
}
