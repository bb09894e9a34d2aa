//! The point tests on a device: many points at once, all against one shape or each against its own.

use super::buffer;
use super::device::Gpu;
use super::elementwise;
use super::fault_site::FaultSite;
use super::kernel::{EntryPoint, KernelKey, ModuleContents, ModuleKey};
use super::pipelines::{module, pipeline};
use crate::gpu_error::GpuError;
use crate::parallel::{ITEMS_A_TASK, mapped};
use crate::point_in_shape::{
    ClosestPoint, Contains, Form, Packing, SquaredDistance, TestParams, Tolerance, Touches,
};
use bytemuck::Pod;
use thiserror::Error;

/// The most points that go to the device at once. Their answers are ready long before a driver
/// would reset the device.
const CHUNK: usize = 1 << 18;

/// The factor that is applied to distances before they are squared in float32 and compared with a
/// tolerance. It brings the smallest tolerance near 1, and the largest distance stays finite.
pub(super) const TOLERANCE_SCALE: f64 = 1_073_741_824.0;

/// The reason why points could not be tested.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointTestError {
    /// The number of tests is neither one nor the number of points.
    #[error(
        "there are {tests} tests for {points} points: give one for all points, or one for each"
    )]
    Uneven {
        /// How many tests there are.
        tests: usize,
        /// How many points there are.
        points: usize,
    },
    /// The device could not answer.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The kind of test. Each has a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PointQuery {
    SquaredDistance,
    Contains,
    Touches,
    ClosestPoint,
}

impl PointQuery {
    fn kernel(self) -> &'static str {
        match self {
            Self::SquaredDistance => "squared_distances",
            Self::Contains => "contained",
            Self::Touches => "touched",
            Self::ClosestPoint => "closest_points",
        }
    }
}

/// The point tests on a device. Each kernel is compiled when it is first used on the device.
///
/// Each method needs one test for each point, in the same order, or one test for all points. A
/// test's numbers are rounded to float32 once, and the rounded numbers define its shape.
///
/// Answers are those of [`crate::point_in_shape`], unless the point is within 16 u max(D, R) of the
/// shape's surface, or of the limit of a tolerance. Here u = 2⁻²⁴, D is the distance from the point
/// to the shape's centre, or to the point with which a plane, line or ray was given, and R is the
/// shape's radius about that centre, or the tolerance if that is larger. Distances, which are the
/// roots of the answers, differ from those of float64 by at most this bound. A closest point is on
/// the surface, and no farther from the point than the nearest one, up to this bound and one
/// rounding of its coordinates. Small whole numbers are tested exactly.
///
/// The loss of the device is an error: open another device, and test the points again.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::gpu::{AdapterChoice, Gpu, PointTester};
/// use raytwin::point_in_shape::CylinderTest;
///
/// let gpu = Gpu::open(&AdapterChoice::Any)?;
/// let tests = PointTester::new(&gpu)?;
/// let can = CylinderTest::solid(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0), 0.5)?;
/// let points = [[0.25, 0.0, 1.0], [0.25, 0.0, 3.0]];
/// assert_eq!(tests.squared_distances(&[can], &points)?, [0.0625, -1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PointTester {
    gpu: Gpu,
    module: ModuleKey,
    chunk: usize,
}

