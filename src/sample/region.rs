//! The reach of rays: from where they start to where the scene ends.

use super::generator::RayGenerator;
use crate::math::Bounds;
use crate::scan::PosedView;
use crate::scene::Scene;
use glam::DVec3;
use std::f64::consts::PI;

/// The ends of the rays of a generator and a scene.
pub(super) struct Region {
    /// No ray of the generator starts farther from the scene's end.
    pub reach: f64,
    /// The factor from the mean path of all rays through a solid to its volume, if all lines
    /// through the scene are as likely.
    pub volume_per_path: Option<f64>,
}

impl Region {
    pub fn of(generator: &RayGenerator, scene: &Scene) -> Self {
        let bounds = scene.bounds();
        let (center, radius) = match bounds.min.cmple(bounds.max).all() {
            true => (bounds.center(), bounds.radius()),
            // The scene is empty.
            false => (DVec3::ZERO, 0.0),
        };
        let from = |start: DVec3, extent: f64| (start - center).length() + extent + radius;
        let reach = match generator {
            RayGenerator::InBox { min, max } => {
                let start = Bounds { min: *min, max: *max };
                from(start.center(), start.radius())
            }
            RayGenerator::Lines { center, radius } | RayGenerator::Patch { center, radius, .. } => {
                from(*center, *radius)
            }
            RayGenerator::Views(views) => {
                let starts = views.iter().flat_map(PosedView::outermost_starts);
                starts.map(|start| from(start, 0.0)).fold(0.0, f64::max)
            }
        };
        let volume_per_path = match generator {
            // The bounds are known up to float64 rounding.
            RayGenerator::Lines { center: start, radius: around }
                if (*start - center).length() + radius <= *around * (1.0 + 1e-9) =>
            {
                Some(PI * around * around)
            }
            _ => None,
        };
        Self { reach, volume_per_path }
    }
}
