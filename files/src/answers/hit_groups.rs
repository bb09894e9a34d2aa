//! Groups of geometries, and the number of hits of each.

use raytwin::ray::NONE;
use raytwin::scene::Scene;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The property by which geometries are grouped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HitGroups {
    /// Their labels.
    Label,
    /// This many first names of their paths, at least one: geometries in `tree003/branch` and in
    /// `tree003/stem` belong to one group by the first name.
    Path(usize),
    /// Their values of an integer column, such as `tree_id`.
    Column(String),
}

impl HitGroups {
    /// Returns the name of a geometry's group: the name of its label, its number if it has no name,
    /// or `none`; or the beginning of its path; or its integer.
    pub fn name_of(&self, scene: &Scene, geometry_id: u32) -> String {
        match self {
            Self::Column(name) => scene.integer(name, geometry_id).to_string(),
            Self::Label => label_name(scene, scene.label(geometry_id)),
            Self::Path(names) => {
                let path = scene.path(geometry_id);
                let end = path.match_indices('/').map(|(end, _)| end).nth((*names).max(1) - 1);
                path[..end.unwrap_or(path.len())].to_owned()
            }
        }
    }
}

/// Returns the name of a label, its number if it has no name, or `none` for 0.
pub(crate) fn label_name(scene: &Scene, label: u16) -> String {
    match (label, scene.label_names.get(&label)) {
        (_, Some(name)) => name.clone(),
        (0, None) => "none".to_owned(),
        (label, None) => label.to_string(),
    }
}

/// A group of geometries that rays hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "HitGroupSummary")]
pub struct HitGroup {
    /// The label's name, its number if it has no name, or none; or the first names of the paths.
    #[serde(rename = "group")]
    pub name: String,
    /// The label, 0 for none; null if the groups are not labels.
    #[serde(rename = "label_id")]
    pub label: Option<u16>,
    #[expect(missing_docs, reason = "the schema says no more than its name does")]
    pub hits: u64,
}

/// Counts the hits of each geometry, from which groups are made at the end. Its memory grows with
/// the number of geometries that are hit.
#[derive(Clone, Debug, Default)]
pub struct HitCounts(HashMap<u32, u64>);

impl HitCounts {
    /// Counts hits by the ids of the geometries that were hit; ignores [`NONE`].
    pub fn add(&mut self, geometry_ids: impl IntoIterator<Item = u32>) {
        // Neighbours mostly hit the same geometry.
        let (mut last, mut count) = (NONE, 0);
        for id in geometry_ids {
            if id != last {
                self.add_many(last, count);
                (last, count) = (id, 0);
            }
            count += 1;
        }
        self.add_many(last, count);
    }

    fn add_many(&mut self, geometry_id: u32, count: u64) {
        if geometry_id != NONE {
            *self.0.entry(geometry_id).or_default() += count;
        }
    }

    /// Returns the groups that were hit, the largest first.
    pub fn of_groups(&self, groups: &HitGroups, scene: &Scene) -> Vec<HitGroup> {
        // Two labels may have one name.
        let mut counts: HashMap<(String, Option<u16>), u64> = HashMap::new();
        for (&id, count) in &self.0 {
            let label = matches!(groups, HitGroups::Label).then(|| scene.label(id));
            *counts.entry((groups.name_of(scene, id), label)).or_default() += count;
        }
        let group = |((name, label), hits)| HitGroup { name, label, hits };
        let mut counts: Vec<HitGroup> = counts.into_iter().map(group).collect();
        counts.sort_by(|one, other| {
            let key = |it: &HitGroup| (Reverse(it.hits), it.name.clone(), it.label);
            key(one).cmp(&key(other))
        });
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use raytwin::scene::Appearance;
    use raytwin::shapes::Sphere;

    #[test]
    fn hits_are_counted_by_label_and_by_the_beginning_of_the_path() {
        let mut scene = Scene::new();
        for (path, label) in [("a/b/c", Some(2)), ("a/b/d", None), ("a", Some(0)), ("e", Some(7))] {
            let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
            scene.set_name(id, path);
            scene.set_appearance(id, Appearance { label, ..Appearance::NONE });
        }
        scene.label_names.insert(7, "leaf".to_owned());
        let mut counts = HitCounts::default();
        counts.add([0, 0, NONE, 1, 0, 2, NONE]);
        counts.add([3]);
        counts.add([]);
        scene.set_integers(0, "tree_id", &[5, 5, 9, -1]);
        let by = |groups: HitGroups| -> Vec<(String, u64)> {
            let all = counts.of_groups(&groups, &scene);
            all.into_iter().map(|group| (group.name, group.hits)).collect()
        };
        let text = |counts: &[(&str, u64)]| {
            counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect::<Vec<_>>()
        };
        assert_eq!(by(HitGroups::Label), text(&[("2", 3), ("none", 2), ("leaf", 1)]));
        let labels = counts.of_groups(&HitGroups::Label, &scene);
        let labels: Vec<Option<u16>> = labels.iter().map(|group| group.label).collect();
        assert_eq!(labels, [Some(2), Some(0), Some(7)]);
        assert_eq!(by(HitGroups::Path(1)), text(&[("a", 5), ("e", 1)]));
        assert_eq!(
            by(HitGroups::Column("tree_id".to_owned())),
            text(&[("5", 4), ("-1", 1), ("9", 1)])
        );
        assert_eq!(by(HitGroups::Path(2)), text(&[("a/b", 4), ("a", 1), ("e", 1)]));
    }
}
