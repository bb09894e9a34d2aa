//! Exporters: each writes a scene to a file in the format that the file's extension names.

mod bulk;
mod closed_forms;
mod graph;
mod instances;
mod json;
mod number_text;
mod shapes_json;
mod table;

use crate::{SceneGraph, Warning};
use closed_forms::{closed_forms, flattened};
use glam::DVec3;
use raytwin::geometry::Geometry;
use raytwin::scene::Scene;
use raytwin_files::{FileError, Outputs};
use std::path::Path;

/// A format that scenes are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Bulk,
    Csv,
    Parquet,
}

impl Format {
    fn of(path: &Path) -> Result<Self, FileError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("json") => Ok(Self::Json),
            Some("npz") => Ok(Self::Bulk),
            Some("csv") => Ok(Self::Csv),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(FileError::meaning(
                path,
                "",
                "is not a scene that raytwin writes: give a .json, .npz, .csv or .parquet file",
            )),
        }
    }
}

/// Counts and names the parts of a scene that a file of this name cannot store, and that [`save`]
/// therefore leaves out. A `.json` can store everything.
///
/// # Errors
/// [`FileError`], if the file's extension is not that of a format.
pub fn left_out(scene: &Scene, path: impl AsRef<Path>) -> Result<Vec<Warning>, FileError> {
    let format = Format::of(path.as_ref())?;
    let mut all = Vec::new();
    let mut note = |[one, several]: [&str; 2], names: Vec<String>| {
        let mut warning = Warning::new(if names.len() == 1 { one } else { several });
        names.into_iter().for_each(|name| warning.add(|| name));
        all.push(warning);
    };
    let ids = 0..scene.geometry_count();
    let geometries = |is_left_out: &dyn Fn(u32) -> bool| -> Vec<String> {
        ids.clone().filter(|&id| is_left_out(id)).map(|id| scene.path(id)).collect()
    };
    if format != Format::Json {
        let is_empty = |id: u32| scene.geometry(id) == Some(&Geometry::Empty);
        note(["id that no ray can hit", "ids that no ray can hit"], geometries(&is_empty));
        let is_compound =
            |id: u32| !is_empty(id) && !matches!(scene.geometry(id), Some(Geometry::Shape(_)));
        note(
            ["geometry of many primitives", "geometries of many primitives"],
            geometries(&is_compound),
        );
        let is_placed = |id: u32| {
            matches!(scene.geometry(id), Some(Geometry::Shape(_)))
                && scene.placement(id).is_some()
                && flattened(scene, id).is_none()
        };
        note(
            [
                "shape whose transform gives none of raytwin's shapes",
                "shapes whose transforms give none of raytwin's shapes",
            ],
            geometries(&is_placed),
        );
        note(["name of a label", "names of labels"], scene.label_names.values().cloned().collect());
        note(
            ["camera", "cameras"],
            scene.cameras.iter().map(|camera| camera.name.clone()).collect(),
        );
    }
    if matches!(format, Format::Csv | Format::Parquet) {
        let taken = scene.integer_names().into_iter().filter(|name| table::is_taken(name));
        note(
            [
                "column of whole numbers with the name of another column",
                "columns of whole numbers with the names of other columns",
            ],
            taken.map(str::to_owned).collect(),
        );
    }
    if format == Format::Bulk {
        let origin = Some(scene.origin()).filter(|origin| *origin != DVec3::ZERO);
        note(["origin", "origins"], origin.iter().map(|origin| origin.to_string()).collect());
        note(["name", "names"], geometries(&|id| scene.name(id).is_some()));
        note(["mask", "masks"], geometries(&|id| scene.mask(id) != u32::MAX));
        let integers = scene.integer_names().into_iter().map(str::to_owned).collect();
        note(["column of whole numbers", "columns of whole numbers"], integers);
        note(["colour", "colours"], geometries(&|id| scene.appearance(id).color.is_some()));
        note(["label", "labels"], geometries(&|id| scene.appearance(id).label.is_some()));
        note(
            ["reflectance", "reflectances"],
            geometries(&|id| scene.appearance(id).reflectance.is_some()),
        );
    }
    all.retain(|warning| warning.count > 0);
    Ok(all)
}

/// Writes a scene to a `.json` (native), an `.npz` (bulk arrays), or a `.csv` or `.parquet` (a
/// table of shapes), without the parts that [`left_out`] names. Geometries keep their order, and
/// reading the file gives exactly the same numbers. Positions in a table include the scene's
/// origin, which is added in float64. A `.json` keeps definitions and instances. The other formats
/// contain their shapes in world space, rounded to float32.
///
/// # Errors
/// [`FileError`]: the extension is not that of a format, nothing of the scene can be stored, or the
/// file cannot be written.
pub fn save(scene: &Scene, path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    let format = Format::of(path)?;
    if format != Format::Json && closed_forms(scene).next().is_none() {
        return Err(FileError::meaning(
            path,
            "",
            "cannot contain any part of the scene: write a .json file",
        ));
    }
    let mut outputs = Outputs::default();
    match format {
        Format::Json => outputs.add(path, |file| json::write(scene, file))?,
        Format::Bulk => outputs.add(path, |file| bulk::write(scene, file))?,
        Format::Csv => outputs.add(path, |file| table::write_csv(scene, file))?,
        Format::Parquet => {
            let mut draft = outputs.draft(path)?;
            table::write_parquet(scene, &mut draft).map_err(FileError::write(path))?;
            outputs.keep(draft)?;
        }
    }
    outputs.publish()
}

/// Writes the graph that was read from a native file to another one, which keeps the nodes,
/// definitions and instances of that file. Files that it uses become definitions. The origin and
/// the cameras are those of `scene`, which was made from the graph. A graph that no file can
/// represent is written as [`save`] writes that scene.
///
/// # Errors
/// [`FileError`]: the file cannot be written.
pub fn save_graph(
    graph: &SceneGraph,
    scene: &Scene,
    path: impl AsRef<Path>,
) -> Result<(), FileError> {
    let Some(writer) = graph::GraphWriter::new(graph) else { return save(scene, path) };
    let mut outputs = Outputs::default();
    outputs.add(path.as_ref(), |file| writer.write(scene, file))?;
    outputs.publish()
}

#[cfg(test)]
mod tests;
