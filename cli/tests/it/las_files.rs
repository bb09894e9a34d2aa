//! Scans as LAS keep the rules of the format, and have the points of the same scans in NumPy's.

use crate::common::las_rules;
use crate::common::workspace::*;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/");

/// A row of a cloud of returns with labels in NumPy's format.
struct Row<'a>(&'a [u8]);

const ROW: usize = 70;

impl Row<'_> {
    fn f64(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    fn u32(&self, at: usize) -> f64 {
        f64::from(u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap()))
    }

    fn f32(&self, at: usize) -> f64 {
        f64::from(f32::from_le_bytes(self.0[at..at + 4].try_into().unwrap()))
    }
}

/// Writes a scan from one height, whose times begin at 0, as LAS and in NumPy's format, and holds the two to each other. Returns how many points have several
/// returns, and the positions that they were seen from.
fn hold(workspace: &Workspace, scan: &[&str], extinction: f64, height: f64) -> (usize, Vec<u16>) {
    let labels = ["--label-ids", "--intensity", "--device", "cpu", "-o"];
    workspace.json(&[scan, &labels, &["c.npy"]].concat());
    workspace.json(&[scan, &labels, &["c.las", "--crs", "EPSG:25832"]].concat());
    let bytes = std::fs::read(workspace.path("c.npy")).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let rows: Vec<Row<'_>> = bytes[header..].chunks_exact(ROW).map(Row).collect();
    let file = las_rules::read(&std::fs::read(workspace.path("c.las")).unwrap()).unwrap();
    assert!(rows.len() > 1000 && rows.len() == file.points.len(), "{scan:?}: {}", rows.len());
    for (index, (row, point)) in rows.iter().zip(&file.points).enumerate() {
        for axis in 0..3 {
            let off = (row.f64(8 * axis) - point.position[axis]).abs();
            assert!(off <= 0.51 * file.scales[axis], "{scan:?}: {off} {point:?}");
        }
        assert!((row.f64(24) - point.time).abs() < 1e-9, "{scan:?}: {point:?}");
        let names = ["geometry_id", "primitive_id", "ring", "column", "label"];
        for (at, name) in (32..).step_by(4).zip(names) {
            assert_eq!(file.extra(index, name), Some(row.u32(at)), "{scan:?}: {name}");
        }
        assert_eq!(file.extra(index, "distance"), Some(row.f32(52)));
        assert_eq!(file.extra(index, "incidence"), Some(row.f32(66)));
        assert_eq!(f64::from(point.class), row.u32(48));
        assert_eq!([point.return_number, point.number_of_returns], row.0[64..66]);
        let down = (height - point.position[2]) / row.f32(52);
        assert!((point.scan_angle.abs().to_radians().cos() - down).abs() < 1e-4, "{point:?}");
        assert_eq!(point.flags, 0);
        let distance = row.f32(52);
        let normalized = row.f32(56) * distance * distance / (-2e-3 * extinction * distance).exp();
        assert!((row.f32(60) - normalized).abs() < 1e-6 * normalized, "{scan:?}: {point:?}");
        let intensity = (65_535.0 * normalized).min(65_535.0);
        assert!((f64::from(point.intensity) - intensity).abs() < 0.6, "{scan:?}: {point:?}");
    }
    let several = file.points.iter().filter(|point| point.number_of_returns > 1).count();
    let mut sources: Vec<u16> = file.points.iter().map(|point| point.source).collect();
    sources.dedup();
    (several, sources)
}

#[test]
fn scans_of_the_examples_keep_the_rules() {
    let workspace = Workspace::new();
    let example = |name: &str| format!("{EXAMPLES}{name}");
    let (posts, stations) = (example("scenes/posts.json"), example("trajectories/stations.csv"));
    let at_stations = ["scan", &posts, "--stations", &stations, "--size", "300x40"];
    let (several, sources) = hold(&workspace, &at_stations, 0.1, 0.0);
    assert!(several > 100 && sources == [1, 2], "{several} {sources:?}");
    let stand = example("scenes/stand.json");
    let legs = "x,y,z,speed,down_degrees\n-12,-4,40,6,90\n12,-4,40,6,90\n12,4,40,6,90\n";
    workspace.write("legs.csv", legs);
    let over = ["scan", &stand, "--camera", "airborne", "--legs", "legs.csv", "--sweep", "0.1"];
    let over = [&over[..], &["--size", "120x1"]].concat();
    let (several, sources) = hold(&workspace, &over, 0.0, 40.0);
    assert!(several > 10 && sources == [1, 2], "{several} {sources:?}");
}

