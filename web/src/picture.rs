//! Pictures that show one answer each, in the colours of the files of `raytwin render`.

use raytwin::image::Image;
use raytwin::ray::NONE;
use raytwin_files::image::color;

/// The answer that a picture shows.
#[derive(Clone, Copy, PartialEq)]
pub enum PictureKind {
    Shaded,
    Distance,
    Ids,
    Normals,
}

impl PictureKind {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "shaded" => Some(Self::Shaded),
            "distance" => Some(Self::Distance),
            "ids" => Some(Self::Ids),
            "normals" => Some(Self::Normals),
            _ => None,
        }
    }
}

/// Returns four bytes a pixel, which are 0 for a miss. The colours of distances run from the first
/// of the range to the last.
pub fn colored(image: &Image, kind: PictureKind, range: [f64; 2]) -> Vec<u8> {
    let hits = &image.hits;
    let pixel = |index: usize| {
        let id = hits.geometry_ids[index];
        if id == NONE {
            return [0; 4];
        }
        let [r, g, b] = match kind {
            PictureKind::Normals => color::of_normal(hits.primitive_normals[index]),
            PictureKind::Distance => color::of_distance(image.distance[index].into(), range),
            PictureKind::Ids | PictureKind::Shaded => color::of_id(id),
        };
        [r, g, b, 255]
    };
    (0..hits.len()).flat_map(pixel).collect()
}
