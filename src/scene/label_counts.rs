//! How many geometries have each label.

use super::Scene;
use std::collections::BTreeMap;

impl Scene {
    /// Returns how many geometries have each label. Geometries without a label are not counted.
    pub fn label_counts(&self) -> BTreeMap<u16, u64> {
        let of_definitions = self.definitions.of_each(Self::own_label_counts);
        let mut counts = self.own_label_counts();
        for instance in &self.instances {
            let of_definition = &of_definitions[instance.definition()];
            for (label, count) in of_definition {
                *counts.entry(*label).or_default() += count;
            }
            let said: u64 = of_definition.values().sum();
            let others = u64::from(self.instance_size(instance)) - said;
            *counts.entry(instance.appearance().label.unwrap_or(0)).or_default() += others;
        }
        counts.retain(|label, count| *label > 0 && *count > 0);
        counts
    }

    /// The same of the scene's own geometries, with those that are said to have none.
    fn own_label_counts(&self) -> BTreeMap<u16, u64> {
        let mut counts = BTreeMap::new();
        let appearances = self.attributes.appearances.values();
        for label in appearances.filter_map(|appearance| appearance.label) {
            *counts.entry(label).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use crate::scene::{Appearance, Definition, Scene};
    use crate::shapes::Sphere;
    use crate::transform::Transform;
    use glam::DVec3;

    #[test]
    fn labels_of_instances_and_of_what_is_in_them_are_counted() {
        let label = |label| Appearance { label: Some(label), ..Appearance::NONE };
        let ball = Sphere { center: DVec3::ZERO, radius: 1.0 };
        let mut scene = Scene::new();
        for said in [Some(3), None, Some(0)] {
            let id = scene.add(ball).unwrap();
            said.into_iter().for_each(|said| scene.set_appearance(id, label(said)));
        }
        let pair = Definition::new(scene.clone());
        for _ in 0..2 {
            scene.add_instance(&pair, &Transform::IDENTITY, None, None).unwrap();
        }
        scene.set_appearance(8, label(7));
        let counted: Vec<u16> = (0..scene.geometry_count()).map(|id| scene.label(id)).collect();
        assert_eq!(counted, [3, 0, 0, 3, 0, 0, 3, 0, 7]);
        assert_eq!(scene.label_counts().into_iter().collect::<Vec<_>>(), [(3, 3), (7, 1)]);
    }
}
