//! Images of a scene as arrays, with one pixel for each ray of a view. Normals and z are computed
//! on the host in float64, from the camera that cast the rays.

use crate::camera::{Camera, Projection, View};
use crate::lidar::returns::Return;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::{HitArrays, Hits};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scan::{PosedView, Views};
use crate::scene::Scene;
use glam::DVec3;
use std::ops::Range;

mod albedo;
mod background;
pub mod color;
mod scene_extent;
mod section;
mod shading;
pub use albedo::Albedo;
pub use background::Background;
pub use scene_extent::SceneExtent;
pub use section::Section;
pub use shading::{Backdrop, LayerHits, Lighting, Shading, Tile};

/// The arrays of an image's hits.
const ARRAYS: HitArrays = HitArrays::DEFAULT.and(HitArrays::INSTANCE_IDS);

/// The arrays of a range of a view's pixels. Each array has one entry per pixel, row by row from
/// the top left.
#[doc(alias("depth", "DepthImage"))]
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The closest hits, with their ids, normals and instance ids.
    pub hits: Hits,
    /// The distances along the rays that the camera's [`Sensor`](crate::Sensor) reports; +∞ for no
    /// return.
    pub distance: Vec<f32>,
    /// The depths: the same distances along the camera's axis, (hit − eye) · forward; +∞ for no
    /// return. They are negative behind a panoramic camera.
    pub z: Vec<f32>,
}

impl Image {
    /// Makes the image from the tracer's closest hits, one for each pixel of the view from
    /// `first_pixel` on, with normals and instance ids.
    pub fn new(scene: &Scene, view: &View, first_pixel: usize, hits: &[Hit]) -> Self {
        Self::with_arrays(scene, view, first_pixel, hits, ARRAYS)
    }

    /// Makes an image with t, ids and only the given other arrays of hits.
    pub fn with_arrays(
        scene: &Scene,
        view: &View,
        first_pixel: usize,
        hits: &[Hit],
        arrays: HitArrays,
    ) -> Self {
        Self::of_views(scene, &view.into(), first_pixel, hits, arrays)
    }

    /// Makes the arrays of the images of a view from many poses. `first_pixel` counts over the
    /// pixels of all images.
    pub fn of_views(
        scene: &Scene,
        views: &Views,
        first_pixel: usize,
        hits: &[Hit],
        arrays: HitArrays,
    ) -> Self {
        let reported = |index: usize| views.reported(first_pixel + index, hits[index].t);
        let distance = mapped(hits.len(), RAYS_A_TASK, reported);
        let is_parallel = is_parallel(&views.view().camera);
        Self::along(scene, is_parallel, distance, hits, arrays, |index| {
            let pixel = first_pixel + index;
            let forward = views.place(pixel).forward;
            PixelRay { line: views.line(pixel), forward, world: views.world(pixel) }
        })
    }

    /// Makes the image of a view from a pose of a trajectory.
    pub fn of_posed(scene: &Scene, posed: &PosedView, first_pixel: usize, hits: &[Hit]) -> Self {
        let camera = &posed.view().camera;
        let reported = |index: usize| camera.sensor.reported(first_pixel + index, hits[index].t);
        let distance = mapped(hits.len(), RAYS_A_TASK, reported);
        let mut image = Self::along(scene, is_parallel(camera), distance, hits, ARRAYS, |index| {
            let pixel = first_pixel + index;
            let (place, line) = (posed.extrinsics(pixel), posed.line(pixel));
            // The camera's carrier is hit in the frame of the mount, where it has other normals.
            match posed.carrier_of(hits[index].geometry_id) {
                Some(carrier) => PixelRay {
                    line: carrier.line_from_mount(&place, &line),
                    forward: carrier.mount().forward,
                    world: 0,
                },
                None => PixelRay { line, forward: place.forward, world: 0 },
            }
        });
        for (index, hit) in hits.iter().enumerate() {
            if let Some(carrier) = posed.carrier_of(hit.geometry_id) {
                let normal = &mut image.hits.primitive_normals[index];
                *normal = carrier.direction_at(&posed.extrinsics(first_pixel + index), *normal);
            }
        }
        image
    }

    /// Makes the image of a range of a view's pixels from its returns. It has the first return of
    /// each pixel. A pixel without a return is a miss.
    pub fn of_returns(
        scene: &Scene,
        posed: &PosedView,
        pixels: Range<usize>,
        returns: &[Return],
    ) -> Self {
        let miss = Hit { t: f32::INFINITY, geometry_id: NONE, primitive_id: NONE };
        let mut hits = Hits::of_image(scene, &vec![miss; pixels.len()], ARRAYS, |index| {
            (posed.ray(pixels.start + index), 0)
        });
        let mut distance = vec![f32::INFINITY; pixels.len()];
        let mut z = distance.clone();
        for it in returns.iter().filter(|it| it.number == 1) {
            let at = it.pixel - pixels.start;
            hits.t_hit[at] = it.distance;
            hits.geometry_ids[at] = it.hit.geometry_id;
            hits.primitive_ids[at] = it.hit.primitive_id;
            hits.primitive_normals[at] = it.normal;
            hits.instance_ids[at] = scene.use_of(it.hit.geometry_id).unwrap_or(NONE);
            distance[at] = it.distance;
            let along = posed.line(it.pixel).direction.dot(posed.extrinsics(it.pixel).forward);
            z[at] = (f64::from(it.distance) * along) as f32;
        }
        Self { hits, distance, z }
    }

    /// Makes an image with these distances, as reported by a sensor.
    fn along(
        scene: &Scene,
        is_parallel: bool,
        distance: Vec<f32>,
        hits: &[Hit],
        arrays: HitArrays,
        pixel_ray: impl Fn(usize) -> PixelRay + Sync,
    ) -> Self {
        let z = |index: usize| {
            let distance = distance[index];
            // A miss keeps its infinite distance, because a product with the direction could be −∞
            // or NaN.
            if is_parallel || !distance.is_finite() {
                return distance;
            }
            let PixelRay { line, forward, .. } = pixel_ray(index);
            (f64::from(distance) * line.direction.dot(forward)) as f32
        };
        Self {
            z: mapped(hits.len(), RAYS_A_TASK, z),
            distance,
            hits: Hits::of_image(scene, hits, arrays, |index| {
                let PixelRay { line, world, .. } = pixel_ray(index);
                (Ray::along(&line), world)
            }),
        }
    }
}

/// Returns true if all rays of a camera are parallel to its axis.
fn is_parallel(camera: &Camera) -> bool {
    matches!(camera.projection, Projection::Orthographic { .. })
}

struct PixelRay {
    line: Line,
    /// The axis of the camera.
    forward: DVec3,
    world: u32,
}

/// Returns the size of a view's pictures. A small image, such as that of a lidar with few rows, is
/// enlarged by whole factors so that people can see it. A panoramic image has a factor for each
/// side, any other image has the same factor for both.
pub fn legible_size(view: &View) -> [usize; 2] {
    const LEGIBLE: usize = 256;
    /// The longest side to which both sides are enlarged.
    const LONGEST: usize = 2048;
    /// The most pixels to which a panoramic image is enlarged.
    const MOST: usize = 1 << 21;
    let [width, height] = [view.width as usize, view.height as usize];
    if view.camera.projection.is_lidar() {
        let down = (LEGIBLE / height).min(MOST / (width * height)).max(1);
        let across = (LEGIBLE / width).min(MOST / (width * height * down)).max(1);
        return [across * width, down * height];
    }
    let factor = (LEGIBLE / width.min(height)).min(LONGEST / width.max(height)).max(1);
    [factor * width, factor * height]
}
