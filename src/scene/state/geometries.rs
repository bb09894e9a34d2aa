//! The geometries of a scene as numbers.

use crate::geometry::{Geometry, Lines, Mesh};
use crate::shapes::{Heightfield, SHAPE_TYPES};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Geometries in their order. Shapes are rows of numbers one after another.
#[derive(Serialize, Deserialize)]
pub(super) struct GeometryStates {
    /// For each geometry the index of its type among [`SHAPE_TYPES`], or their number for one of
    /// many primitives.
    types: Vec<u8>,
    rows: Vec<f64>,
    compounds: Vec<CompoundState>,
}

#[derive(Serialize, Deserialize)]
enum CompoundState {
    Mesh {
        vertices: Vec<[f64; 3]>,
        triangles: Vec<[u32; 3]>,
    },
    Lines {
        points: Vec<[f64; 3]>,
        indices: Vec<[u32; 2]>,
        radius: f64,
    },
    Heightfield {
        heights: Vec<f64>,
        columns: u32,
        spacing: [f64; 2],
        center: [f64; 3],
        rotation: [f64; 4],
        base: Option<f64>,
    },
    Empty,
}

fn arrays(points: &[DVec3]) -> Vec<[f64; 3]> {
    points.iter().map(DVec3::to_array).collect()
}

fn points(arrays: Vec<[f64; 3]>) -> Vec<DVec3> {
    arrays.into_iter().map(DVec3::from_array).collect()
}

impl GeometryStates {
    pub fn of(geometries: &[Geometry]) -> Self {
        let mut states = Self {
            types: Vec::with_capacity(geometries.len()),
            rows: Vec::new(),
            compounds: Vec::new(),
        };
        for geometry in geometries {
            let compound = match geometry {
                Geometry::Shape(shape) => {
                    let name = shape.shape_type().name;
                    let index = SHAPE_TYPES.iter().position(|kind| kind.name == name);
                    states.types.push(index.unwrap_or(SHAPE_TYPES.len()) as u8);
                    states.rows.extend(shape.row());
                    continue;
                }
                Geometry::Mesh(mesh) => CompoundState::Mesh {
                    vertices: arrays(mesh.vertices()),
                    triangles: mesh.triangles().to_vec(),
                },
                Geometry::Lines(lines) => CompoundState::Lines {
                    points: arrays(lines.points()),
                    indices: lines.indices().to_vec(),
                    radius: lines.radius(),
                },
                Geometry::Heightfield(field) => CompoundState::Heightfield {
                    heights: field.heights().to_vec(),
                    columns: field.columns() as u32,
                    spacing: field.spacing,
                    center: field.center.to_array(),
                    rotation: field.rotation.to_array(),
                    base: field.base(),
                },
                Geometry::Empty => CompoundState::Empty,
            };
            states.types.push(SHAPE_TYPES.len() as u8);
            states.compounds.push(compound);
        }
        states
    }

    /// Returns the geometries; `None` in place of an invalid one.
    pub fn geometries(self) -> impl Iterator<Item = Option<Geometry>> {
        let Self { types, rows, compounds } = self;
        let mut compounds = compounds.into_iter();
        let mut start = 0;
        types.into_iter().map(move |index| {
            let Some(kind) = SHAPE_TYPES.get(usize::from(index)) else {
                return compounds.next()?.geometry();
            };
            let row = rows.get(start..start + kind.columns())?;
            start += row.len();
            // Numbers that were rounded and checked are not rounded again.
            let shape = (kind.from_row)(row);
            (shape.check().is_ok()).then(|| shape.into())
        })
    }
}

impl CompoundState {
    fn geometry(self) -> Option<Geometry> {
        match self {
            Self::Mesh { vertices, triangles } => {
                Some(Mesh::new(points(vertices), triangles).ok()?.into())
            }
            Self::Lines { points: at, indices, radius } => {
                Some(Lines::new(points(at), indices, radius).ok()?.into())
            }
            Self::Heightfield { heights, columns, spacing, center, rotation, base } => {
                let center = DVec3::from_array(center);
                let rotation = DQuat::from_array(rotation);
                let open =
                    Heightfield::new(heights, columns as usize, spacing, center, rotation).ok()?;
                let field = match base {
                    Some(base) => open.with_base(base).ok()?,
                    None => open,
                };
                Some(field.into())
            }
            Self::Empty => Some(Geometry::Empty),
        }
    }
}
