//! Reads geoms: their shapes in their own frames, their colours, and the numbers that decide
//! whether MuJoCo casts at them.

use super::attributes::{Attributes, ORIENTATIONS};
use super::compiler::{Compiler, rotation_of_z};
use super::hfields::Hfields;
use super::meshes::{MeshAsset, MeshAssets};
use super::model::{Asset, Model};
use crate::checks::checked_color;
use crate::closed_form::closed_form;
use glam::DVec3;
use raytwin::geometry::Geometry;
use raytwin::math::Similarity;
use raytwin_files::FileError;
use std::rc::Rc;

/// The colour of a geom that names none, which its material's colour replaces.
const NO_COLOR: [f64; 4] = [0.5, 0.5, 0.5, 1.0];

/// The shortest line between two points for a geom, as in MuJoCo.
const MIN_LENGTH: f64 = 2e-14;

pub(super) struct GeomItem {
    pub name: Option<String>,
    pub frame: GeomFrame,
    pub shape: GeomShape,
    /// The colour, or the reason why it cannot be read.
    pub color: Color,
    /// True if its alpha, or that of its material, is zero, so that MuJoCo's rays pass through it.
    pub is_transparent: bool,
    pub group: i64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct GeomFrame {
    /// The index of its body.
    pub body: usize,
    pub body_from_geom: Similarity,
}

impl GeomFrame {
    /// The frame in the world, given those of all bodies.
    pub fn in_world(&self, world_from_bodies: &[Similarity]) -> Similarity {
        world_from_bodies[self.body].then_inner(&self.body_from_geom)
    }
}

/// A geom's shape in the geom's own frame.
pub(super) enum GeomShape {
    /// A closed form, or the reason why there is none.
    Closed(Result<Geometry, String>),
    Geometry(Rc<Geometry>),
}

impl GeomShape {
    /// Makes the geometry in the geom's own frame, where nothing is rounded yet.
    pub fn geometry(&self) -> Result<Geometry, String> {
        match self {
            Self::Closed(closed) => closed.clone(),
            Self::Geometry(geometry) => {
                let checked = geometry.check().map(|()| Geometry::clone(geometry));
                checked.map_err(|shape_error| shape_error.to_string())
            }
        }
    }
}

/// The colour of a geom, if it has one, or the reason why it cannot be read.
type Color = Result<Option<[f32; 3]>, String>;

/// Reads the geoms of a model, and each asset once.
pub(super) struct GeomReader {
    pub meshes: MeshAssets,
    hfields: Hfields,
    /// True if materials are ignored.
    ignores_materials: bool,
}

impl GeomReader {
    /// Returns a reader that has read nothing. A model that discards visual geometry has no
    /// materials.
    pub fn new(discards_visuals: bool) -> Self {
        Self {
            meshes: MeshAssets::default(),
            hfields: Hfields::default(),
            ignores_materials: discards_visuals,
        }
    }

