//! The questions of a comparison: the rays and points of files, or an image and seeded rays and
//! points that are aimed at the scene.

use super::Arguments;
use super::comparison_scene::ComparisonScene;
use crate::Failure;
use crate::console::Console;
use crate::rays::refuse_invalid;
use crate::source::LoadedScene;
use raytwin::camera::{Camera, Sensor, View};
use raytwin::query::{Query, Rays};
use raytwin::question::Question;
use raytwin::ray::Ray;
use raytwin::scene::Scene;
use raytwin_files::SavedAnswers;
use raytwin_files::points::PointReader;
use raytwin_files::rays::RayReader;
use raytwin_verify::QuestionChoice;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Files are read in pieces of this many rays or points, each after its memory is reserved.
const PIECE: usize = 1 << 20;
/// The bytes that a ray needs with its mask and ignored id, or a point, while a list of them grows
/// or is copied.
const RAY_BYTES: u64 = 128;
const POINT_BYTES: u64 = 64;

/// The scenes of a comparison and the questions about each.
pub(super) struct Questions {
    pub loaded: LoadedScene,
    /// The scenes, each with its questions.
    pub scenes: Vec<ComparisonScene>,
    /// The questions that a full comparison asks and this one leaves out, each with the reason.
    pub unasked: Vec<String>,
}

/// Reads the scene, and makes the questions about it: for saved answers, those that they answer.
pub(super) fn read(
    arguments: &Arguments,
    saved: Option<&SavedAnswers>,
    is_of_cpu: bool,
    console: &Console,
) -> Result<Questions, Failure> {
    refuse_contradictions(arguments)?;
    let start = Instant::now();
    let scene = &arguments.scene;
    let mut graph = None;
    let read = scene.reported(console, || {
        let read = scene.read_graph()?;
        graph = ComparisonScene::can_be_moved(&read)?.then(|| read.clone());
        scene.flatten(read, false)
    })?;
    let read = read.scene;
    let queries = match (&arguments.kinds[..], saved) {
        ([], Some(saved)) if arguments.points.is_none() => saved.queries()?,
        ([], None) if arguments.rays.is_some() => vec![Query::CLOSEST],
        ([], _) => Query::KINDS.to_vec(),
        (kinds, _) => kinds.to_vec(),
    };
    if arguments.solid && saved.is_some() && !queries.iter().all(|query| query.takes_solids()) {
        return Err(Failure::usage(
            "--solid is for --kind closest and any, and the file also has crossings of surfaces: choose kinds with --kind",
        ));
    }
    let choice = QuestionChoice {
        queries,
        has_points: arguments.asks_everything(),
        is_solid: arguments.solid,
        count: arguments.random,
        seed: arguments.seed,
        has_picture: true,
    };
    let queries = &choice.queries[..];
    let (mut scenes, mut unasked, mut questions) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(path) = &arguments.rays {
        let rays = Arc::new(read_rays(path, &read, arguments)?);
        questions.extend(choice.of_rays("rays", queries, &rays));
    }
    if let Some(path) = &arguments.points {
        questions.push(Question::Points(read_points(path, &read, arguments)?));
    }
    if !arguments.has_files() {
        let is_one_world = read.world_count() == 1;
        let shows_image = saved.is_some() || queries.contains(&Query::CLOSEST) && !arguments.solid;
        if saved.is_some() && !is_one_world || arguments.view.are_given() && !shows_image {
            return Err(Failure::usage(
                "an image shows the closest hits of one world: leave the camera's flags out, or choose --kind closest and one --world",
            ));
        }
        if shows_image {
            let view = arguments.view.view(&read, console)?;
            let camera = &view.camera;
            if saved.is_some() {
                warn_of_changed_distances(camera, console);
            }
            let image = image_questions(&choice, &view, &read, saved.and(Some(queries)))?;
            match (camera.sensor.hide.is_empty(), is_one_world) {
                (true, _) => questions.extend(image),
                (false, true) => {
                    let image = (camera, image);
                    match ComparisonScene::of_image(arguments, &read, image, is_of_cpu, console)? {
                        Ok(seen) => scenes.push(seen),
                        Err(reason) => unasked.push(reason),
                    }
                }
                (false, false) => unasked.push("images of several worlds with a camera that hides shapes: choose one world with --world".to_owned()),
            }
        }
        if saved.is_none() {
            let rays = arguments.random as u64;
            let what = || format!("--random {rays} needs");
            let bytes = rays.saturating_mul(RAY_BYTES);
            scene.limited_files().take_memory(scene.path(), bytes, what)?;
            let (seeded, left_out) = choice.seeded(&read);
            questions.extend(seeded);
            // A single world is also checked after an update.
            unasked.extend(left_out.map(|kind| {
                let kind = kind.name();
                format!("{kind} and an update, because there are several worlds: choose one with --world")
            }));
        }
    }
    let loaded = scene.pack(read, start, console)?;
    if loaded.packed.is_empty() {
        return Err(Failure::input(format!(
            "{}: has no visible shapes, so no answer could be wrong: choose a scene with visible shapes, or ignore fewer",
            loaded.name
        )));
    }
    if !questions.is_empty() {
        scenes.push(ComparisonScene::as_read(arguments, &loaded.packed, questions, is_of_cpu));
    }
    if saved.is_none() && arguments.asks_everything() && loaded.scene.world_count() == 1 {
        match ComparisonScene::after_update(arguments, graph, is_of_cpu, console)? {
            Ok(moved) => scenes.push(moved),
            Err(reason) => unasked.push(reason),
        }
    }
    let is_seeded = saved.is_none() && !arguments.has_files();
    if is_seeded && arguments.random == 0 && !scenes.is_empty() {
        let everything = arguments.kinds.is_empty() && !arguments.solid;
        let more = if everything { ", seeded points and an update" } else { "" };
        unasked.push(format!("seeded rays{more}, because --random is 0"));
    }
    match (scenes.is_empty(), unasked.first()) {
        (true, Some(reason)) => {
            Err(Failure::input(format!("there is nothing to check: raytwin leaves out {reason}")))
        }
        (true, None) => Err(Failure::usage(
            "there is nothing to check: give --random a number above 0, or a file of rays or points",
        )),
        (false, _) => Ok(Questions { loaded, scenes, unasked }),
    }
}

