use super::*;
use serde::Deserialize;
use std::fs::File;
use std::io::BufReader;

/// Layouts of each source, with all that its points may have.
fn layouts() -> [CloudLayout; 3] {
    let layout = |source, has_normals, has_labels| CloudLayout {
        has_normals,
        has_labels,
        ..CloudLayout::of(source)
    };
    [
        layout(CloudSource::Image, true, false),
        CloudLayout {
            kept: vec!["tree_id".to_owned(), "order".to_owned()],
            ..layout(CloudSource::Rays, false, true)
        },
        CloudLayout { has_returns: true, ..layout(CloudSource::Scan, true, true) },
    ]
}

/// Points far from the origin, whose digits float32 does not hold.
fn points() -> Vec<CloudPoint> {
    let point = |index: u32| CloudPoint {
        position: [500_000.125 + 0.001 * f64::from(index), -3.25, f64::from(index)],
        geometry_id: u32::MAX - index,
        pixel: [index, 0],
        normal: [0.0, 0.6, -0.8],
        primitive_id: 7 * index,
        distance: 0.5 + index as f32,
        intensity: 0.001 * index as f32,
        normalized_intensity: 0.012 * index as f32,
        return_number: 2,
        number_of_returns: 5,
        incidence: 30.5,
        scan_angle: -12.0,
        pose_number: 65_000 + index,
        // A time of the epoch needs float64.
        time: 1_700_000_000.25 + 0.001 * f64::from(index),
        label: 60_000 + index as u16,
        kept: [-7, index as i32, 0, 0, 0, 0, 0, 0],
        color: [1, 2, index as u8],
    };
    (0..100).map(point).collect()
}

fn written(name: &str, layout: &CloudLayout) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let survey = Survey { start_time: 1_700_000_000.0, ..Survey::default() };
    let mut writer = CloudWriter::new(&path, layout).unwrap().with_survey(survey);
    points().chunks(7).for_each(|points| writer.add(points).unwrap());
    assert_eq!(writer.finish().unwrap(), 100);
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "no draft is left");
    (folder, path)
}

#[derive(Deserialize)]
struct Ply {
    vertex: Vec<Vertex>,
}

#[derive(Deserialize)]
struct Vertex {
    x: f64,
    y: f64,
    z: f64,
    geometry_id: u32,
    ring: u32,
    nz: f32,
}

#[test]
fn ply_holds_positions_in_float64() {
    let (_folder, path) = written("c.ply", &layouts()[0]);
    let ply: Ply = serde_ply::from_reader(BufReader::new(File::open(path).unwrap())).unwrap();
    assert_eq!(ply.vertex.len(), 100);
    for (vertex, point) in ply.vertex.iter().zip(points()) {
        assert_eq!([vertex.x, vertex.y, vertex.z], point.position);
        assert_eq!((vertex.geometry_id, vertex.ring), (point.geometry_id, point.pixel[0]));
        assert_eq!(vertex.nz, -0.8);
    }
}

#[test]
fn las_and_laz_hold_positions_to_their_scale_and_describe_extra_bytes() {
    for (layout, name) in layouts().iter().flat_map(|it| [(it, "c.LAS"), (it, "c.laz")]) {
        let (_folder, path) = written(name, layout);
        let bytes = std::fs::read(&path).unwrap();
        // The version, the bit of well-known text, and the point format, whose high bit marks compressed points.
        assert_eq!((&bytes[24..26], bytes[6] & 16), (&[1, 4][..], 16));
        assert_eq!(bytes[104], if name == "c.laz" { 128 + 6 } else { 6 });
        let mut reader = ::las::Reader::from_path(path).unwrap();
        assert_eq!(reader.header().number_of_points(), 100);
        assert!((reader.header().bounds().max.z - 99.0).abs() < 1e-6);
        let scale = reader.header().transforms().x.scale;
        assert_eq!(scale, 1e-4, "the extent is below 100");
        let described = reader.header().vlrs().iter().find(|vlr| vlr.record_id == 4).unwrap();
        assert!(described.data[4..].starts_with(b"geometry_id\0"));
        for (read, point) in reader.read_all().unwrap().points().zip(points()) {
            let read = read.unwrap();
            let [x, y, z] = point.position;
            let off = [read.x - x, read.y - y, read.z - z];
            assert!(off.iter().all(|off| off.abs() <= 0.51 * scale.max(1e-7)), "{off:?}");
            let is_scan = layout.source == CloudSource::Scan;
            let second = if is_scan { point.primitive_id } else { point.pixel[0] };
            let time = if is_scan { point.time - 1_700_000_000.0 } else { 0.0 };
            assert_eq!(read.gps_time, Some(time));
            assert_eq!(read.extra_bytes[..4], point.geometry_id.to_le_bytes());
            assert_eq!(read.extra_bytes[4..8], second.to_le_bytes());
            let label = u32::from(point.label).to_le_bytes();
            let at = if is_scan { 16 } else { 8 };
            assert!(!layout.has_labels || read.extra_bytes[at..at + 4] == label);
            let kept = [-7, point.kept[1]].map(i32::to_le_bytes);
            assert!(layout.kept.is_empty() || read.extra_bytes[12..] == kept.concat());
            let normal_z = read.extra_bytes.last_chunk().map(|bytes| f32::from_le_bytes(*bytes));
            assert!(!layout.has_normals || normal_z == Some(-0.8));
            let returns = if layout.has_returns { (2, 5) } else { (1, 1) };
            assert_eq!((read.return_number, read.number_of_returns), returns);
            let share = f64::from(point.normalized_intensity).min(1.0);
            let intensity = if layout.has_returns { (65_535.0 * share).round() } else { 0.0 };
            assert_eq!(f64::from(read.intensity), intensity);
            assert!(
                (read.scan_angle + 12.0).abs() < 0.003
                    && u32::from(read.point_source_id) == point.pose_number
            );
            let class = if layout.has_labels { 1 } else { 0 };
            assert_eq!(u8::from(read.classification), class);
        }
    }
}

