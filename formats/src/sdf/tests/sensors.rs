use super::*;
use raytwin::camera::{Camera, View};

/// The cameras of a link at (1, 2, 3) that looks along y, and what warnings name.
fn cameras(sensors: &str) -> (Vec<Camera>, Vec<String>) {
    let pose = "<pose degrees=\"true\">1 2 3 0 0 90</pose>";
    let imported = world(&ball("m", "", &format!("{pose}{sensors}"))).unwrap();
    let names = imported.warnings.iter().flat_map(|warning| warning.names.clone()).collect();
    (imported.scene.cameras, names)
}

fn lidar(horizontal: &str, vertical: &str, more: &str) -> String {
    format!(
        "<sensor name=\"s\" type=\"gpu_lidar\"><ray><scan><horizontal>{horizontal}</horizontal>\
         {vertical}</scan><range><min>0.5</min><max>20</max></range>{more}</ray></sensor>"
    )
}

fn samples(count: u32, first: f64, last: f64) -> String {
    format!("<samples>{count}</samples><min_angle>{first}</min_angle><max_angle>{last}</max_angle>")
}

/// The direction of a sample in the world, whose x axis is the link's y.
fn looking(yaw: f64, pitch: f64) -> DVec3 {
    let level = libm::cos(pitch);
    let in_link = DVec3::new(level * libm::cos(yaw), level * libm::sin(yaw), libm::sin(pitch));
    DVec3::new(-in_link.y, in_link.x, in_link.z)
}

#[test]
fn the_pixels_of_a_lidar_are_its_samples_from_the_left_and_the_top() {
    let vertical = format!("<vertical>{}</vertical>", samples(3, -0.2, 0.4));
    let (cameras, names) = cameras(&lidar(&samples(5, -1.0, 0.5), &vertical, ""));
    let camera = cameras[0].clone();
    assert_eq!((camera.name.as_str(), camera.default_size()), ("m/l/s", (5, 3)));
    assert_eq!((camera.sensor.range_min, camera.sensor.range_max), (0.5, 20.0));
    assert!(camera.sensor.noise.is_none() && names.is_empty());
    let view = View::new(camera, 5, 3).unwrap();
    for row in 0..3 {
        for column in 0..5 {
            let line = view.line(5 * row + column);
            let yaw = 0.5 - 1.5 * column as f64 / 4.0;
            let pitch = 0.4 - 0.6 * row as f64 / 2.0;
            assert!((line.direction - looking(yaw, pitch)).length() < 1e-12, "{row}, {column}");
            assert_eq!(line.origin, DVec3::new(1.0, 2.0, 3.0));
        }
    }
}

#[test]
fn a_lidar_that_looks_around_meets_its_first_sample_once() {
    let pi = std::f64::consts::PI;
    for last in [pi, pi - 1e-5] {
        let (cameras, names) = cameras(&lidar(&samples(9, -last, last), "", ""));
        assert!(names.is_empty(), "{names:?}");
        assert_eq!(cameras[0].default_size(), (8, 1));
        let view = View::new(cameras[0].clone(), 8, 1).unwrap();
        for column in 0..8 {
            let yaw = -last + (7 - column) as f64 * last / 4.0;
            assert!((view.line(column).direction - looking(yaw, 0.0)).length() < 1e-12);
        }
    }
    // A step of 100 degrees does not fit beyond 300.
    let (cameras, names) = cameras(&lidar(&samples(4, 0.0, raytwin::math::radians(300.0)), "", ""));
    assert_eq!(cameras[0].default_size(), (3, 1));
    assert!(names[0].contains("is left out"), "{names:?}");
}

#[test]
fn resolution_multiplies_samples_and_one_sample_is_in_the_middle() {
    let half = format!("{}<resolution>0.5</resolution>", samples(8, -0.3, 0.3));
    let (cameras, _) =
        cameras(&[lidar(&half, "", ""), lidar(&samples(1, -0.5, 0.5), "", "")].concat());
    assert_eq!([cameras[0].default_size(), cameras[1].default_size()], [(4, 1), (1, 1)]);
    let line = View::new(cameras[1].clone(), 1, 1).unwrap().line(0);
    assert!((line.direction - looking(0.0, 0.0)).length() < 1e-12);
}

