//! A scene of a comparison: as it was read, as a camera sees it, or after everything in it moved.

use super::Arguments;
use crate::Failure;
use crate::console::Console;
use crate::source::hide_from;
use raytwin::camera::Camera;
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{Gpu, GpuTracer};
use raytwin::packed::PackedScene;
use raytwin::query::Query;
use raytwin::question::{Circumstance, Question, QuestionTraits, RayQuestion};
use raytwin::scene::Scene;
use raytwin::tracer::Tracer;
use raytwin_formats::SceneGraph;
use raytwin_verify::faults::{Fault, Need};
use raytwin_verify::{Judge, nudged, ray_questions};
use std::time::Instant;

/// Scenes with more geometries are not checked again after an update: an instance for each geometry
/// would need more memory and time than the comparison itself.
const MOST_GEOMETRIES: u32 = 10_000;

/// The number of rays that a tracer casts before its scene is updated, so that the tracer is in use
/// at the update.
const BEFORE_UPDATE: usize = 1024;

/// A scene, and the questions about it.
pub(super) struct ComparisonScene {
    /// The scene for which tracers are made.
    packed: PackedScene,
    change: Change,
    pub judge: Judge,
    pub questions: Vec<Question>,
}

/// The difference between the scene for rays and that of the file.
enum Change {
    None,
    /// A camera hides some of its shapes.
    Hidden,
    /// An update moves tracers to this scene.
    Moved(Box<Scene>),
}

impl ComparisonScene {
    /// Makes the scene as it was read.
    pub fn as_read(
        arguments: &Arguments,
        packed: &PackedScene,
        questions: Vec<Question>,
        is_of_cpu: bool,
    ) -> Self {
        let judge = judge(arguments, packed, is_of_cpu);
        Self { packed: packed.clone(), change: Change::None, judge, questions }
    }

    /// Makes the scene as the camera of an image sees it. The camera's sensor hides shapes only
    /// from the image. The inner error is the reason why there is nothing to ask.
    pub fn of_image(
        arguments: &Arguments,
        read: &Scene,
        (camera, image): (&Camera, Vec<Question>),
        is_of_cpu: bool,
        console: &Console,
    ) -> Result<Result<Self, String>, Failure> {
        let mut seen = read.clone();
        hide_from(&mut seen, camera);
        let packed = arguments.scene.pack(seen, Instant::now(), console)?.packed;
        if packed.is_empty() {
            return Ok(Err("the image, because its camera hides every shape".to_owned()));
        }
        let judge = judge(arguments, &packed, is_of_cpu);
        Ok(Ok(Self { packed, change: Change::Hidden, judge, questions: image }))
    }

    /// Returns true if a scene is small enough to be checked again after an update.
    pub fn can_be_moved(graph: &SceneGraph) -> Result<bool, Failure> {
        Ok(graph.geometry_count()? <= u64::from(MOST_GEOMETRIES))
    }

    /// Rebuilds the scene from its graph, with geometries that can move and all flags that it was
    /// read with, and moves everything a little. The inner error is the reason why there is nothing
    /// to ask.
    pub fn after_update(
        arguments: &Arguments,
        graph: Option<SceneGraph>,
        is_of_cpu: bool,
        console: &Console,
    ) -> Result<Result<Self, String>, Failure> {
        let not_asked = |reason: &str| Ok(Err(format!("an update, because {reason}")));
        let Some(graph) = graph else {
            return not_asked(&format!("the scene has more than {MOST_GEOMETRIES} geometries"));
        };
        let read = arguments.scene.flatten(graph, true)?.scene;
        if read.instances().is_empty() {
            return not_asked("nothing in the scene moves");
        }
        let Ok(moved) = nudged(&read, arguments.seed) else {
            return not_asked("its coordinates are close to the largest allowed ones");
        };
        let packed = arguments.scene.pack(read, Instant::now(), console)?.packed;
        let after = arguments.scene.pack(moved.clone(), Instant::now(), console)?.packed;
        let queries = [Query::CLOSEST, Query::Count];
        let seeded = ray_questions(&moved, &queries, arguments.random, arguments.seed);
        let in_update = |question: RayQuestion| {
            let name = match question.rays.masks {
                Some(_) => "filtered rays after an update",
                None => "after an update",
            };
            Question::Rays(RayQuestion { name, ..question })
        };
        Ok(Ok(Self {
            packed,
            judge: judge(arguments, &after, is_of_cpu),
            questions: seeded.into_iter().map(in_update).collect(),
            change: Change::Moved(Box::new(moved)),
        }))
    }

    /// Iterates over the questions, each with the scene for which tracers are made.
    pub fn asked_of_tracers(&self) -> impl Iterator<Item = (&PackedScene, &Question)> {
        self.questions.iter().map(|question| (&self.packed, question))
    }

    /// Returns true if the scene for rays differs from that of the file.
    pub fn is_altered(&self) -> bool {
        !matches!(self.change, Change::None)
    }

    /// Returns true if the questions are asked after an update.
    pub fn is_moved(&self) -> bool {
        matches!(self.change, Change::Moved(_))
    }

    /// Iterates over the questions, each with the judge of its answers.
    pub fn asked(&self) -> impl Iterator<Item = (&Judge, &Question)> + Clone {
        self.questions.iter().map(|question| (&self.judge, question))
    }

    /// Iterates over the traits of the questions. The table of faults uses them to find what shows
    /// a fault.
    pub fn traits(&self) -> impl Iterator<Item = QuestionTraits> {
        self.questions.iter().map(|question| match self.is_moved() {
            true => question.traits().under(Circumstance::Update),
            false => question.traits(),
        })
    }

    /// Returns the first need of a fault that the scene does not meet.
    pub fn lacks(&self, fault: &Fault) -> Option<Need> {
        fault.needs.iter().copied().find(|need| need.is_met_by(&self.packed) == Some(false))
    }

    /// Makes a tracer of the scene. If the scene moves, the tracer first casts rays and then moves.
    pub fn tracer(
        &self,
        gpu: Option<&Gpu>,
        fault: Option<&Fault>,
    ) -> Result<Box<dyn Tracer>, Failure> {
        let mut tracer: Box<dyn Tracer> = match (gpu, fault) {
            (None, _) => Box::new(CpuTracer::new(&self.packed)),
            (Some(gpu), None) => Box::new(GpuTracer::new(gpu, &self.packed)?),
            (Some(gpu), Some(fault)) => {
                Box::new(GpuTracer::with_fault(gpu, &self.packed, fault.site)?)
            }
        };
        let Change::Moved(moved) = &self.change else { return Ok(tracer) };
        if let Some(question) = self.questions.first() {
            tracer.answer(question, 0..question.len().min(BEFORE_UPDATE))?;
        }
        tracer.update(moved)?;
        Ok(tracer)
    }
}

/// Makes the judge of answers in a scene. The CPU's traversal is checked against a test of every
/// primitive, which finds errors in the tree.
fn judge(arguments: &Arguments, packed: &PackedScene, is_of_cpu: bool) -> Judge {
    match is_of_cpu {
        true => Judge::by_brute_force(packed),
        false => Judge::new(packed).with_tolerance(arguments.tolerance()),
    }
}
