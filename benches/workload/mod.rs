//! The scene and the rays that the benchmarks share.

use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::{Camera, CameraError, Cuboid, Cylinder, Projection, Ray, Scene, Sphere, View};

pub fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0
}

/// Makes spheres, boxes and cylinders in equal numbers, in a cube of side 100. They are sized so that a third of the
/// rays hit, however many there are.
pub fn scene(shapes: usize) -> Scene {
    let rng = &mut Rng::with_seed(1);
    let scale = (100_000.0 / shapes as f64).sqrt();
    let mut scene = Scene::new();
    for index in 0..shapes {
        let center = 50.0 * vector(rng);
        let size = scale * (0.1 + 0.15 * rng.f64());
        let added = match index % 3 {
            0 => scene.add(Sphere { center, radius: size }),
            1 => scene.add(Cuboid {
                center,
                half_extents: size * (0.6 + 0.4 * vector(rng).abs()),
                rotation: DQuat::from_axis_angle(vector(rng).normalize(), 6.0 * rng.f64()),
            }),
            _ => {
                let half = size * vector(rng).normalize();
                scene.add(Cylinder::solid(center - half, center + half, 0.7 * size))
            }
        };
        assert!(added.is_ok(), "{added:?}");
    }
    scene
}

pub fn rays(count: usize) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(2);
    let mut ray = || Ray::new((50.0 * vector(rng)).as_vec3(), vector(rng).normalize().as_vec3());
    (0..count).map(|_| ray()).collect()
}

/// The view of an image that sees the whole scene from outside.
pub fn view(width: u32, height: u32) -> Result<View, CameraError> {
    let projection = Projection::Perspective { fov_y_degrees: 24.0 };
    let eye = DVec3::new(150.0, 110.0, 90.0);
    let camera = Camera::look_at("outside".to_owned(), eye, DVec3::ZERO, DVec3::Z, projection)?;
    View::new(camera, width, height)
}