#[test]
fn raw_intensities_are_stored_on_a_scale_that_the_file_tells() {
    let workspace = Workspace::new();
    let [posts, stations] =
        ["scenes/posts.json", "trajectories/stations.csv"].map(|name| format!("{EXAMPLES}{name}"));
    let scan = ["scan", &posts, "--stations", &stations, "--size", "90x9", "--device", "cpu"];
    workspace.json(&[&scan[..], &["-o", "c.npy"]].concat());
    workspace.json(&[&scan[..], &["--intensity", "raw", "-o", "c.laz"]].concat());
    workspace.json(&[&scan[..], &["--intensity", "raw", "-o", "c.las"]].concat());
    let bytes = std::fs::read(workspace.path("c.npy")).unwrap();
    let rows = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let file = las_rules::read(&std::fs::read(workspace.path("c.las")).unwrap()).unwrap();
    let numbers = file.record("raytwin", 1).unwrap();
    let [least, most] =
        [0, 8].map(|at| f64::from_le_bytes(numbers[at..at + 8].try_into().unwrap()));
    // Without labels a row is four bytes shorter.
    for (row, point) in bytes[rows..].chunks_exact(ROW - 4).map(Row).zip(&file.points) {
        let read = least * (most / least).powf(f64::from(point.intensity) / 65_535.0);
        assert!((read / row.f32(52) - 1.0).abs() < 2e-4, "{read} {}", row.f32(52));
    }
    for (output, intensity, reason) in
        [("c.ply", "raw", "other clouds have both"), ("c.las", "loud", "normalized")]
    {
        let line = [&scan[..], &["--intensity", intensity, "-o", output]].concat();
        let message = workspace.fails(2, &line);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn images_and_rays_as_las_keep_the_rules() {
    let workspace = Workspace::new();
    let rays: Vec<f32> =
        (0..9).flat_map(|at| [0.25 * at as f32 - 1.0, 0.0, 5.0, 0.0, 0.0, -1.0]).collect();
    workspace.write("line.npy", npy("<f4", "False", "(9, 6)", &float32(&rays)));
    workspace.write(
        "away.npy",
        npy("<f4", "False", "(1, 6)", &float32(&[0.0, 0.0, 9.0, 0.0, 0.0, 1.0])),
    );
    let query = |rays| ["query", "scene.json", rays, "-o", "h.npz", "--device", "cpu"];
    let render = ["render", "scene.json", "--size", "60x40", "--shading", "0", "--device", "cpu"];
    let cloud = ["--cloud", "c.las", "--cloud-normals"];
    for (command, count) in
        [(&query("line.npy")[..], 5..=9), (&query("away.npy"), 0..=0), (&render, 100..=2400)]
    {
        workspace.json(&[command, &cloud].concat());
        let file = las_rules::read(&std::fs::read(workspace.path("c.las")).unwrap()).unwrap();
        assert!(count.contains(&file.points.len()), "{command:?}: {}", file.points.len());
        assert!(file.extra_names.ends_with(&["nx", "ny", "nz"].map(str::to_owned)));
        assert!(file.record("LASF_Projection", 2112).is_none());
    }
}

#[test]
fn more_positions_than_las_tells_are_refused_before_anything_is_cast() {
    let workspace = Workspace::new();
    let rows: Vec<String> = (0..65_536).map(|time| format!("{time},0,0,9,0,0,0,1")).collect();
    workspace.write("poses.csv", format!("time,x,y,z,qx,qy,qz,qw\n{}\n", rows.join("\n")));
    let scan =
        ["scan", "scene.json", "--poses", "poses.csv", "--lidar", "vlp-16", "--size", "1x16"];
    for output in [&["-o", "c.laz"][..], &["-o", "each/", "--each", "las"]] {
        let flags = [&["--sweep", "0", "--device", "cpu"], output].concat();
        let error = workspace.fails(3, &[&scan[..], &flags].concat());
        assert!(error.contains("at most 65535 positions") && error.contains("65536"), "{error}");
    }
}
