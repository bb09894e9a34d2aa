//! The `<compiler>` settings of a model, which define the meaning of its numbers and paths.

use super::attributes::{Attributes, ORIENTATIONS};
use super::document::Element;
use crate::reference::{file_name, reduced_path_in};
use glam::{DMat3, DQuat, DVec3};
use raytwin::math::{Similarity, radians, rotation_about};
use raytwin_files::{FileError, FileStore};
use std::path::{Path, PathBuf};

/// A vector below this length has no direction, as in MuJoCo.
const NO_LENGTH: f64 = 1e-7;

/// The settings of a model.
pub(super) struct Compiler {
    pub in_degrees: bool,
    /// The axes of Euler angles: x, y and z turn with the frame, and X, Y and Z are fixed.
    sequence: [char; 3],
    mesh_folder: PathBuf,
    strips_paths: bool,
    /// Fits primitives to the boxes around meshes, not to their inertia.
    pub fits_boxes: bool,
    /// Leaves out materials, and geoms that collide with nothing unless something names them.
    pub discards_visuals: bool,
    /// Puts free bodies' frames into their inertia frames, which changes what their joints' values
    /// mean.
    pub aligns_free_bodies: bool,
    /// Joins bodies without joints to their parents, which changes the order of geoms.
    pub fuses_static: bool,
}

impl Compiler {
    /// Reads the settings of all `<compiler>` elements; later ones replace earlier ones.
    pub fn read(root: &Element) -> Result<Self, FileError> {
        let mut compiler = Self {
            in_degrees: true,
            sequence: ['x', 'y', 'z'],
            mesh_folder: PathBuf::new(),
            strips_paths: false,
            fits_boxes: false,
            discards_visuals: false,
            aligns_free_bodies: false,
            fuses_static: false,
        };
        for element in root.children("compiler") {
            let attributes = Attributes::of(element)?;
            if let Some(angle) = attributes.text("angle") {
                compiler.in_degrees = match angle {
                    "degree" => true,
                    "radian" => false,
                    _ => return Err(attributes.refuse("angle", "must be degree or radian")),
                };
            }
            if let Some(text) = attributes.text("eulerseq") {
                let letters: Vec<char> = text.chars().collect();
                let sequence = <[char; 3]>::try_from(letters).ok();
                compiler.sequence = sequence
                    .filter(|letters| letters.iter().all(|letter| "xyzXYZ".contains(*letter)))
                    .ok_or_else(|| {
                        attributes.refuse("eulerseq", "must be three of the letters x y z X Y Z")
                    })?;
            }
            if attributes.text("coordinate") == Some("global") {
                let reason = "is not supported by MuJoCo since 2.3.4: save the model with MuJoCo 2.3.3 first";
                return Err(attributes.refuse("coordinate", reason));
            }
            for folder in ["assetdir", "meshdir"] {
                if let Some(folder) = attributes.text(folder) {
                    compiler.mesh_folder = PathBuf::from(folder);
                }
            }
            for (name, setting) in [
                ("strippath", &mut compiler.strips_paths),
                ("fitaabb", &mut compiler.fits_boxes),
                ("discardvisual", &mut compiler.discards_visuals),
                ("alignfree", &mut compiler.aligns_free_bodies),
                ("fusestatic", &mut compiler.fuses_static),
            ] {
                *setting = attributes.flag(name)?.unwrap_or(*setting);
            }
        }
        Ok(compiler)
    }

    /// Inherits settings from the model that has this one as an asset, as in MuJoCo. All others are
    /// its own.
    pub fn follow(&mut self, outer: &Self) {
        self.strips_paths = outer.strips_paths;
        self.fits_boxes = outer.fits_boxes;
        self.discards_visuals = outer.discards_visuals;
        self.fuses_static = outer.fuses_static;
    }

