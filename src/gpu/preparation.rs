//! Compiles kernels before they are needed, on all cores.

use super::capabilities::Capabilities;
use super::device::Gpu;
use super::fault_site::FaultSite;
use super::kernel::{EntryPoint, KernelKey, RayHandling};
use super::pipelines::pipeline;
use super::scene_on_device::kernel_key;
use crate::packed::PackedScene;
use crate::query::Query;
use crate::question::Question;
use rayon::prelude::*;

impl Gpu {
    /// Compiles the kernels by which tracers on this device answer questions about scenes, on all
    /// cores. Without it, each is compiled where a question first needs it, one after the other.
    /// The fault is that of the tracers. A kernel that cannot be compiled is an error of the
    /// question that needs it.
    ///
    /// ```
    /// use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
    /// use raytwin::{PackedScene, Question, Scene, Tracer};
    ///
    /// let packed = PackedScene::new(Scene::new())?;
    /// let gpu = Gpu::open(&AdapterChoice::Any)?;
    /// let question = Question::Points(vec![[0.0; 3]]);
    /// gpu.prepare([(&packed, &question)], None);
    /// let answers = GpuTracer::new(&gpu, &packed)?.answer(&question, 0..1)?;
    /// assert_eq!(answers.hits(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prepare<'a>(
        &self,
        asked: impl IntoIterator<Item = (&'a PackedScene, &'a Question)>,
        fault: Option<FaultSite>,
    ) {
        let keys = asked.into_iter().flat_map(|(packed, question)| {
            let capabilities = Capabilities::of(packed, self.kernel_variant);
            let key = move |(entry_point, handling)| {
                kernel_key(&capabilities, fault, entry_point, handling)
            };
            kernels(question).into_iter().map(key)
        });
        compile(self, keys);
    }
}

/// Compiles kernels side by side. In a browser, whose one thread must not block, each is compiled
/// where it is needed.
pub(super) fn compile(gpu: &Gpu, keys: impl IntoIterator<Item = KernelKey>) {
    if cfg!(target_family = "wasm") {
        return;
    }
    let mut missing: Vec<KernelKey> = Vec::new();
    for key in keys {
        if !gpu.pipelines.pipelines.has(&key) && !missing.contains(&key) {
            missing.push(key);
        }
    }
    missing.par_iter().with_max_len(1).for_each(|key| {
        // Whoever needs it compiles it again, and reports the error.
        let _ = pollster::block_on(pipeline(gpu, key));
    });
}

/// Returns the kernels that answer a question, but for rays on which a driver gives up.
fn kernels(question: &Question) -> Vec<(EntryPoint, RayHandling)> {
    let plain = RayHandling::default();
    match question {
        question if question.is_empty() => Vec::new(),
        Question::Image(views) => {
            let handling = RayHandling { is_filtered: views.is_filtered(), ..plain };
            vec![(EntryPoint::CameraRays, plain), (EntryPoint::Closest, handling)]
        }
        Question::Points(_) => vec![(EntryPoint::Points, plain)],
        Question::Rays(question) => {
            // Rays that are no batch are refused when they are asked.
            let Ok(batch) = question.batch() else { return Vec::new() };
            vec![match question.query {
                Query::Closest { .. } => (EntryPoint::Closest, RayHandling::of(&batch)),
                Query::Any => (EntryPoint::Any, RayHandling::of(&batch)),
                Query::Count | Query::All => (EntryPoint::All, RayHandling::of(&batch.surfaces())),
            }]
        }
    }
}
