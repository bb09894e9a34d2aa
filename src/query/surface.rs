//! The surface at a hit: its normal and its face, in float64, from the shape's own fields.

use crate::crossings::Crossing;
use crate::geometry::{Geometry, Mesh, Primitive};
use crate::placement::Placement;
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::Shape;
use glam::DVec3;

/// A normal and a face.
pub(crate) type Surface = ([f32; 3], u32);

/// The normal and the face of a miss.
pub(super) const NO_SURFACE: Surface = ([0.0; 3], NONE);

/// Returns the outward unit normal of a hit in a world, and the face that was hit.
pub(crate) fn surface_at(scene: &Scene, world: u32, ray: &Ray, hit: &Hit) -> Surface {
    if !hit.is_hit() {
        return NO_SURFACE;
    }
    let read = |geometry: &Geometry, placement: Option<&Placement>| match geometry {
        Geometry::Shape(shape) => surface_of_convex(shape, placement, ray, hit.t.into()),
        Geometry::Mesh(mesh) => surface_of_triangle(mesh, placement, hit.primitive_id),
        Geometry::Lines(_) | Geometry::Heightfield(_) => {
            surface_of_convex(&geometry.shape(hit.primitive_id)?, placement, ray, hit.t.into())
        }
        Geometry::Empty => None,
    };
    let surface = scene.read_in(world, hit.geometry_id, read).flatten().or_else(|| {
        let primitive = scene.primitive_in(world, hit.geometry_id, hit.primitive_id)?;
        let line = ray.line();
        let crossing = crossing_by_zones(&primitive, &line, ray.t_min.into(), hit.t.into());
        Some((primitive.normal(crossing.face, line.at(crossing.t)), crossing.face))
    });
    surface.map_or(NO_SURFACE, |(normal, face)| (normal.as_vec3().to_array(), face))
}

/// Returns the normal of a mesh's triangle, which does not depend on where it is hit; `None` for
/// one without area, which has none.
fn surface_of_triangle(
    mesh: &Mesh,
    placement: Option<&Placement>,
    primitive_id: u32,
) -> Option<(DVec3, u32)> {
    let normal = mesh.triangle(primitive_id as usize)?.area_normal().try_normalize()?;
    Some((placement.map_or(normal, |placement| placement.normal_in_world(normal)), 0))
}

/// Returns the result of [`crossing_by_zones`] for a convex shape, without computing its zones;
/// `None` if only they decide.
#[inline(never)]
fn surface_of_convex(
    shape: &Shape,
    placement: Option<&Placement>,
    ray: &Ray,
    t: f64,
) -> Option<(DVec3, u32)> {
    let (line, t_min) = (ray.line(), f64::from(ray.t_min));
    let Some(placement) = placement else {
        return shape.surface_met(&line, [t_min, t], |t| line.at(t));
    };
    let line_in_shape = placement.line_in_object(&line);
    let point = |t| placement.point_in_object(line.at(t));
    let (normal, face) = shape.surface_met(&line_in_shape, [t_min, t], point)?;
    Some((placement.normal_in_world(normal), face))
}

