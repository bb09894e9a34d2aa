//! The heights of the ground, measured with vertical rays.

use crate::cpu::CpuTracer;
use crate::packed::PackedScene;
use crate::query::Batch;
use crate::ray::Ray;
use crate::tracer::{TraceError, Tracer};
use glam::DVec3;
use std::collections::HashSet;

/// The number of rays whose crossings are in memory at once.
const RAYS_AT_A_TIME: usize = 1 << 12;

/// The ground of a scene: some of its geometries. The float64 tracer computes heights, so they are
/// the same on every machine.
#[derive(Debug)]
pub struct Ground {
    tracer: CpuTracer,
    geometry_ids: HashSet<u32>,
}

impl Ground {
    /// Makes the ground from these geometries of a scene.
    pub fn new(packed: &PackedScene, geometry_ids: impl IntoIterator<Item = u32>) -> Self {
        Self { tracer: CpuTracer::new(packed), geometry_ids: geometry_ids.into_iter().collect() }
    }

    /// Returns the height z of the highest ground at the x and y of each place, to float32
    /// precision of x, y and z; `None` where there is no ground.
    ///
    /// # Errors
    /// Those of the tracer.
    pub fn heights(&self, places: &[DVec3]) -> Result<Vec<Option<f64>>, TraceError> {
        let origin = self.tracer.scene().origin();
        let mut heights = Vec::with_capacity(places.len());
        for places in places.chunks(RAYS_AT_A_TIME) {
            // The ray comes from infinitely far above and is at height 0 at t = 0. So its height is
            // -t, and loses no digits to the place where the ray starts.
            let falling = |place: &DVec3| {
                let [x, y, _] = (*place - origin).as_vec3().to_array();
                Ray { t_min: f32::NEG_INFINITY, ..Ray::new([x, y, 0.0], [0.0, 0.0, -1.0]) }
            };
            let rays: Vec<Ray> = places.iter().map(falling).collect();
            let closest = self.tracer.closest(Batch::new(&rays))?;
            let all = self.tracer.all(Batch::new(&rays))?;
            let is_ground = |id: &u32| self.geometry_ids.contains(id);
            heights.extend(closest.iter().zip(all.ray_splits.windows(2)).map(|(hit, ends)| {
                // If a ray meets two edges, only one counts as crossed; this includes the outline
                // of a mesh.
                if is_ground(&hit.geometry_id) {
                    return Some(origin.z - f64::from(hit.t));
                }
                let mut crossings = ends[0] as usize..ends[1] as usize;
                let below = crossings.find(|&at| is_ground(&all.geometry_ids[at]));
                below.map(|at| origin.z - f64::from(all.t_hit[at]))
            }));
        }
        Ok(heights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::shapes::{Heightfield, Plane, Sphere};
    use glam::DQuat;

    #[test]
    fn the_ground_is_found_below_what_stands_on_it() {
        let origin = DVec3::new(500_000.0, 0.0, 100.0);
        let mut scene = Scene::with_origin(origin);
        scene.add(Plane::infinite(origin, DVec3::new(-0.5, 0.0, 1.0))).unwrap();
        let ball = Sphere { center: origin + DVec3::new(4.0, 0.0, 9.0), radius: 1.0 };
        scene.add(ball).unwrap();
        let packed = PackedScene::new(scene).unwrap();
        let places = [4.0, 8.0, -2.0].map(|x| origin + DVec3::X * x);
        let of = |ids: &[u32]| Ground::new(&packed, ids.iter().copied()).heights(&places).unwrap();
        assert_eq!(of(&[0]), [Some(102.0), Some(104.0), Some(99.0)]);
        assert_eq!(of(&[0, 1]), [Some(110.0), Some(104.0), Some(99.0)]);
        assert_eq!(of(&[1]), [Some(110.0), None, None]);
    }

    #[test]
    fn a_heightfield_reaches_to_its_edges_and_corners() {
        let mut scene = Scene::new();
        let heights = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let field = Heightfield::new(heights, 3, [2.0, 2.0], DVec3::ZERO, DQuat::IDENTITY);
        scene.add(field.unwrap()).unwrap();
        let packed = PackedScene::new(scene).unwrap();
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let places = [
            at(-2.0, -2.0),
            at(2.0, -2.0),
            at(-2.0, 2.0),
            at(2.0, 2.0),
            at(-2.0, 0.0),
            at(0.0, -2.0),
            at(2.0, 1.0),
        ];
        let found = Ground::new(&packed, [0]).heights(&places).unwrap();
        let expected = [1.0, 3.0, 7.0, 9.0, 4.0, 2.0, 7.5].map(Some);
        assert_eq!(found, expected);
    }
}
