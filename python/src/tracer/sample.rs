//! Sampling: rays that the device makes from a seed, and sums over their answers.

use super::growing::Growing;
use super::{Argument, Tracer};
use crate::answers::shaped;
use crate::argument;
use crate::error::{IntoException, OrException, SceneError, detached};
use crate::generator::GeneratorArgument;
use crate::pieces::{Bar, Pace, in_pieces};
use crate::report::numbers_of;
use crate::tally::Tally;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raytwin::glam::DVec3;
use raytwin::{Ray, SampleError, Sampler, Scene as LibraryScene, Tracer as LibraryTracer};
use std::ops::Range;

/// The rays that a call asks for.
struct SampleArguments {
    generator: GeneratorArgument,
    /// `None` for all rays of views.
    numbers: Option<Range<u64>>,
    seed: u64,
    interval: [f32; 2],
    paths: bool,
    histogram: Option<(f64, f64, u32)>,
}

impl SampleArguments {
    fn read(
        py: Python<'_>,
        generator: Option<Argument<'_, '_>>,
        rays: Option<Argument<'_, '_>>,
        (seed, interval): (u64, [f32; 2]),
    ) -> PyResult<Self> {
        static CHECKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        static NUMBERS_OF: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let checked = CHECKED.import(py, "raytwin.generators", "checked")?;
        let numbers = |rays: Argument<'_, '_>| {
            let numbers_of = NUMBERS_OF.import(py, "raytwin.generators", "numbers_of")?;
            let (first, end) = numbers_of.call1((rays,))?.extract()?;
            PyResult::Ok(first..end)
        };
        Ok(Self {
            generator: checked.call1((generator,))?.extract()?,
            numbers: rays.map(numbers).transpose()?,
            seed,
            interval,
            paths: false,
            histogram: None,
        })
    }

    fn sampler(&self, scene: &LibraryScene) -> PyResult<Sampler> {
        let [t_min, t_max] = self.interval;
        let mut sampler = Sampler::new(scene, self.generator.for_scene(scene)?, self.seed)
            .and_then(|sampler| sampler.within(t_min, t_max))
            .or_exception()?;
        if let Some((near, far, bins)) = self.histogram {
            sampler = sampler.with_histogram(near, far, bins).or_exception()?;
        }
        Ok(if self.paths { sampler.with_paths() } else { sampler })
    }

    fn numbers(&self, sampler: &Sampler) -> PyResult<Range<u64>> {
        match (&self.numbers, sampler.ray_count()) {
            // The library would reject them only at the last piece.
            (Some(numbers), Some(rays)) if numbers.end > rays => {
                let (first, end) = (numbers.start, numbers.end);
                Err(SampleError::Range { first, end, rays }.into_exception())
            }
            (Some(numbers), _) => Ok(numbers.clone()),
            (None, Some(count)) => Ok(0..count),
            (None, None) => Err(PyValueError::new_err(
                "rays is missing: give how many, such as 1_000_000, or a range of their numbers",
            )),
        }
    }
}

/// The rays of a call in the scene that the tracer has, of this version.
struct Run {
    sampler: Sampler,
    numbers: Range<u64>,
    version: u64,
}

impl Run {
    fn count(&self) -> PyResult<usize> {
        usize::try_from(self.numbers.end - self.numbers.start)
            .map_err(|_| PyMemoryError::new_err("this machine cannot count this many rays"))
    }
}

impl Tracer {
    fn run(&self, py: Python<'_>, given: &SampleArguments) -> PyResult<Run> {
        let origin = self.origin();
        detached(py, || {
            let current = self.current(origin)?;
            let sampler = given.sampler(current.open.tracer.as_ref().scene())?;
            let numbers = given.numbers(&sampler)?;
            Ok(Run { sampler, numbers, version: current.version })
        })
    }

    /// Does some work on the numbers of a run, piece by piece.
    fn in_samples(
        &self,
        py: Python<'_>,
        run: &Run,
        (pace, progress): (&Pace, bool),
        mut work: impl FnMut(&dyn LibraryTracer, Range<u64>) -> PyResult<()> + Send,
    ) -> PyResult<()> {
        let count = run.count()?;
        let bar = Bar::new(py, progress, count, "rays")?;
        let origin = self.origin();
        detached(py, || {
            let current = self.current(origin)?;
            if current.version != run.version {
                return Err(SceneError::new_err("the scene was changed while rays were sampled"));
            }
            let tracer = current.open.tracer.as_ref();
            let number = |index: usize| run.numbers.start + index as u64;
            in_pieces(count, &bar, pace, |piece| {
                work(tracer, number(piece.start)..number(piece.end))
            })
        })
    }
}