#[test]
fn the_noise_of_distances_is_each_sensors_own() {
    let noise = "<noise><type>gaussian</type><mean>0.25</mean><stddev>0.01</stddev></noise>";
    let ray = |more: &str| lidar(&samples(3, -0.3, 0.3), "", more);
    let (cameras, names) = cameras(&[ray(noise), ray(&noise.replace("0.25", "0"))].concat());
    let seeds = cameras.iter().map(|camera| {
        let noise = camera.sensor.noise.unwrap();
        assert_eq!(noise.stddev, 0.01);
        noise.seed
    });
    assert_eq!(seeds.collect::<Vec<_>>(), [0, 1]);
    assert_eq!(names, ["m/l/s (the mean of its noise, 0.25, is taken as 0)"]);
}

fn camera(type_name: &str, inner: &str) -> String {
    format!(
        "<sensor name=\"c\" type=\"{type_name}\"><pose>0 0 1 0 0 0</pose><camera>\
         <horizontal_fov>1.5707963267948966</horizontal_fov><image><width>4</width><height>2</height></image>\
         <clip><near>0.5</near><far>50</far></clip>{inner}</camera></sensor>"
    )
}

#[test]
fn cameras_look_along_x_with_z_upwards() {
    let noise = "<noise><stddev>0.5</stddev></noise>";
    let depth = "<depth_camera><clip><near>1</near><far>9</far></clip></depth_camera>";
    let (cameras, names) = cameras(
        &[
            camera("camera", noise),
            camera("depth_camera", &[noise, depth].concat()),
            camera("imu", ""),
        ]
        .concat(),
    );
    assert!(names.is_empty() && cameras.len() == 2);
    let view = View::new(cameras[0].clone(), 4, 2).unwrap();
    assert_eq!(view.line(0).origin, DVec3::new(1.0, 2.0, 4.0));
    // The first pixel is half a pixel from the left and the top of two by one, seen from one.
    let wanted = DVec3::new(-0.75, 1.0, 0.25).normalize();
    assert!((view.line(0).direction - wanted).length() < 1e-12);
    let ranges = cameras.iter().map(|camera| (camera.sensor.range_min, camera.sensor.range_max));
    assert_eq!(ranges.collect::<Vec<_>>(), [(0.5, 50.0), (1.0, 9.0)]);
    // Noise of colours is none of distances.
    assert_eq!(
        cameras.iter().map(|it| it.sensor.noise.is_some()).collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
fn sensors_that_no_camera_can_be_are_named() {
    let wide = camera("camera", "").replace("1.5707963267948966", "3.2");
    let far = camera("camera", "").replace("<far>50", "<far>0.1");
    let bent = camera("camera", "<distortion><k1>0.1</k1></distortion>");
    let turns = lidar(&samples(9, 0.0, 7.0), "", "");
    let up =
        lidar(&samples(9, 0.0, 1.0), &format!("<vertical>{}</vertical>", samples(2, 0.0, 2.0)), "");
    let sonar = "<sensor name=\"n\" type=\"sonar\"/><sensor name=\"o\" type=\"ray\"/>".to_owned();
    let (cameras, names) = cameras(&[wide, far, bent, turns, up, sonar].concat());
    assert_eq!(cameras.len(), 1);
    for (name, reason) in names.iter().zip([
        "m/l/c (its horizontal_fov is 3.2 radians",
        "m/l/c (range_max is 0.1",
        "m/l/s (its angles span 401.07",
        "m/l/s (elevation_table_degrees[0]",
        "m/l/n (its type is not read)",
        "m/l/o (it has no <lidar>)",
        "m/l/c (its distortion is not followed)",
    ]) {
        assert!(name.starts_with(reason), "{name} is not {reason}");
    }
    assert_eq!(names.len(), 7);
    let backwards = ball("m", "", &lidar(&samples(2, 1.0, 0.0), "", ""));
    assert!(world(&backwards).unwrap_err().ends_with("max_angle is below min_angle"));
}

#[test]
fn several_cameras_of_a_sensor_are_several_views() {
    let camera = camera("multicamera", "");
    let inner = camera.split("<camera>").nth(1).unwrap().replace("</sensor>", "");
    let second = format!("<camera name=\"right\"><pose>0 -1 0 0 0 0</pose>{inner}</sensor>");
    let (cameras, _) = cameras(&camera.replace("</sensor>", &second));
    assert_eq!(cameras[0].name, "m/l/c/camera[0]");
    assert_eq!(
        (cameras[1].name.as_str(), cameras[1].eye),
        ("m/l/c/right", DVec3::new(2.0, 2.0, 4.0))
    );
}
