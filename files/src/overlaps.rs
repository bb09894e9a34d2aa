//! Tables of overlaps: a row for each pair, with paths; and the known pairs of an earlier table.

use crate::points::{Column, ColumnTable, ColumnValues};
use crate::{FileError, FileStore, Outputs, RowFault, each_csv_row, has_extension};
use raytwin::glam::DVec3;
use raytwin::overlaps::{Overlap, OverlapKind};
use raytwin::scene::Scene;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

/// Two solids that overlap, touch or are near each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OverlapPair {
    /// The solid with the lower id.
    pub a: PairedGeometry,
    /// The solid with the higher id.
    pub b: PairedGeometry,
    /// Their relation: pierces, inside, touching or near.
    pub kind: &'static str,
    /// The id of the solid that is inside the other; null for other kinds.
    pub inner: Option<u32>,
    /// The depth of the witness in both solids; null if no point in both is known.
    pub depth: Option<f64>,
    /// The distance between the two points of the witness; null if it is one point.
    pub gap: Option<f64>,
    /// A proven lower bound of the gap; null if the two solids have a point in common.
    pub gap_at_least: Option<f64>,
    /// A point in both, or a point of each.
    pub witness: Witness,
    /// True if the kind is proved; false if lines showed nothing else.
    pub proved: bool,
    /// True if the table of known pairs has this pair, with this kind and at least this depth.
    pub known: bool,
}

/// One of two solids.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PairedGeometry {
    /// The geometry.
    pub geometry_id: u32,
    /// Its path.
    pub path: String,
}

/// The place of an overlap, in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Witness {
    /// A point in both.
    Point([f64; 3]),
    /// A point of each.
    Points([[f64; 3]; 2]),
}

impl OverlapPair {
    /// Makes the row of an overlap in a scene.
    pub fn new(scene: &Scene, overlap: &Overlap, known: &KnownPairs) -> Self {
        let [a, b] = overlap
            .geometry_ids
            .map(|geometry_id| PairedGeometry { geometry_id, path: scene.path(geometry_id) });
        let inner = match overlap.kind {
            OverlapKind::Inside { inner } => Some(inner),
            _ => None,
        };
        let is_common = overlap.gap().is_none();
        let [first, second] =
            overlap.witness.map(|point: DVec3| (point + scene.origin()).to_array());
        let mut pair = Self {
            a,
            b,
            kind: overlap.kind.name(),
            inner,
            depth: overlap.common_depth(),
            gap: overlap.gap(),
            gap_at_least: (!is_common).then_some(overlap.gap_at_least),
            witness: if is_common {
                Witness::Point(first)
            } else {
                Witness::Points([first, second])
            },
            proved: overlap.is_proved,
            known: false,
        };
        pair.known = known.hold(&pair);
        pair
    }

    /// Returns the two points; twice the same point if there is only one.
    pub fn points(&self) -> [[f64; 3]; 2] {
        match self.witness {
            Witness::Point(point) => [point; 2],
            Witness::Points(points) => points,
        }
    }
}

/// The columns that identify known pairs.
const PATHS: [&str; 2] = ["a_path", "b_path"];

fn columns(pairs: &[OverlapPair]) -> Vec<Column> {
    let texts = |of: &dyn Fn(&OverlapPair) -> String| {
        ColumnValues::Texts(pairs.iter().map(|pair| Some(of(pair))).collect())
    };
    let ids = |of: &dyn Fn(&OverlapPair) -> Option<u32>| {
        ColumnValues::Unsigned(pairs.iter().map(of).collect())
    };
    let numbers = |of: &dyn Fn(&OverlapPair) -> Option<f64>| {
        ColumnValues::Floats(pairs.iter().map(of).collect())
    };
    let mut all = vec![
        Column::new("a_geometry_id", ids(&|pair| Some(pair.a.geometry_id))),
        Column::new(PATHS[0], texts(&|pair| pair.a.path.clone())),
        Column::new("b_geometry_id", ids(&|pair| Some(pair.b.geometry_id))),
        Column::new(PATHS[1], texts(&|pair| pair.b.path.clone())),
        Column::new("kind", texts(&|pair| pair.kind.to_owned())),
        Column::new("inner", ids(&|pair| pair.inner)),
        Column::new("depth", numbers(&|pair| pair.depth)),
        Column::new("gap", numbers(&|pair| pair.gap)),
        Column::new("gap_at_least", numbers(&|pair| pair.gap_at_least)),
        Column::new("proved", texts(&|pair| pair.proved.to_string())),
        Column::new("known", texts(&|pair| pair.known.to_string())),
    ];
    for (point, prefix) in ["", "other_"].iter().enumerate() {
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let coordinate = |pair: &OverlapPair| {
                let is_there = point == 0 || matches!(pair.witness, Witness::Points(_));
                is_there.then(|| pair.points()[point][axis])
            };
            all.push(Column::new(&format!("{prefix}{name}"), numbers(&coordinate)));
        }
    }
    all
}