impl PointTester {
    /// Makes a tester on a device.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, None))
    }

    /// Does the same as [`Self::new`], with one deliberate fault in the shader, to test that a
    /// check fails.
    ///
    /// # Errors
    /// As [`Self::new`], and [`GpuError::StaleFault`].
    pub fn with_fault(gpu: &Gpu, fault: FaultSite) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, Some(fault)))
    }

    /// Does the same as [`Self::new`] without blocking, with a fault in the shader if one is given.
    ///
    /// # Errors
    /// As [`Self::with_fault`].
    pub async fn new_async(gpu: &Gpu, fault: Option<FaultSite>) -> Result<Self, GpuError> {
        let key = ModuleKey { contents: ModuleContents::PointInShape, fault };
        // A fault that does not compile is reported before any point is tested.
        module(gpu, &key).await?;
        let limits = gpu.device.limits();
        let bytes = buffer::most_bytes(&limits);
        let most = bytes / size_of::<TestParams>() as u64;
        Ok(Self { gpu: gpu.clone(), module: key, chunk: CHUNK.min(most as usize).max(1) })
    }

    /// Limits how many points go to the device at once. Answers do not depend on it.
    pub fn with_chunk(self, points: usize) -> Self {
        Self { chunk: points.clamp(1, self.chunk), ..self }
    }

    /// Returns the [`SquaredDistance::squared_distance`] of each point, which is −1 outside.
    ///
    /// # Errors
    /// [`PointTestError`], if there is neither one test nor one for each point, or if the device
    /// fails.
    pub fn squared_distances<T: SquaredDistance>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<f32>, PointTestError> {
        pollster::block_on(self.squared_distances_async(tests, points))
    }

    /// Does the same as [`Self::squared_distances`] without blocking.
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub async fn squared_distances_async<T: SquaredDistance>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<f32>, PointTestError> {
        self.ask(PointQuery::SquaredDistance, tests, None, points).await
    }

    /// Returns true for each point that is in its solid or on its surface: [`Contains::contains`].
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub fn contains<T: Contains>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<bool>, PointTestError> {
        pollster::block_on(self.contains_async(tests, points))
    }

    /// Does the same as [`Self::contains`] without blocking.
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub async fn contains_async<T: Contains>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<bool>, PointTestError> {
        let flags = self.ask(PointQuery::Contains, tests, None, points).await?;
        Ok(as_bools(&flags))
    }

    /// Returns true for each point that touches its shape within the tolerance:
    /// [`Touches::touches`].
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub fn touches<T: Touches>(
        &self,
        tests: &[T],
        tolerance: Tolerance,
        points: &[[f32; 3]],
    ) -> Result<Vec<bool>, PointTestError> {
        pollster::block_on(self.touches_async(tests, tolerance, points))
    }

    /// Does the same as [`Self::touches`] without blocking.
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub async fn touches_async<T: Touches>(
        &self,
        tests: &[T],
        tolerance: Tolerance,
        points: &[[f32; 3]],
    ) -> Result<Vec<bool>, PointTestError> {
        let flags = self.ask(PointQuery::Touches, tests, Some(tolerance), points).await?;
        Ok(as_bools(&flags))
    }

    /// Returns the point of the surface that is nearest to each point:
    /// [`ClosestPoint::closest_point`].
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub fn closest_points<T: ClosestPoint>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<[f32; 3]>, PointTestError> {
        pollster::block_on(self.closest_points_async(tests, points))
    }

    /// Does the same as [`Self::closest_points`] without blocking.
    ///
    /// # Errors
    /// As [`Self::squared_distances`].
    pub async fn closest_points_async<T: ClosestPoint>(
        &self,
        tests: &[T],
        points: &[[f32; 3]],
    ) -> Result<Vec<[f32; 3]>, PointTestError> {
        self.ask(PointQuery::ClosestPoint, tests, None, points).await
    }

    /// Tests points chunk by chunk.
    async fn ask<T: Packing, A: Pod>(
        &self,
        query: PointQuery,
        tests: &[T],
        tolerance: Option<Tolerance>,
        points: &[[f32; 3]],
    ) -> Result<Vec<A>, PointTestError> {
        let is_one_for_all = tests.len() == 1;
        if !is_one_for_all && tests.len() != points.len() {
            return Err(PointTestError::Uneven { tests: tests.len(), points: points.len() });
        }
        let kernel = self.kernel(query, T::FORM).await?;
        let mut answers = Vec::with_capacity(points.len());
        for points in points.chunks(self.chunk) {
            let first = answers.len();
            let tests = if is_one_for_all { tests } else { &tests[first..first + points.len()] };
            let params_of = |index: usize| params_of(&tests[index], tolerance);
            let params: Vec<TestParams> = mapped(tests.len(), ITEMS_A_TASK, params_of);
            let arrays = [bytemuck::cast_slice(&params), bytemuck::cast_slice(points)];
            let chunk = elementwise::map::<A>(&self.gpu, &kernel, arrays, points.len()).await;
            let chunk = chunk.map_err(|error| match error {
                GpuError::Unanswered(index) => GpuError::Unanswered(first + index),
                error => error,
            })?;
            answers.extend(chunk);
        }
        Ok(answers)
    }

    async fn kernel(
        &self,
        query: PointQuery,
        form: Form,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let entry_point = EntryPoint::PointInShape(query.kernel(), form as u32);
        pipeline(&self.gpu, &KernelKey { module: self.module.clone(), entry_point }).await
    }
}

/// Returns a test's params, with the tolerance in the one that is free for it.
fn params_of(test: &impl Packing, tolerance: Option<Tolerance>) -> TestParams {
    let mut params = test.params();
    if let Some(tolerance) = tolerance {
        params.third[3] = (tolerance.squared() * TOLERANCE_SCALE * TOLERANCE_SCALE) as f32;
    }
    params
}

fn as_bools(flags: &[u32]) -> Vec<bool> {
    flags.iter().map(|&flag| flag != 0).collect()
}