/// Warns about a camera whose images have other distances than those of the hits. Only the
/// distances of the hits are right answers.
fn warn_of_changed_distances(camera: &Camera, console: &Console) {
    let Sensor { range_min, range_max, noise, pulse, .. } = &camera.sensor;
    if *range_min > 0.0 || range_max.is_finite() || noise.is_some() || pulse.is_given() {
        console.warn(
            "the camera has a range, noise or a pulse, and distances that these change count as wrong: check images of a camera without them",
        );
    }
}

/// Returns an error for flags that exclude each other.
fn refuse_contradictions(arguments: &Arguments) -> Result<(), Failure> {
    let refuse = |reason: &str| Err(Failure::usage(reason));
    if arguments.has_files() && arguments.view.are_given() {
        return refuse("files of rays and points need no camera: leave the camera's flags out");
    }
    if arguments.solid && !arguments.kinds.iter().all(|query| query.takes_solids()) {
        return refuse(
            "--solid is for --kind closest and any: count and all report crossings of surfaces",
        );
    }
    let is_of_points = arguments.points.is_some() && arguments.rays.is_none();
    if is_of_points && (arguments.solid || !arguments.kinds.is_empty()) {
        return refuse("--kind and --solid are for rays, and --points has no rays: leave them out");
    }
    if arguments.against.is_some() && arguments.points.is_some() && arguments.rays.is_some() {
        return refuse(
            "--against checks the answers to one set of rays or points: give RAYS or --points, not both",
        );
    }
    Ok(())
}

impl Arguments {
    pub(super) fn has_files(&self) -> bool {
        self.rays.is_some() || self.points.is_some()
    }
}

/// Returns the questions about images: their closest hits, or the saved queries of an image's rays.
fn image_questions(
    choice: &QuestionChoice,
    view: &View,
    scene: &Scene,
    saved: Option<&[Query]>,
) -> Result<Vec<Question>, Failure> {
    let of_image = |query: &Query| *query == Query::CLOSEST && !choice.is_solid;
    let others: Vec<Query> =
        saved.into_iter().flatten().filter(|query| !of_image(query)).copied().collect();
    let mut questions = Vec::new();
    if saved.is_none_or(|saved| saved.iter().any(of_image)) {
        let images = choice.of_images(view, scene);
        questions.push(images.map_err(|error| Failure::input(error.to_string()))?);
    }
    if !others.is_empty() {
        let rays = (0..view.pixels()).map(|pixel| view.ray(pixel)).collect();
        let rays = Arc::new(Rays { rays, ..Rays::default() });
        questions.extend(choice.of_rays("image", &others, &rays));
    }
    Ok(questions)
}

/// Reads the rays of a file. A file without valid rays is an error, because every device answers it
/// in the same way.
fn read_rays(path: &Path, scene: &Scene, arguments: &Arguments) -> Result<Rays, Failure> {
    let files = arguments.scene.limited_files();
    let mut rays = Rays::default();
    RayReader::open(path)?.relative_to(scene.origin()).batches(PIECE, |piece| {
        let what = || format!("its first {} rays need", rays.len() + piece.len());
        files.take_memory(path, RAY_BYTES * piece.len() as u64, what)?;
        rays.append(piece);
        Ok::<(), Failure>(())
    })?;
    if arguments.scene.strict {
        refuse_invalid(&rays.rays, 0, path)?;
    }
    refuse_none(rays.rays.iter().any(Ray::is_valid), path, "ray")?;
    let batch = rays.batch().and_then(|batch| batch.check(scene));
    batch
        .map_err(|error| Failure::input(error.to_string()).in_file(&path.display().to_string()))?;
    Ok(rays)
}

/// Reads the points of a file. At least one must be finite.
fn read_points(
    path: &Path,
    scene: &Scene,
    arguments: &Arguments,
) -> Result<Vec<[f32; 3]>, Failure> {
    let files = arguments.scene.limited_files();
    let mut all = Vec::new();
    let reader = PointReader::open(path)?.relative_to(scene.origin());
    reader.batches(PIECE, |points| {
        let what = || format!("its first {} points need", all.len() + points.len());
        files.take_memory(path, POINT_BYTES * points.len() as u64, what)?;
        all.extend(points);
        Ok::<(), Failure>(())
    })?;
    let is_finite = |point: &[f32; 3]| point.iter().all(|number| number.is_finite());
    refuse_none(all.iter().any(is_finite), path, "point")?;
    Ok(all)
}

fn refuse_none(has_some: bool, path: &Path, name: &str) -> Result<(), Failure> {
    match has_some {
        true => Ok(()),
        false => Err(Failure::input(format!(
            "{}: has no valid {name}, so no answer could be wrong: give at least one",
            path.display()
        ))),
    }
}
