//! Tables of labels: the labels of geometries, whatever file they come from.

use super::Warning;
use raytwin::scene::{Appearance, Scene};
use raytwin_files::{CsvRow, FileError, FileStore, RowFault, each_row_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The columns. The first two are required.
const COLUMNS: [&str; 4] = ["pattern", "label", "name", "reflectance"];

/// A table of labels. The first row whose pattern chooses a geometry applies, and overrides the
/// scene's file.
#[derive(Clone, Debug)]
pub(super) struct LabelTable {
    path: PathBuf,
    /// A pattern as in [`Scene::select`], with its label and reflectance.
    rows: Vec<(String, Appearance)>,
    names: BTreeMap<u16, String>,
}

impl LabelTable {
    /// Reads a `.csv` with the columns `pattern`, `label` and optionally `name` and `reflectance`.
    pub fn read(store: &FileStore, path: &Path) -> Result<Self, FileError> {
        let mut table = Self { path: path.to_owned(), rows: Vec::new(), names: BTreeMap::new() };
        each_row_of(store, path, ("labels", COLUMNS, 2), |columns, row| table.add(columns, row))?;
        match table.rows.is_empty() {
            true => Err(FileError::meaning(path, "", "has no rows after its header row")),
            false => Ok(table),
        }
    }

    fn add(&mut self, columns: [Option<usize>; 4], row: CsvRow<'_>) -> Result<(), RowFault> {
        let [pattern, label, name, reflectance] = columns.map(|column| row.text(column));
        let fault = |which: usize, reason| RowFault { column: columns[which], reason };
        if pattern.is_empty() {
            return Err(fault(
                0,
                "is empty: it must be an id, a path such as arm/elbow, or a pattern such as tree*/leaf"
                    .to_owned(),
            ));
        }
        let number: Option<u16> = label.parse().ok();
        let number = number.ok_or_else(|| {
            fault(
                1,
                format!("is '{label}': it must be a whole number from 0 to 65535, where 0 stands for none"),
            )
        })?;
        let share = match reflectance {
            "" => None,
            _ => {
                let is_share = |number: f64| (0.0..=1.0).contains(&number);
                Some(row.number(columns[3], "from 0 to 1", is_share)? as f32)
            }
        };
        if !name.is_empty() {
            let other = self.names.iter().find(|(known, _)| **known == number);
            if let Some((_, other)) = other.filter(|(_, other)| *other != name) {
                let reason =
                    format!("is '{name}', but an earlier row names the label {number} '{other}'");
                return Err(fault(2, reason));
            }
            let same = self.names.iter().find(|(known, other)| *other == name && **known != number);
            if let Some((other, _)) = same {
                let reason =
                    format!("is '{name}', which an earlier row gives to the label {other}");
                return Err(fault(2, reason));
            }
            if number == 0 {
                return Err(fault(
                    2,
                    "gives a name to the label 0, which stands for none".to_owned(),
                ));
            }
            self.names.insert(number, name.to_owned());
        }
        let appearance = Appearance { label: Some(number), reflectance: share, ..Appearance::NONE };
        self.rows.push((pattern.to_owned(), appearance));
        Ok(())
    }

    /// Labels the geometries of a scene. Returns a warning about the patterns that choose none.
    pub fn apply(&self, scene: &mut Scene) -> Option<Warning> {
        let counts = scene.set_appearances_of(&self.rows);
        scene.label_names.extend(self.names.clone());
        let mut warning = Warning::about_read(format!(
            "{}: patterns choose no geometry that earlier patterns have not chosen",
            self.path.display()
        ));
        for ((pattern, _), _) in self.rows.iter().zip(counts).filter(|(_, count)| *count == 0) {
            warning.add(|| pattern.clone());
        }
        (warning.count > 0).then_some(warning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImportedScene, Options, load_from};

    const SCENE: &str = r#"{ "raytwin": 1, "labels": { "wood": 3, "air": 8 },
        "definitions": { "tree": { "shapes": [
            { "type": "sphere", "name": "leaf", "center": [0, 0, 4], "radius": 1, "label": 8 },
            { "type": "sphere", "name": "stem", "center": [0, 0, 0], "radius": 1, "reflectance": 0.25 } ] } },
        "nodes": [ { "use": "tree", "name": "tree1" }, { "use": "tree", "name": "tree2", "translation": [9, 0, 0] } ],
        "shapes": [ { "type": "sphere", "name": "stone", "center": [0, 0, 9], "radius": 1 } ] }"#;

    fn with_labels(table: &str) -> Result<ImportedScene, FileError> {
        let files = [("scene.json", SCENE.as_bytes()), ("labels.csv", table.as_bytes())];
        let options = Options { labels: Some("labels.csv".into()), ..Options::default() };
        load_from(&FileStore::in_memory(files), "scene.json", &options)
    }

    #[test]
    fn the_first_row_that_chooses_a_geometry_labels_it() {
        let table = "label,pattern,name,reflectance\n7,tree2,second,\n3,*/stem,wood,0.75\n0,tree1,,\n9,moon,,\n";
        let ImportedScene { scene, warnings, .. } = with_labels(table).unwrap();
        let of = |path: &str| {
            let Appearance { label, reflectance, .. } = scene.appearance(scene.select(path)[0]);
            (label, reflectance)
        };
        assert_eq!(of("tree2/leaf"), (Some(7), None));
        assert_eq!(of("tree2/stem"), (Some(7), Some(0.25)));
        assert_eq!(of("tree1/stem"), (Some(3), Some(0.75)));
        assert_eq!(of("tree1/leaf"), (Some(0), None));
        assert_eq!(of("stone"), (None, None));
        let names = [(3, "wood"), (7, "second"), (8, "air")];
        assert_eq!(scene.label_names, names.map(|(label, name)| (label, name.to_owned())).into());
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(warnings.len() == 1 && warnings[0].contains("moon"), "{warnings:?}");
    }

    #[test]
    fn a_bad_row_is_refused_with_its_place() {
        for (table, place, reason) in [
            ("pattern,label\na,65536\n", "labels.csv:2:3", "from 0 to 65535"),
            ("pattern,label\na,1.5\n", "labels.csv:2:3", "whole number"),
            ("pattern,label\n,1\n", "labels.csv:2:1", "is empty"),
            ("pattern,label,reflectance\na,1,1.5\n", "labels.csv:2:5", "from 0 to 1"),
            ("pattern,label,reflectance\na,1,nan\n", "labels.csv:2:5", "from 0 to 1"),
            ("pattern,label,name\na,1,x\nb,1,y\n", "labels.csv:3:5", "names the label 1 'x'"),
            ("pattern,label,name\na,1,x\nb,2,x\n", "labels.csv:3:5", "gives to the label 1"),
            ("pattern,label,name\na,0,x\n", "labels.csv:2:5", "stands for none"),
            ("pattern,label\na\n", "labels.csv:2:1", "1 cells"),
            ("patern,label\na,1\n", "labels.csv:1:1", "did you mean pattern?"),
            ("pattern\na\n", "labels.csv:1:1", "no column label"),
            ("pattern,label,label\na,1,1\n", "labels.csv:1:15", "second column"),
            ("pattern,label\n", "labels.csv", "no rows"),
            ("", "labels.csv:1:1", "empty"),
        ] {
            let error = with_labels(table).unwrap_err().to_string();
            assert!(error.contains(place) && error.contains(reason), "{table}: {error}");
        }
    }
}
