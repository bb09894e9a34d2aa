//! Writes a rendered image as the files of a folder.

use super::picture::{self, DistanceRange, Picture, PlacedText, short_names};
use super::seen::{SeenGeometries, SeenPixels};
use super::spilled::{FoundArrays, SpilledImage};
use super::{openexr, z16};
use crate::{FileError, HitGroups, Outputs};
use raytwin::camera::{BYTES_PER_PIXEL, View};
use raytwin::image::{Albedo, Background, Image, SceneExtent, Shading};
use raytwin::scene::Scene;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that a render may write.
const FILES: [&str; 10] = [
    "render.npz",
    "render.exr",
    "geometries.json",
    "shaded.png",
    "named.png",
    "distance.png",
    "geometry_ids.png",
    "labels.png",
    "normals.png",
    "z_16bit.png",
];

/// The files that a render wrote.
#[derive(Clone, Debug, Default)]
pub struct RenderFiles {
    /// The paths of the files.
    pub files: Vec<PathBuf>,
    /// The number of pixels of `z_16bit.png` that were clamped to 1..65535.
    pub saturated: usize,
    /// The range of `distance.png`; `None` if nothing was hit.
    pub distance_range: Option<DistanceRange>,
    /// The number of names in `named.png`.
    pub named: usize,
    /// The number of names that were left out there, because they would overlap others.
    pub unnamed: usize,
}

/// The optional files of a render, and settings of its pictures.
#[derive(Clone, Debug, Default)]
pub struct RenderOptions {
    /// The distances between which `distance.png` has its colours; `None` chooses a range in which
    /// most pixels lie.
    pub distance_range: Option<[f64; 2]>,
    /// Also writes `z_16bit.png`, whose pixels are round(z · scale), and 0 for a miss.
    pub z_scale: Option<f64>,
    /// Also writes the array `instance_ids`, as in [`Hits::instance_ids`](raytwin::Hits).
    pub instances: bool,
    /// Also writes the array `label_ids` and the picture `labels.png`.
    pub labels: bool,
    /// The groups that have one colour each in `geometry_ids.png`, instead of each geometry.
    pub groups: Option<HitGroups>,
    /// Also writes `named.png`, the shaded picture with the names of those geometries with these
    /// ids that some pixel shows.
    pub named: Option<Vec<Range<u32>>>,
    /// The background of coloured pictures for misses. A shaded picture has its own, which
    /// [`Shading::on`] sets.
    pub background: Background,
}

/// Returns the names of the files that a render with these options writes, with or without a shaded
/// picture.
pub fn render_files(
    is_shaded: bool,
    options: &RenderOptions,
) -> impl Iterator<Item = &'static str> + use<> {
    let (has_z, has_labels) = (options.z_scale.is_some(), options.labels);
    let has_names = is_shaded && options.named.is_some();
    FILES.into_iter().filter(move |name| match *name {
        "shaded.png" => is_shaded,
        "named.png" => has_names,
        "labels.png" => has_labels,
        "z_16bit.png" => has_z,
        _ => true,
    })
}

/// Writes an image of any size into a folder. Its arrays are kept on disk until they are complete.
/// It needs 12 bytes of memory per pixel, which it uses for one picture after another.
#[doc(alias("save", "png", "depth"))]
#[derive(Debug)]
pub struct RenderWriter {
    image: SpilledImage,
    outputs: Outputs,
    folder: PathBuf,
    /// The width of the image in pixels.
    width: u32,
    written: RenderFiles,
    seen: SeenGeometries,
}

