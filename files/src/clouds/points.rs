//! The points of a cloud, from an image or from rays.

use glam::DVec3;
use rayon::prelude::*;
use raytwin::camera::{Extrinsics, Projection, View};
use raytwin::query::Hits;
use raytwin::ray::{Hit, NONE, Ray};
use raytwin::returns::Return;
use raytwin::scan::PosedView;

/// The largest number of integer columns that points keep.
pub const MAX_KEPT: usize = 8;

/// A point that a ray hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CloudPoint {
    /// The position.
    pub position: [f64; 3],
    /// The geometry that was hit.
    pub geometry_id: u32,
    /// The row and the column of the pixel, or the number of the ray and 0.
    pub pixel: [u32; 2],
    /// The primitive of the geometry that was hit; only in clouds of scans.
    pub primitive_id: u32,
    /// The distance that the sensor reports; only in clouds of scans.
    pub distance: f32,
    /// The time at which the ray was cast; only in clouds of scans.
    pub time: f64,
    /// The outward unit normal.
    pub normal: [f32; 3],
    /// The raw intensity.
    pub intensity: f32,
    /// The intensity without the losses by the distance and the air.
    pub normalized_intensity: f32,
    /// The number of the return among those of its beam, from 1.
    pub return_number: u8,
    /// The number of returns of the beam.
    pub number_of_returns: u8,
    /// The angle between the ray and the normal, in degrees.
    pub incidence: f32,
    /// The angle of the ray from straight down, in degrees; negative to the left of the sensor.
    pub scan_angle: f32,
    /// The number of the pose from which it was seen, from 1.
    pub pose_number: u32,
    /// The label of the geometry; 0 for none.
    pub label: u16,
    /// The geometry's values of the integer columns that are kept.
    pub kept: [i32; MAX_KEPT],
    /// The colour: red, green and blue in sRGB.
    pub color: [u8; 3],
}

/// The space in which points are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CloudFrame {
    /// The world's.
    #[default]
    World,
    /// The camera's, with its eye as the origin: for a panoramic camera x forward, y left and z up,
    /// as ROS defines it for lidars; for others x right, y down and z forward, as OpenCV defines it
    /// and ROS for optical frames.
    Sensor,
}

/// The origin and the axes of a frame, relative to the scene's [`origin`](raytwin::Scene::origin).
struct FrameAxes {
    origin: DVec3,
    axes: [DVec3; 3],
}

impl CloudFrame {
    fn axes(
        self,
        projection: &Projection,
        extrinsics: &Extrinsics,
        scene_origin: DVec3,
    ) -> FrameAxes {
        let (origin, axes) = match self {
            Self::World => (-scene_origin, DVec3::AXES),
            Self::Sensor => (extrinsics.eye, extrinsics.sensor_axes(projection)),
        };
        FrameAxes { origin, axes }
    }
}

impl FrameAxes {
    /// Returns the coordinates in the frame of the point on a ray at this distance.
    fn point(&self, ray: &Ray, distance: f32) -> [f64; 3] {
        let at = ray.line().at(f64::from(distance)) - self.origin;
        self.axes.map(|axis| at.dot(axis))
    }

    fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        let normal = DVec3::from_array(normal.map(f64::from));
        self.axes.map(|axis| normal.dot(axis) as f32)
    }
}

impl CloudPoint {
    /// Returns the points that the pixels of an image hit, at the distances that the sensor
    /// reports: both belong to an [`Image`](raytwin::Image) that begins at the pixel `first_pixel`
    /// of the view. The scene's origin is added to points in the world.
    pub fn of_image(
        hits: &Hits,
        distances: &[f32],
        view: &View,
        first_pixel: usize,
        frame: CloudFrame,
        scene_origin: DVec3,
    ) -> Vec<Self> {
        let extrinsics = view.camera.extrinsics();
        let axes = frame.axes(&view.camera.projection, &extrinsics, scene_origin);
        let point = |(index, &distance): (usize, &f32)| {
            let pixel = first_pixel + index;
            Self {
                position: axes.point(&view.ray(pixel), distance),
                geometry_id: hits.geometry_ids[index],
                pixel: row_and_column(pixel, view),
                normal: axes.normal(hits.primitive_normals[index]),
                ..Self::default()
            }
        };
        let returned = distances.par_iter().enumerate().filter(|(_, d)| d.is_finite());
        returned.map(point).collect()
    }