    /// Returns the path of an asset's file in the model's folder of meshes. If it does not exist,
    /// returns the path in the subfolder of the included file that names it, if that exists.
    pub fn asset_path(
        &self,
        store: &FileStore,
        folder: &Path,
        element: &Element,
        file: &str,
    ) -> PathBuf {
        let file = if self.strips_paths { file_name(file) } else { file };
        let from =
            |inner: &Path| reduced_path_in(store, folder, self.mesh_folder.join(inner).join(file));
        let first = from(Path::new(""));
        let included = element.folder().strip_prefix(folder).unwrap_or(element.folder());
        match store.exists(&first) {
            true => first,
            false => Some(from(included)).filter(|path| store.exists(path)).unwrap_or(first),
        }
    }

    /// Converts an angle of the model to radians.
    pub fn angle(&self, angle: f64) -> f64 {
        if self.in_degrees { radians(angle) } else { angle }
    }

    /// Returns the frame that `pos` and an orientation describe.
    pub fn frame(&self, attributes: &Attributes<'_>) -> Result<Similarity, FileError> {
        Ok(Similarity {
            translation: attributes.numbers_or("pos", [0.0; 3])?.into(),
            rotation: self.orientation(attributes)?,
            scale: 1.0,
        })
    }

    fn orientation(&self, attributes: &Attributes<'_>) -> Result<DQuat, FileError> {
        let element = attributes.element;
        let given: Vec<_> =
            ORIENTATIONS.iter().filter(|name| element.attribute(name).is_some()).collect();
        if let [_, second, ..] = given[..] {
            return Err(attributes.refuse(second, "is a second orientation: give only one"));
        }
        let direction = |name: &str, numbers: &[f64]| {
            let vector = DVec3::from_slice(numbers);
            let unit = vector.try_normalize().filter(|_| vector.length() >= NO_LENGTH);
            unit.ok_or_else(|| attributes.refuse(name, "has an axis of length zero"))
        };
        if let Some(numbers) = attributes.numbers::<4>("axisangle")? {
            let axis = direction("axisangle", &numbers)?;
            return Ok(rotation_about(axis, self.angle(numbers[3])));
        }
        if let Some(numbers) = attributes.numbers::<6>("xyaxes")? {
            let x = direction("xyaxes", &numbers)?;
            let y = DVec3::from_slice(&numbers[3..]);
            let y = direction("xyaxes", &(y - x * x.dot(y)).to_array())?;
            return Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))));
        }
        if let Some(numbers) = attributes.numbers::<3>("zaxis")? {
            return Ok(rotation_of_z(direction("zaxis", &numbers)?));
        }
        if let Some(angles) = attributes.numbers::<3>("euler")? {
            return Ok(self.euler(angles));
        }
        match attributes.numbers::<4>("quat")? {
            Some(quaternion) => unit_quaternion(quaternion).ok_or_else(|| {
                attributes.refuse("quat", "is a quaternion with a length near zero")
            }),
            None => Ok(DQuat::IDENTITY),
        }
    }

    /// Returns the rotation by Euler angles, in the model's unit and sequence.
    pub fn euler(&self, angles: [f64; 3]) -> DQuat {
        let mut rotation = DQuat::IDENTITY;
        for (letter, angle) in self.sequence.into_iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                'x' => DVec3::X,
                'y' => DVec3::Y,
                _ => DVec3::Z,
            };
            let turn = rotation_about(axis, self.angle(angle));
            rotation = if letter.is_lowercase() { rotation * turn } else { turn * rotation };
        }
        rotation.normalize()
    }
}

/// Returns the unit quaternion of four numbers w, x, y, z; `None` if they have (nearly) no length.
pub(super) fn unit_quaternion([w, x, y, z]: [f64; 4]) -> Option<DQuat> {
    raytwin::fields::unit_rotation(&[x, y, z, w]).map(DQuat::normalize)
}

/// Returns the smallest rotation from the z axis to a unit vector; for the opposite of z, a half
/// turn about x.
pub(super) fn rotation_of_z(direction: DVec3) -> DQuat {
    let across = DVec3::Z.cross(direction);
    let axis = if across.length() < 1e-10 { DVec3::X } else { across.normalize() };
    rotation_about(axis, libm::atan2(across.length(), direction.z))
}
