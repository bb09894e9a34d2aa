//! The volumes of a scene's solids, by which the innermost of several is chosen.

use crate::packed::PackedScene;
use crate::scene::{Position, Scene};

/// The volume of each solid, in the space in which it is kept.
#[derive(Debug)]
pub(super) struct Volumes {
    /// Those of the scene's own geometries; `None` for what has no inside.
    own: Vec<Option<f64>>,
    /// Those of each definition.
    definitions: Vec<Vec<Option<f64>>>,
}

/// The order of solids from the innermost: by volume, then by `geometry_id`.
#[derive(Clone, Copy, Debug)]
pub(super) struct InnermostOrder {
    pub volume: f64,
    pub geometry_id: u32,
}

impl InnermostOrder {
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let by_volume = self.volume.total_cmp(&other.volume);
        by_volume.then(self.geometry_id.cmp(&other.geometry_id))
    }
}

impl Volumes {
    pub fn new(packed: &PackedScene) -> Self {
        let of = |scene: &Scene| scene.geometries().iter().map(|it| it.volume()).collect();
        let definitions = packed.definitions().iter().map(|definition| of(definition.scene()));
        Self { own: of(packed.all_worlds()), definitions: definitions.collect() }
    }

    /// Returns the place of a geometry of a world in the order of solids; `None` for one without an
    /// inside. The scene is that of all worlds, with its instances where they are now.
    pub fn order(&self, scene: &Scene, world: u32, geometry_id: u32) -> Option<InnermostOrder> {
        let volume = match scene.position(scene.number_in(world, geometry_id))? {
            Position::Own(own) => *self.own.get(own as usize)?,
            Position::In(instance, local) => {
                let instance = scene.instances().get(instance as usize)?;
                let of_definition = self.definitions.get(instance.definition())?;
                let volume = of_definition.get(local as usize)?;
                volume.map(|volume| volume * instance.placement().volume_ratio())
            }
        };
        volume.map(|volume| InnermostOrder { volume, geometry_id })
    }
}
