//! Makes geometries from meshes: one for each primitive of triangles or lines.

use super::accessors::Accessors;
use super::document::{GltfFile, MaterialFile, extension};
use super::enumerations::Mode;
use super::objects::GltfPrimitive;
use super::skins::Skin;
use crate::Options;
use crate::closed_form::closed_form;
use glam::DVec3;
use raytwin::geometry::{Geometry, Lines, Mesh};
use std::collections::HashMap;

/// The extension that compresses a primitive.
const COMPRESSION: &str = "KHR_draco_mesh_compression";

/// A geometry with the colour of its material.
#[derive(Clone)]
pub(super) struct ColoredGeometry {
    pub geometry: Geometry,
    pub color: Option<[f32; 3]>,
}

pub(super) struct PrimitiveGeometries {
    /// One geometry, or one for each point.
    pub geometries: Vec<ColoredGeometry>,
    /// The number of corners at its end that do not make a whole triangle or segment.
    pub corners_left: usize,
}

/// The reason why a primitive gives no geometry.
pub(super) enum Missing {
    /// It has points, which have no size.
    Size,
    /// It cannot be read.
    Fault(String),
}

pub(super) struct MeshReader<'a> {
    pub file: &'a GltfFile,
    pub accessors: Accessors<'a>,
    pub options: &'a Options,
}

impl MeshReader<'_> {
    /// Returns the geometries of each primitive of a mesh.
    pub fn read(
        &self,
        mesh: usize,
        skin: Option<&Skin>,
    ) -> Vec<Result<PrimitiveGeometries, Missing>> {
        let materials = &self.file.exact.materials;
        let read = |primitive: &GltfPrimitive| {
            let material = primitive.material.and_then(|material| materials.get(material));
            let color = material.and_then(color);
            let (geometries, corners_left) = self.geometries(primitive, skin)?;
            let part = |geometry| ColoredGeometry { geometry, color };
            let geometries = geometries.into_iter().map(part).collect();
            Ok(PrimitiveGeometries { geometries, corners_left })
        };
        self.file.document.meshes[mesh].primitives.iter().map(read).collect()
    }

    pub fn primitive_count(&self, node: usize) -> usize {
        let document = &self.file.document;
        document.nodes[node].mesh.map_or(0, |mesh| document.meshes[mesh].primitives.len())
    }

    /// The geometries of a primitive, and the number of surplus corners at its end.
    fn geometries(
        &self,
        primitive: &GltfPrimitive,
        skin: Option<&Skin>,
    ) -> Result<(Vec<Geometry>, usize), Missing> {
        let is_compressed = extension(&primitive.extensions, COMPRESSION).is_some();
        if is_compressed && self.file.requires(COMPRESSION) {
            let reason = format!("is compressed with {COMPRESSION}: export it without compression");
            return Err(Missing::Fault(reason));
        }
        if primitive.mode == Mode::Points && self.options.point_radius.is_none() {
            return Err(Missing::Size);
        }
        let (vertices, indices) = self.vertices(primitive, skin).map_err(Missing::Fault)?;
        let corners_left = match primitive.mode {
            Mode::Triangles => indices.len() % 3,
            Mode::Lines => indices.len() % 2,
            _ => 0,
        };
        let geometry = match primitive.mode {
            Mode::Points => {
                let spheres = self.spheres(&vertices, &indices).map_err(Missing::Fault)?;
                return Ok((spheres, corners_left));
            }
            Mode::Lines | Mode::LineLoop | Mode::LineStrip => {
                self.lines(vertices, segments(primitive.mode, &indices))
            }
            mode => {
                let mut triangles = triangles(mode, &indices);
                if skin.is_some_and(Skin::is_mirror) {
                    triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
                }
                Mesh::new(vertices, triangles)
                    .map(Geometry::from)
                    .map_err(|error| error.to_string())
            }
        };
        let geometries = geometry.map(|geometry| vec![geometry]).map_err(Missing::Fault)?;
        Ok((geometries, corners_left))
    }

    /// Returns the vertices that a primitive's indices refer to, in that order, and their new
    /// indices. Primitives often share one accessor of positions and need only a few of them.
    fn vertices(
        &self,
        primitive: &GltfPrimitive,
        skin: Option<&Skin>,
    ) -> Result<(Vec<DVec3>, Vec<u32>), String> {
        let &accessor = primitive.attributes.get("POSITION").ok_or("has no positions")?;
        let positions = self.accessors.positions(accessor)?;
        let skinned = match skin {
            Some(skin) => Some(skin.deformed(&self.accessors, primitive, &positions)?),
            None => None,
        };
        let positions = skinned.as_deref().unwrap_or(&positions);
        let indices = match primitive.indices {
            Some(indices) => self.accessors.indices(indices)?,
            None => {
                self.accessors.take(positions.len())?;
                (0..positions.len() as u32).collect()
            }
        };
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let mut vertices = Vec::new();
        let mut renumbered = Vec::with_capacity(indices.len());
        for index in indices {
            let vertex = *positions.get(index as usize).ok_or_else(|| {
                format!(
                    "has a corner at vertex {index}: there are {} vertices, counted from 0",
                    positions.len()
                )
            })?;
            if !vertex.is_finite() {
                return Err(format!("has a vertex {index} with a number that is not finite"));
            }
            let next = vertices.len() as u32;
            let number = *numbers.entry(index).or_insert(next);
            if number == next {
                vertices.push(vertex);
            }
            renumbered.push(number);
        }
        Ok((vertices, renumbered))
    }

    /// Makes lines with the requested radius, or with a thousandth of the diagonal of the box
    /// around them.
    fn lines(&self, points: Vec<DVec3>, mut segments: Vec<[u32; 2]>) -> Result<Geometry, String> {
        segments.retain(|[from, to]| points[*from as usize] != points[*to as usize]);
        let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let radius = self.options.line_radius.unwrap_or((most - least).length() / 1000.0);
        let lines = Lines::new(points, segments, radius);
        lines.map(Geometry::from).map_err(|error| error.to_string())
    }

    fn spheres(&self, points: &[DVec3], indices: &[u32]) -> Result<Vec<Geometry>, String> {
        let radius = self.options.point_radius.unwrap_or_default();
        let sphere = |&index: &u32| {
            let [x, y, z] = points[index as usize].to_array();
            closed_form("sphere", &[x, y, z, radius])
        };
        indices.iter().map(sphere).collect()
    }
}

