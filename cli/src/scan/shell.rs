//! Detects a sensor that sees little except its own shell.

use raytwin::ray::NONE;
use raytwin::scan::PosedView;
use raytwin::scene::Scene;
use std::collections::HashMap;

/// The least share of rays that must hit shells for a warning.
const MOST: f64 = 0.9;

/// A shape that is larger than this share of the scene is a room, not a shell.
const LARGEST: f64 = 0.2;

/// The geometries that the rays of one sweep hit.
#[derive(Default)]
pub(super) struct FirstSweep {
    /// The number of rays that hit each geometry.
    counts: HashMap<u32, u64>,
    rays: u64,
}

impl FirstSweep {
    /// Adds the geometries that a number of rays hit.
    pub fn add(&mut self, rays: usize, geometry_ids: impl Iterator<Item = u32>) {
        self.rays += rays as u64;
        for id in geometry_ids.filter(|id| *id != NONE) {
            *self.counts.entry(id).or_default() += 1;
        }
    }

    /// Returns a warning if nearly all rays hit shapes that are around the sensor and small
    /// compared with the scene.
    pub fn warning(&self, scene: &Scene, posed: &PosedView) -> Option<String> {
        let bounds = scene.bounds();
        let largest = LARGEST * (bounds.max - bounds.min).length();
        let is_shell = |id: &u32| {
            let own = scene.bounds_of(&[*id]);
            // The bounds of shapes that move with the sensor are those at its mount.
            let eye = match posed.carrier() {
                Some(carrier) if carrier.has(*id) => carrier.mount().eye,
                _ => posed.extrinsics(0).eye,
            };
            let is_around = own.min.cmple(eye).all() && eye.cmple(own.max).all();
            is_around && (own.max - own.min).length() < largest
        };
        let shells: Vec<(&u32, &u64)> = self.counts.iter().filter(|(id, _)| is_shell(id)).collect();
        let hits: u64 = shells.iter().map(|(_, count)| **count).sum();
        let (id, _) = shells.into_iter().max_by_key(|(id, count)| (**count, u32::MAX - **id))?;
        (hits as f64 >= MOST * self.rays as f64).then(|| {
            let path = scene.path(*id);
            format!(
                "{:.0} % of the rays hit '{path}', which is around the sensor: if it is the sensor's own shell, give --ignore '{path}'",
                100.0 * hits as f64 / self.rays as f64
            )
        })
    }
}
