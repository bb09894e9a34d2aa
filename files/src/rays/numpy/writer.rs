//! Answers as NumPy's arrays.

use crate::answers::{answer_files, ray_answer_arrays};
use crate::bytes::npz::{ArrayLayout, ArraysToWrite, open_npz};
use crate::{FileError, FileStore, Outputs};
use bytemuck::{NoUninit, pod_collect_to_vec};
use raytwin::query::{Answers, HitArrays, Query};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// A writer of answers, batch by batch, as one `.npz` or as one `.npy` for each array.
#[derive(Debug)]
pub(in crate::rays) struct NumpyAnswers {
    arrays: ArraysToWrite,
    query: Query,
    written: WrittenCounts,
}

/// The counts of rays and crossings that are already written.
#[derive(Clone, Copy, Debug, Default)]
struct WrittenCounts {
    rays: u64,
    crossings: u64,
}

/// The bytes of the arrays that a query asks for, in their order.
fn bytes(
    answers: &Answers,
    query: Query,
    written: WrittenCounts,
) -> io::Result<Vec<Cow<'_, [u8]>>> {
    fn plain<T: NoUninit>(numbers: &[T]) -> Cow<'_, [u8]> {
        bytemuck::cast_slice(numbers).into()
    }
    Ok(match answers {
        Answers::Closest(hits) => {
            let arrays = [
                (HitArrays::T_HIT, plain(&hits.t_hit)),
                (HitArrays::GEOMETRY_IDS, plain(&hits.geometry_ids)),
                (HitArrays::PRIMITIVE_IDS, plain(&hits.primitive_ids)),
                (HitArrays::PRIMITIVE_NORMALS, plain(&hits.primitive_normals)),
                (HitArrays::FACES, plain(&hits.faces)),
                (HitArrays::INSTANCE_IDS, plain(&hits.instance_ids)),
                (HitArrays::LABEL_IDS, plain(&hits.label_ids)),
            ];
            let arrays = arrays.into_iter().filter(|(array, _)| query.asks_for(*array));
            arrays.map(|(_, bytes)| bytes).collect()
        }
        Answers::Any(occluded) => vec![plain(occluded)],
        Answers::Count(intersections) => vec![plain(intersections)],
        Answers::All(all) => {
            let splits = all.ray_splits[1..].iter().map(|split| split + written.crossings);
            let first = written.first_ray_id(all.ray_count())?;
            let ray_ids = all.ray_ids.iter().map(|ray| ray + first);
            vec![
                pod_collect_to_vec(&splits.collect::<Vec<u64>>()).into(),
                pod_collect_to_vec(&ray_ids.collect::<Vec<u32>>()).into(),
                plain(&all.t_hit),
                plain(&all.geometry_ids),
                plain(&all.primitive_ids),
            ]
        }
    })
}

/// The bytes of the arrays that a query asks for. Ray ids and splits are counted from the first of
/// these rays.
pub(in crate::rays) fn bytes_of(answers: &Answers, query: Query) -> io::Result<Vec<Cow<'_, [u8]>>> {
    bytes(answers, query, WrittenCounts::default())
}

/// The sizes in bytes of these arrays' rows for a ray and for a crossing.
pub(in crate::rays) fn row_bytes(query: Query) -> (usize, usize) {
    let bytes = |arrays: &[ArrayLayout]| arrays.iter().map(ArrayLayout::row_bytes).sum();
    let arrays = ray_answer_arrays(query);
    match query {
        Query::All => (bytes(&arrays[..1]), bytes(&arrays[1..])),
        _ => (bytes(&arrays), 0),
    }
}

impl WrittenCounts {
    /// The index in the file of the first of the next `rays` rays, of which all must have a 32-bit
    /// index.
    fn first_ray_id(self, rays: usize) -> io::Result<u32> {
        let too_many = |_| {
            io::Error::other(
                "ray_ids are uint32, and there are more rays than that: split the file",
            )
        };
        u32::try_from(self.rays + rays as u64).map_err(too_many)?;
        Ok(self.rays as u32)
    }
}

impl NumpyAnswers {
    pub fn archive(path: &Path, query: Query) -> Result<Self, FileError> {
        Self::begin(ArraysToWrite::archive(path, &ray_answer_arrays(query))?, query)
    }

    pub fn folder(path: &Path, query: Query) -> Result<Self, FileError> {
        let layouts = ray_answer_arrays(query);
        Self::begin(ArraysToWrite::folder(path, &layouts, answer_files())?, query)
    }

    fn begin(mut arrays: ArraysToWrite, query: Query) -> Result<Self, FileError> {
        if query == Query::All {
            // The crossings of the first ray begin at 0.
            arrays.add([bytemuck::bytes_of(&0_u64).into()])?;
        }
        Ok(Self { arrays, query, written: WrittenCounts::default() })
    }

    /// Gives the arrays that hold something for each ray these extents in place of the count of
    /// rays.
    pub fn shaped(self, query: Query, shape: &[usize]) -> Result<Self, FileError> {
        match query {
            Query::All => Ok(self),
            _ => Ok(Self { arrays: self.arrays.shaped(shape)?, ..self }),
        }
    }

    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let bytes = bytes(answers, self.query, self.written);
        let bytes = bytes.map_err(FileError::write(self.arrays.path()))?;
        self.arrays.add(bytes)?;
        self.written.rays += answers.rays() as u64;
        self.written.crossings += answers.crossings().unwrap_or(0);
        Ok(())
    }

    pub fn complete(self, note: Option<&str>) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        self.arrays.complete(note)
    }
}

/// It is `None` if the archive cannot be read, or has no comment.
pub(in crate::rays) fn note_of(path: &Path) -> Option<String> {
    let archive = open_npz(&FileStore::disk(), path).ok()?;
    String::from_utf8(archive.comment().to_vec()).ok().filter(|note| !note.is_empty())
}
