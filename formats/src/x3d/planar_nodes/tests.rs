use crate::{ImportedScene, Options, load};
use raytwin::query::Batch;
use raytwin::ray::NONE;
use raytwin::{CpuTracer, PackedScene, Ray, Tracer};

/// The fields of a node by their names.
type Fields = &'static [(&'static str, &'static str)];

/// Nodes of the plane by their fields, each in the middle of a place of its own along x, ten apart.
const NODES: [(&str, Fields); 9] = [
    ("Arc2D", &[("radius", "2"), ("startAngle", "0"), ("endAngle", "3.141592653589793")]),
    ("ArcClose2D", &[("radius", "2"), ("closureType", "\"CHORD\"")]),
    ("Circle2D", &[]),
    ("Disk2D", &[("innerRadius", "1"), ("outerRadius", "2")]),
    ("Disk2D", &[("innerRadius", "2"), ("outerRadius", "2")]),
    ("Polyline2D", &[("lineSegments", "-3 0 0 0 0 3")]),
    ("Polypoint2D", &[("point", "1 1 2 2")]),
    ("Rectangle2D", &[("size", "2 4")]),
    ("TriangleSet2D", &[("vertices", "0 0 4 0 0 4")]),
];

fn world(classic: bool) -> ImportedScene {
    let node = |(index, (name, fields)): (usize, &(&str, Fields))| {
        let x = 10 * index;
        if classic {
            let is_list = |field: &str| ["lineSegments", "point", "vertices"].contains(&field);
            let field = |(field, value): &(&str, &str)| match is_list(field) {
                true => format!("{field} [ {value} ] "),
                false => format!("{field} {value} "),
            };
            let fields: String = fields.iter().map(field).collect();
            return format!(
                "Transform {{ translation {x} 0 0 children Shape {{ geometry {name} {{ {fields}}} }} }}\n"
            );
        }
        let field =
            |(field, value): &(&str, &str)| format!(" {field}='{}'", value.trim_matches('"'));
        let fields: String = fields.iter().map(field).collect();
        format!("<Transform translation='{x} 0 0'><Shape><{name}{fields}/></Shape></Transform>\n")
    };
    let nodes: String = NODES.iter().enumerate().map(node).collect();
    let (name, text) = match classic {
        true => ("plane.x3dv", format!("#X3D V3.3 utf8\nPROFILE Full\n{nodes}")),
        false => ("plane.x3d", format!("<X3D version='3.3'><Scene>{nodes}</Scene></X3D>")),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let options =
        Options { line_radius: Some(0.05), point_radius: Some(0.5), ..Options::default() };
    load(path, &options).unwrap()
}

/// Places in the plane, and the geometry that a ray along −z meets there: an arc, a closed arc, a
/// circle, a ring, a ring that is a circle, lines, two points, a rectangle and a triangle.
const PLACES: [([f32; 2], Option<u32>); 22] = [
    ([0.0, 2.0], Some(0)),
    ([0.0, -2.0], None),
    ([0.0, 0.0], None),
    ([11.2, 1.2], Some(1)),
    ([10.9, 0.9], None),
    ([19.0, 0.0], Some(2)),
    ([20.0, 0.0], None),
    ([31.5, 0.0], Some(3)),
    ([30.5, 0.0], None),
    ([40.0, 2.0], Some(4)),
    ([41.5, 0.0], None),
    ([48.0, 0.0], Some(5)),
    ([50.0, 1.5], Some(5)),
    ([51.0, 0.0], None),
    ([61.0, 1.2], Some(6)),
    ([62.0, 2.3], Some(7)),
    ([60.0, 0.0], None),
    ([70.9, 1.9], Some(8)),
    ([71.1, 0.0], None),
    ([81.9, 1.9], Some(9)),
    ([82.1, 2.0], None),
    ([79.9, 0.1], None),
];

#[test]
fn figures_of_the_plane_are_met_where_they_are_drawn_in_both_encodings() {
    for classic in [false, true] {
        let imported = world(classic);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        let tracer = CpuTracer::new(&PackedScene::new(imported.scene).unwrap());
        let rays: Vec<Ray> =
            PLACES.iter().map(|([x, y], _)| Ray::new([*x, *y, 5.0], [0.0, 0.0, -1.0])).collect();
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        for ((place, expected), hit) in PLACES.iter().zip(hits) {
            assert_eq!(hit.geometry_id, expected.unwrap_or(NONE), "{place:?}");
        }
    }
}
