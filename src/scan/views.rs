//! Images of one camera from many poses, each in a world of its own.

use crate::camera::{CameraError, Extrinsics, Pose, View};
use crate::query::{BatchError, RayFilter, Rays};
use crate::ray::{Line, Ray};
use crate::scene::Scene;
use glam::DVec3;
use std::ops::Range;

/// The images of a view from many poses, each in a world, such as those of a robot's camera in
/// every world of a simulation. Pixels are numbered image by image, and in each image row by row
/// from the top left.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Camera, DeviceChoice, Pose, Projection, Scene, Sphere, Tracer, View, Views};
///
/// let mut scene = Scene::new();
/// scene.add(Sphere { center: DVec3::new(0.0, 0.0, 9.0), radius: 1.0 })?;
/// let projection = Projection::Perspective { fov_y_degrees: 40.0 };
/// let camera = Camera::look_at("eye", DVec3::ZERO, DVec3::Z, None, projection)?;
/// let view = View::new(camera, 3, 3)?;
/// let ahead = |z| Pose::new(DVec3::Z * z, [0.0, 0.0, 0.0, 1.0]);
/// let views = Views::new(&view, &[ahead(0.0)?, ahead(5.0)?], DVec3::ZERO)?;
///
/// let tracer = DeviceChoice::Cpu.tracer(scene)?;
/// let hits = tracer.render_views(&views, 0..views.pixels())?;
/// // The middle pixel of each image of nine.
/// assert_eq!([hits[4].t, hits[9 + 4].t], [8.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Views {
    /// The view. Its own place is ignored.
    view: View,
    places: Vec<Extrinsics>,
    world_ids: Vec<u32>,
    mask: u32,
}

/// The one image of a view, in the first world.
impl From<&View> for Views {
    fn from(view: &View) -> Self {
        Self::at(view, vec![view.camera.extrinsics()])
    }
}

impl Views {
    /// Puts a view's camera at each of the poses, in the first world of a scene with this origin.
    /// It does not move during an image. The beams of a pattern are those of time 0.
    ///
    /// # Errors
    /// Those of [`Camera::at_pose`](crate::Camera::at_pose).
    pub fn new(view: &View, poses: &[Pose], scene_origin: DVec3) -> Result<Self, CameraError> {
        let place = |pose| Extrinsics::in_scene(pose, &view.camera.projection, scene_origin);
        Ok(Self::at(view, poses.iter().map(place).collect::<Result<_, _>>()?))
    }

    /// Puts a view's camera at each of these places, in the first world.
    pub fn at(view: &View, places: Vec<Extrinsics>) -> Self {
        let world_ids = vec![0; places.len()];
        Self { view: view.clone(), places, world_ids, mask: u32::MAX }
    }

    /// Renders each image in the world with its number, in a scene with
    /// [several](crate::Scene::add_world).
    ///
    /// # Errors
    /// [`CameraError::Field`], unless there is a number for each pose. The tracer returns an error
    /// for a world that the scene does not have.
    pub fn in_worlds(self, world_ids: &[u32]) -> Result<Self, CameraError> {
        if world_ids.len() != self.places.len() {
            let value = format!("{} numbers for {} poses", world_ids.len(), self.places.len());
            return Err(CameraError::field(
                "world_ids",
                value,
                "there must be one number for each pose",
            ));
        }
        Ok(Self { world_ids: world_ids.to_vec(), ..self })
    }

