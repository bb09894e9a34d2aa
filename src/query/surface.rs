//! The surface that a hit lies on: its normal and its face, in float64, from the shape's own fields.

use crate::crossings::{Crossing, Crossings};
use crate::geometry::Primitive;
use crate::math::U;
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;

/// The normal and the face of a miss.
pub(super) const NO_SURFACE: ([f32; 3], u32) = ([0.0; 3], NONE);

/// Returns the outward unit normal of a hit in a world, and the face that was hit.
pub(crate) fn surface_at(scene: &Scene, world: u32, ray: &Ray, hit: &Hit) -> ([f32; 3], u32) {
    let Some(geometry) = scene.geometry_in(world, hit.geometry_id) else { return NO_SURFACE };
    // The normal of a triangle does not depend on where it is hit.
    if let Some(normal) = geometry.mesh_normal(hit.primitive_id) {
        return (normal.as_vec3().to_array(), 0);
    }
    let Some(primitive) = geometry.primitive(hit.primitive_id) else {
        return NO_SURFACE;
    };
    let line = ray.line();
    let crossing = crossing_met(&primitive, &line, ray.t_min.into(), hit.t.into());
    let normal = primitive.normal(crossing.face, line.at(crossing.t));
    (normal.as_vec3().to_array(), crossing.face)
}

/// Returns the crossing of a primitive that a hit at `t` is, of a ray from `t_min` on.
fn crossing_met(primitive: &Primitive, line: &Line, t_min: f64, t: f64) -> Crossing {
    let crossings = primitive.crossings(line);
    let convex = primitive.is_convex().then(|| crossing_of_convex(&crossings, t_min, t)).flatten();
    convex.unwrap_or_else(|| crossing_by_zones(primitive, line, &crossings, t_min, t))
}

/// A t that was rounded to float32 lies no farther than this from the crossing, relative to t.
const NEAR: f64 = 2.0 * U;

/// Returns the crossing that [`crossing_by_zones`] finds of a convex primitive; `None` where only
/// the zones tell. They are one run, from before the first crossing to behind the last, so the hit is
/// the first crossing if that is the nearest to t too, and the nearest if the first is before t_min.
fn crossing_of_convex(crossings: &Crossings, t_min: f64, t: f64) -> Option<Crossing> {
    let (first, last) = (crossings.first()?, crossings.last()?);
    let nearest = crossings.nearest_to(t)?;
    let slack = NEAR * t.abs();
    let is_in_run = first.t - slack <= t && t <= last.t + slack;
    (is_in_run && (nearest == *first || first.t < t_min)).then_some(nearest)
}

/// Returns that crossing of any primitive. The zone that holds t tells which of several passes
/// through the surface was hit.
fn crossing_by_zones(
    primitive: &Primitive,
    line: &Line,
    crossings: &Crossings,
    t_min: f64,
    t: f64,
) -> Crossing {
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
        Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Plane, Rectangle, Shape, Sphere, Torus,
        Triangle,
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
                let primitive = match &placement {
                    Some(placement) => object.clone().placed(placement),
                    None => object,
                };
                for _ in 0..12 {
                    let own = line(rng, &shape, 2.0);
                    let line = match &placement {
                        Some(_) => Line {
                            origin: map.point(own.origin).as_vec3().as_dvec3(),
                            direction: (map.linear * own.direction).as_vec3().as_dvec3(),
                        },
                        None => own,
                    };
                    let crossings = primitive.crossings(&line);
                    let zones = primitive.zones(&line, primitive.delta(line.origin));
                    let ends = zones.iter().flat_map(|zone| [zone.from.t, zone.to.t]);
                    let ts: Vec<f64> = crossings.iter().map(|it| it.t).chain(ends).collect();
                    for t in ts.into_iter().map(|t| t as f32).filter(|t| t.is_finite()) {
                        for t in [t, t.next_up(), t.next_down(), t + rng.f32()] {
                            let t_min = [f32::NEG_INFINITY, 0.0, t, t.next_down(), t - 1e-3]
                                [rng.usize(..5)];
                            let (t, t_min) = (f64::from(t), f64::from(t_min));
                            all += 1;
                            if !primitive.is_convex() {
                                continue;
                            }
                            let Some(met) = crossing_of_convex(&crossings, t_min, t) else {
                                continue;
                            };
                            short += 1;
                            let by_zones =
                                crossing_by_zones(&primitive, &line, &crossings, t_min, t);
                            assert_eq!(met, by_zones, "{primitive:?} {line:?} {t} from {t_min}");
                        }
                    }
                }
            }
        }
        assert!(5 * short > all, "{short} of {all} hits need no zones");
    }
}
