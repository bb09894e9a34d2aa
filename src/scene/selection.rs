//! Selects geometries by ids, paths and wildcards.

use super::patterns::{GeometryPattern, GeometryPatterns};
use super::{Appearance, Position, Scene};
use crate::parallel::{ITEMS_A_TASK, gathered};
use crate::ray::NONE;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::ops::Range;

impl Scene {
    /// Returns the ids of the geometries that a text selects.
    ///
    /// The text is an id, such as `17`, or a path, such as `arm/elbow`, which selects everything
    /// below it too. In a path, `*` matches any characters and `?` matches one, so `arm/*` selects
    /// everything in `arm`. The result is empty if nothing matches.
    pub fn select(&self, text: &str) -> Vec<u32> {
        self.select_ranges(text).into_iter().flatten().collect()
    }

    /// Returns the ids that [`Self::select`] returns, as ranges in ascending order. An instance
    /// whose own path matches is selected as a whole, so the time depends on the number of
    /// instances and not on that of their ids.
    pub fn select_ranges(&self, text: &str) -> Vec<Range<u32>> {
        let ids: Range<u32> = 0..self.geometry_count();
        let pattern = match GeometryPattern::of(text) {
            GeometryPattern::Id(id) => {
                return ids.contains(&id).then_some(id..id + 1).into_iter().collect();
            }
            GeometryPattern::Wild(stars) if stars.iter().all(|&letter| letter == '*') => {
                return if ids.is_empty() { Vec::new() } else { vec![ids] };
            }
            pattern => pattern,
        };
        let add_chosen_in = |ids: Range<u32>, chosen: &mut Vec<Range<u32>>| {
            let is_chosen = |&id: &u32| pattern.chooses(id, &self.path(id));
            let in_range: Vec<u32> = gathered(ids.len(), ITEMS_A_TASK, |part| {
                within(&ids, part).filter(is_chosen).collect()
            });
            in_range.into_iter().for_each(|id| add_range(chosen, id..id + 1));
        };
        let mut chosen = Vec::new();
        let mut own_start = 0;
        for instance in &self.instances {
            let ids = self.ids_in(instance);
            add_chosen_in(own_start..ids.start, &mut chosen);
            own_start = ids.end;
            let name = instance.name().map(ToString::to_string);
            // Without wildcards, the path of most instances shows that nothing in them matches.
            let is_elsewhere = |name: &String| {
                matches!(pattern, GeometryPattern::Path(_))
                    && !name.starts_with(text)
                    && !text.starts_with(name)
            };
            if name.as_ref().is_some_and(|name| pattern.chooses(NONE, name)) {
                add_range(&mut chosen, ids);
            } else if !name.as_ref().is_some_and(is_elsewhere) {
                add_chosen_in(ids, &mut chosen);
            }
        }
        add_chosen_in(own_start..ids.end, &mut chosen);
        chosen
    }

    /// Hides a geometry from all rays and points. All ids stay the same.
    pub fn hide(&mut self, geometry_id: u32) {
        self.hide_all(&[geometry_id]);
    }

    /// Hides geometries, given by ascending ids, from all rays and points. Instances in which the
    /// same geometries are hidden still share their definition.
    pub fn hide_all(&mut self, geometry_ids: &[u32]) {
        self.hide_ranges(&ranges_of(geometry_ids.iter().copied()));
    }

    /// Hides geometries as [`Self::hide_all`] does, given by ranges from [`Self::select_ranges`].
    pub fn hide_ranges(&mut self, geometry_ids: &[Range<u32>]) {
        self.change_all(geometry_ids, |scene, id| scene.set_mask(id, 0));
    }

    /// Hides all geometries, except those in these ranges of ids, from all rays and points. The
    /// ranges may overlap.
    pub fn show_only(&mut self, mut geometry_ids: Vec<Range<u32>>) {
        geometry_ids.sort_unstable_by_key(|range| range.start);
        let mut hidden = Vec::new();
        let mut start = 0;
        for range in geometry_ids {
            if start < range.start {
                hidden.push(start..range.start);
            }
            start = start.max(range.end);
        }
        if start < self.geometry_count() {
            hidden.push(start..self.geometry_count());
        }
        self.hide_ranges(&hidden);
    }

    /// Sets the masks of all visible geometries: one mask in a range of ids, and another one
    /// outside.
    pub(crate) fn replace_masks(&mut self, ids: Range<u32>, [inside, outside]: [u32; 2]) {
        let replace = |mask: u32| {
            move |scene: &mut Self, id: u32| {
                if scene.mask(id) != 0 {
                    scene.set_mask(id, mask);
                }
            }
        };
        self.change_all(&[0..ids.start, ids.end..self.geometry_count()], replace(outside));
        self.change_all(&[ids], replace(inside));
    }

