//! The judgement of the answers to points.

use super::Judge;
use super::excuse::{Excuse, least_displacement};
use super::filtered_ray::FilteredRay;
use crate::Class;
use crate::verdict::{Answer, Verdict};
use glam::DVec3;
use raytwin::geometry::Primitive;
use raytwin::math::U;
use raytwin::query::{Batch, PointAnswer, PointHit};
use raytwin::ray::{NONE, Ray};

/// The precision with which a device compares distances, in u of the distance to a primitive's
/// centre and its radius.
const NEAREST: f64 = 8.0;

impl Judge {
    /// Judges the answer to a point, given the exact one.
    pub(super) fn judge_point(&self, point: [f32; 3], given: PointHit, exact: PointHit) -> Verdict {
        let answers = [given, exact].map(Answer::Point);
        if !PointAnswer::is_valid_point(point) {
            return self.invalid(given == exact, answers);
        }
        let row = self.type_of(exact.geometry_id);
        let explained = match given == exact {
            true => Some((Class::Exact, None)),
            false => {
                let upwards = [Ray::upwards(point).within(0.0, 0.0)];
                FilteredRay::of(Batch::new(&upwards), 0)
                    .filter(|ray| self.is_near_enough(ray.line.origin, &given, &exact))
                    .and_then(|ray| self.explain_point(&ray, &given, &exact))
                    .map(|(class, cause)| (class, Some(cause)))
            }
        };
        let (class, cause) = explained.unwrap_or((Class::Mismatch, None));
        let [given, exact] = answers;
        Verdict { class, row, error: None, distance_error: None, cause, given, exact }
    }

    /// Explains an answer with solids whose surfaces are displaced, or with a surface that is as
    /// near as the nearest.
    fn explain_point(
        &self,
        ray: &FilteredRay<'_>,
        given: &PointHit,
        exact: &PointHit,
    ) -> Option<(Class, crate::Cause)> {
        let is_tie = given.contains == exact.contains && given.containing_id == exact.containing_id;
        if is_tie {
            let ids = [given.geometry_id, given.primitive_id];
            let point = ray.line.origin;
            let distance = distance(&self.primitive(ray, ids)?, point);
            let nearest = self.primitive(ray, [exact.geometry_id, exact.primitive_id])?;
            let apart = distance - self::distance(&nearest, point);
            let cause = crate::Cause {
                geometry_id: given.geometry_id,
                primitive_id: given.primitive_id,
                t: distance,
                displacement: (apart / self.precision(&nearest, point)).clamp(0.0, 1.0),
            };
            return Some((Class::Tie, cause));
        }
        let containers = self.containers(ray, true);
        least_displacement(|share| {
            let sure = containers.sure(share).count() as u32;
            let is_possible = if given.contains == 0 {
                sure == 0 && given.containing_id == NONE
            } else {
                let lowest = containers.lowest(given.containing_id, share)?;
                let is_sure = lowest.is_inside && lowest.distance > share;
                let from_lowest = containers
                    .possible(share)
                    .filter(|solid| solid.geometry_id >= given.containing_id);
                (sure + u32::from(!is_sure)..=from_lowest.count() as u32).contains(&given.contains)
            };
            let nearest = containers.nearest()?;
            let ids = [nearest.geometry_id, nearest.primitive_id];
            is_possible.then_some(Excuse { class: Class::Silhouette, ids, t: nearest.distance })
        })
    }

    /// Returns true if the given surface is the nearest one, or as near within the precision of
    /// distances. Of two equal surfaces, the answer must name the one with the lower id.
    fn is_near_enough(&self, point: DVec3, given: &PointHit, exact: &PointHit) -> bool {
        let [given, exact] = [given, exact].map(|hit| [hit.geometry_id, hit.primitive_id]);
        if given == exact {
            return true;
        }
        let primitive = |[geometry_id, primitive_id]: [u32; 2]| {
            let is_visible = self.scene.mask(geometry_id) != 0;
            self.scene.primitive(geometry_id, primitive_id).filter(|_| is_visible)
        };
        let (Some(given), Some(exact)) = (primitive(given), primitive(exact)) else { return false };
        let precision = self.precision(&given, point) + self.precision(&exact, point);
        given != exact && distance(&given, point) - distance(&exact, point) <= precision
    }

    /// Returns the precision with which the distance of a primitive must be known.
    fn precision(&self, primitive: &Primitive, point: DVec3) -> f64 {
        let scale = point.distance(primitive.center()) + primitive.radius();
        let tolerated = self.tolerance.at(distance(primitive, point));
        (NEAREST * U * primitive.allowance() * scale).max(tolerated)
    }
}

fn distance(primitive: &Primitive, point: DVec3) -> f64 {
    primitive.closest_point(point).distance(point)
}
