//! All that is written as LAS and LAZ keeps the rules of the format, and holds the points that were given.

use crate::las_rules::{self, LasFile};
use laz::{LasZipDecompressor, LazVlr};
use raytwin::camera::{Beam, Elevation, Panorama, Pulse, ReturnRules};
use raytwin::glam::{DQuat, DVec3};
use raytwin::returns::{RayScope, cast_beams};
use raytwin::shapes::{Cuboid, Cylinder, Sphere};
use raytwin::{
    Camera, CpuTracer, PackedScene, Pose, PosedView, Projection, Scene, Sensor, Trajectory, View,
};
use raytwin_files::CoordinateSystem;
use raytwin_files::clouds::{
    CloudFrame, CloudLayout, CloudPoint, CloudSource, CloudWriter, ColorBy, IntensityScale,
    MAX_KEPT, Survey,
};
use std::io::{Cursor, Seek, SeekFrom};

fn written(name: &str, layout: &CloudLayout, survey: &Survey, points: &[CloudPoint]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut writer = CloudWriter::new(&path, layout).unwrap().with_survey(survey.clone());
    points.chunks(1000).for_each(|some| writer.add(some).unwrap());
    assert_eq!(writer.finish().unwrap(), points.len() as u64);
    std::fs::read(path).unwrap()
}

/// Takes the compression from a file: what is left is a file of LAS.
fn decompressed(laz: &[u8]) -> Vec<u8> {
    let u16 = |at: usize| usize::from(u16::from_le_bytes([laz[at], laz[at + 1]]));
    let u32 = |at: usize| u32::from_le_bytes(laz[at..at + 4].try_into().unwrap());
    let (start, records, length) = (u32(96), u32(100), u16(105));
    let count = u64::from_le_bytes(laz[247..255].try_into().unwrap()) as usize;
    // The record of the compression is the last.
    let mut record = 375;
    for _ in 1..records {
        record += 54 + u16(record + 20);
    }
    assert!(laz[record + 2..].starts_with(b"laszip encoded\0"));
    assert_eq!(record + 54 + u16(record + 20), start as usize);
    assert!([128 + 6, 128 + 7].contains(&laz[104]));
    let settings = LazVlr::from_buffer(&laz[record + 54..start as usize]).unwrap();
    let mut points = vec![0; count * length];
    let mut source = Cursor::new(laz);
    source.seek(SeekFrom::Start(start.into())).unwrap();
    LasZipDecompressor::new(source, settings).unwrap().decompress_many(&mut points).unwrap();
    let mut plain = [&laz[..record], &points].concat();
    plain[96..100].copy_from_slice(&(record as u32).to_le_bytes());
    plain[100..104].copy_from_slice(&(records - 1).to_le_bytes());
    plain[104] -= 128;
    plain
}

/// Writes points in both ways, reads them by the rules, and holds them to what was given.
fn hold(layout: &CloudLayout, survey: &Survey, points: &[CloudPoint]) -> LasFile {
    let [las, laz] = ["c.las", "c.laz"].map(|name| written(name, layout, survey, points));
    let plain = decompressed(&laz);
    // Only the date may differ, at midnight.
    assert!(las[..90] == plain[..90] && las[94..] == plain[94..]);
    let file = las_rules::read(&las).unwrap_or_else(|broken| panic!("{layout:?}: {broken}"));
    assert_eq!(file.points.len(), points.len());
    for (index, point) in points.iter().enumerate() {
        hold_point(&file, index, layout, survey, point);
    }
    file
}

