//! Reads saved answers of raytwin or another program, so that they can be judged.

mod arrays;
mod columns;
mod names;

use crate::FileError;
use columns::AnswerColumns;
use raytwin::camera::View;
use raytwin::query::{AllHits, Answers, Hits, PointHit, Query};
use raytwin::question::{Question, QuestionAnswers, RayQuestion};
use raytwin::ray::{Hit, NONE, Ray};
use raytwin::scene::Scene;
use std::collections::BTreeSet;
use std::path::Path;

/// An open file or folder of answers: an `.npz`, such as the answers to a query or the arrays of a
/// render, a folder with an `.npy` for each array, a single such `.npy`, or a Parquet file with a
/// column for each array. It may have the answers to several queries of the same rays.
#[derive(Debug)]
pub struct SavedAnswers {
    columns: AnswerColumns,
    /// The required arrays that are missing.
    absent: BTreeSet<&'static str>,
}

impl SavedAnswers {
    /// Opens a file or a folder.
    ///
    /// # Errors
    /// [`FileError`]: the file or folder is unreadable, or does not have answers.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Ok(Self { columns: AnswerColumns::open(path.as_ref())?, absent: BTreeSet::new() })
    }

    /// Returns the queries of rays whose answers it has.
    ///
    /// # Errors
    /// [`FileError`], if it has none.
    pub fn queries(&self) -> Result<Vec<Query>, FileError> {
        let has = |name| self.columns.has(name);
        let is_there = |query: &Query| match query {
            Query::Closest(_) => {
                let names = ["t_hit", "distance", "z", "geometry_ids"];
                !has("ray_splits") && names.into_iter().any(has)
            }
            Query::Any => has("occluded"),
            Query::Count => has("intersections"),
            Query::All => has("ray_splits"),
        };
        let there: Vec<Query> = Query::KINDS.into_iter().filter(is_there).collect();
        if there.is_empty() { Err(self.columns.without_answers()) } else { Ok(there) }
    }

    /// Returns the arrays that were not judged so far: those that were not read, and those that are
    /// missing.
    pub fn unjudged(&self) -> Vec<String> {
        let absent = self.absent.iter().map(|&name| self.columns.name_in_file(name));
        let absent = absent.map(|name| format!("{name} (absent)"));
        self.columns.unread().into_iter().chain(absent).collect()
    }

    /// Reads the answers to a question. Answers to an image refer to the rays of its view, rounded
    /// once. Closest hits may lack t or ids, whose arrays are then empty. Without t, the distance
    /// replaces it, or z for an image. If only `primitive_ids` are missing, each hit is on the
    /// first primitive of its geometry, in a scene whose geometries have one primitive each.
    ///
    /// # Errors
    /// [`FileError`]: an array is missing, has the wrong size or type, has a null, or has ids that
    /// the scene lacks; closest hits have neither t nor ids; or z does not determine the position
    /// of a hit.
    pub fn answers(
        &mut self,
        question: &Question,
        scene: &Scene,
    ) -> Result<QuestionAnswers, FileError> {
        let count = question.len();
        Ok(match question {
            Question::Image(views) => {
                let view = views.view();
                self.refuse_other_size([view.width, view.height])?;
                QuestionAnswers::Image {
                    rays: (0..count).map(|pixel| view.ray(pixel)).collect(),
                    hits: self.closest(count, scene, Casts::Image(view))?,
                }
            }
            Question::Rays(question) => QuestionAnswers::Rays(self.of_rays(question, scene)?),
            Question::Points(_) => QuestionAnswers::Points(self.of_points(count, scene)?),
        })
    }

    fn of_rays(&mut self, question: &RayQuestion, scene: &Scene) -> Result<Answers, FileError> {
        let columns = &mut self.columns;
        let rays = question.rays.len();
        Ok(match question.query {
            Query::Closest(_) => {
                let casts = Casts::Rays(&question.rays.rays);
                Answers::Closest(self.closest(rays, scene, casts)?)
            }
            Query::Any => Answers::Any(columns.truths("occluded", rays)?),
            Query::Count => Answers::Count(columns.counts("intersections", Some(rays))?),
            Query::All => Answers::All(self.all(rays, scene)?),
        })
    }

    /// Rejects the answers to an image whose arrays have rows and columns, but not those of the
    /// image.
    fn refuse_other_size(&self, [width, height]: [u32; 2]) -> Result<(), FileError> {
        let size = [height, width].map(|count| count as usize);
        for (name, shape) in self.columns.shapes() {
            if shape.len() > 1 && !shape.starts_with(&size) {
                let reason = format!(
                    "has shape {shape:?}, and the image has {height} rows of {width} pixels: give the size with which it was rendered"
                );
                return Err(self.refused(name, &reason));
            }
        }
        Ok(())
    }

    fn of_points(&mut self, points: usize, scene: &Scene) -> Result<Vec<PointHit>, FileError> {
        let contains = self.columns.counts("contains", Some(points))?;
        let containing_ids = self.columns.ids("containing_ids", Some(points))?;
        let (geometry_ids, primitive_ids) = self.surfaces(Some(points), scene)?;
        self.refuse_other_scene("containing_ids", &containing_ids, scene)?;
        Ok((0..points)
            .map(|index| PointHit {
                contains: contains[index],
                containing_id: containing_ids[index],
                geometry_id: geometry_ids[index],
                primitive_id: primitive_ids[index],
            })
            .collect())
    }

    /// Reads the parts of closest hits that exist.
    fn closest(&mut self, rays: usize, scene: &Scene, casts: Casts<'_>) -> Result<Hits, FileError> {
        if self.columns.has("ray_splits") {
            let reason = "is in the file, so t_hit lists all crossings instead of the closest hits";
            return Err(self.refused("ray_splits", reason));
        }
        let t_hit = self.t_of_closest(rays, casts)?;
        let has_ids = self.columns.has("geometry_ids");
        if !has_ids && t_hit.is_none() {
            return Err(self.columns.without_hits());
        }
        let geometry_ids = if has_ids { self.geometry_ids(Some(rays), scene)? } else { Vec::new() };
        let has_primitives = self.columns.has("primitive_ids") || has_one_primitive_each(scene);
        let primitive_ids = match has_ids && has_primitives {
            true => self.primitive_ids(Some(rays), &geometry_ids)?,
            false => Vec::new(),
        };
        let names = ["geometry_ids", "primitive_ids"];
        if !has_ids || !has_primitives {
            self.absent.extend(names.into_iter().filter(|name| !self.columns.has(name)));
        }
        if t_hit.is_none() {
            self.absent.insert("t_hit");
        }
        let t_hit = t_hit.unwrap_or_default();
        Ok(Hits { t_hit, geometry_ids, primitive_ids, ..Hits::default() })
    }

    /// Reads the t of closest hits, or computes it from another array.
    fn t_of_closest(
        &mut self,
        rays: usize,
        casts: Casts<'_>,
    ) -> Result<Option<Vec<f32>>, FileError> {
        let there = ["t_hit", "distance", "z"].into_iter().find(|name| self.columns.has(name));
        let Some(name) = there else { return Ok(None) };
        if name == "z" {
            if let Casts::Rays(_) = casts
                && self.columns.has("geometry_ids")
            {
                return Ok(None);
            }
            casts.check_z().map_err(|reason| self.refused("z", reason))?;
        }
        let mut t_hit = self.columns.floats(name, Some(rays))?;
        for (ray, t) in t_hit.iter_mut().enumerate() {
            *t = casts.t_of(name, ray, *t);
        }
        Ok(Some(t_hit))
    }

    fn all(&mut self, rays: usize, scene: &Scene) -> Result<AllHits, FileError> {
        let rule = "must not be negative";
        let splits = self
            .columns
            .checked("ray_splits", Some(rays + 1), rule, |number| usize::try_from(number).ok())?;
        let t_hit = self.columns.floats("t_hit", None)?;
        let (geometry_ids, primitive_ids) = self.surfaces(Some(t_hit.len()), scene)?;
        let is_in_order = splits.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (splits.first().copied(), splits.last().copied());
        if !is_in_order || ends != (Some(0), Some(t_hit.len())) {
            let reason = format!(
                "must increase from 0 to the number of crossings, which is {}",
                t_hit.len()
            );
            return Err(self.refused("ray_splits", &reason));
        }
        let hits = hits(t_hit, geometry_ids, primitive_ids);
        if self.columns.has("ray_ids") {
            let ray_ids = self.columns.counts("ray_ids", Some(hits.len()))?;
            let is_of = |(ray, pair): (usize, &[usize])| {
                ray_ids[pair[0]..pair[1]].iter().all(|&id| id as usize == ray)
            };
            if !splits.windows(2).enumerate().all(is_of) {
                let reason = "contradict ray_splits: each crossing has the index of its ray";
                return Err(self.refused("ray_ids", reason));
            }
        }
        let mut all = AllHits::default();
        for pair in splits.windows(2) {
            all.push(hits[pair[0]..pair[1]].iter().copied());
        }
        Ok(all)
    }

    /// Reads the ids of the geometries that were hit.
    fn surfaces(
        &mut self,
        count: Option<usize>,
        scene: &Scene,
    ) -> Result<(Vec<u32>, Vec<u32>), FileError> {
        let geometry_ids = self.geometry_ids(count, scene)?;
        if !self.columns.has("primitive_ids") && !has_one_primitive_each(scene) {
            return Err(self.columns.missing("primitive_ids"));
        }
        let primitive_ids = self.primitive_ids(count, &geometry_ids)?;
        Ok((geometry_ids, primitive_ids))
    }

    /// Reads the ids of primitives. If there are none, returns the first primitive of each
    /// geometry.
    fn primitive_ids(
        &mut self,
        count: Option<usize>,
        geometry_ids: &[u32],
    ) -> Result<Vec<u32>, FileError> {
        if self.columns.has("primitive_ids") {
            return self.columns.ids("primitive_ids", count);
        }
        let first = |&id: &u32| if id == NONE { NONE } else { 0 };
        Ok(geometry_ids.iter().map(first).collect())
    }

    fn geometry_ids(&mut self, count: Option<usize>, scene: &Scene) -> Result<Vec<u32>, FileError> {
        let geometry_ids = self.columns.ids("geometry_ids", count)?;
        self.refuse_other_scene("geometry_ids", &geometry_ids, scene)?;
        Ok(geometry_ids)
    }

    fn refuse_other_scene(&self, name: &str, ids: &[u32], scene: &Scene) -> Result<(), FileError> {
        let geometries = scene.geometry_count();
        match ids.iter().position(|&id| id >= geometries && id != NONE) {
            None => Ok(()),
            Some(index) => {
                let reason = format!(
                    "is {}, and the scene has {geometries} geometries: these answers belong to another scene",
                    ids[index]
                );
                Err(self.refused(&format!("{name}[{index}]"), &reason))
            }
        }
    }

    fn refused(&self, place: &str, reason: &str) -> FileError {
        FileError::meaning(&self.columns.path, place, reason)
    }
}

