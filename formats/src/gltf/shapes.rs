//! The implicit shapes of KHR_implicit_shapes and of the draft of glTF 2.1, which have the same
//! fields but different defaults.

use crate::closed_form::closed_form;
use raytwin::geometry::Geometry;
use serde::Deserialize;

/// A shape as a document describes it. A description of a type other than its own is ignored.
#[derive(Debug, Deserialize)]
pub(super) struct ShapeFile {
    r#type: String,
    #[serde(default)]
    sphere: SphereFile,
    #[serde(default)]
    r#box: BoxFile,
    #[serde(default)]
    cylinder: RoundFile,
    #[serde(default)]
    capsule: RoundFile,
    #[serde(default)]
    plane: PlaneFile,
}

#[derive(Debug, Default, Deserialize)]
struct SphereFile {
    radius: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct BoxFile {
    size: Option<[f64; 3]>,
}

/// A cylinder or a capsule along y.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundFile {
    height: Option<f64>,
    radius_top: Option<f64>,
    radius_bottom: Option<f64>,
}

/// A plane whose normal is +y.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlaneFile {
    size_x: Option<f64>,
    size_z: Option<f64>,
    #[serde(default)]
    double_sided: bool,
}

/// The specification that defines the shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dialect {
    /// The extension KHR_implicit_shapes.
    Extension,
    /// The draft of glTF 2.1.
    Draft,
}

/// The sizes of a cylinder or a capsule: its height and its radii at the bottom and at the top.
type RoundSizes = [f64; 3];

impl Dialect {
    fn cylinder(self) -> RoundSizes {
        match self {
            Self::Extension => [0.5, 0.25, 0.25],
            Self::Draft => [2.0, 0.5, 0.5],
        }
    }

    fn capsule(self) -> RoundSizes {
        match self {
            Self::Extension => [0.5, 0.25, 0.25],
            Self::Draft => [1.0, 0.5, 0.5],
        }
    }
}

impl ShapeFile {
    /// Returns the shape in the space of its node, or the reason why there is none.
    pub fn geometry(&self, dialect: Dialect) -> Result<Geometry, String> {
        match self.r#type.as_str() {
            "sphere" => shape("sphere", &[0.0, 0.0, 0.0, self.sphere.radius.unwrap_or(0.5)]),
            "box" => {
                let [x, y, z] = self.r#box.size.unwrap_or([1.0; 3]).map(|size| 0.5 * size);
                shape("box", &[0.0, 0.0, 0.0, x, y, z])
            }
            "cylinder" => cylinder(self.cylinder.or(dialect.cylinder())),
            "capsule" => capsule(self.capsule.or(dialect.capsule())),
            "plane" => self.plane.geometry(dialect),
            other => Err(format!("a shape of type {}", crate::shortened::shortened(other))),
        }
    }
}

impl RoundFile {
    fn or(&self, [height, bottom, top]: RoundSizes) -> RoundSizes {
        [
            self.height.unwrap_or(height),
            self.radius_bottom.unwrap_or(bottom),
            self.radius_top.unwrap_or(top),
        ]
    }
}

impl PlaneFile {
    /// According to the extension, a plane is visible only from its front unless it is
    /// double-sided. According to the draft, everything behind it is inside, as for raytwin's
    /// half-spaces. A bounded plane has no such inside.
    fn geometry(&self, dialect: Dialect) -> Result<Geometry, String> {
        let sizes = [self.size_z, self.size_x];
        let is_bounded = sizes.iter().any(Option::is_some);
        if sizes.iter().flatten().any(|&size| size <= 0.0) {
            return Err("a plane whose size is not greater than 0".to_owned());
        }
        let is_one_sided = match dialect {
            Dialect::Extension => !self.double_sided,
            Dialect::Draft => is_bounded,
        };
        let mut row = vec![0.0; 3];
        match is_bounded {
            false => row.extend([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
            true => {
                // Its own x, y and z axes are z, x and y of its node, because its normal is its own
                // z axis.
                let half = sizes.map(|size| size.map_or(0.0, |size| 0.5 * size));
                row.extend([0.0; 3]);
                row.extend(half);
                row.extend([-0.5, -0.5, -0.5, 0.5]);
            }
        }
        row.push(f64::from(u8::from(is_one_sided)));
        shape("plane", &row)
    }
}

fn cylinder([height, bottom, top]: RoundSizes) -> Result<Geometry, String> {
    let [start, end] = ends(height)?;
    let axis = [start, end].concat();
    match bottom == top {
        true => shape("cylinder", &[axis, vec![bottom]].concat()),
        false => shape("cone", &[axis, vec![bottom, top]].concat()),
    }
}

/// A capsule whose ends differ is the hull of two spheres, which is not one of raytwin's shapes,
/// unless one sphere contains the other.
fn capsule([height, bottom, top]: RoundSizes) -> Result<Geometry, String> {
    let [start, end] = ends(height)?;
    if bottom.min(top) < 0.0 {
        return Err("a capsule with a radius below 0".to_owned());
    }
    if bottom == top {
        return shape("capsule", &[start, end, vec![bottom]].concat());
    }
    if (bottom - top).abs() < height {
        return Err("a capsule whose radii differ; give both ends the same radius".to_owned());
    }
    let center = if bottom > top { start } else { end };
    shape("sphere", &[center, vec![bottom.max(top)]].concat())
}

fn ends(height: f64) -> Result<[Vec<f64>; 2], String> {
    match height > 0.0 {
        true => Ok([-0.5, 0.5].map(|part| vec![0.0, part * height, 0.0])),
        false => Err("a shape whose height is not greater than 0".to_owned()),
    }
}

fn shape(kind: &str, given: &[f64]) -> Result<Geometry, String> {
    closed_form(kind, given).map_err(|error| format!("a {kind}: {error}"))
}
