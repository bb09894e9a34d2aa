//! The lines and directions for which an implementation of a shape is easily wrong. Rays and points
//! that check a device follow them.

use super::{CappedSolid, Shape};
use glam::DVec3;

impl Shape {
    /// Returns the directions along its axes, its edges and its faces.
    pub fn special_directions(&self) -> Vec<DVec3> {
        match self {
            Self::Sphere(_) => DVec3::AXES.to_vec(),
            Self::Cuboid(cuboid) => {
                DVec3::AXES.map(|axis| cuboid.rotation.normalize() * axis).to_vec()
            }
            Self::Ellipsoid(ellipsoid) => {
                DVec3::AXES.map(|axis| ellipsoid.rotation.normalize() * axis).to_vec()
            }
            Self::Cylinder(cylinder) => vec![cylinder.end - cylinder.start],
            Self::Capsule(capsule) => vec![capsule.end - capsule.start],
            Self::Cone(cone) => {
                // The directions of the axis and of a line on the side.
                let along = cone.end - cone.start;
                let aside = along.any_orthonormal_vector();
                vec![along, along + (cone.end_radius - cone.start_radius) * aside]
            }
            Self::Shell(shell) => match shell.whole {
                CappedSolid::Cylinder(cylinder) => Self::from(cylinder).special_directions(),
                CappedSolid::Cone(cone) => Self::from(cone).special_directions(),
            },
            Self::Torus(torus) => vec![torus.axis, torus.axis.any_orthogonal_vector()],
            Self::Plane(plane) => match &plane.rectangle {
                Some(rectangle) => {
                    DVec3::AXES.map(|axis| rectangle.rotation.normalize() * axis).to_vec()
                }
                None => vec![plane.normal, plane.normal.any_orthogonal_vector()],
            },
            Self::Disc(disc) => vec![disc.normal, disc.normal.any_orthogonal_vector()],
            Self::Triangle(triangle) => {
                let [a, b, c] = triangle.vertices;
                vec![b - a, c - b, (b - a).cross(c - a)]
            }
        }
    }

    /// Returns lines through positions at which several points of the surface are equally near, or
    /// formulas divide by zero: axes, edges and lines in planes of symmetry, each as two points.
    pub fn special_lines(&self) -> Vec<[DVec3; 2]> {
        let center = self.center();
        let from_center = |ways: [DVec3; 3]| ways.map(|way| [center, center + way]).to_vec();
        let about_axis = |start: DVec3, end: DVec3, radius: f64| {
            let aside = radius * (end - start).normalize().any_orthonormal_vector();
            vec![
                [start, end],
                [start, start + aside],
                [end, end + aside],
                [start + aside, end + aside],
            ]
        };
        match self {
            Self::Sphere(sphere) => from_center(DVec3::AXES.map(|axis| sphere.radius * axis)),
            Self::Cuboid(cuboid) => {
                let turn = |way: DVec3| cuboid.rotation.normalize() * (cuboid.half_extents * way);
                let mut lines = from_center(DVec3::AXES.map(turn));
                lines.push([center, center + turn(DVec3::ONE)]);
                lines.push([center + turn(DVec3::ONE), center + turn(DVec3::new(1.0, 1.0, -1.0))]);
                lines
            }
            Self::Ellipsoid(ellipsoid) => {
                let turn = |way: DVec3| ellipsoid.rotation.normalize() * (ellipsoid.radii * way);
                let mut lines = from_center(DVec3::AXES.map(turn));
                // The lines lie in planes of symmetry near the middle, from where the nearest point
                // leaves the plane.
                let [x, y, z] = DVec3::AXES;
                let diagonals = [x + y, y - z, z + x].map(|way| [center, center + 0.1 * turn(way)]);
                lines.extend(diagonals);
                lines
            }
            Self::Cylinder(cylinder) => {
                let hole = cylinder.inner_radius.max(1e-3 * cylinder.radius);
                let mut lines = about_axis(cylinder.start, cylinder.end, cylinder.radius);
                lines.extend(about_axis(cylinder.start, cylinder.end, hole));
                lines
            }
            Self::Capsule(capsule) => about_axis(capsule.start, capsule.end, capsule.radius),
            Self::Cone(cone) => {
                about_axis(cone.start, cone.end, cone.start_radius.max(cone.end_radius))
            }
            Self::Shell(shell) => match shell.whole {
                CappedSolid::Cylinder(cylinder) => Self::from(cylinder).special_lines(),
                CappedSolid::Cone(cone) => Self::from(cone).special_lines(),
            },
            Self::Torus(torus) => {
                let axis = torus.axis.normalize();
                let mut lines =
                    about_axis(center, center + torus.minor_radius * axis, torus.major_radius);
                lines.push([center, center + axis.any_orthonormal_vector()]);
                lines
            }
            Self::Plane(plane) => {
                let aside = plane.normal.any_orthogonal_vector();
                vec![[plane.point, plane.point + plane.normal], [plane.point, plane.point + aside]]
            }
            Self::Disc(disc) => {
                let axis = disc.normal.normalize();
                let radius = disc.inner_radius.max(0.5 * disc.radius);
                about_axis(center, center + disc.radius * axis, radius)
            }
            Self::Triangle(triangle) => {
                let [a, b, c] = triangle.vertices;
                vec![[a, b], [b, c], [c, a], [a, center], [center, a.midpoint(b)]]
            }
        }
    }
}
