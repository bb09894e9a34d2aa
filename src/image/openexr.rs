//! OpenEXR: distances as float, ids as unsigned integers.

use super::Image;
use exr::prelude::*;
use std::io;

/// Writes one layer with the channels of the image's arrays; normals are three.
pub(super) fn write(image: &Image, file: impl io::Write + io::Seek) -> io::Result<()> {
    let hits = &image.hits;
    let normal = |axis: usize| {
        let component = hits.primitive_normals.iter().map(|normal| normal[axis]);
        FlatSamples::F32(component.collect())
    };
    let channels = [
        ("distance", FlatSamples::F32(hits.t_hit.clone())),
        ("z", FlatSamples::F32(image.z.clone())),
        ("geometry_ids", FlatSamples::U32(hits.geometry_ids.clone())),
        ("primitive_ids", FlatSamples::U32(hits.primitive_ids.clone())),
        ("primitive_normals.X", normal(0)),
        ("primitive_normals.Y", normal(1)),
        ("primitive_normals.Z", normal(2)),
    ]
    .map(|(name, samples)| AnyChannel::new(name, samples));
    let layer = Layer::new(
        (image.width as usize, image.height as usize),
        LayerAttributes::named("raytwin"),
        // Lossless, and small where neighbours are alike.
        Encoding::SMALL_LOSSLESS,
        AnyChannels::sort(channels.into_iter().collect()),
    );
    exr::prelude::Image::from_layer(layer).write().to_buffered(file).map_err(io::Error::other)
}
