//! The answers to the rays of a sweep's pixels: hits, or the returns of a lidar.

use raytwin::Hit;
use raytwin::returns::{RayScope, Return, cast_beams};
use raytwin::scan::PosedView;
use raytwin::tracer::{TraceError, Tracer};
use raytwin_files::ScanCounts;
use std::ops::Range;

/// The answers of some pixels of a sweep.
pub(super) enum SweepAnswers {
    /// The closest hit of each pixel's ray.
    Closest(Vec<Hit>),
    /// The returns of the pixels' beams.
    Returns(Vec<Return>),
}

impl SweepAnswers {
    pub fn cast(
        tracer: &dyn Tracer,
        posed: &PosedView,
        pixels: Range<usize>,
        has_returns: bool,
    ) -> Result<Self, TraceError> {
        match has_returns {
            true => cast_beams(tracer, posed, pixels, RayScope::default()).map(Self::Returns),
            false => posed.render(tracer, pixels).map(Self::Closest),
        }
    }

    /// Iterates over the geometries that the sensor reports, for the pixels from the first one on.
    pub fn reported<'a>(
        &'a self,
        posed: &'a PosedView,
        first_pixel: usize,
    ) -> Box<dyn Iterator<Item = u32> + 'a> {
        match self {
            Self::Closest(hits) => {
                let sensor = &posed.view().camera.sensor;
                let is_reported = move |(pixel, hit): &(usize, &Hit)| {
                    hit.is_hit() && sensor.reported(*pixel, hit.t).is_finite()
                };
                let hits = (first_pixel..).zip(hits).filter(is_reported);
                Box::new(hits.map(|(_, hit)| hit.geometry_id))
            }
            Self::Returns(returns) => Box::new(returns.iter().map(|it| it.hit.geometry_id)),
        }
    }

    /// Iterates over the geometries that each ray hit, in the sensor's range or not, or that of
    /// each beam's nearest return.
    pub fn nearest(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::Closest(hits) => Box::new(hits.iter().map(|hit| hit.geometry_id)),
            Self::Returns(returns) => {
                let nearest = returns.iter().filter(|it| it.number == 1);
                Box::new(nearest.map(|it| it.hit.geometry_id))
            }
        }
    }

    /// Counts the hits that the sensor reports, and the invalid rays.
    pub fn counts(&self, posed: &PosedView, first_pixel: usize) -> ScanCounts {
        let invalid = match self {
            Self::Closest(hits) => hits.iter().filter(|hit| hit.t.is_nan()).count(),
            Self::Returns(_) => 0,
        };
        let hits = self.reported(posed, first_pixel).count();
        ScanCounts { hits: hits as u64, invalid: invalid as u64, ..ScanCounts::default() }
    }
}
