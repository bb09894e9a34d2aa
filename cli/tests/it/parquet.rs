//! Rays and answers as columns of Parquet files.

use crate::common::columns::Column;
use crate::common::gpu;
use crate::common::library_answers::{QUERIES, ask};
use crate::common::parquet_files::*;
use crate::common::workspace::*;
use parquet::basic::Compression;
use raytwin::{Answers, CpuTracer, HitArrays, NONE, PackedScene, Query, Ray, Rays, Tracer};
use raytwin_files::FileError;
use raytwin_files::rays::{RayReader, read_rays};
use raytwin_formats::Options;
use std::path::Path;

const PLAIN: Compression = Compression::UNCOMPRESSED;
/// Columns by their names: the bytes, and how many values each row has.
type Columns = Vec<(&'static str, (Vec<u8>, Vec<u32>))>;

/// Rays around the scene of [`Workspace`], each with a mask and an id to ignore; the third last is invalid.
fn rays(count: usize) -> Rays {
    let mut random = fastrand::Rng::with_seed(11);
    let mut near = |reach: f32| [0.0; 3].map(|_: f32| reach * (2.0 * random.f32() - 1.0));
    let mut rays: Vec<Ray> =
        (0..count).map(|_| Ray::new(near(3.0), near(1.0)).within(0.25, 9.0)).collect();
    if let Some(index) = count.checked_sub(3) {
        rays[index].direction = [0.0; 3];
    }
    let masks = (0..count).map(|_| random.u32(..8)).collect();
    let ignored = (0..count).map(|index| [NONE, 0, 1, 2][index % 4]).collect();
    Rays { rays, masks: Some(masks), ignored: Some(ignored), worlds: Some(vec![0; count]) }
}

/// The columns of rays, in an order unlike that of the documentation.
fn columns(rays: &Rays) -> Vec<(&'static str, Column)> {
    let column = |number: fn(&Ray) -> f32| Column::F32(rays.rays.iter().map(number).collect());
    vec![
        ("ignore_id", Column::U32(rays.ignored.clone().unwrap())),
        ("t_max", column(|ray| ray.t_max)),
        ("ray_mask", Column::U32(rays.masks.clone().unwrap())),
        ("dz", column(|ray| ray.direction[2])),
        ("dy", column(|ray| ray.direction[1])),
        ("dx", column(|ray| ray.direction[0])),
        ("ox", column(|ray| ray.origin[0])),
        ("oy", column(|ray| ray.origin[1])),
        ("oz", column(|ray| ray.origin[2])),
        ("t_min", column(|ray| ray.t_min)),
        ("world_id", Column::U32(rays.worlds.clone().unwrap_or_default())),
    ]
}

#[test]
fn rays_are_read_from_columns_in_any_order_and_batch() {
    let workspace = Workspace::new();
    let rays = rays(1000);
    let path = workspace.path("rays.parquet");
    let gzip = Compression::GZIP(Default::default());
    for (group, compression) in [(1000, PLAIN), (1, PLAIN), (333, Compression::SNAPPY), (999, gzip)]
    {
        workspace.write("rays.parquet", parquet_file(&columns(&rays), group, compression));
        assert_eq!(read_rays(&path).unwrap(), rays);
        for size in [1, 7, 500, 1001, usize::MAX] {
            let reader = RayReader::open(&path).unwrap();
            assert_eq!((reader.len(), reader.ignored()), (1000, Some("ignore_id")));
            let mut read = 0;
            let end = reader.batches(size, |batch| {
                let range = read..read + batch.len();
                assert_eq!(batch.rays, rays.rays[range.clone()]);
                assert_eq!(batch.masks.unwrap(), rays.masks.as_ref().unwrap()[range.clone()]);
                assert_eq!(batch.ignored.unwrap(), rays.ignored.as_ref().unwrap()[range.clone()]);
                assert!(!range.is_empty() && range.len() <= size);
                assert!(range.len() == size || range.end == 1000, "groups are joined");
                read = range.end;
                Ok::<(), FileError>(())
            });
            end.unwrap();
            assert_eq!(read, 1000);
        }
    }
    // Without optional columns rays have the defaults.
    let mut columns = columns(&rays);
    columns.retain(|(name, _)| !["t_max", "ray_mask", "ignore_id", "world_id"].contains(name));
    workspace.write("few.PARQUET", parquet_file(&columns, 100, PLAIN));
    let few = read_rays(workspace.path("few.PARQUET")).unwrap();
    let unlimited: Vec<Ray> =
        rays.rays.iter().map(|ray| ray.within(ray.t_min, f32::INFINITY)).collect();
    assert_eq!(few, Rays { rays: unlimited, ..Rays::default() });
}

/// Reads the columns of answers from a file.
fn in_file(path: &Path, query: Query) -> Columns {
    let names: &'static str = match query {
        Query::CLOSEST => "t_hit geometry_id primitive_id nx ny nz",
        Query::Closest(HitArrays::ALL) => {
            "t_hit geometry_id primitive_id nx ny nz face instance_id label_id"
        }
        Query::Closest(arrays) if arrays.has(HitArrays::DEFAULT) => {
            "t_hit geometry_id primitive_id nx ny nz face"
        }
        Query::Closest(arrays) if arrays.has(HitArrays::T_HIT) => "t_hit geometry_id",
        Query::Closest(_) => "face label_id",
        Query::Any => "occluded",
        Query::Count => "intersections",
        Query::All => "t_hit geometry_id primitive_id",
    };
    assert_eq!(parquet_names(path).join(" "), names);
    names.split(' ').map(|name| (name, parquet_column(path, name))).collect()
}