fn hold_point(
    file: &LasFile,
    index: usize,
    layout: &CloudLayout,
    survey: &Survey,
    given: &CloudPoint,
) {
    let read = &file.points[index];
    for axis in 0..3 {
        let off = (read.position[axis] - given.position[axis]).abs();
        let rounding = 2.0 * f64::EPSILON * given.position[axis].abs();
        assert!(off <= 0.5 * file.scales[axis] + rounding, "{off} {given:?}");
    }
    let extra = |name: &str| file.extra(index, name);
    let is_scan = layout.source == CloudSource::Scan;
    let [row, column] = given.pixel.map(f64::from);
    assert_eq!(extra("geometry_id"), Some(given.geometry_id.into()));
    let rings = (layout.source != CloudSource::Rays).then_some([row, column]);
    assert_eq!([extra("ring"), extra("column")], [0, 1].map(|at| rings.map(|it| it[at])));
    assert_eq!(extra("ray_id"), (layout.source == CloudSource::Rays).then_some(row));
    assert_eq!(extra("primitive_id"), is_scan.then_some(given.primitive_id.into()));
    assert_eq!(extra("distance"), is_scan.then_some(given.distance.into()));
    assert_eq!(extra("label"), layout.has_labels.then_some(given.label.into()));
    assert_eq!(extra("incidence"), layout.has_returns.then_some(given.incidence.into()));
    for (at, name) in layout.kept.iter().enumerate() {
        assert_eq!(extra(name), Some(given.kept[at].into()));
    }
    for (axis, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        assert_eq!(extra(name), layout.has_normals.then_some(given.normal[axis].into()));
    }
    let returns = match layout.has_returns {
        true => (given.return_number, given.number_of_returns),
        false => (1, 1),
    };
    assert_eq!((read.return_number, read.number_of_returns, read.flags), (returns.0, returns.1, 0));
    let stored = f64::from(read.intensity);
    let scale = file.record("raytwin", 1).map(|numbers| {
        [0, 8].map(|at| f64::from_le_bytes(numbers[at..at + 8].try_into().unwrap()))
    });
    assert_eq!(scale.is_some(), layout.has_returns && survey.raw_intensity.is_some());
    match scale {
        // A logarithm from the one to the other number of the record.
        Some([least, most]) => {
            let share = (f64::from(given.intensity) / least).ln() / (most / least).ln();
            assert!((stored - 65_535.0 * share.clamp(0.0, 1.0)).abs() < 0.501, "{given:?}");
        }
        None if !layout.has_returns => assert_eq!(stored, 0.0),
        // A perpendicular surface of reflectance 1 is 65535 at any distance.
        None => {
            let wanted = 65_535.0 * f64::from(given.normalized_intensity).min(1.0);
            assert!((stored - wanted).abs() < 0.5 + 1e-9, "{given:?}");
        }
    }
    let class = match (layout.has_labels, given.label) {
        (false, _) => 0,
        (true, 12 | 256..) => 1,
        (true, label) => label,
    };
    assert_eq!(u16::from(read.class), class);
    // All 16 bits of a part are used.
    let color = given.color.map(|part| u16::from(part) * 257);
    assert_eq!(read.color, layout.color_by.is_some().then_some(color));
    assert!((read.scan_angle - f64::from(given.scan_angle)).abs() < 0.0031, "{given:?}");
    assert_eq!(u32::from(read.source), given.pose_number);
    assert_eq!(read.time, if is_scan { given.time - survey.start_time } else { 0.0 });
}

/// Layouts of each source, without and with all that its points may have.
fn layouts() -> Vec<CloudLayout> {
    let sources = [CloudSource::Image, CloudSource::Rays, CloudSource::Scan];
    let full = |source| CloudLayout {
        has_normals: true,
        has_labels: true,
        has_returns: source == CloudSource::Scan,
        kept: (0..MAX_KEPT).map(|at| format!("kept_{at}_{}", "x".repeat(24))).collect(),
        color_by: Some(ColorBy::Label),
        ..CloudLayout::of(source)
    };
    sources.into_iter().flat_map(|source| [CloudLayout::of(source), full(source)]).collect()
}

const START: f64 = 1_700_000_000.0;

fn surveys() -> [Survey; 3] {
    let plain = Survey { start_time: START, ..Survey::default() };
    let utm: CoordinateSystem = "EPSG:25832".parse().unwrap();
    let names = [(0, "none"), (5, "nine letters and more"), (255, "fünfzehn Blätter")];
    let names = names.map(|(label, name)| (label, name.to_owned()));
    let crs_wkt = Some(utm.well_known_text().unwrap());
    let named = Survey { label_names: names.into(), crs_wkt, ..plain.clone() };
    let raw_intensity = Some(IntensityScale::from_range(1.5));
    [named, Survey { raw_intensity, ..plain.clone() }, plain]
}

/// A point of every kind of number that the format limits.
fn point(index: u32) -> CloudPoint {
    let share = f64::from(index % 1000) / 999.0;
    CloudPoint {
        position: [400_000.0 + share, 5_600_000.0 - 0.37 * f64::from(index), 3.0 * share * share],
        geometry_id: u32::MAX - index,
        pixel: [index, index % 7],
        primitive_id: 3 * index,
        distance: 0.25 * index as f32,
        time: START + 0.5 * f64::from(index),
        normal: [0.0, 0.6, -0.8],
        intensity: 1e-4 * (index % 300) as f32,
        normalized_intensity: 0.004 * (index % 300) as f32,
        return_number: 1 + (index % 15) as u8,
        number_of_returns: 15,
        incidence: 90.0 * share as f32,
        scan_angle: (360.0 * share - 180.0) as f32,
        pose_number: index % 65_536,
        label: index as u16,
        kept: std::array::from_fn(|at| i32::MIN + (at as i32) + index as i32),
        color: [0, 255, index as u8],
    }
}

