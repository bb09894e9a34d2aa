//! The flag that counts the hits of each label, or of each part of the scene.

use super::Failure;
use super::console::Console;
use clap::Args;
use raytwin::scene::Scene;
use raytwin_files::{HitCounts, HitGroup, HitGroups};
use std::fmt::Write;

/// The most groups in the table for people. `--json` has all groups.
const SHOWN: usize = 40;

#[derive(Debug, Args)]
pub(super) struct HitsPerArgument {
    /// Print how many rays hit each label or part.
    ///
    /// With label, raytwin counts by label. With a number N, it counts by the first N names of each
    /// shape's path: for 1, tree003/branch counts as tree003. With any other word, it counts by the
    /// numbers in this column of the scene's table, such as tree_id. Hits outside a camera's range
    /// do not count, and each return of a beam counts as one hit.
    #[arg(long, value_name = "GROUPS", value_parser = groups, help_heading = "Output")]
    hits_per: Option<HitGroups>,
}

fn groups(text: &str) -> Result<HitGroups, String> {
    match (text, text.parse()) {
        ("label", _) => Ok(HitGroups::Label),
        (_, Ok(depth @ 1..=64)) => Ok(HitGroups::Path(depth)),
        (_, Ok(_)) | ("", _) => Err(format!(
            "'{text}' must be label, a number of names from 1 to 64, or a column of the scene"
        )),
        _ => Ok(HitGroups::Column(text.to_owned())),
    }
}

impl HitsPerArgument {
    pub fn is_given(&self) -> bool {
        self.hits_per.is_some()
    }

    pub fn groups(&self) -> Option<&HitGroups> {
        self.hits_per.as_ref()
    }

    /// Returns an error if the scene has no column of this name.
    pub fn refuse_unknown(&self, scene: &Scene) -> Result<(), Failure> {
        match &self.hits_per {
            Some(HitGroups::Column(name)) => {
                require_columns("--hits-per", std::slice::from_ref(name), scene)
            }
            _ => Ok(()),
        }
    }

    /// Returns the counts of hits, which stay empty without the flag.
    pub fn counts(&self) -> GroupCounts {
        let counts = self.hits_per.clone().map(|groups| (groups, HitCounts::default()));
        GroupCounts { counts }
    }
}

/// The hits of each group so far, or nothing without the flag.
pub(super) struct GroupCounts {
    counts: Option<(HitGroups, HitCounts)>,
}

impl GroupCounts {
    /// Counts hits by their geometry ids.
    pub fn add(&mut self, geometry_ids: impl IntoIterator<Item = u32>) {
        if let Some((_, counts)) = &mut self.counts {
            counts.add(geometry_ids);
        }
    }

    /// Returns the groups for the summary, the largest first; `None` without the flag.
    pub fn of(&self, scene: &Scene) -> Option<Vec<HitGroup>> {
        let (groups, counts) = self.counts.as_ref()?;
        Some(counts.of_groups(groups, scene))
    }
}

/// Returns an error if the scene lacks one of these columns of whole numbers.
pub(super) fn require_columns(flag: &str, names: &[String], scene: &Scene) -> Result<(), Failure> {
    let known = scene.integer_names();
    let Some(name) = names.iter().find(|name| !known.contains(&name[..])) else { return Ok(()) };
    let known: Vec<&str> = known.into_iter().collect();
    let advice = match &known[..] {
        [] => "it has no such columns: a table of shapes may have some, such as tree_id".to_owned(),
        known => format!("it has {}", known.join(", ")),
    };
    Err(Failure::input(format!(
        "{flag} {name}: the scene has no column of whole numbers with this name; {advice}"
    )))
}

/// Prints the groups as a table. With `--json`, they are in the object instead.
pub(super) fn print(groups: Option<&[HitGroup]>, console: &Console) -> Result<(), Failure> {
    let Some(groups) = groups.filter(|_| !console.is_json()) else { return Ok(()) };
    let mut table = String::from("        hits  group\n");
    for HitGroup { name, label, hits } in groups.iter().take(SHOWN) {
        let number = match label {
            Some(label) if *label > 0 && *name != label.to_string() => format!(" ({label})"),
            _ => String::new(),
        };
        let _ = writeln!(table, "{hits:>12}  {name}{number}");
    }
    if let Some(more @ 1..) = groups.len().checked_sub(SHOWN) {
        let _ = writeln!(table, "{more} more groups are hit: --json prints all");
    }
    console.print(&table)
}
