//! Answers as NumPy's arrays, by the names that Open3D gives them.

use crate::files::FileError;
use crate::npz::{ArrayLayout, ArraysToWrite, Number, open_npz};
use crate::points;
use crate::query::{Answers, Query};
use bytemuck::{NoUninit, pod_collect_to_vec};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// Arrays that are written batch by batch, as an `.npz` or as an `.npy` each.
#[derive(Debug)]
pub(in crate::rays) struct NumpyAnswers {
    arrays: ArraysToWrite,
    before: Before,
}

/// How many rays and crossings are written.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    rays: u64,
    crossings: u64,
}

/// NumPy's letters and widths of numbers that are written and never read.
const BOOL: &str = "b1";
const UINT64: &str = "u8";

/// The arrays of the answers to a query.
fn layouts(query: Query) -> Vec<ArrayLayout> {
    let of = ArrayLayout::new;
    let t_hit = of("t_hit", f32::DESCR);
    let geometry_ids = of("geometry_ids", u32::DESCR);
    let primitive_ids = of("primitive_ids", u32::DESCR);
    match query {
        Query::Closest { faces } => {
            let normals = ArrayLayout { columns: Some(3), ..of("primitive_normals", f32::DESCR) };
            let mut layouts = vec![t_hit, geometry_ids, primitive_ids, normals];
            layouts.extend(faces.then_some(of("faces", u32::DESCR)));
            layouts
        }
        Query::Any => vec![of("occluded", BOOL)],
        Query::Count => vec![of("intersections", u32::DESCR)],
        Query::All => {
            let [splits, ray_ids] = [of("ray_splits", UINT64), of("ray_ids", u32::DESCR)];
            vec![splits, ray_ids, t_hit, geometry_ids, primitive_ids]
        }
    }
}

/// The names that the files in a folder of answers may have, to whichever query, or of points.
pub fn answer_files() -> impl Iterator<Item = String> {
    let queries = [Query::Closest { faces: true }, Query::Any, Query::Count, Query::All];
    let of_rays = queries.into_iter().flat_map(layouts);
    of_rays.chain(points::LAYOUTS).map(|layout| layout.file_name())
}

/// The bytes of these arrays, in the same order; faces last, which are left where nobody asked for them.
fn bytes(answers: &Answers, before: Before) -> io::Result<Vec<Cow<'_, [u8]>>> {
    fn plain<T: NoUninit>(numbers: &[T]) -> Cow<'_, [u8]> {
        bytemuck::cast_slice(numbers).into()
    }
    Ok(match answers {
        Answers::Closest(hits) => vec![
            plain(&hits.t_hit),
            plain(&hits.geometry_ids),
            plain(&hits.primitive_ids),
            plain(&hits.primitive_normals),
            plain(&hits.faces),
        ],
        Answers::Any(occluded) => vec![plain(occluded)],
        Answers::Count(intersections) => vec![plain(intersections)],
        Answers::All(all) => {
            let splits = all.ray_splits[1..].iter().map(|split| split + before.crossings);
            let first = before.first_ray_id(all.ray_count())?;
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

/// The bytes of the arrays that are asked for, each ray's place counted from the first of these.
pub(in crate::rays) fn bytes_of(answers: &Answers, query: Query) -> io::Result<Vec<Cow<'_, [u8]>>> {
    let mut arrays = bytes(answers, Before::default())?;
    arrays.truncate(layouts(query).len());
    Ok(arrays)
}

/// How many bytes those arrays have for each ray, and for each crossing.
pub(in crate::rays) fn row_bytes(query: Query) -> (usize, usize) {
    let bytes = |layouts: &[ArrayLayout]| layouts.iter().map(ArrayLayout::row_bytes).sum();
    let layouts = layouts(query);
    match query {
        Query::All => (bytes(&layouts[..1]), bytes(&layouts[1..])),
        _ => (bytes(&layouts), 0),
    }
}

impl Before {
    /// The place in the file of the first of so many rays.
    fn first_ray_id(self, rays: usize) -> io::Result<u32> {
        let too_many =
            |_| io::Error::other("ray_ids are uint32, and there are more rays: cut the file up");
        u32::try_from(self.rays + rays as u64).map_err(too_many)?;
        Ok(self.rays as u32)
    }
}

impl NumpyAnswers {
    pub fn new(path: &Path, query: Query, is_archive: bool) -> Result<Self, FileError> {
        let mut arrays = ArraysToWrite::new(path, &layouts(query), is_archive)?;
        if query == Query::All {
            // Where the first ray's crossings begin.
            arrays.add([bytemuck::bytes_of(&0_u64).into()])?;
        }
        Ok(Self { arrays, before: Before::default() })
    }

    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let bytes = bytes(answers, self.before).map_err(FileError::write(self.arrays.path()))?;
        self.arrays.add(bytes)?;
        self.before.rays += answers.rays() as u64;
        self.before.crossings += answers.crossings().unwrap_or(0);
        Ok(())
    }

    pub fn finish(self, note: Option<&str>) -> Result<Vec<PathBuf>, FileError> {
        self.arrays.finish(note)
    }
}

/// The comment of an archive that can be read, if it has one.
pub(in crate::rays) fn note_of(path: &Path) -> Option<String> {
    let archive = open_npz(path).ok()?;
    String::from_utf8(archive.comment().to_vec()).ok().filter(|note| !note.is_empty())
}
