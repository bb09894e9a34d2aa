//! One ray file: one batch is read, one is cast and one is written at the same time, so that the tracer does not
//! wait for files, and memory does not grow with them.

use super::Failure;
use super::portion::Portion;
use super::tally::Tally;
use crate::rays::refuse_invalid;
use crate::stages::{BATCH, End, in_stages, read_to_its_end};
use raytwin::io::rays::{AnswerWriter, Kept, RayReader, Rays};
use raytwin::query::{Batch, BatchError, Query, TracedAnswers};
use raytwin::scene::Scene;
use raytwin::tracer::{TraceError, Tracer};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

/// Who is asked.
pub(super) struct Pipeline<'a> {
    pub tracer: &'a dyn Tracer,
    pub scene: &'a Scene,
    pub asked: Asked,
}

/// What is asked of all rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub query: Query,
    pub is_solid: bool,
    /// What all rays ignore.
    pub ignored: Option<u32>,
    /// Whether a ray that cannot be cast is an error.
    pub is_strict: bool,
}

/// Some of a batch's rays, and their answers. Normals are computed by the stage that writes.
struct Cast {
    rays: Arc<Rays>,
    range: Range<usize>,
    answers: TracedAnswers,
}

impl Pipeline<'_> {
    /// Answers those rays of a file whose answers the writer has not kept; `progress` hears of the rays whose answers
    /// are there.
    pub fn run(
        &self,
        path: &Path,
        writer: AnswerWriter,
        progress: impl Fn(usize) + Send,
    ) -> Result<Tally, Failure> {
        let reader = RayReader::open(path)?;
        let (asked, scene) = (self.asked, self.scene);
        asked.refuse_two_ways_to_ignore(&reader, path)?;
        let kept = writer.kept().to_vec();
        let (invalid, trace_time, (writer, tally)) = in_stages(
            move |rays_out| asked.read(reader, path, &rays_out),
            |rays_in, cast_out| self.cast(path, &kept, rays_in, cast_out),
            move |cast_in| asked.write(scene, writer, cast_in, progress),
        )?;
        // Every ray is read, cast and written.
        Ok(Tally { invalid, trace_time, files: writer.finish()?, ..tally })
    }

    /// The second stage: casts, and returns how long that took.
    fn cast(
        &self,
        path: &Path,
        kept: &[Kept],
        rays_in: Receiver<Rays>,
        cast_out: SyncSender<Cast>,
    ) -> Result<Duration, Failure> {
        let mut time = Duration::ZERO;
        let mut before = 0;
        // What it learnt when those were cast, so that the rest is cast in the same portions as in one go.
        let mut portion = Portion::first();
        for Kept { rays, crossings, .. } in kept {
            portion.learn(*rays, crossings.unwrap_or(0) as usize);
        }
        let answered: usize = kept.iter().map(|kept| kept.rays).sum();
        for rays in rays_in {
            let rays = Arc::new(rays);
            let count = rays.len();
            let mut start = answered.saturating_sub(before).min(count);
            while start < count {
                let portion_or_all =
                    if self.asked.query == Query::All { portion.rays } else { count };
                let range = start..count.min(start + portion_or_all);
                let began = Instant::now();
                let answers = self.asked.batch(&rays).and_then(|batch| {
                    self.tracer.ask(self.asked.query, batch.slice(range.clone()))
                });
                let answers = answers.map_err(|error| failure(error, before + start, path))?;
                time += began.elapsed();
                if let TracedAnswers::All(all) = &answers {
                    portion.learn(range.len(), all.len());
                }
                start = range.end;
                if cast_out.send(Cast { rays: rays.clone(), range, answers }).is_err() {
                    return Ok(time);
                }
            }
            before += count;
        }
        Ok(time)
    }
}

impl Asked {
    fn refuse_two_ways_to_ignore(self, reader: &RayReader, path: &Path) -> Result<(), Failure> {
        match (self.ignored, reader.ignored()) {
            (Some(id), Some(name)) => Err(Failure::input(format!(
                "{}: {name}: says what each ray ignores, and so does --ignore {id}: give one of the two",
                path.display()
            ))),
            _ => Ok(()),
        }
    }

    /// The first stage: reads, until the rays end or nobody wants more, and returns how many of them cannot be cast.
    fn read(
        self,
        reader: RayReader,
        path: &Path,
        rays_out: &SyncSender<Rays>,
    ) -> Result<usize, Failure> {
        let (mut before, mut invalid) = (0, 0);
        let read = reader.batches(BATCH, |mut rays| {
            if self.is_strict {
                refuse_invalid(&rays.rays, before, path)?;
            }
            before += rays.len();
            invalid += rays.rays.iter().filter(|ray| !ray.is_valid()).count();
            if let Some(id) = self.ignored {
                rays.ignored = Some(vec![id; rays.len()]);
            }
            rays_out.send(rays).map_err(|_| End::Unwanted)
        });
        read_to_its_end(read)?;
        Ok(invalid)
    }

    fn batch<'r>(self, rays: &'r Rays) -> Result<Batch<'r>, TraceError> {
        let batch = rays.batch()?;
        Ok(if self.is_solid { batch.solid() } else { batch })
    }

    /// The last stage: takes normals, and writes.
    fn write(
        self,
        scene: &Scene,
        mut writer: AnswerWriter,
        cast_in: Receiver<Cast>,
        progress: impl Fn(usize),
    ) -> Result<(AnswerWriter, Tally), Failure> {
        let mut tally = Tally::of(&self.query.unanswered());
        for &kept in writer.kept() {
            tally.add(Tally::of_kept(kept));
        }
        progress(tally.kept);
        for Cast { rays, range, answers } in cast_in {
            let batch = self.batch(&rays)?.slice(range);
            let answers = answers.with_normals(scene, batch);
            writer.write(&answers)?;
            progress(answers.rays());
            tally.add(Tally::of(&answers));
        }
        Ok((writer, tally))
    }
}

/// Why a batch was not cast, of which so many rays of the file came before.
fn failure(error: TraceError, before: usize, path: &Path) -> Failure {
    match error {
        TraceError::Batch(BatchError::Ignored { ray, geometry_id, geometries }) => {
            let in_file = BatchError::Ignored { ray: before + ray, geometry_id, geometries };
            Failure::input(format!("{}: {in_file}", path.display()))
        }
        error => error.into(),
    }
}
