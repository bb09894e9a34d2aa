//! Answers that are kept during a run, so that a later run can continue where an interrupted run
//! stopped. At the end, the ordinary writer writes them again.

use super::numpy;
use crate::FileError;
use crate::answers::ray_answer_bytes;
use crate::bytes::partial::PartialFile;
use bytemuck::Pod;
use raytwin::query::{AllHits, Answers, HitArrays, Hits, Query};
use std::io::{self, Read};
use std::path::Path;

/// A file whose entries each have the answers to some rays.
#[derive(Debug)]
pub(super) struct PartialAnswers {
    file: PartialFile,
    query: Query,
    kept: Vec<AnswerCounts>,
}

/// The counts of an entry of answers that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerCounts {
    /// The count of rays that are answered.
    pub rays: usize,
    /// The count of these rays that hit something.
    pub hits: usize,
    /// The count of surfaces that these rays cross, or `None` if the query does not ask for it.
    pub crossings: Option<u64>,
}

/// The first line of the file. The second line states what the answers are made from.
const TITLE: &str = "raytwin: answers to some rays of a file";

/// The three counts in front of the answers of an entry.
type EntryHeader = [u64; 3];
const HEADER_BYTES: usize = size_of::<EntryHeader>();

impl AnswerCounts {
    fn of(answers: &Answers) -> Self {
        Self { rays: answers.rays(), hits: answers.hits(), crossings: answers.crossings() }
    }

    fn header(self) -> EntryHeader {
        [self.rays as u64, self.hits as u64, self.crossings.unwrap_or(u64::MAX)]
    }

    /// Reads the counts of an entry, and returns the bytes of its arrays; `None` if these are not as
    /// many as the counts say.
    fn split(query: Query, entry: &[u8]) -> Option<(Self, &[u8])> {
        let (header, arrays) = entry.split_at_checked(HEADER_BYTES)?;
        let mut numbers: EntryHeader = [0; 3];
        bytemuck::bytes_of_mut(&mut numbers).copy_from_slice(header);
        let [rays, hits, crossings] = numbers;
        let crossings = (crossings != u64::MAX).then_some(crossings);
        let kept = Self { rays: rays as usize, hits: hits as usize, crossings };
        (kept.array_bytes(query) == Some(arrays.len())).then_some((kept, arrays))
    }

    /// The size of the arrays in bytes, or `None` if it is more than any machine can hold.
    fn array_bytes(self, query: Query) -> Option<usize> {
        let (ray_bytes, crossing_bytes) = numpy::row_bytes(query);
        let crossings = usize::try_from(self.crossings.unwrap_or(0)).ok()?;
        self.rays.checked_mul(ray_bytes)?.checked_add(crossings.checked_mul(crossing_bytes)?)
    }
}

impl PartialAnswers {
    /// Begins a file, or continues an existing one if its answers are made from the same inputs.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another run has it open or started it, or it is
    /// not a file of partial answers.
    pub fn open(path: &Path, query: Query, made_from: &str) -> Result<Self, FileError> {
        let mut kept = Vec::new();
        let query = query.with_hits();
        let file = PartialFile::open(path, TITLE, made_from, |entry| {
            let found = AnswerCounts::split(query, entry);
            kept.extend(found.map(|(counts, _)| counts));
            Ok(found.is_some())
        })?;
        Ok(Self { file, query, kept })
    }

    pub fn kept(&self) -> &[AnswerCounts] {
        &self.kept
    }

    /// Appends an entry of the answers to the next rays.
    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let kept = AnswerCounts::of(answers);
        let header = kept.header();
        let arrays = ray_answer_bytes(answers, self.query, [0; 2]);
        let parts: Vec<&[u8]> = [bytemuck::bytes_of(&header)]
            .into_iter()
            .chain(arrays.iter().map(|(_, bytes)| &bytes[..]))
            .collect();
        self.file.append(&parts)?;
        self.kept.push(kept);
        Ok(())
    }

    /// Passes all answers to `take`, as they were written.
    pub fn replay(
        &self,
        mut take: impl FnMut(&Answers) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let fail = FileError::read(self.file.path());
        let mut entries = self.file.entries().map_err(&fail)?;
        for _ in &self.kept {
            let entry = entries.next_kept().map_err(&fail)?;
            if let Some((kept, arrays)) = AnswerCounts::split(self.query, &entry) {
                take(&answers(self.query, kept, arrays).map_err(&fail)?)?;
            }
        }
        Ok(())
    }

    /// Returns the file, which can be removed when its answers are in the output.
    pub fn into_file(self) -> PartialFile {
        self.file
    }
}

