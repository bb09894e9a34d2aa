//! Reads the contents of `<geometry>`, in the space of its visual or collision. Lengths are full
//! lengths, along z about the middle. Missing sizes have SDFormat's defaults.

use super::element::SdfElement;
use super::heightmap::Heightmaps;
use super::mesh::WorldMeshes;
use super::polyline::extruded;
use super::resources::Resources;
use crate::closed_form::closed_form;
use glam::{DQuat, DVec3};
use raytwin::geometry::Geometry;
use raytwin_files::FileError;

/// The shapes in the order in which libsdformat looks for them, whatever their order in a file.
const SHAPES: [&str; 10] = [
    "box",
    "capsule",
    "cone",
    "cylinder",
    "ellipsoid",
    "plane",
    "sphere",
    "mesh",
    "heightmap",
    "polyline",
];

/// The `<geometry>` of a visual or a collision, and the shape in it that is read.
pub(super) fn shape_of(item: &SdfElement) -> Option<[&SdfElement; 2]> {
    let geometry = item.child("geometry")?;
    let shape = SHAPES.iter().find_map(|tag| geometry.child(tag));
    Some([geometry, shape.or(geometry.elements().first())?])
}

/// Reads geometries, and each file that they name once.
#[derive(Default)]
pub(super) struct GeometryReader {
    pub meshes: WorldMeshes,
    heightmaps: Heightmaps,
}

impl GeometryReader {
    /// Reads the geometry of a visual or a collision; the error is the reason why it cannot be read.
    pub fn read(
        &mut self,
        resources: &mut Resources<'_>,
        item: &SdfElement,
    ) -> Result<Geometry, String> {
        let [geometry, shape] =
            shape_of(item).ok_or_else(|| "it has no <geometry> with a shape".to_owned())?;
        let read = self.shape(resources, item, geometry, shape);
        read.map_err(|fault| fault.to_string()).flatten()
    }

    /// Reads a shape. The outer error concerns its text, and the inner one its meaning.
    fn shape(
        &mut self,
        resources: &mut Resources<'_>,
        item: &SdfElement,
        geometry: &SdfElement,
        shape: &SdfElement,
    ) -> Result<Result<Geometry, String>, FileError> {
        let upright = |radius: f64, length: f64| -> Result<Vec<f64>, String> {
            match length > 0.0 {
                true => Ok(vec![0.0, 0.0, -0.5 * length, 0.0, 0.0, 0.5 * length, radius]),
                // A negative length would only swap the ends, and so pass every later check.
                false => Err(format!("its length is {length:?}: it must be above 0")),
            }
        };
        let round = |default_radius: f64| -> Result<[f64; 2], FileError> {
            let [radius] = shape.numbers_or("radius", [default_radius])?;
            let [length] = shape.numbers_or("length", [1.0])?;
            Ok([radius, length])
        };
        Ok(match shape.tag.as_str() {
            "empty" => Ok(Geometry::Empty),
            "box" => {
                let half = shape.numbers_or("size", [1.0; 3])?.map(|size| 0.5 * size);
                closed_form("box", &[[0.0; 3], half].concat())
            }
            "sphere" => {
                let [radius] = shape.numbers_or("radius", [1.0])?;
                closed_form("sphere", &[0.0, 0.0, 0.0, radius])
            }
            kind @ ("cylinder" | "capsule") => {
                let [radius, length] = round(if kind == "capsule" { 0.5 } else { 1.0 })?;
                upright(radius, length).and_then(|row| closed_form(kind, &row))
            }
            "cone" => {
                // Its tip points upwards.
                let [radius, length] = round(0.5)?;
                upright(radius, length)
                    .and_then(|row| closed_form("cone", &[&row[..], &[0.0]].concat()))
            }
            "ellipsoid" => {
                let radii = shape.numbers_or("radii", [1.0; 3])?;
                closed_form("ellipsoid", &[[0.0; 3], radii].concat())
            }
            "plane" => plane(shape, item.tag == "visual")?,
            "polyline" => extruded(geometry)?,
            "mesh" => self.meshes.read(resources, shape)?,
            "heightmap" => self.heightmaps.read(resources, shape)?,
            tag => Err(format!("a {tag}")),
        })
    }
}

/// Reads a plane, which is a rectangle if it is visual, and infinite if it is a collision.
fn plane(plane: &SdfElement, is_shown: bool) -> Result<Result<Geometry, String>, FileError> {
    let normal = DVec3::from(plane.numbers_or("normal", [0.0, 0.0, 1.0])?);
    if !is_shown {
        return Ok(closed_form("plane", &[[0.0; 3], normal.to_array()].concat()));
    }
    let half = plane.numbers_or("size", [1.0; 2])?.map(|size| 0.5 * size);
    if half.iter().any(|half| *half <= 0.0) {
        return Ok(Err("its size must be two numbers above 0".to_owned()));
    }
    let Some(normal) = normal.try_normalize() else {
        return Ok(Err("its normal has length zero".to_owned()));
    };
    let turn = turn_of_z(normal).to_array();
    Ok(closed_form("plane", &[&[0.0; 6][..], &half, &turn].concat()))
}

/// The shortest turn of the z axis to a unit vector, with which Gazebo turns the rectangle of a
/// plane.
fn turn_of_z(normal: DVec3) -> DQuat {
    // Halfway between both, the cross and the dot product are those of half of the angle.
    match (DVec3::Z + normal).try_normalize() {
        Some(half) => DQuat::from_vec4(DVec3::Z.cross(half).extend(half.z)),
        None => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
    }
}
