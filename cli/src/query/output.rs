//! The outputs for the answers to ray files.

use super::ray_files::{RayFile, is_one_file, ray_files};
use crate::Failure;
use crate::stages::{has_extension, is_file};
use raytwin::scene::Scene;
use raytwin_files::rays::{AnswerLayout, AnswerWriter, PassedColumns, RayReader, ray_answer_files};
use raytwin_files::{FileError, partial_path};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// A ray file and the output for its answers.
#[derive(Debug)]
pub(super) struct Task {
    pub rays: PathBuf,
    pub output: AnswerOutput,
}

/// A file or folder to which answers are written.
#[derive(Debug, PartialEq)]
pub(super) enum AnswerOutput {
    /// An `.npz`, a `.parquet` or a `.csv`.
    File(PathBuf),
    /// A folder that gets an `.npy` for each array.
    Folder(PathBuf),
}

impl Task {
    /// Opens the output. The columns of these names follow the answers, or all columns for `all`.
    pub fn writer(
        &self,
        layout: AnswerLayout,
        columns: &[String],
        scene: &Arc<Scene>,
    ) -> Result<AnswerWriter, FileError> {
        match &self.output {
            AnswerOutput::File(path) if has_extension(path, &["csv"]) => {
                AnswerWriter::csv(path, layout, &self.rays, Arc::clone(scene))
            }
            AnswerOutput::File(path) if columns.is_empty() => AnswerWriter::file(path, layout),
            AnswerOutput::File(path) => {
                let passed = match columns.iter().any(|name| name == "all") {
                    true => PassedColumns::all(&self.rays)?,
                    false => PassedColumns::named(&self.rays, columns)?,
                };
                AnswerWriter::passing(path, layout, passed)
            }
            AnswerOutput::Folder(path) => AnswerWriter::folder(path, layout),
        }
    }

    /// Returns an error if the rays and the answers are not both Parquet.
    pub fn refuse_kept_columns(&self) -> Result<(), Failure> {
        let is_parquet = |path: &Path| has_extension(path, &["parquet"]);
        let output = self.output.path();
        let is_file = matches!(self.output, AnswerOutput::File(_));
        if is_file && is_parquet(output) && is_parquet(&self.rays) {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "--keep copies columns of a .parquet of rays to a .parquet of answers, and a .csv keeps those of a .csv without it: the answers to {} go to {}",
            self.rays.display(),
            output.display()
        )))
    }
}

impl AnswerOutput {
    /// Returns true if `--resume` can keep answers for a later run.
    pub fn can_resume(&self) -> bool {
        !matches!(self, Self::File(path) if has_extension(path, &["npz", "csv"]))
    }

    pub fn path(&self) -> &Path {
        let (Self::File(path) | Self::Folder(path)) = self;
        path
    }

    /// Returns the file in which `--resume` keeps answers until the output is complete.
    pub fn partial(&self) -> PathBuf {
        partial_path(self.path())
    }

    /// Returns the files that the answers replace.
    pub fn files(&self, layout: AnswerLayout) -> Vec<PathBuf> {
        match self {
            Self::File(path) => vec![path.clone()],
            Self::Folder(folder) => {
                ray_answer_files(layout).map(|name| folder.join(name)).collect()
            }
        }
    }
}

fn named_output(output: &Path) -> Result<AnswerOutput, Failure> {
    Ok(match is_file(output, &["npz", "parquet", "csv"], "an .npz, a .parquet or a .csv")? {
        true => AnswerOutput::File(output.to_owned()),
        false => AnswerOutput::Folder(output.to_owned()),
    })
}

/// Gives each ray file its output. The answers to one ray file go to the output that `-o` names.
/// The answers to several files, or to those of a folder or pattern, go to files in the folder that
/// `-o` names, which are named after the ray files.
pub(super) fn tasks(arguments: &[PathBuf], output: &Path) -> Result<Vec<Task>, Failure> {
    let named = named_output(output)?;
    if is_one_file(arguments) {
        return Ok(vec![Task { rays: arguments[0].clone(), output: named }]);
    }
    let AnswerOutput::Folder(folder) = named else {
        return Err(Failure::usage(format!(
            "-o {}: the answers to several ray files go to a folder, one file each: give a folder",
            output.display()
        )));
    };
    let mut files = ray_files(arguments, output)?;
    if equal_names(&files).is_some() {
        mirror_from_common_folder(&mut files);
    }
    if let Some([first, second]) = equal_names(&files) {
        return Err(Failure::usage(format!(
            "{} and {} have the same name, and so would their answers: rename one of the two",
            first.path.display(),
            second.path.display()
        )));
    }
    let task = |RayFile { path, mirrored }| {
        let extension = if has_extension(&path, &["parquet"]) { "parquet" } else { "npz" };
        let output = folder.join(mirrored.with_extension(extension));
        Task { rays: path, output: AnswerOutput::File(output) }
    };
    Ok(files.into_iter().map(task).collect())
}

/// Counts the rays in each file. If there are several files, one that cannot be read counts as
/// empty, and its error is reported later. Without an origin, returns an error if the rays of a
/// table would lose decimals.
pub(super) fn count_rays(
    tasks: &[Task],
    is_one_file: bool,
    has_origin: bool,
) -> Result<Vec<usize>, Failure> {
    let count = |task: &Task| match RayReader::open(&task.rays) {
        Err(_) if !is_one_file => Ok(0),
        Err(error) => Err(error.into()),
        Ok(reader) => {
            if !has_origin {
                let coarse = reader.refuse_coarse();
                coarse.map_err(|error| Failure::from(error).with_flags(&["--origin auto"]))?;
            }
            Ok(reader.len())
        }
    };
    tasks.iter().map(count).collect()
}

/// Returns two ray files with the same name, whose answers would replace each other.
fn equal_names(files: &[RayFile]) -> Option<[&RayFile; 2]> {
    let mut by_name: Vec<&RayFile> = files.iter().collect();
    // Some file systems do not distinguish upper from lower case.
    let name = |file: &RayFile| file.mirrored.with_extension("").to_string_lossy().to_lowercase();
    by_name.sort_by_key(|file| name(file));
    let equal = by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1]))?;
    Some([equal[0], equal[1]])
}

/// Names the answers after the paths of their ray files below their deepest common folder, unless a
/// path leads out of this folder again.
fn mirror_from_common_folder(files: &mut [RayFile]) {
    let Some(mut common) = files.first().and_then(|file| file.path.parent()) else { return };
    while !files.iter().all(|file| file.path.starts_with(common)) {
        let Some(parent) = common.parent() else { return };
        common = parent;
    }
    let common = common.to_owned();
    let stays_below =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let below: Option<Vec<PathBuf>> = files
        .iter()
        .map(|file| file.path.strip_prefix(&common).ok().filter(|path| stays_below(path)))
        .map(|path| path.map(Path::to_owned))
        .collect();
    for (file, below) in files.iter_mut().zip(below.into_iter().flatten()) {
        file.mirrored = below;
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
        let apart = outputs(&["in/1/a.npy", "in/b.npy", "in/2/a.parquet"], "out").unwrap();
        let files = ["out/1/a.npz", "out/b.npz", "out/2/a.parquet"];
        assert_eq!(apart, files.map(|path| AnswerOutput::File(path.into())));
        for [first, second] in [["1/a.npy", "1/a.parquet"], ["../a.npy", "a.npy"]] {
            let twice = outputs(&[first, second], "out").unwrap_err();
            assert!(twice.message.contains(&format!("{first} and {second}")), "{}", twice.message);
        }
    }
}
