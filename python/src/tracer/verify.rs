//! Asks a tracer, and judges its answers.

use super::given_rays::{DetachedRays, GivenRays};
use super::points::{GivenPoints, read_points};
use super::{Current, Given, Tracer};
use crate::error::{IntoException, SceneError, detached};
use crate::given;
use crate::pieces::{Bar, in_pieces};
use crate::report::Report;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::diff::{Judge, Outcome, Trial, seeded_points, trials};
use raytwin::{PackedScene, Query, Rays, Scene as LibraryScene, TraceError};
use std::sync::Arc;

/// The name of the questions about points.
const POINTS: &str = "points";

/// The questions of a comparison.
pub(super) struct Questions {
    /// `None` for what suits what is given.
    kinds: Option<Vec<String>>,
    is_solid: bool,
    /// The number of rays and points that are aimed at the scene, where none are given.
    count: usize,
    seed: u64,
}

/// The rays and points of a comparison.
struct Asked<'a> {
    trials: Vec<Trial>,
    points: std::borrow::Cow<'a, [[f32; 3]]>,
}

impl Questions {
    /// Checks the kinds of questions.
    pub fn new(
        kinds: Option<Vec<String>>,
        is_solid: bool,
        (count, seed): (usize, u64),
    ) -> PyResult<Self> {
        let known = || Query::KINDS.map(Query::name).into_iter().chain([POINTS]);
        for kind in kinds.iter().flatten() {
            if !known().any(|name| name == kind) {
                let known = known().collect::<Vec<_>>().join(", ");
                return Err(PyValueError::new_err(format!(
                    "kinds must be some of {known}, and not '{kind}'"
                )));
            }
            if is_solid && !["closest", "any"].contains(&kind.as_str()) {
                return Err(PyValueError::new_err(format!(
                    "solid is for the kinds closest and any, and not for '{kind}'"
                )));
            }
        }
        Ok(Self { kinds, is_solid, count, seed })
    }

    fn asks(&self, kind: &str) -> bool {
        match &self.kinds {
            Some(kinds) => kinds.iter().any(|name| name == kind),
            None => !self.is_solid || ["closest", "any"].contains(&kind),
        }
    }

    fn queries(&self) -> Vec<Query> {
        Query::KINDS.into_iter().filter(|query| self.asks(query.name())).collect()
    }

    /// Returns the questions about what is given, or about what a seed aims at the scene.
    fn about<'a>(
        &self,
        scene: &LibraryScene,
        rays: Option<Rays>,
        points: Option<&'a [[f32; 3]]>,
    ) -> Asked<'a> {
        if rays.is_none() && points.is_none() {
            let mut trials = trials(scene, &self.queries(), self.count, self.seed);
            trials.retain(|trial| trial.is_solid || !self.is_solid);
            // Points have no worlds.
            let asks_points = self.asks(POINTS) && scene.world_count() == 1;
            let count = if asks_points { self.count } else { 0 };
            return Asked { trials, points: seeded_points(scene, count, self.seed).into() };
        }
        let rays = rays.map(Arc::new);
        let trial = |(query, rays): (Query, &Arc<Rays>)| Trial {
            name: "rays",
            query,
            is_solid: self.is_solid,
            rays: Arc::clone(rays),
        };
        let queries =
            self.queries().into_iter().flat_map(|query| rays.iter().map(move |rays| (query, rays)));
        Asked { trials: queries.map(trial).collect(), points: points.unwrap_or_default().into() }
    }
}

