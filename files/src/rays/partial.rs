//! Answers that are kept during a run, so that a later run can continue where an interrupted one
//! stopped.

use super::numpy;
use crate::FileError;
use bytemuck::Pod;
use raytwin::query::{AllHits, Answers, Hits, Query};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows by entries, each of which holds the answers to some rays and ends with their
/// hash (BLAKE3). Whatever a kill, a full disk or a power cut does to the end of the file, the
/// hashes prove which entries are whole, in whichever order the system wrote them.
#[derive(Debug)]
pub(super) struct PartialAnswers {
    file: File,
    path: PathBuf,
    query: Query,
    /// The offset of the first entry.
    begin: u64,
    kept: Vec<Kept>,
}

/// The counts of an entry of answers that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The count of rays that are answered.
    pub rays: usize,
    /// The count of these rays that hit something.
    pub hits: usize,
    /// The count of surfaces that these rays cross, or `None` if the query does not ask for it.
    pub crossings: Option<u64>,
}

/// The first line of the file. The second line tells what the answers are made from.
const TITLE: &str = "raytwin: answers to some rays of a file\n";

/// The three counts in front of the answers of an entry.
type EntryHeader = [u64; 3];
const HEADER_BYTES: usize = size_of::<EntryHeader>();
const HASH_BYTES: usize = blake3::OUT_LEN;

impl Kept {
    fn of(answers: &Answers) -> Self {
        Self { rays: answers.rays(), hits: answers.hits(), crossings: answers.crossings() }
    }

    fn header(self) -> EntryHeader {
        [self.rays as u64, self.hits as u64, self.crossings.unwrap_or(u64::MAX)]
    }

    fn from_header([rays, hits, crossings]: EntryHeader) -> Self {
        let crossings = (crossings != u64::MAX).then_some(crossings);
        Self { rays: rays as usize, hits: hits as usize, crossings }
    }

    /// The size of the arrays in bytes, or `None` if it is more than any machine can hold.
    fn array_bytes(self, query: Query) -> Option<usize> {
        let (ray_bytes, crossing_bytes) = numpy::row_bytes(query);
        let crossings = usize::try_from(self.crossings.unwrap_or(0)).ok()?;
        self.rays.checked_mul(ray_bytes)?.checked_add(crossings.checked_mul(crossing_bytes)?)
    }
}

impl PartialAnswers {
    /// Begins a file, or continues the one that is there if its answers are made from the same.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another run has it open or began it, or it is not
    /// a file of partial answers.
    pub fn open(path: &Path, query: Query, made_from: &str) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let mut file = open_locked(path)?;
        let title = format!("{TITLE}{made_from}\n");
        let mut begin = Vec::new();
        (&file).take(title.len() as u64).read_to_end(&mut begin).map_err(&fail)?;
        if begin != title.as_bytes() {
            // A run that was killed at its very beginning wrote a part of the title, or nothing.
            if !title.as_bytes().starts_with(&begin) {
                return Err(FileError::meaning(path, "", wrong_title(&begin)));
            }
            file.rewind().and_then(|()| file.write_all(title.as_bytes())).map_err(&fail)?;
        }
        let begin = title.len() as u64;
        let mut partial = Self { file, path: path.to_owned(), query, begin, kept: Vec::new() };
        let mut kept = Vec::new();
        let mut entries = partial.entries().map_err(&fail)?;
        while let Some((entry, _)) = entries.next().map_err(&fail)? {
            kept.push(entry);
        }
        // The bytes behind the last whole entry are cut off.
        let end = entries.position;
        let cut = partial.file.set_len(end).and_then(|()| partial.file.seek(SeekFrom::Start(end)));
        cut.map_err(&fail)?;
        partial.kept = kept;
        Ok(partial)
    }

    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// Appends an entry of the answers to the next rays.
    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let kept = Kept::of(answers);
        self.append(kept, answers).map_err(FileError::write(&self.path))?;
        self.kept.push(kept);
        Ok(())
    }

    fn append(&self, kept: Kept, answers: &Answers) -> io::Result<()> {
        let mut file = BufWriter::new(&self.file);
        let mut hasher = blake3::Hasher::new();
        let header = kept.header();
        let arrays = numpy::bytes_of(answers, self.query)?;
        for bytes in
            [bytemuck::bytes_of(&header)].into_iter().chain(arrays.iter().map(|array| &array[..]))
        {
            hasher.update(bytes);
            file.write_all(bytes)?;
        }
        file.write_all(hasher.finalize().as_bytes())?;
        file.flush()
    }

    /// Gives all answers to `take`, as they were written.
    pub fn replay(
        &self,
        mut take: impl FnMut(&Answers) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let fail = FileError::read(&self.path);
        let mut entries = self.entries().map_err(&fail)?;
        for _ in &self.kept {
            let Some((_, answers)) = entries.next().map_err(&fail)? else {
                let reason = "changed during the run: remove it, and start again";
                return Err(FileError::meaning(&self.path, "", reason));
            };
            take(&answers)?;
        }
        Ok(())
    }

    /// Removes the file, once its answers are in the output.
    pub fn remove(self) -> Result<(), FileError> {
        fs::remove_file(&self.path).map_err(FileError::write(&self.path))
    }

    /// Reads the entries from the first one on.
    fn entries(&self) -> io::Result<Entries<'_>> {
        let mut file = BufReader::with_capacity(1 << 20, &self.file);
        let position = file.seek(SeekFrom::Start(self.begin))?;
        Ok(Entries { file, query: self.query, position, end: self.file.metadata()?.len() })
    }
}

