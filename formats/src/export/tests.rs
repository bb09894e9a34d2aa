use super::*;
use crate::Options;
use glam::DQuat;
use raytwin::camera::{
    Beam, BeamTable, Camera, Elevation, Optics, Panorama, Projection, Pulse, RangeNoise,
    ReturnMode, ReturnRules, Risley, ScanPattern, Sensor,
};
use raytwin::fields::FieldKind;
use raytwin::geometry::{Lines, Mesh};
use raytwin::math::Similarity;
use raytwin::scene::Appearance;
use raytwin::shapes::{Cylinder, Heightfield, SHAPE_TYPES, ShapeType, Sphere};
use raytwin_files::FileStore;
use std::path::PathBuf;

/// A row of random numbers for a type of shape.
fn random_row(kind: &ShapeType, random: &mut fastrand::Rng) -> Vec<f64> {
    let mut lengths = [0.5, 0.2].into_iter();
    let mut row = Vec::new();
    for field in kind.fields {
        let near = |random: &mut fastrand::Rng| 2.0 * random.f64() - 1.0;
        match field.kind {
            FieldKind::Length | FieldKind::LengthOrZero => {
                row.push(lengths.next().unwrap_or(0.1) * (1.0 + random.f64()));
            }
            FieldKind::OptionalExtents | FieldKind::OptionalRotation => {
                row.extend(field.default.unwrap());
            }
            // A tube has all its parts, and no shape has none.
            FieldKind::Flag if kind.name != "cylinder" && field.name != "side" => {
                row.push(f64::from(random.u8(..2)));
            }
            FieldKind::Flag => row.extend(field.default.unwrap()),
            FieldKind::Extents => row.extend([0.0; 3].map(|_: f64| 0.1 + random.f64())),
            kind => row.extend((0..kind.columns()).map(|_| near(random))),
        }
    }
    row
}

/// Shapes of every type and, if they are wanted, geometries of many primitives, cameras and an
/// origin.
fn scene(has_all: bool) -> Scene {
    let mut random = fastrand::Rng::with_seed(14);
    let mut scene =
        Scene::with_origin(if has_all { DVec3::new(5e5, -4e6, 12.5) } else { DVec3::ZERO });
    let world = Similarity { translation: scene.origin(), ..Similarity::IDENTITY };
    for _ in 0..20 {
        for kind in SHAPE_TYPES.iter().rev() {
            scene.add_rows(kind, &random_row(kind, &mut random), &world.into()).unwrap();
        }
    }
    scene.set_name(3, "one, with a comma and a \"quote\"");
    scene.set_name(5, raytwin::scene::Name::from("arm").child("elbow"));
    scene.set_mask(4, 0x8000_0001);
    scene.set_appearance(6, [0.1, 1.0, 0.3]);
    for (id, label, reflectance) in [(7, Some(65535), Some(0.3)), (8, Some(0), None)] {
        scene.set_appearance(id, Appearance { label, reflectance, ..Appearance::NONE });
    }
    if has_all {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(0.3)];
        let mesh = Mesh::new(points.clone(), vec![[0, 1, 2], [2, 1, 3]]).unwrap();
        scene.add_moved(&mesh.into(), &world).unwrap();
        let lines = Lines::new(points, vec![[0, 1], [1, 3]], 0.01).unwrap();
        scene.add_moved(&lines.into(), &world).unwrap();
        let turn = DQuat::from_rotation_z(0.3);
        let heights = (0..12).map(|at| 0.1 * f64::from(at)).collect();
        let field = Heightfield::new(heights, 4, [0.5, 0.7], DVec3::splat(0.1), turn).unwrap();
        let id = scene.add_moved(&field.into(), &world).unwrap();
        scene.set_name(id, "ground");
        let azimuth_degrees = [90.0, -90.5];
        let range = Elevation::Range([10.0, -20.0]);
        let table = Elevation::Table(vec![10.0, 2.5, -20.0]);
        let panoramic = |elevation_degrees| {
            let columns = Some(1800);
            let is_table = matches!(elevation_degrees, Elevation::Table(_));
            let turning = Panorama::new(azimuth_degrees, elevation_degrees);
            let (row_azimuth_offsets_degrees, row_times_s) = match is_table {
                true => (vec![1.5, 0.0, -1.5], vec![0.0, 1e-5, 2e-5]),
                false => Default::default(),
            };
            Projection::Panoramic(Panorama {
                columns,
                sweep_s: 0.1,
                row_azimuth_offsets_degrees,
                row_times_s,
                ..turning
            })
        };
        let steered = |optics| {
            let (pulses_per_s, sweep_s) = (1000.5, 0.25);
            Projection::Pattern(ScanPattern::Steered { optics, pulses_per_s, sweep_s })
        };
        let half_angle_degrees = 20.5;
        let listed = BeamTable {
            time_s: vec![0.0, 0.5],
            azimuth_degrees: vec![-10.0, 1.0 / 3.0],
            elevation_degrees: vec![4.0, -90.0],
            sweep_s: 0.75,
        };
        for (index, projection) in [
            Projection::Perspective { fov_y_degrees: 40.5 },
            Projection::Pinhole { focal: [500.5, 501.0], center: [320.0, 239.5], size: [640, 480] },
            Projection::Orthographic { height: 3.25 },
            panoramic(range),
            panoramic(table),
            steered(Optics::Risley(Risley {
                wedge_degrees: [18.0, 17.5],
                refractive_index: 1.51,
                turns_per_s: [-77.7, 121.6],
            })),
            steered(Optics::Oscillating { half_angle_degrees, swings_per_s: 30.0 }),
            steered(Optics::Polygon { half_angle_degrees, lines_per_s: 40.0 }),
            steered(Optics::Conic { half_angle_degrees, turns_per_s: 50.0 }),
            Projection::Pattern(ScanPattern::Table(listed)),
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("camera {index}");
            let eye = DVec3::new(3.0, -2.0, 1.5);
            let camera = Camera::look_at(name, eye, DVec3::ZERO, DVec3::Z, projection.clone());
            let sensor = Sensor {
                range_min: 0.25 * index as f64,
                range_max: 10.5 + index as f64,
                noise: Some(RangeNoise {
                    stddev: 0.125,
                    seed: u64::MAX - index as u64,
                    jitter_mrad: 0.5 * index as f64,
                    dropout: 0.0625 * index as f64,
                    ..RangeNoise::default()
                }),
                hide: vec![scene.path(index as u32)],
                pulse: match projection.is_lidar() {
                    true => Pulse {
                        beam: Some(Beam {
                            divergence_mrad: 0.35,
                            exit_diameter: 0.007,
                            subrays: 19,
                        }),
                        returns: Some(ReturnRules {
                            max: 3,
                            mode: ReturnMode::Last,
                            range_resolution: 0.25,
                        }),
                        attenuation_per_km: 0.125,
                        detection_limit: 1e-7,
                    },
                    false => Pulse::default(),
                },
                topic: Some("/front/scan".to_owned()),
                frame_id: Some(format!("frame \"{index}\"")),
                update_rate_hz: Some(12.5),
            };
            let camera = camera.unwrap().with_sensor(sensor);
            scene.cameras.push(camera.unwrap());
        }
    }
    scene
}

