//! Which ray file is answered where.

use super::Failure;
use crate::stages::{ends_in, is_file};
use raytwin::io::rays::AnswerWriter;
use raytwin::io::{FileError, answer_files};
use raytwin::query::Query;
use std::path::{Path, PathBuf};

/// A ray file and its answers.
#[derive(Debug)]
pub(super) struct Task {
    pub rays: PathBuf,
    pub answers: Place,
}

/// Where answers go.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    /// An `.npz` or a `.parquet`.
    File(PathBuf),
    /// A folder of an `.npy` for each array.
    Folder(PathBuf),
}

impl Place {
    pub fn writer(&self, query: Query) -> Result<AnswerWriter, FileError> {
        match self {
            Self::File(path) => AnswerWriter::file(path, query),
            Self::Folder(path) => AnswerWriter::folder(path, query),
        }
    }

    /// Whether answers are kept for another run to go on with, if that is asked for.
    pub fn can_be_kept(&self) -> bool {
        !matches!(self, Self::File(path) if ends_in(path, &["npz"]))
    }

    /// Where answers are kept until all are there.
    pub fn partial(&self) -> PathBuf {
        let (Self::File(path) | Self::Folder(path)) = self;
        // A path such as .. has no name, but its folder has.
        let named = match path.file_name() {
            Some(_) => path.clone(),
            None => path.canonicalize().unwrap_or_default(),
        };
        let mut name = named.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        named.with_file_name(name)
    }

    /// The files that are replaced or removed.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::File(path) => vec![path.clone()],
            Self::Folder(folder) => answer_files().map(|name| folder.join(name)).collect(),
        }
    }
}

/// What `-o` names.
fn place(output: &Path) -> Result<Place, Failure> {
    Ok(match is_file(output, &["npz", "parquet"], "an .npz or a .parquet")? {
        true => Place::File(output.to_owned()),
        false => Place::Folder(output.to_owned()),
    })
}

/// What is to be done: of one ray file the answers are what `-o` names, of several they are files in that folder,
/// each of the name of its rays.
pub(super) fn tasks(rays: &[PathBuf], output: &Path) -> Result<Vec<Task>, Failure> {
    let tasks: Vec<Task> = match (rays, place(output)?) {
        ([one], answers) => vec![Task { rays: one.clone(), answers }],
        (_, Place::File(_)) => {
            return Err(Failure::usage(format!(
                "-o {}: several ray files are answered into a folder, a file each",
                output.display()
            )));
        }
        (_, Place::Folder(folder)) => {
            let task = |rays: &PathBuf| {
                let ending = if ends_in(rays, &["parquet"]) { "parquet" } else { "npz" };
                let name = Path::new(rays.file_name().unwrap_or_default()).with_extension(ending);
                Task { rays: rays.clone(), answers: Place::File(folder.join(name)) }
            };
            rays.iter().map(task).collect()
        }
    };
    refuse_one_name(&tasks)?;
    Ok(tasks)
}

/// Two files of one name would have one file of answers.
fn refuse_one_name(tasks: &[Task]) -> Result<(), Failure> {
    let mut by_name: Vec<&Path> = tasks.iter().map(|task| task.rays.as_path()).collect();
    // On some systems names that differ by their letters' case are one.
    let name = |rays: &Path| rays.file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    by_name.sort_by_key(|rays| name(rays));
    match by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
        Some(pair) => Err(Failure::usage(format!(
            "{} and {} have one name, by which their answers are called: rename one, or query them apart",
            pair[0].display(),
            pair[1].display()
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(rays: &[&str], output: &str) -> Result<Vec<Place>, Failure> {
        let rays: Vec<PathBuf> = rays.iter().map(PathBuf::from).collect();
        let tasks = tasks(&rays, Path::new(output))?;
        Ok(tasks.into_iter().map(|task| task.answers).collect())
    }

    #[test]
    fn answers_are_called_by_what_is_asked_for_or_by_their_rays() {
        let file = |path: &str| vec![Place::File(path.into())];
        assert_eq!(answers(&["a.npy"], "x/h.npz").unwrap(), file("x/h.npz"));
        assert_eq!(answers(&["a.npy"], "h.PARQUET").unwrap(), file("h.PARQUET"));
        for folder in ["absent/", "absent", "a.npz/"] {
            assert_eq!(answers(&["a.parquet"], folder).unwrap(), [Place::Folder(folder.into())]);
        }
        let partial = |answers: &[Place]| answers[0].partial();
        assert_eq!(partial(&file("x/h.parquet")), Path::new("x/h.parquet.partial"));
        for (folder, name) in [("out/", "out.partial"), ("x/out", "x/out.partial")] {
            assert_eq!(partial(&[Place::Folder(folder.into())]), Path::new(name));
        }
        let here = std::env::current_dir().unwrap();
        let named = here.with_file_name(format!("{}.partial", here.file_name().unwrap().display()));
        assert_eq!(partial(&[Place::Folder("./".into())]), named);
        let each = answers(&["in/a.1.parquet", "b.npy", "c.npz"], "out").unwrap();
        let files = ["out/a.1.parquet", "out/b.npz", "out/c.npz"];
        assert_eq!(each, files.map(|path| Place::File(path.into())));
        assert!(answers(&["a.npy", "b.npy"], "h.npz").is_err_and(|failure| failure.code == 2));
        let twice = answers(&["1/a.npy", "b.npy", "2/a.parquet"], "out").unwrap_err();
        assert!(twice.message.contains("1/a.npy and 2/a.parquet"), "{}", twice.message);
    }
}
