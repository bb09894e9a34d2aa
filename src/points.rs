//! Point files and the files of what is around points, of any length: both are read and written piece by piece.

use crate::answers::Surroundings;
use crate::files::{Draft, FileError, Outputs};
use crate::npz::{Header, NpzWriter, Number, array_name, broken, open, open_npz};
use crate::npz::{truncated, write_header};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// A point file that was opened: an `.npy` of shape (N, 3) and type float32, or an `.npz` with such an array named
/// `points`. Points that cannot be asked about are read as they are.
#[derive(Debug)]
pub struct PointReader {
    path: PathBuf,
    source: Source,
    header: Header,
}

/// Where the rows come from.
#[derive(Debug)]
enum Source {
    /// A file whose header is read.
    Array(BufReader<File>),
    /// The first entry of an archive.
    Archive(ZipArchive<BufReader<File>>),
}

/// What an archive calls its points.
const ENTRY: &str = "points";

impl PointReader {
    /// Opens a file and reads how many points it has.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, of another shape, type or order, shorter than it says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let is_archive =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
        let (source, header, place) = if is_archive {
            let mut archive = open_npz(&path)?;
            let header = only_entry(&mut archive, &path)?.1;
            (Source::Archive(archive), header, ENTRY)
        } else {
            let (mut file, length) = open(&path)?;
            let header = Header::read(&mut file, length, &path, "")?;
            (Source::Array(file), header, "")
        };
        let refuse = |reason: String| Err(FileError::meaning(&path, place, reason));
        if !matches!(header.shape[..], [_, 3]) {
            return refuse(format!("has shape {:?}: points are (N, 3), x, y and z", header.shape));
        }
        if header.dtype != f32::DTYPE {
            return refuse(format!(
                "is of type {}: points are float32; convert them with a.astype(numpy.float32)",
                header.dtype
            ));
        }
        Ok(Self { path, source, header })
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.header.shape[0]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads all points in their order and hands them over, at most `size` at a time, until there are no more or
    /// `take` fails.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, truncated; and what `take` returns.
    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        take: impl FnMut(Vec<[f32; 3]>) -> Result<(), E>,
    ) -> Result<(), E> {
        match &mut self.source {
            Source::Array(file) => {
                let broken = |error| truncated(&self.path, "", &error);
                rows(&self.header, file, size, broken, take)
            }
            Source::Archive(archive) => {
                let (mut entry, header) = only_entry(archive, &self.path)?;
                let broken = |error| truncated(&self.path, ENTRY, &error);
                rows(&header, &mut entry, size, broken, take)?;
                // An entry's checksum is compared at its end.
                let rest = entry.read(&mut [0]).map_err(|error| {
                    FileError::meaning(&self.path, ENTRY, format!("is damaged: {error}"))
                });
                Ok(rest.map(drop)?)
            }
        }
    }
}

/// The points of an archive, which holds nothing else, their header read.
fn only_entry<'a>(
    archive: &'a mut ZipArchive<BufReader<File>>,
    path: &Path,
) -> Result<(impl Read + 'a, Header), FileError> {
    if archive.is_empty() {
        return Err(FileError::meaning(path, "", "holds no array named points, of shape (N, 3)"));
    }
    for index in (0..archive.len()).rev() {
        let entry = archive.by_index(index).map_err(|error| broken(path, error))?;
        let name = entry.name().map_err(|error| broken(path, error))?;
        if array_name(&name) != ENTRY {
            let reason =
                "is not read here: a point archive holds one array, points, of shape (N, 3)";
            return Err(FileError::meaning(path, array_name(&name), reason));
        }
    }
    let mut entry = archive.by_index(0).map_err(|error| broken(path, error))?;
    let length = entry.size();
    let header = Header::read(&mut entry, length, path, ENTRY)?;
    Ok((entry, header))
}

/// Reads the rows that follow a header.
fn rows<E: From<FileError>>(
    header: &Header,
    mut reader: impl Read,
    size: usize,
    broken: impl Fn(io::Error) -> FileError,
    mut take: impl FnMut(Vec<[f32; 3]>) -> Result<(), E>,
) -> Result<(), E> {
    let mut left = header.shape[0];
    while left > 0 {
        let count = left.min(size.max(1));
        let numbers: Vec<f32> = header.numbers(&mut reader, 3 * count).map_err(&broken)?;
        take(numbers.as_chunks().0.to_vec())?;
        left -= count;
    }
    Ok(())
}