/// The triangles that indices stand for (glTF 2.0, section 3.7.2.1).
fn triangles(mode: Mode, indices: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::TriangleStrip => {
            let strip = indices.windows(3).enumerate();
            strip
                .map(|(number, corners)| match number % 2 {
                    0 => [corners[0], corners[1], corners[2]],
                    _ => [corners[0], corners[2], corners[1]],
                })
                .collect()
        }
        Mode::TriangleFan => {
            let (center, rim) = indices.split_at(indices.len().min(1));
            let center = center.iter().cycle();
            rim.windows(2).zip(center).map(|(side, &center)| [side[0], side[1], center]).collect()
        }
        _ => indices.as_chunks().0.to_vec(),
    }
}

fn segments(mode: Mode, indices: &[u32]) -> Vec<[u32; 2]> {
    if mode == Mode::Lines {
        return indices.as_chunks().0.to_vec();
    }
    let mut segments: Vec<_> = indices.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    if let (Mode::LineLoop, [first, .., last]) = (mode, indices) {
        segments.push([*last, *first]);
    }
    segments
}

/// The base colour of a material, converted from linear to sRGB (IEC 61966-2-1). `None` for a
/// primitive without a material, and for a material whose colour is in a texture.
fn color(material: &MaterialFile) -> Option<[f32; 3]> {
    let surface = &material.pbr_metallic_roughness;
    let [red, green, blue, _] = surface.base_color_factor.unwrap_or([1.0; 4]);
    if surface.base_color_texture.is_some() && [red, green, blue] == [1.0; 3] {
        return None;
    }
    let encoded = |linear: f32| {
        let linear = f64::from(linear).clamp(0.0, 1.0);
        let encoded = match linear <= 0.003_130_8 {
            true => 12.92 * linear,
            false => 1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055,
        };
        encoded as f32
    };
    Some([red, green, blue].map(encoded))
}