fn bits(geometry: &Geometry) -> Vec<Vec<u64>> {
    let shapes = (0..geometry.primitive_count() as u32).filter_map(|id| geometry.shape(id));
    shapes.map(|shape| shape.row().into_iter().map(f64::to_bits).collect()).collect()
}

/// Refuses two scenes whose geometries differ in a bit, or in what else a table holds.
fn assert_equal(read: &Scene, scene: &Scene) {
    assert_eq!(read.geometries().len(), scene.geometries().len());
    for (id, (a, b)) in (0..).zip(read.geometries().iter().zip(scene.geometries())) {
        assert_eq!(a.type_name(), b.type_name(), "{id}");
        assert_eq!(bits(a), bits(b), "{id} {}", b.type_name());
        assert_eq!(read.path(id), scene.path(id));
        assert_eq!((read.mask(id), read.appearance(id)), (scene.mask(id), scene.appearance(id)));
    }
}

fn written(scene: &Scene, extension: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("scene.{extension}"));
    save(scene, &path).unwrap();
    (folder, path)
}

fn read(path: &Path) -> Scene {
    let imported = crate::load(path, &Options::default()).unwrap();
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    imported.scene
}

#[test]
fn every_shape_is_read_back_to_the_bit() {
    for extension in ["json", "csv", "parquet"] {
        let scene = scene(false);
        let (_folder, path) = written(&scene, extension);
        assert!(left_out(&scene, &path).unwrap().is_empty());
        assert_equal(&read(&path), &scene);
    }
}

#[test]
fn a_native_file_holds_everything() {
    let scene = scene(true);
    let (_folder, path) = written(&scene, "json");
    assert!(left_out(&scene, &path).unwrap().is_empty());
    let read = read(&path);
    assert_eq!(read.origin(), scene.origin());
    assert_equal(&read, &scene);
    assert_eq!(read.cameras.len(), 10);
    for (a, b) in read.cameras.iter().zip(&scene.cameras) {
        assert_eq!((&a.name, &a.projection, &a.sensor), (&b.name, &b.projection, &b.sensor));
        assert!((a.eye - b.eye).length() < 1e-6 && (a.up - b.up).length() < 1e-6);
    }
}

#[test]
fn the_smallest_and_the_largest_shapes_are_read_back() {
    let mut scene = Scene::new();
    for radius in [1e-9, 1e9] {
        scene.add(Sphere { center: DVec3::splat(1e9), radius }).unwrap();
    }
    let tube =
        Cylinder { start: DVec3::ZERO, end: 1e-9 * DVec3::Z, radius: 2e-9, inner_radius: 1e-9 };
    scene.add(tube).unwrap();
    for extension in ["json", "npz", "csv", "parquet"] {
        let (_folder, path) = written(&scene, extension);
        assert_equal(&crate::load(&path, &Options::default()).unwrap().scene, &scene);
    }
}

