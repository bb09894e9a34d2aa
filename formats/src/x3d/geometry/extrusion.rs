//! The Extrusion (X3D 13.3.5, VRML97 6.18): a cross-section that is moved along a spine, scaled and
//! turned on its way.

mod planes;

use super::faces::turn;
use crate::mesh::Triangles;
use glam::{DMat3, DQuat, DVec2, DVec3};
use raytwin::math::rotation_about;
use std::collections::HashMap;

/// The largest number of vertices of an extrusion. Their number is a product of two lists of the
/// file, so a small file could need more than fits into memory.
const MAX_VERTICES: usize = 1 << 18;

/// The fields of an Extrusion.
pub(in crate::x3d) struct Extrusion {
    /// The curve that is moved, in x and z. It is closed if it ends where it begins.
    pub cross_section: Vec<DVec2>,
    /// The points along which it is moved.
    pub spine: Vec<DVec3>,
    /// How the cross-section is stretched along its x and z at each point of the spine.
    pub scale: Vec<DVec2>,
    /// Its rotation relative to the spine at each point: an axis, and an angle in radians.
    pub orientation: Vec<[f64; 4]>,
    /// True if the first cross-section is filled.
    pub begin_cap: bool,
    /// True if the last cross-section is filled.
    pub end_cap: bool,
    /// True if a cross-section that runs counter-clockwise, when seen against the spine's
    /// direction, has its outer side in front.
    pub ccw: bool,
}

impl Extrusion {
    /// Returns its triangles: the sides from the first to the last point of the spine, and the
    /// caps.
    ///
    /// The specification does not define what applies if there are fewer scales or orientations
    /// than points of the spine: here the last one applies to the rest.
    ///
    /// # Errors
    /// Returns the reason if there is no spine or no cross-section, if the vertices would be too
    /// many, or if no triangle is left.
    pub fn triangles(&self) -> Result<Triangles, String> {
        let mut section = self.cross_section.clone();
        section.dedup();
        let is_closed = section.len() > 2 && section.first() == section.last();
        if is_closed {
            section.pop();
        }
        let [rings, columns] = [self.spine.len(), section.len()];
        if rings == 0 {
            return Err("has a spine without points".to_owned());
        }
        if columns < 2 {
            return Err("has a cross-section without two different points".to_owned());
        }
        if rings.saturating_mul(columns) > MAX_VERTICES {
            return Err(format!(
                "has {columns} points in its cross-section and {rings} in its spine, {} vertices: at most {MAX_VERTICES} are \
                 allowed; use fewer points",
                rings.saturating_mul(columns)
            ));
        }
        let vertices: Vec<DVec3> = self.rings(&section).collect();
        let mut triangles = sides(rings, columns, is_closed);
        let last = (rings - 1) * columns;
        // The caps of a single cross-section are in the same place, so one of them suffices.
        if self.begin_cap && !(self.end_cap && rings == 1) {
            let cap = cap(&section, &vertices[..columns])?;
            triangles.extend(cap.iter().map(|&[a, b, c]| [a, c, b]));
        }
        if self.end_cap {
            let cap = cap(&section, &vertices[last..])?;
            triangles.extend(cap.iter().map(|corners| corners.map(|corner| last as u32 + corner)));
        }
        // Cross-sections may meet, or shrink to a point.
        triangles.retain(|&[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|corner| vertices[corner as usize]);
            a != b && b != c && c != a
        });
        if triangles.is_empty() {
            return Err("has no triangle with an area".to_owned());
        }
        turn(&mut triangles, self.ccw);
        let mut mesh = Triangles { vertices, triangles };
        mesh.flip_collinear();
        Ok(mesh)
    }

    /// The vertices: the cross-section at each point of the spine. It is scaled, then turned by the
    /// orientation, and then with the plane of the spine.
    fn rings(&self, section: &[DVec2]) -> impl Iterator<Item = DVec3> {
        let planes = planes::spine_aligned(&self.spine);
        let ring = move |(index, (&center, plane)): (usize, (&DVec3, DMat3))| {
            let scale = at(&self.scale, index).unwrap_or(DVec2::ONE);
            let orientation = at(&self.orientation, index).map_or(DQuat::IDENTITY, rotation);
            section.iter().map(move |&point| {
                let scaled = point * scale;
                center + plane * (orientation * DVec3::new(scaled.x, 0.0, scaled.y))
            })
        };
        self.spine.iter().zip(planes).enumerate().flat_map(ring)
    }
}

/// Returns the entry for a point of the spine: its own, or the last.
fn at<T: Copy>(entries: &[T], index: usize) -> Option<T> {
    entries.get(index).or(entries.last()).copied()
}

fn rotation([x, y, z, angle]: [f64; 4]) -> DQuat {
    let axis = DVec3::new(x, y, z).normalize_or_zero();
    match axis == DVec3::ZERO {
        true => DQuat::IDENTITY,
        false => rotation_about(axis, angle),
    }
}

/// The quadrilaterals between neighbouring cross-sections, in two triangles each.
fn sides(rings: usize, columns: usize, is_closed: bool) -> Vec<[u32; 3]> {
    let steps = if is_closed { columns } else { columns - 1 };
    let corners = (1..rings).flat_map(|ring| (0..steps).map(move |column| [ring, column]));
    corners
        .flat_map(|[ring, column]| {
            let next = (column + 1) % columns;
            let [below, above] = [(ring - 1) * columns, ring * columns];
            let [a, b, c, d] = [below + column, below + next, above + next, above + column];
            [[a, b, c], [a, c, d]].map(|corners| corners.map(|corner| corner as u32))
        })
        .collect()
}

/// The triangles that fill a cross-section, as seen against the spine's direction. They are cut
/// from its plane figure, which keeps its shape where the ring is shrunk.
fn cap(section: &[DVec2], ring: &[DVec3]) -> Result<Vec<[u32; 3]>, String> {
    if cancels_itself(ring) {
        return Ok(Vec::new());
    }
    let vertices = section.iter().map(|point| DVec3::new(point.x, 0.0, point.y)).collect();
    let mut figure = Triangles { vertices, triangles: Vec::new() };
    let corners: Vec<u32> = (0..section.len() as u32).collect();
    figure.add_polygon(&corners).map_err(|reason| format!("has a cap that {reason}"))?;
    Ok(figure.triangles)
}

/// Returns true if an outline runs along each of its edges as often one way as the other, so that
/// the sides close the end by themselves: the cross-section is shrunk to a point or to a line.
fn cancels_itself(ring: &[DVec3]) -> bool {
    // Adding zero turns −0 into +0, so that both have the same bits.
    let key = |point: &DVec3| (*point + 0.0).to_array().map(f64::to_bits);
    let mut balance: HashMap<[[u64; 3]; 2], i64> = HashMap::new();
    for (from, to) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let [from, to] = [key(from), key(to)];
        if from < to {
            *balance.entry([from, to]).or_default() += 1;
        } else if to < from {
            *balance.entry([to, from]).or_default() -= 1;
        }
    }
    balance.values().all(|&balance| balance == 0)
}

#[cfg(test)]
mod tests;