/// The arrays of answers.
const ARRAYS: [&str; 6] = [
    "contains",
    "containing_ids",
    "closest_points",
    "signed_distance",
    "geometry_ids",
    "primitive_ids",
];

/// Answer files that are written batch by batch: `contains`, `containing_ids`, `closest_points`, `signed_distance`,
/// `geometry_ids` and `primitive_ids`. They appear once all is written, or not at all.
#[derive(Debug)]
pub struct SurroundingsWriter {
    // Dropped before the outputs, which remove a folder that was made for nothing once it is empty.
    drafts: [Draft; ARRAYS.len()],
    outputs: Outputs,
    path: PathBuf,
    is_archive: bool,
    count: usize,
    written: usize,
}

impl SurroundingsWriter {
    /// An `.npz` with the answers to `count` points. Its arrays lie beside it until it is finished, so it needs
    /// twice its place for a while.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn archive(path: impl AsRef<Path>, count: usize) -> Result<Self, FileError> {
        Self::new(path.as_ref(), count, true)
    }

    /// A folder with an `.npy` for each array of the answers to `count` points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, count: usize) -> Result<Self, FileError> {
        Self::new(path.as_ref(), count, false)
    }

    fn new(path: &Path, count: usize, is_archive: bool) -> Result<Self, FileError> {
        let mut outputs = Outputs::default();
        let place = |name| if is_archive { path.to_owned() } else { in_folder(path, name) };
        let [contains, containing, points, distance, geometries, primitives] = ARRAYS.map(place);
        let drafts = [
            begin::<u32>(&mut outputs, &contains, &[count])?,
            begin::<u32>(&mut outputs, &containing, &[count])?,
            begin::<f32>(&mut outputs, &points, &[count, 3])?,
            begin::<f32>(&mut outputs, &distance, &[count])?,
            begin::<u32>(&mut outputs, &geometries, &[count])?,
            begin::<u32>(&mut outputs, &primitives, &[count])?,
        ];
        Ok(Self { drafts, outputs, path: path.to_owned(), is_archive, count, written: 0 })
    }

    /// Adds the answers to the next points.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write(&mut self, answers: &[Surroundings]) -> Result<(), FileError> {
        let [contains, containing, points, distance, geometries, primitives] = &mut self.drafts;
        write(contains, answers, |own| own.contains)?;
        write(containing, answers, |own| own.containing_id)?;
        write(points, answers, |own| own.closest_point)?;
        write(distance, answers, |own| own.signed_distance)?;
        write(geometries, answers, |own| own.geometry_id)?;
        write(primitives, answers, |own| own.primitive_id)?;
        self.written += answers.len();
        Ok(())
    }

    /// Puts the files into their places, and says which they are.
    ///
    /// # Errors
    /// [`FileError::Write`], also where there are not as many answers as were announced.
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        let Self { mut outputs, drafts, path, is_archive, count, written } = self;
        if written != count {
            let reason = io::Error::other(format!("{written} of {count} answers were given"));
            return Err(FileError::write(&path)(reason));
        }
        let files = if is_archive {
            outputs.add(&path, |file| {
                let mut archive = NpzWriter::new(file);
                for (name, mut draft) in ARRAYS.into_iter().zip(drafts) {
                    archive.npy(name, draft.read_back()?)?;
                }
                archive.finish()
            })?;
            vec![path]
        } else {
            for draft in drafts {
                outputs.keep(draft)?;
            }
            ARRAYS.map(|name| in_folder(&path, name)).to_vec()
        };
        outputs.publish()?;
        Ok(files)
    }
}

fn in_folder(folder: &Path, array: &str) -> PathBuf {
    folder.join(format!("{array}.npy"))
}

/// A file that holds an array's header.
fn begin<T: Number>(
    outputs: &mut Outputs,
    path: &Path,
    shape: &[usize],
) -> Result<Draft, FileError> {
    let mut draft = outputs.draft(path)?;
    draft.write(|file| write_header::<T>(file, shape))?;
    Ok(draft)
}

/// Adds one number, or three, of each answer.
fn write<T: bytemuck::NoUninit>(
    draft: &mut Draft,
    answers: &[Surroundings],
    number: impl Fn(&Surroundings) -> T,
) -> Result<(), FileError> {
    let numbers: Vec<T> = answers.iter().map(number).collect();
    draft.write(|file| file.write_all(bytemuck::cast_slice(&numbers)))
}
