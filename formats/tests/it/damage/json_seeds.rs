//! Small valid native scenes.

use super::Seed;

pub fn json() -> Vec<Seed> {
    const SHAPES: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "sphere", "name": "ball", "center": [0, 0, 1], "radius": 0.5, "mask": 6, "color": [1, 0.5, 0] },
    { "type": "box", "center": [2, 0, 0.5], "half_extents": [0.5, 0.5, 0.5], "rotation_xyzw": [0, 0, 0.6, 0.8] },
    { "type": "cylinder", "start": [0, 2, 0], "end": [0, 2, 2], "radius": 0.25, "inner_radius": 0.1 },
    { "type": "capsule", "start": [3, 2, 0], "end": [3, 2, 2], "radius": 0.25 },
    { "type": "cone", "start": [4, 2, 0], "end": [4, 2, 2], "start_radius": 0.25, "end_radius": 0 },
    { "type": "ellipsoid", "center": [2, 7, 0.5], "radii": [0.5, 1, 2] },
    { "type": "torus", "center": [2, 9, 0.5], "axis": [0, 1, 1], "major_radius": 2, "minor_radius": 0.5 },
    { "type": "plane", "point": [0, 0, -1], "normal": [0, 0, 1] },
    { "type": "plane", "point": [0, 0, -1], "half_extents": [2, 0], "rotation_xyzw": [0, 0, 0, 1], "one_sided": true },
    { "type": "cone", "start": [4, 2, 0], "end": [4, 2, 2], "start_radius": 0.25, "end_radius": 0.5, "side": false },
    { "type": "disc", "center": [0, 0, 9], "normal": [0, 0, 1], "radius": 1, "inner_radius": 0.5 },
    { "type": "triangle", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } ] }"#;
    const PARTS: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
      "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]] },
    { "type": "mesh", "file": "part.stl" },
    { "type": "heightfield", "heights": [[0, 1, 2], [1, 0, 1]], "spacing": [1, 0.5], "center": [5, 5, 0], "base": -1 },
    { "type": "lines", "points": [[0, 0, 5], [1, 0, 5], [1, 1, 5]], "indices": [[0, 1], [1, 2]], "radius": 0.1 } ],
  "nodes": [
    { "name": "arm", "color": [0, 0.5, 1], "translation": [0, 0, 2], "rotation_xyzw": [0, 0, 0.6, 0.8], "scale": [2, 2, 2],
      "shapes": [ { "type": "sphere", "center": [0, 0, 1], "radius": 0.5 } ],
      "nodes": [ { "shapes": [ { "type": "box", "center": [0, 0, 0], "half_extents": [1, 2, 3] } ] } ] } ],
  "cameras": [
    { "name": "main", "eye": [6, -6, 4], "target": [0, 0, 1], "up": [0, 0, 1], "fov_y_degrees": 40 },
    { "name": "plan", "eye": [0, 0, 9], "target": [0, 0, 0], "up": [0, 1, 0], "height": 6 },
    { "eye": [9, 0, 0], "target": [1, 0, 0], "fx": 5e2, "fy": 500, "cx": 319.5, "cy": 240, "pixel_origin": "center",
      "width": 640, "height": 480 },
    { "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [180, -180], "elevation_table_degrees": [4, 1, -9] } ] }"#;
    const GRAPH: &str = r#"{ "raytwin": 1,
  "definitions": {
    "car": { "shapes": [ { "type": "box", "center": [0, 0, 1], "half_extents": [2, 1, 0.5] } ],
      "nodes": [ { "name": "front", "translation": [1, 0, 0], "use": "wheel" }, { "scale": [1, -3, 1], "use": "wheel" } ] },
    "wheel": { "shapes": [ { "type": "torus", "center": [0, 0, 0], "axis": [0, 1, 0], "major_radius": 0.5, "minor_radius": 0.1 } ] } },
  "nodes": [
    { "name": "a", "matrix": [1, 0.2, 0, 5, 0, -1, 0, 0, 0, 0.1, 1, 0], "use": "car" }, { "use": "car" },
    { "name": "robot", "file": "part.urdf", "collision": true, "joints": { "turn": "90deg" }, "packages": { "p": "." } },
    { "name": "model", "file": "part.xml", "key": "k", "geom_groups": [0, 1] },
    { "name": "scene", "file": "part.json" }, { "file": "part.stl" } ],
  "cameras": [ { "name": "eye", "parent": "a/front", "eye": [0, 0, 9], "target": [0, 0, 0], "fov_y_degrees": 40 } ] }"#;
    vec![Seed::of(SHAPES), Seed::of(PARTS), Seed::of(GRAPH)]
}
