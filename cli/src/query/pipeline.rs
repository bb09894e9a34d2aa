//! The pipeline for one ray file. It reads one batch, casts another and writes a third at the same
//! time, so that the tracer does not wait for files and memory does not grow with their length.

use super::portion::Portion;
use super::tally::Tally;
use crate::Failure;
use crate::cloud::{CloudArguments, CloudOutput};
use crate::compiling::CastTimes;
use crate::console::Console;
use crate::hits_per::{GroupCounts, HitsPerArgument};
use crate::rays::refuse_invalid;
use crate::stages::{BATCH, ReadStop, in_stages, read_result};
use raytwin::query::{Answers, Batch, BatchError, HitArrays, PathRule, Query, Rays, SolidPaths};
use raytwin::scene::Scene;
use raytwin::tracer::{TraceError, Tracer};
use raytwin_files::Outputs;
use raytwin_files::clouds::{CloudLayout, CloudPoint, CloudSource, ColorBy};
use raytwin_files::rays::{AnswerCounts, AnswerLayout, AnswerWriter, RayReader};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

/// A tracer and the query that it answers.
pub(super) struct Pipeline<'a> {
    pub tracer: &'a dyn Tracer,
    pub scene: &'a Scene,
    pub options: QueryOptions,
    pub cloud: &'a CloudArguments,
    pub hits_per: &'a HitsPerArgument,
    /// The columns of the scene that the points of the cloud get.
    pub kept: &'a [String],
    /// The meaning of the colours of the cloud.
    pub color_by: Option<&'a ColorBy>,
    pub console: &'a Console,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct QueryOptions {
    pub query: Query,
    /// The rule for lengths in solids, if `--paths` is given.
    pub paths: Option<PathRule>,
    pub is_solid: bool,
    /// True if an invalid ray is an error.
    pub is_strict: bool,
}

/// A range of a batch's rays, and their answers. The writing stage computes normals.
struct CastRays {
    rays: Arc<Rays>,
    range: Range<usize>,
    answers: Answers,
    paths: Option<SolidPaths>,
}

impl Pipeline<'_> {
    /// Answers the rays of a file, except those whose answers the writer kept. Returns the outputs,
    /// which are not published yet. Calls `progress` with the number of rays in each piece of
    /// answers.
    pub fn run(
        &self,
        path: &Path,
        writer: AnswerWriter,
        progress: impl Fn(usize) + Send,
    ) -> Result<(Tally, Outputs), Failure> {
        let reader = RayReader::open(path)?.relative_to(self.scene.origin());
        let (options, scene) = (self.options, self.scene);
        let writer = writer.shaped(&reader.shape())?;
        let kept = writer.kept().to_vec();
        let has_labels = options.query.asks_for(HitArrays::LABEL_IDS);
        let layout = CloudLayout {
            has_labels,
            kept: self.kept.to_vec(),
            color_by: self.color_by.cloned(),
            ..CloudLayout::of(CloudSource::Rays)
        };
        let cloud = self.cloud.output(layout, scene)?;
        let counts = self.hits_per.counts();
        let (invalid, times, (writer, cloud, tally)) = in_stages(
            move |rays_out| options.read(reader, path, &rays_out),
            |rays_in, cast_out| self.cast(path, &kept, rays_in, cast_out),
            move |cast_in| options.write(scene, (writer, cloud, counts), cast_in, progress),
        )?;
        let (mut files, mut outputs) = writer.complete()?;
        let cloud = cloud.complete(&mut outputs, |text| self.console.say(text))?;
        files.extend(cloud.iter().map(|(path, _)| path.clone()));
        let cloud_points = cloud.map(|(_, points)| points);
        Ok((Tally { invalid, times, files, cloud_points, ..tally }, outputs))
    }

    /// The second stage: casts rays, and returns its times.
    fn cast(
        &self,
        path: &Path,
        kept: &[AnswerCounts],
        rays_in: Receiver<Rays>,
        cast_out: SyncSender<CastRays>,
    ) -> Result<CastTimes, Failure> {
        let mut times = CastTimes::default();
        let mut before = 0;
        // A resumed run adapts to the kept answers, so that it casts the same portions as an
        // uninterrupted run.
        let mut portion = Portion::first();
        for AnswerCounts { rays, crossings, .. } in kept {
            portion.learn(*rays, crossings.unwrap_or(0) as usize);
        }
        let answered: usize = kept.iter().map(|kept| kept.rays).sum();
        for rays in rays_in {
            let rays = Arc::new(rays);
            let count = rays.len();
            let mut start = answered.saturating_sub(before).min(count);
            while start < count {
                let QueryOptions { query, paths, .. } = self.options;
                let has_lists = query == Query::All || paths.is_some();
                let portion_or_all = if has_lists { portion.rays } else { count };
                let range = start..count.min(start + portion_or_all);
                let ask = |range: Range<usize>| {
                    let batch = self.options.batch(&rays)?.slice(range);
                    let paths = paths.map(|rule| self.tracer.paths(batch, rule)).transpose()?;
                    Ok((self.tracer.ask(query, batch)?, paths))
                };
                let answers =
                    times.measure(|| ask(start..start + 1).map(drop), || ask(range.clone()));
                let (answers, paths) =
                    answers.map_err(|error| failure(error, before + start, path))?;
                let crossings = match &answers {
                    Answers::All(all) => all.len(),
                    _ => 0,
                };
                let lengths = paths.as_ref().map_or(0, |paths| paths.path_lengths.len());
                portion.learn(range.len(), crossings + lengths);
                start = range.end;
                if cast_out.send(CastRays { rays: rays.clone(), range, answers, paths }).is_err() {
                    return Ok(times);
                }
            }
            before += count;
        }
        Ok(times)
    }
}