    /// Limits the rays to geometries whose masks have one of these bits.
    pub fn seeing(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// Returns how many images there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns how many pixels all images have, which is the number of rays.
    pub fn pixels(&self) -> usize {
        self.places.len() * self.view.pixels()
    }

    /// Returns the view that all images share, except for the camera's place.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the view of one image.
    pub fn view_of(&self, image: usize) -> View {
        let mut camera = self.view.camera.at(&self.places[image]);
        if let Some(noise) = &mut camera.sensor.noise {
            // Noise repeats after 2^32 images.
            noise.image_number = noise.image_number.wrapping_add(image as u32);
        }
        View { camera, ..self.view.clone() }
    }

    /// Returns where the camera is for each image.
    pub fn places(&self) -> &[Extrinsics] {
        &self.places
    }

    /// Returns where the camera is for the image of a pixel.
    pub fn place(&self, pixel: usize) -> &Extrinsics {
        &self.places[self.locate(pixel)[0]]
    }

    /// Returns the world of each image.
    pub fn world_ids(&self) -> &[u32] {
        &self.world_ids
    }

    /// Returns the mask of the rays.
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// Returns true if rays have a mask or are cast in another world than the first.
    pub(crate) fn is_filtered(&self) -> bool {
        self.mask != u32::MAX || self.has_worlds()
    }

    /// Returns true if an image is taken in another world than the first.
    pub(crate) fn has_worlds(&self) -> bool {
        self.world_ids.iter().any(|&world| world != 0)
    }

    pub(crate) fn locate(&self, pixel: usize) -> [usize; 2] {
        let pixels = self.view.pixels();
        [pixel / pixels, pixel % pixels]
    }

    /// Splits a range of pixels into those of each image, with the number of the image.
    pub fn by_image(&self, pixels: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let of_image = self.view.pixels();
        let images = pixels.start / of_image..pixels.end.div_ceil(of_image);
        images.map(move |image| {
            let first = image * of_image;
            let start = pixels.start.max(first) - first;
            (image, start..pixels.end.min(first + of_image) - first)
        })
    }

    /// Returns the number of the world in which a pixel's ray is cast.
    pub fn world(&self, pixel: usize) -> u32 {
        self.world_ids[self.locate(pixel)[0]]
    }

    /// Returns the filter of a pixel's ray.
    pub(crate) fn filter(&self, pixel: usize) -> RayFilter {
        RayFilter { mask: self.mask, world: self.world(pixel), ..RayFilter::ALL }
    }

    /// Returns rays of these pixels with their masks and worlds, as a query casts them.
    pub fn as_query(&self, pixels: impl Iterator<Item = usize>, rays: Vec<Ray>) -> Rays {
        let masks = (self.mask != u32::MAX).then(|| vec![self.mask; rays.len()]);
        let worlds = self.has_worlds().then(|| pixels.map(|pixel| self.world(pixel)).collect());
        Rays { masks, ignored: None, worlds, rays }
    }

    /// Checks that the scene has the worlds of all images, and the images these pixels.
    ///
    /// # Errors
    /// [`BatchError::WorldOfImage`] and [`BatchError::Pixels`].
    pub(crate) fn check(&self, scene: &Scene, pixels: &Range<usize>) -> Result<(), BatchError> {
        if pixels.end > self.pixels() && !pixels.is_empty() {
            return Err(BatchError::Pixels { end: pixels.end, pixels: self.pixels() });
        }
        let worlds = scene.world_count();
        match self.world_ids.iter().position(|&world| world >= worlds) {
            Some(image) => {
                Err(BatchError::WorldOfImage { image, world: self.world_ids[image], worlds })
            }
            None => Ok(()),
        }
    }

    /// Returns the line through the middle of a pixel, with a unit direction.
    pub fn line(&self, pixel: usize) -> Line {
        let [image, pixel] = self.locate(pixel);
        self.view.line_from(&self.places[image], pixel)
    }

    /// Returns the line through the middle of a pixel as a ray of float32 numbers.
    pub fn ray(&self, pixel: usize) -> Ray {
        Ray::along(&self.line(pixel))
    }

    /// Returns the distance that the camera's sensor reports for a pixel, with noise of its own in
    /// each image; +∞ if there is no return.
    pub fn reported(&self, pixel: usize, distance: f32) -> f32 {
        let [image, pixel] = self.locate(pixel);
        self.view.camera.sensor.reported_in(image as u32, pixel, distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Projection};

    #[test]
    fn pixels_are_counted_image_by_image() {
        let projection = Projection::Perspective { fov_y_degrees: 40.0 };
        let camera = Camera::look_at("eye", DVec3::ONE, DVec3::ZERO, None, projection).unwrap();
        let view = View::new(camera, 4, 3).unwrap();
        let pose = |x| Pose::new(DVec3::X * x, [0.1, 0.2, x, 1.0]).unwrap();
        let poses = [pose(0.0), pose(1.0), pose(2.0)];
        let views = Views::new(&view, &poses, DVec3::Y).unwrap();
        let views = views.in_worlds(&[2, 0, 1]).unwrap();
        assert_eq!((views.count(), views.pixels()), (3, 36));
        for (pixel, (image, of_image)) in [(0, (0, 0)), (23, (1, 11)), (24, (2, 0))] {
            let camera = view.camera.at_pose(&poses[image], DVec3::Y).unwrap();
            let alone = View { camera, ..view.clone() };
            assert_eq!(views.ray(pixel), alone.ray(of_image));
        }
        let parts: Vec<_> = views.by_image(10..25).collect();
        assert_eq!(parts, [(0, 10..12), (1, 0..12), (2, 0..1)]);
        assert_eq!([11, 12].map(|pixel| views.world(pixel)), [2, 0]);
        assert!(views.clone().in_worlds(&[1]).is_err());
        let alone = Views::from(&view);
        assert_eq!((alone.ray(5), alone.is_filtered()), (view.ray(5), false));
        assert!(views.is_filtered() && alone.seeing(1).is_filtered());
    }
}
