//! The points of a cloud, from an image or from rays.

use crate::camera::{Projection, View};
use crate::image::Image;
use crate::query::Hits;
use crate::ray::{NONE, Ray};
use glam::DVec3;

/// The columns that are written for each point besides its position and its `geometry_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloudLayout {
    /// The origin of the points.
    pub source: CloudSource,
    /// The outward normal.
    pub has_normals: bool,
}

/// The origin of the points of a cloud, which decides by which numbers they are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloudSource {
    /// An image: each point has its row, `ring`, and its `column`.
    Image,
    /// A file of rays: each point has its `ray_id`.
    Rays,
}

/// A point that a ray hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudPoint {
    /// The position.
    pub position: [f64; 3],
    /// The geometry that was hit.
    pub geometry_id: u32,
    /// The row and the column of the pixel, or the number of the ray and zero.
    pub place: [u32; 2],
    /// The outward unit normal.
    pub normal: [f32; 3],
}

/// The space in which points are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloudFrame {
    /// The world's.
    #[default]
    World,
    /// The camera's, with its eye as the origin: for a panoramic camera x forward, y left and z up, as ROS has it for
    /// lidars; for others x right, y down and z forward, as OpenCV has it and ROS for optical frames.
    Sensor,
}

impl CloudFrame {
    /// The origin and the axes of the frame, in the scene about its [`Scene::origin`](crate::Scene::origin).
    fn axes(self, view: &View, scene_origin: DVec3) -> (DVec3, [DVec3; 3]) {
        let camera = &view.camera;
        match (self, &camera.projection) {
            (Self::World, _) => (-scene_origin, DVec3::AXES),
            (Self::Sensor, Projection::Panoramic(_)) => {
                (camera.eye, [camera.forward, -camera.right, camera.up])
            }
            (Self::Sensor, _) => (camera.eye, [camera.right, -camera.up, camera.forward]),
        }
    }
}

impl CloudPoint {
    /// Returns the points that the pixels of an image hit, at the distances that the sensor reports. The image begins at
    /// the pixel `first_pixel` of the view; the scene's origin is added to points in the world.
    pub fn of_image(
        image: &Image,
        view: &View,
        first_pixel: usize,
        frame: CloudFrame,
        scene_origin: DVec3,
    ) -> Vec<Self> {
        let (origin, axes) = frame.axes(view, scene_origin);
        let width = view.width as usize;
        let point = |(index, &distance): (usize, &f32)| {
            let pixel = first_pixel + index;
            let at = view.ray(pixel).line().at(f64::from(distance)) - origin;
            let normal = DVec3::from_array(image.hits.primitive_normals[index].map(f64::from));
            Self {
                position: axes.map(|axis| at.dot(axis)),
                geometry_id: image.hits.geometry_ids[index],
                place: [(pixel / width) as u32, (pixel % width) as u32],
                normal: axes.map(|axis| normal.dot(axis) as f32),
            }
        };
        let returned = image.distance.iter().enumerate().filter(|(_, d)| d.is_finite());
        returned.map(point).collect()
    }

    /// Returns the points that rays hit, to which the scene's origin is added. The first of the rays has the number
    /// `first_ray`.
    pub fn of_rays(rays: &[Ray], hits: &Hits, first_ray: u32, scene_origin: DVec3) -> Vec<Self> {
        let hit = (0..rays.len()).filter(|&index| hits.geometry_ids[index] != NONE);
        hit.map(|index| Self {
            position: (rays[index].line().at(f64::from(hits.t_hit[index])) + scene_origin)
                .to_array(),
            geometry_id: hits.geometry_ids[index],
            place: [first_ray + index as u32, 0],
            normal: hits.primitive_normals[index],
        })
        .collect()
    }
}

impl CloudLayout {
    /// Returns how many numbers tell where a point comes from.
    pub(super) fn places(self) -> usize {
        match self.source {
            CloudSource::Image => 2,
            CloudSource::Rays => 1,
        }
    }

    /// Returns the names of the integers of each point.
    pub(super) fn integers(self) -> &'static [&'static str] {
        match self.source {
            CloudSource::Image => &["geometry_id", "ring", "column"],
            CloudSource::Rays => &["geometry_id", "ray_id"],
        }
    }
}
