//! Keeps an image's arrays on disk until its files are written, so that memory does not grow with
//! the image.

use super::npz::ImageArchive;
use crate::{Draft, FileError, Outputs};
use bytemuck::Pod;
use raytwin::camera::View;
use raytwin::image::{Albedo, Image, legible_size};
use raytwin::ray::NONE;
use raytwin::scene::Scene;
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
}

/// One array, which has an entry for each pixel once it is complete.
#[derive(Debug)]
pub(super) struct SpilledArray {
    draft: Draft,
    pixels: usize,
}

impl SpilledImage {
    /// Makes an image without pixels. Its drafts are next to the future file of its arrays.
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
        })
    }

    pub fn add(&mut self, pixels: &Image) -> Result<(), FileError> {
        let hits = &pixels.hits;
        self.distance.add(&pixels.distance)?;
        self.z.add(&pixels.z)?;
        self.geometry_ids.add(&hits.geometry_ids)?;
        self.primitive_ids.add(&hits.primitive_ids)?;
        self.normals.add(&hits.primitive_normals)
    }

    /// Writes all arrays as an `.npz`, with those that follow from the ids of geometries.
    pub fn write_npz(&mut self, found: FoundArrays<'_>, file: impl Write + Seek) -> io::Result<()> {
        let mut archive = ImageArchive::new(self.size, file);
        archive.add_seen([
            self.distance.read_back()?,
            self.z.read_back()?,
            self.geometry_ids.read_back()?,
            self.primitive_ids.read_back()?,
            self.normals.read_back()?,
        ])?;
        if let Some(albedo) = found.albedo {
            archive.add_albedo(self.geometry_ids.entries()?, albedo)?;
        }
        if let Some(scene) = found.instances {
            let use_of = |id| scene.use_of(id).unwrap_or(NONE);
            archive.add_numbers("instance_ids", self.geometry_ids.entries()?, NONE, use_of)?;
        }
        if let Some(scene) = found.labels {
            let label = |id| scene.label(id);
            archive.add_numbers("label_ids", self.geometry_ids.entries()?, 0, label)?;
        }
        archive.finish()
    }
}

/// The arrays that follow from the ids of geometries, each with its source.
#[derive(Clone, Copy, Default)]
pub(super) struct FoundArrays<'a> {
    pub albedo: Option<&'a Albedo<'a>>,
    pub instances: Option<&'a Scene>,
    pub labels: Option<&'a Scene>,
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
