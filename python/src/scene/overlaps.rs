//! The search for overlaps among a scene's solids.

use super::Scene;
use super::placing::refused;
use crate::error::OrException;
use crate::waiting::interruptible;
use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raytwin::overlaps::{Overlap, OverlapKind, OverlapOptions, OverlapSearch, Overlaps};
use raytwin::ray::NONE;
use std::ops::Range;

/// The settings of a search: its seed, clearance and tolerance, and the number of lines.
type Numbers = (u64, f64, f64, u32);

#[pymethods]
impl Scene {
    /// Searches for overlaps, and returns the arrays by name and the counts.
    fn _overlaps<'py>(
        &self,
        py: Python<'py>,
        between: Option<[PyReadonlyArray1<'py, u32>; 2]>,
        numbers: Numbers,
        includes: [bool; 2],
        world: u32,
    ) -> PyResult<[Bound<'py, PyDict>; 2]> {
        let (seed, clearance, tolerance, lines) = numbers;
        let [includes_adjacent, includes_half_spaces] = includes;
        let between = match between {
            Some([a, b]) => vec![[ranges(a.as_slice()?), ranges(b.as_slice()?)]],
            None => Vec::new(),
        };
        let options = OverlapOptions {
            clearance,
            tolerance,
            between,
            includes_adjacent,
            includes_half_spaces,
            lines,
            seed,
        };
        let (scene, _) = self.snapshot();
        let (found, solids, origin) = interruptible(py, move || {
            let worlds = scene.world_count();
            let alone = scene.in_world(world).or_exception()?;
            let alone = alone.ok_or_else(|| {
                refused(format!(
                    "world is {world}, and the scene has {worlds} worlds, numbered from 0"
                ))
            })?;
            let search = OverlapSearch::new(&alone, options).or_exception()?;
            Ok((search.among(0..search.len()), search.len(), alone.origin()))
        })?;
        let Overlaps { pairs, counts, spacing } = found;
        let arrays = PyDict::new(py);
        let ids = |of: &dyn Fn(&Overlap) -> u32| -> Vec<u32> { pairs.iter().map(of).collect() };
        arrays.set_item("a", ids(&|pair| pair.geometry_ids[0]).into_pyarray(py))?;
        arrays.set_item("b", ids(&|pair| pair.geometry_ids[1]).into_pyarray(py))?;
        let kinds: Vec<&str> = pairs.iter().map(|pair| pair.kind.name()).collect();
        arrays.set_item("kind", kinds)?;
        let inner = |pair: &Overlap| match pair.kind {
            OverlapKind::Inside { inner } => inner,
            _ => NONE,
        };
        arrays.set_item("inner", ids(&inner).into_pyarray(py))?;
        let numbers = |of: &dyn Fn(&Overlap) -> Option<f64>| -> Vec<f64> {
            pairs.iter().map(|pair| of(pair).unwrap_or(f64::NAN)).collect()
        };
        arrays.set_item("depth", numbers(&Overlap::common_depth).into_pyarray(py))?;
        arrays.set_item("gap", numbers(&Overlap::gap).into_pyarray(py))?;
        arrays
            .set_item("gap_at_least", numbers(&|pair| Some(pair.gap_at_least)).into_pyarray(py))?;
        for (name, point) in [("witness", 0), ("other_witness", 1)] {
            let rows = pairs.iter().map(|pair| (pair.witness[point] + origin).to_array());
            let rows: Vec<f64> = rows.flatten().collect();
            arrays.set_item(name, rows.into_pyarray(py).reshape([pairs.len(), 3])?)?;
        }
        let proved: Vec<bool> = pairs.iter().map(|pair| pair.is_proved).collect();
        arrays.set_item("proved", proved.into_pyarray(py))?;
        let counted = PyDict::new(py);
        counted.set_item("solids", solids)?;
        counted.set_item("looked_at", counts.candidates)?;
        counted.set_item("adjacent", counts.adjacent)?;
        counted.set_item("apart_proved", counts.apart_proved)?;
        counted.set_item("apart_by_lines", counts.apart_by_lines)?;
        counted.set_item("spacing", (counts.apart_by_lines > 0).then_some(spacing))?;
        Ok([arrays, counted])
    }
}

/// Returns ids as sorted ranges.
fn ranges(ids: &[u32]) -> Vec<Range<u32>> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.into_iter().map(|id| id..id.saturating_add(1)).collect()
}
