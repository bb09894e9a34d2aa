use super::*;
use crate::clouds::CloudSource;
use glam::DVec3;
use mcap::MessageStream;
use raytwin::camera::{
    Beam, Camera, Elevation, Panorama, Pose, Projection, Pulse, ReturnRules, Sensor,
};

fn view(name: &str, projection: Projection, [width, height]: [u32; 2]) -> View {
    let camera = Camera::look_at(name, DVec3::ZERO, DVec3::X, None, projection).unwrap();
    let sensor = Sensor { range_min: 0.5, range_max: 100.0, ..Sensor::default() };
    View::new(camera.with_sensor(sensor).unwrap(), width, height).unwrap()
}

/// A lidar that turns clockwise in a second.
fn lidar(name: &str, rows: &[f64]) -> View {
    let panorama = Panorama::new([180.0, -180.0], Elevation::Table(rows.to_vec()));
    let panorama = Projection::Panoramic(Panorama { sweep_s: 1.0, ..panorama });
    view(name, panorama, [4, rows.len() as u32])
}

fn trajectory(times: &[f64]) -> Trajectory {
    let pose = |x: usize| Pose::new(DVec3::X * x as f64, [0.0, 0.0, 0.0, 1.0]).unwrap();
    Trajectory::new(times.to_vec(), (0..times.len()).map(pose).collect()).unwrap()
}

fn layout(has_normals: bool) -> CloudLayout {
    CloudLayout { has_normals, ..CloudLayout::of(CloudSource::Scan) }
}

fn hits(distances: &[f32]) -> Vec<Hit> {
    distances.iter().map(|&t| Hit { t, geometry_id: 7, primitive_id: 0 }).collect()
}

/// Writes the sweep from the first pose, a pixel at a time, and returns its messages.
fn written(
    view: &View,
    times: &[f64],
    distances: &[f32],
    normals: Option<[f32; 3]>,
) -> Vec<WrittenMessage> {
    written_by(view, times, &layout(normals.is_some()), |writer, posed| {
        for (pixel, hit) in hits(distances).into_iter().enumerate() {
            let normals = normals.as_ref().map(std::slice::from_ref);
            writer.add(posed, pixel, &[hit], normals, &Scene::new());
        }
    })
}

/// The topic, the type, the time and the bytes of a message.
type WrittenMessage = (String, String, u64, Vec<u8>);

/// Writes the sweep from the first pose as `add` adds it, and returns its messages.
fn written_by(
    view: &View,
    times: &[f64],
    layout: &CloudLayout,
    add: impl FnOnce(&mut MessageWriter, &PosedView),
) -> Vec<WrittenMessage> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mcap");
    let trajectory = trajectory(times);
    let mut writer =
        MessageWriter::new(&path, view, &trajectory, layout, &MessageNames::default()).unwrap();
    let posed = PosedView::new(view, &trajectory, 0, DVec3::ZERO).unwrap().unwrap();
    add(&mut writer, &posed);
    writer.end_sweep().unwrap();
    assert!(!path.exists());
    writer.complete().unwrap().publish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let message = |message: mcap::McapResult<mcap::Message<'_>>| {
        let message = message.unwrap();
        let schema = message.channel.schema.clone().unwrap();
        assert_eq!((&*message.channel.message_encoding, &*schema.encoding), ("cdr", "ros2msg"));
        let topic = message.channel.topic.clone();
        (topic, schema.name.clone(), message.log_time, message.data.into_owned())
    };
    MessageStream::new(&bytes).unwrap().map(message).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn a_level_row_is_a_laser_scan_whose_angles_ascend() {
    let none = f32::INFINITY;
    let messages = written(&lidar("lidar", &[0.0]), &[5.0, 9.0], &[1.0, 2.0, none, 0.25], None);
    let names: Vec<_> = messages.iter().map(|it| (&*it.0, &*it.1, it.2)).collect();
    let (tf, second) = (("/tf", "tf2_msgs/msg/TFMessage"), 1_000_000_000);
    let scan = ("/lidar/scan", "sensor_msgs/msg/LaserScan", 5 * second);
    assert_eq!(names, [(tf.0, tf.1, 5 * second), scan, (tf.0, tf.1, 9 * second)]);
    let bytes = &messages[1].3;
    // The last column, at −135 degrees, is cast 7/8 of a second after the first row's time.
    assert_eq!(bytes[4..12], [5_u32, 875_000_000].map(u32::to_le_bytes).concat());
    let degree = std::f32::consts::PI / 180.0;
    let expected = [-135.0 * degree, 135.0 * degree, 90.0 * degree, -0.25, 1.0, 0.5, 100.0];
    for (found, expected) in floats(&bytes[24..52]).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    // What is nearer than the sensor's range is no return.
    assert_eq!(bytes[52..56], 4_u32.to_le_bytes());
    assert_eq!(floats(&bytes[56..72]), [none, none, 2.0, 1.0]);
    assert_eq!(bytes[72..], [0; 4], "there are no intensities");
}

