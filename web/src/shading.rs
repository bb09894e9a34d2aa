//! Lights a scene as the program does, awaiting a device: a first impression with one ray to the sun, and then layer after layer of the
//! program's own picture.

use crate::caster::Caster;
use crate::parts::OPAQUE;
use raytwin::glam::Vec3;
use raytwin::gpu::GpuTracer;
use raytwin::image::color::toned;
use raytwin::image::{Lighting, Tile};
use raytwin::ray::Hit;
use raytwin::{Ray, TraceError};

/// The share of its own light that glass gives; the rest comes from behind it.
const GLASS_OPACITY: f32 = 0.35;

/// The rays of a tile with what they hit.
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

/// Returns the light of a tile's pixels, as a display has it. `seen` is what the camera's rays hit.
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
    // Where both see the same, so does their mixture.
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
