//! The params that do not fit a record: all those of a heightfield, and those that the triangles of
//! a mesh share.

use crate::geometry::Geometry;
use crate::scene::Scene;
use bytemuck::{Pod, Zeroable};
use std::collections::HashMap;
use thiserror::Error;

/// The row of params that all triangles of a mesh share.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MeshParams {
    pub mask: u32,
    /// The range of the mesh's primitives.
    pub first_primitive: u32,
    pub end: u32,
    /// 1 for a closed mesh, else 0.
    pub is_closed: u32,
}

/// The row and the column in a heightfield's params at which its mask stands.
const FIELD_MASK: [usize; 2] = [3, 3];

/// The params have more rows than the 32-bit indices in records can number.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "the scene's heights need {0} rows of 16 bytes, but at most 2^32 can be indexed: split the scene"
)]
pub struct ParamsError(pub usize);

/// Rows of four 32-bit numbers, for all heightfields and meshes of a scene.
#[derive(Debug, Default)]
pub(super) struct SceneParams {
    pub rows: Vec<[u32; 4]>,
    /// The first row of a heightfield, by the index of its first primitive.
    fields: HashMap<u32, u32>,
    /// The row of a mesh, by its `geometry_id`.
    meshes: HashMap<u32, u32>,
    pub closed_meshes: usize,
}

impl SceneParams {
    /// Packs every visible heightfield and mesh of a scene.
    pub fn new(scene: &Scene) -> Result<Self, ParamsError> {
        let mut all = Self::default();
        for (id, geometry) in scene.own_visible_compounds() {
            let first = all.rows.len();
            let first_row = || u32::try_from(first).map_err(|_| ParamsError(first));
            let primitives = scene.primitive_ids().of_geometry(id);
            match geometry {
                Geometry::Heightfield(field) => {
                    let mut rows = bytemuck::cast_vec(std::mem::take(&mut all.rows));
                    field.pack(&mut rows);
                    all.rows = bytemuck::cast_vec(rows);
                    let [row, column] = FIELD_MASK;
                    all.rows[first + row][column] = scene.own_mask(id);
                    all.fields.insert(primitives.start, first_row()?);
                }
                Geometry::Mesh(mesh) => {
                    all.rows.push(bytemuck::cast(MeshParams {
                        mask: scene.own_mask(id),
                        first_primitive: primitives.start,
                        end: primitives.end,
                        is_closed: mesh.is_closed().into(),
                    }));
                    all.meshes.insert(id, first_row()?);
                    all.closed_meshes += usize::from(mesh.is_closed());
                }
                Geometry::Shape(_) | Geometry::Lines(_) | Geometry::Empty => {}
            }
        }
        Ok(all)
    }

    /// Returns the first row of the heightfield that begins with a primitive.
    pub fn field_row(&self, primitive: u32) -> Option<u32> {
        self.fields.get(&primitive).copied()
    }

    pub fn mesh_row(&self, geometry_id: u32) -> Option<u32> {
        self.meshes.get(&geometry_id).copied()
    }
}
