//! Joints: the number of values that each has in a pose, and how it moves its body.

use super::attributes::Attributes;
use super::compiler::{Compiler, unit_quaternion};
use super::document::Element;
use crate::joint_value::JointMotion;
use glam::{DQuat, DVec3};
use raytwin::math::{Similarity, rotation_about};
use raytwin_files::FileError;

pub(super) struct Joint<'a> {
    pub element: &'a Element,
    pub name: Option<String>,
    pub motion: JointMotion,
    /// The point of the body that it turns about.
    anchor: DVec3,
    /// The value at which the body is where its element puts it.
    reference: f64,
    /// The lowest and the highest value, if it is limited.
    pub limits: Option<[f64; 2]>,
}

impl<'a> Joint<'a> {
    /// Reads a `<joint>` or a `<freejoint>` in a frame of its body.
    pub fn read(
        compiler: &Compiler,
        attributes: &Attributes<'a>,
        name: Option<String>,
        body_from_frame: &Similarity,
    ) -> Result<Self, FileError> {
        let element = attributes.element;
        let is_free = element.tag == "freejoint";
        let kind = if is_free { "free" } else { attributes.text("type").unwrap_or("hinge") };
        let axis = || {
            let axis = DVec3::from(attributes.numbers_or("axis", [0.0, 0.0, 1.0])?);
            let axis = axis.try_normalize().filter(|_| axis.length() > 1e-7);
            let axis = axis.ok_or_else(|| attributes.refuse("axis", "has length zero"))?;
            Ok::<_, FileError>(body_from_frame.rotation * axis)
        };
        let motion = match kind {
            "free" => JointMotion::Free,
            "ball" => JointMotion::Ball,
            "slide" => JointMotion::Slide(axis()?),
            "hinge" => JointMotion::Turn(axis()?),
            _ => return Err(attributes.refuse("type", "must be free, ball, slide or hinge")),
        };
        let in_its_unit = |value| if motion.turns() { compiler.angle(value) } else { value };
        let moves_by_one = motion.number_count() == 1;
        let range = attributes.numbers::<2>("range")?.filter(|[lower, upper]| lower < upper);
        let is_limited = moves_by_one && attributes.text("limited") != Some("false");
        let [reference] = attributes.numbers_or("ref", [0.0])?;
        let anchor = DVec3::from(attributes.numbers_or("pos", [0.0; 3])?);
        Ok(Self {
            element,
            name,
            motion,
            anchor: body_from_frame.point(anchor),
            reference: in_its_unit(reference),
            limits: range.filter(|_| is_limited).map(|range| range.map(in_its_unit)),
        })
    }

    pub fn is_free(&self) -> bool {
        matches!(self.motion, JointMotion::Free)
    }

    pub fn kind(&self) -> &'static str {
        match self.motion {
            JointMotion::Free => "free",
            JointMotion::Ball => "ball",
            JointMotion::Slide(_) => "slide",
            JointMotion::Turn(_) => "hinge",
            JointMotion::Fixed => "fixed",
        }
    }

    /// Appends its numbers for a body that is where its element puts it.
    pub fn push_reference(&self, parent_from_body: &Similarity, numbers: &mut Vec<f64>) {
        let DQuat { x, y, z, w } = parent_from_body.rotation;
        match self.motion {
            JointMotion::Free => {
                numbers.extend(parent_from_body.translation.to_array());
                numbers.extend([w, x, y, z]);
            }
            JointMotion::Ball => numbers.extend([1.0, 0.0, 0.0, 0.0]),
            JointMotion::Slide(_) | JointMotion::Turn(_) => numbers.push(self.reference),
            JointMotion::Fixed => {}
        }
    }

    /// Moves a body by the joint's numbers. The error is the reason to reject them.
    pub fn moved(
        &self,
        world_from_body: &Similarity,
        numbers: &[f64],
    ) -> Result<Similarity, &'static str> {
        let turned = |rotation: DQuat| {
            let rotation = (world_from_body.rotation * rotation).normalize();
            // The anchor does not move.
            let translation = world_from_body.point(self.anchor) - rotation * self.anchor;
            Similarity { translation, rotation, scale: 1.0 }
        };
        const NO_ROTATION: &str = "a quaternion with a length near zero";
        match (self.motion, numbers) {
            (JointMotion::Free, &[x, y, z, ref quaternion @ ..]) => {
                let quaternion = <[f64; 4]>::try_from(quaternion).ok();
                let rotation = quaternion.and_then(unit_quaternion).ok_or(NO_ROTATION)?;
                Ok(Similarity { translation: DVec3::new(x, y, z), rotation, scale: 1.0 })
            }
            (JointMotion::Ball, &[w, x, y, z]) => {
                unit_quaternion([w, x, y, z]).map(turned).ok_or(NO_ROTATION)
            }
            (JointMotion::Slide(axis), &[distance]) => {
                let way = world_from_body.rotation * ((distance - self.reference) * axis);
                Ok(Similarity {
                    translation: world_from_body.translation + way,
                    ..*world_from_body
                })
            }
            (JointMotion::Turn(axis), &[angle]) => {
                Ok(turned(rotation_about(axis, angle - self.reference)))
            }
            _ => Err("the wrong number of values for its type"),
        }
    }
}
