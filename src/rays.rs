//! Ray files and answer files, of any length: both are read and written piece by piece.

use crate::answers::Hits;
use crate::files::{Draft, FileError, Outputs};
use crate::npz::{Header, NpzWriter, Number, array_name, broken, open, open_npz};
use crate::npz::{truncated, write_header};
use crate::ray::Ray;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Reads all rays of a file, as [`RayReader`] reads them.
///
/// # Errors
/// [`FileError`]: unreadable, of another shape, type or order, truncated.
pub fn read_rays(path: impl AsRef<Path>) -> Result<Vec<Ray>, FileError> {
    let reader = RayReader::open(path)?;
    let mut all = Vec::new();
    let length = reader.len();
    reader.batches(length, |rays| {
        all = rays;
        Ok(())
    })?;
    Ok(all)
}

/// A ray file that was opened: an `.npy` of shape (N, 6) or (N, 8) and type float32, or an `.npz` with such
/// an array named `rays`.
///
/// Columns are the origin, the direction and, where there are eight, `t_min` and `t_max`. Rays that
/// cannot be cast are read as they are.
#[derive(Debug)]
pub struct RayReader {
    path: PathBuf,
    source: Source,
    header: Header,
}

/// Where the rows come from.
#[derive(Debug)]
enum Source {
    /// A file whose header is read.
    Array(BufReader<File>),
    /// An entry of an archive.
    Archive(ZipArchive<BufReader<File>>, usize),
}

/// What an archive calls its rays.
const ENTRY: &str = "rays";

impl RayReader {
    /// Opens a file and reads how many rays it has.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, of another shape, type or order, shorter than it says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let is_archive =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
        let (source, header) = if is_archive {
            let mut archive = open_npz(&path)?;
            let index = entry_of_rays(&mut archive, &path)?;
            let header = entry(&mut archive, index, &path)?.1;
            (Source::Archive(archive, index), header)
        } else {
            let (mut file, length) = open(&path)?;
            let header = Header::read(&mut file, length, &path, "")?;
            (Source::Array(file), header)
        };
        let reader = Self { path, source, header };
        reader.refuse_other_arrays()?;
        Ok(reader)
    }

    fn refuse_other_arrays(&self) -> Result<(), FileError> {
        let refuse = |reason: String| Err(FileError::meaning(&self.path, self.place(), reason));
        let Header { shape, dtype, .. } = &self.header;
        if !matches!(shape[..], [_, 6 | 8]) {
            return refuse(format!(
                "has shape {shape:?}: rays are (N, 6), origin and direction, or (N, 8), with t_min and t_max"
            ));
        }
        if *dtype != f32::DTYPE {
            return refuse(format!(
                "is of type {dtype}: rays are float32; convert them with a.astype(numpy.float32)"
            ));
        }
        Ok(())
    }

    /// Where in the file the rays are, for messages.
    fn place(&self) -> &'static str {
        match self.source {
            Source::Array(_) => "",
            Source::Archive(..) => ENTRY,
        }
    }

    /// How many rays there are.
    pub fn len(&self) -> usize {
        self.header.shape[0]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads all rays in their order and hands them over, at most `size` at a time, until there are no
    /// more or `take` fails.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, truncated; and what `take` returns.
    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        take: impl FnMut(Vec<Ray>) -> Result<(), E>,
    ) -> Result<(), E> {
        let place = self.place();
        let broken = |error| truncated(&self.path, place, &error);
        match &mut self.source {
            Source::Array(file) => rows(&self.header, file, size, broken, take),
            Source::Archive(archive, index) => {
                let (mut entry, header) = entry(archive, *index, &self.path)?;
                rows(&header, &mut entry, size, broken, take)?;
                // An entry's checksum is compared at its end.
                let rest = entry.read(&mut [0]).map_err(|error| {
                    FileError::meaning(&self.path, place, format!("is damaged: {error}"))
                });
                Ok(rest.map(drop)?)
            }
        }
    }
}