/// The reason to refuse a file with another beginning.
fn wrong_title(begin: &[u8]) -> &'static str {
    if begin.starts_with(TITLE.as_bytes()) {
        "was begun with another scene, other rays or options, or on another device: finish it with these, or remove it to start again"
    } else {
        "is not a file of partial answers, which would be kept under this name: rename it, or choose another place for the answers"
    }
}

/// Opens or makes the file, and locks it for this run.
fn open_locked(path: &Path) -> Result<File, FileError> {
    let fail = FileError::write(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(&fail)?;
    }
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(FileError::meaning(path, "", wrong_title(&[])));
    }
    let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
    loop {
        let file = open().map_err(&fail)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let reason = "belongs to a run that has not ended: wait for it, or choose another place for the answers";
            return Err(FileError::meaning(path, "", reason));
        }
        // Another run may have ended and removed the file after this one opened it.
        if path.exists() {
            return Ok(file);
        }
    }
}

/// The entries of the file in their order.
struct Entries<'a> {
    file: BufReader<&'a File>,
    query: Query,
    position: u64,
    end: u64,
}

impl Entries<'_> {
    /// Reads the next entry, or returns `None` if there is no further whole one.
    fn next(&mut self) -> io::Result<Option<(Kept, Answers)>> {
        let left = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        if left < HEADER_BYTES + HASH_BYTES {
            return Ok(None);
        }
        let mut header: EntryHeader = [0; 3];
        self.file.read_exact(bytemuck::bytes_of_mut(&mut header))?;
        let kept = Kept::from_header(header);
        // An entry that claims more bytes than there are is refused, or a false count would reserve
        // all memory.
        let length = kept
            .array_bytes(self.query)
            .filter(|&length| length <= left - HEADER_BYTES - HASH_BYTES);
        let Some(length) = length else { return Ok(None) };
        let mut arrays = vec![0; length];
        let mut hash = [0; HASH_BYTES];
        self.file.read_exact(&mut arrays)?;
        self.file.read_exact(&mut hash)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytemuck::bytes_of(&header)).update(&arrays);
        if hasher.finalize() != hash {
            return Ok(None);
        }
        self.position += (HEADER_BYTES + length + HASH_BYTES) as u64;
        Ok(Some((kept, answers(self.query, kept, &arrays)?)))
    }
}

/// Decodes answers from the bytes of their arrays.
fn answers(query: Query, kept: Kept, mut bytes: &[u8]) -> io::Result<Answers> {
    fn next<T: Pod>(bytes: &mut &[u8], count: usize) -> io::Result<Vec<T>> {
        let mut numbers = vec![T::zeroed(); count];
        bytes.read_exact(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }
    let bytes = &mut bytes;
    let rays = kept.rays;
    Ok(match query {
        Query::Closest { faces, instances, labels } => Answers::Closest(Hits {
            t_hit: next(bytes, rays)?,
            geometry_ids: next(bytes, rays)?,
            primitive_ids: next(bytes, rays)?,
            primitive_normals: next(bytes, rays)?,
            faces: if faces { next(bytes, rays)? } else { Vec::new() },
            instance_ids: if instances { next(bytes, rays)? } else { Vec::new() },
            label_ids: if labels { next(bytes, rays)? } else { Vec::new() },
        }),
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

    /// Answers to three rays, of which the second one misses.
    fn some(query: Query) -> Answers {
        let hit = |t| Hit { t, geometry_id: 7, primitive_id: 3 };
        match query {
            Query::Closest { faces, instances, labels } => Answers::Closest(Hits {
                t_hit: vec![1.0, f32::INFINITY, f32::NAN],
                geometry_ids: vec![1, u32::MAX, u32::MAX],
                primitive_ids: vec![5, u32::MAX, u32::MAX],
                primitive_normals: vec![[0.0, -1.0, 0.0], [0.0; 3], [0.0; 3]],
                faces: if faces { vec![2, u32::MAX, u32::MAX] } else { Vec::new() },
                instance_ids: if instances { vec![9, u32::MAX, u32::MAX] } else { Vec::new() },
                label_ids: if labels { vec![65_535, 0, 0] } else { Vec::new() },
            }),
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
        let asked = [[true, false, false], [false, true, true], [true, true, true]];
        let closest =
            asked.map(|[faces, instances, labels]| Query::Closest { faces, instances, labels });
        for query in closest.into_iter().chain(Query::KINDS) {
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
                    assert_eq!(partial.kept(), vec![Kept::of(&answers); left], "{length}");
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
