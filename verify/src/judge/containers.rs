//! The solids that may contain a point, and those that surely do.

use super::Judge;
use super::filtered_ray::FilteredRay;
use raytwin::ray::Ray;

/// A solid, or the half-space behind a plane, that may contain a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container {
    pub geometry_id: u32,
    /// The primitive whose surface is nearest to the point.
    pub primitive_id: u32,
    /// True if it contains the point by the exact surface.
    pub is_inside: bool,
    /// The distance of the surface as a fraction of δ.
    pub distance: f64,
}

/// The candidates for a point's containers, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Containers(Vec<Container>);

impl Containers {
    /// Returns those that contain the point however their surfaces are displaced by a share of δ.
    pub fn sure(&self, share: f64) -> impl Iterator<Item = &Container> {
        self.0.iter().filter(move |solid| solid.is_inside && solid.distance > share)
    }

    /// Returns those that contain the point for some such displacement.
    pub fn possible(&self, share: f64) -> impl Iterator<Item = &Container> {
        self.0.iter().filter(move |solid| solid.is_inside || solid.distance <= share)
    }

    /// Returns one that contains the point for some displacement by a share of δ if it may be the
    /// lowest of all.
    pub fn lowest(&self, geometry_id: u32, share: f64) -> Option<&Container> {
        let is_lowest = self.sure(share).all(|solid| solid.geometry_id >= geometry_id);
        let mut possible = self.possible(share);
        possible.find(|solid| is_lowest && solid.geometry_id == geometry_id)
    }

    /// Returns the one whose surface is nearest to the point.
    pub fn nearest(&self) -> Option<&Container> {
        self.0.iter().min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

impl Judge {
    /// Returns the solids that may contain the point where a ray starts, with half-spaces if these
    /// are asked for.
    pub(super) fn containers(&self, ray: &FilteredRay<'_>, half_spaces: bool) -> Containers {
        let t = ray.ray.t_min;
        let here = Ray { t_max: t, ..ray.ray };
        let point = ray.line.at(f64::from(t));
        let tolerated = self.tolerance.at(point.distance(ray.line.origin));
        let filter = ray.filter(&self.packed);
        let mut inside = Vec::new();
        self.reference.for_each_container(&here, t, &filter, &mut |id| inside.push(id));
        let mut containers: Vec<Container> = inside
            .iter()
            .map(|&geometry_id| Container {
                geometry_id,
                primitive_id: 0,
                is_inside: true,
                distance: f64::INFINITY,
            })
            .collect();
        for ids in self.reference.near(&here, &filter, self.pad(&ray.line, 1.0)) {
            let [geometry_id, primitive_id] = ids;
            let Some(primitive) = self.primitive(ray, ids) else { continue };
            let is_solid = self.scene.geometry(geometry_id).is_some_and(|one| one.is_solid());
            let is_half_space = half_spaces && {
                let center = primitive.center();
                let behind = center - (1.0 + center.length()) * primitive.normal(0, center);
                primitive.half_space_contains(behind)
            };
            if !is_solid && !is_half_space {
                continue;
            }
            let delta = primitive.delta(ray.line.origin).max(tolerated);
            let distance = primitive.closest_point(point).distance(point) / delta;
            match containers.iter_mut().find(|solid| solid.geometry_id == geometry_id) {
                Some(solid) if distance < solid.distance => {
                    (solid.primitive_id, solid.distance) = (primitive_id, distance);
                }
                Some(_) => {}
                None => containers.push(Container {
                    geometry_id,
                    primitive_id,
                    is_inside: is_half_space && primitive.half_space_contains(point),
                    distance,
                }),
            }
        }
        containers.sort_by_key(|solid| solid.geometry_id);
        Containers(containers)
    }
}
