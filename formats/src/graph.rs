//! The graph that scene files describe: files and definitions that use each other. Nothing in it is
//! rounded, placed in the world or written out as single shapes.

mod camera;
mod cameras;
mod coarse_rows;
mod contents;
mod flatten;
mod frame;
mod group_bodies;
mod origin;
mod parent;
mod plan;
mod pose;
mod rows;
mod scene_bodies;
mod shape;
mod walk;

pub(super) use camera::{Aim, CameraPlace, GraphCamera};
pub(crate) use contents::{Graph, GraphContents, GraphItem, GraphUse, Group, Label};
pub(super) use contents::{GraphWorld, InvalidShapes, JointedModel};
pub(super) use flatten::{FlatScene, flatten};
pub(crate) use group_bodies::GroupBodies;
pub(super) use origin::origin_near_scene;
pub(super) use plan::geometry_count;
pub(super) use pose::pose;
pub(crate) use rows::{GraphRows, RowPlace, RowShapes};
pub(crate) use shape::GraphShape;

#[cfg(test)]
mod tests;