impl RenderWriter {
    /// Prepares to write an image of a view into a folder, which is created if it is missing.
    ///
    /// # Errors
    /// Returns [`FileError::Write`] if the folder cannot be written. Returns [`FileError::Meaning`]
    /// with the needed size if there is not enough memory or the lines are too long for an OpenEXR
    /// file.
    pub fn new(folder: &Path, view: &View) -> Result<Self, FileError> {
        let size = [view.width, view.height];
        let refuse = |name: &str, reason: String| {
            let reason = format!(
                "an image of {}x{} pixels {reason}: render a smaller one",
                view.width, view.height
            );
            FileError::meaning(&folder.join(name), "", reason)
        };
        let needed = openexr::block_bytes(size);
        if needed > openexr::MAX_BLOCK_BYTES {
            return Err(refuse(
                "render.exr",
                format!(
                    "has blocks of lines of {needed} bytes, but OpenEXR allows {}",
                    openexr::MAX_BLOCK_BYTES
                ),
            ));
        }
        let needed = view.pixels() * BYTES_PER_PIXEL;
        if Vec::<u8>::new().try_reserve_exact(needed).is_err() {
            let reason = format!("needs {needed} bytes of memory, which are not available");
            return Err(refuse("", reason));
        }
        let mut outputs = Outputs::set(folder, FILES)?;
        let image = SpilledImage::new(&mut outputs, &folder.join("render.npz"), view)?;
        Ok(Self {
            image,
            outputs,
            folder: folder.to_owned(),
            width: view.width,
            written: RenderFiles::default(),
            seen: SeenGeometries::new(view.width),
        })
    }

    /// Adds the next pixels of the view, any number of them.
    ///
    /// # Errors
    /// Returns [`FileError::Write`] if they cannot be written to the disk.
    pub fn add(&mut self, pixels: &Image) -> Result<(), FileError> {
        self.seen.add(&pixels.hits.geometry_ids);
        self.image.add(pixels)
    }

    /// Writes the shaded picture as `shaded.png`, after all pixels were added, and also `named.png`
    /// if the options ask for names. They appear with the other files.
    ///
    /// # Errors
    /// Returns [`FileError::Write`] if a file cannot be written.
    pub fn add_shaded(
        &mut self,
        shading: Shading<'_>,
        scene: &Scene,
        options: &RenderOptions,
    ) -> Result<(), FileError> {
        let [width, _] = shading.size();
        let scale = width as f64 / f64::from(self.width);
        let mut picture = Picture::of_shading(shading);
        let mut add = |name: &str, picture: &io::Result<Picture>| {
            let path = self.folder.join(name);
            self.outputs.add(&path, |file| match picture {
                Ok(picture) => picture.write(file),
                Err(error) => Err(error.kind().into()),
            })?;
            self.written.files.push(path);
            Ok::<(), FileError>(())
        };
        add("shaded.png", &picture)?;
        let Some(named) = &options.named else { return Ok(()) };
        let names = names_of(&self.seen, scene, named, scale);
        let drawn = picture.as_mut().map_or(0, |picture| picture.write_names(&names));
        add("named.png", &picture)?;
        self.written.named = drawn;
        self.written.unnamed = names.len() - drawn;
        Ok(())
    }

    /// Writes `render.npz`, `render.exr`, `geometries.json` and the pictures `distance.png`,
    /// `geometry_ids.png` and `normals.png`, after all pixels were added, and the optional files.
    /// All files appear together when all are complete.
    ///
    /// The arrays of shape (H, W) are `distance` and `z` (float32), `geometry_ids` and
    /// `primitive_ids` (uint32), and optionally `instance_ids` (uint32) and `label_ids` (uint16, 0
    /// for a miss). The arrays of shape (H, W, 3) are `primitive_normals` (float32) and `albedo`,
    /// the geometries' colours without light (uint8, sRGB; 0 for a miss), which the OpenEXR file
    /// lacks. `geometries.json` lists the geometries that some pixel shows.
    ///
    /// # Errors
    /// Returns [`FileError::Write`] if a file cannot be written.
    pub fn finish(self, scene: &Scene, options: &RenderOptions) -> Result<RenderFiles, FileError> {
        let (written, outputs) = self.complete(scene, options)?;
        outputs.publish()?;
        Ok(written)
    }

