//! OpenEXR: distances as float, ids as unsigned integers.

use super::spilled::SpilledImage;
use exr::block::writer::ChunksWriter;
use exr::block::{UncompressedBlock, enumerate_ordered_header_block_indices};
use exr::meta::BlockDescription;
use exr::meta::header::{Header, LayerAttributes};
use exr::prelude::{ChannelDescription, Encoding, SampleType};
use std::io::{self, Read};

/// Of the channels that a pixel has, each of four bytes.
const PIXEL_BYTES: usize = 7 * 4;

/// Lines that are compressed together.
const BLOCK_LINES: usize = 16;

/// The most bytes that a block of lines may have: files tell them as signed 32-bit integers.
pub(super) const MOST_BLOCK_BYTES: usize = i32::MAX as usize;

/// The bytes of the largest block of lines of an image.
pub(super) fn block_bytes([width, height]: [u32; 2]) -> usize {
    width as usize * BLOCK_LINES.min(height as usize) * PIXEL_BYTES
}

/// Writes one layer with the channels of the image's arrays, normals as three, by blocks of lines.
pub(super) fn write(image: &mut SpilledImage, file: impl io::Write + io::Seek) -> io::Result<()> {
    use SampleType::{F32, U32};
    // In the order of their names, in which a file holds them.
    let channels = [
        ("distance", F32),
        ("geometry_ids", U32),
        ("primitive_ids", U32),
        ("primitive_normals.X", F32),
        ("primitive_normals.Y", F32),
        ("primitive_normals.Z", F32),
        ("z", F32),
    ];
    let channels = channels.map(|(name, kind)| ChannelDescription::named(name, kind));
    let [width, height] = image.size;
    // Lossless, and small where neighbours are alike.
    let Encoding { compression, line_order, .. } = Encoding::SMALL_LOSSLESS;
    let header = Header::new("raytwin".into(), (width, height), channels.into_iter().collect())
        .with_attributes(LayerAttributes::named("raytwin"))
        .with_encoding(compression, BlockDescription::ScanLines, line_order);

    let mut distances = image.distance.read_back()?;
    let mut z = image.z.read_back()?;
    let mut geometry_ids = image.geometry_ids.read_back()?;
    let mut primitive_ids = image.primitive_ids.read_back()?;
    let mut normals = image.normals.read_back()?;
    let written = exr::block::write(file, [header].into_iter().collect(), true, |meta, chunks| {
        let mut compressor = chunks.sequential_blocks_compressor(&meta);
        for (place, index) in enumerate_ordered_header_block_indices(&meta.headers) {
            let mut data = Vec::new();
            for _ in 0..index.pixel_size.y() {
                add_numbers(&mut data, &mut distances, width)?;
                add_numbers(&mut data, &mut geometry_ids, width)?;
                add_numbers(&mut data, &mut primitive_ids, width)?;
                add_components(&mut data, &mut normals, width)?;
                add_numbers(&mut data, &mut z, width)?;
            }
            compressor.compress_block(place, UncompressedBlock { index, data })?;
        }
        Ok(())
    });
    written.map_err(io::Error::other)
}

/// Adds a line of a channel to a block.
fn add_numbers(block: &mut Vec<u8>, channel: &mut impl Read, width: usize) -> io::Result<()> {
    let before = block.len();
    block.resize(before + 4 * width, 0);
    channel.read_exact(&mut block[before..])
}

/// Adds a line of each of three channels, which lie beside each other.
fn add_components(block: &mut Vec<u8>, vectors: &mut impl Read, width: usize) -> io::Result<()> {
    let mut line = vec![[0.0_f32; 3]; width];
    vectors.read_exact(bytemuck::cast_slice_mut(&mut line))?;
    for axis in 0..3 {
        block.extend(line.iter().flat_map(|vector| vector[axis].to_ne_bytes()));
    }
    Ok(())
}
