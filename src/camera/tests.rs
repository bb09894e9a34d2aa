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
    // This is the same corner of the image, at half the size.
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

fn lidar(azimuth_degrees: [f64; 2], elevation_degrees: Elevation) -> Projection {
    Projection::Panoramic(Panorama::new(azimuth_degrees, elevation_degrees))
}

/// Returns the direction of an azimuth and an elevation for a camera that looks along +y.
fn pointing(azimuth_degrees: f64, elevation_degrees: f64) -> DVec3 {
    let (azimuth, elevation) = (azimuth_degrees.to_radians(), elevation_degrees.to_radians());
    let level = elevation.cos();
    DVec3::new(-level * azimuth.sin(), level * azimuth.cos(), elevation.sin())
}

#[test]
fn azimuth_and_elevation_are_linear_through_pixel_centres_and_the_left_is_positive() {
    let projection = lidar([90.0, -270.0], Elevation::Range([30.0, -50.0]));
    let view = View::new(looking_along_y(projection), 4, 2).unwrap();
    for (pixel, azimuth, elevation) in [
        (0, 45.0, 10.0),
        (1, -45.0, 10.0),
        (2, -135.0, 10.0),
        (3, -225.0, 10.0),
        (4, 45.0, -30.0),
        (7, 135.0, -30.0),
    ] {
        let line = view.line(pixel);
        assert_eq!(line.origin, DVec3::ZERO);
        assert!((line.direction - pointing(azimuth, elevation)).length() < 1e-15, "pixel {pixel}");
    }
    let left = view.line(0).direction;
    assert!(left.x < 0.0 && left.y > 0.0 && left.z > 0.0, "{left}");
    // This image runs the other way round, and from below.
    let projection = lidar([-30.0, 60.0], Elevation::Range([-20.0, 20.0]));
    let view = View::new(looking_along_y(projection), 3, 2).unwrap();
    assert!((view.line(0).direction - pointing(-15.0, -10.0)).length() < 1e-15);
    assert!((view.line(5).direction - pointing(45.0, 10.0)).length() < 1e-15);
}

#[test]
fn a_panoramic_camera_looks_exactly_forward_in_the_middle_of_its_ranges() {
    let eye = DVec3::new(3.25, -1.5, 1.75);
    for target in [DVec3::new(0.3, 0.7, -0.2), DVec3::new(1e5, 0.1, 7.0), DVec3::ZERO] {
        let projection = lidar([180.0, -180.0], Elevation::Range([12.5, -12.5]));
        let camera = Camera::look_at("c", eye, target, DVec3::Z, projection).unwrap();
        let view = View::new(camera, 1025, 33).unwrap();
        let line = view.line(16 * 1025 + 512);
        assert_eq!(line.direction, view.camera.forward);
        for pixel in 0..view.pixels() {
            assert!((view.line(pixel).direction.length() - 1.0).abs() < 1e-15);
        }
    }
}

#[test]
fn each_row_of_a_table_has_its_own_elevation_in_the_order_of_the_table() {
    let rows = [15.0, 2.5, -25.0, -90.0, 0.0];
    let camera = || looking_along_y(lidar([180.0, -180.0], Elevation::Table(rows.to_vec())));
    assert_eq!(camera().default_size(), (1024, 5));
    let view = View::new(camera(), 8, 5).unwrap();
    for (row, elevation) in rows.into_iter().enumerate() {
        let direction = view.line(8 * row + 3).direction;
        assert!((direction - pointing(22.5, elevation)).length() < 1e-15, "row {row}");
    }
    let error = View::new(camera(), 8, 6).unwrap_err();
    assert_eq!(error, CameraError::OtherRows { width: 8, height: 6, rows: 5 });
    assert!(error.to_string().contains("8x5"), "{error}");
    let by_range = lidar([180.0, -180.0], Elevation::Range([2.0, -24.8]));
    assert_eq!(looking_along_y(by_range).default_size(), DEFAULT_SIZE);
}