/// Which entry of an archive holds the rays; there must be no other.
fn entry_of_rays(
    archive: &mut ZipArchive<BufReader<File>>,
    path: &Path,
) -> Result<usize, FileError> {
    let mut found = None;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| broken(path, error))?;
        match array_name(&entry.name().map_err(|error| broken(path, error))?) {
            ENTRY => found = Some(index),
            other => {
                return Err(FileError::meaning(
                    path,
                    other,
                    "is not read here: a ray archive holds one array, rays, of shape (N, 6) or (N, 8)",
                ));
            }
        }
    }
    found.ok_or_else(|| {
        FileError::meaning(path, "", "holds no array named rays, of shape (N, 6) or (N, 8)")
    })
}

/// An entry of an archive, whose header is read.
fn entry<'a>(
    archive: &'a mut ZipArchive<BufReader<File>>,
    index: usize,
    path: &Path,
) -> Result<(impl Read + 'a, Header), FileError> {
    let mut entry = archive.by_index(index).map_err(|error| broken(path, error))?;
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
    mut take: impl FnMut(Vec<Ray>) -> Result<(), E>,
) -> Result<(), E> {
    let (mut left, columns) = (header.shape[0], header.shape[1]);
    while left > 0 {
        let count = left.min(size.max(1));
        let numbers: Vec<f32> = header.numbers(&mut reader, count * columns).map_err(&broken)?;
        let rays = if columns == 8 {
            // The file's row is the ray's own layout.
            bytemuck::cast_vec(numbers)
        } else {
            let ray = |row: &[f32]| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
            numbers.chunks_exact(6).map(ray).collect()
        };
        take(rays)?;
        left -= count;
    }
    Ok(())
}

/// Writes answers as an `.npz`, as [`HitWriter`] writes them.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_hits(path: impl AsRef<Path>, hits: &Hits) -> Result<(), FileError> {
    let mut writer = HitWriter::archive(path, hits.len())?;
    writer.write(hits)?;
    writer.finish().map(drop)
}

/// The arrays of answers, in the order of [`Hits`].
const ARRAYS: [&str; 4] = ["t_hit", "geometry_ids", "primitive_ids", "primitive_normals"];

/// Answer files that are written batch by batch: `t_hit`, `geometry_ids`, `primitive_ids` and
/// `primitive_normals`. They appear once all is written, or not at all.
#[derive(Debug)]
pub struct HitWriter {
    // Dropped before the outputs, which remove a folder that was made for nothing once it is empty.
    drafts: [Draft; ARRAYS.len()],
    outputs: Outputs,
    path: PathBuf,
    is_archive: bool,
    count: usize,
    written: usize,
}

impl HitWriter {
    /// An `.npz` with the answers to `count` rays. Its arrays lie beside it until it is finished, so it
    /// needs twice its place for a while.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn archive(path: impl AsRef<Path>, count: usize) -> Result<Self, FileError> {
        Self::new(path.as_ref(), count, true)
    }

    /// A folder with an `.npy` for each array of the answers to `count` rays.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, count: usize) -> Result<Self, FileError> {
        Self::new(path.as_ref(), count, false)
    }

    fn new(path: &Path, count: usize, is_archive: bool) -> Result<Self, FileError> {
        let mut outputs = Outputs::default();
        let place = |name| if is_archive { path.to_owned() } else { in_folder(path, name) };
        let [t_hit, geometry_ids, primitive_ids, normals] = ARRAYS.map(place);
        let drafts = [
            begin::<f32>(&mut outputs, &t_hit, &[count])?,
            begin::<u32>(&mut outputs, &geometry_ids, &[count])?,
            begin::<u32>(&mut outputs, &primitive_ids, &[count])?,
            begin::<f32>(&mut outputs, &normals, &[count, 3])?,
        ];
        Ok(Self { drafts, outputs, path: path.to_owned(), is_archive, count, written: 0 })
    }

    /// Adds the answers to the next rays.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn write(&mut self, hits: &Hits) -> Result<(), FileError> {
        let arrays: [&[u8]; ARRAYS.len()] = [
            bytemuck::cast_slice(&hits.t_hit),
            bytemuck::cast_slice(&hits.geometry_ids),
            bytemuck::cast_slice(&hits.primitive_ids),
            bytemuck::cast_slice(&hits.primitive_normals),
        ];
        for (draft, bytes) in self.drafts.iter_mut().zip(arrays) {
            draft.write(|file| file.write_all(bytes))?;
        }
        self.written += hits.len();
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
