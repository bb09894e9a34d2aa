//! The choice of one of a file's models.

use raytwin_files::FileError;
use std::path::Path;

/// Chooses the first model with the requested number, or the first of all.
pub(super) struct ModelChoice {
    requested: Option<u32>,
    is_taken: bool,
    /// The numbers of the first and the last model, and how many there are.
    range: Option<[u32; 2]>,
    count: usize,
}

impl ModelChoice {
    pub fn new(requested: Option<u32>) -> Self {
        Self { requested, is_taken: false, range: None, count: 0 }
    }

    /// Returns whether the model that begins here is the chosen one.
    pub fn begin(&mut self, number: u32) -> bool {
        self.count += 1;
        self.range = Some([self.range.map_or(number, |[first, _]| first), number]);
        let is_chosen = !self.is_taken && self.requested.is_none_or(|wanted| wanted == number);
        self.is_taken |= is_chosen;
        is_chosen
    }

    /// Rejects a file without atoms, whose format calls them by this name, and a file without the
    /// requested model.
    pub fn check(&self, path: &Path, atoms: &str) -> Result<(), FileError> {
        let reason = match (self.range, self.requested) {
            (None, _) => format!("has no atoms: it has no {atoms}"),
            (Some([first, last]), Some(requested)) if !self.is_taken => match self.count {
                1 => format!("has no model {requested}: its only model has the number {first}"),
                count => format!(
                    "has no model {requested}: its {count} models have the numbers {first} to {last}"
                ),
            },
            _ => return Ok(()),
        };
        Err(FileError::meaning(path, "", reason))
    }
}
