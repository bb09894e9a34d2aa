//! The bodies of a model and everything in them, in flat lists.

use super::camera_item::CameraItem;
use super::document::Element;
use super::geoms::{GeomFrame, GeomItem};
use super::joints::Joint;
use crate::Warning;
use crate::graph::GroupBodies;
use crate::mesh_warnings::MeshWarnings;
use raytwin::math::Similarity;
use raytwin::scene::Name;
use std::collections::HashMap;

/// A body, which its joints move relative to its parent.
pub(super) struct Body<'a> {
    /// The name by which cameras refer to it.
    pub name: String,
    /// Its path; `None` for the world.
    pub path: Option<Name>,
    /// The index of its parent. The world is its own.
    pub parent: usize,
    pub parent_from_body: Similarity,
    pub joints: Vec<Joint<'a>>,
    pub is_mocap: bool,
    pub child_count: usize,
}

/// A site, at which rangefinders and other sensors are mounted.
pub(super) struct Site<'a> {
    /// The element, which replicas of a site share.
    pub element: &'a Element,
    /// The root of the model that it is written in.
    pub root: &'a Element,
    pub prefix: String,
    pub suffix: String,
    pub body: usize,
    pub body_from_site: Similarity,
}

pub(super) struct BodyTree<'a> {
    /// All bodies; each has a higher index than its parent, and the world is the first.
    pub bodies: Vec<Body<'a>>,
    /// The geoms in the order of their bodies, which is MuJoCo's.
    pub geoms: Vec<GeomItem>,
    pub cameras: Vec<CameraItem<'a>>,
    pub sites: Vec<Site<'a>>,
    /// Settings with which MuJoCo changes a model, but the reader does not.
    pub unfollowed: Warning,
    /// Geometry that cannot be read.
    pub unread: Warning,
    /// Elements that are not read. Some of them make bodies, joints and geoms in MuJoCo.
    pub unknown: Warning,
    /// Cameras with invalid numbers.
    pub unread_cameras: Warning,
    pub meshes: MeshWarnings,
}

impl<'a> BodyTree<'a> {
    /// The frames of all geoms.
    pub fn geom_frames(&self) -> Vec<GeomFrame> {
        self.geoms.iter().map(|geom| geom.frame).collect()
    }

    /// Returns the bodies that move as one, and the pairs between which MuJoCo finds no contacts: a
    /// body and its parent, unless one of them is fixed to the world, and those that are excluded
    /// by name. The group of a body is the one after its index.
    pub fn group_bodies(&self, excluded: &[[String; 2]]) -> GroupBodies {
        let mut of_groups = vec![0; self.bodies.len() + 1];
        let mut pairs = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let parent = of_groups[body.parent + 1];
            let is_fixed = body.joints.is_empty() && !body.is_mocap;
            of_groups[index + 1] = if is_fixed { parent } else { index as u32 };
            if !is_fixed && parent != 0 {
                pairs.push([parent, index as u32]);
            }
        }
        let numbers: HashMap<&str, usize> =
            self.bodies.iter().map(|body| &*body.name).zip(0..).collect();
        pairs.extend(excluded.iter().filter_map(|[a, b]| {
            let body = |name: &str| Some(of_groups[numbers.get(name)? + 1]);
            Some([body(a)?, body(b)?])
        }));
        GroupBodies { of_groups, pairs }
    }

    /// The path of a geom, given its index among all geoms.
    pub fn path_of(&self, geom: &GeomItem, index: usize) -> Name {
        let body = geom.frame.body;
        let before = |most: usize| self.geoms.partition_point(|geom| geom.frame.body < most);
        let siblings = before(body)..before(body + 1);
        let last = match &geom.name {
            Some(name) => name.clone(),
            None => format!("geom[{}]", index - siblings.start),
        };
        match (&self.bodies[body].path, siblings.len()) {
            (Some(path), 1) if geom.name.is_none() => path.clone(),
            (Some(path), _) => path.child(last),
            (None, _) => Name::from(last),
        }
    }
}
