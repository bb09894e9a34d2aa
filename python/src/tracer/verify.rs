//! Verifies the answers of a tracer.

use super::points::{PointsArgument, read_points};
use super::rays_argument::{DetachedRays, RaysArgument};
use super::{Argument, Current, Tracer};
use crate::argument;
use crate::camera::CameraArgument;
use crate::error::{OrException, SceneError, detached};
use crate::pieces::{Bar, in_pieces};
use crate::report::Report;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::{PackedScene, Query, Question, QuestionKind, Rays, Scene as LibraryScene, View};
use raytwin_verify::{Judge, Outcome, QuestionChoice};
use std::sync::Arc;

// The signature of `verify` can show only numbers, so it repeats these.
const _: () = assert!(QuestionChoice::COUNT == 14_000 && QuestionChoice::SEED == 1);

fn takes_solids(kind: QuestionKind) -> bool {
    matches!(kind, QuestionKind::Rays(query) if query.takes_solids())
}

/// Returns the kind with that name. If `is_solid`, it must be a kind that supports `solid`.
fn kind_named(name: &str, is_solid: bool) -> PyResult<QuestionKind> {
    let known = QuestionKind::OF_RAYS_AND_POINTS.into_iter().chain([QuestionKind::Image]);
    let Some(kind) = known.clone().find(|kind| kind.name() == name) else {
        let known = known.map(QuestionKind::name).collect::<Vec<_>>().join(", ");
        return Err(PyValueError::new_err(format!(
            "kinds must be a list of {known}, and one is '{name}'"
        )));
    };
    if is_solid && !takes_solids(kind) {
        let with_solids = known.filter(|kind| takes_solids(*kind));
        let with_solids: Vec<&str> = with_solids.map(QuestionKind::name).collect();
        return Err(PyValueError::new_err(format!(
            "solid works with the kinds {}, and not with '{name}'",
            with_solids.join(" and ")
        )));
    }
    Ok(kind)
}

/// Returns the side length of the images, each of which has some of the rays.
fn size_of_images(choice: &QuestionChoice) -> u32 {
    let pixels = (choice.count / QuestionChoice::MOST_IMAGES).clamp(1, 1 << 20);
    pixels.isqrt() as u32
}

/// Returns the questions about the given rays and points, or about those that a seed aims at the
/// scene; and the kind of question that is left out.
fn questions(
    choice: &QuestionChoice,
    scene: &LibraryScene,
    (rays, points): (Option<Rays>, Option<&[[f32; 3]]>),
    view: Option<&View>,
) -> PyResult<(Vec<Question>, Option<QuestionKind>)> {
    if rays.is_none() && points.is_none() {
        let (mut questions, unasked) = choice.seeded(scene);
        let images = view.map(|view| choice.of_images(view, scene)).transpose();
        questions.extend(images.or_exception()?);
        return Ok((questions, unasked));
    }
    let mut questions = Vec::new();
    if let Some(rays) = rays.map(Arc::new) {
        questions.extend(choice.of_rays("rays", &choice.queries, &rays));
    }
    questions.extend(points.map(|points| Question::Points(points.to_vec())));
    Ok((questions, None))
}

/// Asks the tracer, and checks each answer against the float64 tracer. Answers of the float64 tracer
/// itself are checked against a test of every primitive.
pub(super) fn verify(
    tracer: &Tracer,
    py: Python<'_>,
    (rays, points): (Option<RaysArgument<'_>>, Option<PointsArgument<'_>>),
    view: Option<View>,
    choice: &QuestionChoice,
    progress: bool,
) -> PyResult<Report> {
    let given = rays.as_ref().map(RaysArgument::detached).transpose()?;
    let points = points.as_ref().map(PointsArgument::points).transpose()?;
    let origin = tracer.origin();
    let (questions, unasked, judge) = detached(py, || {
        let current = tracer.current(origin)?;
        let (scene, version) = tracer.scene.get().snapshot();
        if version != current.version {
            return Err(SceneError::new_err("the scene was changed while the tracer was verified"));
        }
        let rays = given.as_ref().map(DetachedRays::copied).transpose()?;
        let (questions, unasked) = questions(choice, &scene, (rays, points), view.as_ref())?;
        let packed = PackedScene::new(scene).or_exception()?;
        let judge = match &current.open.gpu {
            Some(_) => Judge::new(&packed),
            None => Judge::by_brute_force(&packed),
        };
        Ok((questions, unasked, judge))
    })?;
    let total: usize = questions.iter().map(Question::len).sum();
    // A caller may pass an empty array of rays. Asking for nothing at all is a mistake.
    let is_about_given_rays =
        given.is_some() && questions.iter().any(|question| matches!(question, Question::Rays(_)));
    if total == 0 && !is_about_given_rays {
        return Err(PyValueError::new_err(
            "there is nothing to verify: give rays, points, kinds or a count",
        ));
    }
    if let Some(kind) = unasked.map(QuestionKind::name) {
        warn(py, &format!("{kind} are not verified, because the scene has several worlds"))?;
    }
    let bar = Bar::new(py, progress, total, "answers")?;
    detached(py, || {
        let current = tracer.current(origin)?;
        let mut outcome = Outcome::default();
        judge_all(&current, tracer, (&judge, &mut outcome), &questions, &bar)?;
        Ok(Report::new(outcome, judge, current.open.tracer.as_ref().device()))
    })
}