/// A return of a pixel, with its number among so many.
fn a_return(pixel: usize, [number, count]: [u8; 2]) -> Return {
    let distance = (pixel + usize::from(number)) as f32;
    Return {
        pixel,
        distance,
        hit: Hit { t: distance, geometry_id: 7, primitive_id: 0 },
        normal: [0.0, 0.0, 1.0],
        cosine: 1.0,
        intensity: 0.5 / distance,
        weight: 1.0,
        number,
        count,
    }
}

#[test]
fn a_laser_scan_has_the_intensities_of_its_returns() {
    let none = f32::INFINITY;
    for azimuths in [[180.0, -180.0], [-180.0, 180.0]] {
        let panorama = Panorama::new(azimuths, Elevation::Table(vec![0.0]));
        let view = view("l", Projection::Panoramic(panorama), [4, 1]);
        let messages = written_by(&view, &[5.0], &layout(false), |writer, posed| {
            assert!(MessageWriter::has_ranges(&view) && !writer.has_points());
            let [first, last] = [0, 3].map(|pixel| a_return(pixel, [1, 1]));
            for (pixels, returns) in [(0..1, &[first][..]), (1..2, &[]), (2..4, &[last])] {
                assert_eq!(writer.add_returns(posed, pixels, returns, &Scene::new()), 0);
            }
        });
        let (mut ranges, mut intensities) = ([1.0, none, none, 4.0], [0.5, 0.0, 0.0, 0.125]);
        if azimuths[0] > azimuths[1] {
            ranges.reverse();
            intensities.reverse();
        }
        // The frame's name is a letter shorter than a multiple of four.
        let numbers = &messages[1].3[messages[1].3.len() - 40..];
        let (before, after) = numbers.split_at(20);
        assert_eq!([&before[..4], &after[..4]], [&4_u32.to_le_bytes(); 2]);
        assert_eq!(
            (floats(&before[4..]), floats(&after[4..])),
            (ranges.into(), intensities.into())
        );
    }
}

#[test]
fn several_returns_of_a_level_row_are_a_cloud_of_points() {
    let level = lidar("l", &[0.0]);
    let with = |max, subrays| {
        let mut view = level.clone();
        let returns = Some(ReturnRules { max, ..ReturnRules::default() });
        let beam = Some(Beam { divergence_mrad: 3.0, exit_diameter: 0.0, subrays });
        view.camera.sensor.pulse = Pulse { beam, returns, ..Pulse::default() };
        view
    };
    let layout = CloudLayout { has_returns: true, ..layout(false) };
    let topic = |view: &View| Sweep::new(view, &layout).unwrap().topics()[0].0;
    assert_eq!([with(1, 19), with(3, 1)].each_ref().map(topic), ["scan"; 2]);
    let several = with(3, 19);
    let messages = written_by(&several, &[5.0, 9.0], &layout, |writer, posed| {
        assert!(writer.has_points() && !MessageWriter::has_ranges(&several));
        let returns = [a_return(0, [1, 2]), a_return(0, [2, 2]), a_return(3, [1, 1])];
        assert_eq!(writer.add_returns(posed, 0..4, &returns, &Scene::new()), 3);
    });
    let (topic, kind, _, bytes) = &messages[1];
    assert_eq!((&**topic, &**kind), ("/l/points", "sensor_msgs/msg/PointCloud2"));
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(["intensity", "return_number", "number_of_returns"].into_iter().all(has));
}

