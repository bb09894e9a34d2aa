//! The contents of a scene: ids, paths, types, masks, bounds, and files that it is written
//! to.

use super::Scene;
use super::placing::{check_id, refused};
use crate::error::{OrException, detached};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raytwin::scene::Appearance;
use raytwin::{Fingerprint, Scene as LibraryScene};
use std::collections::BTreeMap;
use std::path::PathBuf;

impl Scene {
    /// Changes geometries, whose ids are put in order.
    fn change_geometries(
        &self,
        py: Python<'_>,
        geometry_ids: PyReadonlyArray1<'_, u32>,
        change: impl FnOnce(&mut LibraryScene, &[u32]) + Send,
    ) -> PyResult<()> {
        let mut ids = geometry_ids.as_slice()?.to_vec();
        detached(py, || {
            ids.sort_unstable();
            self.change(|scene| {
                if let Some(last) = ids.last() {
                    check_id(scene, *last)?;
                }
                change(scene, &ids);
                Ok(())
            })
        })
    }
}

#[pymethods]
impl Scene {
    /// The number of geometries.
    #[getter]
    fn geometry_count(&self) -> u32 {
        self.snapshot().0.geometry_count()
    }

    /// The point that is subtracted in float64 from all coordinates before they are rounded.
    #[getter]
    fn origin(&self) -> [f64; 3] {
        self.snapshot().0.origin().to_array()
    }

    /// Returns the path of names of a geometry, such as `arm/elbow`, or `sphere[17]` if it has no
    /// name.
    fn path(&self, geometry_id: i64) -> PyResult<String> {
        let (scene, _) = self.snapshot();
        check_id(&scene, geometry_id).map(|id| scene.path(id))
    }

    /// The paths of all geometries, in the order of their ids.
    #[getter]
    fn paths(&self, py: Python<'_>) -> Vec<String> {
        let (scene, _) = self.snapshot();
        py.detach(|| (0..scene.geometry_count()).map(|id| scene.path(id)).collect())
    }

    /// The types of all geometries, in the order of their ids.
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let (scene, _) = self.snapshot();
        scene.written_out().map(|(_, geometry, _)| geometry.type_name()).collect()
    }

    /// The number of geometries of each type that the scene has.
    #[getter]
    fn census(&self) -> BTreeMap<&'static str, usize> {
        self.snapshot().0.census().into_iter().collect()
    }

    /// A hash, in hexadecimal digits, of all that answers depend on, so neither of names nor of
    /// colours. Scenes of one fingerprint have the same answers, wherever they come from.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let (scene, _) = self.snapshot();
            Ok(Fingerprint::of(&scene).with_labels(&scene).to_string())
        })
    }

    /// Returns the ids of the geometries that a pattern chooses.
    fn select<'py>(&self, py: Python<'py>, pattern: &str) -> Bound<'py, PyArray1<u32>> {
        let (scene, _) = self.snapshot();
        py.detach(|| scene.select(pattern)).into_pyarray(py)
    }

    /// Gives geometries a mask.
    fn _set_mask(
        &self,
        py: Python<'_>,
        geometry_ids: PyReadonlyArray1<'_, u32>,
        mask: u32,
    ) -> PyResult<()> {
        self.change_geometries(py, geometry_ids, |scene, ids| match mask {
            // Instances in which the same are hidden still share what they are instances of.
            0 => scene.hide_all(ids),
            _ => ids.iter().for_each(|&id| scene.set_mask(id, mask)),
        })
    }

    /// The masks of all geometries, in the order of their ids.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let (scene, _) = self.snapshot();
        let masks = py.detach(|| (0..scene.geometry_count()).map(|id| scene.mask(id)).collect());
        Vec::into_pyarray(masks, py)
    }

    /// Gives geometries a label, to which a name may belong, and a reflectance.
    fn _set_label(
        &self,
        py: Python<'_>,
        geometry_ids: PyReadonlyArray1<'_, u32>,
        label: u16,
        name: Option<String>,
        reflectance: Option<f32>,
    ) -> PyResult<()> {
        let appearance = Appearance { label: Some(label), reflectance, ..Appearance::NONE };
        self.change_geometries(py, geometry_ids, |scene, ids| {
            scene.set_appearance_of_all(ids, appearance);
            scene.label_names.extend(name.map(|name| (label, name)));
        })
    }

    /// The labels of all geometries, in the order of their ids, as uint16; 0 for none.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        let (scene, _) = self.snapshot();
        let label = |id| scene.label(id);
        py.detach(|| (0..scene.geometry_count()).map(label).collect::<Vec<u16>>()).into_pyarray(py)
    }

    /// The reflectances of all geometries, in the order of their ids, as float32: 0.5 where none is
    /// given.
    #[getter]
    fn reflectances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let (scene, _) = self.snapshot();
        let of = |id| scene.reflectance(id);
        py.detach(|| (0..scene.geometry_count()).map(of).collect::<Vec<f32>>()).into_pyarray(py)
    }

    /// The names of labels, of those that have one: a dictionary from label to name.
    #[getter]
    fn label_names(&self) -> BTreeMap<u16, String> {
        self.snapshot().0.label_names.clone()
    }

    /// The corners of the smallest box around all geometries.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (scene, _) = self.snapshot();
        let (bounds, origin) = (detached(py, || Ok(scene.bounds()))?, scene.origin());
        let corners = [bounds.min + origin, bounds.max + origin];
        Ok(PyArray2::from_vec2(py, &corners.map(|corner| corner.to_array().to_vec()))?)
    }

    /// Writes the scene to a file.
    #[pyo3(signature = (path, *, skip = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, skip: bool) -> PyResult<()> {
        detached(py, || {
            let (scene, _) = self.snapshot();
            let mut left_out: Vec<String> = raytwin_formats::left_out(&scene, &path)
                .or_exception()?
                .iter()
                .map(|warning| warning.to_string())
                .collect();
            if let more @ 1.. = scene.world_count() - 1 {
                left_out.push(format!("{more} worlds besides the first"));
            }
            if !left_out.is_empty() && !skip {
                return Err(refused(format!(
                    "{} cannot hold {}: give skip=True to leave that out",
                    path.display(),
                    left_out.join("; ")
                )));
            }
            raytwin_formats::save(&scene, &path).or_exception()
        })
    }

    /// Returns everything that the scene holds as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (scene, _) = self.snapshot();
        let bytes = detached(py, || Ok(scene.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> String {
        let (scene, _) = self.snapshot();
        let census: Vec<String> =
            scene.census().iter().map(|(name, count)| format!("{name}: {count}")).collect();
        format!("Scene({})", census.join(", "))
    }
}
