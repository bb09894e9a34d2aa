//! Reads the geometries of many primitives in a native scene, which are inline or in another file.

use super::shape_file::{EmptyFile, HeightfieldFile, LinesFile, MeshFile};
use super::{Reader, at_field};
use crate::mesh::read_parts;
use crate::mesh_warnings::MeshWarnings;
use crate::reference::path_in;
use glam::{DQuat, DVec3};
use raytwin::fields::ShapeError;
use raytwin::geometry::{EMPTY, Geometry, Lines, Mesh};
use raytwin::shapes::Heightfield;
use raytwin_files::{FileError, FileStore};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

impl Reader<'_> {
    /// Reads a mesh, a heightfield, lines or an empty geometry, in the space of their group.
    pub(super) fn read_compound(
        &mut self,
        type_name: &str,
        object: Map<String, Value>,
        place: &str,
    ) -> Result<Geometry, FileError> {
        let value = Value::Object(object);
        let taken = ["type", "name", "mask", "color", "label", "reflectance", "integers"];
        match type_name {
            Mesh::NAME => {
                let mesh = self.typed_without(value, place, &taken)?;
                self.read_mesh(mesh, place)
            }
            Heightfield::NAME => {
                self.read_heightfield(self.typed_without(value, place, &taken)?, place)
            }
            EMPTY => {
                let EmptyFile {} = self.typed_without(value, place, &taken)?;
                Ok(Geometry::Empty)
            }
            _ => {
                let LinesFile { points, indices, radius } =
                    self.typed_without(value, place, &taken)?;
                let lines = Lines::new(to_points(points), indices, radius);
                Ok(lines.map_err(|shape_error| self.refused(place, shape_error))?.into())
            }
        }
    }

    fn refused(&self, place: &str, shape_error: ShapeError) -> FileError {
        self.refuse(&at_field(place, &shape_error), shape_error.reason)
    }

    /// The path of a file that the scene names, relative to the scene's folder.
    pub(super) fn beside(&self, file: &str) -> PathBuf {
        path_in(&self.files.store, self.path.parent().unwrap_or(Path::new("")), file)
    }

    /// Reads a file that the scene names. The location of an error is the place of the name in the
    /// scene.
    pub(super) fn read_beside<T>(
        &self,
        file: &str,
        place: &str,
        read: impl FnOnce(&FileStore, &Path) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let path = self.beside(file);
        read(&self.files.store, &path).map_err(|error| self.refuse(&format!("{place}.file"), error))
    }

    fn read_mesh(&mut self, mesh: MeshFile, place: &str) -> Result<Geometry, FileError> {
        match (mesh.vertices, mesh.triangles, mesh.file) {
            (Some(vertices), Some(triangles), None) => {
                self.new_mesh(to_points(vertices), triangles, place)
            }
            (None, None, Some(file)) => {
                if let Some(mesh) = self.mesh_files.get(&file) {
                    return Ok(mesh.clone());
                }
                let mut warnings = MeshWarnings::default();
                let read = |store: &FileStore, path: &Path| read_parts(store, path, &mut warnings);
                let (vertices, triangles) = self.read_beside(&file, place, read)?;
                self.files.warnings.extend(warnings.raised());
                let mesh = self.new_mesh(vertices, triangles, place)?;
                self.mesh_files.insert(file, mesh.clone());
                Ok(mesh)
            }
            _ => Err(self.refuse(place, "must have either vertices and triangles or a file")),
        }
    }

    fn new_mesh(
        &self,
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        place: &str,
    ) -> Result<Geometry, FileError> {
        let mesh = Mesh::new(vertices, triangles);
        Ok(mesh.map_err(|shape_error| self.refused(place, shape_error))?.into())
    }

    fn read_heightfield(&self, field: HeightfieldFile, place: &str) -> Result<Geometry, FileError> {
        let (heights, columns) = match (field.heights, field.file) {
            (Some(rows), None) => {
                let columns = rows.first().map_or(0, Vec::len);
                if let Some(row) = rows.iter().position(|row| row.len() != columns) {
                    let reason =
                        format!("has {} heights, but the first row has {columns}", rows[row].len());
                    return Err(self.refuse(&format!("{place}.heights[{row}]"), reason));
                }
                (rows.concat(), columns)
            }
            (None, Some(file)) => self.read_beside(&file, place, read_heights_file)?,
            _ => return Err(self.refuse(place, "must have either heights or a file")),
        };
        let scale = field.height_scale;
        if !scale.is_finite() {
            return Err(self.refuse(&format!("{place}.height_scale"), "must be a finite number"));
        }
        let heights = heights.into_iter().map(|height| scale * height).collect();
        let rotation = DQuat::from_array(field.rotation_xyzw);
        let base = field.base;
        let open = Heightfield::new(heights, columns, field.spacing, field.center.into(), rotation);
        let field = match base {
            Some(base) => open.and_then(|open| open.with_base(base)),
            None => open,
        };
        Ok(field.map_err(|shape_error| self.refused(place, shape_error))?.into())
    }
}

fn to_points(rows: Vec<[f64; 3]>) -> Vec<DVec3> {
    rows.into_iter().map(DVec3::from_array).collect()
}

fn read_heights_file(store: &FileStore, path: &Path) -> Result<(Vec<f64>, usize), FileError> {
    let field = crate::heights::read(store, path)?;
    Ok((field.heights, field.columns))
}
