//! Ray files of any length are read, cast and written in batches, which changes no answer.

use crate::common::gpu;
use crate::common::workspace::*;
use raytwin::query::Rays;
use raytwin::{Answers, Batch, CpuTracer, HitArrays, Hits, PackedScene, Query, Ray, Scene, Tracer};
use raytwin_files::FileError;
use raytwin_files::rays::{AnswerWriter, RayReader, read_rays, write_answers};
use raytwin_formats::Options;
use std::io::Write;
use std::path::Path;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

const ARRAYS: [&str; 4] = ["t_hit", "geometry_ids", "primitive_ids", "primitive_normals"];

/// More rays than a batch of the program holds.
const MANY: usize = (1 << 20) + 1000;

/// Rays around the scene of [`Workspace`], as rows of eight numbers. The fifth last is invalid.
fn rows(count: usize) -> Vec<[f32; 8]> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut rows: Vec<_> = (0..count)
        .map(|_| {
            let mut row = [0.0; 8].map(|_: f32| 4.0 * random.f32() - 2.0);
            (row[6], row[7]) = (0.25 * random.f32(), 3.0 + random.f32());
            row
        })
        .collect();
    if let Some(row) = count.checked_sub(5) {
        rows[row][3..6].fill(0.0);
    }
    rows
}

/// Makes an `.npy` of the first `columns` numbers of each row.
fn file(rows: &[[f32; 8]], columns: usize) -> Vec<u8> {
    let numbers: Vec<f32> = rows.iter().flat_map(|row| &row[..columns]).copied().collect();
    npy("<f4", "False", &format!("({}, {columns})", rows.len()), &float32(&numbers))
}