#[test]
fn labels_are_classes_of_las_where_these_can_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.las");
    let layout = CloudLayout { has_labels: true, ..CloudLayout::of(CloudSource::Scan) };
    let labels = [0, 5, 12, 255, 256];
    let points = labels.map(|label| CloudPoint { label, ..CloudPoint::default() });
    let survey = Survey {
        label_names: [(5, "a tall tree beyond".to_owned()), (256, "no class".to_owned())].into(),
        crs_wkt: Some("LOCAL_CS[\"here\"]".to_owned()),
        ..Survey::default()
    };
    let mut writer = CloudWriter::new(&path, &layout).unwrap().with_survey(survey);
    writer.add(&points).unwrap();
    writer.finish().unwrap();
    let mut reader = ::las::Reader::from_path(&path).unwrap();
    let record =
        |id: u16| reader.header().vlrs().iter().find(|it| it.record_id == id).unwrap().clone();
    assert_eq!(record(2112).data, b"LOCAL_CS[\"here\"]\0");
    let lookup = record(0).data;
    assert_eq!((lookup.len(), &lookup[80..96]), (4096, &b"\x05a tall tree bey"[..]));
    let read = reader.read_all().unwrap();
    let classes: Vec<u8> = read.points().map(|it| it.unwrap().classification.into()).collect();
    assert_eq!(classes, [0, 5, 1, 255, 1]);
    let far = CloudPoint { pose_number: 65_536, ..CloudPoint::default() };
    let mut writer = CloudWriter::new(&folder.path().join("d.laz"), &layout).unwrap();
    writer.add(&[far]).unwrap();
    assert!(writer.finish().unwrap_err().to_string().contains("at most 65535 positions"));
    assert!(!folder.path().join("d.laz").exists());
}

#[test]
fn pcd_and_npy_hold_rows_of_the_columns_that_their_headers_name() {
    let (_folder, path) = written("c.npy", &layouts()[1]);
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes[10..256]).into_owned();
    assert!(text.starts_with("{'descr': [('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('geometry_id', '<u4'), ('ray_id', '<u4'), ('label', '<u4'), ('tree_id', '<i4'), ('order', '<i4')]"), "{text}");
    assert!((bytes.len() - 100 * 44) % 64 == 0 && text.contains("(100,)"), "{text}");
    let last = &bytes[bytes.len() - 44..];
    assert_eq!(last[..8], points()[99].position[0].to_le_bytes());
    assert_eq!(last[28..32], 99_u32.to_le_bytes());
    assert_eq!(last[32..36], 60_099_u32.to_le_bytes());
    assert_eq!(
        (&last[36..40], &last[40..]),
        (&(-7_i32).to_le_bytes()[..], &99_i32.to_le_bytes()[..])
    );

    let (_folder, path) = written("c.pcd", &layouts()[0]);
    let bytes = std::fs::read(path).unwrap();
    let header = bytes.len() - 100 * 36;
    let text = String::from_utf8(bytes[..header].to_vec()).unwrap();
    assert!(text.ends_with("POINTS 100\nDATA binary\n"), "{text}");
    assert!(text.contains("TYPE F F F U U U F F F\n") && text.contains("normal_z\n"), "{text}");

    let (_folder, path) = written("c.pcd", &layouts()[2]);
    let bytes = std::fs::read(path).unwrap();
    let rows = &bytes[bytes.len() - 100 * 70..];
    let text = String::from_utf8_lossy(&bytes[..bytes.len() - rows.len()]).into_owned();
    let fields = "x y z time geometry_id primitive_id ring column label distance intensity normalized_intensity return_number number_of_returns incidence normal_x normal_y normal_z";
    assert!(
        text.contains(&format!("FIELDS {fields}\nSIZE 4 4 4 8 4 4 4 4 4 4 4 4 1 1 4 ")),
        "{text}"
    );
    let last = &rows[99 * 70..];
    assert_eq!(last[12..20], points()[99].time.to_le_bytes());
    assert_eq!(last[24..28], 693_u32.to_le_bytes());
    assert_eq!(last[40..44], 99.5_f32.to_le_bytes());
}