/// Returns the crossing of a primitive that matches a hit at `t`, for a ray from `t_min` on. The
/// zone that contains t decides which of several passes through the surface was hit.
fn crossing_by_zones(primitive: &Primitive, line: &Line, t_min: f64, t: f64) -> Crossing {
    let crossings = primitive.crossings(line);
    let zones = primitive.zones(line, primitive.delta(line.origin));
    let [from, to] = zones.holding(t).map_or([t, t], |zone| zones.reach(zone));
    let mut passed = crossings.iter().filter(|crossing| crossing.t >= from && crossing.t <= to);
    // The hit is the pass's first crossing, unless that may lie before t_min. The nearest crossing
    // to t would be wrong for a plate thinner than t is precise, and for a corner that a grazing
    // ray cuts.
    let met = if from < t_min { crossings.nearest_to(t) } else { passed.next().copied() };
    // In float64 the ray may just pass by: it then met the layer of width δ about the surface.
    met.or_else(|| zones.iter().find(|zone| zone.to.t >= t).map(|zone| zone.from))
        .unwrap_or(Crossing { t, face: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::Placement;
    use crate::shapes::{
        Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Plane, Rectangle, Sphere, Torus, Triangle,
    };
    use crate::transform::Affine;
    use fastrand::Rng;
    use glam::{DMat3, DQuat, DVec3};

    fn vector(rng: &mut Rng) -> DVec3 {
        let mut number = || f64::from(2.0 * rng.f32() - 1.0);
        DVec3::new(number(), number(), number())
    }

    /// Returns a shape of each kind, some as thin as float32 may not notice.
    fn shapes(rng: &mut Rng) -> Vec<Shape> {
        let mut thin = |from: f64| 10.0_f64.powf(from * rng.f64());
        let [thin, thick] = [thin(-7.0), thin(-1.0)];
        let far = if rng.u8(..4) == 0 { 1e4 } else { 3.0 };
        let rotation = DQuat::from_xyzw(rng.f64(), rng.f64(), rng.f64(), rng.f64() + 0.1);
        let [center, to, normal] = [far * vector(rng), vector(rng), vector(rng)];
        let [start, end] = [center, center + to];
        let rectangle = Some(Rectangle { rotation, half_extents: [thick, thin] });
        let (point, one_sided) = (center, rng.bool());
        let corners = [center, center + to, center + thin * normal];
        vec![
            Sphere { center, radius: thick }.into(),
            Sphere { center, radius: thin }.into(),
            Cuboid { center, half_extents: DVec3::new(thick, 0.7, thin), rotation }.into(),
            Cylinder::solid(start, end, thick).into(),
            Cylinder::solid(start, start + thin * to, thick).into(),
            Cylinder { start, end, radius: thick, inner_radius: thick * (1.0 - thin) }.into(),
            Capsule { start, end, radius: thin }.into(),
            Cone { start, end, start_radius: thick, end_radius: thin }.into(),
            Ellipsoid { center, radii: DVec3::new(thick, thin, 0.5), rotation }.into(),
            Torus { center, axis: normal, major_radius: thick, minor_radius: 0.3 * thick }.into(),
            Plane { point, normal, rectangle: None, one_sided }.into(),
            Plane { point, normal: rotation * DVec3::Z, rectangle, one_sided }.into(),
            Disc { center, normal, radius: thick, inner_radius: 0.0 }.into(),
            Disc { center, normal, radius: thick, inner_radius: 0.5 * thick }.into(),
            Triangle { vertices: corners }.into(),
        ]
    }

    /// Returns a line of float32 numbers that passes near a shape, through it or along it.
    fn line(rng: &mut Rng, shape: &Shape, size: f64) -> Line {
        let near = shape.closest_point(shape.center() + size * vector(rng));
        let direction = match rng.u8(..4) {
            0 => DVec3::AXES[rng.usize(..3)],
            1 => vector(rng).cross(near - shape.center()),
            _ => vector(rng),
        };
        let back = [0.0, 1.0, 30.0, 1e5][rng.usize(..4)];
        let aside = [0.0, 1e-7, 1e-3][rng.usize(..3)] * vector(rng);
        let rounded = |v: DVec3| v.as_vec3().as_dvec3();
        Line { origin: rounded(near - back * direction + aside), direction: rounded(direction) }
    }

    #[test]
    fn a_convex_surface_is_met_where_its_zones_say() {
        let rng = &mut Rng::with_seed(5);
        let [mut short, mut all] = [0, 0];
        for _ in 0..60 {
            let linear = DMat3::from_cols(vector(rng), vector(rng), vector(rng) + DVec3::Z);
            let map = Affine { linear, translation: 3.0 * vector(rng) };
            let placement = Placement::new(&map).ok().filter(|_| rng.bool());
            for shape in shapes(rng) {
                let object = Primitive::from(shape);
                let primitive = object.placed(placement.as_ref());
                for _ in 0..12 {
                    let own = line(rng, &shape, 2.0);
                    let line = match &placement {
                        Some(_) => Line {
                            origin: map.point(own.origin).as_vec3().as_dvec3(),
                            direction: (map.linear * own.direction).as_vec3().as_dvec3(),
                        },
                        None => own,
                    };
                    let zones = primitive.zones(&line, primitive.delta(line.origin));
                    let ends = zones.iter().flat_map(|zone| [zone.from.t, zone.to.t]);
                    let crossings = primitive.crossings(&line);
                    let ts: Vec<f64> = crossings.iter().map(|it| it.t).chain(ends).collect();
                    for t in ts.into_iter().map(|t| t as f32).filter(|t| t.is_finite()) {
                        for t in [t, t.next_up(), t.next_down(), t + rng.f32()] {
                            let t_min = [f32::NEG_INFINITY, 0.0, t, t.next_down(), t - 1e-3]
                                [rng.usize(..5)];
                            let ray = Ray::new(
                                line.origin.as_vec3().to_array(),
                                line.direction.as_vec3().to_array(),
                            );
                            let ray = ray.within(t_min, f32::INFINITY);
                            let (t, t_min) = (f64::from(t), f64::from(t_min));
                            let found = surface_of_convex(&shape, placement.as_ref(), &ray, t);
                            all += 1;
                            let Some((normal, face)) = found else { continue };
                            short += 1;
                            let crossing = crossing_by_zones(&primitive, &line, t_min, t);
                            let expected = primitive.normal(crossing.face, line.at(crossing.t));
                            let bits = |v: DVec3| v.as_vec3().to_array().map(f32::to_bits);
                            assert_eq!(
                                (bits(normal), face),
                                (bits(expected), crossing.face),
                                "{primitive:?} {line:?} {t} from {t_min}"
                            );
                        }
                    }
                }
            }
        }
        assert!(5 * short > all, "{short} of {all} hits need no zones");
    }
}