/// The rays of the closest hits.
#[derive(Clone, Copy)]
enum Casts<'a> {
    Rays(&'a [Ray]),
    Image(&'a View),
}

impl Casts<'_> {
    /// Returns the t of a hit from a number of the array with this name. The rays of an image have
    /// unit length.
    fn t_of(self, name: &str, ray: usize, number: f32) -> f32 {
        // A miss stays infinitely far away.
        if !number.is_finite() {
            return number;
        }
        let of_t = match (name, self) {
            ("distance", Self::Rays(rays)) => rays[ray].line().direction.length(),
            ("z", Self::Image(view)) => view.line(ray).direction.dot(view.camera.forward),
            _ => return number,
        };
        (f64::from(number) / of_t) as f32
    }

    /// Returns the reason why z does not determine the positions of hits, if it does not.
    fn check_z(self) -> Result<(), &'static str> {
        const ASIDE: f64 = 1e-6;
        let Self::Image(view) = self else {
            return Err(
                "is a depth along the axis of a camera, but rays have no camera: give t_hit or distance",
            );
        };
        let is_aside = |pixel| view.line(pixel).direction.dot(view.camera.forward) < ASIDE;
        match (0..view.pixels()).any(is_aside) {
            true => Err(
                "does not determine the distance of hits for a camera that looks sideways or backwards: give distance",
            ),
            false => Ok(()),
        }
    }
}

fn has_one_primitive_each(scene: &Scene) -> bool {
    scene.written_out().all(|(_, geometry, _)| geometry.primitive_count() <= 1)
}

fn hits(t_hit: Vec<f32>, geometry_ids: Vec<u32>, primitive_ids: Vec<u32>) -> Vec<Hit> {
    let ids = geometry_ids.into_iter().zip(primitive_ids);
    let hit = |(t, (geometry_id, primitive_id))| Hit { t, geometry_id, primitive_id };
    t_hit.into_iter().zip(ids).map(hit).collect()
}