#[test]
fn parquet_holds_a_column_for_each_field() {
    let (_folder, path) = written("c.parquet", &layouts()[2]);
    let table = crate::bytes::parquet::Table::open(&crate::FileStore::disk(), &path).unwrap();
    let names: Vec<&str> = table.columns().iter().map(|column| &column.name[..]).collect();
    let fields = "x y z time geometry_id primitive_id ring column label distance intensity normalized_intensity return_number number_of_returns incidence nx ny nz";
    assert_eq!(names.join(" "), fields);
    let types: Vec<String> = table.columns().iter().map(|column| column.type_name()).collect();
    assert_eq!((table.row_count(), &types[3][..], &types[8][..]), (100, "float64", "uint32"));
    let reader = ::parquet::file::reader::SerializedFileReader::new(File::open(path).unwrap());
    let rows: Vec<_> = reader.unwrap().into_iter().map(|row| row.unwrap().to_string()).collect();
    assert!(rows[99].contains("time: 1700000000.349, geometry_id: 4294967196, primitive_id: 693, ring: 99, column: 0, label: 60099, distance: 99.5, intensity: 0.09900001, normalized_intensity: 1.188, return_number: 2, number_of_returns: 5, incidence: 30.5"), "{}", rows[99]);
}

/// Numbers whose shortest digits are long, tiny or huge.
#[test]
fn text_reads_back_to_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let positions = [[0.1 + 0.2, -1.0 / 3.0, 1e-300], [-0.0, 4_512_345.678_901_234, 9e22]];
    let points = positions.map(|position| CloudPoint {
        position,
        time: 1_700_000_000.1,
        geometry_id: u32::MAX,
        distance: 0.1_f32 + 0.2,
        incidence: f32::MIN_POSITIVE,
        return_number: 15,
        kept: [i32::MIN; MAX_KEPT],
        ..CloudPoint::default()
    });
    let layout = CloudLayout { kept: vec!["tree_id".to_owned()], ..layouts()[2].clone() };
    let written = |name: &str| {
        let path = folder.path().join(name);
        let mut writer = CloudWriter::new(&path, &layout).unwrap();
        writer.add(&points).unwrap();
        writer.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    };
    let numbers = |line: &str, mark| line.split(mark).map(str::to_owned).collect::<Vec<_>>();
    let bits = |text: &String| text.parse::<f64>().unwrap().to_bits();
    let xyz = written("c.xyz");
    assert_eq!(xyz.lines().count(), 2);
    for (line, position) in xyz.lines().zip(positions) {
        let read: Vec<u64> = numbers(line, ' ').iter().map(bits).collect();
        assert_eq!(read, position.map(f64::to_bits), "{line}");
    }
    let csv = written("c.CSV");
    let mut lines = csv.lines();
    let names = "x,y,z,time,geometry_id,primitive_id,ring,column,label,tree_id,distance,intensity,normalized_intensity,return_number,number_of_returns,incidence,nx,ny,nz";
    assert_eq!(lines.next(), Some(names));
    for (line, position) in lines.zip(positions) {
        let cells = numbers(line, ',');
        assert_eq!(cells.len(), 19);
        let read: Vec<u64> = cells[..3].iter().map(bits).collect();
        assert_eq!(read, position.map(f64::to_bits), "{line}");
        assert_eq!(bits(&cells[3]), 1_700_000_000.1_f64.to_bits());
        assert_eq!([&cells[4][..], &cells[9], &cells[13]], ["4294967295", "-2147483648", "15"]);
        let single = |at: usize| cells[at].parse::<f32>().unwrap();
        assert_eq!((single(10), single(15)), (0.1_f32 + 0.2, f32::MIN_POSITIVE));
    }
}

