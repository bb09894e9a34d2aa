//! Whole numbers that a scene's file gives geometries, such as the tree that a branch belongs to.

use super::attributes::GeometryAttributes;
use super::{Position, Scene};
use crate::parallel::{ITEMS_A_TASK, mapped};
use std::collections::BTreeSet;

impl Scene {
    /// The column that is 1 for wood. In pictures, wood without a colour is brown.
    pub const WOOD: &'static str = "wood";

    /// Returns the names of the columns of whole numbers of the scene's geometries, such as
    /// `tree_id`.
    pub fn integer_names(&self) -> BTreeSet<&str> {
        let scenes = std::iter::once(self).chain(self.definitions.iter().map(AsRef::as_ref));
        let columns = scenes.flat_map(|scene| {
            let GeometryAttributes { integers, instance_integers, .. } = &scene.attributes;
            [integers, instance_integers]
        });
        columns.flat_map(|columns| columns.0.keys()).map(String::as_str).collect()
    }

    /// Returns the number of a geometry in a column, its own or that of its instance; 0 if it has
    /// none.
    pub fn integer(&self, name: &str, geometry_id: u32) -> i32 {
        match self.position(geometry_id) {
            None => 0,
            Some(Position::Own(own)) => self.attributes.integers.of(name, own),
            Some(Position::In(instance, local)) => {
                match self.definition_of(instance).attributes.integers.of(name, local) {
                    0 => self.attributes.instance_integers.of(name, instance),
                    own => own,
                }
            }
        }
    }

    /// Returns the number in a column of a geometry of the scene's own, given its index among
    /// these; 0 if it has none.
    pub fn own_integer(&self, name: &str, own: u32) -> i32 {
        self.attributes.integers.of(name, own)
    }

    /// Returns the number of each of these geometries in a column, 0 for those without one.
    pub fn integers_of(&self, name: &str, geometry_ids: &[u32]) -> Vec<i32> {
        mapped(geometry_ids.len(), ITEMS_A_TASK, |row| self.integer(name, geometry_ids[row]))
    }

    /// Sets the number of a geometry in a column.
    pub fn set_integer(&mut self, geometry_id: u32, name: &str, number: i32) {
        if let Some((keeper, id)) = self.keeper(geometry_id) {
            keeper.attributes.integers.set(name, id, &[number]);
        }
    }

    /// Sets the numbers in a column of the geometries from `first` on.
    pub fn set_integers(&mut self, first: u32, name: &str, numbers: &[i32]) {
        let is_own = |id: u32| match self.position(id) {
            Some(Position::Own(own)) => Some(own),
            _ => None,
        };
        let last = first + (numbers.len() as u32).max(1) - 1;
        // Geometries of the scene's own between which no instance lies are numbered without a gap.
        match is_own(first).zip(is_own(last)) {
            Some((own, own_last)) if own_last - own == last - first => {
                self.attributes.integers.set(name, own, numbers);
            }
            _ => {
                for (id, &number) in (first..).zip(numbers) {
                    self.set_integer(id, name, number);
                }
            }
        }
    }

    /// Returns the nonzero numbers of an instance, by the names of their columns. They apply to its
    /// geometries without numbers of their own.
    pub fn instance_integers(&self, instance: u32) -> Vec<(String, i32)> {
        self.attributes.instance_integers.row(instance)
    }

    /// Sets numbers of the instances from `first` on, by columns. They apply to geometries without
    /// a number of their own. Instances that already have a number in a column keep it.
    pub fn set_instance_integers(&mut self, first: u32, numbers: &[(String, i32)]) {
        for instance in first..self.instances.len() as u32 {
            for (name, number) in numbers {
                if self.attributes.instance_integers.of(name, instance) == 0 {
                    self.attributes.instance_integers.set(name, instance, &[*number]);
                }
            }
        }
    }

    /// Takes over the numbers of geometries of another scene, each with its id there and here.
    pub(super) fn take_integers(&mut self, other: &Self, ids: impl Iterator<Item = [u32; 2]>) {
        let names = other.integer_names();
        if names.is_empty() {
            return;
        }
        for [there, here] in ids {
            for name in &names {
                match other.integer(name, there) {
                    0 => {}
                    number => self.set_integer(here, name, number),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Definition;
    use crate::shapes::Sphere;
    use crate::transform::Transform;
    use glam::DVec3;

    fn ball(scene: &mut Scene, x: f64) -> u32 {
        scene.add(Sphere { center: DVec3::new(x, 0.0, 0.0), radius: 1.0 }).unwrap()
    }

    #[test]
    fn numbers_are_those_of_own_geometries_and_of_definitions() {
        let mut pair = Scene::new();
        let ids = [ball(&mut pair, 0.0), ball(&mut pair, 3.0)];
        pair.set_integer(ids[1], "order", 2);
        let pair = Definition::new(pair);
        let mut scene = Scene::new();
        ball(&mut scene, 9.0);
        scene.add_instance(&pair, &Transform::IDENTITY, None, None).unwrap();
        ball(&mut scene, 12.0);
        ball(&mut scene, 15.0);
        scene.set_integers(0, "tree", &[7]);
        scene.set_integers(3, "tree", &[8, -9]);
        let all = |name| scene.integers_of(name, &[0, 1, 2, 3, 4, 5, u32::MAX]);
        assert_eq!(all("tree"), [7, 0, 0, 8, -9, 0, 0]);
        assert_eq!(all("order"), [0, 0, 2, 0, 0, 0, 0]);
        assert_eq!(scene.integer_names().into_iter().collect::<Vec<_>>(), ["order", "tree"]);
        let mut other = Scene::new();
        ball(&mut other, 1.0);
        other.take_integers(&scene, [[4, 0]].into_iter());
        assert_eq!(other.integer_names().into_iter().collect::<Vec<_>>(), ["tree"]);
        assert_eq!(other.integer("tree", 0), -9);
        let read = Scene::from_bytes(&scene.to_bytes()).unwrap();
        assert_eq!(read.integers_of("tree", &[0, 3, 4]), [7, 8, -9]);
        // What is in an instance has its numbers where it has none of its own, however it is
        // nested.
        let mut outer = Scene::new();
        outer.add_instance(&pair, &Transform::IDENTITY, None, None).unwrap();
        outer.set_instance_integers(0, &[("tree".to_owned(), 4), ("order".to_owned(), 1)]);
        let nested = Definition::new(outer.clone());
        outer.add_instance(&nested, &Transform::IDENTITY, None, None).unwrap();
        outer.set_instance_integers(1, &[("tree".to_owned(), 5), ("stand".to_owned(), 6)]);
        outer.write_out(&nested, &Transform::IDENTITY, None, None).unwrap();
        let outer = Scene::from_bytes(&outer.to_bytes()).unwrap();
        let ids = [0, 1, 2, 3, 4, 5];
        assert_eq!(outer.integers_of("tree", &ids), [4; 6]);
        assert_eq!(outer.integers_of("order", &ids), [1, 2, 1, 2, 1, 2]);
        assert_eq!(outer.integers_of("stand", &ids), [0, 0, 6, 6, 0, 0]);
        // A range that holds an instance takes each by itself.
        scene.set_integers(0, "all", &[1, 2, 3, 4, 5]);
        assert_eq!(scene.integers_of("all", &[0, 1, 2, 3, 4]), [1, 2, 3, 4, 5]);
    }
}
