//! Shades a view as a picture for people: a sun with soft shadows, light of the sky that is weaker
//! in corners, and fine lines along silhouettes and creases. Rays of the same tracer compute all
//! light.
//!
//! A picture is made tile by tile, and a tile layer by layer. A layer casts one ray for each pixel,
//! through the same point of each pixel, and one ray to the sun and one to the sky from each hit.
//! Averaging over neighbours on the same surface removes the noise, and averaging over layers
//! smooths edges.

mod backdrop;
mod layer;
mod lighting;
mod pattern;
mod stage;
mod tile;

use super::color::{bytes, linear, toned};
use super::{Background, SceneExtent, Section};
use crate::camera::View;
use crate::parallel::for_each_part;
use crate::query::Batch;
use crate::tracer::{TraceError, Tracer};
use glam::Vec4;
use pattern::threshold;
use std::sync::Arc;

pub use backdrop::Backdrop;
pub use lighting::{LayerHits, Lighting};
pub use tile::Tile;

/// The most layers of a picture if the number of layers is not given.
const LAYERS: u32 = 8;
/// The most rays of such a picture. A larger picture has fewer layers, and in the end fewer pixels
/// than the image.
const RAYS: usize = 1 << 25;
/// The rays that a layer casts for a pixel: the camera's ray, one to the sun and one to the sky.
const RAYS_PER_PIXEL: usize = 3;
/// The longest side of a tile, in pixels.
const TILE: usize = 512;
/// A picture in the making.
pub struct Shading<'a> {
    tracer: &'a dyn Tracer,
    lighting: Lighting<'a>,
    /// Width and height of the picture.
    size: [usize; 2],
    background: Background,
    pixels: Vec<[u8; 3]>,
    /// The opacity of each pixel; only for a transparent background.
    alpha: Vec<u8>,
}