#[test]
fn rows_are_a_cloud_of_points_with_their_rings_and_times() {
    let distances = [f32::INFINITY, 2.0, 3.0, 4.0, 5.0, f32::NAN, 200.0, 8.0];
    for (normal, step) in [(None, 24), (Some([0.0, 0.0, 1.0]), 36)] {
        let messages = written(&lidar("l", &[0.0, -90.0]), &[0.0, 1.0], &distances, normal);
        let (topic, kind, _, bytes) = &messages[1];
        assert_eq!((&**topic, &**kind), ("/l/points", "sensor_msgs/msg/PointCloud2"));
        let (is_dense, rest) = bytes.split_last().unwrap();
        let (head, points) = rest.split_at(rest.len() - 5 * step);
        let length = (5 * step) as u32;
        let steps = [step as u32, length, length].map(u32::to_le_bytes).concat();
        assert!(*is_dense == 1 && head.ends_with(&steps), "{head:?}");
        let last = &points[4 * step..];
        let position = floats(&last[..16]);
        // The last ray looks straight down, when 7/8 of the second have passed.
        assert!((position[2] + 8.0).abs() < 1e-6 && position[3] == 0.875, "{position:?}");
        assert_eq!(last[16..20], 7_u32.to_le_bytes());
        assert_eq!(last[step - 4..], [1, 0, 0, 0], "the ring is 1");
        if let Some(normal) = normal {
            assert_eq!(floats(&last[20..32]), normal);
        }
    }
}

#[test]
fn a_depth_image_has_the_calibration_of_its_camera() {
    let [focal, center] = [[2.0, 4.0], [1.0, 0.75]];
    let pinhole = Projection::Pinhole { focal, center, size: [2, 1] };
    let messages = written(&view("c", pinhole, [2, 1]), &[0.5], &[3.0, f32::INFINITY], None);
    let topics: Vec<_> = messages.iter().map(|it| &*it.0).collect();
    assert_eq!(topics, ["/tf", "/c/camera_info", "/c/image"]);
    let (info, image) = (&messages[1].3, &messages[2].3);
    let numbers: Vec<f64> = [2.0, 0.0, 0.5, 0.0, 4.0, 0.25, 0.0, 0.0, 1.0].into();
    let bytes: Vec<u8> = numbers.into_iter().flat_map(f64::to_le_bytes).collect();
    assert_eq!(info.windows(bytes.len()).filter(|window| *window == bytes).count(), 1);
    // A ray through (0.5, 0.5), of which the first number is −0.25 · z and the second −0.0625 · z.
    let z = 3.0 / f32::sqrt(1.0 + 0.25_f32.powi(2) + 0.0625_f32.powi(2));
    let depths = floats(&image[image.len() - 8..]);
    assert!((depths[0] - z).abs() < 1e-6 && depths[1] == f32::INFINITY, "{depths:?}");
}

