//! Writes an image's arrays as an `.npz`.

use super::mapped_ids::MappedIds;
use crate::bytes::npz::{NpzWriter, write_header};
use raytwin::camera::View;
use raytwin::image::{Albedo, Image, SceneExtent};
use raytwin::scene::Scene;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

/// An archive of arrays of an image, each of which has an entry for each pixel, row by row from the
/// top left.
pub(super) struct ImageArchive<W: Write + Seek> {
    archive: NpzWriter<W>,
    size: [usize; 2],
}

/// The bytes of the arrays that every image has.
pub(super) struct SeenArrays<R> {
    pub distance: R,
    pub z: R,
    pub geometry_ids: R,
    pub primitive_ids: R,
    pub normals: R,
}

impl<W: Write + Seek> ImageArchive<W> {
    /// Begins the archive of an image of this width and height.
    pub fn new(size: [usize; 2], file: W) -> Self {
        Self { archive: NpzWriter::new(file), size }
    }

    /// Adds the arrays that every image has, whose numbers these readers give.
    pub fn add_seen<R: Read>(&mut self, seen: SeenArrays<R>) -> io::Result<()> {
        self.add("distance", "f4", seen.distance)?;
        self.add("z", "f4", seen.z)?;
        self.add("geometry_ids", "u4", seen.geometry_ids)?;
        self.add("primitive_ids", "u4", seen.primitive_ids)?;
        self.add_triples("primitive_normals", "f4", seen.normals)
    }

    /// Adds the colours of the geometries whose ids a reader gives.
    pub fn add_albedo(&mut self, geometry_ids: impl Read, albedo: &Albedo<'_>) -> io::Result<()> {
        let colors = MappedIds::new(geometry_ids, self.pixels(), [0; 3], |id| albedo.srgb(id));
        self.add_triples("albedo", "u1", colors)
    }

    /// The number of pixels.
    pub fn pixels(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// Adds an array of one number for each pixel, of this type in NumPy's letters.
    pub fn add(&mut self, name: &str, descr: &str, bytes: impl Read) -> io::Result<()> {
        let [width, height] = self.size;
        self.add_shaped(name, descr, &[height, width], bytes)
    }

    /// Adds an array of three numbers for each pixel.
    fn add_triples(&mut self, name: &str, descr: &str, bytes: impl Read) -> io::Result<()> {
        let [width, height] = self.size;
        self.add_shaped(name, descr, &[height, width, 3], bytes)
    }

    fn add_shaped(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        bytes: impl Read,
    ) -> io::Result<()> {
        let mut header = Vec::new();
        write_header(&mut header, descr, shape)?;
        self.archive.npy(name, header.chain(bytes))
    }

    /// Completes the archive.
    pub fn finish(self) -> io::Result<()> {
        self.archive.finish()
    }
}

/// Writes the image of all pixels of a view of a scene as the `render.npz` that a
/// [`RenderWriter`](super::RenderWriter) writes, without what it writes on request.
///
/// # Errors
/// Those of the file, and [`io::ErrorKind::InvalidInput`] for an image of other pixels than all
/// of the view's.
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
    let ids: &[u8] = bytemuck::cast_slice(&hits.geometry_ids);
    let albedo = Albedo::new(scene, Arc::new(SceneExtent::of(scene)));
    let mut archive = ImageArchive::new([view.width as usize, view.height as usize], file);
    archive.add_seen(SeenArrays {
        distance: bytemuck::cast_slice(&image.distance),
        z: bytemuck::cast_slice(&image.z),
        geometry_ids: ids,
        primitive_ids: bytemuck::cast_slice(&hits.primitive_ids),
        normals: bytemuck::cast_slice(&hits.primitive_normals),
    })?;
    archive.add_albedo(ids, &albedo)?;
    archive.finish()
}
