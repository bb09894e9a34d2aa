//! Rays from NumPy's files.

use crate::files::FileError;
use crate::npz::{Header, Number, array_name, broken, open, open_npz, truncated};
use crate::ray::Ray;
use crate::rays::Rays;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// What an archive calls its rays, and what it may hold for each of them.
const RAYS: &str = "rays";
const MASKS: &str = "ray_masks";
const IGNORED: &str = "ignore_ids";

/// An `.npy` of rays, or an `.npz` of rays and what belongs to each.
#[derive(Debug)]
pub(in crate::rays) struct NumpyRays {
    path: PathBuf,
    rays: Array,
    masks: Option<Array>,
    ignored: Option<Array>,
}

/// An array that is there to be read.
#[derive(Debug)]
struct Array {
    /// Its name in the archive; empty where it is the file.
    name: &'static str,
    source: Source,
    header: Header,
}

/// Where the numbers come from.
#[derive(Debug)]
enum Source {
    /// A file whose header is read.
    File(BufReader<File>),
    /// An entry of an archive, which is opened once for each of its arrays, so that they are read beside each
    /// other.
    Entry(ZipArchive<BufReader<File>>, usize),
}

impl NumpyRays {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let is_archive =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
        let [rays, masks, ignored] = if is_archive {
            arrays_of(path)?
        } else {
            let (mut file, length) = open(path)?;
            let header = Header::read(&mut file, length, path, "")?;
            [Some(Array { name: "", source: Source::File(file), header }), None, None]
        };
        let rays = rays.ok_or_else(|| {
            FileError::meaning(path, "", "holds no array named rays, of shape (N, 6) or (N, 8)")
        })?;
        rays.refuse_unless_rays(path)?;
        let count = rays.header.shape[0];
        for array in [&masks, &ignored].into_iter().flatten() {
            array.refuse_unless_one_each(count, path)?;
        }
        Ok(Self { path: path.to_owned(), rays, masks, ignored })
    }

    pub fn len(&self) -> usize {
        self.rays.header.shape[0]
    }

    pub fn ignored(&self) -> Option<&'static str> {
        self.ignored.as_ref().map(|array| array.name)
    }

    pub fn batches<E: From<FileError>>(
        mut self,
        size: usize,
        mut take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut left = self.len();
        let columns = self.rays.header.shape[1];
        let path = self.path.as_path();
        let mut rays = self.rays.numbers(path)?;
        let mut masks = self.masks.as_mut().map(|array| array.numbers(path)).transpose()?;
        let mut ignored = self.ignored.as_mut().map(|array| array.numbers(path)).transpose()?;
        while left > 0 {
            let count = left.min(size);
            let next = |array: &mut Stream<'_>| array.next(count);
            take(Rays {
                rays: rows(rays.next(count * columns)?, columns),
                masks: masks.as_mut().map(next).transpose()?,
                ignored: ignored.as_mut().map(next).transpose()?,
            })?;
            left -= count;
        }
        for array in [Some(rays), masks, ignored].into_iter().flatten() {
            array.finish()?;
        }
        Ok(())
    }
}

/// The arrays of an archive that are read here; there must be no others.
fn arrays_of(path: &Path) -> Result<[Option<Array>; 3], FileError> {
    const NAMES: [&str; 3] = [RAYS, MASKS, IGNORED];
    let mut found = [None, None, None];
    let mut archive = open_npz(path)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(|error| broken(path, error))?;
        let name = entry.name().map_err(|error| broken(path, error))?;
        let name = array_name(&name);
        let Some(place) = NAMES.iter().position(|known| *known == name) else {
            return Err(FileError::meaning(
                path,
                name,
                "is not read here: a ray archive holds rays, of shape (N, 6) or (N, 8), and may hold ray_masks \
                 and ignore_ids, of shape (N,)",
            ));
        };
        drop(entry);
        let mut own = open_npz(path)?;
        let header = entry_of(&mut own, index, path, NAMES[place])?.1;
        found[place] =
            Some(Array { name: NAMES[place], source: Source::Entry(own, index), header });
    }
    Ok(found)
}

/// An entry of an archive, whose header is read.
fn entry_of<'a>(
    archive: &'a mut ZipArchive<BufReader<File>>,
    index: usize,
    path: &Path,
    name: &str,
) -> Result<(impl Read + use<'a>, Header), FileError> {
    let mut entry = archive.by_index(index).map_err(|error| broken(path, error))?;
    let length = entry.size();
    let header = Header::read(&mut entry, length, path, name)?;
    Ok((entry, header))
}

impl Array {
    fn refuse_unless_rays(&self, path: &Path) -> Result<(), FileError> {
        let refuse = |reason: String| Err(FileError::meaning(path, self.name, reason));
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

    fn refuse_unless_one_each(&self, rays: usize, path: &Path) -> Result<(), FileError> {
        let Header { shape, dtype, .. } = &self.header;
        if shape[..] == [rays] && *dtype == u32::DTYPE {
            return Ok(());
        }
        let reason =
            format!("is {dtype} {shape:?}: it must be uint32 of shape ({rays},), one for each ray");
        Err(FileError::meaning(path, self.name, reason))
    }

    /// Its numbers, from the first on.
    fn numbers<'a>(&'a mut self, path: &'a Path) -> Result<Stream<'a>, FileError> {
        let Self { name, source, header } = self;
        let reader: Box<dyn Read> = match source {
            Source::File(file) => Box::new(file),
            Source::Entry(archive, index) => Box::new(entry_of(archive, *index, path, name)?.0),
        };
        Ok(Stream { name, path, header, reader })
    }
}

/// Numbers that are read one after another.
struct Stream<'a> {
    name: &'static str,
    path: &'a Path,
    header: &'a Header,
    reader: Box<dyn Read + 'a>,
}

impl Stream<'_> {
    fn next<T: Number>(&mut self, count: usize) -> Result<Vec<T>, FileError> {
        let numbers = self.header.numbers(&mut self.reader, count);
        numbers.map_err(|error| truncated(self.path, self.name, &error))
    }

    /// An entry's checksum is compared at its end.
    fn finish(mut self) -> Result<(), FileError> {
        let Self { name, path, .. } = self;
        let rest = self.reader.read(&mut [0]);
        rest.map(drop)
            .map_err(|error| FileError::meaning(path, name, format!("is damaged: {error}")))
    }
}

fn rows(numbers: Vec<f32>, columns: usize) -> Vec<Ray> {
    if columns == 8 {
        // The file's row is the ray's own layout.
        return bytemuck::cast_vec(numbers);
    }
    let ray = |row: &[f32]| Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
    numbers.chunks_exact(6).map(ray).collect()
}