#[test]
fn what_no_message_can_hold_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/m.mcap");
    let flat = Projection::Orthographic { height: 1.0 };
    let range = Elevation::Range([10.0, -10.0]);
    let tall = Projection::Panoramic(Panorama::new([180.0, -180.0], range));
    for (view, times, reason) in [
        (lidar("l", &[0.0]), &[-0.5, 1.0][..], "row 0 of the trajectory has the time -0.5"),
        (lidar("l", &[0.0]), &[1.0, 3e9], "row 1 of the trajectory has the time 3000000000"),
        (lidar("map", &[0.0]), &[1.0], "rename it"),
        (view("c", flat, [2, 2]), &[1.0], "the orthographic camera c"),
        (view("l", tall.clone(), [2, 70_000]), &[1.0], "at most 65536 rows"),
        (view("l", tall, [1 << 13, 1 << 15]), &[1.0], "4 GiB"),
    ] {
        let names = MessageNames::default();
        let error = MessageWriter::new(&path, &view, &trajectory(times), &layout(false), &names);
        let error = error.err().unwrap();
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!path.parent().unwrap().exists());
    }
    let (view, trajectory, names) =
        (lidar("l", &[0.0]), trajectory(&[1.0]), MessageNames::default());
    drop(MessageWriter::new(&path, &view, &trajectory, &layout(false), &names).unwrap());
    assert!(!path.parent().unwrap().exists(), "what is not finished leaves nothing");
}

#[test]
fn rows_at_which_no_sweep_begins_give_their_poses_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mcap");
    let (view, trajectory) = (lidar("l", &[0.0]), trajectory(&[0.0, 0.5, 1.0, 2.0]));
    let names = MessageNames::default();
    let mut writer = MessageWriter::new(&path, &view, &trajectory, &layout(false), &names).unwrap();
    for row in [0, 2] {
        writer.begin_sweep(row).unwrap();
        let posed = PosedView::new(&view, &trajectory, row, DVec3::ZERO).unwrap().unwrap();
        writer.add(&posed, 0, &hits(&[1.0; 4]), None, &Scene::new());
        writer.end_sweep().unwrap();
    }
    writer.complete().unwrap().publish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let messages = MessageStream::new(&bytes).unwrap().map(|message| {
        let message = message.unwrap();
        (message.channel.topic.clone(), message.log_time as f64 / 1e9)
    });
    let found: Vec<(String, f64)> = messages.collect();
    let of = |topic: &str| -> Vec<f64> {
        found.iter().filter(|(it, _)| it == topic).map(|(_, time)| *time).collect()
    };
    assert_eq!(of("/tf"), [0.0, 0.5, 1.0, 2.0]);
    assert_eq!(of("/l/scan"), [0.0, 1.0]);
}

#[test]
fn a_row_with_an_azimuth_or_a_time_of_its_own_is_no_laser_scan() {
    let kind = |panorama: Panorama| {
        let view = view("l", Projection::Panoramic(panorama), [4, 1]);
        let topics = Sweep::new(&view, &layout(false)).unwrap();
        topics.topics()[0].0
    };
    let plain = Panorama::new([180.0, -180.0], Elevation::Table(vec![0.0]));
    let (row_azimuth_offsets_degrees, row_times_s) = (vec![10.0], vec![0.003]);
    assert_eq!(kind(plain.clone()), "scan");
    assert_eq!(kind(Panorama { row_azimuth_offsets_degrees, ..plain.clone() }), "points");
    assert_eq!(kind(Panorama { row_times_s, ..plain }), "points");
}

/// The points of the clouds on a topic, moved into the world by `/tf` at the times of the points.
fn in_world(path: &Path, topic: &str) -> Vec<DVec3> {
    let bag = super::bags::Bag::read(path).unwrap();
    let rows = bag.rows(&bag.chosen(None).unwrap()).unwrap();
    let motion = Trajectory::new(rows.times, rows.poses.unwrap()).unwrap();
    let bytes = std::fs::read(path).unwrap();
    let mut points = Vec::new();
    for message in MessageStream::new(&bytes).unwrap().map(Result::unwrap) {
        if message.channel.topic != topic {
            continue;
        }
        let stamp = message.log_time as f64 / 1e9;
        // The last fields are the step, the length of a row and the data, and a byte.
        let data = &message.data[..message.data.len() - 1];
        let word = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().unwrap()) as usize;
        let start = (0..data.len() - 3)
            .step_by(4)
            .find(|&at| at >= 8 && at + 4 + word(at) == data.len() && word(at) == word(at - 4));
        let start = start.unwrap();
        for point in data[start + 4..].chunks_exact(word(start - 8)) {
            let [x, y, z, time] = floats(&point[..16])[..] else { panic!() };
            let pose = motion.at(stamp + f64::from(time)).unwrap();
            let seen = DVec3::new(x.into(), y.into(), z.into());
            points.push(pose.position + pose.rotation * seen);
        }
    }
    points
}

