//! Keeps an image's arrays on disk until its files are written, so that memory does not grow with
//! the image.

use super::npz::ImageArrays;
use crate::{Draft, FileError, Outputs};
use bytemuck::Pod;
use raytwin::camera::View;
use raytwin::image::{Image, legible_size};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

/// The arrays of an image: each has one entry per pixel, row by row from the top left.
#[derive(Debug)]
pub(super) struct SpilledImage {
    /// Width and height, in pixels.
    pub size: [usize; 2],
    /// Width and height of its pictures, whole multiples of the image's.
    pub shown: [usize; 2],
    pub distance: SpilledArray,
    pub z: SpilledArray,
    pub geometry_ids: SpilledArray,
    pub primitive_ids: SpilledArray,
    pub normals: SpilledArray,
    pub instance_ids: Option<SpilledArray>,
}

/// One array, which has an entry for each pixel once it is complete.
#[derive(Debug)]
pub(super) struct SpilledArray {
    draft: Draft,
    pixels: usize,
}

impl SpilledImage {
    /// Makes an image without pixels yet; its drafts lie beside the file that will hold its arrays.
    pub fn new(outputs: &mut Outputs, beside: &Path, view: &View) -> Result<Self, FileError> {
        let size = [view.width as usize, view.height as usize];
        let mut array = || {
            let draft = outputs.draft(beside)?;
            Ok::<_, FileError>(SpilledArray { draft, pixels: size[0] * size[1] })
        };
        Ok(Self {
            size,
            shown: legible_size(view),
            distance: array()?,
            z: array()?,
            geometry_ids: array()?,
            primitive_ids: array()?,
            normals: array()?,
            instance_ids: None,
        })
    }

    /// Makes room for the ids of instances, before pixels are added.
    pub fn add_instances(&mut self, outputs: &mut Outputs, beside: &Path) -> Result<(), FileError> {
        let [width, height] = self.size;
        let draft = outputs.draft(beside)?;
        self.instance_ids = Some(SpilledArray { draft, pixels: width * height });
        Ok(())
    }

    /// Adds the next pixels.
    pub fn add(&mut self, pixels: &Image) -> Result<(), FileError> {
        let hits = &pixels.hits;
        self.distance.add(&pixels.distance)?;
        self.z.add(&pixels.z)?;
        self.geometry_ids.add(&hits.geometry_ids)?;
        self.primitive_ids.add(&hits.primitive_ids)?;
        if let Some(instance_ids) = &mut self.instance_ids {
            instance_ids.add(&hits.instance_ids)?;
        }
        self.normals.add(&hits.primitive_normals)
    }

    /// Writes all arrays as an `.npz`.
    pub fn write_npz(&mut self, file: impl Write + Seek) -> io::Result<()> {
        let arrays = ImageArrays {
            distance: self.distance.read_back()?,
            z: self.z.read_back()?,
            geometry_ids: self.geometry_ids.read_back()?,
            primitive_ids: self.primitive_ids.read_back()?,
            normals: self.normals.read_back()?,
            instance_ids: self.instance_ids.as_mut().map(SpilledArray::read_back).transpose()?,
        };
        arrays.write(self.size, file)
    }
}

impl SpilledArray {
    fn add<T: Pod>(&mut self, numbers: &[T]) -> Result<(), FileError> {
        self.draft.add(|file| file.write_all(bytemuck::cast_slice(numbers)))
    }

    /// Reads all bytes from the start.
    pub fn read_back(&mut self) -> io::Result<BufReader<&mut File>> {
        Ok(BufReader::with_capacity(1 << 18, self.draft.read_back()?))
    }

    /// Reads all entries, which must be of type `T`, from the start.
    pub fn entries<T: Pod>(&mut self) -> io::Result<impl Iterator<Item = io::Result<T>>> {
        let pixels = self.pixels;
        let mut reader = self.read_back()?;
        Ok((0..pixels).map(move |_| {
            let mut entry = T::zeroed();
            reader.read_exact(bytemuck::bytes_of_mut(&mut entry))?;
            Ok(entry)
        }))
    }
}