/// Decodes answers from the bytes of their arrays.
fn answers(query: Query, kept: AnswerCounts, mut bytes: &[u8]) -> io::Result<Answers> {
    fn next<T: Pod>(bytes: &mut &[u8], count: usize) -> io::Result<Vec<T>> {
        let mut numbers = vec![T::zeroed(); count];
        bytes.read_exact(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }
    let bytes = &mut bytes;
    let rays = kept.rays;
    Ok(match query {
        Query::Closest(arrays) => {
            let rows = |array| if arrays.has(array) { rays } else { 0 };
            Answers::Closest(Hits {
                t_hit: next(bytes, rays)?,
                geometry_ids: next(bytes, rays)?,
                primitive_ids: next(bytes, rays)?,
                primitive_normals: next(bytes, rows(HitArrays::PRIMITIVE_NORMALS))?,
                faces: next(bytes, rows(HitArrays::FACES))?,
                instance_ids: next(bytes, rows(HitArrays::INSTANCE_IDS))?,
                label_ids: next(bytes, rows(HitArrays::LABEL_IDS))?,
            })
        }
        Query::Any => {
            Answers::Any(next::<u8>(bytes, rays)?.iter().map(|&byte| byte != 0).collect())
        }
        Query::Count => Answers::Count(next(bytes, rays)?),
        Query::All => {
            let crossings = kept.crossings.unwrap_or(0) as usize;
            Answers::All(AllHits {
                ray_splits: [vec![0], next(bytes, rays)?].concat(),
                ray_ids: next(bytes, crossings)?,
                t_hit: next(bytes, crossings)?,
                geometry_ids: next(bytes, crossings)?,
                primitive_ids: next(bytes, crossings)?,
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::ray::Hit;
    use std::fs;

    /// Answers to three rays, of which the second one misses.
    fn some(query: Query) -> Answers {
        let hit = |t| Hit { t, geometry_id: 7, primitive_id: 3 };
        match query {
            Query::Closest(arrays) => {
                let asked =
                    |array, of: [u32; 3]| if arrays.has(array) { of.into() } else { vec![] };
                let mut hits = Hits {
                    t_hit: vec![1.0, f32::INFINITY, f32::NAN],
                    geometry_ids: vec![1, u32::MAX, u32::MAX],
                    primitive_ids: vec![5, u32::MAX, u32::MAX],
                    faces: asked(HitArrays::FACES, [2, u32::MAX, u32::MAX]),
                    instance_ids: asked(HitArrays::INSTANCE_IDS, [9, u32::MAX, u32::MAX]),
                    ..Hits::default()
                };
                if arrays.has(HitArrays::PRIMITIVE_NORMALS) {
                    hits.primitive_normals = vec![[0.0, -1.0, 0.0], [0.0; 3], [0.0; 3]];
                }
                if arrays.has(HitArrays::LABEL_IDS) {
                    hits.label_ids = vec![65_535, 0, 0];
                }
                Answers::Closest(hits)
            }
            Query::Any => Answers::Any(vec![true, false, true]),
            Query::Count => Answers::Count(vec![2, 0, 9]),
            Query::All => {
                let mut all = AllHits::default();
                all.push([hit(1.0), hit(2.0)]);
                all.push([]);
                all.push([hit(3.0)]);
                Answers::All(all)
            }
        }
    }

    fn replayed(partial: &PartialAnswers) -> Vec<String> {
        let mut all = Vec::new();
        let taken = partial.replay(|answers| {
            all.push(format!("{answers:?}"));
            Ok(())
        });
        taken.unwrap();
        all
    }

    #[test]
    fn entries_before_a_cut_or_changed_byte_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        let asked = [HitArrays::FACES, HitArrays::INSTANCE_IDS.and(HitArrays::LABEL_IDS)];
        let asked = asked.map(|arrays| arrays.and(HitArrays::DEFAULT));
        let closest = asked.into_iter().chain([HitArrays::ALL, HitArrays::T_HIT]);
        let closest = closest.map(Query::Closest);
        for query in closest.chain(Query::KINDS) {
            let mut partial = PartialAnswers::open(&path, query, "this").unwrap();
            let begin = fs::metadata(&path).unwrap().len() as usize;
            let answers = some(query);
            for _ in 0..3 {
                partial.write(&answers).unwrap();
            }
            let text = vec![format!("{answers:?}"); 3];
            assert_eq!(replayed(&partial), text);
            drop(partial);
            let whole = fs::read(&path).unwrap();
            let entry = (whole.len() - begin) / 3;
            for length in 0..=whole.len() {
                let mut changed = whole.clone();
                if let Some(byte) = changed[begin..].get_mut(length) {
                    *byte ^= 4;
                }
                let cut_file = (&whole[..length], length.saturating_sub(begin) / entry);
                let changed_file = (&changed[..], length.min(whole.len() - begin) / entry);
                for (bytes, left) in [cut_file, changed_file] {
                    fs::write(&path, bytes).unwrap();
                    let mut partial = PartialAnswers::open(&path, query, "this").unwrap();
                    assert_eq!(partial.kept(), vec![AnswerCounts::of(&answers); left], "{length}");
                    while partial.kept().len() < 3 {
                        partial.write(&answers).unwrap();
                    }
                    assert_eq!(replayed(&partial), text);
                    drop(partial);
                    assert!(fs::read(&path).unwrap() == whole);
                }
            }
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn files_of_another_run_or_another_kind_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        let refused =
            |made_from| PartialAnswers::open(&path, Query::Any, made_from).unwrap_err().to_string();
        let partial = PartialAnswers::open(&path, Query::Any, "this").unwrap();
        assert!(refused("this").contains("has not ended"));
        drop(partial);
        let before = fs::read(&path).unwrap();
        assert!(refused("that").contains("another scene"));
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::write(&path, "a letter").unwrap();
        assert!(refused("this").contains("not a file of partial answers"));
        assert_eq!(fs::read(&path).unwrap(), b"a letter");
    }
}
