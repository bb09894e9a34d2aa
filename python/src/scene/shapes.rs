//! Adds shapes, which `raytwin/scene.py` gives as rows of numbers, and shapes with many primitives.

use super::Scene;
use super::placing::{Placing, Properties};
use crate::error::{OrException, SceneError, detached};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::glam::{DQuat, DVec3};
use raytwin::scene::RowError;
use raytwin::shapes::ShapeType;
use raytwin::{Geometry, Heightfield, Lines, Mesh, ShapeError};

/// A field of a type of shape: its name, how many numbers it has, and their defaults.
type FieldRow = (&'static str, usize, Option<Vec<f64>>);

/// Returns the fields of a type of shape, in the order of a row.
#[pyfunction]
pub(crate) fn shape_fields(kind: &str) -> PyResult<Vec<FieldRow>> {
    let fields = shape_type(kind)?.fields.iter();
    Ok(fields
        .map(|field| (field.name, field.kind.columns(), field.default.map(<[f64]>::to_vec)))
        .collect())
}

fn shape_type(kind: &str) -> PyResult<&'static ShapeType> {
    ShapeType::named(kind)
        .ok_or_else(|| PyValueError::new_err(format!("there is no type of shape '{kind}'")))
}

/// The name of the argument that a field comes from, and whether its single entry is for all rows.
type Argument = (String, bool);

/// Returns the exception for a row. It names the argument and the row as the caller knows them.
fn row_exception(kind: &ShapeType, arguments: &[Argument], error: &RowError) -> PyErr {
    let RowError { row, error: ShapeError { field, reason } } = error;
    let message = kind.fields.iter().zip(arguments).find_map(|(known, (argument, is_of_all))| {
        let rest = field.strip_prefix(known.name)?;
        (rest.is_empty() || rest.starts_with('[')).then(|| match is_of_all {
            true => format!("{argument}{rest} {reason}"),
            false => format!("{argument}[{row}]{rest} {reason}"),
        })
    });
    let whole = || format!("{}[{row}] {reason}", kind.name);
    SceneError::new_err(message.unwrap_or_else(whole))
}

fn points(numbers: &[f64]) -> Vec<DVec3> {
    numbers.as_chunks::<3>().0.iter().map(|&point| DVec3::from_array(point)).collect()
}

impl Scene {
    fn add_geometry(
        &self,
        py: Python<'_>,
        properties: Properties<'_>,
        geometry: impl FnOnce() -> Result<Geometry, ShapeError> + Send,
    ) -> PyResult<u32> {
        let placing = Placing::new(properties)?;
        let ids = detached(py, || {
            let geometry = geometry().or_exception()?;
            placing.add(self, |scene, transform| {
                let added = scene.add_transformed(&geometry, transform);
                added.map(|id| id..id + 1).or_exception()
            })
        })?;
        Ok(ids.start)
    }
}

#[pymethods]
impl Scene {
    /// Adds a shape for each row, and returns their ids.
    fn _add_rows<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        rows: PyReadonlyArray2<'py, f64>,
        arguments: Vec<Argument>,
        properties: Properties<'py>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let (kind, placing) = (shape_type(kind)?, Placing::new(properties)?);
        let rows = rows.as_slice()?;
        let ids = detached(py, || {
            placing.add(self, |scene, transform| {
                let added = scene.add_rows(kind, rows, transform);
                added.map_err(|error| row_exception(kind, &arguments, &error))
            })
        })?;
        Ok(ids.collect::<Vec<u32>>().into_pyarray(py))
    }

    /// Adds a geometry that no ray hits, and returns its id.
    fn _add_empty(&self, py: Python<'_>, properties: Properties<'_>) -> PyResult<u32> {
        self.add_geometry(py, properties, || Ok(Geometry::Empty))
    }

    /// Adds a mesh, and returns its id.
    fn _add_mesh(
        &self,
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        triangles: PyReadonlyArray2<'_, u32>,
        properties: Properties<'_>,
    ) -> PyResult<u32> {
        let (vertices, triangles) = (vertices.as_slice()?, triangles.as_slice()?);
        self.add_geometry(py, properties, || {
            let triangles = triangles.as_chunks::<3>().0.to_vec();
            Mesh::new(points(vertices), triangles).map(Geometry::from)
        })
    }

    /// Adds lines, and returns their id.
    fn _add_lines(
        &self,
        py: Python<'_>,
        ends: PyReadonlyArray2<'_, f64>,
        indices: PyReadonlyArray2<'_, u32>,
        radius: f64,
        properties: Properties<'_>,
    ) -> PyResult<u32> {
        let (ends, indices) = (ends.as_slice()?, indices.as_slice()?);
        self.add_geometry(py, properties, || {
            let indices = indices.as_chunks::<2>().0.to_vec();
            Lines::new(points(ends), indices, radius).map(Geometry::from)
        })
    }

    /// Adds a heightfield, and returns its id.
    #[expect(clippy::too_many_arguments, reason = "they are Python's arguments")]
    fn _add_heightfield(
        &self,
        py: Python<'_>,
        heights: PyReadonlyArray2<'_, f64>,
        spacing: [f64; 2],
        center: [f64; 3],
        rotation_xyzw: [f64; 4],
        base: Option<f64>,
        properties: Properties<'_>,
    ) -> PyResult<u32> {
        let columns = heights.as_array().ncols();
        let heights = heights.as_slice()?;
        self.add_geometry(py, properties, || {
            let rotation = DQuat::from_array(rotation_xyzw);
            let open =
                Heightfield::new(heights.to_vec(), columns, spacing, center.into(), rotation)?;
            let field = match base {
                Some(base) => open.with_base(base)?,
                None => open,
            };
            Ok(field.into())
        })
    }
}
