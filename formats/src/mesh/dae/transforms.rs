//! The transforms of a COLLADA node, which apply in the order of its elements, the last first.

use super::dae_file::DaeFile;
use crate::xml::Node;
use glam::{DMat3, DVec3};
use raytwin::math::{radians, rotation_about};
use raytwin::transform::Affine;
use raytwin_files::FileError;

impl<'a> DaeFile<'a> {
    pub(super) fn transform(&self, node: Node<'a, 'a>) -> Result<Affine, FileError> {
        let mut parent_from_node = linear(DMat3::IDENTITY);
        for element in node.children().filter(Node::is_element) {
            let next = match element.tag_name().name() {
                "matrix" => self.matrix(element)?,
                "translate" => {
                    let translation = DVec3::from(self.exactly::<3>(element)?);
                    Affine { linear: DMat3::IDENTITY, translation }
                }
                "rotate" => {
                    let [x, y, z, degrees] = self.exactly(element)?;
                    match DVec3::new(x, y, z).try_normalize() {
                        Some(axis) => {
                            linear(DMat3::from_quat(rotation_about(axis, radians(degrees))))
                        }
                        // Some writers give no axis for a rotation by 0.
                        None if degrees == 0.0 => continue,
                        None => return Err(self.refuse(element, "the axis must have a length")),
                    }
                }
                "scale" => linear(DMat3::from_diagonal(self.exactly::<3>(element)?.into())),
                "lookat" => self.look_at(element)?,
                "skew" => self.skew(element)?,
                _ => continue,
            };
            parent_from_node = parent_from_node.then_inner(&next);
        }
        Ok(parent_from_node)
    }

    /// A matrix, which is written row by row.
    pub(super) fn matrix(&self, element: Node<'a, 'a>) -> Result<Affine, FileError> {
        let rows: [f64; 16] = self.exactly(element)?;
        match rows {
            [first @ .., 0.0, 0.0, 0.0, 1.0] => Ok(Affine::from_rows(first)),
            _ => Err(self.refuse(element, "the last row of a matrix must be 0 0 0 1")),
        }
    }

    fn exactly<const N: usize>(&self, element: Node<'a, 'a>) -> Result<[f64; N], FileError> {
        let numbers = self.numbers(element)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            let name = element.tag_name().name();
            self.refuse(element, format!("<{name}> has {count} numbers: it must have {N}"))
        })
    }

    /// The frame of an eye that looks along its −z axis.
    fn look_at(&self, element: Node<'a, 'a>) -> Result<Affine, FileError> {
        let numbers: [f64; 9] = self.exactly(element)?;
        let [eye, target, up] = [0, 3, 6].map(|start| DVec3::from_slice(&numbers[start..]));
        let axes = (target - eye).try_normalize().and_then(|forward| {
            let right = forward.cross(up).try_normalize()?;
            Some(DMat3::from_cols(right, right.cross(forward), -forward))
        });
        let reason =
            "a view needs two different points, and an upward direction that is not parallel to it";
        let linear = axes.ok_or_else(|| self.refuse(element, reason))?;
        Ok(Affine { linear, translation: eye })
    }

    /// A shift along a second axis that tilts the first axis towards it by an angle, as in
    /// RenderMan.
    fn skew(&self, element: Node<'a, 'a>) -> Result<Affine, FileError> {
        let numbers: [f64; 7] = self.exactly(element)?;
        let angle = radians(numbers[0]);
        let [tilted, shift] = [1, 4].map(|start| DVec3::from_slice(&numbers[start..]));
        let axes = tilted.try_normalize().zip(shift.try_normalize()).and_then(|(tilted, shift)| {
            let cosine = tilted.dot(shift);
            let aside = tilted - cosine * shift;
            Some((shift, aside.try_normalize()?, cosine, aside.length()))
        });
        let reason = "a skew needs two axes that are not parallel, and an angle smaller than the one between them";
        let Some((shift, aside, cosine, sine)) = axes else {
            return Err(self.refuse(element, reason));
        };
        // The sine and the cosine of the remaining angle between the axes.
        let (turned_sine, turned_cosine) = (libm::sin(angle), libm::cos(angle));
        let left_sine = sine * turned_cosine - cosine * turned_sine;
        let left_cosine = cosine * turned_cosine + sine * turned_sine;
        if left_sine <= 1e-9 {
            return Err(self.refuse(element, reason));
        }
        let slope = left_cosine / left_sine - cosine / sine;
        let column = |axis: DVec3| axis + slope * aside.dot(axis) * shift;
        Ok(linear(DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))))
    }
}

fn linear(linear: DMat3) -> Affine {
    Affine { linear, translation: DVec3::ZERO }
}
