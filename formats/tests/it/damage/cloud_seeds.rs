//! Valid clouds and tables of points.

use super::Seed;
use raytwin_files::clouds::{CloudLayout, CloudPoint, CloudSource, CloudWriter};

const PLY: &str = "ply\nformat ascii 1.0\nelement camera 1\nproperty int focus\nelement vertex 2\n\
    property float x\nproperty double y\nproperty float z\nproperty uchar red\nelement face 1\n\
    property list uchar int vertex_indices\nend_header\n35\n0.5 2.25 -1 255\n1e3 nan 0 8\n3 0 1 1\n";

const PCD: &str = "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb _ label\nSIZE 4 4 4 4 1 4\n\
    TYPE F F F F U U\nCOUNT 1 1 1 1 2 1\nWIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n\
    DATA ascii\n1 2 3 4.2108e+06 0 0 5\nnan 0 -1 0 0 0 6\n";

pub fn ply() -> Vec<Seed> {
    vec![Seed::of(PLY), Seed::of(written("c.ply"))]
}

pub fn pcd() -> Vec<Seed> {
    vec![Seed::of(PCD), Seed::of(written("c.pcd"))]
}

pub fn las() -> Vec<Seed> {
    vec![Seed::of(written("c.las"))]
}

pub fn laz() -> Vec<Seed> {
    vec![Seed::of(written("c.laz"))]
}

pub fn csv() -> Vec<Seed> {
    vec![
        Seed::of("name,x,y,z\n\"a, b\",1,2e3,-3\n007,0.5,nan,0\n"),
        Seed::of("x;y;z;note\n1,5;2;3;4,25\n"),
    ]
}

/// A cloud of a scan, with extra bytes.
fn written(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let layout = CloudLayout { has_returns: true, ..CloudLayout::of(CloudSource::Scan) };
    let mut writer = CloudWriter::new(&path, &layout).unwrap();
    let point = |index: u32| CloudPoint {
        position: [0.5 * f64::from(index), -1.25, f64::from(index * index)],
        geometry_id: index,
        return_number: 1,
        number_of_returns: 2,
        distance: 1.5,
        ..CloudPoint::default()
    };
    writer.add(&(0..8).map(point).collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}
