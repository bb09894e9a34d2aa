//! Casts the rays of a posed view.

use super::{TraceError, Tracer};
use crate::query::Batch;
use crate::ray::{Hit, Ray};
use crate::scan::PosedView;
use rayon::prelude::*;
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
        let rays: Vec<Ray> = pixels.into_par_iter().map(|pixel| self.ray(pixel)).collect();
        tracer.closest(Batch::new(&rays))
    }
}
