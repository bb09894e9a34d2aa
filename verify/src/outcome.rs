//! The outcome of a comparison: the verdicts on each part, and the verdict on the whole.

use super::verdict_counts::Rank;
use super::{
    Bias, CAMERA, Class, Clues, GivenParts, Judge, NeededTolerances, Probe, Rate, Rates,
    SurfaceTolerance, Verdict, VerdictCounts, Worst, camera_error,
};
use raytwin::camera::View;
use raytwin::query::{Answers, Query};
use raytwin::question::{Question, QuestionAnswers, QuestionKind};
use raytwin::ray::{Hit, Ray};
use raytwin::scan::Views;
use raytwin::tracer::TraceError;
use std::ops::Range;
use std::sync::Arc;

/// The answers to one query of one set of rays or points.
#[derive(Clone, Debug)]
pub struct ComparedPart {
    /// The name of the rays or points, such as `image`.
    pub name: String,
    /// The kind of query.
    pub kind: &'static str,
    /// True if solids were treated as solid.
    pub is_solid: bool,
    /// True if the scene had moved or a camera hid some of it, so that the scene's file does not
    /// show what the rays hit.
    pub is_altered: bool,
    /// The given parts of closest hits. Only these were judged.
    pub given: GivenParts,
    /// The columns and rows of an image.
    pub image_size: Option<[u32; 2]>,
    /// The verdicts.
    pub counts: VerdictCounts,
}

/// An image that was compared, pixel by pixel from the top left.
#[derive(Clone, Debug)]
pub struct JudgedImage {
    /// The view.
    pub view: View,
    /// The given parts of the answers.
    pub parts: GivenParts,
    /// The answers. NaN and [`NONE`](raytwin::ray::NONE) stand for parts that were not given.
    pub given: Vec<Hit>,
    /// The exact answers.
    pub exact: Vec<Hit>,
    /// The classes of the answers.
    pub classes: Vec<Class>,
    /// The errors in t as fractions of their bound; NaN if the two answers do not hit the same
    /// primitive, and if displaced surfaces explain the answer.
    pub errors: Vec<f32>,
}

impl JudgedImage {
    fn new(view: &View, parts: GivenParts) -> Self {
        Self {
            view: view.clone(),
            parts,
            given: Vec::new(),
            exact: Vec::new(),
            classes: Vec::new(),
            errors: Vec::new(),
        }
    }
}

/// The limits for the answers of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The percentage of wrong answers to allow. Default: 0, which is what raytwin promises.
    pub fail_percent: f64,
    /// The largest allowed error in t of any answer, as a fraction of its bound. Default: infinite,
    /// because an error above the bound is a mismatch.
    pub hard_limit: f64,
}

impl Limits {
    /// Returns the allowed number of mismatches for a number of answers.
    pub fn allowed_mismatches(&self, answers: usize) -> u64 {
        (self.fail_percent / 100.0 * answers as f64) as u64
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { fail_percent: 0.0, hard_limit: f64::INFINITY }
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    parts: Vec<ComparedPart>,
    image: Option<JudgedImage>,
    keeps_image: bool,
    camera_error: Option<f64>,
    rates: Rates,
    needed_tolerances: NeededTolerances,
    clues: Clues,
    /// The tolerance by which its answers were judged; `None` if only raytwin's bound applied.
    tolerance: Option<SurfaceTolerance>,
    /// The name of the scene of the questions, if there are several.
    scene: Option<Arc<str>>,
    is_altered: bool,
}

impl Outcome {
    /// Sets the name of the scene of all further questions, in a comparison of several.
    pub fn enter_scene(&mut self, name: &str) {
        self.scene = Some(name.into());
    }

    /// Sets whether the scene of all further questions has moved or is partly hidden, so that its
    /// file does not show what rays hit.
    pub fn set_altered(&mut self, is_altered: bool) {
        self.is_altered = is_altered;
    }

    /// Keeps the pixels of an image for a report, which needs 37 bytes for each.
    pub fn keeping_image(self) -> Self {
        Self { keeps_image: true, ..self }
    }