    /// Completes the files as [`Self::finish`] does, and returns them with the outputs, which may
    /// be published together with others.
    ///
    /// # Errors
    /// Returns [`FileError::Write`] if a file cannot be written.
    pub fn complete(
        self,
        scene: &Scene,
        options: &RenderOptions,
    ) -> Result<(RenderFiles, Outputs), FileError> {
        let Self { mut image, mut outputs, folder, mut written, seen, .. } = self;
        let image = &mut image;
        let mut add = |name: &str, fill: &mut dyn FnMut(&mut BufWriter<File>) -> io::Result<()>| {
            let path = folder.join(name);
            outputs.add(&path, fill)?;
            written.files.push(path);
            Ok::<(), FileError>(())
        };
        let albedo = Albedo::new(scene, Arc::new(SceneExtent::of(scene)));
        let found = FoundArrays {
            albedo: Some(&albedo),
            instances: options.instances.then_some(scene),
            labels: options.labels.then_some(scene),
        };
        add("render.npz", &mut |file| image.write_npz(found, file))?;
        add("render.exr", &mut |file| openexr::write(image, found, file))?;
        let (has_labels, background) = (options.labels, options.background);
        add("geometries.json", &mut |file| write_geometries(scene, &seen, has_labels, file))?;
        let mut distance_range = None;
        add("distance.png", &mut |file| {
            let (picture, range) = picture::distance(image, options.distance_range, background)?;
            distance_range = range;
            picture.write(file)
        })?;
        add("geometry_ids.png", &mut |file| {
            let groups = options.groups.as_ref();
            picture::geometry_ids(image, scene, seen.ids(), groups, background)?.write(file)
        })?;
        if options.labels {
            add("labels.png", &mut |file| {
                picture::label_ids(image, scene, background)?.write(file)
            })?;
        }
        add("normals.png", &mut |file| picture::normals(image, background)?.write(file))?;
        if let Some(scale) = options.z_scale {
            let mut saturated = 0;
            add("z_16bit.png", &mut |file| {
                saturated = z16::write(image, scale, file)?;
                Ok(())
            })?;
            written.saturated = saturated;
        }
        written.distance_range = distance_range;
        Ok((written, outputs))
    }
}

/// Returns the names of the visible geometries among these ids, each at the middle of its pixels,
/// those with the most pixels first. Pictures are enlarged by `scale`.
fn names_of(
    seen: &SeenGeometries,
    scene: &Scene,
    ids: &[Range<u32>],
    scale: f64,
) -> Vec<PlacedText> {
    // A name differs from those of all visible geometries, which may include unnamed neighbours.
    let paths: Vec<String> = seen.iter().map(|(id, _)| scene.path(id)).collect();
    let chosen = seen.among(ids);
    let texts = short_names(&paths).into_iter().zip(seen.iter());
    let mut named: Vec<_> = texts.filter(|(_, (id, _))| chosen.contains(id)).collect();
    named.sort_by_key(|(_, (_, pixels))| std::cmp::Reverse(pixels.count));
    let placed = |(text, (_, pixels)): (&str, (u32, SeenPixels))| PlacedText {
        text: text.to_owned(),
        middle: pixels.middle().map(|at| scale * at),
    };
    named.into_iter().map(placed).collect()
}

