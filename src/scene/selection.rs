//! Chooses geometries by ids, paths and wildcards.

use super::{Position, Scene};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

impl Scene {
    /// Returns the ids of the geometries that a text chooses: an id such as `17`, or a path of
    /// names such as `arm/elbow` with all that lies below it. In a path `*` stands for any
    /// characters and `?` for one, so `arm/*` chooses everything in `arm`. Nothing may be chosen.
    pub fn select(&self, text: &str) -> Vec<u32> {
        let ids: Range<u32> = 0..self.geometry_count();
        if let Ok(id) = text.parse() {
            return ids.contains(&id).then_some(id).into_iter().collect();
        }
        let pattern: Vec<char> = text.chars().collect();
        let all_in = |ids: Range<u32>| -> Vec<u32> {
            ids.filter(|&id| lies_at(&self.path(id), &pattern)).collect()
        };
        let mut chosen = Vec::new();
        let mut own_start = 0;
        for instance in &self.instances {
            let ids = self.ids_in(instance);
            chosen.extend(all_in(own_start..ids.start));
            own_start = ids.end;
            // Without wildcards the path of most instances alone tells that nothing in them is
            // meant.
            let is_elsewhere = !text.contains(['*', '?'])
                && instance.name().is_some_and(|name| {
                    let name = name.to_string();
                    !name.starts_with(text) && !text.starts_with(&name)
                });
            if !is_elsewhere {
                chosen.extend(all_in(ids));
            }
        }
        chosen.extend(all_in(own_start..ids.end));
        chosen
    }

    /// Lets all rays and points pass by a geometry. It keeps its id, as all others do.
    pub fn hide(&mut self, geometry_id: u32) {
        self.hide_all(&[geometry_id]);
    }

    /// Lets all rays and points pass by geometries, whose ids are in order. Instances in which the
    /// same are hidden still share their definition.
    pub fn hide_all(&mut self, geometry_ids: &[u32]) {
        let mut in_instances: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &id in geometry_ids {
            match self.position(id) {
                Some(Position::In(instance, local)) => {
                    in_instances.entry(instance).or_default().push(local);
                }
                _ => self.set_mask(id, 0),
            }
        }
        let mut with_hidden: HashMap<(usize, Vec<u32>), u32> = HashMap::new();
        for (instance, hidden) in in_instances {
            let instance = &mut self.instances[instance as usize];
            let index = instance.definition();
            let made = with_hidden.entry((index, hidden)).or_insert_with_key(|(_, hidden)| {
                let mut definition = Self::clone(&self.definitions[index]);
                hidden.iter().for_each(|&local| definition.set_mask(local, 0));
                self.definitions.push(Arc::new(definition));
                self.definition_sizes.push(self.definition_sizes[index]);
                self.definitions.len() as u32 - 1
            });
            instance.set_definition(*made, false);
        }
    }
}

/// Tells whether a path fits a pattern, or lies below one that does.
fn lies_at(path: &str, pattern: &[char]) -> bool {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.into_iter().any(|end| fits(&path[..end], pattern))
}

/// Tells whether a text fits a pattern. After a mismatch only the last `*` can stand for one more
/// character, so the time grows with the product of both lengths at most.
fn fits(text: &str, pattern: &[char]) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut of_pattern) = (0, 0);
    let mut last_star = None;
    while at < text.len() {
        match pattern.get(of_pattern) {
            Some('*') => {
                last_star = Some((at, of_pattern));
                of_pattern += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[at] => {
                at += 1;
                of_pattern += 1;
            }
            _ => {
                let Some((start, star)) = last_star else { return false };
                last_star = Some((start + 1, star));
                (at, of_pattern) = (start + 1, star + 1);
            }
        }
    }
    pattern[of_pattern..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Definition, Name};
    use crate::shapes::Sphere;
    use crate::transform::Affine;
    use glam::DVec3;

    #[test]
    fn geometries_are_chosen_by_ids_paths_and_wildcards() {
        let mut scene = Scene::new();
        let arm = Name::from("arm");
        let names = [Some(arm.child("elbow").child("tip")), Some(arm.child("hand")), None];
        for name in names.into_iter().chain([Some("army".into())]) {
            let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
            name.into_iter().for_each(|name| scene.set_name(id, name));
        }
        for (text, chosen) in [
            ("2", &[2][..]),
            ("4", &[]),
            ("arm", &[0, 1]),
            ("arm/*", &[0, 1]),
            ("arm*", &[0, 1, 3]),
            ("*/hand", &[1]),
            ("*/elbow", &[0]),
            ("arm/elbow/tip", &[0]),
            ("arm/elbow/ti", &[]),
            ("arm?", &[3]),
            ("sphere[2]", &[2]),
            ("*", &[0, 1, 2, 3]),
            ("", &[]),
        ] {
            assert_eq!(scene.select(text), chosen, "{text}");
        }
    }

    #[test]
    fn instances_in_which_the_same_is_hidden_share_a_definition() {
        let mut pair = Scene::new();
        for x in [0.0, 3.0] {
            pair.add(Sphere { center: DVec3::new(x, 0.0, 0.0), radius: 1.0 }).unwrap();
        }
        let pair = Definition::new(pair);
        let mut scene = Scene::new();
        for y in 0..100 {
            let place = Affine::from_rows([
                1.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
                0.0,
                f64::from(9 * y),
                0.0,
                0.0,
                1.0,
                0.0,
            ]);
            scene.add_instance(&pair, &place.into(), None, None).unwrap();
        }
        let odd: Vec<u32> = (0..200).filter(|id| id % 2 == 1 && *id != 7).collect();
        scene.hide_all(&odd);
        assert_eq!(scene.definitions().len(), 2);
        let hidden: Vec<u32> = (0..200).filter(|&id| scene.mask(id) == 0).collect();
        assert_eq!(hidden, odd);
        scene.set_name(7, "seven");
        scene.set_appearance(7, [1.0; 3]);
        assert_eq!((scene.path(7).as_str(), scene.definitions().len()), ("seven", 3));
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern: Vec<char> = "*a".repeat(2000).chars().chain(['b']).collect();
        assert!(!fits(&"a".repeat(4000), &pattern));
    }
}
