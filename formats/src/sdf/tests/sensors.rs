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
    assert_eq!(names, ["m/l/s (the mean 0.25 of its noise is read as 0)"]);
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
fn messages_have_the_topic_and_the_frame_of_the_file() {
    let with = |kind: &str, more: &str, inner: &str| {
        camera(kind, inner).replace("<camera>", &format!("{more}<camera>"))
    };
    let plugin = r#"<plugin name="p"><frame_name>p</frame_name></plugin>"#;
    for (sensor, topic, frame_id) in [
        (with("depth", "", ""), None, None),
        (with("depth", "<topic>__default__</topic><frame_id/>", ""), None, None),
        (with("depth", "<topic>front</topic>", ""), Some("front"), None),
        (with("rgbd_camera", "<topic>/f</topic>", ""), Some("/f/depth_image"), None),
        (with("multicamera", "<topic>f</topic><frame_id>a</frame_id>", ""), None, Some("a")),
        (with("camera", "<gz_frame_id>b</gz_frame_id>", ""), None, Some("b")),
        (with("camera", "<ignition_frame_id>c</ignition_frame_id>", ""), None, Some("c")),
        (with("camera", plugin, ""), None, Some("p")),
        (with("camera", &format!("{plugin}<gz_frame_id>b</gz_frame_id>"), ""), None, Some("b")),
        (
            with("camera", "<frame_id>a</frame_id>", "<optical_frame_id>o</optical_frame_id>"),
            None,
            Some("o"),
        ),
    ] {
        let (cameras, names) = cameras(&sensor);
        assert!(names.is_empty(), "{names:?}");
        let found = &cameras[0].sensor;
        assert_eq!(
            (found.topic.as_deref(), found.frame_id.as_deref()),
            (topic, frame_id),
            "{sensor}"
        );
    }
}

#[test]
fn a_sensor_has_the_rate_of_the_file_if_that_is_a_number() {
    for (text, rate, is_named) in [
        ("", None, false),
        ("<update_rate>0</update_rate>", None, false),
        ("<update_rate>12.5</update_rate>", Some(12.5), false),
        ("<update_rate>often</update_rate>", None, true),
    ] {
        let sensor = camera("depth", "").replace("<camera>", &format!("{text}<camera>"));
        let (cameras, names) = cameras(&sensor);
        assert_eq!(cameras[0].sensor.update_rate_hz, rate, "{text}");
        assert_eq!(names.iter().any(|name| name.contains("update_rate")), is_named, "{names:?}");
    }
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
    for (name, [path, reason]) in names.iter().zip([
        ["m/l/c (w.sdf:", ": its horizontal_fov is 3.2 radians"],
        ["m/l/c (w.sdf:", ": range_max is 0.1"],
        ["m/l/s (w.sdf:", ": its angles span 401.07"],
        ["m/l/s (w.sdf:", ": elevation_table_degrees[0]"],
        ["m/l/n (w.sdf:", ": its type is not read)"],
        ["m/l/o (w.sdf:", ": it has no <lidar>)"],
        ["m/l/c (", "its distortion is ignored)"],
    ]) {
        assert!(name.starts_with(path) && name.contains(reason), "{name} is not {reason}");
    }
    assert_eq!(names.len(), 7);
}

