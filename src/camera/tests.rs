use super::*;

fn looking_along_y(projection: Projection) -> Camera {
    Camera::look_at("c", DVec3::ZERO, DVec3::Y, DVec3::Z, projection).unwrap()
}

#[test]
fn the_first_pixel_is_at_the_top_left_and_rays_go_through_pixel_centres() {
    let view =
        View::new(looking_along_y(Projection::Perspective { fov_y_degrees: 90.0 }), 2, 2).unwrap();
    let expected = DVec3::new(-0.5, 1.0, 0.5).normalize();
    assert!((view.line(0).direction - expected).length() < 1e-15);
    let last = DVec3::new(0.5, 1.0, -0.5).normalize();
    assert!((view.line(3).direction - last).length() < 1e-15);
}

#[test]
fn a_pinhole_camera_scales_with_the_size_of_the_image() {
    let pinhole = |size: [u32; 2]| {
        let camera = looking_along_y(Projection::Pinhole {
            focal: [500.0, 400.0],
            center: [300.0, 250.0],
            size: [640, 480],
        });
        View::new(camera, size[0], size[1]).unwrap()
    };
    // The same corner of the image, at half the size.
    let full = pinhole([640, 480]);
    let half = pinhole([320, 240]);
    let corner = |view: &View| {
        let aside = -view.center[0] * view.step[0];
        let above = view.center[1] * view.step[1];
        [aside, above]
    };
    for (a, b) in corner(&full).into_iter().zip(corner(&half)) {
        assert!((a - b).abs() < 1e-15);
    }
    assert!((corner(&full)[0] + 0.6).abs() < 1e-15);
}

#[test]
fn orthographic_rays_are_parallel_and_start_on_the_plane_of_the_eye() {
    let view = View::new(looking_along_y(Projection::Orthographic { height: 4.0 }), 4, 2).unwrap();
    let line = view.line(0);
    assert_eq!(line.direction, DVec3::Y);
    assert_eq!(line.origin, DVec3::new(-3.0, 0.0, 1.0));
}

#[test]
fn the_camera_that_sees_everything_does() {
    let bounds = Bounds { min: DVec3::new(-1.0, 2.0, -50.0), max: DVec3::new(30.0, 3.0, 7.0) };
    for (width, height) in [(640, 480), (100, 1000), (1000, 100)] {
        let camera = Camera::that_sees(&bounds, width, height).unwrap();
        let view = View::new(camera, width, height).unwrap();
        for corner in [bounds.min, bounds.max, DVec3::new(30.0, 2.0, -50.0)] {
            let way = corner - view.camera.eye;
            let ahead = way.dot(view.camera.forward);
            let x = view.center[0] + way.dot(view.camera.right) / ahead / view.step[0];
            let y = view.center[1] - way.dot(view.camera.up) / ahead / view.step[1];
            assert!(ahead > 0.0 && (0.0..f64::from(width)).contains(&x), "{x} of {width}");
            assert!((0.0..f64::from(height)).contains(&y), "{y} of {height}");
        }
    }
}

#[test]
fn cameras_that_cannot_take_a_picture_are_refused() {
    let perspective = Projection::Perspective { fov_y_degrees: 40.0 };
    let look = |eye, target, up, projection| Camera::look_at("c", eye, target, up, projection);
    assert!(matches!(
        look(DVec3::ONE, DVec3::ONE, DVec3::Z, perspective),
        Err(CameraError::NoDirection(_))
    ));
    assert!(matches!(
        look(DVec3::ZERO, DVec3::Z, DVec3::Z, perspective),
        Err(CameraError::NoUp(_))
    ));
    for fov_y_degrees in [0.0, 180.0, -1.0, f64::NAN] {
        let projection = Projection::Perspective { fov_y_degrees };
        assert!(look(DVec3::ZERO, DVec3::Y, DVec3::Z, projection).is_err());
    }
    assert!(look(DVec3::splat(1e10), DVec3::Y, DVec3::Z, perspective).is_err());
    let camera = looking_along_y(perspective);
    assert!(matches!(View::new(camera.clone(), 0, 5), Err(CameraError::NoPixels(0, 5))));
    assert!(matches!(View::new(camera, 100_000, 100_000), Err(CameraError::TooManyPixels { .. })));
}
