use super::*;
use raytwin::scene::Scene;
use raytwin_files::npz::NpzWriter;
use std::fs::File;

/// Reads an archive of the arrays that `fill` adds.
fn bulk(fill: impl FnOnce(&mut NpzWriter<File>)) -> Result<Scene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.npz");
    let mut archive = NpzWriter::new(File::create(&path).unwrap());
    fill(&mut archive);
    archive.finish().unwrap();
    let options = Options::default();
    let graph = crate::read(&FileStore::disk(), &path, &options);
    let imported = graph.and_then(|graph| graph.flatten_any(&options));
    imported.map(|imported| imported.scene).map_err(|error| {
        let text = error.to_string();
        text[text.find("b.npz").unwrap()..].to_owned()
    })
}

const SPHERES: [f64; 8] = [0.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 2.0];
const BOX: [f32; 10] = [9.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0];
const CYLINDER: [f64; 7] = [0.0, 9.0, 0.0, 0.0, 9.0, 4.0, 0.5];

fn kinds(scene: &Scene) -> Vec<&str> {
    scene.geometries().iter().map(|geometry| geometry.type_name()).collect()
}

#[test]
fn ids_run_by_kind_or_as_the_file_says() {
    let all = |archive: &mut NpzWriter<File>| {
        archive.array("cylinder", &[1, 7], &CYLINDER).unwrap();
        archive.array("sphere", &[2, 4], &SPHERES).unwrap();
        archive.array("box", &[1, 10], &BOX).unwrap();
    };
    let scene = bulk(all).unwrap();
    assert_eq!(kinds(&scene), ["sphere", "sphere", "box", "cylinder"]);
    assert_eq!(scene.geometries()[1].shape(0).unwrap().row(), SPHERES[4..]);
    // Without the column of inner_radius.
    assert_eq!(scene.geometries()[3].shape(0).unwrap().row()[..7], CYLINDER);
    assert_eq!(scene.geometries()[3].shape(0).unwrap().row()[7], 0.0);

    let ids = |sphere: &'static [u32], cuboid: u32| {
        bulk(move |archive| {
            all(archive);
            archive.array("sphere_ids", &[sphere.len()], sphere).unwrap();
            archive.array("box_ids", &[1], &[cuboid]).unwrap();
            archive.array("cylinder_ids", &[1], &[2_u32]).unwrap();
        })
    };
    let scene = ids(&[3, 1], 0).unwrap();
    assert_eq!(kinds(&scene), ["box", "sphere", "cylinder", "sphere"]);
    assert_eq!(scene.geometries()[1].shape(0).unwrap().row(), SPHERES[4..]);
    assert!(
        ids(&[3, 3], 0)
            .unwrap_err()
            .contains("sphere_ids[1]: is 3: ids must be the numbers from 0 to 3")
    );
    assert!(ids(&[3, 1], 4).unwrap_err().contains("box_ids[0]: is 4"));
    assert!(ids(&[3], 0).unwrap_err().contains("sphere_ids: is uint32 [1]"));
    let one_kind = bulk(|archive| {
        all(archive);
        archive.array("box_ids", &[1], &[0_u32]).unwrap();
    });
    assert!(one_kind.unwrap_err().contains("sphere_ids: is missing"));
}

#[test]
fn faults_are_reported_with_their_row() {
    let spheres = |shape: &'static [usize], numbers: &'static [f64]| {
        bulk(move |archive| archive.array("sphere", shape, numbers).unwrap()).unwrap_err()
    };
    assert_eq!(
        spheres(&[2, 4], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, f64::NAN]),
        "b.npz: sphere[1].radius: is NaN: it must be a finite number"
    );
    assert!(spheres(&[1, 3], &[0.0; 3]).contains("sphere: has shape [1, 3]: it must be (N, 4)"));
    let unknown = bulk(|archive| archive.array("spheres", &[2, 4], &SPHERES).unwrap());
    assert!(
        unknown
            .unwrap_err()
            .contains("spheres: is not a known array: a bulk scene may have sphere, box")
    );
    let lonely = bulk(|archive| archive.array("box_ids", &[1], &[0_u32]).unwrap());
    assert!(lonely.unwrap_err().contains("box_ids: needs an array box, which is missing"));
    let whole = bulk(|archive| archive.array("sphere", &[1, 4], &[1_u32; 4]).unwrap());
    assert!(whole.unwrap_err().contains("sphere: has type uint32"));
}