#[test]
fn angles_that_no_panoramic_camera_has_are_refused_by_their_field() {
    let level = || Elevation::Range([10.0, -10.0]);
    let around = [180.0, -180.0];
    let refused =
        |projection| match Camera::look_at("c", DVec3::ZERO, DVec3::Y, DVec3::Z, projection) {
            Err(CameraError::Field { field, .. }) => field,
            other => panic!("{other:?}"),
        };
    for azimuth in [[7.0, 7.0], [0.0, 360.1], [f64::NAN, 0.0], [0.0, f64::NEG_INFINITY]] {
        assert_eq!(refused(lidar(azimuth, level())), "azimuth_degrees", "{azimuth:?}");
    }
    for edges in [[90.5, 0.0], [0.0, -91.0], [f64::NAN, 0.0]] {
        let elevation = Elevation::Range(edges);
        assert_eq!(refused(lidar(around, elevation)), "elevation_degrees", "{edges:?}");
    }
    for (rows, field) in [
        (vec![], "elevation_table_degrees"),
        (vec![0.0; 65537], "elevation_table_degrees"),
        (vec![0.0, 1.0, 90.1], "elevation_table_degrees[2]"),
        (vec![f64::NAN], "elevation_table_degrees[0]"),
    ] {
        assert_eq!(refused(lidar(around, Elevation::Table(rows))), field);
    }
    // Values at the limits are valid; the second range exceeds 360 by a rounding error.
    for azimuth in [[500.0, 860.0], [152.2, 512.2], [1e-9, 0.0]] {
        looking_along_y(lidar(azimuth, Elevation::Range([90.0, -90.0])));
    }
    looking_along_y(lidar(around, Elevation::Table(vec![-90.0; 65536])));
}

#[test]
fn the_camera_that_sees_everything_does() {
    let bounds = Bounds { min: DVec3::new(-1.0, 2.0, -50.0), max: DVec3::new(30.0, 3.0, 7.0) };
    let sizes = [(640, 480), (100, 1000), (1000, 100)];
    let views = sizes.into_iter().flat_map(|size| [(UpAxis::Z, size), (UpAxis::Y, size)]);
    for (up, (width, height)) in views {
        let camera = Camera::fit_bounds(&bounds, up, width, height).unwrap();
        let horizon = if up == UpAxis::Y { camera.right.y } else { camera.right.z };
        assert!(horizon.abs() < 1e-12, "{up:?}: {camera:?}");
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
fn the_horizon_is_level_unless_a_caller_asks_for_another_up() {
    let look = |eye: [f64; 3], up: Option<DVec3>| {
        let projection = Projection::Perspective { fov_y_degrees: 40.0 };
        Camera::look_at("c", DVec3::from_array(eye), DVec3::ZERO, up, projection).unwrap()
    };
    for eye in [[3.0, -4.0, 5.0], [0.0, 2.0, 0.0], [1e-3, 0.0, -7.0]] {
        let camera = look(eye, None);
        assert!(camera.right.z.abs() < 1e-12 && camera.up.z > 0.0, "{camera:?}");
    }
    for z in [5.0, -5.0] {
        assert_eq!(look([0.0, 0.0, z], None).up, DVec3::Y);
    }
    assert!(look([3.0, -4.0, 5.0], Some(DVec3::X)).right.x.abs() < 1e-12);
    // Rounding the eye to float32 does not turn a camera that looks straight down.
    let (eye, target) = (DVec3::new(100.1, 0.3, 2.0), DVec3::new(100.1, 0.3, 0.0));
    let projection = Projection::Orthographic { height: 1.0 };
    let down = Camera::look_at("c", eye, target, None, projection).unwrap();
    assert!((down.up - DVec3::Y).length() < 1e-4, "{down:?}");
}

#[test]
fn cameras_that_cannot_take_a_picture_are_refused() {
    let perspective = || Projection::Perspective { fov_y_degrees: 40.0 };
    let look = |eye, target, up, projection| Camera::look_at("c", eye, target, up, projection);
    // A tenth is no float32 number, to which the eye alone is rounded.
    for point in [DVec3::ONE, DVec3::splat(0.1)] {
        let camera = look(point, point, DVec3::Z, perspective());
        assert!(matches!(camera, Err(CameraError::NoDirection(_))));
    }
    assert!(matches!(
        look(DVec3::ZERO, DVec3::Z, DVec3::Z, perspective()),
        Err(CameraError::NoUp(_))
    ));
    for fov_y_degrees in [0.0, 180.0, -1.0, f64::NAN] {
        let projection = Projection::Perspective { fov_y_degrees };
        assert!(look(DVec3::ZERO, DVec3::Y, DVec3::Z, projection).is_err());
    }
    assert!(look(DVec3::splat(1e10), DVec3::Y, DVec3::Z, perspective()).is_err());
    let camera = looking_along_y(perspective());
    assert!(matches!(View::new(camera.clone(), 0, 5), Err(CameraError::NoPixels(0, 5))));
    assert!(matches!(View::new(camera, 100_000, 100_000), Err(CameraError::TooManyPixels { .. })));
}
