//! Reads the meshes of a model, each asset once.

use super::attributes::Attributes;
use super::compiler::unit_quaternion;
use super::fit::{Fit, Inertia};
use super::model::Model;
use super::msh;
use crate::hull::convex_hull;
use crate::mesh::{self, VerticesAndTriangles};
use crate::mesh_warnings::MeshWarnings;
use glam::DVec3;
use raytwin::geometry::{Geometry, Mesh};
use raytwin_files::{FileError, FileStore};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A mesh in its own frame: the file's numbers, moved, turned and scaled as in the asset. MuJoCo
/// also moves a mesh into its inertia frame, and geoms back, which does not move the surface.
pub(super) struct MeshAsset {
    geometry: Rc<Geometry>,
    mesh: VerticesAndTriangles,
    inertia: Inertia,
    fit: OnceCell<Result<Fit, String>>,
}

impl MeshAsset {
    pub fn geometry(&self) -> Rc<Geometry> {
        Rc::clone(&self.geometry)
    }

    /// Returns the sizes and frames of primitives that are fitted to it, or the reason why there
    /// are none.
    pub fn fit(&self) -> &Result<Fit, String> {
        self.fit.get_or_init(|| Fit::new(&self.mesh, self.inertia))
    }
}

/// The outcome of each asset and each file that was read.
#[derive(Default)]
pub(super) struct MeshAssets {
    files: HashMap<PathBuf, Result<VerticesAndTriangles, String>>,
    pub warnings: MeshWarnings,
    /// The assets, by the addresses of their elements.
    assets: HashMap<usize, Result<Rc<MeshAsset>, String>>,
}

impl MeshAssets {
    /// Reads an asset; the inner error is the reason why its geometry cannot be read.
    pub fn read(
        &mut self,
        model: &Model<'_>,
        asset: &Attributes<'_>,
    ) -> Result<Result<Rc<MeshAsset>, String>, FileError> {
        let address = std::ptr::from_ref(asset.element).addr();
        if let Some(read) = self.assets.get(&address) {
            return Ok(read.clone());
        }
        let read = self.mesh(model, asset)?.map(Rc::new);
        self.assets.insert(address, read.clone());
        Ok(read)
    }

    fn mesh(
        &mut self,
        model: &Model<'_>,
        asset: &Attributes<'_>,
    ) -> Result<Result<MeshAsset, String>, FileError> {
        let inertia = match asset.text("inertia").unwrap_or("legacy") {
            "legacy" => Inertia::Legacy,
            "exact" => Inertia::Exact,
            "shell" => Inertia::Shell,
            "convex" => Inertia::Convex,
            _ => {
                return Err(asset.refuse("inertia", "must be legacy, exact, convex or shell"));
            }
        };
        if let Some(reason) = asset.not_finite(&["scale", "refpos", "refquat", "vertex"]) {
            return Ok(Err(reason));
        }
        let scale = DVec3::from(asset.numbers_or("scale", [1.0; 3])?);
        if scale.abs().min_element() == 0.0 {
            return Ok(Err(format!("its scale is {scale}: none of its numbers may be 0")));
        }
        let position = DVec3::from(asset.numbers_or("refpos", [0.0; 3])?);
        let rotation = unit_quaternion(asset.numbers_or("refquat", [1.0, 0.0, 0.0, 0.0])?)
            .ok_or_else(|| asset.refuse("refquat", "is a quaternion with a length near zero"))?;
        let (mut vertices, mut triangles) = match self.source(model, asset)? {
            Ok(mesh) => mesh,
            Err(reason) => return Ok(Err(reason)),
        };
        let back = rotation.conjugate();
        for vertex in &mut vertices {
            *vertex = scale * (back * (*vertex - position));
        }
        // A mirrored mesh would be inside out: swapping two corners of each triangle turns it back.
        if scale.element_product() < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let mesh = match Mesh::new(vertices.clone(), triangles.clone()) {
            Ok(mesh) => mesh,
            Err(shape_error) => return Ok(Err(shape_error.to_string())),
        };
        let geometry = Rc::new(Geometry::from(mesh));
        Ok(Ok(MeshAsset { geometry, mesh: (vertices, triangles), inertia, fit: OnceCell::new() }))
    }

    fn source(
        &mut self,
        model: &Model<'_>,
        asset: &Attributes<'_>,
    ) -> Result<Result<VerticesAndTriangles, String>, FileError> {
        if let Some(builtin) = asset.text("builtin").filter(|builtin| *builtin != "none") {
            return Ok(Err(format!("a built-in mesh, \"{builtin}\"")));
        }
        if asset.element.children("plugin").next().is_some() {
            return Ok(Err("a mesh made by a plugin".to_owned()));
        }
        let faces = asset.list("face")?.map(|numbers| faces(asset, &numbers)).transpose()?;
        if let Some(file) = asset.text("file") {
            let path = model.asset_path(asset.element, file);
            let read = self
                .files
                .entry(path.clone())
                .or_insert_with(|| read_file(model.store, &path, &mut self.warnings));
            return Ok(read.clone().and_then(|(vertices, triangles)| match faces {
                Some(faces) if triangles.is_empty() => Ok((vertices, faces)),
                _ => with_faces(asset, vertices, triangles)
                    .map_err(|reason| format!("{}: {reason}", path.display())),
            }));
        }
        let vertices = asset.list("vertex")?.unwrap_or_default();
        let (vertices, rest) = vertices.as_chunks::<3>();
        if vertices.is_empty() || !rest.is_empty() {
            return Err(asset.refuse("vertex", "must be three numbers for each vertex"));
        }
        let vertices: Vec<_> = vertices.iter().copied().map(DVec3::from_array).collect();
        Ok(with_faces(asset, vertices, faces.unwrap_or_default()))
    }
}

/// Returns a mesh with its faces. If it has none, returns its convex hull, which MuJoCo casts at in
/// this case.
fn with_faces(
    asset: &Attributes<'_>,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
) -> Result<VerticesAndTriangles, String> {
    if !triangles.is_empty() {
        return Ok((vertices, triangles));
    }
    if asset.text("maxhullvert").is_some_and(|most| most != "-1") {
        return Err("a mesh without faces whose maxhullvert limits its hull".to_owned());
    }
    let hull = convex_hull(&vertices);
    let triangles = hull.map_err(|reason| format!("a mesh without faces: {reason}"))?;
    Ok((vertices, triangles))
}

fn read_file(
    store: &FileStore,
    path: &Path,
    warnings: &mut MeshWarnings,
) -> Result<VerticesAndTriangles, String> {
    let is_msh = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("msh"));
    let read = match is_msh {
        true => msh::read(store, path),
        false => {
            let read = mesh::read_first_object(store, path, warnings);
            read.map(|mesh| (mesh.vertices, mesh.triangles))
        }
    };
    read.map_err(|error| error.to_string())
}

fn faces(asset: &Attributes<'_>, numbers: &[f64]) -> Result<Vec<[u32; 3]>, FileError> {
    let is_index =
        |number: &f64| number.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(number);
    let (faces, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() || !numbers.iter().all(is_index) {
        return Err(asset.refuse("face", "must be three vertex numbers for each face"));
    }
    Ok(faces.iter().map(|face| face.map(|index| index as u32)).collect())
}
