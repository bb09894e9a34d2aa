//! Writes an image's arrays as an `.npz`.

use crate::npz::{NpzWriter, write_header};
use raytwin::camera::View;
use raytwin::image::Image;
use std::io::{self, Read, Seek, Write};

/// The bytes of an image's arrays, each of which has an entry for each pixel, row by row from the
/// top left.
pub(super) struct ImageArrays<R> {
    pub distance: R,
    pub z: R,
    pub geometry_ids: R,
    pub primitive_ids: R,
    pub normals: R,
    pub instance_ids: Option<R>,
}

impl<R: Read> ImageArrays<R> {
    /// Writes them as an archive of an image of this width and height.
    pub fn write(self, [width, height]: [usize; 2], file: impl Write + Seek) -> io::Result<()> {
        let plane = &[height, width][..];
        let mut archive = NpzWriter::new(file);
        let arrays = [
            ("distance", "f4", plane, self.distance),
            ("z", "f4", plane, self.z),
            ("geometry_ids", "u4", plane, self.geometry_ids),
            ("primitive_ids", "u4", plane, self.primitive_ids),
            ("primitive_normals", "f4", &[height, width, 3], self.normals),
        ];
        let instances = self.instance_ids.map(|array| ("instance_ids", "u4", plane, array));
        for (name, descr, shape, array) in arrays.into_iter().chain(instances) {
            let mut header = Vec::new();
            write_header(&mut header, descr, shape)?;
            archive.npy(name, header.chain(array))?;
        }
        archive.finish()
    }
}

/// Writes the image of all pixels of a view as the `render.npz` that a
/// [`RenderWriter`](super::RenderWriter) writes, without ids of instances.
///
/// # Errors
/// Those of the file, and [`io::ErrorKind::InvalidInput`] for an image of other pixels than all
/// of the view's.
pub fn write_npz(image: &Image, view: &View, file: impl Write + Seek) -> io::Result<()> {
    if image.hits.len() != view.pixels() {
        let reason = format!(
            "the image has {} pixels, and the view has {}",
            image.hits.len(),
            view.pixels()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let arrays = ImageArrays {
        distance: bytemuck::cast_slice(&image.distance),
        z: bytemuck::cast_slice(&image.z),
        geometry_ids: bytemuck::cast_slice(&image.hits.geometry_ids),
        primitive_ids: bytemuck::cast_slice(&image.hits.primitive_ids),
        normals: bytemuck::cast_slice(&image.hits.primitive_normals),
        instance_ids: None,
    };
    arrays.write([view.width as usize, view.height as usize], file)
}
