//! Answers as NumPy's arrays, by the names that Open3D gives them.

use crate::files::{Draft, FileError, Outputs};
use crate::npz::{NpzWriter, Number, open_npz, write_header};
use crate::query::{Answers, Query};
use bytemuck::{NoUninit, pod_collect_to_vec};
use std::borrow::Cow;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// Arrays that are written batch by batch, as an `.npz` or as an `.npy` each.
#[derive(Debug)]
pub(in crate::rays) struct NumpyAnswers {
    // Dropped before the outputs, which remove a folder that was made for nothing once it is empty.
    arrays: Vec<Array>,
    outputs: Outputs,
    path: PathBuf,
    is_archive: bool,
    before: Before,
}

/// How many rays and crossings are written.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    rays: u64,
    crossings: u64,
}

/// An array of a length that is known at the end.
#[derive(Debug)]
struct Array {
    layout: Layout,
    draft: Draft,
    rows: usize,
}

/// What an array is, and how many numbers a row of it has, if not one.
#[derive(Clone, Copy, Debug)]
struct Layout {
    name: &'static str,
    descr: &'static str,
    columns: Option<usize>,
}

impl Layout {
    fn shape(&self, rows: usize) -> Vec<usize> {
        [rows].into_iter().chain(self.columns).collect()
    }

    fn row_bytes(&self) -> usize {
        let width = usize::from(self.descr.as_bytes()[1] - b'0');
        width * self.columns.unwrap_or(1)
    }
}

/// NumPy's letters and widths of numbers that are written and never read.
const BOOL: &str = "b1";
const UINT64: &str = "u8";

/// The arrays of the answers to a query.
fn layouts(query: Query) -> Vec<Layout> {
    let of = |name, descr| Layout { name, descr, columns: None };
    let t_hit = of("t_hit", f32::DESCR);
    let geometry_ids = of("geometry_ids", u32::DESCR);
    let primitive_ids = of("primitive_ids", u32::DESCR);
    match query {
        Query::Closest { faces } => {
            let normals = Layout { columns: Some(3), ..of("primitive_normals", f32::DESCR) };
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
        let mut outputs = Outputs::default();
        let begin = |layout: Layout| {
            let place = if is_archive { path.to_owned() } else { in_folder(path, layout.name) };
            let mut draft = outputs.draft(&place)?;
            draft.add(|file| write_header(file, layout.descr, &layout.shape(0)))?;
            Ok(Array { layout, draft, rows: 0 })
        };
        let mut arrays =
            layouts(query).into_iter().map(begin).collect::<Result<Vec<Array>, FileError>>()?;
        if query == Query::All {
            // Where the first ray's crossings begin.
            arrays[0].add(bytemuck::bytes_of(&0_u64))?;
        }
        let before = Before::default();
        Ok(Self { arrays, outputs, path: path.to_owned(), is_archive, before })
    }

    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let bytes = bytes(answers, self.before).map_err(FileError::write(&self.path))?;
        for (array, bytes) in self.arrays.iter_mut().zip(bytes) {
            array.add(&bytes)?;
        }
        self.before.rays += answers.rays() as u64;
        self.before.crossings += answers.crossings().unwrap_or(0);
        Ok(())
    }

    pub fn finish(self, note: Option<&str>) -> Result<Vec<PathBuf>, FileError> {
        let Self { mut arrays, mut outputs, path, is_archive, .. } = self;
        for array in &mut arrays {
            array.tell_length()?;
        }
        let files = if is_archive {
            outputs.add(&path, |file| {
                let mut archive = NpzWriter::new(file);
                for array in &mut arrays {
                    archive.npy(array.layout.name, array.draft.read_back()?)?;
                }
                note.map_or(Ok(()), |note| archive.comment(note))?;
                archive.finish()
            })?;
            vec![path]
        } else {
            let files = arrays.iter().map(|array| in_folder(&path, array.layout.name)).collect();
            for array in arrays {
                outputs.keep(array.draft)?;
            }
            files
        };
        outputs.publish()?;
        Ok(files)
    }
}

impl Array {
    fn add(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.rows += bytes.len() / self.layout.row_bytes();
        self.draft.add(|file| file.write_all(bytes))
    }

    /// Writes the header again.
    fn tell_length(&mut self) -> Result<(), FileError> {
        let shape = self.layout.shape(self.rows);
        self.draft.add(|file| {
            file.rewind()?;
            write_header(file, self.layout.descr, &shape)
        })
    }
}

fn in_folder(folder: &Path, array: &str) -> PathBuf {
    folder.join(format!("{array}.npy"))
}

/// The comment of an archive that can be read, if it has one.
pub(in crate::rays) fn note_of(path: &Path) -> Option<String> {
    let archive = open_npz(path).ok()?;
    String::from_utf8(archive.comment().to_vec()).ok().filter(|note| !note.is_empty())
}