/// The columns that a file of these answers should have.
fn expected(answers: &Answers, query: Query) -> Columns {
    let words = |ids: &[u32]| ids.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>();
    let once = vec![1; answers.rays()];
    match answers {
        Answers::Closest(hits) => {
            let normals = &hits.primitive_normals;
            let axis = |axis: usize| float32(&normals.iter().map(|n| n[axis]).collect::<Vec<_>>());
            let labels: Vec<u32> = hits.label_ids.iter().map(|&id| id.into()).collect();
            let columns = [
                (HitArrays::T_HIT, "t_hit", float32(&hits.t_hit)),
                (HitArrays::GEOMETRY_IDS, "geometry_id", words(&hits.geometry_ids)),
                (HitArrays::PRIMITIVE_IDS, "primitive_id", words(&hits.primitive_ids)),
                (HitArrays::PRIMITIVE_NORMALS, "nx", axis(0)),
                (HitArrays::PRIMITIVE_NORMALS, "ny", axis(1)),
                (HitArrays::PRIMITIVE_NORMALS, "nz", axis(2)),
                (HitArrays::FACES, "face", words(&hits.faces)),
                (HitArrays::INSTANCE_IDS, "instance_id", words(&hits.instance_ids)),
                (HitArrays::LABEL_IDS, "label_id", words(&labels)),
            ];
            let columns = columns.into_iter().filter(|(array, ..)| query.asks_for(*array));
            columns.map(|(_, name, bytes)| (name, (bytes, once.clone()))).collect()
        }
        Answers::Any(occluded) => {
            vec![("occluded", (occluded.iter().map(|&stopped| stopped.into()).collect(), once))]
        }
        Answers::Count(counts) => vec![("intersections", (words(counts), once))],
        Answers::All(all) => {
            let counts: Vec<u32> =
                all.ray_splits.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect();
            vec![
                ("t_hit", (float32(&all.t_hit), counts.clone())),
                ("geometry_id", (words(&all.geometry_ids), counts.clone())),
                ("primitive_id", (words(&all.primitive_ids), counts)),
            ]
        }
    }
}

