//! A rendered image as the files of its folder.

use super::{Image, openexr, picture, z16::Z16};
use crate::files::{FileError, Outputs};
use crate::npz::NpzWriter;
use crate::scene::Scene;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a render may write. A picture of another render is not left beside these.
const FILES: [&str; 8] = [
    "render.npz",
    "render.exr",
    "geometries.json",
    "shaded.png",
    "distance.png",
    "geometry_ids.png",
    "normals.png",
    "z_16bit.png",
];

/// What a render left in its folder.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The paths.
    pub files: Vec<PathBuf>,
    /// How many pixels of `z_16bit.png` were clamped to 1..65535.
    pub saturated: usize,
}

/// Writes `render.npz`, `render.exr`, `geometries.json` and the pictures `distance.png`,
/// `geometry_ids.png` and `normals.png` into a folder, which is made where it is missing; with
/// `z_scale` also `z_16bit.png`, whose pixels are round(z · scale), 0 where nothing was hit. Each
/// appears whole, and none before all are.
///
/// Arrays are `distance`, `z` (float32), `geometry_ids`, `primitive_ids` (uint32), all (H, W), and
/// `primitive_normals` (float32, (H, W, 3)).
///
/// # Errors
/// [`FileError::Write`].
pub fn write_render(
    folder: &Path,
    scene: &Scene,
    image: &Image,
    z_scale: Option<f64>,
) -> Result<Written, FileError> {
    let mut outputs = Outputs::set(folder, FILES);
    let mut written = Written::default();
    let mut add =
        |name: &str, fill: &dyn Fn(&mut io::BufWriter<std::fs::File>) -> io::Result<()>| {
            let path = folder.join(name);
            outputs.add(&path, fill)?;
            written.files.push(path);
            Ok::<(), FileError>(())
        };
    add("render.npz", &|file| write_arrays(image, file))?;
    add("render.exr", &|file| openexr::write(image, file))?;
    add("geometries.json", &|file| write_geometries(scene, file))?;
    add("distance.png", &|file| picture::distance(image).write(file))?;
    add("geometry_ids.png", &|file| picture::geometry_ids(image).write(file))?;
    add("normals.png", &|file| picture::normals(image).write(file))?;
    if let Some(scale) = z_scale {
        let z16 = Z16::new(image, scale);
        add("z_16bit.png", &|file| z16.write(file))?;
        written.saturated = z16.saturated;
    }
    outputs.publish()?;
    Ok(written)
}

fn write_arrays(image: &Image, file: impl Write + io::Seek) -> io::Result<()> {
    let (height, width) = (image.height as usize, image.width as usize);
    let plane = [height, width];
    let mut archive = NpzWriter::new(file);
    archive.array("distance", &plane, image.distance())?;
    archive.array("z", &plane, &image.z)?;
    archive.array("geometry_ids", &plane, &image.hits.geometry_ids)?;
    archive.array("primitive_ids", &plane, &image.hits.primitive_ids)?;
    let normals = image.hits.primitive_normals.as_flattened();
    archive.array("primitive_normals", &[height, width, 3], normals)?;
    archive.finish()
}

/// One object for each geometry, a line each: id, type, path of names.
fn write_geometries(scene: &Scene, mut file: impl Write) -> io::Result<()> {
    writeln!(file, "[")?;
    let last = scene.geometries().len().saturating_sub(1);
    for (id, geometry) in (0_u32..).zip(scene.geometries()) {
        let row = json!({ "id": id, "type": geometry.type_name(), "path": scene.path(id) });
        let comma = if id as usize == last { "" } else { "," };
        writeln!(file, "  {row}{comma}")?;
    }
    writeln!(file, "]")
}
