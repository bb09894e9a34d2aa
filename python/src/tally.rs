//! The class `Tally`: sums over the answers to sampled rays.

use crate::answers::shaped;
use crate::error::OrException;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use raytwin::Tally as LibraryTally;

/// The sums over the answers to the rays of `Tracer.sample`, for each geometry.
///
/// Arrays and lists have an entry for each geometry, in the order of ids. The sums are whole numbers.
/// So ``a + b`` is exact, in any order, and ``sum(parts)`` is the tally of the whole run, to the bit.
/// Adding parts of different runs, or the same ray twice, raises ValueError. You can compare a tally,
/// pickle it, and store it as JSON in the format of ``raytwin sample -o``. A notebook shows its
/// geometries as a table.
///
///     >>> import raytwin as rt
///     >>> scene = rt.Scene()
///     >>> ids = scene.add_spheres([[0, 0, 0], [3, 0, 0]], [1.0, 0.5])
///     >>> tracer = rt.Tracer(scene, device="cpu")
///     >>> parts = [tracer.sample(rays=range(start, start + 5_000), paths=True) for start in (0, 5_000)]
///     >>> whole = sum(parts)
///     >>> whole.rays, whole == tracer.sample(rays=10_000, paths=True)
///     (10000, True)
///     >>> bool(abs(whole.volumes[0] - 4.18879) < 4 * whole.volume_errors[0])
///     True
#[pyclass(frozen, eq, module = "raytwin")]
#[derive(PartialEq)]
pub(crate) struct Tally(LibraryTally);

impl From<LibraryTally> for Tally {
    fn from(tally: LibraryTally) -> Self {
        Self(tally)
    }
}

impl Tally {
    /// Returns a figure for each geometry, or NaN for a geometry without one.
    fn figures<'py>(
        &self,
        py: Python<'py>,
        figure: impl Fn(u32) -> Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let geometries = self.0.hits().len();
        let figures = (0..geometries as u32).map(|id| figure(id).unwrap_or(f64::NAN)).collect();
        shaped(py, figures, &[geometries])
    }

    /// Returns a figure for each solid that a ray passes through. For the others it would be 0, with an
    /// error of 0.
    fn figures_of_solids<'py>(
        &self,
        py: Python<'py>,
        figure: impl Fn(u32) -> Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_passed = |id: u32| self.0.path_rays().get(id as usize).is_some_and(|&rays| rays > 0);
        self.figures(py, |id| figure(id).filter(|_| is_passed(id)))
    }
}

fn counts<'py>(py: Python<'py>, counts: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    shaped(py, counts.to_vec(), &[counts.len()])
}

#[pymethods]
impl Tally {
    /// The number of rays.
    #[getter]
    fn rays(&self) -> u64 {
        self.0.rays()
    }

    /// The numbers of the rays, as sorted ranges that do not overlap.
    #[getter]
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let range = py.import("builtins")?.getattr("range")?;
        self.0.ranges().iter().map(|numbers| range.call1((numbers.start, numbers.end))).collect()
    }

    /// The number of rays that hit nothing.
    #[getter]
    fn misses(&self) -> u64 {
        self.0.misses()
    }

    /// The number of rays that were not cast, because they start at coordinates above 1e9.
    #[getter]
    fn invalid(&self) -> u64 {
        self.0.invalid()
    }

    /// The number of hits whose distance was limited to 2**38 times ``unit``. This limit is at
    /// least 256 times the largest distance in the scene.
    #[getter]
    fn beyond(&self) -> u64 {
        self.0.beyond()
    }

    /// The unit that distances are rounded to: a power of two, in scene units.
    #[getter]
    fn unit(&self) -> f64 {
        self.0.unit()
    }

    /// The number of rays whose closest hit is on each geometry, uint64.
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.hits())
    }

    /// The exact sums of the distances of those hits, as a list of int in multiples of ``unit``.
    #[getter]
    fn distance_sums(&self) -> Vec<u128> {
        self.0.distances().to_vec()
    }

    /// The mean distance of each geometry's hits, float64; NaN for a geometry without hits.
    #[getter]
    fn mean_distances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures(py, |id| self.0.mean_distance(id))
    }

    /// True if paths were measured.
    #[getter]
    fn has_paths(&self) -> bool {
        self.0.has_paths()
    }

    /// The number of rays that pass through each geometry, uint64. Empty unless paths were measured.
    #[getter]
    fn path_rays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.path_rays())
    }

    /// The exact sums of the lengths of all paths through each geometry, as a list of int in multiples
    /// of ``unit``. Empty unless paths were measured.
    #[getter]
    fn path_sums(&self) -> Vec<u128> {
        self.0.path_sums().to_vec()
    }

    /// The exact sums of the squares of each ray's path through each geometry, as a list of int in
    /// multiples of ``unit**2``. Empty unless paths were measured.
    #[getter]
    fn path_squares(&self) -> Vec<u128> {
        self.0.path_squares().to_vec()
    }

    /// The mean length of a ray's path through each solid, over all valid rays, float64. NaN if no ray
    /// passes through it, or if paths were not measured.
    #[getter]
    fn mean_paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.mean_path(id).map(|[mean, _]| mean))
    }

    /// The standard errors of ``mean_paths``.
    #[getter]
    fn path_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.mean_path(id).map(|[_, error]| error))
    }

    /// The volume of each solid, estimated from its mean path (Cauchy, Crofton), float64. It is known
    /// only if the rays are `Lines` through a sphere that contains the whole scene, and are not limited
    /// by ``t_min`` or ``t_max``. Otherwise, and where ``mean_paths`` is NaN, it is NaN.
    #[getter]
    fn volumes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.volume(id).map(|[volume, _]| volume))
    }

    /// The standard errors of ``volumes``.
    #[getter]
    fn volume_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.volume(id).map(|[_, error]| error))
    }

    /// The numbers of hits nearer than the first bin, in each bin, and at the end of the last bin
    /// or farther, uint64. The array has two more entries than there are bins. Empty without a
    /// histogram.
    #[getter]
    fn histogram<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.histogram())
    }

    /// The edges of the bins, float64. There is one more edge than there are bins. Empty without a
    /// histogram.
    #[getter]
    fn histogram_edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let edges = self.0.histogram_edges();
        let count = edges.len();
        shaped(py, edges, &[count])
    }

    /// Returns the tally as JSON with exact whole numbers, which `from_json` reads.
    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().or_exception()
    }

    /// Returns the tally in a text from `to_json` or ``raytwin sample -o``.
    ///
    /// Raises ValueError if the text is not a tally, or if its numbers contradict each other.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        LibraryTally::from_json(text).map(Self).or_exception()
    }

    fn __add__(&self, other: PyRef<'_, Self>) -> PyResult<Self> {
        let mut sum = self.0.clone();
        sum.add(&other.0).or_exception()?;
        Ok(Self(sum))
    }

    /// Adds the tally to 0, with which `sum` begins.
    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        match other.extract() {
            Ok(0) => Ok(Self(self.0.clone())),
            _ => Err(PyTypeError::new_err(format!(
                "a tally can only be added to another tally, and not to {}",
                other.repr()?
            ))),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("raytwin.tally")?.getattr("text")?.call1((slf,))?.extract()
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("raytwin.tally")?.getattr("html")?.call1((slf,))?.extract()
    }
}
