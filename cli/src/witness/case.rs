//! The cases of the witness suite, as in the files of `cli/witness`.

use super::super::Failure;
use raytwin_verify::Answer;

use raytwin::query::{Query, Rays};
use raytwin::question::RayQuestion;
use raytwin::ray::{Hit, Ray};
use raytwin::scene::Scene;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The files, which are a part of the program.
const FILES: [(&str, &str); 11] = [
    ("meshes.json", include_str!("../../witness/meshes.json")),
    ("tangents.json", include_str!("../../witness/tangents.json")),
    ("far_origins.json", include_str!("../../witness/far_origins.json")),
    ("directions.json", include_str!("../../witness/directions.json")),
    ("insides.json", include_str!("../../witness/insides.json")),
    ("cylinders_capsules_boxes.json", include_str!("../../witness/cylinders_capsules_boxes.json")),
    ("ties.json", include_str!("../../witness/ties.json")),
    ("cones_tori.json", include_str!("../../witness/cones_tori.json")),
    ("heightfields.json", include_str!("../../witness/heightfields.json")),
    ("transforms.json", include_str!("../../witness/transforms.json")),
    ("bounces.json", include_str!("../../witness/bounces.json")),
];

/// The cases of one file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Theme {
    #[serde(rename = "theme")]
    pub name: String,
    /// The sentence that describes all cases of the theme.
    pub about: String,
    pub cases: Vec<Case>,
}

/// A small scene, rays, and their exact answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub name: String,
    /// The sentence that describes what goes wrong elsewhere.
    pub elsewhere: String,
    /// The address of the complaint, or `measured`.
    pub source: String,
    /// The sentence that explains why the answer is right.
    pub answer: String,
    /// True if float32 represents every step of the computation exactly, so that a device that
    /// rounds correctly answers exactly.
    pub lattice: bool,
    scene: Value,
    #[serde(deserialize_with = "named_query")]
    pub query: Query,
    #[serde(default)]
    solid: bool,
    ignore_id: Option<u32>,
    rays: Vec<[Option<f32>; 8]>,
    pub expected: Vec<Expected>,
}

/// The exact answer to a ray.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Expected {
    NoHit(NoHit),
    Hit(ExpectedHit),
    Any(bool),
    Count(u32),
    All(Vec<ExpectedHit>),
}

/// The reason why a ray hits nothing.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NoHit {
    Miss,
    Invalid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedHit {
    t: f64,
    geometry_id: u32,
    /// The primitive, if there is only one at this t.
    primitive_id: Option<u32>,
    /// The bound on an error of t; 0 if the answer is exact.
    #[serde(default)]
    bound: f64,
    normal: Option<[f32; 3]>,
}

fn named_query<'de, D: Deserializer<'de>>(text: D) -> Result<Query, D::Error> {
    let name = String::deserialize(text)?;
    Query::named(&name).ok_or_else(|| D::Error::custom(format!("there is no query {name}")))
}

pub(crate) fn themes() -> Result<Vec<Theme>, Failure> {
    let read = |(name, text): (&str, &str)| {
        serde_json::from_str(text).map_err(|error| Failure::input(format!("{name}: {error}")))
    };
    FILES.into_iter().map(read).collect()
}

impl Case {
    pub fn scene(&self) -> Result<Scene, Failure> {
        Ok(raytwin_formats::parse(&self.scene.to_string(), Path::new(&self.name))?)
    }

    /// Makes the question. JSON has no infinity, so a number that is null stands for it.
    pub fn question(&self) -> RayQuestion {
        let ray = |numbers: &[Option<f32>; 8]| {
            let [ox, oy, oz, dx, dy, dz, t_min, t_max] =
                numbers.map(|number| number.unwrap_or(f32::INFINITY));
            Ray::new([ox, oy, oz], [dx, dy, dz]).within(t_min, t_max)
        };
        let rays = self.rays.iter().map(ray).collect();
        let ignored = self.ignore_id.map(|id| vec![id; self.rays.len()]);
        let rays = Arc::new(Rays { rays, ignored, ..Rays::default() });
        RayQuestion { name: "rays", query: self.query, is_solid: self.solid, rays }
    }
}

impl Expected {
    /// Returns true if an answer agrees with this one.
    pub fn agrees(&self, given: &Answer) -> bool {
        match (self, given) {
            (Self::NoHit(NoHit::Miss), Answer::Closest(hit)) => *hit == Hit::MISS,
            (Self::NoHit(NoHit::Invalid), Answer::Closest(hit)) => hit.t.is_nan() && !hit.is_hit(),
            (Self::Hit(expected), Answer::Closest(hit)) => expected.agrees(hit),
            (Self::Any(expected), Answer::Any(given)) => expected == given,
            (Self::Count(expected), Answer::Count(given)) => expected == given,
            (Self::All(expected), Answer::All(hits)) => {
                let mut pairs = expected.iter().zip(hits);
                expected.len() == hits.len() && pairs.all(|(expected, hit)| expected.agrees(hit))
            }
            _ => false,
        }
    }

    /// Returns the outward unit normal of the closest hit, if the case states it.
    pub fn normal(&self) -> Option<[f32; 3]> {
        match self {
            Self::Hit(hit) => hit.normal,
            _ => None,
        }
    }
}

impl ExpectedHit {
    fn agrees(&self, hit: &Hit) -> bool {
        hit.geometry_id == self.geometry_id
            && self.primitive_id.is_none_or(|id| id == hit.primitive_id)
            && (f64::from(hit.t) - self.t).abs() <= self.bound
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHit(NoHit::Miss) => f.write_str("a miss"),
            Self::NoHit(NoHit::Invalid) => f.write_str("an invalid ray"),
            Self::Hit(hit) => hit.fmt(f),
            Self::Any(is_hit) => is_hit.fmt(f),
            Self::Count(count) => write!(f, "{count} crossings"),
            Self::All(hits) => {
                let hits: Vec<String> = hits.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", hits.join(", "))
            }
        }
    }
}

impl fmt::Display for ExpectedHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t {} id {}", self.t, self.geometry_id)?;
        if let Some(primitive_id) = self.primitive_id.filter(|&id| id > 0) {
            write!(f, "/{primitive_id}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_file_is_carried_and_every_name_stands_for_one_case() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("witness");
        let mut files: HashSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        files.retain(|name| name.ends_with(".json"));
        assert_eq!(files, FILES.map(|(name, _)| name.to_owned()).into());
        let themes = themes().unwrap();
        let cases = || themes.iter().flat_map(|theme| &theme.cases);
        let names: HashSet<&str> = cases().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), cases().count());
        for case in cases() {
            assert_eq!(case.rays.len(), case.expected.len(), "{}", case.name);
        }
    }
}
