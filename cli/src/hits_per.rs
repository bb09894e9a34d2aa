//! The flag that asks for the hits of each label, or of each part of the scene.

use super::Failure;
use super::console::Console;
use clap::Args;
use raytwin::scene::Scene;
use raytwin_files::{HitCounts, HitGroup, HitGroups};
use std::fmt::Write;

/// The most groups of the table for people; `--json` has all.
const SHOWN: usize = 40;

#[derive(Debug, Args)]
pub(super) struct HitsPerArgument {
    /// Print how many rays hit each label or part.
    ///
    /// label counts by labels. A number counts by parts of the scene: the shapes whose paths have
    /// the same first names, as many as the number says, such as 1 for tree003 of tree003/branch.
    /// Any other word counts by the numbers of this column of the scene's table, such as tree_id. A
    /// hit out of a camera's range is none, and each return of a beam is one.
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

    /// Returns an error if the scene lacks the column that is to be counted by.
    pub fn refuse_unknown(&self, scene: &Scene) -> Result<(), Failure> {
        match &self.hits_per {
            Some(HitGroups::Column(name)) => {
                require_columns("--hits-per", std::slice::from_ref(name), scene)
            }
            _ => Ok(()),
        }
    }

    /// Counts hits, if that is asked for.
    pub fn counts(&self) -> GroupCounts {
        let counts = self.hits_per.clone().map(|groups| (groups, HitCounts::default()));
        GroupCounts { counts }
    }
}

/// The hits of each group so far, or nothing.
pub(super) struct GroupCounts {
    counts: Option<(HitGroups, HitCounts)>,
}

impl GroupCounts {
    /// Counts hits by the ids of geometries.
    pub fn add(&mut self, geometry_ids: impl IntoIterator<Item = u32>) {
        if let Some((_, counts)) = &mut self.counts {
            counts.add(geometry_ids);
        }
    }

    /// Returns the groups for the summary, the largest first; `None` if they are not asked for.
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
        [] => "it has none: a table of shapes may have columns such as tree_id".to_owned(),
        known => format!("it has {}", known.join(", ")),
    };
    Err(Failure::input(format!(
        "{flag} {name}: the scene has no such column of whole numbers; {advice}"
    )))
}

/// Prints the groups as a table, which `--json` has in its object.
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
