use super::*;
use crate::clouds::{CloudLayout, CloudPoint, CloudSource, CloudWriter};
use std::fs;

/// The points of a file, and its other columns as text.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<(Vec<[f64; 3]>, Vec<String>), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let without = PointReader::open(&path);
    let read = PointReader::open_with_columns(&path)
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))?;
    let table = read.table().unwrap();
    let without = without.unwrap().table().unwrap();
    let bits =
        |table: &PointTable| table.positions.concat().iter().map(|it| it.to_bits()).collect();
    let [with, without]: [Vec<u64>; 2] = [bits(&table), bits(&without)];
    assert_eq!(with, without);
    let text = |column: &column::Column| {
        let cells = (0..table.positions.len()).map(|row| column.values.text(row));
        format!("{}: {}", column.name, cells.collect::<Vec<_>>().join(" "))
    };
    Ok((table.positions.clone(), table.kept.iter().map(text).collect()))
}

const PLY: &str = "ply\nformat ascii 1.0\ncomment by hand\nelement camera 1\nproperty int f\n\
    element vertex 2\nproperty float x\nproperty double z\nproperty float y\nproperty uchar red\n\
    property short turn\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    35\n0.5 2.25 -1 255 -7\n1e3 503214.01 nan 0 8\n3 0 1 1\n";

#[test]
fn a_ply_of_text_is_read_with_its_properties() {
    let (positions, columns) = read("a.ply", PLY).unwrap();
    assert_eq!(positions[0], [0.5, -1.0, 2.25]);
    assert!(positions[1][1].is_nan() && positions[1][2] == 503_214.01);
    assert_eq!(columns, ["red: 255 0", "turn: -7 8"]);
}

#[test]
fn a_binary_ply_is_read_in_both_byte_orders() {
    let head = |order: &str| {
        format!(
            "ply\nformat binary_{order}_endian 1.0\nelement vertex 1\nproperty double x\nproperty float y\n\
             property float z\nproperty int id\nproperty float share\nend_header\n"
        )
        .into_bytes()
    };
    let little = [
        &503_214.01_f64.to_le_bytes()[..],
        &(-1.5_f32).to_le_bytes(),
        &2_f32.to_le_bytes(),
        &(-9_i32).to_le_bytes(),
        &0.1_f32.to_le_bytes(),
    ];
    let big: Vec<u8> = little.iter().flat_map(|number| number.iter().rev().copied()).collect();
    for (order, numbers) in [("little", little.concat()), ("big", big)] {
        let file = [head(order), numbers].concat();
        let (positions, columns) = read("a.ply", &file).unwrap();
        assert_eq!(positions, [[503_214.01, -1.5, 2.0]]);
        assert_eq!(columns, ["id: -9", "share: 0.1"]);
        let error = read("a.ply", &file[..file.len() - 1]).unwrap_err();
        assert!(error.contains("a.ply: is truncated: it ends before the 1 points"), "{error}");
        let error = read("a.ply", [&file[..], b"more"].concat()).unwrap_err();
        assert!(error.contains("continues after the 1 points"), "{error}");
    }
}

const PCD: &str = "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb _ fpfh label\nSIZE 4 4 4 4 1 4 4\n\
    TYPE F F F F U F U\nCOUNT 1 1 1 1 2 2 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n";

#[test]
fn a_pcd_is_read_of_text_and_of_bytes() {
    let text = format!("{PCD}DATA ascii\n1 2 3 4.2108e+06 0 0 7 8 5\nnan 0 -1 0 0 0 7 8 6\n");
    let (positions, columns) = read("a.pcd", text).unwrap();
    assert_eq!(positions[0], [1.0, 2.0, 3.0]);
    assert!(positions[1][0].is_nan());
    let bits = 4.2108e6_f32.to_bits();
    assert_eq!(columns, [format!("rgb: {bits} 0"), "label: 5 6".to_owned()]);

    let point = |x: f32, label: u32| {
        let numbers = [x, 0.5, -2.0].map(f32::to_le_bytes).concat();
        // A colour's bits may be those of no number.
        [&numbers[..], &0x7fc0_ff01_u32.to_le_bytes(), &[0; 2], &[0; 8], &label.to_le_bytes()]
            .concat()
    };
    let head = format!("{PCD}DATA binary\n").into_bytes();
    let file = [head, point(1.0, 3), point(2.0, 4)].concat();
    let (positions, columns) = read("a.pcd", &file).unwrap();
    assert_eq!(positions, [[1.0, 0.5, -2.0], [2.0, 0.5, -2.0]]);
    assert_eq!(columns, ["rgb: 2143354625 2143354625", "label: 3 4"]);
    let error = read("a.pcd", &file[..file.len() - 1]).unwrap_err();
    assert!(error.contains("is truncated"), "{error}");
}

