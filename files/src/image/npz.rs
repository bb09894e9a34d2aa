//! Writes an image's arrays as an `.npz`.

use super::mapped_ids::mapped;
use crate::bytes::npz::{NpzWriter, Number, write_header};
use raytwin::camera::View;
use raytwin::image::{Albedo, Image, SceneExtent};
use raytwin::scene::Scene;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

/// An archive of arrays of an image. Each array has an entry for each pixel, row by row from the
/// top left.
pub(super) struct ImageArchive<W: Write + Seek> {
    archive: NpzWriter<W>,
    size: [usize; 2],
}

/// The arrays that every image has: their names, NumPy's letters of their types, and the last axis
/// of arrays of vectors.
const SEEN: [(&str, &str, &[usize]); 5] = [
    ("distance", "f4", &[]),
    ("z", "f4", &[]),
    ("geometry_ids", "u4", &[]),
    ("primitive_ids", "u4", &[]),
    ("primitive_normals", "f4", &[3]),
];

impl<W: Write + Seek> ImageArchive<W> {
    /// Begins the archive of an image of this width and height.
    pub fn new(size: [usize; 2], file: W) -> Self {
        Self { archive: NpzWriter::new(file), size }
    }

    /// Adds the arrays that every image has, in the order of [`SEEN`], from readers of their bytes.
    pub fn add_seen<R: Read>(&mut self, arrays: [R; SEEN.len()]) -> io::Result<()> {
        let [width, height] = self.size;
        SEEN.into_iter().zip(arrays).try_for_each(|((name, descr, vector), bytes)| {
            let mut header = Vec::new();
            write_header(&mut header, descr, &[&[height, width], vector].concat())?;
            self.archive.npy(name, header.chain(bytes))
        })
    }

    /// Adds the colours of geometries.
    pub fn add_albedo(
        &mut self,
        ids: impl Iterator<Item = io::Result<u32>>,
        albedo: &Albedo<'_>,
    ) -> io::Result<()> {
        let [width, height] = self.size;
        let colors = mapped(ids, [0; 3], |id| albedo.srgb(id));
        self.archive.entries("albedo", "u1", &[height, width, 3], colors)
    }

    /// Adds a number of each of these geometries; `miss` for a miss.
    pub fn add_numbers<T: Number>(
        &mut self,
        name: &str,
        ids: impl Iterator<Item = io::Result<u32>>,
        miss: T,
        of: impl Fn(u32) -> T,
    ) -> io::Result<()> {
        let [width, height] = self.size;
        self.archive.entries(name, T::DESCR, &[height, width], mapped(ids, miss, of))
    }

    /// Completes the archive.
    pub fn finish(self) -> io::Result<()> {
        self.archive.finish()
    }
}

/// Writes the image of all pixels of a view of a scene as the `render.npz` that a
/// [`RenderWriter`](super::RenderWriter) writes, without its optional arrays.
///
/// # Errors
/// Those of the file, and [`io::ErrorKind::InvalidInput`] if the image does not have exactly the
/// pixels of the view.
pub fn write_npz(
    image: &Image,
    view: &View,
    scene: &Scene,
    file: impl Write + Seek,
) -> io::Result<()> {
    if image.hits.len() != view.pixels() {
        let reason = format!(
            "the image has {} pixels, and the view has {}",
            image.hits.len(),
            view.pixels()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let hits = &image.hits;
    let albedo = Albedo::new(scene, Arc::new(SceneExtent::of(scene)));
    let mut archive = ImageArchive::new([view.width as usize, view.height as usize], file);
    archive.add_seen::<&[u8]>([
        bytemuck::cast_slice(&image.distance),
        bytemuck::cast_slice(&image.z),
        bytemuck::cast_slice(&hits.geometry_ids),
        bytemuck::cast_slice(&hits.primitive_ids),
        bytemuck::cast_slice(&hits.primitive_normals),
    ])?;
    archive.add_albedo(hits.geometry_ids.iter().map(|&id| Ok(id)), &albedo)?;
    archive.finish()
}
