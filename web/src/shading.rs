//! Lights a scene as the program does, and awaits the device. The first picture has one ray to the sun.
//! After it come the layers of the program's own picture.

use crate::caster::Caster;
use crate::parts::OPAQUE;
use raytwin::glam::Vec3;
use raytwin::gpu::GpuTracer;
use raytwin::image::color::toned;
use raytwin::image::{Lighting, Tile};
use raytwin::ray::Hit;
use raytwin::{Ray, TraceError};

/// The share of a pixel's light that comes from glass itself. The rest comes from behind the glass.
const GLASS_OPACITY: f32 = 0.35;

/// The rays of a tile, with their hits.
pub struct Primary {
    pub rays: Vec<Ray>,
    pub hits: Vec<Hit>,
}

/// Casts the camera's rays of a layer.
pub async fn primary(
    caster: &Caster,
    gpu: Option<&GpuTracer>,
    lighting: &Lighting<'_>,
    tile: &Tile,
    layer: usize,
    mask: u32,
) -> Result<Primary, TraceError> {
    let rays = lighting.camera_rays(tile, layer);
    let masks = vec![mask; if mask == u32::MAX { 0 } else { rays.len() }];
    let mut batch = lighting.question(&rays);
    if !masks.is_empty() {
        batch = batch.with_masks(&masks).map_err(TraceError::from)?;
    }
    let hits = caster.closest(gpu, batch).await?;
    Ok(Primary { rays, hits })
}

/// Returns the light of a tile's pixels, in display values. `seen` are the hits of the camera's rays.
pub async fn light(
    caster: &Caster,
    gpu: Option<&GpuTracer>,
    lighting: &Lighting<'_>,
    tile: &Tile,
    layer: usize,
    seen: &Primary,
) -> Result<Vec<Vec3>, TraceError> {
    let front = lit(caster, gpu, lighting, tile, layer, seen).await?;
    if !caster.has_glass {
        return Ok(front);
    }
    let behind = primary(caster, gpu, lighting, tile, layer, OPAQUE).await?;
    let behind = lit(caster, gpu, lighting, tile, layer, &behind).await?;
    // If both rays see the same surface, the mixture does not change the pixel.
    let mixed = front.iter().zip(behind).map(|(front, behind)| behind.lerp(*front, GLASS_OPACITY));
    Ok(mixed.collect())
}

async fn lit(
    caster: &Caster,
    gpu: Option<&GpuTracer>,
    lighting: &Lighting<'_>,
    tile: &Tile,
    layer: usize,
    Primary { rays, hits }: &Primary,
) -> Result<Vec<Vec3>, TraceError> {
    let met = lighting.meet(tile, layer, rays, hits);
    let sun_is_hidden = caster.hidden(gpu, &met.to_sun).await?;
    let sky_is_hidden = caster.hidden(gpu, &met.to_sky).await?;
    let light = lighting.light(tile, met, &sun_is_hidden, &sky_is_hidden);
    Ok(light.into_iter().map(|light| toned(light.truncate())).collect())
}