/// The same points are at the same places, whether they are written as one cloud in the world, as
/// messages of a scan, or as messages of clouds that were made elsewhere.
#[test]
fn points_are_where_transforms_of_their_messages_put_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.mcap");
    let view = lidar("l", &[20.0, -20.0]);
    let times = [1.0, 2.0, 3.0, 4.0];
    let poses = [0.0, 0.7, 1.9, 2.5].map(|angle: f64| {
        let turn = glam::DQuat::from_euler(glam::EulerRot::ZYX, angle, 0.2 * angle, -0.1);
        Pose::new(DVec3::new(9.0 * angle, -4.0, angle * angle), turn.to_array()).unwrap()
    });
    let drive = Trajectory::new(times.to_vec(), poses.to_vec()).unwrap();
    let layout = layout(false);
    let names = MessageNames::default();
    let mut writer = MessageWriter::new(&path, &view, &drive, &layout, &names).unwrap();
    let mut clouds: Vec<(f64, Pose, Vec<crate::clouds::CloudPoint>)> = Vec::new();
    for row in 0..3 {
        writer.begin_sweep(row).unwrap();
        let posed = PosedView::new(&view, &drive, row, DVec3::ZERO).unwrap().unwrap();
        let seen = hits(&[3.0, 40.0, 5.5, 90.0, 8.0, 2.0, 60.0, 1.5]);
        writer.add(&posed, 0, &seen, None, &Scene::new());
        writer.end_sweep().unwrap();
        let frame = crate::clouds::CloudFrame::World;
        let points =
            crate::clouds::CloudPoint::of_posed(&seen, None, &posed, 0, frame, DVec3::ZERO);
        clouds.push((times[row], poses[row], points));
    }
    writer.complete().unwrap().publish().unwrap();
    let joined: Vec<DVec3> = clouds
        .iter()
        .flat_map(|(.., points)| points.iter().map(|it| DVec3::from_array(it.position)))
        .collect();
    let assert_same = |found: Vec<DVec3>| {
        assert_eq!(found.len(), joined.len());
        for (found, wanted) in found.iter().zip(&joined) {
            assert!((found - wanted).length() < 2e-5, "{found} {wanted}");
        }
    };
    assert_same(in_world(&path, "/l/points"));
    // The pose at the end of the last sweep.
    clouds.push((times[3], poses[3], Vec::new()));
    let stamped: Vec<_> = clouds
        .iter()
        .map(|(time, pose, points)| StampedCloud { time: *time, pose: *pose, points })
        .collect();
    let frame = crate::clouds::CloudFrame::World;
    let sensor = CloudSensor { name: "l", is_lidar: true, frame };
    write_clouds(&path, sensor, &layout, &stamped).unwrap();
    assert_same(in_world(&path, "/l/points"));
    let bytes = std::fs::read(&path).unwrap();
    let header = |message: mcap::Message<'_>| message.data[12..18].to_vec();
    let mut clouds = MessageStream::new(&bytes).unwrap().map(Result::unwrap);
    let cloud = clouds.find(|it| it.channel.topic == "/l/points").map(header);
    assert_eq!(cloud.unwrap(), [2, 0, 0, 0, b'l', 0], "points are in the sensor's frame");
}