#[test]
fn every_layout_of_any_number_of_points_keeps_the_rules() {
    let points: Vec<CloudPoint> = (0..3000).map(point).collect();
    for layout in layouts() {
        for survey in surveys() {
            for count in [0, 1, 3000] {
                let file = hold(&layout, &survey, &points[..count]);
                let wkt = file.record("LASF_Projection", 2112).map(|text| text.strip_suffix(&[0]));
                assert_eq!(wkt.flatten(), survey.crs_wkt.as_ref().map(String::as_bytes));
                let lookup = file.record("LASF_Spec", 0);
                let is_named = layout.has_labels && !survey.label_names.is_empty();
                assert_eq!(lookup.is_some(), is_named);
                let fifth = lookup.map(|rows| &rows[5 * 16..6 * 16]);
                assert!(fifth.is_none_or(|row| row == b"\x05nine letters an"));
            }
        }
    }
    // More points than there are labels.
    let layout = CloudLayout { has_labels: true, ..CloudLayout::of(CloudSource::Scan) };
    let points: Vec<CloudPoint> = (0..70_000).map(point).collect();
    hold(&layout, &surveys()[0], &points);
}

#[test]
fn places_of_any_size_are_told_apart() {
    let layout = CloudLayout::of(CloudSource::Rays);
    for (middle, size) in [
        (0.0, 1e-6),
        (0.0, 1.0),
        (5e6, 1e-3),
        (-9.9e6, 40.0),
        (1e9, 0.0),
        (3e5, 1e6),
        (0.0, 1e9),
        (1e9, 1e9),
    ] {
        let place = |step: i32| middle + size * f64::from(step) / 50.0;
        let points: Vec<CloudPoint> = (-50..=50)
            .map(|step| CloudPoint {
                position: [place(step), -place(step), 0.3 * place(step)],
                ..CloudPoint::default()
            })
            .collect();
        let file = hold(&layout, &Survey::default(), &points);
        let wanted = match 2.0 * size {
            0.0 => 1e-4,
            extent @ ..1.0 => 1e-9_f64.max(1e-4 * extent),
            ..100.0 => 1e-4,
            _ => 1e-3_f64.max(2.0 * size / f64::from(u32::MAX)),
        };
        // As float64 tells them apart, and by powers of ten.
        let wanted = wanted.max(5e-16 * (f64::abs(middle) + size));
        let [x, y, z] = file.scales;
        assert!(x == y && y == z && (0.1..=10.01).contains(&(x / wanted)), "{middle} {size}: {x}");
    }
}

/// A lidar of 19 rays a beam that turns from one of two places to the other, in a scene of posts and balls.
fn returns() -> (Vec<CloudPoint>, Survey) {
    let mut scene = Scene::new();
    for at in 0..7 {
        let foot = DVec3::new(6.0 + f64::from(at % 3), f64::from(at - 3), -2.0);
        let end = foot + DVec3::Z * 4.0;
        scene.add(Cylinder::solid(foot, end, 0.05)).unwrap();
        scene.add(Sphere { center: foot + DVec3::X, radius: 0.4 }).unwrap();
    }
    let half_extents = DVec3::new(12.0, 9.0, 4.0);
    scene.add(Cuboid { center: DVec3::ZERO, half_extents, rotation: DQuat::IDENTITY }).unwrap();
    let panorama = Panorama::new([180.0, -180.0], Elevation::Range([90.0, -90.0]));
    let projection = Projection::Panoramic(Panorama { sweep_s: 0.5, ..panorama });
    let beam = Beam { divergence_mrad: 15.0, exit_diameter: 0.02, subrays: 19 };
    let pulse = Pulse {
        beam: Some(beam),
        returns: Some(ReturnRules { max: 15, range_resolution: 0.2, ..ReturnRules::default() }),
        ..Pulse::default()
    };
    let sensor = Sensor { range_max: 100.0, pulse, ..Sensor::default() };
    let camera = Camera::look_at("lidar", DVec3::ZERO, DVec3::X, None, projection).unwrap();
    let view = View::new(camera.with_sensor(sensor).unwrap(), 120, 40).unwrap();
    let pose = |y, turn| Pose::new(DVec3::Y * y, [0.0, 0.0, turn, 1.0]).unwrap();
    let poses = vec![pose(0.0, 0.0), pose(0.5, 0.3), pose(1.0, 0.9)];
    let trajectory = Trajectory::new(vec![START, START + 1.0, START + 2.5], poses).unwrap();
    let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
    let mut points = Vec::new();
    for row in 0..2 {
        let posed = PosedView::new(&view, &trajectory, row, DVec3::ZERO).unwrap().unwrap();
        let cast = cast_beams(&tracer, &posed, 0..view.pixels(), RayScope::default()).unwrap();
        let mut of_row =
            CloudPoint::of_returns(&cast, &posed, CloudFrame::World, DVec3::new(4e5, 5.6e6, 100.0));
        of_row.iter_mut().for_each(|point| point.pose_number = row as u32 + 1);
        points.extend(of_row);
    }
    (points, Survey { start_time: START, ..Survey::default() })
}

