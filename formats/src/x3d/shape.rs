//! Reads a Shape: its geometry in its group, with its colour.

use super::geometry_fault::GeometryFault;
use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::{TreeReader, described};
use crate::graph::{GraphItem, GraphShape};
use crate::shortened::shortened;
use raytwin::fields::{MAX_COORDINATE, MIN_SIZE};
use raytwin::geometry::Geometry;
use raytwin::scene::Name;
use raytwin_files::FileError;

impl TreeReader<'_> {
    /// Reads a Shape. A geometry that several shapes share becomes contents of its own, which each
    /// uses with its colour.
    pub fn read_shape(&mut self, node: NodeIndex, within: &Surroundings) -> Result<(), FileError> {
        let Some(geometry) = self.tree.node_in(node, "geometry") else { return Ok(()) };
        self.note_surplus(node, "geometry", self.tree.nodes_in(node, "geometry").count(), 1);
        let name = self.tree.node(node).name.as_deref();
        let color = self.color(node, self.tree.resolved(geometry), within)?;
        if self.is_shared(geometry) {
            let label = name.map(str::to_owned);
            return self.use_contents(geometry, (label, color), within, |reader, node, within| {
                reader.read_geometry(node, None, None, within)
            });
        }
        self.read_geometry(geometry, name, color, within)
    }

    /// Reads a geometry node, which may give several shapes or none.
    fn read_geometry(
        &mut self,
        node: NodeIndex,
        shape_name: Option<&str>,
        color: Option<[f32; 3]>,
        within: &Surroundings,
    ) -> Result<(), FileError> {
        let own_name = self.tree.name_of(node);
        let names: Vec<&str> = shape_name.into_iter().chain(own_name).collect();
        let read = self.geometry(self.tree.resolved(node), &names, within);
        let fits = |geometry: &Geometry| fits(geometry, within);
        let geometries = match read {
            Ok(geometries) if geometries.iter().all(fits) => geometries,
            Ok(geometries) => {
                let reason =
                    "its size or its place in the world is outside the range from 1e-9 to 1e9";
                self.note_unread(node, &names, within, reason);
                let kept = |geometry| if fits(&geometry) { geometry } else { Geometry::Empty };
                geometries.into_iter().map(kept).collect()
            }
            Err(GeometryFault::Unread(reason)) => {
                self.note_unread(node, &names, within, &reason);
                vec![Geometry::Empty]
            }
            Err(GeometryFault::Refused(error)) => return Err(error),
        };
        let name = match names[..] {
            [] => None,
            [name] => Some(Name::from(name)),
            [outer, inner, ..] => Some(Name::from(outer).child(inner)),
        };
        let is_one = geometries.len() == 1;
        let mut inner = *within;
        if !is_one {
            for name in &names {
                inner = self.begin_group(Some(name), None, &inner).unwrap_or(inner);
            }
        }
        let count = self.shape_counts.entry([self.contents_index, inner.named_group]).or_default();
        for geometry in geometries {
            self.contents.items.push(GraphItem::Shape(GraphShape {
                name: name.clone().filter(|_| is_one),
                appearance: color.into(),
                ..GraphShape::new(inner.group, *count, geometry)
            }));
            *count += 1;
        }
        Ok(())
    }

    /// Records that a field has more values than are used, if it has.
    pub fn note_surplus(&mut self, node: NodeIndex, field: &str, count: usize, used: usize) {
        if count > used {
            let tree = self.tree;
            let shape = || {
                format!(
                    "{}: {used} of the {count} values of {field} are read",
                    described(tree, node)
                )
            };
            self.warnings.surplus.add(shape);
        }
    }

    fn note_unread(
        &mut self,
        node: NodeIndex,
        names: &[&str],
        within: &Surroundings,
        reason: &str,
    ) {
        let shape = self.described_shape(node, names, within);
        self.warnings.unread_shapes.add(|| format!("{shape}: {reason}"));
    }

    /// A shape in a message: its path if it has a name, its type and its line.
    pub fn described_shape(
        &self,
        node: NodeIndex,
        names: &[&str],
        within: &Surroundings,
    ) -> String {
        let node = self.tree.node(self.tree.resolved(node));
        let type_name = shortened(&node.type_name);
        let [line, _] = self.tree.source.position(node.offset);
        match self.path_in(within, &names.join("/")) {
            path if path.is_empty() => format!("{type_name} (line {line})"),
            path => format!("{path} ({type_name}, line {line})"),
        }
    }
}

/// Returns true if a scene allows a geometry in its place.
fn fits(geometry: &Geometry, within: &Surroundings) -> bool {
    let Some(bounds) = geometry.bounds() else { return true };
    let bounds = within.file_from_group.affine().bounds(&bounds);
    let reach = bounds.min.abs().max(bounds.max.abs());
    // A comparison with NaN is false.
    bounds.radius() >= MIN_SIZE && reach.cmple(glam::DVec3::splat(MAX_COORDINATE)).all()
}
