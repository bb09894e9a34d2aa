//! Answers that are kept while a run goes on, so that another can go on where it ends.

use super::numpy;
use crate::files::FileError;
use crate::query::{AllHits, Hits};
use crate::query::{Answers, Query};
use bytemuck::Pod;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that grows by the answers to some rays at a time, each followed by a hash (BLAKE3). Whatever a kill, a full
/// disk or a power cut does to its end, what stands before that is known to be whole, in whichever order the system
/// wrote it.
#[derive(Debug)]
pub(super) struct Partial {
    file: File,
    path: PathBuf,
    query: Query,
    /// Where the answers begin.
    begin: u64,
    kept: Vec<Kept>,
}

/// What is known of answers that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// How many rays they answer.
    pub rays: usize,
    /// How many of these meet something.
    pub hits: usize,
    /// How many surfaces these cross; `None` where that was not asked.
    pub crossings: Option<u64>,
}

/// The first line; the second says what the answers are made from.
const TITLE: &str = "raytwin: answers to some rays of a file\n";

/// The three numbers that stand before answers.
type Head = [u64; 3];
const HEAD: usize = size_of::<Head>();
const HASH: usize = blake3::OUT_LEN;

impl Kept {
    fn of(answers: &Answers) -> Self {
        Self { rays: answers.rays(), hits: answers.hits(), crossings: answers.crossings() }
    }

    fn head(self) -> Head {
        [self.rays as u64, self.hits as u64, self.crossings.unwrap_or(u64::MAX)]
    }

    fn from_head([rays, hits, crossings]: Head) -> Self {
        let crossings = (crossings != u64::MAX).then_some(crossings);
        Self { rays: rays as usize, hits: hits as usize, crossings }
    }

    /// How many bytes the arrays have; `None` for more than there can be.
    fn array_bytes(self, query: Query) -> Option<usize> {
        let (of_ray, of_crossing) = numpy::row_bytes(query);
        let crossings = usize::try_from(self.crossings.unwrap_or(0)).ok()?;
        self.rays.checked_mul(of_ray)?.checked_add(crossings.checked_mul(of_crossing)?)
    }
}

impl Partial {
    /// Begins a file, or goes on with the one that is there, if that says the same of what its answers are made from.
    ///
    /// # Errors
    /// [`FileError`]: it cannot be written, is another run's, or another file.
    pub fn open(path: &Path, query: Query, made_from: &str) -> Result<Self, FileError> {
        let fail = FileError::write(path);
        let mut file = lock(path)?;
        let title = format!("{TITLE}{made_from}\n");
        let mut begin = Vec::new();
        (&file).take(title.len() as u64).read_to_end(&mut begin).map_err(&fail)?;
        if begin != title.as_bytes() {
            // A run that was killed in its first moment wrote a part of it, or nothing.
            if !title.as_bytes().starts_with(&begin) {
                return Err(FileError::meaning(path, "", shape_error(&begin)));
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
        // What follows is not whole.
        let end = entries.place;
        let cut = partial.file.set_len(end).and_then(|()| partial.file.seek(SeekFrom::Start(end)));
        cut.map_err(&fail)?;
        partial.kept = kept;
        Ok(partial)
    }

    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// Adds the answers to the next rays.
    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let kept = Kept::of(answers);
        self.add(kept, answers).map_err(FileError::write(&self.path))?;
        self.kept.push(kept);
        Ok(())
    }

    fn add(&self, kept: Kept, answers: &Answers) -> io::Result<()> {
        let mut file = BufWriter::new(&self.file);
        let mut hasher = blake3::Hasher::new();
        let head = kept.head();
        let arrays = numpy::bytes_of(answers, self.query)?;
        for bytes in
            [bytemuck::bytes_of(&head)].into_iter().chain(arrays.iter().map(|own| &own[..]))
        {
            hasher.update(bytes);
            file.write_all(bytes)?;
        }
        file.write_all(hasher.finalize().as_bytes())?;
        file.flush()
    }

    /// Hands all answers over as they were written.
    pub fn replay(
        &self,
        mut take: impl FnMut(&Answers) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let fail = FileError::read(&self.path);
        let mut entries = self.entries().map_err(&fail)?;
        for _ in &self.kept {
            let Some((_, answers)) = entries.next().map_err(&fail)? else {
                let reason =
                    "changed while it was written: remove it, and run the same command again";
                return Err(FileError::meaning(&self.path, "", reason));
            };
            take(&answers)?;
        }
        Ok(())
    }

    /// Removes the file, once its answers are where they belong.
    pub fn remove(self) -> Result<(), FileError> {
        fs::remove_file(&self.path).map_err(FileError::write(&self.path))
    }

    /// All that is whole, from the first on.
    fn entries(&self) -> io::Result<Entries<'_>> {
        let mut file = BufReader::with_capacity(1 << 20, &self.file);
        let place = file.seek(SeekFrom::Start(self.begin))?;
        Ok(Entries { file, query: self.query, place, end: self.file.metadata()?.len() })
    }
}

/// What to say of a file that begins otherwise.
fn shape_error(begin: &[u8]) -> &'static str {
    if begin.starts_with(TITLE.as_bytes()) {
        "was begun with another scene, other rays or options, or on another device: finish it with these, or remove it to begin anew"
    } else {
        "is no file of partial answers, which belong there: rename it, or choose another place for the answers"
    }
}

