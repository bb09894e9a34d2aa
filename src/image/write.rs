//! A rendered image as the files of its folder.

use super::spilled::SpilledImage;
use super::{Image, openexr, picture, z16};
use crate::camera::{BYTES_PER_PIXEL, View};
use crate::files::{FileError, Outputs};
use crate::scene::Scene;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What a render left in its folder.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The paths.
    pub files: Vec<PathBuf>,
    /// How many pixels of `z_16bit.png` were clamped to 1..65535.
    pub saturated: usize,
}

/// Writes an image of any size into a folder. Its arrays lie on disk until they are whole, and of memory it takes
/// 12 bytes a pixel, for one picture after another.
#[derive(Debug)]
pub struct RenderWriter {
    // Dropped before the outputs, which remove a folder that was made for nothing once it is empty.
    image: SpilledImage,
    outputs: Outputs,
    folder: PathBuf,
}

impl RenderWriter {
    /// For images of a view, in a folder that is made where it is missing.
    ///
    /// # Errors
    /// [`FileError::Write`]; [`FileError::Meaning`] with what the image would take, where there is not so much memory,
    /// and where its lines are too long for an OpenEXR file.
    pub fn new(folder: &Path, view: &View) -> Result<Self, FileError> {
        let size = [view.width, view.height];
        let refuse = |name: &str, reason: String| {
            let reason = format!(
                "an image of {}x{} {reason}: render a smaller --size",
                view.width, view.height
            );
            FileError::meaning(&folder.join(name), "", reason)
        };
        let needed = openexr::block_bytes(size);
        if needed > openexr::MOST_BLOCK_BYTES {
            return Err(refuse(
                "render.exr",
                format!(
                    "has blocks of lines of {needed} bytes, and OpenEXR allows {}",
                    openexr::MOST_BLOCK_BYTES
                ),
            ));
        }
        let needed = view.pixels() * BYTES_PER_PIXEL;
        if Vec::<u8>::new().try_reserve_exact(needed).is_err() {
            let reason =
                format!("takes {needed} bytes of memory, which the system does not give at once");
            return Err(refuse("", reason));
        }
        let mut outputs = Outputs::default();
        let image = SpilledImage::new(&mut outputs, &folder.join("render.npz"), size)?;
        Ok(Self { image, outputs, folder: folder.to_owned() })
    }

    /// Adds the next pixels of the view, of which there may be any number.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(&mut self, pixels: &Image) -> Result<(), FileError> {
        self.image.add(pixels)
    }

    /// Writes `render.npz`, `render.exr`, `geometries.json` and the pictures `distance.png`, `geometry_ids.png` and
    /// `normals.png`, once all pixels were added; with `z_scale` also `z_16bit.png`, whose pixels are round(z · scale),
    /// 0 where nothing was hit. Each appears whole, and none before all are.
    ///
    /// Arrays are `distance`, `z` (float32), `geometry_ids`, `primitive_ids` (uint32), all (H, W), and
    /// `primitive_normals` (float32, (H, W, 3)).
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self, scene: &Scene, z_scale: Option<f64>) -> Result<Written, FileError> {
        let Self { mut image, mut outputs, folder } = self;
        let image = &mut image;
        let mut written = Written::default();
        let mut add = |name: &str, fill: &mut dyn FnMut(&mut BufWriter<File>) -> io::Result<()>| {
            let path = folder.join(name);
            outputs.add(&path, fill)?;
            written.files.push(path);
            Ok::<(), FileError>(())
        };
        add("render.npz", &mut |file| image.write_npz(file))?;
        add("render.exr", &mut |file| openexr::write(image, file))?;
        add("geometries.json", &mut |file| write_geometries(scene, file))?;
        add("distance.png", &mut |file| picture::distance(image)?.write(file))?;
        add("geometry_ids.png", &mut |file| picture::geometry_ids(image)?.write(file))?;
        add("normals.png", &mut |file| picture::normals(image)?.write(file))?;
        if let Some(scale) = z_scale {
            let mut saturated = 0;
            add("z_16bit.png", &mut |file| {
                saturated = z16::write(image, scale, file)?;
                Ok(())
            })?;
            written.saturated = saturated;
        }
        outputs.publish()?;
        Ok(written)
    }
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
