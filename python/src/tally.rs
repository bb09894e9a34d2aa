//! The class `Tally`: the sums over the answers to sampled rays.

use crate::answers::shaped;
use crate::error::OrException;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use raytwin::Tally as LibraryTally;

/// The sums over the answers to the rays of `Tracer.sample`, by geometry: arrays and lists have an
/// entry for each, in the order of ids.
///
/// The sums are of whole numbers, so that ``a + b`` is exact, in any order, and ``sum(parts)`` is
/// the tally of the whole run, to the bit. ValueError refuses parts of different runs, and the same
/// ray twice. A tally can be compared, pickled, and kept as JSON, which is that of
/// ``raytwin sample -o``. A notebook shows its geometries as a table.
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
    /// Returns a figure for each geometry, and NaN where there is none.
    fn figures<'py>(
        &self,
        py: Python<'py>,
        figure: impl Fn(u32) -> Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let geometries = self.0.hits().len();
        let figures = (0..geometries as u32).map(|id| figure(id).unwrap_or(f64::NAN)).collect();
        shaped(py, figures, &[geometries])
    }

    /// Returns a figure for each solid that a ray passes through: the others' would be 0, with an
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
    #[getter]
    fn rays(&self) -> u64 {
        self.0.rays()
    }

    /// The numbers of the rays, as disjoint ranges in order.
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

    /// The number of rays that were not cast, because they start beyond 1e9.
    #[getter]
    fn invalid(&self) -> u64 {
        self.0.invalid()
    }

    /// The number of hits whose distance was cut off at 2**38 units, 256 times the largest distance
    /// in the scene.
    #[getter]
    fn beyond(&self) -> u64 {
        self.0.beyond()
    }

    /// The unit that distances are rounded to, a power of two, in scene units.
    #[getter]
    fn unit(&self) -> f64 {
        self.0.unit()
    }

    /// The number of rays that hit each geometry first, uint64.
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.hits())
    }

    /// The exact sums of the distances of those hits, as a list of int in multiples of ``unit``.
    #[getter]
    fn distance_sums(&self) -> Vec<u128> {
        self.0.distances().to_vec()
    }

    /// The mean distance of each geometry's hits, float64; NaN without a hit.
    #[getter]
    fn mean_distances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures(py, |id| self.0.mean_distance(id))
    }

    /// True if paths were measured.
    #[getter]
    fn has_paths(&self) -> bool {
        self.0.has_paths()
    }

    /// The number of rays that pass through each geometry, uint64; empty unless paths were
    /// measured.
    #[getter]
    fn path_rays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.path_rays())
    }

    /// The exact sums of the lengths of all paths through each geometry, as a list of int in
    /// multiples of ``unit``; empty unless paths were measured.
    #[getter]
    fn path_sums(&self) -> Vec<u128> {
        self.0.path_sums().to_vec()
    }

    /// The exact sums of the squares of each ray's path through each geometry, as a list of int in
    /// multiples of ``unit**2``; empty unless paths were measured.
    #[getter]
    fn path_squares(&self) -> Vec<u128> {
        self.0.path_squares().to_vec()
    }

    /// The mean length of a ray's path through each solid, over all valid rays, float64; NaN for
    /// what no ray passes through, and unless paths were measured.
    #[getter]
    fn mean_paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.mean_path(id).map(|[mean, _]| mean))
    }

    /// The standard errors of ``mean_paths``.
    #[getter]
    fn path_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.mean_path(id).map(|[_, error]| error))
    }

    /// The volume of each solid by its mean path (Cauchy, Crofton), float64. It is NaN where that
    /// is, unless the rays are lines through a sphere that holds the whole scene, and if they are
    /// limited.
    #[getter]
    fn volumes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.volume(id).map(|[volume, _]| volume))
    }

    /// The standard errors of ``volumes``.
    #[getter]
    fn volume_errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.figures_of_solids(py, |id| self.0.volume(id).map(|[_, error]| error))
    }

    /// The number of hits that are nearer than the histogram, in each of its bins, and at its end
    /// or farther, uint64: two more than there are bins. Empty without a histogram.
    #[getter]
    fn histogram<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        counts(py, self.0.histogram())
    }

    /// The edges of the bins, float64, one more than there are bins. Empty without a histogram.
    #[getter]
    fn histogram_edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let edges = self.0.histogram_edges();
        let count = edges.len();
        shaped(py, edges, &[count])
    }

    /// Returns it as a text, with exact whole numbers, from which `from_json` makes it again.
    fn to_json(&self) -> PyResult<String> {
        self.0.to_json().or_exception()
    }

    /// Returns the tally of a text from `to_json` or ``raytwin sample -o``. Raises ValueError if it
    /// is none, and if its numbers contradict each other.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        LibraryTally::from_json(text).map(Self).or_exception()
    }

    fn __add__(&self, other: PyRef<'_, Self>) -> PyResult<Self> {
        let mut sum = self.0.clone();
        sum.add(&other.0).or_exception()?;
        Ok(Self(sum))
    }

    /// Adds it to the number with which `sum` begins.
    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        match other.extract() {
            Ok(0) => Ok(Self(self.0.clone())),
            _ => Err(PyTypeError::new_err(format!(
                "a tally can be added to another tally alone, and not to {}",
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
