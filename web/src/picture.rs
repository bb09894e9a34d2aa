//! The colours of pictures that show one answer each, as the files of `raytwin render` have them.

use raytwin::image::Image;
use raytwin::ray::NONE;

/// What a picture shows.
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

/// Returns four bytes a pixel, which are 0 for a miss. The colours of distances run from the first of the range to the last.
pub fn colored(image: &Image, kind: PictureKind, [near, far]: [f64; 2]) -> Vec<u8> {
    let hits = &image.hits;
    let pixel = |index: usize| {
        let id = hits.geometry_ids[index];
        if id == NONE {
            return [0; 4];
        }
        let [r, g, b] = match kind {
            PictureKind::Normals => {
                hits.primitive_normals[index].map(|n| (127.5 * (n + 1.0)).round() as u8)
            }
            PictureKind::Distance => {
                let span = far - near;
                let beyond = f64::from(image.distance[index]) - near;
                gradient(if span > 0.0 { (beyond / span).clamp(0.0, 1.0) } else { 0.0 })
            }
            PictureKind::Ids | PictureKind::Shaded => color_of(id),
        };
        [r, g, b, 255]
    };
    (0..hits.len()).flat_map(pixel).collect()
}

/// The colour of a share of the range: what is near is dark.
fn gradient(share: f64) -> [u8; 3] {
    let color = colorous::PLASMA.eval_continuous(share);
    [color.r, color.g, color.b]
}

/// The colour of an id. Steps of the golden ratio put neighbouring ids far apart on the colour circle.
fn color_of(id: u32) -> [u8; 3] {
    const SHADES: [f64; 4] = [1.0, 0.62, 0.82, 0.42];
    let turn = (f64::from(id) * 0.618_033_988_749_895).fract();
    let color = colorous::RAINBOW.eval_continuous(turn);
    let shade = SHADES[id as usize % SHADES.len()];
    [color.r, color.g, color.b].map(|level| (f64::from(level) * shade) as u8)
}
