//! Casts the rays of a posed view.

use super::{TraceError, Tracer};
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::Batch;
use crate::ray::Hit;
use crate::scan::PosedView;
use std::ops::Range;

impl PosedView {
    /// Returns the closest hit of each of these pixels' rays. The rays of one instant are generated
    /// where they are cast.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn render(
        &self,
        tracer: &dyn Tracer,
        pixels: Range<usize>,
    ) -> Result<Vec<Hit>, TraceError> {
        if self.is_still() {
            return tracer.render(self.view(), pixels);
        }
        let ray = |index| self.ray(pixels.start + index);
        let rays = mapped(pixels.len(), RAYS_A_TASK, ray);
        tracer.closest(Batch::new(&rays))
    }
}
