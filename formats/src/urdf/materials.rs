//! The colours of a robot's materials. A visual gives one of its own, or names a material of the
//! robot.

use super::document::{UrdfFile, children};
use crate::checks::checked_color;
use crate::xml::Node;
use std::collections::HashMap;

/// The `<color>` elements of the materials that have a name.
pub(super) struct Materials<'a>(HashMap<&'a str, Node<'a, 'a>>);

impl<'a> Materials<'a> {
    /// Finds the materials of the robot, and those that a visual defines for all, as in ROS. If
    /// several have the same name, the robot's own is used, otherwise the first.
    pub fn read(robot: Node<'a, 'a>) -> Self {
        let of_visuals = children(robot, "link")
            .flat_map(|link| children(link, "visual"))
            .flat_map(|visual| children(visual, "material"));
        let mut colors = HashMap::new();
        for material in children(robot, "material").chain(of_visuals) {
            // Some exporters name every material "".
            let name = material.attribute("name").filter(|name| !name.is_empty());
            if let (Some(name), Some(color)) = (name, color_of(material)) {
                colors.entry(name).or_insert(color);
            }
        }
        Self(colors)
    }

    /// Returns the colour of a visual, without its alpha; `None` if it has none. The error states
    /// why the colour cannot be read.
    pub fn color(
        &self,
        file: &UrdfFile<'a>,
        visual: Node<'a, 'a>,
    ) -> Result<Option<[f32; 3]>, String> {
        let Some(material) = children(visual, "material").next() else {
            return Ok(None);
        };
        let named = || self.0.get(material.attribute("name")?).copied();
        let Some(color) = color_of(material).or_else(named) else {
            return Ok(None);
        };
        let [red, green, blue, _alpha] =
            file.required(color, "rgba").map_err(|error| error.to_string())?;
        checked_color([red, green, blue])
            .map(Some)
            .map_err(|rule| file.refuse(color, format!("rgba: {rule}")).to_string())
    }
}

fn color_of<'a>(material: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    children(material, "color").next()
}