/// Opens or makes the file, for this run alone.
fn lock(path: &Path) -> Result<File, FileError> {
    let fail = FileError::write(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(&fail)?;
    }
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(FileError::meaning(path, "", shape_error(&[])));
    }
    let open = || File::options().read(true).write(true).create(true).truncate(false).open(path);
    loop {
        let file = open().map_err(&fail)?;
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let reason = "belongs to a run that is not at its end: wait for that, or choose another place for the answers";
            return Err(FileError::meaning(path, "", reason));
        }
        // Another run may have come to its end, and removed it, after it was opened here.
        if path.exists() {
            return Ok(file);
        }
    }
}

/// Answers as they follow one another in the file.
struct Entries<'a> {
    file: BufReader<&'a File>,
    query: Query,
    place: u64,
    end: u64,
}

impl Entries<'_> {
    /// The next; `None` where there are no more that are whole.
    fn next(&mut self) -> io::Result<Option<(Kept, Answers)>> {
        let left = usize::try_from(self.end - self.place).unwrap_or(usize::MAX);
        if left < HEAD + HASH {
            return Ok(None);
        }
        let mut head: Head = [0; 3];
        self.file.read_exact(bytemuck::bytes_of_mut(&mut head))?;
        let kept = Kept::from_head(head);
        // Believed only as far as there are bytes, or a false number would reserve all memory.
        let length = kept.array_bytes(self.query).filter(|&length| length <= left - HEAD - HASH);
        let Some(length) = length else { return Ok(None) };
        let mut arrays = vec![0; length];
        let mut hash = [0; HASH];
        self.file.read_exact(&mut arrays)?;
        self.file.read_exact(&mut hash)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(bytemuck::bytes_of(&head)).update(&arrays);
        if hasher.finalize() != hash {
            return Ok(None);
        }
        self.place += (HEAD + length + HASH) as u64;
        Ok(Some((kept, answers(self.query, kept, &arrays)?)))
    }
}

/// The answers whose arrays have those bytes.
fn answers(query: Query, kept: Kept, mut bytes: &[u8]) -> io::Result<Answers> {
    fn next<T: Pod>(bytes: &mut &[u8], count: usize) -> io::Result<Vec<T>> {
        let mut numbers = vec![T::zeroed(); count];
        bytes.read_exact(bytemuck::cast_slice_mut(&mut numbers))?;
        Ok(numbers)
    }
    let bytes = &mut bytes;
    let rays = kept.rays;
    Ok(match query {
        Query::Closest { faces } => Answers::Closest(Hits {
            t_hit: next(bytes, rays)?,
            geometry_ids: next(bytes, rays)?,
            primitive_ids: next(bytes, rays)?,
            primitive_normals: next(bytes, rays)?,
            faces: if faces { next(bytes, rays)? } else { Vec::new() },
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
    use crate::ray::Hit;

    /// Answers to three rays, of which the second meets nothing.
    fn some(query: Query) -> Answers {
        let hit = |t| Hit { t, geometry_id: 7, primitive_id: 3 };
        match query {
            Query::Closest { faces } => Answers::Closest(Hits {
                t_hit: vec![1.0, f32::INFINITY, f32::NAN],
                geometry_ids: vec![1, u32::MAX, u32::MAX],
                primitive_ids: vec![5, u32::MAX, u32::MAX],
                primitive_normals: vec![[0.0, -1.0, 0.0], [0.0; 3], [0.0; 3]],
                faces: if faces { vec![2, u32::MAX, u32::MAX] } else { Vec::new() },
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

    fn replayed(partial: &Partial) -> Vec<String> {
        let mut all = Vec::new();
        let taken = partial.replay(|answers| {
            all.push(format!("{answers:?}"));
            Ok(())
        });
        taken.unwrap();
        all
    }

    #[test]
    fn whatever_is_cut_or_changed_what_stands_before_is_kept_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        let closest = [false, true].map(|faces| Query::Closest { faces });
        for query in closest.into_iter().chain([Query::Any, Query::Count, Query::All]) {
            let mut partial = Partial::open(&path, query, "this").unwrap();
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
                let of_cut = (&whole[..length], length.saturating_sub(begin) / entry);
                let of_changed = (&changed[..], length.min(whole.len() - begin) / entry);
                for (bytes, left) in [of_cut, of_changed] {
                    fs::write(&path, bytes).unwrap();
                    let mut partial = Partial::open(&path, query, "this").unwrap();
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
    fn what_another_run_or_another_file_is_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("partial");
        let refused =
            |made_from| Partial::open(&path, Query::Any, made_from).unwrap_err().to_string();
        let partial = Partial::open(&path, Query::Any, "this").unwrap();
        assert!(refused("this").contains("not at its end"));
        drop(partial);
        let before = fs::read(&path).unwrap();
        assert!(refused("that").contains("another scene"));
        assert_eq!(fs::read(&path).unwrap(), before);
        fs::write(&path, "a letter").unwrap();
        assert!(refused("this").contains("no file of partial answers"));
        assert_eq!(fs::read(&path).unwrap(), b"a letter");
    }
}
