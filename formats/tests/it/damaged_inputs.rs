//! Readers of every format report what is wrong with damaged files, and take little memory. `tools/mutate_inputs.rs`
//! tries more files.

use crate::damage::{READERS, Reader, damaged, is_read};
use crate::memory;
use crate::numpy::{npy, zipped};
use flate2::write::DeflateEncoder;
use raytwin_files::points::PointReader;
use raytwin_files::rays::RayReader;
use raytwin_formats::Options;
use std::io::Write;
use std::path::Path;

/// The memory that all readers of these small files may take at once.
const MOST_MEMORY: usize = 256 << 20;

#[test]
fn every_reader_survives_damaged_files_in_little_memory() {
    memory::alone("damaged_inputs::every_reader_survives_damaged_files_in_little_memory", || {
        const FILES: u64 = 500;
        let folder = tempfile::tempdir().unwrap();
        Reader::prepare(folder.path());
        for reader in &READERS {
            let seeds = (reader.seeds)();
            for (index, seed) in seeds.iter().enumerate() {
                std::fs::write(folder.path().join(reader.file), seed.file()).unwrap();
                let read = (reader.read)(folder.path());
                assert!(read.is_ok(), "{} {index}: {}", reader.name, read.unwrap_err());
            }
            let mut counts = [0, 0];
            for iteration in 0..FILES {
                let bytes = damaged(&seeds, 7, iteration);
                let read = std::panic::catch_unwind(|| is_read(reader, folder.path(), &bytes));
                let is_read = read.unwrap_or_else(|_| {
                    panic!("{}: file {iteration} of seed 7 ends in a panic: {bytes:?}", reader.name)
                });
                counts[usize::from(is_read)] += 1;
                let most = memory::most_allocated();
                assert!(
                    most < MOST_MEMORY,
                    "{}: file {iteration} of seed 7 takes {most} bytes",
                    reader.name
                );
            }
            assert!(counts.iter().all(|&count| count > FILES / 50), "{}: {counts:?}", reader.name);
        }
    });
}

#[test]
fn every_text_may_begin_with_a_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    Reader::prepare(folder.path());
    for reader in &READERS {
        for (index, seed) in (reader.seeds)().iter().enumerate() {
            let Ok(text) = String::from_utf8(seed.file()) else { continue };
            // What holds a zero is binary.
            if !text.contains('\0') {
                std::fs::write(folder.path().join(reader.file), format!("\u{feff}{text}")).unwrap();
                let read = (reader.read)(folder.path());
                assert!(read.is_ok(), "{} {index}: {}", reader.name, read.unwrap_err());
            }
        }
    }
}

#[test]
fn every_reader_has_a_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for Reader { name, .. } in &READERS {
        let file = format!("fuzz_targets/{}.rs", name.replace('-', "_"));
        let target = std::fs::read_to_string(folder.join(&file)).unwrap_or_default();
        assert!(target.contains(&format!("target!(\"{name}\")")), "{file} does not read {name}");
        let entry = format!("name = \"{name}\"\npath = \"{file}\"");
        assert!(manifest.contains(&entry), "fuzz/Cargo.toml has no entry for {name}");
    }
    assert_eq!(std::fs::read_dir(folder.join("fuzz_targets")).unwrap().count(), READERS.len());
}

/// Makes an archive of one array whose directory claims this length, in the format for archives of more than 4 GiB.
fn claiming(name: &str, data: &[u8], method: u16, claimed: u64) -> Vec<u8> {
    let name = format!("{name}.npy").into_bytes();
    let packed = if method == 0 { claimed } else { data.len() as u64 };
    // Both headers share the version, flags, method, time and date, checksum and lengths.
    let mut head = [&[45, 0, 0, 0][..], &method.to_le_bytes(), &[0; 8], &[0xff; 8]].concat();
    head.extend((name.len() as u16).to_le_bytes());
    head.extend(20_u16.to_le_bytes());
    let lengths = [&[1, 0, 16, 0][..], &claimed.to_le_bytes(), &packed.to_le_bytes()].concat();
    let local = [&b"PK\x03\x04"[..], &head, &name, &lengths, data].concat();
    let entry = [&b"PK\x01\x02\x2d\x00"[..], &head, &[0; 14], &name, &lengths].concat();
    let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
    end.extend((entry.len() as u32).to_le_bytes());
    end.extend((local.len() as u32).to_le_bytes());
    [local, entry, end, vec![0; 2]].concat()
}

