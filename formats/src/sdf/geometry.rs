//! Reads what is in `<geometry>`, in the space of its visual or collision. Lengths are whole ones,
//! along z about the middle. Sizes that are not given are the defaults of SDFormat.

use super::element::SdfElement;
use super::heightmap::Heightmaps;
use super::mesh::WorldMeshes;
use super::polyline::extruded;
use super::resources::Resources;
use glam::{DQuat, DVec3};
use raytwin::fields::NO_TURN;
use raytwin::geometry::Geometry;
use raytwin::shapes::{ShapeType, unplaced};
use raytwin_files::FileError;

/// The elements whose numbers say what a shape is. One that is not finite makes a shape of no size.
const SIZES: [&str; 9] =
    ["radius", "length", "size", "radii", "normal", "scale", "height", "pos", "point"];

/// Reads geometries, and each file that they name once.
#[derive(Default)]
pub(super) struct GeometryReader {
    pub meshes: WorldMeshes,
    heightmaps: Heightmaps,
}

impl GeometryReader {
    /// Reads the geometry of a visual or a collision; the inner error is the reason why it cannot be
    /// read.
    pub fn read(
        &mut self,
        resources: &mut Resources<'_>,
        item: &SdfElement,
    ) -> Result<Result<Geometry, String>, FileError> {
        let Some((geometry, shape)) =
            item.child("geometry").and_then(|it| Some((it, it.elements().first()?)))
        else {
            return Ok(Err("it has no <geometry> with a shape in it".to_owned()));
        };
        let mut sizes = geometry.elements().iter().flat_map(|shape| shape.elements());
        let fault = sizes.find(|it| SIZES.contains(&it.tag.as_str()) && it.is_not_finite());
        if let Some(Err(fault)) = fault.map(SdfElement::numbers) {
            return Ok(Err(fault.to_string()));
        }
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
                closed_form("box", &[&[0.0; 3][..], &half, &NO_TURN].concat())
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
                // Its tip is upwards.
                let [radius, length] = round(0.5)?;
                upright(radius, length)
                    .and_then(|row| closed_form("cone", &[&row[..], &[0.0]].concat()))
            }
            "ellipsoid" => {
                let radii = shape.numbers_or("radii", [1.0; 3])?;
                closed_form("ellipsoid", &[&[0.0; 3][..], &radii, &NO_TURN].concat())
            }
            "plane" => plane(shape, item.tag == "visual")?,
            "polyline" => extruded(geometry)?,
            "mesh" => self.meshes.read(resources, shape)?,
            "heightmap" => self.heightmaps.read(resources, shape)?,
            tag => Err(format!("a {tag}")),
        })
    }
}

/// Reads a plane, which is a rectangle where it is only shown, and has no end where it is hit.
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
        return Ok(Err("its normal has no length".to_owned()));
    };
    let turn = turn_of_z(normal).to_array();
    Ok(closed_form("plane", &[&[0.0; 6][..], &half, &turn].concat()))
}

/// The shortest turn of the z axis to a unit vector, by which Gazebo turns the rectangle of a plane.
fn turn_of_z(normal: DVec3) -> DQuat {
    // Half way between both, the cross and the dot product are those of half of the angle.
    match (DVec3::Z + normal).try_normalize() {
        Some(half) => DQuat::from_vec4(DVec3::Z.cross(half).extend(half.z)),
        None => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
    }
}

/// A closed form, from the first numbers of its row; the others are defaults.
fn closed_form(kind: &str, row: &[f64]) -> Result<Geometry, String> {
    let kind = ShapeType::named(kind).ok_or_else(|| format!("a {kind}"))?;
    let row: Vec<f64> = row.iter().copied().chain(kind.defaults().skip(row.len())).collect();
    unplaced(kind, &row).map(Geometry::from).map_err(|shape_error| shape_error.to_string())
}
