//! Writes an image as OpenEXR: distances and normals as float, ids as unsigned integers.

use super::spilled::{FoundArrays, SpilledImage};
use exr::block::writer::ChunksWriter;
use exr::block::{UncompressedBlock, enumerate_ordered_header_block_indices};
use exr::meta::BlockDescription;
use exr::meta::header::{Header, LayerAttributes};
use exr::prelude::{ChannelDescription, Encoding, SampleType};
use raytwin::ray::NONE;
use std::io::{self, Read};

/// The most bytes of a pixel: nine channels of four bytes each.
const PIXEL_BYTES: usize = 9 * 4;

/// The number of lines that are compressed together.
const BLOCK_LINES: usize = 16;

/// The most bytes of a block of lines, whose size is a signed 32-bit integer in the file.
pub(super) const MAX_BLOCK_BYTES: usize = i32::MAX as usize;

/// The bytes of the largest block of lines of an image.
pub(super) fn block_bytes([width, height]: [u32; 2]) -> usize {
    width as usize * BLOCK_LINES.min(height as usize) * PIXEL_BYTES
}

/// Writes one layer, block by block, with a channel for each of the image's arrays and three for
/// the normals, without colours.
pub(super) fn write(
    image: &mut SpilledImage,
    found: FoundArrays<'_>,
    file: impl io::Write + io::Seek,
) -> io::Result<()> {
    use SampleType::{F32, U32};
    // OpenEXR stores channels in the order of their names.
    let mut channels = vec![("distance", F32), ("geometry_ids", U32)];
    channels.extend(found.instances.map(|_| ("instance_ids", U32)));
    channels.extend(found.labels.map(|_| ("label_ids", U32)));
    channels.extend([
        ("primitive_ids", U32),
        ("primitive_normals.X", F32),
        ("primitive_normals.Y", F32),
        ("primitive_normals.Z", F32),
        ("z", F32),
    ]);
    let channels = channels.into_iter();
    let channels = channels.map(|(name, kind)| ChannelDescription::named(name, kind));
    let [width, height] = image.size;
    // This lossless encoding is small if neighbouring pixels are alike.
    let Encoding { compression, line_order, .. } = Encoding::SMALL_LOSSLESS;
    let header = Header::new("raytwin".into(), (width, height), channels.collect())
        .with_attributes(LayerAttributes::named("raytwin"))
        .with_encoding(compression, BlockDescription::ScanLines, line_order);

    let mut distances = image.distance.read_back()?;
    let mut z = image.z.read_back()?;
    let mut geometry_ids = image.geometry_ids.read_back()?;
    let mut primitive_ids = image.primitive_ids.read_back()?;
    let mut normals = image.normals.read_back()?;
    let written = exr::block::write(file, [header].into_iter().collect(), true, |meta, chunks| {
        let mut compressor = chunks.sequential_blocks_compressor(&meta);
        for (number, index) in enumerate_ordered_header_block_indices(&meta.headers) {
            let mut data = Vec::new();
            for _ in 0..index.pixel_size.y() {
                add_numbers(&mut data, &mut distances, width)?;
                let start = data.len();
                add_numbers(&mut data, &mut geometry_ids, width)?;
                let ids: Vec<u32> = bytemuck::pod_collect_to_vec(&data[start..]);
                if let Some(scene) = found.instances {
                    data.extend(
                        ids.iter().flat_map(|&id| scene.use_of(id).unwrap_or(NONE).to_ne_bytes()),
                    );
                }
                if let Some(scene) = found.labels {
                    let labels = scene.labels_of(&ids).into_iter();
                    data.extend(labels.flat_map(|label| u32::from(label).to_ne_bytes()));
                }
                add_numbers(&mut data, &mut primitive_ids, width)?;
                add_components(&mut data, &mut normals, width)?;
                add_numbers(&mut data, &mut z, width)?;
            }
            compressor.compress_block(number, UncompressedBlock { index, data })?;
        }
        Ok(())
    });
    written.map_err(io::Error::other)
}

/// Adds the next line of a channel to a block.
fn add_numbers(block: &mut Vec<u8>, channel: &mut impl Read, width: usize) -> io::Result<()> {
    let before = block.len();
    block.resize(before + 4 * width, 0);
    channel.read_exact(&mut block[before..])
}

/// Adds the next line of vectors to a block, as a line of each of three channels.
fn add_components(block: &mut Vec<u8>, vectors: &mut impl Read, width: usize) -> io::Result<()> {
    let mut line = vec![[0.0_f32; 3]; width];
    vectors.read_exact(bytemuck::cast_slice_mut(&mut line))?;
    for axis in 0..3 {
        block.extend(line.iter().flat_map(|vector| vector[axis].to_ne_bytes()));
    }
    Ok(())
}