/// Writes one JSON object per line for each visible geometry, with its id, type and path, the
/// number of its pixels and their middle, the number of its instance and, optionally, its label.
fn write_geometries(
    scene: &Scene,
    seen: &SeenGeometries,
    has_labels: bool,
    mut file: impl Write,
) -> io::Result<()> {
    write!(file, "[")?;
    for (index, (id, pixels)) in seen.iter().enumerate() {
        let type_name = scene.geometry(id).map_or("", |geometry| geometry.type_name());
        let [column, row] = pixels.middle();
        let mut row = json!({
            "id": id,
            "type": type_name,
            "path": scene.path(id),
            "pixel_count": pixels.count,
            "column": column,
            "row": row,
        });
        if let Some(instance_id) = scene.use_of(id) {
            row["instance_id"] = instance_id.into();
        }
        if has_labels {
            let label = scene.label(id);
            row["label_id"] = label.into();
            if let Some(name) = scene.label_names.get(&label) {
                row["label"] = name.as_str().into();
            }
        }
        let comma = if index == 0 { "" } else { "," };
        write!(file, "{comma}\n  {row}")?;
    }
    writeln!(file, "\n]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::write_npz;
    use exr::prelude::{FlatSamples, read_first_flat_layer_from_file};
    use glam::DVec3;
    use raytwin::ray::NONE;
    use raytwin::scene::Appearance;
    use raytwin::shapes::Sphere;
    use raytwin::{Camera, CpuTracer, PackedScene, Tracer};

    /// A scene, its hits, and a view of it whose height is no multiple of the lines of an OpenEXR
    /// block.
    fn setting() -> (Scene, View, Vec<raytwin::Hit>) {
        let mut scene = Scene::new();
        for index in 0..9 {
            let center =
                DVec3::new(f64::from(index % 3), f64::from(index / 3), 0.1 * f64::from(index));
            scene.add(Sphere { center, radius: 0.45 }).unwrap();
        }
        let label = Some(65_535);
        scene.set_appearance(4, Appearance { label, ..Appearance::from([1.0, 0.5, 0.0]) });
        let view =
            View::new(Camera::fit_bounds(&scene.bounds(), scene.up, 37, 41).unwrap(), 37, 41)
                .unwrap();
        let packed = PackedScene::new(scene.clone()).unwrap();
        let hits = CpuTracer::new(&packed).render(&view, 0..view.pixels()).unwrap();
        (scene, view, hits)
    }

    /// The bytes of the files for an image that is added in pieces of this many pixels.
    fn written(piece_size: usize) -> Vec<(PathBuf, Vec<u8>)> {
        let (scene, view, hits) = setting();
        let folder = tempfile::tempdir().unwrap();
        let mut writer = RenderWriter::new(folder.path(), &view).unwrap();
        for (index, piece) in hits.chunks(piece_size).enumerate() {
            writer.add(&Image::new(&scene, &view, index * piece_size, piece)).unwrap();
        }
        let written = writer
            .finish(&scene, &RenderOptions { z_scale: Some(1000.0), ..Default::default() })
            .unwrap();
        let left = folder.path().read_dir().unwrap().count();
        assert_eq!(left, written.files.len(), "no draft is left");
        let bytes = |path: &PathBuf| {
            (path.strip_prefix(folder.path()).unwrap().to_owned(), std::fs::read(path).unwrap())
        };
        written.files.iter().map(bytes).collect()
    }

    #[test]
    fn an_image_is_the_same_in_whatever_pieces_it_comes() {
        let whole = written(usize::MAX);
        assert_eq!(whole.len(), 7);
        for piece_size in [1, 100, 37 * 16] {
            assert!(written(piece_size) == whole, "in pieces of {piece_size} pixels");
        }
    }

    #[test]
    fn a_background_stands_in_each_picture_in_colours_where_nothing_was_hit() {
        let (scene, view, hits) = setting();
        let pictures = |background| {
            let folder = tempfile::tempdir().unwrap();
            let mut writer = RenderWriter::new(folder.path(), &view).unwrap();
            writer.add(&Image::new(&scene, &view, 0, &hits)).unwrap();
            let z_scale = Some(1000.0);
            let options =
                RenderOptions { background, labels: true, z_scale, ..RenderOptions::default() };
            writer.finish(&scene, &options).unwrap();
            let names = ["distance", "geometry_ids", "labels", "normals"];
            let open = |name| image::open(folder.path().join(name)).unwrap();
            let z = std::fs::read(folder.path().join("z_16bit.png")).unwrap();
            (names.map(|name| open(format!("{name}.png"))), z)
        };
        let (own, own_z) = pictures(Background::Own);
        let (white, white_z) = pictures(Background::Color([255; 3]));
        let (bare, bare_z) = pictures(Background::Transparent);
        assert!(own_z == white_z && own_z == bare_z);
        for ((own, white), bare) in own.iter().zip(&white).zip(&bare) {
            assert!(!own.color().has_alpha() && !white.color().has_alpha());
            assert!(bare.color().has_alpha());
            let [own, white, bare] = [own, white, bare].map(|picture| picture.to_rgba8());
            // The image is enlarged at the top left of the picture, beside its legend.
            let side = own.height() / view.height;
            for (pixel, hit) in (0_u32..).zip(&hits) {
                let [x, y] = [pixel % view.width, pixel / view.width].map(|at| at * side);
                let [own, white, bare] = [&own, &white, &bare].map(|it| it.get_pixel(x, y).0);
                match hit.is_hit() {
                    true => assert_eq!([white, bare], [own; 2]),
                    false => assert_eq!([own[0], white[0], bare[3]], [24, 255, 0]),
                }
            }
        }
    }

    #[test]
    fn an_openexr_file_holds_the_arrays_of_the_image() {
        let (scene, view, hits) = setting();
        let image = Image::new(&scene, &view, 0, &hits);
        let folder = tempfile::tempdir().unwrap();
        let mut writer = RenderWriter::new(folder.path(), &view).unwrap();
        writer.add(&image).unwrap();
        let options = RenderOptions { instances: true, labels: true, ..RenderOptions::default() };
        writer.finish(&scene, &options).unwrap();
        let read = read_first_flat_layer_from_file(folder.path().join("render.exr")).unwrap();
        let channel = |name: &str| {
            let mut channels = read.layer_data.channel_data.list.iter();
            let found = channels.find(|channel| channel.name == *name);
            found.unwrap().sample_data.clone()
        };
        let floats = |numbers: &[f32]| FlatSamples::F32(numbers.to_vec());
        assert_eq!(channel("distance"), floats(&image.distance));
        assert_eq!(channel("z"), floats(&image.z));
        assert_eq!(channel("geometry_ids"), FlatSamples::U32(image.hits.geometry_ids.clone()));
        assert_eq!(channel("primitive_ids"), FlatSamples::U32(image.hits.primitive_ids.clone()));
        assert_eq!(channel("instance_ids"), FlatSamples::U32(vec![NONE; view.pixels()]));
        let labels = image.hits.geometry_ids.iter().map(|&id| if id == 4 { 65_535 } else { 0 });
        assert_eq!(channel("label_ids"), FlatSamples::U32(labels.collect()));
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            let normals: Vec<_> =
                image.hits.primitive_normals.iter().map(|normal| normal[axis]).collect();
            assert_eq!(channel(&format!("primitive_normals.{name}")), floats(&normals));
        }
    }

    #[test]
    fn an_image_in_memory_is_written_as_the_same_arrays() {
        let (scene, view, hits) = setting();
        let of_render = &written(usize::MAX)[0];
        assert_eq!(of_render.0, Path::new("render.npz"));
        let image = Image::new(&scene, &view, 0, &hits);
        let mut file = io::Cursor::new(Vec::new());
        write_npz(&image, &view, &scene, &mut file).unwrap();
        assert!(file.into_inner() == of_render.1);
        let part = Image::new(&scene, &view, 0, &hits[1..]);
        let error = write_npz(&part, &view, &scene, io::Cursor::new(Vec::new())).unwrap_err();
        assert_eq!(error.to_string(), "the image has 1516 pixels, and the view has 1517");
    }

    #[test]
    fn an_image_that_lacks_pixels_is_not_written() {
        let (scene, view, hits) = setting();
        let folder = tempfile::tempdir().unwrap();
        let mut writer = RenderWriter::new(folder.path(), &view).unwrap();
        writer.add(&Image::new(&scene, &view, 0, &hits[1..])).unwrap();
        assert!(matches!(
            writer.finish(&scene, &RenderOptions::default()),
            Err(FileError::Write { .. })
        ));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn lines_that_openexr_cannot_hold_are_refused_with_both_figures() {
        let (_, view, _) = setting();
        let folder = tempfile::tempdir().unwrap();
        let of_size = |width| View::new(view.camera.clone(), width, 50).unwrap();
        let widest = i32::MAX as u32 / (16 * 36);
        RenderWriter::new(folder.path(), &of_size(widest)).unwrap();
        let error = RenderWriter::new(folder.path(), &of_size(widest + 1)).unwrap_err().to_string();
        assert!(error.contains("2147484") && error.contains("2147483647"), "{error}");
    }
}