#[test]
fn an_odd_number_of_a_sensor_leaves_it_out_and_nothing_else() {
    let lidar = |from: &str, to: &str| {
        let whole = lidar(
            &format!("{}<resolution>1</resolution>", samples(9, 0.0, 1.0)),
            &format!("<vertical>{}</vertical>", samples(2, -0.5, 0.5)),
            "<noise><type>gaussian</type><mean>0</mean><stddev>0.01</stddev></noise>",
        );
        assert!(whole.contains(from), "{from}");
        whole.replace(from, to)
    };
    let lens = "<lens><intrinsics><fx>9</fx><fy>8</fy><cx>2</cx><cy>1</cy></intrinsics></lens>";
    let camera = |from: &str, to: &str| {
        let whole = camera("depth_camera", &format!("{lens}<noise><stddev>0.1</stddev></noise>"));
        assert!(whole.contains(from), "{from}");
        whole.replace(from, to)
    };
    let odd = [
        lidar("<samples>9<", "<samples>0<"),
        lidar("<samples>9<", "<samples>-3<"),
        lidar("<samples>2<", "<samples>1000000000<"),
        lidar("<samples>9<", "<samples>many<"),
        lidar("<resolution>1<", "<resolution>0<"),
        lidar("<resolution>1<", "<resolution>-1<"),
        lidar("<max_angle>1<", "<max_angle>nan<"),
        lidar("<max_angle>1<", "<max_angle>100<"),
        lidar("<max_angle>0.5<", "<max_angle>1.6<"),
        lidar("<max_angle>0.5<", "<max_angle>inf<"),
        lidar("<max_angle>0.5</max_angle>", ""),
        lidar("<min>0.5<", "<min>nan<"),
        lidar("<min>0.5</min>", ""),
        lidar("<max>20<", "<max>0.1<"),
        lidar("<max>20<", "<max>-inf<"),
        lidar("<stddev>0.01<", "<stddev>nan<"),
        lidar(" type=\"gpu_lidar\"", ""),
        camera("<width>4<", "<width>0<"),
        camera("<height>2<", "<height>-2<"),
        camera("<near>0.5<", "<near>-1<"),
        camera("<far>50<", "<far>0.25<"),
        camera("<fx>9<", "<fx>0<"),
        camera("<fy>8<", "<fy>-1<"),
        camera("<cx>2<", "<cx>nan<"),
        camera("<cy>1</cy>", ""),
        camera(lens, "").replace(">1.5707963267948966<", ">0<"),
        camera(lens, "").replace(">1.5707963267948966<", ">-1<"),
        camera(lens, "").replace(">1.5707963267948966<", ">nan<"),
        camera("<pose>0 0 1 0 0 0<", "<pose>0 0 up 0 0 0<"),
    ];
    for odd in odd {
        let sound = lidar("<samples>9<", "<samples>4<");
        let (cameras, names) = cameras(&[odd.clone(), sound].concat());
        assert_eq!((cameras.len(), names.len()), (1, 1), "{odd}: {names:?}");
        let [path, other] = ["m/l/s (w.sdf:", "m/l/c (w.sdf:"];
        assert!(names[0].starts_with(path) || names[0].starts_with(other), "{names:?}");
    }
    // A sensor may stand in nothing.
    for lost in [
        "<pose relative_to=\"nothing\"/>",
        "<pose relative_to=\"j\"/>",
        "<pose relative_to=\"k\"/>",
    ] {
        let joint = |name: &str, child: &str| {
            format!(
                "<joint name=\"{name}\" type=\"fixed\"><parent>l</parent><child>{child}</child></joint>"
            )
        };
        let joints = [joint("j", "nothing"), joint("k", "k")].concat();
        let sensor = camera("<pose>0 0 1 0 0 0</pose>", lost);
        let imported = world(&ball("m", &joints, &sensor)).unwrap();
        assert!(imported.scene.cameras.is_empty(), "{lost}");
        assert_eq!((imported.warnings.len(), paths(&imported.scene).len()), (1, 1));
    }
    // One view of several may be odd.
    let two = camera("</camera>", "</camera><camera><image><width>0</width></image></camera>");
    let (cameras, names) = cameras(&two);
    assert_eq!((cameras.len(), names.len()), (1, 1), "{names:?}");
}