/// Warns about questions that were chosen and are not asked.
fn warn(py: Python<'_>, unasked: &str) -> PyResult<()> {
    py.import("warnings")?.getattr("warn")?.call1((unasked,)).map(drop)
}

fn judge_all(
    current: &Current,
    tracer: &Tracer,
    (judge, outcome): (&Judge, &mut Outcome),
    questions: &[Question],
    bar: &Bar,
) -> PyResult<()> {
    let device = current.open.tracer.as_ref();
    for question in questions {
        in_pieces(question.len(), bar, &tracer.paces.verify, |piece| {
            let judged = device
                .answer(question, piece.clone())
                .and_then(|answers| outcome.add(judge, question, piece, &answers).map(drop));
            judged.or_exception()
        })?;
    }
    Ok(())
}

impl Tracer {
    /// Returns the view of the scene's first camera, or of one that sees everything, with this size.
    /// Returns `None` for a scene without bounds.
    fn view_of_all(&self, py: Python<'_>, size: u32) -> PyResult<Option<View>> {
        let (scene, _) = self.scene.get().snapshot();
        if scene.bounds().min.x > scene.bounds().max.x {
            return Ok(None);
        }
        let camera_of = py.import("raytwin.chosen_camera")?.getattr("camera_of")?;
        let (camera, _): (CameraArgument, Bound<'_, PyAny>) =
            camera_of.call1((&self.scene, py.None(), py.None()))?.extract()?;
        Ok(Some(camera.view(scene.origin(), Some((size, size)))?))
    }
}

#[pymethods]
impl Tracer {
    /// Returns a `Report` on the tracer's answers, each checked against the float64 reference.
    ///
    /// Each answer must be exact or within the bound on its error. Answers of ``device="cpu"`` are
    /// compared, bit by bit, with those from a test of every primitive. This finds errors of the
    /// BVH, the tree that rays search.
    ///
    /// ``rays`` and ``points`` are arrays as for the queries, and the filters belong to ``rays``.
    /// If you give neither, raytwin generates about ``count`` rays and ``count`` points from
    /// ``seed``, and aims them at places that are hard to answer: edges, outlines, tangents,
    /// corners and surfaces.
    ///
    /// ``kinds`` chooses among ``"closest"``, ``"any"``, ``"count"``, ``"all"``, ``"points"`` and
    /// ``"image"``; all by default. Images are rendered only if you give neither rays nor points. They
    /// are those of the scene's first camera, or of one that sees everything. In a scene with
    /// several worlds, they show two of the worlds. A warning names a kind that cannot be verified.
    /// With ``solid=True`` rays that start in a solid hit it at their start. This works with
    /// ``"closest"`` and ``"any"``, which are then the default.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> report = rt.Tracer(scene, device="cpu").verify(count=100)
    ///     >>> report.passed, report.counts["mismatch"]
    ///     (True, 0)
    #[pyo3(signature = (rays = None, *, points = None, kinds = None, solid = false, masks = None, ignore_ids = None, world_ids = None, count = 14_000, seed = 1, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        rays: Option<Argument<'_, 'py>>,
        points: Option<Argument<'_, 'py>>,
        kinds: Option<Vec<String>>,
        solid: bool,
        masks: Option<Argument<'_, 'py>>,
        ignore_ids: Option<Argument<'_, 'py>>,
        world_ids: Option<Argument<'_, 'py>>,
        #[pyo3(from_py_with = argument::count)] count: usize,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
        progress: bool,
    ) -> PyResult<Report> {
        let origin = self.origin();
        let filters = [masks, ignore_ids, world_ids];
        if rays.is_none() && filters.iter().any(Option::is_some) {
            return Err(PyValueError::new_err(
                "masks, ignore_ids and world_ids belong to rays: give rays",
            ));
        }
        let rays = rays.map(|rays| RaysArgument::read(rays, filters, solid, origin)).transpose()?;
        let points = points.map(|points| read_points(points, origin)).transpose()?;
        let named = |names: Vec<String>| -> PyResult<Vec<QuestionKind>> {
            names.iter().map(|name| kind_named(name, solid)).collect()
        };
        let kinds = kinds.map(named).transpose()?;
        let is_asked = |kind| match &kinds {
            Some(kinds) => kinds.contains(&kind),
            None => !solid || takes_solids(kind),
        };
        let is_query_asked = |query: &Query| is_asked(QuestionKind::Rays(*query));
        let choice = QuestionChoice {
            queries: Query::KINDS.into_iter().filter(is_query_asked).collect(),
            has_points: is_asked(QuestionKind::Points),
            is_solid: solid,
            count,
            seed,
            has_picture: false,
        };
        let has_images = is_asked(QuestionKind::Image);
        let view = match rays.is_none() && points.is_none() {
            true if has_images && count > 0 => {
                let view = self.view_of_all(py, size_of_images(&choice))?;
                if view.is_none() {
                    warn(py, "images are not verified, because the scene has no bounds")?;
                }
                view
            }
            false if has_images && kinds.is_some() => {
                return Err(PyValueError::new_err(
                    "images are verified only if neither rays nor points are given: leave 'image' out of kinds",
                ));
            }
            _ => None,
        };
        verify(self, py, (rays, points), view, &choice, progress)
    }
}