    /// Judges the answers to a piece of a question, and adds them to the part of its name and kind.
    /// The pieces of an image are added in their order. Returns the verdicts.
    ///
    /// # Errors
    /// Those of [`Judge::judge_answers`].
    pub fn add(
        &mut self,
        judge: &Judge,
        question: &Question,
        piece: Range<usize>,
        answers: &QuestionAnswers,
    ) -> Result<Vec<Verdict>, TraceError> {
        let verdicts = judge.judge_answers(question, piece.clone(), answers)?;
        self.count(judge, &verdicts);
        let given = match answers {
            QuestionAnswers::Image { hits, .. } | QuestionAnswers::Rays(Answers::Closest(hits)) => {
                GivenParts::of(hits)
            }
            _ => GivenParts::ALL,
        };
        match question {
            Question::Image(views) => {
                let rays = answers.generated_rays();
                self.add_pixels((views, piece.start), rays, given, &verdicts);
                // The kind of a part is that of the query: an image shows closest hits.
                let part = self.part((question.name(), Query::CLOSEST.name()), false, given);
                let query = views.as_query(piece, rays.to_vec());
                let batch = query.batch()?;
                part.image_size = Some([views.view().width, views.view().height]);
                part.counts.extend(|index| Probe::ray_of(&batch, index), &verdicts);
            }
            Question::Rays(question) => {
                let batch = question.batch()?.slice(piece);
                let asked = (question.name, question.query.name());
                let part = self.part(asked, question.is_solid, given);
                part.counts.extend(|index| Probe::ray_of(&batch, index), &verdicts);
            }
            Question::Points(points) => {
                let points = &points[piece];
                let asked = (question.name(), question.kind().name());
                let part = self.part(asked, false, given);
                part.counts.extend(|index| Probe::Point(points[index]), &verdicts);
            }
        }
        Ok(verdicts)
    }

    /// Finds out what makes the wrong answers of another caster wrong, and the tolerances that they
    /// need. Pass the verdicts that [`add`](Self::add) returned for a whole question.
    ///
    /// # Errors
    /// Those of [`NeededTolerances::add`].
    pub fn explain(
        &mut self,
        judge: &Judge,
        question: &Question,
        (answers, verdicts): (&QuestionAnswers, &[Verdict]),
    ) -> Result<(), TraceError> {
        self.clues.add(judge, verdicts);
        self.needed_tolerances.add(judge, question, answers, verdicts)
    }

    /// Returns the tolerances that wrong answers need, as far as they were computed.
    pub fn needed_tolerances(&self) -> &NeededTolerances {
        &self.needed_tolerances
    }

    /// Returns what the wrong answers point to, one sentence each, as far as that was computed.
    pub fn clues(&self) -> Vec<String> {
        self.clues.sentences(&self.needed_tolerances)
    }

    /// Records the error of the rays of the next pixels of an image, and keeps their verdicts if
    /// the image is kept.
    fn add_pixels(
        &mut self,
        (views, first): (&Views, usize),
        rays: &[Ray],
        given: GivenParts,
        verdicts: &[Verdict],
    ) {
        let error = camera_error(views, first, rays);
        // A NaN fails the comparison: it replaces any error, and no error replaces it.
        let worst = self.camera_error.unwrap_or(0.0);
        self.camera_error = Some(if error <= worst { worst } else { error });
        // A picture shows one image.
        if self.keeps_image && views.count() == 1 {
            let image = self.image.get_or_insert_with(|| JudgedImage::new(views.view(), given));
            image.classes.extend(verdicts.iter().map(|verdict| verdict.class));
            image.exact.extend(verdicts.iter().map(|verdict| verdict.exact.hit()));
            image.given.extend(verdicts.iter().map(|verdict| verdict.given.hit()));
            image.errors.extend(verdicts.iter().map(error_of));
        }
    }

    /// Counts how often answers are excused, unless a tolerance applies: these limits are for
    /// devices that only round, and a tolerance is for other casters.
    fn count(&mut self, judge: &Judge, verdicts: &[Verdict]) {
        self.tolerance = judge.tolerance();
        if self.tolerance.is_none() {
            self.rates.extend(verdicts);
        }
    }

