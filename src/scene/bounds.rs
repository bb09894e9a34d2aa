//! The bounds of a scene, from its own geometries and from the definitions of its instances.

use super::Scene;
use super::scene_size::SceneSize;
use crate::geometry::Geometry;
use crate::math::Bounds;

impl Scene {
    pub(super) fn size(&self) -> SceneSize {
        SceneSize { bounds: self.bounds(), smallest: self.smallest_size() }
    }

    /// Returns the smallest box around all geometries that are bounded. It is empty if there are
    /// none.
    pub fn bounded(&self) -> Bounds {
        self.joined(|scene| {
            let own = scene.geometries.iter().filter_map(Geometry::bounds);
            own.fold(Bounds::EMPTY, Bounds::union)
        })
    }

    /// Returns the union of the box around the scene's own geometries and the boxes of all
    /// instances.
    pub(super) fn joined(&self, own: impl Fn(&Self) -> Bounds) -> Bounds {
        let of_definitions = self.definitions.of_each(&own);
        let placed = self.instances.iter().map(|instance| {
            instance.placement().bounds_in_world(&of_definitions[instance.definition()])
        });
        placed.fold(own(self), Bounds::union)
    }

    /// Returns the largest factor by which a primitive's precision bound is wider than that of most
    /// shapes.
    pub fn widest_allowance(&self) -> f64 {
        let allowance = |geometry: &Geometry| {
            geometry.primitive(0).map_or(1.0, |primitive| primitive.allowance())
        };
        let own = self.geometries.iter().map(allowance).fold(1.0, f64::max);
        let of_definitions = self.definitions.of_each(Self::widest_allowance);
        self.instances.iter().fold(own, |widest, instance| {
            let ratio = instance.placement().stretch_ratio();
            widest.max(ratio * of_definitions[instance.definition()])
        })
    }

    /// Returns the smallest box around all geometries. A plane, which is unbounded, counts as its
    /// point. The box of an empty scene is empty.
    pub fn bounds(&self) -> Bounds {
        self.joined(|scene| scene.geometries.iter().map(bounds).fold(Bounds::EMPTY, Bounds::union))
    }

    /// Returns the smallest box around some geometries. An unbounded geometry counts as a point.
    /// The box is empty if there are no geometries.
    pub fn bounds_of(&self, geometry_ids: &[u32]) -> Bounds {
        let in_world = |&id: &u32| {
            let bounds = bounds(self.geometry(id)?);
            Some(match self.placement(id) {
                Some(placement) => placement.bounds_in_world(&bounds),
                None => bounds,
            })
        };
        geometry_ids.iter().filter_map(in_world).fold(Bounds::EMPTY, Bounds::union)
    }

    /// Returns the smallest size of the scene's own geometries.
    fn smallest_size(&self) -> f64 {
        let sizes = self.geometries.iter().map(Geometry::smallest_size);
        sizes.fold(f64::INFINITY, f64::min)
    }

    /// Returns the visible geometries that have no bounds, such as planes.
    pub(crate) fn unbounded(&self) -> Vec<u32> {
        let own = self.own_visible().filter(|(_, geometry)| geometry.bounds().is_none());
        let mut all: Vec<u32> = own.map(|(own, _)| self.id_of_own(own)).collect();
        let of_definitions = self.definitions.of_each(Self::unbounded);
        for instance in &self.instances {
            let local = of_definitions[instance.definition()].iter();
            all.extend(local.map(|id| instance.first_geometry() + id));
        }
        all
    }
}

/// Returns the box around a geometry; that of an unbounded one is its point.
fn bounds(geometry: &Geometry) -> Bounds {
    geometry.bounds().unwrap_or_else(|| {
        let point = geometry.primitive(0).map(|primitive| primitive.center()).unwrap_or_default();
        Bounds { min: point, max: point }
    })
}