impl<'a> Shading<'a> {
    /// Prepares the picture of a view, with the given number of camera rays for each pixel.
    ///
    /// Without a number, raytwin chooses up to eight, and fewer for a large image. A huge image is
    /// shaded at a lower resolution.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn new(
        tracer: &'a dyn Tracer,
        view: &'a View,
        samples: Option<u32>,
    ) -> Result<Self, TraceError> {
        let image = [view.width as usize, view.height as usize];
        let mut size = super::legible_size(view);
        let affordable = RAYS / (RAYS_PER_PIXEL * size[0] * size[1]);
        if samples.is_none() && affordable == 0 {
            let shrink = (RAYS_PER_PIXEL * view.pixels()).div_ceil(RAYS);
            let side = (1..).find(|side| side * side >= shrink).unwrap_or(1);
            size = image.map(|length| length.div_ceil(side));
        }
        let layers = samples.unwrap_or(LAYERS.min(affordable.max(1) as u32)).max(1);
        let probes = tracer.closest(Batch::new(&Lighting::probes(view)))?;
        let breadth = Lighting::breadth(view, size, &probes);
        let extent = Arc::new(SceneExtent::of(tracer.scene()));
        Ok(Self {
            tracer,
            lighting: Lighting::new(tracer.scene(), extent, view, size, layers, breadth),
            size,
            background: Background::Own,
            pixels: vec![[0; 3]; size[0] * size[1]],
            alpha: Vec::new(),
        })
    }

    /// Puts another background behind the geometries. Any background except the picture's own also
    /// removes the floor with its shadows, so that everything except geometries has one colour.
    pub fn on(mut self, background: Background) -> Self {
        if background != Background::Own {
            self.lighting = self.lighting.bare();
        }
        if background == Background::Transparent {
            self.alpha = vec![0; self.pixels.len()];
        }
        Self { background, ..self }
    }

    /// Uses these sRGB colours, one for each `geometry_id`, in place of the scene's.
    pub fn painted(self, colors: Arc<[[f32; 3]]>) -> Self {
        Self { lighting: self.lighting.painted(colors), ..self }
    }

    /// Cuts the scene with a plane. Solids are shown as filled.
    pub fn cut_by(self, section: Section) -> Self {
        Self { lighting: self.lighting.cut_by(Some(section)), ..self }
    }

    /// Returns the width and height of the picture, which are those of the image unless it is very
    /// small or huge.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the number of the camera's rays for each pixel.
    pub fn samples(&self) -> usize {
        self.lighting.layers()
    }

    /// Returns the picture's pixels as sRGB, row by row from the top left. Pixels of tiles that
    /// were not shaded are black.
    pub fn into_pixels(self) -> Vec<[u8; 3]> {
        self.pixels
    }

    /// Returns the picture's pixels, and the opacity of each pixel, from 0 to 255, if the
    /// background is transparent.
    pub fn into_pixels_with_alpha(self) -> (Vec<[u8; 3]>, Option<Vec<u8>>) {
        let is_transparent = self.background == Background::Transparent;
        (self.pixels, is_transparent.then_some(self.alpha))
    }

    /// Returns the tiles that make up the picture, row by row from the top left. None is wider or
    /// higher than 512 pixels.
    pub fn tiles(&self) -> Vec<Tile> {
        let parts = |length: usize| {
            let count = length.div_ceil(TILE);
            (0..count).map(move |part| (part * length / count, (part + 1) * length / count))
        };
        let [width, height] = self.size;
        parts(height)
            .flat_map(|(row, bottom)| {
                parts(width).map(move |(column, right)| Tile {
                    column,
                    row,
                    width: right - column,
                    height: bottom - row,
                })
            })
            .collect()
    }

    /// Shades one of the tiles.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn shade(&mut self, tile: Tile) -> Result<(), TraceError> {
        let mut light = vec![Vec4::ZERO; tile.pixels()];
        for layer in 0..self.lighting.layers() {
            let of_layer = self.layer(&tile, layer)?;
            for_each_part(&mut light, tile.width, |first, light| {
                for (light, &more) in light.iter_mut().zip(&of_layer[first..]) {
                    *light += toned(more.truncate()).extend(more.w);
                }
            });
        }
        let share = 1.0 / self.lighting.layers() as f32;
        let width = self.size[0];
        let background = self.background;
        let rows = &mut self.pixels[width * tile.row..][..width * tile.height];
        for_each_part(rows, width, |first, pixels| {
            let row = first / width;
            let light = &light[row * tile.width..][..tile.width];
            let row = tile.row + row;
            for (column, light) in (tile.column..).zip(light) {
                pixels[column] = displayed(*light * share, background, threshold(column, row));
            }
        });
        if background == Background::Transparent {
            let rows = self.alpha[width * tile.row..].chunks_mut(width);
            for (alpha, light) in rows.zip(light.chunks(tile.width)) {
                for (alpha, light) in alpha[tile.column..].iter_mut().zip(light) {
                    *alpha = (255.0 * light.w * share).round() as u8;
                }
            }
        }
        Ok(())
    }

    /// Casts the rays of one layer of a tile, and returns the light of its pixels.
    fn layer(&self, tile: &Tile, layer: usize) -> Result<Vec<Vec4>, TraceError> {
        let Self { tracer, lighting, .. } = self;
        let rays = lighting.camera_rays(tile, layer);
        let hits = tracer.closest(lighting.question(&rays))?;
        let met = lighting.meet(tile, layer, &rays, &hits);
        let sun_is_hidden = tracer.any(Batch::new(&met.to_sun))?;
        let sky_is_hidden = tracer.any(Batch::new(&met.to_sky))?;
        Ok(lighting.light(tile, met, &sun_is_hidden, &sky_is_hidden))
    }
}

/// Returns the sRGB colour of a pixel in front of a background. The last component of `light` is
/// the share of the pixel that is geometry.
fn displayed(light: Vec4, background: Background, threshold: f32) -> [u8; 3] {
    let (color, share) = (light.truncate(), light.w);
    match background {
        Background::Own => bytes(color, threshold),
        Background::Color(behind) if share == 0.0 => behind,
        Background::Color(behind) => {
            let behind = linear(behind.map(|level| f32::from(level) / 255.0));
            bytes(color + (1.0 - share) * behind, threshold)
        }
        Background::Transparent if share == 0.0 => [0; 3],
        Background::Transparent => bytes(color / share, threshold),
    }
}

#[cfg(test)]
mod tests;
