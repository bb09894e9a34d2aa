//! Errors for outputs that would replace what a run needs, and a hash of its inputs.

use super::SceneArguments;
use crate::Failure;
use raytwin::Fingerprint;
use raytwin::scene::Scene;
use raytwin_files::{
    DRAFT_PREFIX, FileError, are_one_file, fingerprint_with_file, probe_outputs, refuse_clashes,
};
use std::path::{Path, PathBuf};

impl SceneArguments {
    /// Returns a hash of the scene, of the flags for reading it, and of the bytes of all files that
    /// [`Self::check_outputs`] knows.
    pub fn fingerprint_with_inputs(&self, scene: &Scene) -> Result<Fingerprint, FileError> {
        let fingerprint = Fingerprint::of(scene).with_word(&self.typed());
        let files = self.files.asked_for().into_iter().filter(|path| path.is_file());
        files.into_iter().try_fold(fingerprint, |hash, path| fingerprint_with_file(hash, &path))
    }

    /// Returns an error if an output cannot be written, or would replace another output, the file
    /// of stdout, or a file that the run reads, whatever their names. These are the files of the
    /// scene, which must be read before, and `inputs`, which may be folders.
    pub fn check_outputs<'a>(
        &self,
        outputs: &[PathBuf],
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), Failure> {
        refuse_clashes(outputs).map_err(|clash| Failure::usage(clash.to_string()))?;
        let is_stdout = |output: &&PathBuf| are_one_file(output, Path::new("/dev/stdout"));
        if let Some(output) = outputs.iter().find(is_stdout) {
            return Err(Failure::usage(format!(
                "the output {} is also the file of stdout: give one of them another name",
                output.display()
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
                "{} is an input, but raytwin removes files whose names begin like this: rename it",
                input.display()
            )));
        }
        self.files.note(self.path());
        inputs.into_iter().for_each(|input| self.files.note(input));
        let Some((output, input)) =
            self.files.first_asked_for(outputs.iter().map(PathBuf::as_path))
        else {
            return Ok(probe_outputs(outputs)?);
        };
        let [shown, input] = [output, &input].map(|path| path.display().to_string());
        let link = if shown == input { String::new() } else { format!(", which is {shown}") };
        Err(Failure::usage(format!(
            "the output would replace its input {input}{link}: give another name"
        ))
        .with_flags(&["-o", "--cloud"]))
    }
}