/// Writes pairs to a `.csv`, a `.parquet` or a `.json`, which is published with the outputs.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_overlaps(
    outputs: &mut Outputs,
    path: &Path,
    pairs: &[OverlapPair],
) -> Result<(), FileError> {
    if has_extension(path, &["json"]) {
        return outputs.add(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &serde_json::json!({ "pairs": pairs }))?;
            writeln!(file)
        });
    }
    let columns = columns(pairs);
    let mut table = ColumnTable::begin(outputs.draft(path)?, path, "overlaps", &columns)?;
    table.write(&columns, pairs.len())?;
    outputs.keep(table.complete()?.0)
}

/// Known pairs, by the paths of both solids. If the table has the kind and the depth of a pair, the
/// pair counts as known only while it has that kind and is not deeper.
#[derive(Clone, Debug, Default)]
pub struct KnownPairs(BTreeMap<[String; 2], KnownOverlap>);

#[derive(Clone, Debug, Default)]
struct KnownOverlap {
    kind: Option<String>,
    depth: Option<f64>,
}

/// The share of its depth by which a later search may find an overlap deeper.
const DEEPER: f64 = 1.02;

impl KnownPairs {
    /// Reads the pairs of a `.csv` with the columns `a_path` and `b_path`, and optionally `kind`
    /// and `depth`, or of a `.json` that [`write_overlaps`] wrote.
    ///
    /// # Errors
    /// [`FileError`], with the position in the file.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        match path.extension().and_then(OsStr::to_str).map(str::to_lowercase).as_deref() {
            Some("json") => Self::read_json(path),
            Some("csv") => Self::read_csv(path),
            _ => Err(FileError::meaning(path, "", "known pairs must be a .csv or a .json file")),
        }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn read_csv(path: &Path) -> Result<Self, FileError> {
        let mut known = Self::default();
        let mut columns: Option<[Option<usize>; 4]> = None;
        each_csv_row(&FileStore::disk(), path, |row| {
            let place = |name: &str| row.cells().position(|cell| cell.text == name);
            let Some([Some(a), Some(b), kind, depth]) = columns else {
                let found = [PATHS[0], PATHS[1], "kind", "depth"].map(place);
                if found[..2].contains(&None) {
                    let reason =
                        "must have the columns a_path and b_path, which identify known pairs";
                    return Err(RowFault { column: None, reason: reason.to_owned() });
                }
                columns = Some(found);
                return Ok(());
            };
            let overlap = KnownOverlap {
                kind: Some(row.text(kind).to_owned()).filter(|kind| !kind.is_empty()),
                depth: row.text(depth).parse().ok(),
            };
            known.add([row.text(a), row.text(b)], overlap);
            Ok(())
        })?;
        Ok(known)
    }

    fn read_json(path: &Path) -> Result<Self, FileError> {
        let text = FileStore::disk().read_text(path)?;
        let refused = |reason: String| FileError::meaning(path, "", reason);
        let table: serde_json::Value = serde_json::from_str(&text)
            .map_err(|error| refused(format!("is not JSON: {error}")))?;
        let pairs = table["pairs"].as_array();
        let pairs = pairs.ok_or_else(|| refused("has no list of pairs".to_owned()))?;
        let mut known = Self::default();
        for (index, pair) in pairs.iter().enumerate() {
            let (kind, depth) = (pair["kind"].as_str().map(str::to_owned), pair["depth"].as_f64());
            match [&pair["a"]["path"], &pair["b"]["path"]].map(serde_json::Value::as_str) {
                [Some(a), Some(b)] => known.add([a, b], KnownOverlap { kind, depth }),
                _ => return Err(refused(format!("pairs[{index}] has no paths for a and b"))),
            }
        }
        Ok(known)
    }

    fn add(&mut self, paths: [&str; 2], overlap: KnownOverlap) {
        self.0.insert(in_order(paths), overlap);
    }

    fn hold(&self, pair: &OverlapPair) -> bool {
        let known = self.0.get(&in_order([&pair.a.path, &pair.b.path]));
        known.is_some_and(|known| {
            let is_kind = known.kind.as_ref().is_none_or(|kind| kind == pair.kind);
            let depth = pair.depth.unwrap_or(0.0);
            is_kind && known.depth.is_none_or(|most| depth <= DEEPER * most)
        })
    }
}

/// Returns two paths in a fixed order, whichever comes first.
fn in_order([a, b]: [&str; 2]) -> [String; 2] {
    if a <= b { [a.to_owned(), b.to_owned()] } else { [b.to_owned(), a.to_owned()] }
}
