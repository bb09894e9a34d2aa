//! The flags that choose which shapes rays and points can meet.

use crate::failure::Failure;
use crate::shape_names::chosen;
use clap::Args;
use raytwin::scene::Scene;
use std::ops::Range;

/// The flags that choose which shapes rays and points can meet.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct VisibilityArguments {
    /// Let rays and points pass through these shapes.
    ///
    /// Give an id, a path of names such as arm/elbow (with everything below it), a pattern such as
    /// arm/* ('*' matches any characters, '?' one character), or the end of a path, if only one
    /// shape has it. May be repeated, or separated by commas.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(help_heading = "Input")]
    ignore: Vec<String>,
    /// Let rays and points meet only these shapes.
    ///
    /// They pass through all other shapes. Choose shapes as for --ignore.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(help_heading = "Input")]
    only: Vec<String>,
}

impl VisibilityArguments {
    /// Returns true if all shapes can be met.
    pub fn are_all(&self) -> bool {
        self.ignore.is_empty() && self.only.is_empty()
    }

    /// Returns the flags as words.
    pub fn typed(&self) -> impl Iterator<Item = String> + '_ {
        let only = self.only.iter().flat_map(|text| ["--only".to_owned(), text.clone()]);
        only.chain(self.ignore.iter().flat_map(|text| ["--ignore".to_owned(), text.clone()]))
    }

    /// Returns an error if flags hide shapes in a command that casts no rays.
    pub fn refuse(&self, what_it_does: &str) -> Result<(), Failure> {
        match self.are_all() {
            true => Ok(()),
            false => Err(Failure::usage(format!(
                "{what_it_does}, and --ignore and --only are for rays: leave them out"
            ))),
        }
    }

    /// Hides the shapes that cannot be met.
    pub fn hide_in(&self, scene: &mut Scene) -> Result<(), Failure> {
        if !self.only.is_empty() {
            let mut seen = Vec::new();
            for text in &self.only {
                seen.extend(ids_of(scene, "--only", text)?);
            }
            scene.show_only(seen);
        }
        for text in &self.ignore {
            scene.hide_ranges(&ids_of(scene, "--ignore", text)?);
        }
        Ok(())
    }
}

fn ids_of(scene: &Scene, flag: &str, text: &str) -> Result<Vec<Range<u32>>, Failure> {
    chosen(scene, text).map_err(|reason| Failure::input(format!("{flag} {text}: {reason}")))
}
