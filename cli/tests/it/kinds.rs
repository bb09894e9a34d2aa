//! Every kind of `query`, with masks and ids to ignore, against the library's answers.

use crate::common::gpu;
use crate::common::library_answers::{QUERIES, arrays, ask};
use crate::common::parquet_files::parquet_column;
use crate::common::workspace::*;
use raytwin::query::Rays;
use raytwin::{Answers, CpuTracer, HitArrays, NONE, PackedScene, PathRule, Query, Ray, Tracer};
use raytwin_files::FileError;
use raytwin_files::rays::{RayReader, read_rays};
use raytwin_formats::Options;
use std::path::Path;

/// More rays than are asked for all of their crossings at once.
const COUNT: usize = 9000;

/// Rays that start in and around the shapes of [`Workspace`].
fn rays(count: usize) -> Rays {
    let mut random = fastrand::Rng::with_seed(5);
    let mut near = |reach: f32| [0.0; 3].map(|_: f32| reach * (2.0 * random.f32() - 1.0));
    let rays = (0..count).map(|_| Ray::new(near(2.5), near(1.0))).collect();
    let masks = (0..count).map(|_| random.u32(..4)).collect();
    let ignored = (0..count).map(|index| [0, NONE, 1, 2][index % 4]).collect();
    Rays { rays, masks: Some(masks), ignored: Some(ignored), worlds: Some(vec![0; count]) }
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Makes an `.npz` of rays, with masks and ids if there are any.
fn archive(rays: &Rays) -> Vec<u8> {
    let numbers: Vec<f32> = rays.rays.iter().flat_map(row).collect();
    let count = rays.len();
    let one_per_ray =
        |numbers: &[u32]| npy("<u4", "False", &format!("({count},)"), &words(numbers));
    let mut entries =
        vec![("rays.npy", npy("<f4", "False", &format!("({count}, 8)"), &float32(&numbers)))];
    entries.extend(rays.masks.iter().map(|masks| ("ray_masks.npy", one_per_ray(masks))));
    entries.extend(rays.ignored.iter().map(|ids| ("ignore_ids.npy", one_per_ray(ids))));
    entries.extend(rays.worlds.iter().map(|ids| ("world_ids.npy", one_per_ray(ids))));
    zipped(&entries)
}

fn row(ray: &Ray) -> [f32; 8] {
    let ([ox, oy, oz], [dx, dy, dz]) = (ray.origin, ray.direction);
    [ox, oy, oz, dx, dy, dz, ray.t_min, ray.t_max]
}

/// Reads an `.npy` of a folder: the header, which gives type and shape, and the bytes of its numbers.
fn in_folder(folder: &Path, name: &str) -> (String, Vec<u8>) {
    let mut bytes = std::fs::read(folder.join(format!("{name}.npy"))).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(header % 64, 0);
    let numbers = bytes.split_off(header);
    (String::from_utf8_lossy(&bytes[10..]).into_owned(), numbers)
}

#[test]
fn every_kind_is_answered_as_the_library_answers_it() {
    let workspace = Workspace::new();
    let scene = SCENE.replace(r#""name": "ball","#, r#""name": "ball", "mask": 6,"#);
    workspace.write("masked.json", scene);
    let scene =
        raytwin_formats::load(workspace.path("masked.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = raytwin::gpu::GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let choosy = rays(COUNT);
    let plain = Rays { rays: choosy.rays.clone(), ..Rays::default() };
    let none = Rays { masks: Some(Vec::new()), ignored: Some(Vec::new()), ..Rays::default() };
    for rays in [&choosy, &plain, &none] {
        workspace.write("rays.npz", archive(rays));
        let read = read_rays(workspace.path("rays.npz")).unwrap();
        assert!(read == *rays || rays.is_empty() && read.is_empty());
        for (device, tracer) in [("cpu", &cpu as &dyn Tracer), ("gpu", &gpu)] {
            for (flags, query) in QUERIES {
                let answers = ask(tracer, &scene, query, rays, false);
                for output in ["answers.npz", "answers/"] {
                    let asked =
                        ["query", "masked.json", "rays.npz", "--device", device, "-o", output];
                    let summary = workspace.json(&[&asked[..], flags].concat());
                    assert_eq!(summary["kind"], query.name());
                    assert_eq!(summary["hits"], answers.hits());
                    assert_eq!(summary["crossings"], serde_json::json!(answers.crossings()));
                }
                let expected = arrays(&answers, query);
                let folder = workspace.path("answers");
                assert_eq!(folder.read_dir().unwrap().count(), expected.len());
                for (name, dtype, shape, bytes) in expected {
                    let (header, in_folder) = in_folder(&folder, name);
                    assert!(header.contains(&format!("'descr': '{dtype}'")), "{header}");
                    assert!(header.contains(&format!("'shape': {shape},")), "{header}");
                    assert!(in_folder == bytes, "{device} {query:?} {name}");
                    assert!(
                        array(&workspace.path("answers.npz"), name) == bytes,
                        "{query:?} {name}"
                    );
                }
                std::fs::remove_dir_all(folder).unwrap();
            }
        }
    }
}

#[test]
fn flags_choose_solid_hits_and_the_geometry_to_ignore() {
    let workspace = Workspace::new();
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let cpu = CpuTracer::new(&packed);
    let mut rays = Rays { rays: rays(COUNT).rays, ..Rays::default() };
    workspace.write("rays.npz", archive(&rays));
    for query in Query::KINDS.into_iter().filter(|query| query.takes_solids()) {
        let kind = query.name();
        for ignored in [None, Some(1)] {
            rays.ignored = ignored.map(|id| vec![id; COUNT]);
            let expected = arrays(&ask(&cpu, &scene, query, &rays, true), query);
            let asked = ["query", "scene.json", "rays.npz", "--device", "cpu", "-o", "a.npz"];
            let flags = ["--solid", "--kind", kind];
            let ignore: &[&str] = if ignored.is_some() { &["--ignore", "1"] } else { &[] };
            workspace.json(&[&asked[..], &flags, ignore].concat());
            for (name, _, _, bytes) in expected {
                assert!(
                    array(&workspace.path("a.npz"), name) == bytes,
                    "{kind} {ignored:?} {name}"
                );
            }
        }
    }
}

/// The same bits come from every device.
#[test]
fn canonical_answers_have_the_bits_of_the_cpu() {
    let workspace = Workspace::new();
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let cpu = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
    let rays = rays(COUNT);
    workspace.write("rays.npz", archive(&rays));
    for solid in [false, true] {
        for (flags, query) in QUERIES {
            if solid && !query.takes_solids() {
                continue;
            }
            let expected = arrays(&ask(&cpu, &scene, query, &rays, solid), query);
            for device in ["gpu", "cpu"] {
                let asked = ["query", "scene.json", "rays.npz", "--canonical", "-o", "a.npz"];
                let solid: &[&str] = if solid { &["--solid"] } else { &[] };
                workspace.json(&[&asked[..], flags, solid, &["--device", device]].concat());
                for (name, _, _, bytes) in &expected {
                    let given = array(&workspace.path("a.npz"), name);
                    assert!(given == *bytes, "{device:?} {flags:?} {name}");
                }
            }
        }
    }
}

#[test]
fn rays_miss_if_the_scene_is_empty_or_they_see_nothing() {
    let workspace = Workspace::new();
    let blind = SCENE.replace(r#""type": "#, r#""mask": 0, "type": "#);
    workspace.write("blind.json", blind);
    for device in ["cpu", "gpu"] {
        for (flags, query) in QUERIES {
            let asked = ["query", "blind.json", "rays.npy", "--device", device, "-o", "a.npz"];
            let summary = workspace.json(&[&asked[..], flags].concat());
            assert_eq!((&summary["hits"], &summary["invalid"]), (&0.into(), &1.into()));
            let hits = workspace.path("a.npz");
            match query.unanswered() {
                Answers::Closest(_) if !query.asks_for(HitArrays::T_HIT) => {
                    assert_eq!(as_u32(&array(&hits, "faces")), [NONE; 3]);
                }
                Answers::Closest(_) => {
                    let t = as_f32(&array(&hits, "t_hit"));
                    assert_eq!((t[0], t[1]), (f32::INFINITY, f32::INFINITY));
                    assert!(t[2].is_nan());
                    assert_eq!(as_u32(&array(&hits, "geometry_ids")), [NONE; 3]);
                }
                Answers::Any(_) => assert_eq!(array(&hits, "occluded"), [0; 3]),
                Answers::Count(_) => assert_eq!(array(&hits, "intersections"), [0; 12]),
                Answers::All(_) => {
                    assert_eq!(array(&hits, "ray_splits"), [0; 32]);
                    assert!(array(&hits, "t_hit").is_empty());
                }
            }
        }
    }
}

#[test]
fn masks_and_ids_that_do_not_fit_their_rays_are_refused_with_the_shape_that_does() {
    let workspace = Workspace::new();
    let rays = rays(4);
    let good = Rays { masks: None, ignored: None, ..rays };
    let numbers: Vec<f32> = good.rays.iter().flat_map(row).collect();
    let rows = npy("<f4", "False", "(4, 8)", &float32(&numbers));
    let query = ["query", "scene.json", "bad.npz", "--device", "cpu", "-o", "h.npz"];
    for (name, array, expected) in [
        ("ray_masks", npy("<f4", "False", "(4,)", &[0; 16]), "of shape [4]"),
        ("ray_masks", npy("<u4", "False", "(3,)", &[0; 12]), "of shape [4]"),
        ("ignore_ids", npy("<u4", "False", "(4, 1)", &[0; 16]), "of shape [4]"),
        ("ignore_ids", npy("<i4", "False", "(4,)", &[0xff; 16]), "ignore_ids[0]: is -1"),
        ("ignore_ids", npy("<u4", "False", "(4,)", &[0; 12]), "truncated"),
        ("ray_mask", npy("<u4", "False", "(4,)", &[0; 16]), "may have ray_masks"),
    ] {
        workspace.write(
            "bad.npz",
            zipped(&[("rays.npy", rows.clone()), (&format!("{name}.npy"), array)]),
        );
        let message = workspace.fails(3, &query);
        assert!(message.contains(&format!("bad.npz: {name}")), "{name}: {message}");
        assert!(message.contains(expected), "{expected}: {message}");
    }
    workspace.write("bad.npz", zipped(&[("ray_masks.npy", npy("<u4", "False", "(0,)", &[]))]));
    assert!(workspace.fails(3, &query).contains("no array named rays"));
    workspace.write("bad.npz", "");
    assert!(workspace.fails(3, &query).contains("bad.npz"));
}

#[test]
fn an_unknown_id_is_named_by_its_place_in_the_file() {
    let workspace = Workspace::new();
    // The unknown id lies beyond the first batch.
    let count = (1 << 20) + 30;
    let mut many = Rays { rays: vec![rays(1).rays[0]; count], ..Rays::default() };
    let mut ids = vec![NONE; count];
    ids[count - 10] = 3;
    many.ignored = Some(ids);
    workspace.write("many.npz", archive(&many));
    for device in ["cpu", "gpu"] {
        let query = ["query", "scene.json", "many.npz", "--device", device, "-o", "new/"];
        let message = workspace.fails(3, &query);
        assert!(
            message.contains(&format!("many.npz: ray {} ignores geometry 3", count - 10)),
            "{message}"
        );
        let all = workspace.fails(3, &[&query[..], &["--kind", "all"]].concat());
        assert!(all.contains(&format!("ray {} ignores", count - 10)), "{all}");
    }
    assert!(workspace.fails(3, &["diff", "scene.json", "many.npz"]).contains("many.npz"));
}

#[test]
fn contradictory_flags_are_refused() {
    let workspace = Workspace::new();
    let query = ["query", "scene.json", "rays.npy", "-o", "h.npz"];
    for (flags, expected) in [
        (&["--kind", "count", "--solid"][..], "--solid"),
        (&["--kind", "all", "--solid"], "--solid"),
        (&["--kind", "any", "--faces"], "--faces"),
        (&["--kind", "first"], "closest"),
        (&["more.npy"], "several ray files"),
    ] {
        let message = workspace.fails(2, &[&query[..], flags].concat());
        assert!(message.contains(expected), "{expected}: {message}");
    }
    workspace.write("rays.npz", archive(&rays(1)));
    let onto_itself = workspace.fails(2, &["query", "scene.json", "rays.npz", "-o", "rays.npz"]);
    assert!(onto_itself.contains("replace"), "{onto_itself}");
    // The scene, and rays with the name of an array of answers, are not replaced either.
    std::fs::create_dir(workspace.path("out")).unwrap();
    workspace.write("out/t_hit.npy", npy("<f4", "False", "(0, 6)", &[]));
    workspace.json(&["convert", "scene.json", "scene.npz", "--skip"]);
    for (scene, rays, output) in
        [("scene.json", "out/t_hit.npy", "out/"), ("scene.npz", "rays.npz", "scene.npz")]
    {
        let before = std::fs::read(workspace.path(if output == "out/" { rays } else { scene }));
        let message = workspace.fails(2, &["query", scene, rays, "-o", output]);
        assert!(message.contains("replace"), "{message}");
        let after = std::fs::read(workspace.path(if output == "out/" { rays } else { scene }));
        assert_eq!(before.unwrap(), after.unwrap());
    }
}

#[test]
fn masks_and_ids_are_read_with_their_rays_in_batches_of_any_size() {
    let workspace = Workspace::new();
    let rays = rays(1000);
    workspace.write("rays.npz", archive(&rays));
    for size in [1, 7, 999, 2000] {
        let mut read = 0;
        let reader = RayReader::open(workspace.path("rays.npz")).unwrap();
        assert_eq!(reader.ignored(), Some("ignore_ids"));
        let end = reader.batches(size, |batch| {
            let range = read..read + batch.len();
            assert_eq!(batch.rays, rays.rays[range.clone()]);
            assert_eq!(batch.masks.unwrap(), rays.masks.as_ref().unwrap()[range.clone()]);
            assert_eq!(batch.ignored.unwrap(), rays.ignored.as_ref().unwrap()[range.clone()]);
            read = range.end;
            Ok::<(), FileError>(())
        });
        end.unwrap();
        assert_eq!(read, 1000);
    }
}

#[test]
fn lengths_in_solids_stand_beside_the_answers_of_every_kind_and_format() {
    let workspace = Workspace::new();
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let cpu = CpuTracer::new(&PackedScene::new(scene.clone()).unwrap());
    let rays = rays(COUNT);
    workspace.write("rays.npz", archive(&rays));
    for (flags, rule) in [(&[][..], PathRule::Each), (&["--innermost"], PathRule::Innermost)] {
        let paths = cpu.paths(rays.batch().unwrap(), rule).unwrap();
        assert!(paths.path_lengths.len() > 300, "{}", paths.path_lengths.len());
        let lengths: Vec<u8> = paths.path_lengths.iter().flat_map(|it| it.to_le_bytes()).collect();
        let splits: Vec<u8> = paths.path_splits.iter().flat_map(|it| it.to_le_bytes()).collect();
        for (kind, query) in QUERIES {
            let expected = arrays(&ask(&cpu, &scene, query, &rays, false), query);
            for output in ["answers.npz", "answers/", "answers.parquet"] {
                let asked =
                    ["query", "scene.json", "rays.npz", "--device", "cpu", "--paths", "-o", output];
                workspace.json(&[&asked[..], flags, kind].concat());
            }
            let of_paths = [
                ("path_splits", "<u8", format!("({},)", COUNT + 1), splits.clone()),
                ("path_geometry_ids", "<u4", String::new(), words(&paths.path_geometry_ids)),
                ("path_lengths", "<f8", String::new(), lengths.clone()),
            ];
            for (name, dtype, shape, bytes) in expected.into_iter().chain(of_paths) {
                let (header, in_folder) = in_folder(&workspace.path("answers"), name);
                assert!(header.contains(dtype) && header.contains(&shape), "{name}: {header}");
                assert!(in_folder == bytes, "{query:?} {name}");
                assert!(array(&workspace.path("answers.npz"), name) == bytes, "{query:?} {name}");
            }
            let (in_table, counts) =
                parquet_column(&workspace.path("answers.parquet"), "path_length");
            assert!(in_table == lengths, "{query:?}");
            let ends = paths.path_splits.windows(2).map(|pair| (pair[1] - pair[0]) as u32);
            assert_eq!(counts, ends.collect::<Vec<u32>>());
            std::fs::remove_dir_all(workspace.path("answers")).unwrap();
        }
    }
    let query = ["query", "scene.json", "rays.npz", "-o"];
    for (code, flags, expected) in [
        (3, &["a.csv", "--paths"][..], "a ray may have many paths"),
        (2, &["a/", "--paths", "--resume"], "--resume does not work with --paths"),
        (2, &["a/", "--innermost"], "--paths"),
    ] {
        let message = workspace.fails(code, &[&query[..], flags].concat());
        assert!(message.contains(expected), "{expected}: {message}");
    }
    // A run with --paths does not skip the answers of a run without.
    workspace.write("more.npz", archive(&rays));
    let several = ["query", "scene.json", "rays.npz", "more.npz", "-o", "several/"];
    workspace.json(&several);
    assert_eq!(workspace.json(&several)["skipped"].as_array().unwrap().len(), 2);
    let with_paths = [&several[..], &["--paths"]].concat();
    assert_eq!(workspace.json(&with_paths)["skipped"].as_array().unwrap().len(), 0);
    assert_eq!(workspace.json(&with_paths)["skipped"].as_array().unwrap().len(), 2);
}