#[test]
fn an_origin_that_is_chosen_is_one_that_is_read_back() {
    let auto = Options { origin: Some(crate::Origin::Auto), ..Options::default() };
    let load = |x: &str| {
        let node = format!(
            r#"{{ "translation": [{x}, 0, 0], "shapes": [ {{ "type": "sphere", "center": [0, 0, 0], "radius": 1e3 }} ] }}"#
        );
        let text = format!(r#"{{ "raytwin": 1, "nodes": [ {node} ] }}"#);
        let store = FileStore::in_memory([("s.json", text.as_bytes())]);
        crate::load_from(&store, Path::new("s.json"), &auto)
    };
    for far in ["9e8", "1.5e9", "-1.9e9"] {
        let scene = load(far).unwrap().scene;
        let (_folder, path) = written(&scene, "json");
        let read = crate::load(&path, &Options::default()).unwrap().scene;
        assert_eq!(read.origin(), scene.origin());
        assert_equal(&read, &scene);
    }
    let refused = load("1.5e11").unwrap_err().to_string();
    assert!(refused.contains("a coordinate must be between -1e9 and 1e9"), "{refused}");
}

#[test]
fn what_a_format_cannot_hold_is_counted_and_left_out() {
    let scene = scene(true);
    for (extension, expected) in [
        (
            "csv",
            &[
                "3 geometries of many primitives: mesh[200], lines[201], ground",
                "10 cameras: camera 0",
            ][..],
        ),
        (
            "npz",
            &[
                "3 geometries",
                "10 cameras",
                "1 origin:",
                "3 names: one, with",
                "1 mask:",
                "1 colour:",
                "2 labels:",
                "1 reflectance:",
            ],
        ),
    ] {
        let (_folder, path) = written(&scene, extension);
        let left_out = left_out(&scene, &path).unwrap();
        let texts: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), expected.len(), "{texts:?}");
        for (text, expected) in texts.iter().zip(expected) {
            assert!(text.starts_with(expected), "{text}");
        }
        // A table has the places of the map.
        let origin = (extension == "csv").then(|| crate::Origin::At(scene.origin()));
        let read = crate::load(&path, &Options { origin, ..Options::default() }).unwrap().scene;
        assert_eq!(read.geometries().len(), 200);
        // Float64 has steps of half a billionth where the map's coordinates lie.
        let most = if extension == "csv" { 1e-9 } else { 0.0 };
        for (a, b) in read.geometries().iter().zip(scene.geometries()) {
            let (a, b) = (bits(a), bits(b));
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                let off = (f64::from_bits(*a) - f64::from_bits(*b)).abs();
                assert!(a == b || off <= most, "{off}");
            }
        }
    }
}

#[test]
fn a_file_that_would_be_empty_or_of_no_format_is_refused() {
    let mut lines = Scene::new();
    lines.add(Lines::new(vec![DVec3::ZERO, DVec3::X], vec![[0, 1]], 0.1).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, expected) in
        [("a.csv", "cannot contain any part of the scene"), ("a.obj", "give a .json")]
    {
        let refused = save(&lines, folder.path().join(name)).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    assert!(left_out(&lines, "scene").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_files_of_other_formats_hold_keeps_its_paths() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folder = tempfile::tempdir().unwrap();
    let included = [
        "tables/tank_farm.csv",
        "robots/arm.urdf",
        "robots/rover.xml",
        "molecules/caffeine.pdb",
        "gltf/toy_train.gltf",
        "worlds/garden.x3d",
    ];
    for file in included {
        let file = examples.join(file);
        let node = format!(r#"{{ "name": "n", "translation": [1, 2, 3], "file": {file:?} }}"#);
        let path = folder.path().join("holds.json");
        std::fs::write(&path, format!(r#"{{ "raytwin": 1, "nodes": [{node}] }}"#)).unwrap();
        let graph = crate::read(&FileStore::disk(), &path, &Options::default()).unwrap();
        let scene = graph.clone().flatten(&Options::default()).unwrap().scene;
        let converted = folder.path().join("converted.json");
        save_graph(&graph, &scene, &converted).unwrap();
        let read = crate::load(&converted, &Options::default()).unwrap().scene;
        assert_eq!(read.geometry_count(), scene.geometry_count());
        for id in 0..scene.geometry_count() {
            assert_eq!(read.path(id), scene.path(id), "{file:?}");
        }
    }
}

#[test]
fn a_table_has_no_column_of_whole_numbers_with_the_name_of_another() {
    let mut scene = Scene::new();
    for (number, name) in [(5, "radius"), (7, "name"), (2, "color"), (9, "label"), (3, "tree_id")] {
        let id = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        scene.set_integer(id, name, number);
    }
    for extension in ["csv", "parquet"] {
        let (_folder, path) = written(&scene, extension);
        let summary: Vec<String> =
            left_out(&scene, &path).unwrap().iter().map(ToString::to_string).collect();
        assert!(
            summary.len() == 1 && summary[0].starts_with("4 columns of whole numbers with"),
            "{summary:?}"
        );
        let names: Vec<String> =
            read(&path).integer_names().into_iter().map(str::to_owned).collect();
        assert_eq!(names, ["tree_id"], "{extension}");
    }
}
