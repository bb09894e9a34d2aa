//! What a comparison asks: the rays and points of files, or an image and what is aimed at the scene by a seed.

use super::{Arguments, Failure};
use crate::console::Console;
use crate::rays::refuse_invalid;
use crate::source::{Loaded, hide_from};
use clap::ValueEnum;
use raytwin::camera::View;
use raytwin::diff::faults::Question;
use raytwin::diff::{Trial, seeded_points, trials};
use raytwin::io::points::PointReader;
use raytwin::io::rays::RayReader;
use raytwin::query::Query;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// One set of rays or points, and what is asked about them.
pub(super) enum QuestionSet {
    /// The closest hits of a view's pixels.
    Image(Box<View>),
    /// A query of rays.
    Rays(Trial),
    /// What contains points, and what is nearest to them.
    Points(Vec<[f32; 3]>),
}

/// The value of `--kind`.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(super) enum KindFlag {
    Closest,
    Any,
    Count,
    All,
}

impl KindFlag {
    fn query(self) -> Query {
        match self {
            Self::Closest => Query::CLOSEST,
            Self::Any => Query::Any,
            Self::Count => Query::Count,
            Self::All => Query::All,
        }
    }

    fn takes_solids(self) -> bool {
        matches!(self, Self::Closest | Self::Any)
    }
}

impl QuestionSet {
    /// Returns the kinds of questions by which the table of faults tells what shows a fault.
    pub fn kinds(&self) -> Vec<Question> {
        let trial = match self {
            Self::Image(_) => return vec![Question::Image],
            Self::Points(_) => return vec![Question::Points],
            Self::Rays(trial) => trial,
        };
        let of_query = match trial.query {
            Query::Any => Question::Any,
            Query::Count => Question::Count,
            Query::All => Question::All,
            _ if trial.is_solid => Question::Solid,
            _ => Question::Closest,
        };
        let filters = [
            trial.rays.masks.is_some().then_some(Question::Masks),
            trial.rays.worlds.is_some().then_some(Question::Worlds),
        ];
        [of_query].into_iter().chain(filters.into_iter().flatten()).collect()
    }

    /// Returns how many rays or points it is about.
    pub fn len(&self) -> usize {
        match self {
            Self::Image(view) => view.pixels(),
            Self::Rays(trial) => trial.rays.len(),
            Self::Points(points) => points.len(),
        }
    }
}

/// Reads the scene, and what is asked about it.
pub(super) fn read(
    arguments: &Arguments,
    console: &Console,
) -> Result<(Loaded, Vec<QuestionSet>), Failure> {
    let start = Instant::now();
    let scene = &arguments.scene;
    let read = scene.read_worlds()?;
    read.warnings.iter().for_each(|warning| console.warn(warning));
    let mut in_scene = read.scene;
    let has_files = arguments.rays.is_some() || arguments.points.is_some();
    if has_files && arguments.view.are_given() {
        return Err(Failure::usage(
            "files of rays and points need no camera: leave the camera's flags out",
        ));
    }
    if arguments.solid && arguments.kinds.iter().any(|kind| !kind.takes_solids()) {
        return Err(Failure::usage(
            "--solid is for --kind closest and any: crossings are those of surfaces",
        ));
    }
    let queries: Vec<Query> = arguments.kinds.iter().map(|kind| kind.query()).collect();
    let mut questions = Vec::new();
    if has_files {
        let queries = if queries.is_empty() { vec![Query::CLOSEST] } else { queries };
        if let Some(path) = &arguments.rays {
            let rays = RayReader::open(path)?.relative_to(in_scene.origin()).read_all()?;
            if scene.strict {
                refuse_invalid(&rays.rays, 0, path)?;
            }
            warn_if_empty(rays.len(), path, arguments, console)?;
            let batch = rays.batch().and_then(|batch| batch.check(&in_scene));
            batch.map_err(|error| {
                Failure::input(error.to_string()).in_file(&path.display().to_string())
            })?;
            let rays = Arc::new(rays);
            questions.extend(queries.into_iter().map(|query| {
                let (is_solid, rays) = (arguments.solid, Arc::clone(&rays));
                QuestionSet::Rays(Trial { name: "rays", query, is_solid, rays })
            }));
        }
        if let Some(path) = &arguments.points {
            let points = read_points(path, &in_scene)?;
            warn_if_empty(points.len(), path, arguments, console)?;
            questions.push(QuestionSet::Points(points));
        }
        return Ok((scene.pack(in_scene, start, console)?, questions));
    }
    let asks_for = |query| queries.is_empty() || queries.contains(&query);
    let is_one_world = in_scene.world_count() == 1;
    if asks_for(Query::CLOSEST) && !arguments.solid && is_one_world {
        let view = arguments.view.view(&in_scene, console)?;
        hide_from(&mut in_scene, &view.camera);
        questions.push(QuestionSet::Image(Box::new(view)));
    } else if arguments.view.are_given() {
        return Err(Failure::usage(
            "an image shows the closest hits of one world: leave the camera's flags out, or ask for these",
        ));
    }
    if arguments.against.is_none() {
        let of_all = [Query::CLOSEST, Query::Any, Query::Count, Query::All];
        let queries: Vec<Query> = of_all.into_iter().filter(|&query| asks_for(query)).collect();
        let seeded = trials(&in_scene, &queries, arguments.random, arguments.seed);
        let wanted = |trial: &Trial| trial.is_solid || !arguments.solid;
        questions.extend(seeded.into_iter().filter(wanted).map(QuestionSet::Rays));
        if arguments.kinds.is_empty() && !arguments.solid && is_one_world && arguments.random > 0 {
            let points = seeded_points(&in_scene, arguments.random, arguments.seed);
            questions.push(QuestionSet::Points(points));
        }
    }
    if questions.is_empty() {
        return Err(Failure::usage(
            "nothing is asked: give --random a number above 0, or a file of rays or points",
        ));
    }
    Ok((scene.pack(in_scene, start, console)?, questions))
}

fn read_points(path: &Path, scene: &raytwin::Scene) -> Result<Vec<[f32; 3]>, Failure> {
    let mut all = Vec::new();
    let reader = PointReader::open(path)?.relative_to(scene.origin());
    reader.batches(1 << 20, |points| {
        all.extend(points);
        Ok::<(), Failure>(())
    })?;
    Ok(all)
}

/// Tells the user that a comparison of no answers passes, whatever the device does.
fn warn_if_empty(
    count: usize,
    path: &Path,
    arguments: &Arguments,
    console: &Console,
) -> Result<(), Failure> {
    let warning =
        format!("{}: holds nothing to ask, so that no answer is compared", path.display());
    match count {
        0 if arguments.scene.strict => Err(Failure::input(warning)),
        0 => {
            console.warn(&warning);
            Ok(())
        }
        _ => Ok(()),
    }
}