fn archive(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = SimpleFileOptions::default().compression_method(method);
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn rays(rows: &[[f32; 8]], columns: usize) -> Vec<Ray> {
    let ray = |row: &[f32; 8]| {
        let ray = Ray::new([row[0], row[1], row[2]], [row[3], row[4], row[5]]);
        if columns == 8 { ray.within(row[6], row[7]) } else { ray }
    };
    rows.iter().map(ray).collect()
}

/// Casts all rays in one batch with the library, and returns the bytes of each array.
fn at_once(workspace: &Workspace, rays: &[Ray]) -> [Vec<u8>; 4] {
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let hits = CpuTracer::new(&packed).closest(Batch::new(rays)).unwrap();
    bytes(&Hits::new(&scene, Batch::new(rays), &hits, HitArrays::ALL))
}

fn bytes(hits: &Hits) -> [Vec<u8>; 4] {
    let words = |ids: &[u32]| ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    [
        float32(&hits.t_hit),
        words(&hits.geometry_ids),
        words(&hits.primitive_ids),
        float32(hits.primitive_normals.as_flattened()),
    ]
}

/// Reads the arrays of a folder without their headers, and checks the shape in each header.
fn in_folder(folder: &Path, count: usize) -> [Vec<u8>; 4] {
    ARRAYS.map(|name| {
        let mut bytes = std::fs::read(folder.join(format!("{name}.npy"))).unwrap();
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let shape = if name == "primitive_normals" {
            format!("'shape': ({count}, 3),")
        } else {
            format!("'shape': ({count},),")
        };
        let text = String::from_utf8_lossy(&bytes[10..header]).into_owned();
        assert!(text.contains(&shape) && text.ends_with('\n') && header % 64 == 0, "{text}");
        bytes.split_off(header)
    })
}

fn in_archive(path: &Path) -> [Vec<u8>; 4] {
    ARRAYS.map(|name| array(path, name))
}

#[test]
fn a_file_longer_than_a_batch_is_answered_as_one_batch() {
    let workspace = Workspace::new();
    let rows = rows(MANY);
    for columns in [6, 8] {
        workspace.write("many.npy", file(&rows, columns));
        let expected = at_once(&workspace, &rays(&rows, columns));
        let query = ["query", "scene.json", "many.npy", "--device", "cpu", "-o"];
        let summary = workspace.json(&[&query[..], &["new/answers/"]].concat());
        assert_eq!((&summary["rays"], &summary["invalid"]), (&MANY.into(), &1.into()));
        assert_eq!(summary["files"].as_array().unwrap().len(), 4);
        assert!(summary["total_s"].as_f64().unwrap() >= summary["trace_s"].as_f64().unwrap());
        let answers = workspace.path("new/answers");
        assert!(in_folder(&answers, MANY) == expected, "{columns} columns");
        assert_eq!(answers.read_dir().unwrap().count(), 4, "nothing else lies there");
        std::fs::remove_dir_all(workspace.path("new")).unwrap();
        workspace.json(&[&query[..], &["answers.npz"]].concat());
        assert!(in_archive(&workspace.path("answers.npz")) == expected, "{columns} columns");
        std::fs::remove_file(workspace.path("answers.npz")).unwrap();
        // The message counts the ray from the start of the file, not of its batch.
        let strict = workspace.fails(3, &[&query[..], &["new/", "--strict"]].concat());
        assert!(strict.contains(&format!("ray {} cannot be cast", MANY - 5)), "{strict}");
    }
}

#[test]
fn a_gpu_answers_a_file_as_the_library_answers_its_rays() {
    let workspace = Workspace::new();
    let rows = rows(3000);
    workspace.write("rays.npy", file(&rows, 8));
    let query = ["query", "scene.json", "rays.npy", "--device", "gpu", "-o", "answers"];
    workspace.json(&query);
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = raytwin::gpu::GpuTracer::new(&gpu(), &packed).unwrap();
    let rays = rays(&rows, 8);
    let hits = Hits::new(
        &scene,
        Batch::new(&rays),
        &tracer.closest(Batch::new(&rays)).unwrap(),
        HitArrays::ALL,
    );
    assert!(hits.hit_count() > 100);
    assert!(in_folder(&workspace.path("answers"), rows.len()) == bytes(&hits));
}

#[test]
fn rays_are_read_from_archives_in_batches_of_any_size() {
    let workspace = Workspace::new();
    let rows = rows(1000);
    let npy = file(&rows, 6);
    let numbers: Vec<u8> =
        rows.iter().flat_map(|row| &row[..6]).flat_map(|n| n.to_be_bytes()).collect();
    workspace.write(
        "other_end.npy",
        crate::common::workspace::npy(">f4", "False", "(1000, 6)", &numbers),
    );
    workspace.write("plain.npy", &npy);
    for (name, method) in
        [("stored.npz", CompressionMethod::Stored), ("deflated.npz", CompressionMethod::Deflated)]
    {
        workspace.write(name, archive(&[("rays.npy", &npy)], method));
    }
    for name in ["plain.npy", "other_end.npy", "stored.npz", "deflated.npz"] {
        let whole = Rays { rays: rays(&rows, 6), ..Rays::default() };
        assert_eq!(read_rays(workspace.path(name)).unwrap(), whole, "{name}");
        for size in [1, 7, 999, 1000, 1001] {
            let reader = RayReader::open(workspace.path(name)).unwrap();
            assert_eq!((reader.len(), reader.is_empty()), (1000, false));
            let mut read = Vec::new();
            let end = reader.batches(size, |batch| {
                assert!(!batch.is_empty() && batch.len() <= size);
                read.extend(batch.rays);
                Ok::<(), FileError>(())
            });
            end.unwrap();
            assert_eq!(read, rays(&rows, 6), "{name} by {size}");
        }
    }
    workspace.write("other.npz", archive(&[("points.npy", &npy)], CompressionMethod::Stored));
    let other = RayReader::open(workspace.path("other.npz")).unwrap_err().to_string();
    assert!(other.contains("other.npz") && other.contains("points"), "{other}");
}

#[test]
fn answers_written_in_pieces_equal_those_written_whole() {
    let workspace = Workspace::new();
    let rays = rays(&rows(500), 8);
    let scene: Scene =
        raytwin_formats::load(workspace.path("scene.json"), &Options::default()).unwrap().scene;
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = CpuTracer::new(&packed);
    let answers = |rays: &[Ray]| {
        let batch = Batch::new(rays);
        Answers::Closest(Hits::new(&scene, batch, &tracer.closest(batch).unwrap(), HitArrays::ALL))
    };
    let query = Query::CLOSEST;
    write_answers(workspace.path("whole.npz"), query, &answers(&rays)).unwrap();
    for size in [1, 33, 500] {
        let mut writer = AnswerWriter::file(workspace.path("pieces.npz"), query).unwrap();
        for piece in rays.chunks(size) {
            writer.write(&answers(piece)).unwrap();
        }
        writer.finish().unwrap();
        let pieces = in_archive(&workspace.path("pieces.npz"));
        assert!(pieces == in_archive(&workspace.path("whole.npz")), "by {size}");
    }
    let before = workspace.listing();
    let mut writer = AnswerWriter::folder(workspace.path("other"), Query::Any).unwrap();
    let other = writer.write(&answers(&rays)).unwrap_err().to_string();
    assert!(other.contains("do not belong to the query any"), "{other}");
    drop(writer);
    assert_eq!(workspace.listing(), before, "the draft is removed");
}

#[test]
fn no_rays_give_empty_arrays() {
    let workspace = Workspace::new();
    workspace.write("none.npy", npy("<f4", "False", "(0, 6)", &[]));
    for device in ["cpu", "gpu"] {
        workspace.json(&["query", "scene.json", "none.npy", "-o", "none", "--device", device]);
        assert!(in_folder(&workspace.path("none"), 0).iter().all(Vec::is_empty));
    }
}

#[test]
fn existing_answers_are_replaced_only_by_whole_ones() {
    let workspace = Workspace::new();
    let rows = rows(2000);
    workspace.write("good.npy", file(&rows[..1000], 6));
    let mut damaged = archive(&[("rays.npy", &file(&rows, 6))], CompressionMethod::Stored);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    workspace.write("damaged.npz", damaged);
    let mut cut = file(&rows, 6);
    cut.truncate(cut.len() - 1);
    workspace.write("cut.npy", cut);
    let mut deflated = archive(&[("rays.npy", &file(&rows, 6))], CompressionMethod::Deflated);
    let middle = deflated.len() / 2;
    deflated[middle..middle + 99].fill(0);
    workspace.write("deflated.npz", deflated);
    std::fs::create_dir(workspace.path("v1.0")).unwrap();
    for output in ["answers.npz", "answers/", "v1.0", "answers"] {
        let query = |rays, more: &[&'static str]| {
            let arguments = ["query", "scene.json", rays, "--device", "cpu", "-o", output];
            [&arguments[..], more].concat()
        };
        let read = || {
            let path = workspace.path(output);
            if path.is_dir() { in_folder(&path, 1000) } else { in_archive(&path) }
        };
        workspace.json(&query("good.npy", &[]));
        let first = read();
        for (rays, word) in
            [("damaged.npz", "damaged"), ("cut.npy", "truncated"), ("deflated.npz", "rays")]
        {
            let message = workspace.fails(3, &query(rays, &[]));
            assert!(message.contains(rays) && message.contains(word), "{message}");
        }
        workspace.write("bad.npy", file(&rows, 6));
        workspace.fails(3, &query("bad.npy", &["--strict"]));
        assert!(read() == first, "{output}");
        workspace.write("other.npy", file(&rows[500..1500], 6));
        workspace.json(&query("other.npy", &[]));
        assert!(read() != first, "{output}");
    }
    for folder in ["answers", "v1.0"] {
        assert_eq!(
            workspace.path(folder).read_dir().unwrap().count(),
            4,
            "nothing else lies there"
        );
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_before_rays_are_cast() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    for output in ["file/", "file/inside/", "file"] {
        let message = workspace.fails(3, &["query", "scene.json", "rays.npy", "-o", output]);
        assert!(message.contains("file") && !message.contains("device:"), "{message}");
    }
    let ending = workspace.fails(2, &["query", "scene.json", "rays.npy", "-o", "hits.txt"]);
    assert!(ending.contains(".npz") && ending.contains("slash"), "{ending}");
}
