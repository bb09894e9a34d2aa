//! Refuses outputs that would replace what a run needs.

use super::SceneArguments;
use crate::Failure;
use raytwin_files::{DRAFT_PREFIX, first_equal_outputs};
use std::path::{Path, PathBuf};

impl SceneArguments {
    /// Returns an error if an output would replace another, or a file that the run reads, whatever
    /// their names: one that the scene, which was read before, consists of, or one of these other
    /// inputs, which may be folders.
    pub fn refuse_own_input<'a>(
        &self,
        outputs: &[PathBuf],
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        if let Some(equal) = first_equal_outputs(outputs) {
            let [first, second] = equal.map(Path::display);
            return Err(Failure::usage(format!(
                "the outputs {first} and {second} are one file: give one of them another name"
            )));
        }
        let inputs: Vec<&Path> = inputs.into_iter().collect();
        let read = self.files.asked_for();
        let is_like_draft = |input: &&Path| {
            let name = input.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(DRAFT_PREFIX)
        };
        let all = read.iter().map(PathBuf::as_path).chain(inputs.iter().copied());
        if let Some(input) = all.chain([self.path()]).find(is_like_draft) {
            return Err(Failure::usage(format!(
                "{} is read, and names that begin so are raytwin's own, whose files it removes: rename it",
                input.display()
            )));
        }
        self.files.note(self.path());
        inputs.into_iter().for_each(|input| self.files.note(input));
        let Some((output, input)) =
            self.files.first_asked_for(outputs.iter().map(PathBuf::as_path))
        else {
            return Ok(());
        };
        let [shown, input] = [output, &input].map(|path| path.display().to_string());
        let link = if shown == input { String::new() } else { format!(", which is {shown}") };
        Err(Failure::usage(format!(
            "the output would replace {input}{link}, from which it is made: give another name with -o, --out, --cloud or --report"
        )))
    }
}