    fn part(
        &mut self,
        (name, kind): (&str, &'static str),
        is_solid: bool,
        given: GivenParts,
    ) -> &mut ComparedPart {
        let is_altered = self.is_altered;
        let is_it = |part: &ComparedPart| {
            let is_alike = part.is_solid == is_solid && part.given == given;
            part.name == name && part.kind == kind && is_alike
        };
        let index = self.parts.iter().position(is_it).unwrap_or_else(|| {
            let counts = VerdictCounts::default();
            let name = name.to_owned();
            let image_size = None;
            self.parts.push(ComparedPart {
                name,
                kind,
                is_solid,
                is_altered,
                given,
                image_size,
                counts,
            });
            self.parts.len() - 1
        });
        let part = &mut self.parts[index];
        part.counts.scene.clone_from(&self.scene);
        part
    }

    /// Returns the parts in the order in which they were added first.
    pub fn parts(&self) -> &[ComparedPart] {
        &self.parts
    }

    /// Returns the image, if one was compared and kept.
    pub fn image(&self) -> Option<&JudgedImage> {
        self.image.as_ref()
    }

    /// Returns the worst [error](camera_error) of an image's rays, in u; `None` if no image was
    /// compared.
    pub fn camera_error(&self) -> Option<f64> {
        self.camera_error
    }

    /// Returns the tolerance by which the answers were judged; `None` if only raytwin's bound
    /// applied.
    pub fn tolerance(&self) -> Option<SurfaceTolerance> {
        self.tolerance
    }

    /// Returns how often answers are excused, and the mean errors of t. Answers that are judged by
    /// a tolerance are not counted.
    pub fn rates(&self) -> &Rates {
        &self.rates
    }

    /// Returns the counts of all parts together, without their worst answers.
    pub fn total(&self) -> VerdictCounts {
        let mut total = VerdictCounts::default();
        self.parts.iter().for_each(|part| total.add_counts(&part.counts));
        total
    }

    /// Returns the worst answers of all parts, each with its part, the worst first.
    pub fn worst(&self) -> Vec<(&ComparedPart, &Worst)> {
        let of_part = |part| ComparedPart::worst(part).map(move |worst| (part, worst));
        let mut all: Vec<(&ComparedPart, &Worst)> = self.parts.iter().flat_map(of_part).collect();
        let rank = |entry: &(&ComparedPart, &Worst)| -> Rank { entry.1.rank() };
        // The sort is stable, so that equal ranks stay in the order of the parts. No rank has a
        // NaN.
        all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
        all
    }

    /// Returns the reasons why the answers are not sound; an empty list if they are.
    pub fn failures(&self, limits: &Limits) -> Vec<String> {
        let total = self.total();
        let (answers, mismatches) = (total.answers(), total.count(Class::Mismatch));
        let mut failures = Vec::new();
        let allowed = limits.allowed_mismatches(answers);
        if mismatches > allowed {
            let and_allowed = match limits.fail_percent {
                0.0 => String::new(),
                percent => format!(", and the limit of {percent} % allows {allowed}"),
            };
            failures.push(format!("{mismatches} of {answers} answers are wrong{and_allowed}"));
        }
        let largest = total.largest_error();
        if largest > limits.hard_limit {
            let limit = limits.hard_limit;
            failures.push(format!(
                "the largest error in t is {largest:.4} of its bound, and the limit is {limit}"
            ));
        }
        if let Some(error) = self.camera_error.filter(|&error| !camera_is_sound(error)) {
            failures
                .push(format!("a camera ray is off by {error:.2} u, and the limit is {CAMERA} u"));
        }
        for rate in self.rates.rates().iter().filter(|rate| rate.is_excessive) {
            let Rate { class, answers, observed, limit, .. } = rate;
            failures.push(format!(
                "{observed} of {answers} answers of class {} need surfaces to move by more than a quarter of the allowed distance, and a device that only rounds has at most {limit}",
                class.name()
            ));
        }
        for bias in self.rates.biases().iter().filter(|bias| bias.is_excessive) {
            let Bias { type_name, mean, limit, .. } = bias;
            failures.push(format!(
                "the mean error of t on each {type_name} is {mean:.4} of its bound, and on a device that only rounds it is at most {limit:.4}"
            ));
        }
        failures
    }
}

impl ComparedPart {
    /// Returns its worst answers, mismatches first.
    pub fn worst(&self) -> impl Iterator<Item = &Worst> {
        self.counts.worst().iter()
    }

    /// Returns true if the part is about points, not rays.
    pub fn is_of_points(&self) -> bool {
        self.kind == QuestionKind::Points.name()
    }

    /// Returns the column and row of a pixel of an image, from the top left.
    pub fn pixel(&self, index: usize) -> Option<[u32; 2]> {
        let [width, height] = self.image_size?;
        let in_image = (index % (width as usize * height as usize)) as u32;
        Some([in_image % width, in_image / width])
    }

    /// Returns its name with that of the query, such as `image, closest`, and with the parts that
    /// were judged if answers were given in part.
    pub fn title(&self) -> String {
        match self.given.judged() {
            Some(judged) => format!("{}, {judged}", self.whole_title()),
            None => self.whole_title(),
        }
    }

    fn whole_title(&self) -> String {
        let solid = if self.is_solid { ", solid" } else { "" };
        match self.kind {
            kind if kind == self.name => kind.to_owned(),
            kind => format!("{}, {kind}{solid}", self.name),
        }
    }

    /// Returns the name of its array, such as `image_closest`.
    pub fn array_name(&self) -> String {
        self.whole_title().replace(", ", "_").replace(' ', "_")
    }
}

/// Returns true if a camera's rays are where they should be. A NaN is not.
fn camera_is_sound(error: f64) -> bool {
    error <= CAMERA
}

fn error_of(verdict: &Verdict) -> f32 {
    verdict.error.map_or(f32::NAN, |error| error as f32)
}
