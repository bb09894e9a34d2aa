//! The class `Report`: the result of a verification.

use crate::answers::{answers, shaped};
use crate::error::{Error, MismatchError, OrException, detached};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::glam::{DVec3, Vec3};
use raytwin::{Ray, Tracer as _};
use raytwin_files::Outputs;
use raytwin_verify::reports::{AnswerTexts, OutcomeSummary, RayText, ReportHeading, write_report};
use raytwin_verify::{Judge, Limits, Outcome, Probe};
use std::path::PathBuf;

/// The result of `Tracer.verify`.
///
/// A report is true if all answers are within the bound on their error. A notebook shows it as a table.
#[pyclass(frozen, module = "raytwin")]
pub(crate) struct Report {
    outcome: Outcome,
    summary: OutcomeSummary,
    judge: Judge,
    device: String,
}

impl Report {
    pub fn new(outcome: Outcome, judge: Judge, device: String) -> Self {
        let origin = judge.reference().scene().origin();
        let text = |ray: &Ray| {
            let numbers = texts(ray, origin).join(", ");
            let command = format!("tracer.cast_rays([[{numbers}]])");
            RayText { numbers, command }
        };
        let path = |geometry_id| Some(judge.reference().scene().path(geometry_id));
        let texts = AnswerTexts { ray: &text, path: &path };
        let summary = OutcomeSummary::new(&outcome, &Limits::default(), &texts);
        Self { outcome, summary, judge, device }
    }

    fn entry<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.as_any().get_item(name)
    }
}

#[pymethods]
impl Report {
    /// True if no answer is wrong, and no error is larger or more frequent than rounding explains.
    #[getter]
    fn passed(&self) -> bool {
        self.summary.sound
    }

    /// The reasons why the answers do not pass, as sentences. Empty if they pass.
    #[getter]
    fn failures(&self) -> Vec<String> {
        self.summary.failures.clone()
    }

    /// One line that describes the device.
    #[getter]
    fn device(&self) -> &str {
        &self.device
    }

    /// The number of answers in each class: ``exact`` (the rounded float64 answer), ``within``
    /// (within the bound), ``tie`` (another primitive at the same t), ``silhouette`` (a ray so
    /// close to an edge or an outline that it may hit or miss), ``range`` (a crossing at an end of
    /// the interval) and ``mismatch`` (a wrong answer).
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "classes")
    }

    /// The results for each type of shape that was hit, as dictionaries with ``type``, ``classes``,
    /// ``worst_error`` (as a fraction of the bound), ``distance_error`` (in scene units: ``largest`` and
    /// ``percentile_99``, or None) and ``errors`` (a histogram with bins of a twentieth of the bound).
    #[getter]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "types")
    }

    /// The results for each kind of question, as dictionaries with ``title``, ``kind``, ``answers`` and
    /// ``classes``.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "parts")
    }

    /// The worst answers, at most 20 and mismatches first, as dictionaries with ``ray`` or ``point``,
    /// ``class``, ``type``, ``error``, ``cause``, ``given`` and ``exact``.
    #[getter]
    fn worst<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.entry(py, "worst")
    }

    /// The rays of the worst answers, with their filters.
    ///
    /// ``tracer.cast_rays(**report.worst_rays)`` casts them again.
    #[getter]
    fn worst_rays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let origin = self.judge.reference().scene().origin();
        let (mut numbers, mut masks, mut ignored, mut worlds) = (vec![], vec![], vec![], vec![]);
        for (_, worst) in self.outcome.worst() {
            if let Probe::Ray { ray, mask, ignored: id, world } = worst.probe {
                numbers.extend(numbers_of(&ray, origin));
                masks.push(mask);
                ignored.push(id);
                worlds.push(world);
            }
        }
        let shape = [masks.len()];
        let rays = shaped(py, numbers, &[shape[0], 8])?;
        let rays = match origin {
            DVec3::ZERO => rays.call_method1("astype", ("float32",))?,
            _ => rays,
        };
        answers(
            py,
            [
                (intern!(py, "rays"), rays),
                (intern!(py, "masks"), shaped(py, masks, &shape)?),
                (intern!(py, "ignore_ids"), shaped(py, ignored, &shape)?),
                (intern!(py, "world_ids"), shaped(py, worlds, &shape)?),
            ],
        )
    }

    /// Returns all numbers of the report as a dictionary, which you can pass to `json.dumps`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let json = serde_json::to_string(&self.summary)
            .map_err(|error| Error::new_err(error.to_string()))?;
        let dict = py.import("json")?.getattr("loads")?.call1((json,))?.cast_into::<PyDict>()?;
        dict.set_item("device", &self.device)?;
        Ok(dict)
    }

    /// Writes the report to a folder.
    ///
    /// The files are ``report.html`` (a page that needs no other file), ``report.json``, ``junit.xml``
    /// and the worst rays. Raises FileError if a file cannot be written.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let scene = self.judge.reference().scene();
        let census: Vec<String> =
            scene.type_counts().iter().map(|(name, count)| format!("{name}: {count}")).collect();
        detached(py, || {
            let heading = ReportHeading {
                scene: &census.join(", "),
                device: &self.device,
                command: "tracer.verify()".to_owned(),
                ..ReportHeading::default()
            };
            let judged = (&self.outcome, &self.summary);
            write_report(&folder, &heading, &self.summary, judged, &|_| {
                Some(self.judge.reference())
            })
            .and_then(Outputs::publish)
            .or_exception()
        })
    }

    /// Raises MismatchError if the answers do not pass.
    fn raise_for_mismatch(&self) -> PyResult<()> {
        match self.summary.sound {
            true => Ok(()),
            false => Err(MismatchError::new_err(format!(
                "{}: {}",
                self.device,
                self.summary.failures.join("; ")
            ))),
        }
    }

    fn __bool__(&self) -> bool {
        self.summary.sound
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        py.import("raytwin.report")?.getattr("text")?.call1((self.to_dict(py)?,))?.extract()
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        py.import("raytwin.report")?.getattr("html")?.call1((self.to_dict(py)?,))?.extract()
    }
}

/// Returns a ray's numbers, with the origin added in float64.
pub(crate) fn numbers_of(ray: &Ray, origin: DVec3) -> [f64; 8] {
    let [x, y, z] = (Vec3::from(ray.origin).as_dvec3() + origin).to_array();
    let [dx, dy, dz] = ray.direction.map(f64::from);
    [x, y, z, dx, dy, dz, ray.t_min.into(), ray.t_max.into()]
}

/// Returns a ray's numbers as Python literals, without the interval if it is the default.
fn texts(ray: &Ray, origin: DVec3) -> Vec<String> {
    let text = |number: f64| match number {
        number if number.is_finite() && origin == DVec3::ZERO => (number as f32).to_string(),
        number if number.is_finite() => number.to_string(),
        number => format!("float('{number}')"),
    };
    let is_default = ray.t_min == 0.0 && ray.t_max == f32::INFINITY;
    let count = if is_default { 6 } else { 8 };
    numbers_of(ray, origin).into_iter().take(count).map(text).collect()
}