    /// Sets the same appearance for geometries, given by ascending ids. Fields that are `None` do
    /// not change. Instances with the same changes still share their definition.
    pub fn set_appearance_of_all(&mut self, geometry_ids: &[u32], appearance: Appearance) {
        let ranges = ranges_of(geometry_ids.iter().copied());
        self.change_all(&ranges, |scene, id| scene.set_appearance(id, appearance));
    }

    /// Changes geometries, given by ascending ids, all in the same way.
    fn change_all(&mut self, geometry_ids: &[Range<u32>], change: impl Fn(&mut Self, u32)) {
        let mut in_instances: BTreeMap<usize, Changes<()>> = BTreeMap::new();
        for ids in geometry_ids {
            let mut start = ids.start;
            while start < ids.end {
                let Some(Position::In(instance, local)) = self.position(start) else {
                    change(self, start);
                    start += 1;
                    continue;
                };
                let instance = instance as usize;
                let end = ids.end.min(self.ids_in(&self.instances[instance]).end);
                let locals = local..local + (end - start);
                in_instances.entry(instance).or_default().push((locals, ()));
                start = end;
            }
        }
        let mut changed = ChangedDefinitions::new(|scene, local, ()| change(scene, local));
        for (instance, locals) in in_instances {
            changed.change(self, instance, locals);
        }
    }

    /// Sets the appearances of geometries that texts select, as in [`Self::select`].
    ///
    /// For each geometry, the first matching text counts. Its fields replace those of the geometry.
    /// Instances with the same changes still share their definition. Returns the number of
    /// geometries that each text changed.
    pub fn set_appearances_of(&mut self, rows: &[(String, Appearance)]) -> Vec<usize> {
        let patterns = GeometryPatterns::of(rows.iter().map(|(text, _)| &text[..]));
        let mut counts = vec![0; rows.len()];
        let mut changed = ChangedDefinitions::new(|scene, local, row: &usize| {
            scene.set_appearance(local, rows[*row].1);
        });
        let mut own_start = 0;
        for instance in 0..self.instances.len() {
            let ids = self.ids_in(&self.instances[instance]);
            self.set_own_appearances(own_start..ids.start, rows, &patterns, &mut counts);
            own_start = ids.end;
            let chosen = self.first_patterns(&patterns, ids.clone(), &mut counts);
            if !chosen.is_empty() {
                let local = |(id, row): (u32, usize)| (id - ids.start..id - ids.start + 1, row);
                changed.change(self, instance, chosen.into_iter().map(local).collect());
            }
        }
        self.set_own_appearances(own_start..self.geometry_count(), rows, &patterns, &mut counts);
        counts
    }

    /// Does the same to a range of the scene's own geometries.
    fn set_own_appearances(
        &mut self,
        ids: Range<u32>,
        rows: &[(String, Appearance)],
        patterns: &GeometryPatterns,
        counts: &mut [usize],
    ) {
        for (id, row) in self.first_patterns(patterns, ids, counts) {
            self.set_appearance(id, rows[row].1);
        }
    }

    /// Returns each geometry of a range that some pattern selects, with the first pattern that
    /// does, and counts it.
    fn first_patterns(
        &self,
        patterns: &GeometryPatterns,
        ids: Range<u32>,
        counts: &mut [usize],
    ) -> Vec<(u32, usize)> {
        let first = |id: u32| {
            let path = self.path(id);
            Some((id, patterns.first(id, &path)?))
        };
        let chosen = gathered(ids.len(), ITEMS_A_TASK, |part| {
            within(&ids, part).filter_map(first).collect()
        });
        chosen.iter().for_each(|&(_, pattern)| counts[pattern] += 1);
        chosen
    }
}

fn within(ids: &Range<u32>, part: Range<usize>) -> Range<u32> {
    ids.start + part.start as u32..ids.start + part.end as u32
}

/// Changes of geometries, given by ranges of their ids in a definition.
type Changes<C> = Vec<(Range<u32>, C)>;

/// Changes the attributes of geometries in instances. Definitions that change in the same way stay
/// shared.
struct ChangedDefinitions<C, A> {
    /// The definition that is made of another one by these changes, each of some geometries.
    made: HashMap<(usize, Changes<C>), u32>,
    apply: A,
}

impl<C: Eq + Hash, A: Fn(&mut Scene, u32, &C)> ChangedDefinitions<C, A> {
    fn new(apply: A) -> Self {
        Self { made: HashMap::new(), apply }
    }

    fn change(&mut self, scene: &mut Scene, instance: usize, changes: Changes<C>) {
        let before = scene.instances[instance].definition();
        let apply = &self.apply;
        let made = self.made.entry((before, changes)).or_insert_with_key(|(_, changes)| {
            let mut definition = Scene::clone(&scene.definitions[before]);
            for (locals, change) in changes {
                locals.clone().for_each(|local| apply(&mut definition, local, change));
            }
            scene.definitions.push_changed(before, definition)
        });
        scene.instances[instance].set_definition(*made, false);
    }
}