#[pymethods]
impl Tracer {
    /// Returns a `Tally`: the sums over the answers to random rays that the device makes and casts.
    ///
    /// Neither rays nor answers are stored, so a run may have 10¹² rays.
    ///
    /// ``generator`` is one of `raytwin.generators`. By default it is `Lines`, uniform lines through
    /// the scene. ``rays`` is the number of rays, or a ``range`` of their numbers. If the generator is
    /// `Views`, the default is all of their pixels; otherwise ``rays`` is required.
    ///
    /// Ray i depends only on the generator, ``seed`` and i. So the tallies of the parts of a run add up
    /// to the tally of the whole run, to the bit, on devices of one kind. With a ``canonical`` tracer
    /// this is true on all devices.
    ///
    /// With ``paths=True`` the tally also measures the length of each ray in each solid. ``histogram``
    /// is ``(near, far, bins)`` and counts the distances of hits in bins of equal width. ``t_min`` and
    /// ``t_max`` limit the rays.
    ///
    /// Raises SceneError for a generator, a histogram or an interval that is out of range, and the
    /// exceptions that all calls raise.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> light = rt.generators.Patch(center=(0, 0, 0), normal=(0, 0, 1))
    ///     >>> first = tracer.sample(light, 1_000, seed=1)
    ///     >>> whole = first + tracer.sample(light, range(1_000, 5_000), seed=1)
    ///     >>> whole == tracer.sample(light, 5_000, seed=1)
    ///     True
    ///     >>> # The share of the rays that hit is the squared sine of the ball's angular radius: 0.04.
    ///     >>> round(float(whole.hits[0]) / whole.rays, 2)
    ///     0.04
    #[pyo3(signature = (generator = None, rays = None, seed = 0, *, paths = false, histogram = None, t_min = 0.0, t_max = f32::INFINITY, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn sample(
        &self,
        py: Python<'_>,
        generator: Option<Argument<'_, '_>>,
        rays: Option<Argument<'_, '_>>,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
        paths: bool,
        #[pyo3(from_py_with = argument::histogram)] histogram: Option<(f64, f64, u32)>,
        t_min: f32,
        t_max: f32,
        progress: bool,
    ) -> PyResult<Tally> {
        let given = SampleArguments::read(py, generator, rays, (seed, [t_min, t_max]))?;
        let run = self.run(py, &SampleArguments { paths, histogram, ..given })?;
        let mut tally = run.sampler.tally();
        self.in_samples(py, &run, (&self.paces.sample, progress), |tracer, numbers| {
            let sums = tracer.sample(&run.sampler, numbers).or_exception()?;
            tally.add(&sums).or_exception()
        })?;
        Ok(tally.into())
    }

    /// Returns the rays that `sample` casts for the same arguments, as the device makes them.
    ///
    /// The array has the shape (N, 8) and the type float32, or float64 if the scene has an origin.
    ///
    ///     >>> import raytwin as rt
    ///     >>> scene = rt.Scene()
    ///     >>> ids = scene.add_spheres([0, 0, 5], 1.0)
    ///     >>> tracer = rt.Tracer(scene, device="cpu")
    ///     >>> tally = tracer.sample(rays=1_000, seed=3)
    ///     >>> hits = tracer.cast_rays(tracer.generate_rays(rays=1_000, seed=3))
    ///     >>> bool(tally.hits[0] == (hits.geometry_ids == 0).sum())
    ///     True
    #[pyo3(signature = (generator = None, rays = None, seed = 0, *, t_min = 0.0, t_max = f32::INFINITY, progress = false))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's keyword arguments")]
    fn generate_rays<'py>(
        &self,
        py: Python<'py>,
        generator: Option<Argument<'_, 'py>>,
        rays: Option<Argument<'_, 'py>>,
        #[pyo3(from_py_with = argument::seed)] seed: u64,
        t_min: f32,
        t_max: f32,
        progress: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let origin = self.origin();
        let given = SampleArguments::read(py, generator, rays, (seed, [t_min, t_max]))?;
        let run = self.run(py, &given)?;
        let count = run.count()?;
        let mut rays: Vec<Ray> = Vec::new();
        self.in_samples(py, &run, (&self.paces.generate_rays, progress), |tracer, numbers| {
            let next = tracer.generate_rays(&run.sampler, numbers);
            rays.grow(next.or_exception()?, count)
        })?;
        match origin {
            DVec3::ZERO => {
                shaped(py, bytemuck::cast_slice::<Ray, f32>(&rays).to_vec(), &[count, 8])
            }
            _ => {
                let numbers = rays.iter().flat_map(|ray| numbers_of(ray, origin)).collect();
                shaped::<f64>(py, numbers, &[count, 8])
            }
        }
    }
}
