//! Reads viewpoints as cameras (X3D 3.3, section 23.4).

use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::{TreeReader, described};
use crate::graph::GraphCamera;
use glam::{DVec2, DVec3};
use raytwin::camera::Projection;
use raytwin_files::FileError;
use std::f64::consts::{FRAC_PI_4, PI};

impl TreeReader<'_> {
    /// Reads a Viewpoint or an OrthoViewpoint. An unreadable one is a warning.
    pub fn read_viewpoint(&mut self, node: NodeIndex, within: &Surroundings) {
        match self.viewpoint(node, within) {
            Ok(camera) => self.contents.cameras.push(camera),
            Err(fault) => {
                let tree = self.tree;
                self.warnings.viewpoints.add(|| format!("{}: {fault}", described(tree, node)));
            }
        }
        self.viewpoint_count += 1;
    }

    /// The camera of a viewpoint, which looks along −z of its own space with +y upwards.
    fn viewpoint(&self, node: NodeIndex, within: &Surroundings) -> Result<GraphCamera, FileError> {
        let tree = self.tree;
        let mut position = DVec3::from(tree.vector(node, "position", [0.0, 0.0, 10.0])?);
        let orientation = tree.rotation(node, "orientation")?;
        let space = within.contents_from_group;
        let up = space.affine().linear * (orientation * DVec3::Y);
        let projection = match &*tree.node(node).type_name {
            "OrthoViewpoint" => {
                let [left, bottom, right, top] =
                    tree.vector(node, "fieldOfView", [-1.0, -1.0, 1.0, 1.0])?;
                let middle = 0.5 * DVec2::new(left + right, bottom + top);
                position += orientation * middle.extend(0.0);
                Projection::Orthographic { height: (top - bottom) * up.length() }
            }
            // The angle is the smaller one of the picture's two, which is the vertical one unless
            // the picture is upright.
            _ => {
                let angle = tree.number(node, "fieldOfView", FRAC_PI_4)? * tree.angle_unit;
                Projection::Perspective { fov_y_degrees: angle * (180.0 / PI) }
            }
        };
        let center = DVec3::from(tree.vector(node, "centerOfRotation", [0.0; 3])?);
        let distance = Some((center - position).length()).filter(|&distance| distance > 0.0);
        let target = position - distance.unwrap_or(1.0) * (orientation * DVec3::Z);
        let description = tree.string(node, "description")?.filter(|text| !text.is_empty());
        let name = match (description, tree.name_of(node)) {
            (Some(description), _) => description.into_owned(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => format!("viewpoint[{}]", self.viewpoint_count),
        };
        let [eye, target] = [position, target].map(|point| space.point(point));
        let place = format!("viewpoint {name}");
        let camera = GraphCamera::of_scene_graph(name, [eye, target], up, projection, place);
        camera.map_err(|error| tree.refuse(node, error.to_string()))
    }
}
