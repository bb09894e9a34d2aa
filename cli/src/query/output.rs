//! The output of each ray file's answers.

use super::Failure;
use crate::stages::{has_extension, is_file};
use raytwin::io::rays::AnswerWriter;
use raytwin::io::{FileError, answer_files};
use raytwin::query::Query;
use std::path::{Path, PathBuf};

/// A ray file and the output of its answers.
#[derive(Debug)]
pub(super) struct Task {
    pub rays: PathBuf,
    pub output: AnswerOutput,
}

/// A file or folder to which answers are written.
#[derive(Debug, PartialEq)]
pub(super) enum AnswerOutput {
    /// An `.npz` or a `.parquet`.
    File(PathBuf),
    /// A folder that gets an `.npy` for each array.
    Folder(PathBuf),
}

impl AnswerOutput {
    pub fn writer(&self, query: Query) -> Result<AnswerWriter, FileError> {
        match self {
            Self::File(path) => AnswerWriter::file(path, query),
            Self::Folder(path) => AnswerWriter::folder(path, query),
        }
    }

    /// Tells whether `--resume` can keep answers for a later run.
    pub fn can_resume(&self) -> bool {
        !matches!(self, Self::File(path) if has_extension(path, &["npz"]))
    }

    /// The file in which `--resume` keeps answers until all are there.
    pub fn partial(&self) -> PathBuf {
        let (Self::File(path) | Self::Folder(path)) = self;
        // A path such as `..` has no name of its own, but the folder that it leads to has.
        let named = match path.file_name() {
            Some(_) => path.clone(),
            None => path.canonicalize().unwrap_or_default(),
        };
        let mut name = named.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        named.with_file_name(name)
    }

    /// The files that this output replaces or removes.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::File(path) => vec![path.clone()],
            Self::Folder(folder) => answer_files().map(|name| folder.join(name)).collect(),
        }
    }
}

/// The output that `-o` names.
fn named_output(output: &Path) -> Result<AnswerOutput, Failure> {
    Ok(match is_file(output, &["npz", "parquet"], "an .npz or a .parquet")? {
        true => AnswerOutput::File(output.to_owned()),
        false => AnswerOutput::Folder(output.to_owned()),
    })
}

/// Gives each ray file its output. One ray file is answered to what `-o` names; several are answered to files in that
/// folder, named after the ray files.
pub(super) fn tasks(rays: &[PathBuf], output: &Path) -> Result<Vec<Task>, Failure> {
    let tasks: Vec<Task> = match (rays, named_output(output)?) {
        ([one], output) => vec![Task { rays: one.clone(), output }],
        (_, AnswerOutput::File(_)) => {
            return Err(Failure::usage(format!(
                "-o {}: the answers to several ray files are written to a folder, a file each: give a folder",
                output.display()
            )));
        }
        (_, AnswerOutput::Folder(folder)) => {
            let task = |rays: &PathBuf| {
                let extension = if has_extension(rays, &["parquet"]) { "parquet" } else { "npz" };
                let name =
                    Path::new(rays.file_name().unwrap_or_default()).with_extension(extension);
                Task { rays: rays.clone(), output: AnswerOutput::File(folder.join(name)) }
            };
            rays.iter().map(task).collect()
        }
    };
    refuse_equal_names(&tasks)?;
    Ok(tasks)
}

/// Returns an error if two ray files have the same name, because one's answers would replace the other's.
fn refuse_equal_names(tasks: &[Task]) -> Result<(), Failure> {
    let mut by_name: Vec<&Path> = tasks.iter().map(|task| task.rays.as_path()).collect();
    // Some file systems do not tell upper from lower case.
    let name = |rays: &Path| rays.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    by_name.sort_by_key(|rays| name(rays));
    match by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
        Some(pair) => Err(Failure::usage(format!(
            "{} and {} have the same name, after which their answers are named: rename one, or query them one by one",
            pair[0].display(),
            pair[1].display()
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(rays: &[&str], output: &str) -> Result<Vec<AnswerOutput>, Failure> {
        let rays: Vec<PathBuf> = rays.iter().map(PathBuf::from).collect();
        let tasks = tasks(&rays, Path::new(output))?;
        Ok(tasks.into_iter().map(|task| task.output).collect())
    }

    #[test]
    fn answers_are_named_by_the_flag_or_after_their_rays() {
        let file = |path: &str| vec![AnswerOutput::File(path.into())];
        assert_eq!(outputs(&["a.npy"], "x/h.npz").unwrap(), file("x/h.npz"));
        assert_eq!(outputs(&["a.npy"], "h.PARQUET").unwrap(), file("h.PARQUET"));
        for folder in ["absent/", "absent", "a.npz/"] {
            assert_eq!(
                outputs(&["a.parquet"], folder).unwrap(),
                [AnswerOutput::Folder(folder.into())]
            );
        }
        let partial = |outputs: &[AnswerOutput]| outputs[0].partial();
        assert_eq!(partial(&file("x/h.parquet")), Path::new("x/h.parquet.partial"));
        for (folder, name) in [("out/", "out.partial"), ("x/out", "x/out.partial")] {
            assert_eq!(partial(&[AnswerOutput::Folder(folder.into())]), Path::new(name));
        }
        let here = std::env::current_dir().unwrap();
        let named = here.with_file_name(format!("{}.partial", here.file_name().unwrap().display()));
        assert_eq!(partial(&[AnswerOutput::Folder("./".into())]), named);
        let each = outputs(&["in/a.1.parquet", "b.npy", "c.npz"], "out").unwrap();
        let files = ["out/a.1.parquet", "out/b.npz", "out/c.npz"];
        assert_eq!(each, files.map(|path| AnswerOutput::File(path.into())));
        assert!(outputs(&["a.npy", "b.npy"], "h.npz").is_err_and(|failure| failure.code == 2));
        let twice = outputs(&["1/a.npy", "b.npy", "2/a.parquet"], "out").unwrap_err();
        assert!(twice.message.contains("1/a.npy and 2/a.parquet"), "{}", twice.message);
    }
}
