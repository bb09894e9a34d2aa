//! The features that a user measures from: centres, axes and planes of shapes, in place of points on
//! their surfaces.

use crate::session::Session;
use raytwin::glam::DVec3;
use raytwin::shapes::{
    CappedSolid, Capsule, Cone, Cylinder, Disc, Ellipsoid, Shape, Shell, Sphere, Torus,
};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// A feature of a shape, in the coordinates of the file.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Feature {
    /// The centre of a ball, or an atom.
    Center { point: [f64; 3], name: String },
    /// The axis of a cylinder, a capsule or a cone.
    Axis { point: [f64; 3], ends: [[f64; 3]; 2], name: String },
    /// The plane of a face.
    Plane { point: [f64; 3], normal: [f64; 3], name: String },
}

#[wasm_bindgen]
impl Session {
    /// Returns the feature that a hit belongs to, as JSON: the `kind` center, axis or plane, a `point`
    /// of it, the `ends` of an axis and the `normal` of a plane. The arguments `point` and `normal` are
    /// those of the hit.
    pub fn feature(
        &self,
        geometry_id: u32,
        primitive_id: u32,
        point: &[f64],
        normal: &[f64],
    ) -> Result<String, JsError> {
        let [Ok(point), Ok(normal)] = [point, normal].map(<[f64; 3]>::try_from) else {
            return Err(JsError::new("a point and a normal must have three numbers each"));
        };
        let scene = &self.scene;
        let path = scene.path(geometry_id);
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(atom) = scene.floats.then(|| self.atom_of_bond(geometry_id, &path)).flatten() {
            return Ok(serde_json::to_string(&atom)?);
        }
        let primitive = scene.primitive(geometry_id, primitive_id);
        let in_file = |point: DVec3| {
            let placement = primitive.as_ref().and_then(|primitive| primitive.placement());
            let in_world =
                placement.map_or(point, |placement| placement.world_from_object().point(point));
            (in_world + scene.origin()).to_array()
        };
        let center = |point| Feature::Center { point: in_file(point), name: name.clone() };
        let axis = |start: DVec3, end: DVec3| Feature::Axis {
            point: in_file(0.5 * (start + end)),
            ends: [start, end].map(in_file),
            name: name.clone(),
        };
        let plane = Feature::Plane { point, normal, name: name.clone() };
        let feature = match primitive.as_ref().and_then(|primitive| primitive.shape()) {
            Some(
                Shape::Sphere(Sphere { center: point, .. })
                | Shape::Ellipsoid(Ellipsoid { center: point, .. })
                | Shape::Torus(Torus { center: point, .. }),
            ) => center(*point),
            Some(Shape::Disc(Disc { center: point, .. })) => center(*point),
            Some(
                Shape::Cylinder(Cylinder { start, end, .. })
                | Shape::Capsule(Capsule { start, end, .. })
                | Shape::Cone(Cone { start, end, .. }),
            ) => axis(*start, *end),
            Some(Shape::Shell(Shell { whole: CappedSolid::Cylinder(whole), .. })) => {
                axis(whole.start, whole.end)
            }
            Some(Shape::Shell(Shell { whole: CappedSolid::Cone(whole), .. })) => {
                axis(whole.start, whole.end)
            }
            _ => plane,
        };
        Ok(serde_json::to_string(&feature)?)
    }

    /// Returns the atom that a half of a bond belongs to. The bond's name begins with the atom's name.
    fn atom_of_bond(&self, geometry_id: u32, path: &str) -> Option<Feature> {
        let scene = &self.scene;
        let start = path.rfind('/').map_or(0, |slash| slash + 1);
        let (atom, _) = path[start..].split_once('-')?;
        let shape = scene.primitive(geometry_id, 0)?;
        let at = |point: DVec3| Feature::Center {
            point: (point + scene.origin()).to_array(),
            name: atom.to_owned(),
        };
        // A stick begins at the centre of its atom. A bond between balls begins on the surface of one.
        if let Some(Shape::Capsule(Capsule { start, .. })) = shape.shape() {
            return Some(at(*start));
        }
        let ball = scene.select(&format!("{}{atom}", &path[..start]));
        let ball = ball.first().and_then(|&id| scene.primitive(id, 0))?;
        match ball.shape() {
            Some(Shape::Sphere(Sphere { center, .. })) => Some(at(*center)),
            _ => None,
        }
    }
}