#[test]
fn colours_are_as_each_format_has_them() {
    let colored = |layout: &CloudLayout| CloudLayout {
        color_by: Some(ColorBy::Column("tree_id".to_owned())),
        ..layout.clone()
    };
    let (_folder, path) = written("c.npy", &colored(&layouts()[1]));
    let bytes = std::fs::read(path).unwrap();
    assert!(
        String::from_utf8_lossy(&bytes[..300])
            .contains("('red', '|u1'), ('green', '|u1'), ('blue', '|u1')")
    );
    assert_eq!(bytes[bytes.len() - 3..], [1, 2, 99]);
    let (_folder, path) = written("c.pcd", &colored(&layouts()[0]));
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes[..400]).into_owned();
    assert!(
        text.contains("normal_z rgb\n") && text.contains("TYPE F F F U U U F F F F\n"),
        "{text}"
    );
    assert_eq!(bytes[bytes.len() - 4..], [99, 2, 1, 0]);
    for (layout, name) in layouts().iter().flat_map(|it| [(it, "c.las"), (it, "c.laz")]) {
        let (_folder, path) = written(name, &colored(layout));
        let mut reader = ::las::Reader::from_path(path).unwrap();
        let read = reader.read_all().unwrap();
        let last = read.points().last().unwrap().unwrap();
        assert_eq!(last.color.map(|it| [it.red, it.green, it.blue]), Some([257, 514, 99 * 257]));
        assert_eq!(last.extra_bytes[..4], points()[99].geometry_id.to_le_bytes());
    }
    let named = CloudLayout { kept: vec!["red".to_owned()], ..colored(&layouts()[1]) };
    assert!(CloudWriter::new(Path::new("c.csv"), &named).unwrap_err().to_string().contains("red"));
}

#[test]
fn heights_run_from_the_lowest_to_the_highest_point_of_the_cloud() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.csv");
    let layout =
        CloudLayout { color_by: Some(ColorBy::Height), ..CloudLayout::of(CloudSource::Rays) };
    let mut writer = CloudWriter::new(&path, &layout).unwrap();
    assert_eq!(writer.height_range(), None);
    for z in [5.0, -3.0, 1.0] {
        let position = [0.0, 0.0, z];
        writer.add(&[CloudPoint { position, ..CloudPoint::default() }]).unwrap();
    }
    assert_eq!(writer.height_range(), Some([-3.0, 5.0]));
    writer.finish().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let colors: Vec<&str> =
        text.lines().skip(1).map(|it| it.splitn(6, ',').nth(5).unwrap()).collect();
    let expected = [5.0, -3.0, 1.0].map(|z| {
        crate::image::color::of_distance(z, [-3.0, 5.0]).map(|part| part.to_string()).join(",")
    });
    assert_eq!(colors, expected);
    assert!(colors[0] != colors[1] && colors[1] != colors[2]);
}

#[test]
fn an_empty_cloud_and_an_unknown_extension() {
    let folder = tempfile::tempdir().unwrap();
    for format in &CLOUD_FORMATS {
        let path = folder.path().join("c").with_extension(format.extension);
        assert_eq!(CloudWriter::new(&path, &layouts()[0]).unwrap().finish().unwrap(), 0);
        assert!(path.exists());
    }
    let other = folder.path().join("c.asc");
    let refused = CloudWriter::new(&other, &layouts()[0]).unwrap_err().to_string();
    assert!(refused.ends_with("give a .ply, .pcd, .las, .laz, .npy, .parquet, .csv or .xyz"));
    assert!(!other.exists());
}

#[test]
fn the_disk_that_points_take_is_said_from_a_gigabyte_on() {
    let layout = CloudLayout { has_returns: true, ..CloudLayout::of(CloudSource::Scan) };
    let notice = |name: &str, beams, most_returns| {
        disk_notice(Path::new(name), &layout, beams, most_returns).unwrap()
    };
    // A point takes 74 bytes in LAS, and 66 elsewhere.
    assert_eq!(notice("c.laz", 13_513_513, 1), None);
    let message = notice("c.laz", 100_000_000, 1).unwrap();
    assert_eq!(
        message,
        "c.laz: its points need up to 7.4 GB of disk space in the same folder until the file is written"
    );
    let message = notice("c.npy", 100_000_000, 5).unwrap();
    assert!(message.contains("6.6 GB") && message.ends_with("33.0 GB if each beam has 5 returns"));
    assert!(notice("c.ply", u64::MAX, 15).is_some());
    assert!(disk_notice(Path::new("c.asc"), &layout, 1, 1).is_err());
}