#[test]
fn every_kind_has_its_array_and_what_has_a_default_may_be_left_out() {
    use raytwin::fields::FieldKind;
    use raytwin::shapes::SHAPE_TYPES;
    for kind in SHAPE_TYPES {
        // Different numbers that make a valid shape of every type; a plane with a normal is
        // infinite.
        let mut row = Vec::new();
        for field in kind.fields {
            match (field.kind, field.default) {
                (FieldKind::Flag, _) => row.push(1.0),
                (FieldKind::OptionalExtents | FieldKind::OptionalRotation, Some(none)) => {
                    row.extend(none);
                }
                (kind, _) => {
                    (0..kind.columns()).for_each(|_| row.push(10.0 - row.len() as f64 * 1.1));
                }
            }
        }
        let whole = bulk(|archive| {
            archive.array(kind.name, &[1, kind.columns()], &row).unwrap();
        });
        let shape = whole.unwrap().geometries()[0].shape(0).unwrap();
        let rounded: Vec<f64> = row.iter().map(|&number| f64::from(number as f32)).collect();
        let has_rotation = kind.fields.iter().any(|field| field.kind == FieldKind::Rotation);
        let compared = if has_rotation { kind.columns() - 4 } else { kind.columns() };
        assert_eq!(shape.row()[..compared], rounded[..compared], "{}", kind.name);
        let least = kind.column_counts()[0];
        for count in kind.column_counts() {
            let short = bulk(|archive| {
                archive.array(kind.name, &[1, count], &row[..count]).unwrap();
            });
            if kind.name == "plane" && count == least {
                assert!(
                    short.unwrap_err().contains("plane[0].normal: is missing or has no length")
                );
                continue;
            }
            let shape = short.unwrap().geometries()[0].shape(0).unwrap();
            let defaults: Vec<f64> = kind.defaults().skip(count).collect();
            assert_eq!(shape.row()[count..], defaults, "{}", kind.name);
        }
        if least > 1 {
            let wrong = bulk(|archive| {
                archive.array(kind.name, &[1, least - 1], &row[..least - 1]).unwrap();
            });
            assert!(wrong.unwrap_err().contains("it must be (N, "), "{}", kind.name);
        }
    }
}

#[test]
fn renumbered_shapes_keep_what_is_known_of_them() {
    // Small and far away, so that rounding moves the first and the third.
    let far = [1e6 + 0.01, 0.0, 0.0, 0.01];
    let spheres = [far, [0.0, 0.0, 0.0, 1.0], far, [5.0, 0.0, 0.0, 2.0]].concat();
    let scene = bulk(|archive| {
        archive.array("sphere", &[4, 4], &spheres).unwrap();
        archive.array("sphere_ids", &[4], &[3_u32, 2, 0, 1]).unwrap();
    });
    let scene = scene.unwrap();
    assert_eq!(scene.coarsely_rounded(), [0, 3]);
    let radius = |id: usize| scene.geometries()[id].shape(0).unwrap().row()[3];
    assert_eq!([radius(1), radius(2)], [2.0, 1.0]);
}

#[test]
fn movable_shapes_have_the_ids_that_the_file_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("movable.npz");
    let mut archive = raytwin_files::npz::NpzWriter::new(std::fs::File::create(&path).unwrap());
    let spheres = [[0.0, 0.0, 0.0, 1.0], [5.0, 0.0, 0.0, 2.0], [9.0, 0.0, 0.0, 3.0]].concat();
    archive.array("sphere", &[3, 4], &spheres).unwrap();
    archive.array("sphere_ids", &[3], &[2_u32, 0, 1]).unwrap();
    archive.finish().unwrap();
    let options = crate::Options { movable: true, ..Default::default() };
    let scene = crate::load(&path, &options).unwrap().scene;
    let radius = |id| scene.primitive(id, 0).unwrap().radius();
    assert_eq!([0, 1, 2].map(radius), [2.0, 3.0, 1.0]);
}
