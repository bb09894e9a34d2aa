use super::*;
use glam::{DQuat, DVec3};
use mcap::records::MessageHeader;
use mcap::{WriteOptions, Writer};
use std::collections::BTreeMap;
use std::io::Cursor;

/// A message that is encoded as ROS 2 does, in one of the byte orders.
struct Cdr {
    bytes: Vec<u8>,
    is_big_endian: bool,
}

impl Cdr {
    fn new(is_big_endian: bool) -> Self {
        Self { bytes: vec![0, u8::from(!is_big_endian), 0, 0], is_big_endian }
    }

    fn number<const N: usize>(mut self, mut bytes: [u8; N]) -> Self {
        let position = (self.bytes.len() - 4).next_multiple_of(N);
        self.bytes.resize(4 + position, 0);
        if self.is_big_endian {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
        self
    }

    fn text(self, text: &str) -> Self {
        let mut message = self.number((text.len() as u32 + 1).to_le_bytes());
        message.bytes.extend(text.as_bytes());
        message.bytes.push(0);
        message
    }

    fn header(self, time: f64, frame: &str) -> Self {
        let seconds = time.floor();
        let nanoseconds = ((time - seconds) * 1e9).round() as u32;
        self.number((seconds as i32).to_le_bytes()).number(nanoseconds.to_le_bytes()).text(frame)
    }

    fn pose(self, numbers: [f64; 7]) -> Self {
        numbers.iter().fold(self, |message, number| message.number(number.to_le_bytes()))
    }
}

/// A message: its topic, its type and its bytes.
type Written = (&'static str, &'static str, Vec<u8>);

fn odometry_at(time: f64, numbers: [f64; 7]) -> Written {
    odometry_of("base", time, numbers)
}

fn odometry_of(child: &str, time: f64, numbers: [f64; 7]) -> Written {
    let message = Cdr::new(false).header(time, "odom").text(child).pose(numbers);
    // The covariances and the twist follow.
    let message = (0..78).fold(message, |message, _| message.number(0.0_f64.to_le_bytes()));
    ("/odom", ODOMETRY, message.bytes)
}

fn pose_at(time: f64, frame: &str, numbers: [f64; 7]) -> Written {
    ("/pose", POSE_STAMPED, Cdr::new(true).header(time, frame).pose(numbers).bytes)
}

fn transforms_of(topic: &'static str, transforms: &[(f64, &str, &str, [f64; 7])]) -> Written {
    let count = Cdr::new(false).number((transforms.len() as u32).to_le_bytes());
    let message = transforms.iter().fold(count, |message, (time, parent, frame, numbers)| {
        message.header(*time, parent).text(frame).pose(*numbers)
    });
    (topic, TRANSFORMS, message.bytes)
}

fn at(x: f64) -> [f64; 7] {
    [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
}

fn bag(messages: &[Written], encoding: &str) -> Vec<u8> {
    let mut writer: Writer<_> =
        WriteOptions::new().profile("ros2").create(Cursor::new(Vec::new())).unwrap();
    let mut channels = BTreeMap::new();
    for (number, (topic, kind, bytes)) in messages.iter().enumerate() {
        let channel_id = *channels.entry((*topic, *kind)).or_insert_with(|| {
            let schema = writer.add_schema(kind, "ros2msg", b"").unwrap();
            writer.add_channel(schema, topic, encoding, &BTreeMap::new()).unwrap()
        });
        let time = number as u64;
        let header = MessageHeader { channel_id, sequence: 0, log_time: time, publish_time: time };
        writer.write_to_known_channel(&header, bytes).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

fn read_bytes(bytes: &[u8], topic: Option<&str>) -> Result<(TrajectoryRows, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.mcap");
    std::fs::write(&path, bytes).unwrap();
    let wanted = topic.map(|topic| topic.parse().unwrap());
    let bag = Bag::read(&path).map_err(|error| error.to_string())?;
    let taken = bag.chosen(wanted.as_ref())?;
    let rows = bag.rows(&taken).map_err(|error| error.to_string())?;
    Ok((rows, taken.to_string()))
}

fn read(messages: &[Written], topic: Option<&str>) -> Result<(TrajectoryRows, String), String> {
    read_bytes(&bag(messages, "cdr"), topic)
}

fn places(rows: &TrajectoryRows) -> Vec<(f64, [f64; 3])> {
    let poses = rows.poses.iter().flatten().map(|pose| pose.position.to_array());
    rows.times.iter().copied().zip(poses).collect()
}

#[test]
fn the_only_poses_of_a_bag_are_taken_in_either_byte_order() {
    let image = ("/image", "sensor_msgs/msg/Image", vec![1, 2, 3]);
    for (topic, messages) in [
        ("/odom", [odometry_at(1.5, at(1.0)), odometry_at(2.25, at(3.0))]),
        ("/pose", [pose_at(1.5, "map", at(1.0)), pose_at(2.25, "map", at(3.0))]),
        (
            "/tf:lidar",
            [(1.5, 1.0), (2.25, 3.0)]
                .map(|(time, x)| transforms_of("/tf", &[(time, "/map", "lidar", at(x))])),
        ),
    ] {
        let messages = [&[image.clone()][..], &messages].concat();
        let (rows, taken) = read(&messages, None).unwrap();
        assert_eq!(taken, topic);
        assert_eq!(places(&rows), [(1.5, [1.0, 0.0, 0.0]), (2.25, [3.0, 0.0, 0.0])], "{topic}");
        let frame = match topic {
            "/odom" => Some("base"),
            "/tf:lidar" => Some("lidar"),
            _ => None,
        };
        assert_eq!(rows.frame.as_deref(), frame, "{topic}");
        let (again, _) = read(&messages, Some(topic)).unwrap();
        assert_eq!(again, rows);
    }
}

#[test]
fn several_poses_are_listed_until_one_is_chosen() {
    let messages = [
        odometry_at(1.0, at(1.0)),
        pose_at(1.0, "map", at(2.0)),
        transforms_of("/tf", &[(1.0, "map", "base", at(3.0)), (1.0, "base", "arm", at(1.0))]),
    ];
    let several = read(&messages, None).unwrap_err();
    let listed = "choose one of /odom (nav_msgs/msg/Odometry), /pose (geometry_msgs/msg/PoseStamped), /tf:arm (tf2_msgs/msg/TFMessage), /tf:base (tf2_msgs/msg/TFMessage)";
    assert!(several.contains(listed), "{several}");
    for (topic, x) in [("odom", 1.0), ("/pose", 2.0), ("/tf:base", 3.0), ("/tf:arm", 4.0)] {
        let (rows, _) = read(&messages, Some(topic)).unwrap();
        assert_eq!(places(&rows), [(1.0, [x, 0.0, 0.0])], "{topic}");
    }
    let frames = read(&messages, Some("/tf")).unwrap_err();
    assert!(frames.contains("has several frames at /tf: choose one of /tf:arm"), "{frames}");
    for topic in ["/tf:hand", "/other"] {
        let unknown = read(&messages, Some(topic)).unwrap_err();
        assert!(
            unknown.contains(&format!("no poses at {topic}: there are poses at /odom")),
            "{unknown}"
        );
    }
    let image = [("/image", "sensor_msgs/msg/Image", vec![1])];
    let none = read(&image, None).unwrap_err();
    assert!(none.contains("no moving poses") && none.contains("/image (sensor_"), "{none}");
    let old = read_bytes(&bag(&[odometry_at(1.0, at(1.0))], "ros1"), None).unwrap_err();
    assert!(old.contains("/odom (nav_msgs/msg/Odometry in the encoding ros1)"), "{old}");
    assert!(["", ":a", "/tf:"].iter().all(|text| text.parse::<PoseTopic>().is_err()));
}

#[test]
fn a_frame_is_followed_to_its_root_by_transforms_that_move_and_that_do_not() {
    let turned = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2).to_array();
    let [x, y, z, w] = turned;
    let mount = transforms_of("/tf_static", &[(0.0, "base", "lidar", [0.5, 0.0, 0.2, x, y, z, w])]);
    let drift = |time: f64, y: f64| {
        transforms_of("/tf", &[(time, "map", "odom", [0.0, y, 0.0, 0.0, 0.0, 0.0, 1.0])])
    };
    let drive = |time: f64, x: f64| transforms_of("/tf", &[(time, "odom", "base", at(x))]);
    // The static transform may come last, as messages of late joiners do.
    let messages = [
        drift(0.0, 0.0),
        drive(1.0, 10.0),
        drive(2.0, 20.0),
        drift(4.0, 4.0),
        drive(3.0, 30.0),
        // What is repeated changes nothing.
        drive(3.0, 30.0),
        drive(5.0, 50.0),
        mount,
    ];
    let (rows, _) = read(&messages, Some("/tf:lidar")).unwrap();
    // The drift is known from 0 to 4, and the drive from 1 to 5.
    assert_eq!(rows.times, [1.0, 2.0, 3.0, 4.0]);
    for (time, pose) in rows.times.iter().zip(rows.poses.unwrap()) {
        let place = DVec3::new(10.0 * time + 0.5, *time, 0.2);
        assert!((pose.position - place).length() < 1e-12, "{time}: {pose:?}");
        assert!((pose.rotation * DVec3::X - DVec3::Y).length() < 1e-12);
    }
    let apart = [drift(0.0, 0.0), drift(1.0, 0.0), drive(2.0, 1.0), drive(3.0, 1.0)];
    let apart = read(&apart, Some("/tf:base")).unwrap_err();
    assert!(apart.contains("/tf:base: there is no time at which all transforms"), "{apart}");
}

#[test]
fn poses_that_are_no_trajectory_are_refused_with_their_message() {
    let tf = |frames: &[(f64, &str, &str, [f64; 7])]| transforms_of("/tf", frames);
    let still = |parent| transforms_of("/tf_static", &[(0.0, parent, "b", at(0.0))]);
    let mut nowhere = at(1.0);
    nowhere[6] = 0.0;
    for (messages, expected) in [
        (vec![odometry_at(2.0, at(1.0)), odometry_at(2.0, at(2.0))], "/odom[1]: time is 2, but"),
        (vec![odometry_at(1.0, at(f64::NAN))], "/odom[0]: x is NaN: it must be finite"),
        (vec![odometry_at(1.0, nowhere)], "/odom[0]: qx is part of [0.0, 0.0, 0.0, 0.0]"),
        (
            vec![odometry_at(1.0, at(1.0)), odometry_of("cart", 2.0, at(1.0))],
            "/odom[1]: its child_frame_id is cart, but that of earlier messages is base",
        ),
        (
            vec![pose_at(1.0, "map", at(1.0)), pose_at(2.0, "odom", at(1.0))],
            "/pose[1]: its frame_id is odom, but that of earlier messages is map",
        ),
        (
            vec![tf(&[(2.0, "map", "b", at(1.0))]), tf(&[(1.0, "map", "b", at(1.0))])],
            "/tf[1]: b: time is 1, but the previous row has 2",
        ),
        (
            vec![tf(&[(2.0, "map", "b", at(1.0))]), tf(&[(2.0, "map", "b", at(2.0))])],
            "/tf[1]: b: time is 2, but the previous row has 2",
        ),
        (vec![tf(&[(1.0, "m", "b", at(1.0)), (2.0, "n", "b", at(1.0))])], "b has two parents"),
        (vec![tf(&[(1.0, "m", "b", at(1.0))]), still("m")], "b has both moving transforms and"),
        (vec![tf(&[(1.0, "a", "b", at(1.0)), (1.0, "b", "a", at(1.0))])], "has no moving poses"),
        (vec![("/odom", ODOMETRY, vec![0, 1, 0, 0, 5])], "/odom[0]: it is too short"),
        (vec![("/odom", ODOMETRY, vec![0, 7, 0, 0, 5])], "/odom[0]: its encoding is 0007"),
    ] {
        let error = read(&messages, None).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

/// A record of an MCAP file.
fn record(opcode: u8, body: &[u8]) -> Vec<u8> {
    [&[opcode][..], &(body.len() as u64).to_le_bytes(), body].concat()
}

/// A bag of one chunk, whose records are compressed so.
fn compressed(name: &str, sum: u32, compress: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    const MAGIC: &[u8] = b"\x89MCAP0\r\n";
    let text = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let schema = [&[1, 0][..], &text(ODOMETRY), &text("ros2msg"), &text("")].concat();
    let channel = [&[1, 0, 1, 0][..], &text("/odom"), &text("cdr"), &0_u32.to_le_bytes()].concat();
    let messages = [1.0, 2.0].map(|x| {
        let (.., bytes) = odometry_at(x, at(x));
        record(5, &[&[1, 0][..], &[0; 20], &bytes].concat())
    });
    let records = [record(3, &schema), record(4, &channel), messages.concat()].concat();
    let data = compress(&records);
    let chunk = [
        &[0; 16][..],
        &(records.len() as u64).to_le_bytes(),
        &sum.to_le_bytes(),
        &text(name),
        &(data.len() as u64).to_le_bytes(),
        &data,
    ];
    [MAGIC, &record(6, &chunk.concat()), &record(15, &[0; 4]), &record(2, &[0; 20]), MAGIC].concat()
}

fn by_zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn by_lz4(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn chunks_are_compressed_by_lz4_or_zstd() {
    let plain = |bytes: &[u8]| bytes.to_vec();
    for bytes in
        [compressed("", 0, plain), compressed("lz4", 0, by_lz4), compressed("zstd", 0, by_zstd)]
    {
        let (rows, _) = read_bytes(&bytes, None).unwrap();
        assert_eq!(places(&rows), [(1.0, [1.0, 0.0, 0.0]), (2.0, [2.0, 0.0, 0.0])]);
    }
    for (bytes, expected) in [
        (compressed("brotli", 0, plain), "compressed with brotli, and raytwin reads lz4 and zstd"),
        (compressed("zstd", 7, by_zstd), "the checksum of a chunk does not match its bytes"),
        (compressed("zstd", 0, plain), "a chunk cannot be decompressed"),
        (compressed("lz4", 0, |bytes| by_lz4(&bytes[1..])), "have the"),
        (b"some text that is no bag".to_vec(), "is truncated or not an MCAP file"),
        (Vec::new(), "is truncated or not an MCAP file"),
    ] {
        let error = read_bytes(&bytes, None).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_recording_that_was_cut_off_anywhere_is_reported_with_how_it_is_mended() {
    let messages: Vec<Written> =
        (0..9).map(|row| odometry_at(f64::from(row), at(f64::from(row)))).collect();
    for whole in [bag(&messages, "cdr"), compressed("zstd", 0, by_zstd)] {
        // What follows the data is an index, without which all of them are there.
        let mut lengths = (0..whole.len()).step_by(5).chain([whole.len()]);
        let read = lengths.find(|length| {
            let error = read_bytes(&whole[..*length], None).err();
            let error = error.as_deref().inspect(|error| {
                assert!(error.contains("`mcap recover`"), "{length}: {error}");
            });
            error.is_none()
        });
        assert!(read.unwrap() > whole.len() / 4);
    }
}

#[test]
fn the_last_part_of_a_frame_is_enough() {
    let two = |other| {
        let frames = [(1.0, "map", "bot/base", at(3.0)), (1.0, "map", other, at(4.0))];
        read(&[transforms_of("/tf", &frames)], Some("/tf:base"))
    };
    let (rows, taken) = two("bot/arm").unwrap();
    assert_eq!((taken.as_str(), rows.frame.as_deref()), ("/tf:bot/base", Some("bot/base")));
    assert_eq!(two("base").unwrap().1, "/tf:base");
    assert!(two("cart/base").unwrap_err().contains("has several frames at /tf:base"));
    assert!(two("database").unwrap().1 == "/tf:bot/base");
}

#[test]
fn damaged_bags_are_refused_or_read_and_end_nothing() {
    let seeds = [
        compressed("lz4", 0, by_lz4),
        compressed("zstd", 0, by_zstd),
        bag(
            &[
                transforms_of("/tf", &[(1.0, "map", "base", at(3.0))]),
                transforms_of("/tf_static", &[(1.0, "base", "arm", at(3.0))]),
                pose_at(1.0, "map", at(2.0)),
            ],
            "cdr",
        ),
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for iteration in 0..600 {
        let mut bytes = seeds[iteration % seeds.len()].clone();
        if random.u8(..) < 40 {
            bytes.truncate(random.usize(..bytes.len()));
        }
        for _ in 0..random.usize(1..4) {
            if let Some(byte) = random.choice(0..bytes.len()) {
                let other = random.u8(..);
                bytes[byte] = random.choice([0, 1, 0x7f, 0x80, 0xff, other]).unwrap();
            }
        }
        let _ = read_bytes(&bytes, Some("/tf:base"));
    }
}