#[test]
fn a_scan_from_above_downwards_has_the_samples_of_one_upwards() {
    let scan = |[first, last]: [f64; 2], [low, high]: [f64; 2]| {
        let vertical = format!("<vertical>{}</vertical>", samples(3, low, high));
        let (cameras, names) = cameras(&lidar(&samples(5, first, last), &vertical, ""));
        assert!(names.is_empty(), "{names:?}");
        let view = View::new(cameras[0].clone(), 5, 3).unwrap();
        (0..15).map(|pixel| view.line(pixel).direction).collect::<Vec<_>>()
    };
    let upwards = scan([-1.0, 0.5], [-0.2, 0.4]);
    assert_eq!(scan([-1.0, 0.5], [0.4, -0.2]), upwards);
    assert_eq!(scan([0.5, -1.0], [-0.2, 0.4]), upwards);
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

#[test]
fn a_sensor_that_gazebo_runs_is_read_and_what_is_changed_is_named() {
    let rows = |low: &str, high: &str| {
        format!(
            "<vertical><samples>3</samples><min_angle>{low}</min_angle><max_angle>{high}</max_angle></vertical>"
        )
    };
    for (low, high, beyond) in
        [("-1.5708", "1.5708", "90.0002"), ("0", "1.571", "90.0116"), ("-1.571", "0", "90.0116")]
    {
        let (cameras, names) = cameras(&lidar(&samples(5, -1.0, 1.0), &rows(low, high), ""));
        let [name] = &names[..] else { panic!("{names:?}") };
        assert!(name.starts_with(&format!("m/l/s (its samples at {beyond}")), "{name}");
        let view = View::new(cameras[0].clone(), 5, 3).unwrap();
        let up = view.line(2).direction.z;
        let down = view.line(12).direction.z;
        assert_eq!(up > 0.999_999, high != "0", "{up}");
        assert_eq!(down < -0.999_999, low != "0", "{down}");
    }
    // Nothing is changed at a right angle that is written well.
    let right = "1.5707963267948966";
    assert!(cameras(&lidar(&samples(5, -1.0, 1.0), &rows("0", right), "")).1.is_empty());

    let noise = "<noise><type>gaussian</type><mean>0</mean><stddev>-0.01</stddev></noise>";
    let (cameras_of_noise, names) = cameras(&lidar(&samples(5, -1.0, 1.0), "", noise));
    assert_eq!(cameras_of_noise[0].sensor.noise.unwrap().stddev, 0.01);
    assert_eq!(names, ["m/l/s (the stddev -0.01 of its noise is read as 0.01)"]);

    // A sensor is one, however much of it is odd.
    let noise = noise.replace("<mean>0<", "<mean>0.5<");
    let (_, names) = cameras(&lidar(&samples(5, -1.0, 1.0), "", &noise));
    assert_eq!(
        names,
        [
            "m/l/s (the mean 0.5 of its noise is read as 0; the stddev -0.01 of its noise is read as 0.01)"
        ]
    );

    let near = lidar(&samples(5, -1.0, 1.0), "", "").replace("<min>0.5<", "<min>-1<");
    let (cameras_from_0, names) = cameras(&near);
    assert_eq!(cameras_from_0[0].sensor.range_min, 0.0);
    assert_eq!(names, ["m/l/s (its minimum distance -1 is read as 0)"]);

    // libsdformat cuts fractions off.
    let half = lidar(&samples(5, -1.0, 1.0), "", "").replace("<samples>5<", "<samples>5.5<");
    let (cameras, names) = cameras(&half);
    assert_eq!((cameras[0].default_size(), names.len()), ((5, 1), 0));
}

#[test]
fn a_camera_whose_far_plane_is_at_infinity_has_no_limit() {
    let camera = "<sensor name=\"s\" type=\"camera\"><camera><clip><near>0.1</near>\n\
        <far>inf</far><far>9</far></clip></camera></sensor>";
    let imported = world(&ball("m", "", camera)).unwrap();
    let [camera] = &imported.scene.cameras[..] else { panic!() };
    assert_eq!((camera.sensor.range_min, camera.sensor.range_max), (0.1, f64::INFINITY));
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(warning.names, ["w.sdf:3:15: <far>"]);
}