    /// Returns the points that the rays from a pose of a trajectory hit, at the distances that the
    /// sensor reports. The first hit belongs to the pixel `first_pixel`. The points have these
    /// normals of the hits, if they are given. A point in the sensor's frame is in the frame at its
    /// ray's time.
    pub fn of_posed(
        hits: &[Hit],
        normals: Option<&[[f32; 3]]>,
        posed: &PosedView,
        first_pixel: usize,
        frame: CloudFrame,
        scene_origin: DVec3,
    ) -> Vec<Self> {
        let camera = &posed.view().camera;
        let point = |(index, hit): (usize, &Hit)| {
            let pixel = first_pixel + index;
            let distance = camera.sensor.reported(pixel, hit.t);
            if !distance.is_finite() {
                return None;
            }
            let axes = frame.axes(&camera.projection, &posed.extrinsics(pixel), scene_origin);
            let normal = normals.map_or([0.0; 3], |normals| normals[index]);
            Some(Self {
                position: axes.point(&posed.ray(pixel), distance),
                geometry_id: hit.geometry_id,
                pixel: row_and_column(pixel, posed.view()),
                normal: axes.normal(normal),
                primitive_id: hit.primitive_id,
                distance,
                time: posed.time(pixel),
                ..Self::default()
            })
        };
        hits.par_iter().enumerate().filter_map(point).collect()
    }

    /// Returns the points of returns from a pose of a trajectory. A point in the sensor's frame is
    /// in the frame at its ray's time.
    pub fn of_returns(
        returns: &[Return],
        posed: &PosedView,
        frame: CloudFrame,
        scene_origin: DVec3,
    ) -> Vec<Self> {
        let camera = &posed.view().camera;
        let point = |it: &Return| {
            let extrinsics = posed.extrinsics(it.pixel);
            let axes = frame.axes(&camera.projection, &extrinsics, scene_origin);
            Self {
                position: axes.point(&posed.ray(it.pixel), it.distance),
                geometry_id: it.hit.geometry_id,
                pixel: row_and_column(it.pixel, posed.view()),
                normal: axes.normal(it.normal),
                primitive_id: it.hit.primitive_id,
                distance: it.distance,
                time: posed.time(it.pixel),
                intensity: it.intensity,
                normalized_intensity: it.normalized_intensity(posed),
                return_number: it.number,
                number_of_returns: it.count,
                incidence: degrees(libm::acos(it.cosine.into())),
                scan_angle: scan_angle(posed.line(it.pixel).direction, extrinsics.right),
                ..Self::default()
            }
        };
        returns.par_iter().map(point).collect()
    }

    /// Returns the points that rays hit, with the scene's origin added. The first ray has the
    /// number `first_ray`.
    pub fn of_rays(rays: &[Ray], hits: &Hits, first_ray: u32, scene_origin: DVec3) -> Vec<Self> {
        let hit = (0..rays.len()).filter(|&index| hits.geometry_ids[index] != NONE);
        hit.map(|index| Self {
            position: (rays[index].line().at(f64::from(hits.t_hit[index])) + scene_origin)
                .to_array(),
            geometry_id: hits.geometry_ids[index],
            pixel: [first_ray + index as u32, 0],
            normal: hits.primitive_normals[index],
            ..Self::default()
        })
        .collect()
    }
}

fn degrees(radians: f64) -> f32 {
    (radians * (180.0 / std::f64::consts::PI)) as f32
}

/// Returns the angle of a unit direction from straight down, in degrees, negative to the left of a
/// sensor whose axis to the right is `right`.
pub fn scan_angle(direction: DVec3, right: DVec3) -> f32 {
    let from_nadir = degrees(libm::acos((-direction.z).clamp(-1.0, 1.0)));
    if direction.dot(right) < 0.0 { -from_nadir } else { from_nadir }
}

fn row_and_column(pixel: usize, view: &View) -> [u32; 2] {
    let width = view.width as usize;
    [(pixel / width) as u32, (pixel % width) as u32]
}