#[test]
fn every_kind_of_answer_is_a_row_for_each_ray() {
    let workspace = Workspace::new();
    let scene = SCENE.replace(r#""name": "ball","#, r#""name": "ball", "mask": 5,"#);
    workspace.write("masked.json", scene);
    let scene =
        raytwin_formats::load(workspace.path("masked.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = raytwin::gpu::GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    // There are more rays than are asked for all of their crossings at once.
    let all = rays(10_000);
    let none = Rays { masks: Some(Vec::new()), ignored: Some(Vec::new()), ..Rays::default() };
    for (device, tracer) in [("cpu", &cpu as &dyn Tracer), ("gpu", &gpu)] {
        for rays in [&all, &none] {
            workspace
                .write("rays.parquet", parquet_file(&columns(rays), 4000, Compression::SNAPPY));
            for (flags, query) in QUERIES {
                let answers = ask(tracer, &scene, query, rays, false);
                assert!(rays.is_empty() || answers.hits() > 300);
                let asked = ["query", "masked.json", "rays.parquet", "-o", "answers.parquet"];
                let summary = workspace.json(&[&asked[..], &["--device", device], flags].concat());
                assert_eq!(summary["rays"], rays.len());
                assert_eq!(summary["hits"], answers.hits());
                assert_eq!(summary["crossings"], serde_json::json!(answers.crossings()));
                assert_eq!(summary["invalid"], usize::from(!rays.is_empty()));
                let written = in_file(&workspace.path("answers.parquet"), query);
                assert!(written == expected(&answers, query), "{device} {query:?}");
            }
        }
    }
}

#[test]
fn errors_of_columns_name_the_column_and_the_row() {
    let workspace = Workspace::new();
    let rays = rays(50);
    let good = columns(&rays);
    let numbers = vec![1.0_f32; 50];
    let with = |name: &'static str, column: Column| {
        let mut columns = good.clone();
        match columns.iter_mut().find(|(existing, _)| *existing == name) {
            Some((_, existing)) => *existing = column,
            None => columns.push((name, column)),
        }
        columns
    };
    let mut negative = vec![1; 50];
    negative[37] = -1;
    let mut without = good.clone();
    without.retain(|(name, _)| *name != "dy");
    for (columns, expected) in [
        (with("oy", Column::I64(vec![0; 50])), &["oy", "int64", "float32 or float64"][..]),
        (with("oy", Column::Texts(vec![Some("1"); 50])), &["oy", "string", "float32 or float64"]),
        (with("ray_mask", Column::I32(negative)), &["ray_mask[37]", "-1", "4294967295"]),
        (with("ray_mask", Column::F32(numbers.clone())), &["ray_mask", "float32", "integers"]),
        (with("ignore_id", Column::I64(vec![1 << 32; 50])), &["ignore_id[0]", "4294967296"]),
        (with("oz", Column::Lists(numbers.clone())), &["oz", "list", "float32"]),
        (without, &["dy", "missing", "did you mean"]),
    ] {
        workspace.write("bad.parquet", parquet_file(&columns, 20, PLAIN));
        let message =
            workspace.fails(3, &["query", "scene.json", "bad.parquet", "-o", "h.parquet"]);
        for word in ["bad.parquet"].iter().chain(expected) {
            assert!(message.contains(word), "{expected:?}: {message}");
        }
    }
}

/// Replaces columns, or adds them.
fn with(rays: &Rays, columns_to_set: Vec<(&'static str, Column)>) -> Vec<(&'static str, Column)> {
    let mut columns = columns(rays);
    columns.retain(|(name, _)| columns_to_set.iter().all(|(new, _)| new != name));
    columns.extend(columns_to_set);
    columns
}

#[test]
fn numbers_may_be_wider_and_null_and_beside_other_columns() {
    let workspace = Workspace::new();
    let mut expected = rays(50);
    let some = |number: f32| {
        let mut numbers = vec![Some(number); 50];
        numbers[37] = None;
        numbers
    };
    let wide: Vec<f64> = expected.rays.iter().map(|ray| f64::from(ray.origin[1])).collect();
    let off: Vec<f64> = wide.iter().map(|number| number * (1.0 + 1e-12)).collect();
    let signed = |ids: &Option<Vec<u32>>| ids.iter().flatten().map(|&id| id.into()).collect();
    let columns = with(
        &expected,
        vec![
            ("note", Column::Texts(vec![Some("a note"); 50])),
            ("lists", Column::Lists(vec![1.0; 50])),
            ("t_min", Column::Nullable(some(0.5))),
            ("t_max", Column::Nullable(some(2.0))),
            ("dx", Column::Nullable(some(1.0))),
            ("oy", Column::F64(off)),
            ("ray_mask", Column::I64(signed(&expected.masks))),
            ("ignore_id", Column::I64(signed(&expected.ignored))),
        ],
    );
    for (row, ray) in expected.rays.iter_mut().enumerate() {
        ray.direction[0] = 1.0;
        (ray.t_min, ray.t_max) = if row == 37 { (0.0, f32::INFINITY) } else { (0.5, 2.0) };
    }
    for compression in [PLAIN, Compression::SNAPPY, Compression::GZIP(Default::default())] {
        workspace.write("rays.parquet", parquet_file(&columns, 20, compression));
        let mut read = read_rays(workspace.path("rays.parquet")).unwrap();
        assert!(!read.rays[37].is_valid() && read.rays[37].t_max == f32::INFINITY);
        read.rays[37].direction = expected.rays[37].direction;
        assert_eq!(read, expected);
    }
    let mut columns = columns;
    columns.retain(|(name, _)| *name != "t_max");
    columns.push(("tmax", Column::F32(vec![2.0; 50])));
    workspace.write("rays.parquet", parquet_file(&columns, 20, PLAIN));
    let query = ["query", "scene.json", "rays.parquet", "-o", "h.npz", "--device", "cpu"];
    let warned = workspace.run(&query);
    let message = String::from_utf8_lossy(&warned.stderr);
    assert!(message.contains("tmax is not read: did you mean t_max?"), "{message}");
}

#[test]
fn columns_are_passed_on_to_answers_of_every_kind() {
    let workspace = Workspace::new();
    let rays = rays(9000);
    let names = ["left", "right", "middle"];
    let notes = (0..9000).map(|row| (row % 5 > 0).then_some(names[row % 3])).collect();
    let columns = with(
        &rays,
        vec![
            ("note", Column::Texts(notes)),
            ("stamp", Column::I64((0..9000).collect())),
            ("lists", Column::Lists(vec![1.0; 9000])),
        ],
    );
    workspace.write("rays.parquet", parquet_file(&columns, 4000, Compression::SNAPPY));
    let query = ["query", "scene.json", "rays.parquet", "--device", "cpu", "-o"];
    let stamps: Vec<u8> = (0..9000_i64).flat_map(i64::to_le_bytes).collect();
    for (flags, _) in QUERIES {
        workspace.json(&[&query[..], &["h.parquet", "--keep", "stamp,note"], flags].concat());
        let path = workspace.path("h.parquet");
        assert!(parquet_names(&path).ends_with(&["stamp".to_owned(), "note".to_owned()]));
        assert_eq!(parquet_column(&path, "stamp").0, stamps);
        let (texts, there) = parquet_column(&path, "note");
        assert_eq!(there.iter().filter(|&&count| count == 1).count(), 7200);
        assert!(texts.starts_with(b"rightmiddleleftright"), "{flags:?}");
    }
    let resumed = [&query[..], &["kept.parquet", "--keep", "stamp", "--resume"]].concat();
    workspace.json(&resumed);
    assert_eq!(parquet_column(&workspace.path("kept.parquet"), "stamp").0, stamps);
    for (flags, code, expected) in [
        (&["h.parquet", "--keep", "stomp"][..], 3, "did you mean stamp?"),
        (&["h.parquet", "--keep", "all"], 3, "lists: is a list or struct"),
        (&["h.parquet", "--keep", "note,note"], 3, "twice"),
        (&["h.npz", "--keep", "note"], 2, "--keep copies columns of a .parquet"),
        (&["out/", "--keep", "note"], 2, "--keep copies columns of a .parquet"),
    ] {
        let message = workspace.fails(code, &[&query[..], flags].concat());
        assert!(message.contains(expected), "{message}");
    }
    let taken = with(&rays, vec![("t_hit", Column::F64(vec![0.0; 9000]))]);
    workspace.write("rays.parquet", parquet_file(&taken, 4000, PLAIN));
    let message = workspace.fails(3, &[&query[..], &["h.parquet", "--keep", "all"]].concat());
    assert!(message.contains("t_hit: has the name of a column of the answers"), "{message}");
}

#[test]
fn files_of_a_folder_keep_their_subfolders() {
    let workspace = Workspace::new();
    for (folder, count) in [("day=1", 5), ("day=2", 7)] {
        std::fs::create_dir_all(workspace.path("rays").join(folder)).unwrap();
        let file = parquet_file(&columns(&rays(count)), 20, PLAIN);
        workspace.write(&format!("rays/{folder}/part-0.parquet"), file);
        workspace.write(&format!("rays/{folder}/_SUCCESS"), "");
    }
    for (rays, output) in [("rays", "out/"), ("rays/*/*.parquet", "rays/out/")] {
        let query = ["query", "scene.json", rays, "--device", "cpu", "-o", output];
        assert_eq!(workspace.json(&query)["rays"], 12);
        for (folder, count) in [("day=1", 5), ("day=2", 7)] {
            let answers = workspace.path(output).join(folder).join("part-0.parquet");
            assert_eq!(parquet_column(&answers, "t_hit").1.len(), count);
        }
        assert_eq!(workspace.json(&query)["skipped"].as_array().unwrap().len(), 2);
    }
    let message = workspace.fails(3, &["query", "scene.json", "*.parquet", "-o", "out/"]);
    assert!(message.contains("there is no .parquet file here"), "{message}");
    let message = workspace.fails(2, &["query", "scene.json", "rays", "-o", "rays/"]);
    assert!(message.contains("would go to the folder of the rays"), "{message}");
}

/// Reads a file of these bytes with the library.
fn read(workspace: &Workspace, bytes: &[u8]) -> Result<Rays, FileError> {
    workspace.write("some.parquet", bytes);
    read_rays(workspace.path("some.parquet"))
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let workspace = Workspace::new();
    let rays = rays(60);
    let whole = parquet_file(&columns(&rays), 25, Compression::SNAPPY);
    assert_eq!(read(&workspace, &whole).unwrap(), rays);
    for length in 0..whole.len() {
        let error = read(&workspace, &whole[..length]).unwrap_err().to_string();
        assert!(error.contains("some.parquet: is not a complete Parquet file"), "{error}");
    }
    // A cut in the data leaves a whole footer that refers to missing pages.
    for cut in [4..40, 4..2000, 100..whole.len() / 2] {
        let bytes = [&whole[..cut.start], &whole[cut.end..]].concat();
        assert!(read(&workspace, &bytes).is_err(), "{cut:?}");
    }
    for text in ["", "PAR1", "PAR1PAR1", "not a table at all, and longer than a footer"] {
        assert!(read(&workspace, text.as_bytes()).is_err(), "{text}");
    }
    workspace.write("none.parquet", "");
    let message = workspace.fails(3, &["query", "scene.json", "none.parquet", "-o", "h.parquet"]);
    assert!(message.contains("none.parquet"), "{message}");
}

#[test]
fn no_damage_to_a_file_makes_the_reader_panic() {
    let workspace = Workspace::new();
    let rays = rays(9);
    for compression in [PLAIN, Compression::SNAPPY] {
        let whole = parquet_file(&columns(&rays), 5, compression);
        let mut refused = 0;
        for position in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[position] ^= [0x01, 0x08, 0x80][position % 3];
            refused += usize::from(read(&workspace, &bytes).is_err());
        }
        assert!(refused > whole.len() / 5, "{refused} of {} were refused", whole.len());
    }
}

/// A file with overwritten bytes, at which the decoder of dictionary indices panics.
fn file_that_makes_the_decoder_panic(workspace: &Workspace) -> Option<Vec<u8>> {
    let whole = parquet_file(&columns(&rays(20)), 20, PLAIN);
    let mut damaged = (0..whole.len() - 16).map(|start| {
        let mut bytes = whole.clone();
        bytes[start..start + 16].fill(0xff);
        bytes
    });
    damaged.find(|bytes| {
        read(workspace, bytes).is_err_and(|error| error.to_string().contains("its decoder failed"))
    })
}

#[test]
fn a_decoder_that_panics_is_a_bad_file_and_does_not_stop_the_others() {
    let workspace = Workspace::new();
    let bad = file_that_makes_the_decoder_panic(&workspace);
    let bad = bad.expect("no decoder panics any more: nothing needs to be caught");
    workspace.write("bad.parquet", bad);
    let message = workspace.fails(3, &["query", "scene.json", "bad.parquet", "-o", "h.parquet"]);
    assert!(message.contains("bad.parquet") && message.contains("is damaged"), "{message}");
    let output =
        workspace.run(&["query", "scene.json", "bad.parquet", "rays.npy", "-o", "answers/"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("bad.parquet") && !message.contains("panicked"), "{message}");
    assert!(workspace.path("answers/rays.npz").exists(), "{message}");
}
