//! The tracer's data.

use super::leaves::Leaves;
use super::volumes::Volumes;
use crate::geometry::Geometry;
use crate::packed::{PackedScene, Update, UpdateError};
use crate::scene::Scene;
use std::sync::{Arc, OnceLock};

/// Casts rays in float64 on all cores. It shares the scene and the tree from which it was made.
#[derive(Debug)]
pub struct CpuTracer {
    pub(super) packed: PackedScene,
    pub(super) leaves: Leaves,
    pub(super) definitions: Vec<Leaves>,
    pub(super) has_closed_mesh: bool,
    /// True if a closed mesh or a heightfield with a base is there.
    pub(super) has_solid_of_many: bool,
    /// The volumes of its solids, once they are needed.
    pub(super) volumes: OnceLock<Volumes>,
    /// The AVX2 instructions, if the processor has them.
    #[cfg(target_arch = "x86_64")]
    pub(super) avx2: Option<pulp::x86::V3>,
    /// The AVX-512 instructions, if the processor has them.
    #[cfg(target_arch = "x86_64")]
    pub(super) avx512: Option<pulp::x86::V4>,
}

impl CpuTracer {
    /// Makes a tracer for a scene and the tree over it.
    pub fn new(packed: &PackedScene) -> Self {
        let is_closed = |geometry: &Geometry| match geometry {
            Geometry::Mesh(mesh) => mesh.is_closed(),
            _ => false,
        };
        let is_of_many =
            |geometry: &Geometry| geometry.is_solid() && geometry.primitive_count() > 1;
        let definitions = packed.definitions().iter().map(PackedScene::scene);
        let scenes = definitions.chain([packed.all_worlds()]);
        let has = |is_such: &dyn Fn(&Geometry) -> bool| {
            scenes.clone().any(|scene| scene.geometries().iter().any(is_such))
        };
        let prepared = items_of_definitions(packed);
        Self {
            packed: packed.clone(),
            leaves: Leaves::new(packed, &prepared),
            definitions: prepared,
            has_closed_mesh: has(&is_closed),
            has_solid_of_many: has(&is_of_many),
            volumes: OnceLock::new(),
            #[cfg(target_arch = "x86_64")]
            avx2: pulp::x86::V3::try_new(),
            #[cfg(target_arch = "x86_64")]
            avx512: pulp::x86::V4::try_new(),
        }
    }

    /// Moves the instances, as [`Tracer::update`](crate::Tracer::update) describes.
    pub(super) fn move_instances(&mut self, scene: &Scene) -> Result<Update, UpdateError> {
        // The items give up their share of the scene and the tree, so that these need not be
        // copied.
        self.leaves.release();
        self.volumes = OnceLock::new();
        let definitions = Arc::clone(self.packed.definitions());
        let update = self.packed.update(scene);
        if !Arc::ptr_eq(&definitions, self.packed.definitions()) {
            self.definitions = items_of_definitions(&self.packed);
        }
        match &update {
            Ok(Update { is_rebuilt: true, .. }) => {
                self.leaves = Leaves::new(&self.packed, &self.definitions);
            }
            Ok(update) => self.leaves.update(&self.packed, &self.definitions, update),
            Err(_) => self.leaves.update(&self.packed, &self.definitions, &Update::default()),
        }
        update
    }

    /// Returns the volumes of its solids, which are computed once.
    pub(super) fn volumes(&self) -> &Volumes {
        self.volumes.get_or_init(|| Volumes::new(&self.packed))
    }

    #[inline(always)]
    pub(super) fn has_instances(&self) -> bool {
        !self.definitions.is_empty()
    }
}

fn items_of_definitions(packed: &PackedScene) -> Vec<Leaves> {
    packed.definitions().iter().map(|definition| Leaves::new(definition, &[])).collect()
}
