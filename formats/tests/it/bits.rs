//! Compares the bits of what is read with those of a table: they must not depend on the machine. A robot's poses ask for sines
//! and cosines, which come from a library in software.

use raytwin::Fingerprint;
use raytwin_formats::{FileStore, Options, load_from};

/// A fingerprint of each scene. It changes on all machines alike if the way from a file to the scene's numbers changes.
const TABLE: [(&str, &str, &str); 2] = [
    ("nodes.json", NODES, "157501e7f765abc264172c23414a5bd72dad4f70e0c7c704332337e17485442e"),
    ("robot.urdf", ROBOT, "7744650d97f75791b325998d9e741dd12436ad8bbd5140d21903e0e5212dda33"),
];

/// Shapes in nodes in nodes.
const NODES: &str = r#"{ "raytwin": 1,
    "shapes": [
        { "type": "plane", "point": [0, 0, -1.3], "normal": [0.1, -0.2, 1] },
        { "type": "sphere", "center": [0.3, -0.7, 0.1], "radius": 0.35, "mask": 6 } ],
    "nodes": [ {
        "translation": [0.1, 0.2, -0.3], "rotation_xyzw": [0.1, -0.3, 0.7, 1.1], "scale": [0.6, 0.6, 0.6],
        "shapes": [
            { "type": "box", "center": [0.7, 0, 0.2], "half_extents": [0.3, 0.2, 0.5],
              "rotation_xyzw": [0.2, 0.3, -0.4, 0.5] },
            { "type": "heightfield", "spacing": [0.37, 0.41], "center": [-0.2, 0.1, -0.8],
              "heights": [[0, 0.31, 0.12, 0.2], [0.23, 0.41, -0.17, 0], [0.3, -0.1, 0.07, 0.1]],
              "rotation_xyzw": [0.1, 0.1, 0.3, 0.9] } ],
        "nodes": [ {
            "rotation_xyzw": [0.5, 0.1, 0.2, -0.3], "translation": [-0.9, 0.4, 0.3], "scale": [1.7, 1.7, 1.7],
            "shapes": [
                { "type": "mesh", "vertices": [[0, 0, 0], [0.7, 0.1, 0], [0.1, 0.8, 0.1], [0.2, 0.3, 0.9]],
                  "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] },
                { "type": "lines", "radius": 0.07, "indices": [[0, 1], [1, 2]],
                  "points": [[-0.5, 0.2, 0.7], [0.3, -0.6, 0.4], [0.9, 0.4, -0.2]] },
                { "type": "torus", "center": [0.1, -0.8, 0.2], "axis": [1, 2, 3],
                  "major_radius": 0.4, "minor_radius": 0.13 } ] } ] } ] }"#;

/// A robot whose joints follow one another; only the first one is set.
const ROBOT: &str = r#"<robot name="arm">
    <link name="base"><visual><origin xyz="0 0.1 -0.6" rpy="0.3 -0.2 1.1"/>
        <geometry><box size="0.9 0.8 0.3"/></geometry></visual></link>
    <link name="upper"><visual><origin rpy="-1.2 0.4 0.9" xyz="0 0 0.3"/>
        <geometry><cylinder radius="0.2" length="0.7"/></geometry></visual></link>
    <link name="lower"><visual><origin rpy="0.1 1.3 -2.9"/>
        <geometry><capsule radius="0.15" length="0.5"/></geometry></visual></link>
    <link name="tip"><visual><geometry><sphere radius="0.24"/></geometry></visual></link>
    <joint name="a" type="revolute"><parent link="base"/><child link="upper"/>
        <origin xyz="0.1 0 -0.3" rpy="0.1 0.2 0.3"/><axis xyz="1 2 3"/></joint>
    <joint name="b" type="continuous"><parent link="upper"/><child link="lower"/>
        <origin xyz="0 0.2 0.6" rpy="7.7 0 -0.3"/><axis xyz="0.3 -1 0.1"/>
        <mimic joint="a" multiplier="-1.3" offset="0.17"/></joint>
    <joint name="c" type="prismatic"><parent link="lower"/><child link="tip"/>
        <origin xyz="0 0.1 0.4"/><axis xyz="0.6 0 0.7"/>
        <mimic joint="b" multiplier="0.21" offset="0.03"/></joint>
</robot>"#;

#[test]
fn what_files_describe_has_the_bits_of_the_table() {
    for (name, text, known) in TABLE {
        let store = FileStore::in_memory([(name, text.as_bytes())]);
        let joints =
            if name.ends_with("urdf") { vec![("a".to_owned(), 0.7.into())] } else { vec![] };
        let options = Options { joints, ..Options::default() };
        let scene = load_from(&store, name, &options).unwrap().scene;
        assert_eq!(Fingerprint::of(&scene).to_string(), known, "{name}");
    }
}