impl QueryOptions {
    /// Returns the columns of the answers.
    pub fn layout(self) -> AnswerLayout {
        AnswerLayout { query: self.query, has_paths: self.paths.is_some() }
    }

    /// The first stage: reads rays until the file ends or the next stage stops. Returns the number
    /// of invalid rays.
    fn read(
        self,
        reader: RayReader,
        path: &Path,
        rays_out: &SyncSender<Rays>,
    ) -> Result<usize, Failure> {
        let (mut before, mut invalid) = (0, 0);
        let read = reader.batches(BATCH, |rays| {
            if self.is_strict {
                refuse_invalid(&rays.rays, before, path)?;
            }
            before += rays.len();
            invalid += rays.rays.iter().filter(|ray| !ray.is_valid()).count();
            rays_out.send(rays).map_err(|_| ReadStop::Closed)
        });
        read_result(read)?;
        Ok(invalid)
    }

    fn batch<'r>(self, rays: &'r Rays) -> Result<Batch<'r>, TraceError> {
        let batch = rays.batch()?;
        Ok(if self.is_solid { batch.solid() } else { batch })
    }

    /// The last stage: computes normals and writes answers.
    fn write(
        self,
        scene: &Scene,
        (mut writer, mut cloud, mut counts): (AnswerWriter, CloudOutput, GroupCounts),
        cast_in: Receiver<CastRays>,
        progress: impl Fn(usize),
    ) -> Result<(AnswerWriter, CloudOutput, Tally), Failure> {
        let mut tally = Tally::of(&self.query.unanswered());
        let arrays = match self.query {
            // The points of a cloud have normals.
            Query::Closest(arrays) if cloud.is_asked() => arrays.and(HitArrays::DEFAULT),
            Query::Closest(arrays) => arrays,
            Query::Any | Query::Count | Query::All => HitArrays::HIT,
        };
        for &kept in writer.kept() {
            tally.add(Tally::of_kept(kept));
        }
        progress(tally.kept);
        for CastRays { rays, range, mut answers, paths } in cast_in {
            let batch = self.batch(&rays)?.slice(range.clone());
            answers.complete(scene, batch, arrays);
            match &paths {
                Some(paths) => writer.write_with_paths(&answers, paths)?,
                None => writer.write(&answers)?,
            }
            if let Answers::Closest(hits) = &answers {
                counts.add(hits.geometry_ids.iter().copied());
                cloud.add(scene, || {
                    let too_many = |_| {
                        Failure::input("--cloud: a ray_id must be below 2^32: split the ray file")
                    };
                    u32::try_from(tally.rays + hits.len()).map_err(too_many)?;
                    Ok(CloudPoint::of_rays(
                        &rays.rays[range.clone()],
                        hits,
                        tally.rays as u32,
                        scene.origin(),
                    ))
                })?;
            }
            progress(answers.rays());
            tally.add(Tally::of(&answers));
        }
        tally.hits_per = counts.of(scene);
        Ok((writer, cloud, tally))
    }
}

/// Numbers the ray of an error from the start of the file: the batch follows the first `before`
/// rays of the file.
fn failure(error: TraceError, before: usize, path: &Path) -> Failure {
    match error {
        TraceError::Batch(BatchError::Ignored { ray, geometry_id, geometries }) => {
            let in_file = BatchError::Ignored { ray: before + ray, geometry_id, geometries };
            Failure::input(format!("{}: {in_file}", path.display()))
        }
        TraceError::Batch(BatchError::World { ray, world, worlds }) => {
            let in_file = BatchError::World { ray: before + ray, world, worlds };
            let advice = match worlds {
                1 => ": give --qpos with a row for each world, and leave --world out",
                _ => "",
            };
            Failure::input(format!("{}: {in_file}{advice}", path.display()))
        }
        error => error.into(),
    }
}