/// Adds a range that begins at or after the end of the last one.
fn add_range(ranges: &mut Vec<Range<u32>>, next: Range<u32>) {
    match ranges.last_mut() {
        Some(last) if last.end == next.start => last.end = next.end,
        _ => ranges.push(next),
    }
}

fn ranges_of(ids: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut ranges = Vec::new();
    ids.for_each(|id| add_range(&mut ranges, id..id + 1));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Definition, Name};
    use crate::shapes::Sphere;
    use crate::transform::{Affine, Transform};
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

    /// Each choice is compared with what the paths of all geometries give, and then 900 million are
    /// chosen and hidden, whose paths would take minutes.
    #[test]
    fn an_instance_whose_path_is_chosen_is_chosen_as_a_whole() {
        let ball = Sphere { center: DVec3::ZERO, radius: 1.0 };
        let mut part = Scene::new();
        for name in [Some("nut"), None, Some("nut/head")] {
            let id = part.add(ball).unwrap();
            name.into_iter().for_each(|name| part.set_name(id, name));
        }
        let part = Definition::new(part);
        let mut scene = Scene::new();
        for name in [Some("arm"), Some("arm/left"), None, Some("army"), Some("left")] {
            scene.add(ball).unwrap();
            let name = name.map(Name::from);
            scene.add_instance(&part, &Transform::IDENTITY, name, None).unwrap();
        }
        for text in
            ["arm", "arm/left", "*left", "a*", "*/nut", "nut", "*", "**", "?", "left/nut", "7", ""]
        {
            let pattern = GeometryPattern::of(text);
            let ids = 0..scene.geometry_count();
            let expected: Vec<u32> =
                ids.filter(|&id| pattern.chooses(id, &scene.path(id))).collect();
            assert_eq!(scene.select(text), expected, "{text}");
            assert_eq!(scene.select_ranges(text), ranges_of(expected.into_iter()), "{text}");
        }
        let mut tree = Scene::new();
        for _ in 0..30_000 {
            tree.add(ball).unwrap();
        }
        let tree = Definition::new(tree);
        let mut forest = Scene::new();
        for _ in 0..30_000 {
            let name = Some("forest/tree".into());
            forest.add_instance(&tree, &Transform::IDENTITY, name, None).unwrap();
        }
        for text in ["*", "forest", "forest/tree", "f*"] {
            let ids = forest.select_ranges(text);
            let all = 0..forest.geometry_count();
            assert_eq!(ids, std::slice::from_ref(&all), "{text}");
            let mut hidden = forest.clone();
            hidden.hide_ranges(&ids);
            assert_eq!((hidden.mask(7), hidden.definitions().len()), (0, 2));
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
        let mut other = scene.clone();
        other.show_only(ranges_of((0..200).filter(|id| !odd.contains(id))));
        scene.hide_all(&odd);
        assert!((0..200).all(|id| other.mask(id) == scene.mask(id)));
        assert_eq!(scene.definitions().len(), 2);
        let hidden: Vec<u32> = (0..200).filter(|&id| scene.mask(id) == 0).collect();
        assert_eq!(hidden, odd);
        scene.set_name(7, "seven");
        scene.set_appearance(7, [1.0; 3]);
        assert_eq!((scene.path(7).as_str(), scene.definitions().len()), ("seven", 3));
    }

    #[test]
    fn the_first_text_that_chooses_a_geometry_says_how_it_looks() {
        let ball = Sphere { center: DVec3::ZERO, radius: 1.0 };
        let mut pair = Scene::new();
        for name in ["left", "right"] {
            let id = pair.add(ball).unwrap();
            pair.set_name(id, name);
        }
        let pair = Definition::new(pair);
        let mut scene = Scene::new();
        let label = |label| Appearance { label: Some(label), ..Appearance::NONE };
        for tree in ["tree1", "tree2", "tree3"] {
            let id = scene.add(ball).unwrap();
            scene.set_name(id, format!("{tree}/top").as_str());
            scene.set_appearance(id, label(9));
            let name = Some(tree.into());
            scene.add_instance(&pair, &Transform::IDENTITY, name, None).unwrap();
        }
        let rows =
            [("tree3", label(0)), ("*/left", label(1)), ("tree1", label(2)), ("tree?", label(3))];
        let rows = rows.map(|(text, appearance)| (text.to_owned(), appearance));
        assert_eq!(scene.set_appearances_of(&rows), [3, 2, 2, 2]);
        let ids: Vec<u32> = (0..10).collect();
        assert_eq!(scene.labels_of(&ids), [2, 1, 2, 3, 1, 3, 0, 0, 0, 0]);
        // What only one says is kept.
        let reflectance = Appearance { reflectance: Some(0.25), ..Appearance::NONE };
        scene.set_appearances_of(&[("*".to_owned(), reflectance)]);
        assert_eq!(scene.appearance(4), Appearance { reflectance: Some(0.25), ..label(1) });
        assert_eq!(scene.definitions().len(), 7);
    }
}
