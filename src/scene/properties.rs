//! The attributes of geometries: names, masks and appearances.

use super::{Appearance, Name, Position, Scene};
use crate::parallel::{ITEMS_A_TASK, mapped};
#[cfg(doc)]
use crate::ray::NONE;
use std::collections::BTreeMap;

impl Scene {
    /// Returns the scene that stores the attributes of a geometry, and the geometry's id there. An
    /// instance whose geometry gets an attribute of its own gets a definition of its own.
    pub(super) fn keeper(&mut self, geometry_id: u32) -> Option<(&mut Self, u32)> {
        match self.position(geometry_id)? {
            Position::Own(own) => Some((self, own)),
            Position::In(index, local) => {
                let Self { instances, definitions, .. } = self;
                let instance = &mut instances[index as usize];
                if !instance.has_own_definition {
                    let before = instance.definition();
                    let own = Self { cameras: Vec::new(), ..Self::clone(&definitions[before]) };
                    instance.set_definition(definitions.push_changed(before, own), true);
                }
                Some((definitions.get_mut(instance.definition()), local))
            }
        }
    }

    /// Sets the name of a geometry. Messages and `geometries.json` use the name's path.
    pub fn set_name(&mut self, geometry_id: u32, name: impl Into<Name>) {
        if let Some((keeper, id)) = self.keeper(geometry_id) {
            keeper.attributes.names.insert(id, name.into());
        }
    }

    /// Sets the names of geometries. The keys are their numbers, counted from `first`.
    pub fn set_names(&mut self, first: u32, names: BTreeMap<u32, Name>) {
        match self.has_first_own(first) && self.attributes.names.is_empty() {
            true => self.attributes.names = names,
            false => names.into_iter().for_each(|(at, name)| self.set_name(first + at, name)),
        }
    }

    /// Sets the appearances of geometries. The keys are their numbers, counted from `first`.
    pub fn set_appearances(&mut self, first: u32, appearances: BTreeMap<u32, Appearance>) {
        match self.has_first_own(first) && self.attributes.appearances.is_empty() {
            true => self.attributes.appearances = appearances,
            false => appearances
                .into_iter()
                .for_each(|(at, appearance)| self.set_appearance(first + at, appearance)),
        }
    }

    /// Returns true if a geometry is the first of the scene, and no instance comes after it.
    fn has_first_own(&self, geometry_id: u32) -> bool {
        geometry_id == 0 && self.instances.is_empty()
    }

    /// Sets the mask of a geometry. A ray can hit the geometry only if `mask & ray_mask != 0`.
    pub fn set_mask(&mut self, geometry_id: u32, mask: u32) {
        if self.mask(geometry_id) == mask {
            return;
        }
        let Some((keeper, id)) = self.keeper(geometry_id) else { return };
        if mask == u32::MAX {
            keeper.attributes.masks.remove(&id);
        } else {
            keeper.attributes.masks.insert(id, mask);
        }
    }

    /// Sets the appearance of a geometry. Fields that are `None` do not change.
    pub fn set_appearance(&mut self, geometry_id: u32, appearance: impl Into<Appearance>) {
        let appearance = appearance.into();
        if appearance == Appearance::NONE {
            return;
        }
        if let Some((keeper, id)) = self.keeper(geometry_id) {
            let known = keeper.attributes.appearances.entry(id).or_default();
            *known = appearance.or(*known);
        }
    }

    /// Returns the mask of a geometry, which is all ones if none was set.
    pub fn mask(&self, geometry_id: u32) -> u32 {
        match self.position(geometry_id) {
            Some(Position::In(instance, local)) => self.definition_of(instance).own_mask(local),
            Some(Position::Own(own)) => self.own_mask(own),
            None => u32::MAX,
        }
    }

    /// Returns the mask of a geometry of the scene's own, given its index among these.
    pub fn own_mask(&self, own: u32) -> u32 {
        self.attributes.mask(own)
    }

    /// Returns the name of a geometry of the scene's own, given its index among these.
    pub fn own_name(&self, own: u32) -> Option<&Name> {
        self.attributes.names.get(&own)
    }

    /// Returns the appearance of a geometry of the scene's own, given its index among these.
    pub fn own_appearance(&self, own: u32) -> Appearance {
        self.attributes.appearance(own)
    }

    /// Returns true if some visible geometry of the scene's own has a mask that is not all ones.
    pub(crate) fn has_masks(&self) -> bool {
        self.attributes.masks.values().any(|&mask| mask != 0)
    }

    /// Returns the name of a geometry; `None` if neither it nor one of its parents has one.
    pub fn name(&self, geometry_id: u32) -> Option<Name> {
        match self.position(geometry_id)? {
            Position::Own(own) => self.attributes.names.get(&own).cloned(),
            Position::In(index, local) => {
                let definition = self.definition_of(index);
                let inner = definition.attributes.names.get(&local).cloned();
                match self.instances[index as usize].name() {
                    Some(outer) => {
                        let inner = inner.unwrap_or_else(|| definition.path(local).into());
                        Some(outer.joined(&inner))
                    }
                    None => inner,
                }
            }
        }
    }

    /// Returns the appearance of a geometry: its own fields, otherwise those of its instance.
    pub fn appearance(&self, geometry_id: u32) -> Appearance {
        match self.position(geometry_id) {
            None => Appearance::NONE,
            Some(Position::Own(own)) => self.own_appearance(own),
            Some(Position::In(index, local)) => {
                let of_instance = self.instances[index as usize].appearance();
                self.definition_of(index).own_appearance(local).or(of_instance)
            }
        }
    }

    /// Returns the label of a geometry; 0 for a geometry without one and for [`NONE`].
    pub fn label(&self, geometry_id: u32) -> u16 {
        self.appearance(geometry_id).label.unwrap_or(0)
    }

    /// Returns the label of each of these geometries.
    pub fn labels_of(&self, geometry_ids: &[u32]) -> Vec<u16> {
        mapped(geometry_ids.len(), ITEMS_A_TASK, |row| self.label(geometry_ids[row]))
    }

    /// Returns the reflectance of a geometry. Default: [`Appearance::REFLECTANCE`].
    pub fn reflectance(&self, geometry_id: u32) -> f32 {
        self.appearance(geometry_id).reflectance.unwrap_or(Appearance::REFLECTANCE)
    }

    /// Returns the path of a geometry, such as `arm/elbow`, or `sphere[17]` if it has no name.
    pub fn path(&self, geometry_id: u32) -> String {
        match (self.name(geometry_id), self.geometry(geometry_id)) {
            (Some(name), _) => name.to_string(),
            (None, Some(geometry)) => geometry.numbered(geometry_id),
            (None, None) => String::new(),
        }
    }
}