    /// Reads a geom; the inner error is the reason why its geometry cannot be read. Its frame is
    /// relative to the frame around it; name and body are left to the caller.
    pub fn read<'a>(
        &mut self,
        model: &Model<'a>,
        attributes: &Attributes<'a>,
    ) -> Result<Result<GeomItem, String>, FileError> {
        let fault = attributes.not_finite(&["size", "pos", "fromto", "fitscale"]);
        if let Some(reason) = fault.or_else(|| attributes.not_finite(&ORIENTATIONS)) {
            return Ok(Err(reason));
        }
        let mut frame = frame(&model.compiler, attributes)?;
        let kind = attributes.text("type").unwrap_or("sphere");
        if kind == "sdf" {
            return Ok(Err("a signed distance field".to_owned()));
        }
        let mesh_asset = model.asset("mesh", attributes)?;
        let mesh = match &mesh_asset {
            Some(asset) => match self.meshes.read(asset.model, &asset.attributes)? {
                Ok(mesh) => Some(mesh),
                Err(reason) => return Ok(Err(reason)),
            },
            None => None,
        };
        let shape = match (kind, mesh) {
            ("mesh", Some(mesh)) => GeomShape::Geometry(mesh.geometry()),
            ("hfield", None) => {
                let asset = model.asset("hfield", attributes)?;
                let asset = asset.ok_or_else(|| attributes.refuse("hfield", "is missing"))?;
                match self.hfields.read(asset.model, &asset.attributes)? {
                    Ok(field) => GeomShape::Geometry(field),
                    Err(reason) => return Ok(Err(reason)),
                }
            }
            ("mesh", None) => return Err(attributes.refuse("mesh", "is missing")),
            ("plane" | "hfield", Some(_)) => {
                let reason =
                    format!("cannot be used by a {kind}: only other geoms can be fitted to a mesh");
                return Err(attributes.refuse("mesh", reason));
            }
            (kind, Some(mesh)) => match fitted(model, attributes, kind, &mesh)? {
                Ok((inner, row)) => {
                    frame = frame.then_inner(&inner);
                    row
                }
                Err(reason) => return Ok(Err(reason)),
            },
            (kind, None) => match primitive(attributes, kind, sizes(attributes, kind)?)? {
                Ok(row) => row,
                Err(reason) => return Ok(Err(reason)),
            },
        };
        // A mesh may name the material of geoms that name none.
        let material = match (model.asset("material", attributes)?, &mesh_asset) {
            (None, Some(mesh)) => mesh.model.asset("material", &mesh.attributes)?,
            (material, _) => material,
        };
        let material = material.filter(|_| !self.ignores_materials);
        let (color, is_transparent) = color(attributes, material.as_ref())?;
        Ok(Ok(GeomItem {
            frame: GeomFrame { body: 0, body_from_geom: frame },
            shape,
            color,
            is_transparent,
            group: attributes.integer("group")?.unwrap_or(0),
            ..GeomItem::empty()
        }))
    }
}

/// Returns the colour of a geom, and whether the geom is transparent.
fn color(
    attributes: &Attributes<'_>,
    material: Option<&Asset<'_, '_>>,
) -> Result<(Color, bool), FileError> {
    let material = material.map(|material| &material.attributes);
    let mut given = [Some(attributes), material].into_iter().flatten();
    if let Some(reason) = given.find_map(|it| it.not_finite(&["rgba"])) {
        return Ok((Err(reason), false));
    }
    let own = attributes.numbers("rgba")?.filter(|own| *own != NO_COLOR);
    let (alpha, rgba) = match material {
        Some(material) => {
            let rgba = material.numbers_or("rgba", [1.0; 4])?;
            (rgba[3], own.or(Some(rgba)))
        }
        None => (own.unwrap_or(NO_COLOR)[3], own),
    };
    let color = rgba.map(|[red, green, blue, _]| {
        let refuse = |rule| attributes.refuse("rgba", format!("is invalid: {rule}")).to_string();
        checked_color([red, green, blue]).map_err(refuse)
    });
    Ok((color.transpose(), alpha == 0.0))
}

impl GeomItem {
    /// A geom that no ray can hit.
    pub fn empty() -> Self {
        Self {
            name: None,
            frame: GeomFrame { body: 0, body_from_geom: Similarity::IDENTITY },
            shape: GeomShape::Geometry(Rc::new(Geometry::Empty)),
            color: Ok(None),
            is_transparent: false,
            group: 0,
        }
    }
}

/// The two end points of a geom or a site, if it has them.
fn ends(attributes: &Attributes<'_>) -> Result<Option<[DVec3; 2]>, FileError> {
    let Some(numbers) = attributes.numbers::<6>("fromto")? else { return Ok(None) };
    let ends = [DVec3::from_slice(&numbers), DVec3::from_slice(&numbers[3..])];
    match ends[0].distance(ends[1]) >= MIN_LENGTH {
        true => Ok(Some(ends)),
        false => Err(attributes.refuse("fromto", "is a line of length zero")),
    }
}