/// Reads these bytes as a scene, as rays and as points, and returns the three errors.
fn refusals(path: &Path, bytes: &[u8]) -> [String; 3] {
    std::fs::write(path, bytes).unwrap();
    let scene = raytwin_formats::load(path, &Options::default()).map(drop);
    let rays = RayReader::open(path).and_then(|rays| rays.batches(usize::MAX, |_| Ok(())));
    let points = PointReader::open(path).and_then(|points| points.batches(usize::MAX, |_| Ok(())));
    [scene, rays, points].map(|read| read.unwrap_err().to_string())
}

#[test]
fn a_length_that_an_archive_claims_is_not_believed() {
    memory::alone("damaged_inputs::a_length_that_an_archive_claims_is_not_believed", || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npz");
        for (reader, name, columns) in [(0, "sphere", 4), (1, "rays", 6), (2, "points", 3)] {
            const ROWS: u64 = 10_000_000_000;
            let head = npy("<f4", "False", &format!("({ROWS}, {columns})"), &[]);
            let claimed = 4 * columns * ROWS + head.len() as u64;
            let shape_error = &refusals(&path, &claiming(name, &head, 0, claimed))[reader];
            for word in ["a.npz", name, "declares", &claimed.to_string()] {
                assert!(shape_error.contains(word), "{word}: {shape_error}");
            }
        }
        assert!(memory::most_allocated() < MOST_MEMORY);
    });
}

#[test]
fn archives_that_unpack_to_far_more_than_their_length_take_little_memory() {
    memory::alone(
        "damaged_inputs::archives_that_unpack_to_far_more_than_their_length_take_little_memory",
        || {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.npz");
            let rows = (1_u64 << 26) + 1;
            let head = npy("<f4", "False", &format!("({rows}, 4)"), &[]);
            let bomb = claiming("sphere", &deflated(&head), 8, 16 * rows + head.len() as u64);
            let [shape_error, ..] = refusals(&path, &bomb);
            assert!(
                shape_error.contains("has 67108865 shapes: a bulk scene can have at most 67108864"),
                "{shape_error}"
            );

            // The first sphere has no radius, so no memory is reserved for those after it. Where less is free than all would
            // need, they are refused before any is read.
            let rows = 1 << 26;
            let head = npy("<f8", "False", &format!("({rows}, 4)"), &[]);
            let zeros = [head, vec![0; 32 << 16]].concat();
            let bomb = claiming("sphere", &deflated(&zeros), 8, 32 * rows + 128);
            let [shape_error, ..] = refusals(&path, &bomb);
            let is_refused = ["sphere[0].radius", "its 67108864 shapes need 53.7 GB of memory"]
                .iter()
                .any(|words| shape_error.contains(words));
            assert!(is_refused, "{shape_error}");
            assert!(memory::most_allocated() < MOST_MEMORY);
        },
    );
}

/// Deflates these bytes and appends three million empty blocks.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.flush().unwrap();
    [packed.get_ref(), &[0, 0, 0, 0xff, 0xff].repeat(600_000)[..]].concat()
}

#[test]
fn an_archive_with_the_same_array_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let spheres = npy("<f4", "False", "(0, 4)", &[]);
    let [shape_error, ..] =
        refusals(&path, &zipped(&[("sphere", spheres.clone()), ("sphere.npy", spheres)]));
    assert!(shape_error.contains("sphere: occurs twice"), "{shape_error}");
}