#[test]
fn clouds_that_cannot_be_read_are_refused_with_what_is_wrong() {
    let pcd = |from: &str, to: &str| format!("{PCD}DATA ascii\n").replace(from, to);
    for (name, text, reason) in [
        ("a.pcd", pcd("POINTS 2", "POINTS 18446744073709551615"), "WIDTH times HEIGHT is 2"),
        (
            "a.pcd",
            pcd("POINTS 2", "").replace("WIDTH 2", "WIDTH 18446744073709551615"),
            "truncated",
        ),
        ("a.pcd", pcd("COUNT 1 1 1 1 2 2", "COUNT 1 1 1 1 18446744073709551615 2"), "truncated"),
        ("a.pcd", pcd("DATA ascii", "DATA binary_compressed"), "a.pcd:11:1: DATA is compressed"),
        ("a.pcd", pcd("COUNT 1 1 1", "COUNT 2 1 1"), "several numbers x"),
        ("a.pcd", pcd("FIELDS x y z", "FIELDS x y w"), "have no z"),
        ("a.pcd", pcd("SIZE 4 4", "SIZE 3 4"), "x has TYPE F and SIZE 3"),
        ("a.pcd", pcd("label", ""), "the same number of words"),
        ("a.pcd", "VERSION 0.7\n".to_owned(), "a.pcd:2:1: has no line DATA"),
        ("a.ply", PLY.replace("-1 255", "-1 256"), "a.ply:16:13: red is '256': it must be a whole"),
        ("a.ply", PLY.replace("0.5 2.25", "0.5 up"), "a.ply:16:5: z is 'up': it must be a number"),
        ("a.ply", PLY.replace("vertex 2", "vertex 99999999999"), "is truncated"),
        ("a.ply", PLY.replace("element vertex 2", "element point 2"), "has no element vertex"),
        ("a.ply", PLY.replace("camera 1", "camera 99999999999"), "camera: comes before"),
        (
            "a.ply",
            PLY.replace("property uchar red", "property list uchar int red"),
            "vertex: has lists",
        ),
        ("a.ply", PLY.replace("uchar red", "uchar x"), "have x twice"),
        ("a.ply", "plyboard".to_owned(), "not a PLY header"),
    ] {
        let error = read(name, text).unwrap_err();
        assert!(error.starts_with(name) && error.contains(reason), "{reason}: {error}");
    }
}

/// A cloud of a scan, as a file.
fn cloud(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let layout = CloudLayout { has_returns: true, ..CloudLayout::of(CloudSource::Scan) };
    let mut writer = CloudWriter::new(&path, &layout).unwrap();
    let point = |index: u32| CloudPoint {
        position: [503_214.01 + f64::from(index), 5_648_120.25, 0.5 * f64::from(index)],
        geometry_id: u32::MAX - index,
        return_number: 1,
        number_of_returns: 2,
        normalized_intensity: 0.5,
        distance: 1.5,
        time: 0.25 * f64::from(index),
        pose_number: 3,
        ..CloudPoint::default()
    };
    writer.add(&(0..100).map(point).collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    fs::read(path).unwrap()
}

#[test]
fn las_and_laz_are_read_with_their_scale_their_fields_and_their_extra_bytes() {
    for name in ["a.las", "a.LAZ"] {
        let (positions, columns) = read(name, cloud(name)).unwrap();
        assert_eq!(positions.len(), 100);
        // Not a bit is lost of what the file's decimals are.
        assert_eq!(positions[7], [503_221.01, 5_648_120.25, 3.5]);
        let column = |name: &str| {
            let found = columns.iter().find_map(|column| column.strip_prefix(&format!("{name}: ")));
            found.unwrap_or_else(|| panic!("{name} is absent")).to_owned()
        };
        assert!(column("intensity").starts_with("32768 32768 "));
        assert!(column("number_of_returns").starts_with("2 2 "));
        assert!(column("gps_time").starts_with("0 0.25 0.5 "));
        assert!(column("geometry_id").starts_with("4294967295 4294967294 "));
        assert!(column("distance").starts_with("1.5 1.5 "));
        assert!(column("point_source_id").ends_with(" 3"));
        assert!(columns.iter().all(|column| !column.starts_with("red")));
    }
}

#[test]
fn las_and_laz_that_claim_more_than_they_hold_are_refused() {
    for name in ["a.las", "a.laz"] {
        let whole = cloud(name);
        // Every tenth length, and all of the header.
        for length in (0..whole.len()).filter(|length| *length < 375 || length % 10 == 0) {
            assert!(read(name, &whole[..length]).is_err(), "{name}: {length}");
        }
        let changed = |at: usize, bytes: &[u8]| {
            let mut file = whole.clone();
            file[at..at + bytes.len()].copy_from_slice(bytes);
            read(name, file).unwrap_err()
        };
        // The count of points, the scale of x, the size of a point, and its format.
        let error = changed(247, &u64::MAX.to_le_bytes());
        assert!(error.contains("its header declares"), "{error}");
        let error = changed(131, &f64::NAN.to_le_bytes());
        assert!(error.contains("with the scale NaN"), "{error}");
        let error = changed(105, &5_u16.to_le_bytes());
        assert!(error.contains("points of 5 bytes"), "{error}");
        let error = changed(104, &[11]);
        assert!(error.contains("of format 11"), "{error}");
        let error = changed(0, b"LASX");
        assert!(!error.is_empty());
    }
}