#[test]
fn returns_of_beams_keep_the_rules() {
    let (points, survey) = returns();
    let layout =
        CloudLayout { has_returns: true, has_normals: true, ..CloudLayout::of(CloudSource::Scan) };
    let file = hold(&layout, &survey, &points);
    let of_several = file.points.iter().filter(|point| point.number_of_returns > 1).count();
    assert!(of_several > 100 && file.points.len() > 9600, "{of_several} {}", file.points.len());
    let angles = file.points.iter().map(|point| point.scan_angle);
    let [least, most] = [f64::min, f64::max].map(|of| angles.clone().fold(0.0, of));
    assert!(least < -175.0 && most > 175.0, "{least} {most}");
}

#[test]
fn a_byte_that_breaks_a_rule_is_refused() {
    let layout = layouts().pop().unwrap();
    let points: Vec<CloudPoint> = (0..40).map(point).collect();
    let [named, ..] = surveys();
    let good = written("c.las", &layout, &named, &points);
    las_rules::read(&good).unwrap();
    let start = u32::from_le_bytes(good[96..100].try_into().unwrap()) as usize;
    // The descriptions of extra bytes, and after them the names of classes.
    let described = 375 + 54;
    let size = usize::from(u16::from_le_bytes([good[375 + 20], good[375 + 21]]));
    let lookup = described + size + 54;
    let broken: &[(usize, &[u8], &str)] = &[
        (0, b"X", "LASF"),
        (6, &[0], "well-known text"),
        (6, &[16 + 2], "waveforms"),
        (25, &[3], "not 1.4"),
        (26, &[0; 32], "what system"),
        (90, &[0; 2], "date"),
        (94, &[0x78], "size"),
        (96, &[good[96] ^ 1], "begin where the records end"),
        (100, &[good[100] - 1], "begin where the records end"),
        (104, &[8], "point format"),
        (104, &[6], "that are described"),
        (105, &[good[105] + 1], "that are described"),
        (107, &[40], "legacy"),
        (111, &[40], "legacy"),
        (131, &[0; 8], "no length"),
        (161, &[0xf0, 0x7f], "no number"),
        (179, &[good[179] ^ 1], "extents"),
        (227, &[1], "waveforms"),
        (235, &[1], "extended record"),
        (243, &[1], "extended records"),
        (247, &[39], "does not end"),
        (255, &[good[255] + 1], "count of returns"),
        (375, &[1], "does not begin with zero"),
        (375 + 2, b"other\0\0\0\0", "no place here"),
        (described + 2, &[31], "of the type 31"),
        (described + 3, &[1], "have options"),
        (described + 36, &[1], "unused"),
        (described + 4 + 20, b"x", "filled up"),
        (lookup, &[1], "out of order"),
        (start + 14, &[0xf0], "numbered from 1"),
        (start + 14, &[0x12], "beyond the number"),
        (start + 16, &[12], "12 is reserved"),
        (start + 19, &[0x7f], "beyond 180"),
        (start + 29, &[0xff], "no week"),
        (start + 2, &[good[start + 2] ^ 64], "extents"),
    ];
    for (at, bytes, reason) in broken {
        let mut file = good.clone();
        file[*at..*at + bytes.len()].copy_from_slice(bytes);
        let message = las_rules::read(&file).expect_err(reason);
        assert!(message.contains(reason), "{at}: {message}");
    }
    let mut longer = good.clone();
    longer.push(0);
    for file in [&longer, &good[..good.len() - 1], &good[..500], &good[..100]] {
        assert!(las_rules::read(file).is_err());
    }
}
