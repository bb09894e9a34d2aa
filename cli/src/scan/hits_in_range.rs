//! The hits that a sensor reports.

use raytwin::Hit;
use raytwin::scan::PosedView;

/// Iterates over those of the hits of pixels from the first one on that are in the sensor's range.
pub(super) fn hits_in_range<'a>(
    posed: &PosedView,
    first_pixel: usize,
    hits: &'a [Hit],
) -> impl Iterator<Item = &'a Hit> {
    let sensor = &posed.view().camera.sensor;
    let is_reported =
        move |pixel, hit: &Hit| hit.is_hit() && sensor.reported(pixel, hit.t).is_finite();
    let hits = (first_pixel..).zip(hits);
    hits.filter(move |(pixel, hit)| is_reported(*pixel, hit)).map(|(_, hit)| hit)
}
