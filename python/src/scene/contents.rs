//! The contents of a scene: ids, paths, types, masks and bounds, and the files that it is saved to.

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
    /// Changes geometries, in the order of their ids.
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

    /// The point that raytwin subtracts in float64 from all coordinates before it rounds them to
    /// float32.
    #[getter]
    fn origin(&self) -> [f64; 3] {
        self.snapshot().0.origin().to_array()
    }

    /// Returns the path of a geometry, such as ``arm/elbow``, or ``sphere[17]`` if it has no name.
    ///
    /// Raises IndexError for an id that no geometry has.
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

    /// The number of geometries of each type in the scene, as a dictionary.
    #[getter]
    fn type_counts(&self) -> BTreeMap<&'static str, usize> {
        self.snapshot().0.type_counts().into_iter().collect()
    }

    /// A hash, in hexadecimal digits, of everything that answers depend on. It does not include names
    /// and colours. Scenes with the same fingerprint have the same answers, wherever they come from.
    #[getter]
    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        detached(py, || {
            let (scene, _) = self.snapshot();
            Ok(Fingerprint::of(&scene).with_labels(&scene).to_string())
        })
    }

    /// Returns the ids of the geometries that a pattern chooses, as a uint32 array.
    ///
    /// The pattern is an id such as ``"17"``, or a path such as ``"arm/elbow"``, which also chooses
    /// everything below it. In a path ``*`` stands for any characters and ``?`` for one. The array is
    /// empty if nothing matches.
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
            // Instances in which the same geometries are hidden still share a definition.
            0 => scene.hide_all(ids),
            _ => ids.iter().for_each(|&id| scene.set_mask(id, mask)),
        })
    }

    /// The masks of all geometries, in the order of their ids, as a uint32 array.
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let (scene, _) = self.snapshot();
        let masks = py.detach(|| (0..scene.geometry_count()).map(|id| scene.mask(id)).collect());
        Vec::into_pyarray(masks, py)
    }

    /// Gives geometries a label, optionally with a name, and a reflectance.
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

    /// The labels of all geometries, in the order of their ids, as a uint16 array; 0 for no label.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        let (scene, _) = self.snapshot();
        let label = |id| scene.label(id);
        py.detach(|| (0..scene.geometry_count()).map(label).collect::<Vec<u16>>()).into_pyarray(py)
    }

    /// The reflectances of all geometries, in the order of their ids, as a float32 array. Default: 0.5.
    #[getter]
    fn reflectances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let (scene, _) = self.snapshot();
        let of = |id| scene.reflectance(id);
        py.detach(|| (0..scene.geometry_count()).map(of).collect::<Vec<f32>>()).into_pyarray(py)
    }

    /// The names of the labels that have one, as a dictionary from label to name.
    #[getter]
    fn label_names(&self) -> BTreeMap<u16, String> {
        self.snapshot().0.label_names.clone()
    }

    /// The two corners of the smallest box around all geometries, as a float64 array of shape (2, 3).
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (scene, _) = self.snapshot();
        let (bounds, origin) = (detached(py, || Ok(scene.bounds()))?, scene.origin());
        let corners = [bounds.min + origin, bounds.max + origin];
        Ok(PyArray2::from_vec2(py, &corners.map(|corner| corner.to_array().to_vec()))?)
    }

    /// Writes the scene to a file, whose extension decides the format.
    ///
    /// Raises SceneError if the format cannot store a part of the scene; with ``skip=True`` raytwin
    /// leaves that part out. Raises FileError if the file cannot be written.
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
                left_out.push(format!("{more} worlds after the first"));
            }
            if !left_out.is_empty() && !skip {
                return Err(refused(format!(
                    "{} cannot store {}: give skip=True to leave that out",
                    path.display(),
                    left_out.join("; ")
                )));
            }
            raytwin_formats::save(&scene, &path).or_exception()
        })
    }

    /// Returns the whole scene as bytes, which ``Scene(data)`` reads.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (scene, _) = self.snapshot();
        let bytes = detached(py, || Ok(scene.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> String {
        let (scene, _) = self.snapshot();
        let census: Vec<String> =
            scene.type_counts().iter().map(|(name, count)| format!("{name}: {count}")).collect();
        format!("Scene({})", census.join(", "))
    }
}