/// Asks the tracer, and judges each answer by the float64 tracer; answers of that one by a test of every primitive.
pub(super) fn verify(
    tracer: &Tracer,
    py: Python<'_>,
    (rays, points): (Option<GivenRays<'_>>, Option<GivenPoints<'_>>),
    questions: &Questions,
    progress: bool,
) -> PyResult<Report> {
    let given = rays.as_ref().map(GivenRays::detached).transpose()?;
    let points = points.as_ref().map(GivenPoints::points).transpose()?;
    let origin = tracer.origin();
    let (asked, judge) = detached(py, || {
        let current = tracer.current(origin)?;
        let (scene, version) = tracer.scene.get().snapshot();
        if version != current.version {
            return Err(SceneError::new_err("the scene was changed while the tracer was verified"));
        }
        let rays = given.as_ref().map(DetachedRays::copied).transpose()?;
        let asked = questions.about(&scene, rays, points);
        let packed = PackedScene::new(scene).map_err(IntoException::into_exception)?;
        let judge = match current.open.gpu {
            Some(_) => Judge::new(&packed),
            None => Judge::by_brute_force(&packed),
        };
        Ok((asked, judge))
    })?;
    let of_trials: usize = asked.trials.iter().map(|trial| trial.rays.len()).sum();
    let is_given = given.is_some() || points.is_some();
    if of_trials + asked.points.len() == 0 && (asked.trials.is_empty() || !is_given) {
        return Err(PyValueError::new_err(
            "there is nothing to verify, and no answer would pass for a right one: give rays, points, kinds or a count",
        ));
    }
    let bar = Bar::new(py, progress, of_trials + asked.points.len(), "answers")?;
    detached(py, || {
        let current = tracer.current(origin)?;
        let mut outcome = Outcome::default();
        judge_all(&current, tracer, (&judge, &mut outcome), &asked, &bar)?;
        Ok(Report::new(outcome, judge, current.open.tracer.device()))
    })
}

fn judge_all(
    current: &Current,
    tracer: &Tracer,
    (judge, outcome): (&Judge, &mut Outcome),
    asked: &Asked<'_>,
    bar: &Bar,
) -> PyResult<()> {
    let device = current.open.tracer.as_ref();
    for trial in &asked.trials {
        let batch = trial.batch().map_err(IntoException::into_exception)?;
        in_pieces(batch.len(), bar, &tracer.paces.verify, |piece| {
            let batch = batch.slice(piece);
            let judged = device
                .ask(trial.query, batch)
                .and_then(|answers| outcome.add_rays(judge, trial.name, batch, &answers));
            judged.map_err(TraceError::into_exception)
        })?;
    }
    in_pieces(asked.points.len(), bar, &tracer.paces.verify, |piece| {
        let points = &asked.points[piece];
        let judged =
            device.points(points).and_then(|hits| outcome.add_points(judge, POINTS, points, &hits));
        judged.map_err(TraceError::into_exception)
    })
}

#[pymethods]
impl Tracer {
    /// Asks the tracer, and holds each of its answers to the exact one of the float64 tracer, and to the bound on its error. The
    /// answers of ``device="cpu"`` are held to a test of every primitive, bit by bit, which finds a fault of the tree.
    ///
    /// Without ``rays`` and ``points`` about ``count`` of each are aimed at the scene by a seed, at what is hard: edges,
    /// outlines, tangents, corners, surfaces. ``kinds`` chooses among ``"closest"``, ``"any"``, ``"count"``, ``"all"`` and
    /// ``"points"``; all by default. With ``solid`` rays that start in a solid hit it there, which suits closest and any.
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
        rays: Option<Given<'_, 'py>>,
        points: Option<Given<'_, 'py>>,
        kinds: Option<Vec<String>>,
        solid: bool,
        masks: Option<Given<'_, 'py>>,
        ignore_ids: Option<Given<'_, 'py>>,
        world_ids: Option<Given<'_, 'py>>,
        #[pyo3(from_py_with = given::count)] count: usize,
        #[pyo3(from_py_with = given::seed)] seed: u64,
        progress: bool,
    ) -> PyResult<Report> {
        let origin = self.origin();
        let filters = [masks, ignore_ids, world_ids];
        if rays.is_none() && filters.iter().any(Option::is_some) {
            return Err(PyValueError::new_err(
                "masks, ignore_ids and world_ids are of rays: give rays",
            ));
        }
        let rays = rays.map(|rays| GivenRays::read(rays, filters, solid, origin)).transpose()?;
        let points = points.map(|points| read_points(points, origin)).transpose()?;
        let questions = Questions::new(kinds, solid, (count, seed))?;
        verify(self, py, (rays, points), &questions, progress)
    }
}
