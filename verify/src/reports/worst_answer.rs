//! One of the worst answers, as an object for files and programs.

use super::answer_summary::AnswerSummary;
use crate::{ComparedPart, Probe, Worst};
use schemars::JsonSchema;
use serde::Serialize;

/// One of the worst answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WorstAnswer {
    /// The scene, if the comparison has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
    /// Its part of the comparison.
    pub part: String,
    /// The index of the ray or point in that part.
    pub index: usize,
    /// The column and row of an image's pixel, from the top left; null for another ray or point.
    pub pixel: Option<[u32; 2]>,
    /// The ray, as `pick --ray` accepts it; null for a point.
    pub ray: Option<String>,
    /// The command that casts the ray again; null for a point, and for a ray in a scene that has no
    /// file.
    pub pick: Option<String>,
    /// The point; null for a ray.
    pub point: Option<[f32; 3]>,
    /// The class of the answer.
    pub class: &'static str,
    /// The type of what was hit.
    #[serde(rename = "type")]
    pub type_name: &'static str,
    /// The error in t as a fraction of its bound.
    pub error: Option<f64>,
    /// The same error as a distance, in the scene's unit of length.
    pub distance_error: Option<f64>,
    /// The reason why the answer is right although it is not exact.
    pub cause: Option<CauseSummary>,
    /// The answer that was judged.
    pub given: AnswerSummary,
    /// The exact answer.
    pub exact: AnswerSummary,
}

/// The reason why an answer that is not exact is right.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CauseSummary {
    /// The geometry whose surface is in doubt.
    pub geometry_id: u32,
    /// The primitive of that geometry.
    pub primitive_id: u32,
    /// The t of its crossing in float64, or for a point the distance.
    pub t: f64,
    /// The least displacement of surfaces that gives this answer, as a fraction of the allowed one.
    pub displacement: f64,
}

/// A ray as text, and the command that casts it again.
pub struct RayText {
    /// The ray's numbers.
    pub numbers: String,
    /// The command.
    pub command: String,
}

/// Writes rays and paths as the caller does.
pub struct AnswerTexts<'a> {
    /// Writes a ray.
    pub ray: &'a dyn Fn(&raytwin::Ray) -> RayText,
    /// Returns the path of a geometry; `None` if shapes have no paths.
    pub path: &'a dyn Fn(u32) -> Option<String>,
}

impl WorstAnswer {
    pub(super) fn new(part: &ComparedPart, worst: &Worst, texts: &AnswerTexts<'_>) -> Self {
        let verdict = &worst.verdict;
        let typed = worst.probe.ray().map(texts.ray);
        let point = match worst.probe {
            Probe::Point(point) => Some(point),
            Probe::Ray { .. } => None,
        };
        let has_file = !part.is_altered && worst.scene.is_none();
        Self {
            scene: worst.scene.as_deref().map(str::to_owned),
            part: part.title(),
            index: worst.index,
            pixel: part.pixel(worst.index),
            ray: typed.as_ref().map(|typed| typed.numbers.clone()),
            pick: typed.filter(|_| has_file).map(|typed| typed.command),
            point,
            class: verdict.class.name(),
            type_name: verdict.row,
            error: verdict.error,
            distance_error: verdict.distance_error,
            cause: verdict.cause.map(|cause| CauseSummary {
                geometry_id: cause.geometry_id,
                primitive_id: cause.primitive_id,
                t: cause.t,
                displacement: cause.displacement,
            }),
            given: AnswerSummary::new(&verdict.given, texts.path),
            exact: AnswerSummary::new(&verdict.exact, texts.path),
        }
    }

    /// Returns the part, with the scene if there are several.
    pub fn part_in_scene(&self) -> String {
        match &self.scene {
            Some(scene) => format!("{scene}; {}", self.part),
            None => self.part.clone(),
        }
    }

    /// Returns the part and the index, with the column and row of a pixel, such as `image, closest
    /// 191026 (pixel 306,298)`.
    pub fn numbered(&self) -> String {
        let part = self.part_in_scene();
        match self.pixel {
            Some([column, row]) => format!("{part} {} (pixel {column},{row})", self.index),
            None => format!("{part} {}", self.index),
        }
    }

    /// Returns the command that casts the ray again, or the ray or the point.
    pub fn asked(&self) -> String {
        match (&self.pick, &self.ray) {
            (Some(command), _) => command.clone(),
            (None, Some(ray)) => format!("ray {ray}"),
            (None, None) => format!("point {:?}", self.point.unwrap_or_default()),
        }
    }
}