/// Returns the frame of a geom or a site. Between two points its z axis leads from the second to
/// the first.
pub(super) fn frame(
    compiler: &Compiler,
    attributes: &Attributes<'_>,
) -> Result<Similarity, FileError> {
    let Some([start, end]) = ends(attributes)? else { return compiler.frame(attributes) };
    if attributes.numbers_or("pos", [0.0; 3])? != [0.0; 3] {
        return Err(
            attributes.refuse("fromto", "is given together with pos: remove one of the two")
        );
    }
    Ok(Similarity {
        translation: 0.5 * (start + end),
        rotation: rotation_of_z((start - end).normalize()),
        scale: 1.0,
    })
}

/// Returns the three sizes of a geom in MuJoCo's order. Two end points give the length.
fn sizes(attributes: &Attributes<'_>, kind: &str) -> Result<[f64; 3], FileError> {
    let given = attributes.list("size")?.unwrap_or_default();
    if given.len() > 3 {
        return Err(attributes.refuse("size", "has more than three numbers"));
    }
    let mut sizes = [0.0; 3];
    sizes.iter_mut().zip(&given).for_each(|(size, given)| *size = *given);
    let mut count = given.len();
    if let Some([start, end]) = ends(attributes)? {
        let half = 0.5 * start.distance(end);
        match kind {
            "capsule" | "cylinder" => sizes[1] = half,
            "ellipsoid" | "box" => sizes = [sizes[0], sizes[0], half],
            _ => {
                let reason =
                    format!("is for capsules, cylinders, ellipsoids and boxes, not a {kind}");
                return Err(attributes.refuse("fromto", reason));
            }
        }
        count = if count > 0 { 3 } else { 0 };
    }
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        "ellipsoid" | "box" | "plane" => 3,
        _ => return Err(attributes.refuse("type", "is not a type of geom")),
    };
    match count >= needed {
        true => Ok(sizes),
        false => Err(attributes.refuse("size", format!("lacks a number: a {kind} needs {needed}"))),
    }
}

/// Returns a shape of these sizes in the geom's frame; the inner error is the reason why there is
/// none.
fn primitive(
    attributes: &Attributes<'_>,
    kind: &str,
    sizes: [f64; 3],
) -> Result<Result<GeomShape, String>, FileError> {
    let [radius, half, _] = sizes;
    let (name, row) = match kind {
        "sphere" => ("sphere", vec![0.0, 0.0, 0.0, radius]),
        name @ ("capsule" | "cylinder") => (name, vec![0.0, 0.0, -half, 0.0, 0.0, half, radius]),
        name @ ("ellipsoid" | "box") => (name, [[0.0; 3], sizes].concat()),
        // A plane without sizes is infinite. All are one-sided.
        "plane" if sizes[..2] == [0.0; 2] => {
            let normal_alone = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            ("plane", [&[0.0; 3][..], &normal_alone].concat())
        }
        "plane" => {
            let rotation_alone = [0.0, 0.0, 0.0, sizes[0], sizes[1], 0.0, 0.0, 0.0, 1.0, 1.0];
            ("plane", [&[0.0; 3][..], &rotation_alone].concat())
        }
        _ => return Err(attributes.refuse("type", "is not a type of geom")),
    };
    // A negative length would only swap the ends, and so pass every later check.
    if sizes.iter().any(|size| *size < 0.0) {
        return Ok(Err("its size has a number below 0".to_owned()));
    }
    Ok(Ok(GeomShape::Closed(closed_form(name, &row))))
}

/// Returns the shape that is fitted to a mesh, and its frame in the mesh's; or the reason why it
/// cannot be fitted.
fn fitted(
    model: &Model<'_>,
    attributes: &Attributes<'_>,
    kind: &str,
    mesh: &MeshAsset,
) -> Result<Result<(Similarity, GeomShape), String>, FileError> {
    if attributes.text("fromto").is_some() {
        return Err(
            attributes.refuse("fromto", "is given together with mesh: remove one of the two")
        );
    }
    let fit = match mesh.fit() {
        Ok(fit) => fit,
        Err(reason) => return Ok(Err(reason.clone())),
    };
    let [scale] = attributes.numbers_or("fitscale", [1.0])?;
    let (frame, sizes) = fit.primitive(kind, model.compiler.fits_boxes);
    let shape = primitive(attributes, kind, sizes.map(|size| scale * size))?;
    Ok(shape.map(|shape| (frame, shape)))
}
