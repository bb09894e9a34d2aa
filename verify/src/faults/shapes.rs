//! Faults of the shaders of shapes, which ordinary rays show by their closest hits.

use super::fault::{ALL, Fault, RAYS};
use super::need::Need;
use raytwin::gpu::FaultSite;
use raytwin::shapes::PrimitiveKind;

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "sphere-diameter-for-radius",
        about: "Spheres are twice as large.",
        needs: &[Need::Primitive(PrimitiveKind::Sphere)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/sphere.wgsl",
            from: "let radius = center_radius.w;",
            to: "let radius = 2.0 * center_radius.w;",
        },
    },
    Fault {
        name: "sphere-no-depth",
        about: "A sphere is crossed at the middle of the chord.",
        needs: &[Need::Primitive(PrimitiveKind::Sphere)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/sphere.wgsl",
            from: "let half = sqrt(half_chord_squared / dd);",
            to: "let half = 0.0;",
        },
    },
    Fault {
        name: "box-skewed",
        about: "The third axis of a box is not perpendicular to the others.",
        needs: &[Need::Primitive(PrimitiveKind::Cuboid)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cuboid.wgsl",
            from: "let z_axis = cross(x_axis.xyz, y_axis.xyz);",
            to: "let z_axis = vec3<f32>(0.6, 0.0, 0.8);",
        },
    },
    Fault {
        name: "box-open-ends",
        about: "A box has no ends along its third axis.",
        needs: &[Need::Primitive(PrimitiveKind::Cuboid)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cuboid.wgsl",
            from: "meet(meet(x, y), z)",
            to: "meet(x, y)",
        },
    },
    Fault {
        name: "cylinder-no-caps",
        about: "Cylinders have no ends.",
        needs: &[Need::Primitive(PrimitiveKind::Cylinder)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cylinder.wgsl",
            from: "let span = meet(side, caps);",
            to: "let span = side;",
        },
    },
    Fault {
        name: "cylinder-leaning",
        about: "The axis of a cylinder has its coordinates in another order.",
        needs: &[Need::Primitive(PrimitiveKind::Cylinder)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cylinder.wgsl",
            from: "let along = params.second.xyz;",
            to: "let along = params.second.yzx;",
        },
    },
    Fault {
        name: "tube-no-hole",
        about: "Tubes are solid.",
        needs: &[Need::Primitive(PrimitiveKind::Tube)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cylinder.wgsl",
            from: "var hole = wall_span(line, inner_radius);",
            to: "var hole = NO_SPAN;",
        },
    },
    Fault {
        name: "capsule-no-start",
        about: "A capsule has no ball at its start.",
        needs: &[Need::Primitive(PrimitiveKind::Capsule)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/capsule.wgsl",
            from: "let at_start = ball_span(start.offset, ray.direction, radius);",
            to: "let at_start = NO_SPAN;",
        },
    },
    Fault {
        name: "capsule-swapped-ends",
        about: "The ball of a capsule's end is on the other side of its start.",
        needs: &[Need::Primitive(PrimitiveKind::Capsule)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/capsule.wgsl",
            from: "ball_span(start.offset + along,",
            to: "ball_span(start.offset - along,",
        },
    },
    Fault {
        name: "cone-straight",
        about: "Cones are as wide at the end as at the start.",
        needs: &[Need::Primitive(PrimitiveKind::Cone)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cone.wgsl",
            from: "let rise = axis_length * (gain * scale);",
            to: "let rise = 0.0;",
        },
    },
    Fault {
        name: "cone-no-caps",
        about: "Cones have no caps.",
        needs: &[Need::Primitive(PrimitiveKind::Cone)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/cone.wgsl",
            from: "let span = meet(passage.side, passage.caps);",
            to: "let span = passage.side;",
        },
    },
    Fault {
        name: "ellipsoid-as-ball",
        about: "Ellipsoids have their first radius in all directions.",
        needs: &[Need::Primitive(PrimitiveKind::Ellipsoid)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/ellipsoid.wgsl",
            from: "let radii = vec3<f32>(center.w, x_axis.w, y_axis.w);",
            to: "let radii = vec3<f32>(center.w);",
        },
    },
    Fault {
        name: "ellipsoid-unturned",
        about: "The rotation of an ellipsoid acts only on a ray's direction.",
        needs: &[Need::Primitive(PrimitiveKind::Ellipsoid)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/ellipsoid.wgsl",
            from: "let offset = stretch * (own_from_world * start.offset);",
            to: "let offset = stretch * start.offset;",
        },
    },
    Fault {
        name: "torus-no-hole",
        about: "The hole of a torus is filled.",
        needs: &[Need::Primitive(PrimitiveKind::Torus)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/torus.wgsl",
            from: "let e = distance - line.major;",
            to: "let e = max(distance - line.major, 0.0);",
        },
    },
    Fault {
        name: "torus-first-half-only",
        about: "A torus is crossed only in the first of two passes.",
        needs: &[Need::Primitive(PrimitiveKind::Torus)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/torus.wgsl",
            from: "let meets_last = has_last &&",
            to: "let meets_last = has_last && !has_first &&",
        },
    },
    Fault {
        name: "plane-other-side",
        about: "Planes are on the other side of a ray's start.",
        needs: &[Need::Primitive(PrimitiveKind::Plane)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/plane.wgsl",
            from: "return start.t + dot(start.offset, normal) / speed;",
            to: "return start.t - dot(start.offset, normal) / speed - 1.0;",
        },
    },
    Fault {
        name: "plane-unturned",
        about: "All planes have one normal.",
        needs: &[Need::Primitive(PrimitiveKind::Plane)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/plane.wgsl",
            from: "let normal = params.second.xyz;",
            to: "let normal = vec3<f32>(0.6, 0.0, 0.8);",
        },
    },
    Fault {
        name: "plane-unbounded",
        about: "Bounded planes have no edges.",
        needs: &[Need::Primitive(PrimitiveKind::Sheet)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/plane.wgsl",
            from: "let is_beyond = aside > sheet.half * abs(speed);",
            to: "let is_beyond = vec2<bool>(false);",
        },
    },
    Fault {
        name: "plane-two-sided",
        about: "One-sided planes have two sides.",
        needs: &[Need::Primitive(PrimitiveKind::Sheet)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/plane.wgsl",
            from: "let comes_from_behind = speed > 0.0;",
            to: "let comes_from_behind = false;",
        },
    },
    Fault {
        name: "disc-endless",
        about: "Discs are twice as large.",
        needs: &[Need::Primitive(PrimitiveKind::Disc)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/disc.wgsl",
            from: "let outer = center_radius.w * speed;",
            to: "let outer = 2.0 * center_radius.w * speed;",
        },
    },
    Fault {
        name: "disc-no-hole",
        about: "Discs have no holes.",
        needs: &[Need::Primitive(PrimitiveKind::Disc)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/disc.wgsl",
            from: "let inner = normal_inner.w * speed;",
            to: "let inner = 0.0;",
        },
    },
    Fault {
        name: "triangle-two-edges",
        about: "A triangle has only two edges from the front.",
        needs: &[Need::Primitive(PrimitiveKind::Triangle)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/triangle.wgsl",
            from: "!all(left >= right) &",
            to: "!all(left.yz >= right.yz) &",
        },
    },
    Fault {
        name: "triangle-at-first-vertex",
        about: "A triangle is as far away as its first vertex.",
        needs: &[Need::Primitive(PrimitiveKind::Triangle)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/triangle.wgsl",
            from: "return dot(seen[0], normal) / speed;",
            to: "return dot(seen[0], direction) / dot(direction, direction);",
        },
    },
    Fault {
        name: "heightfield-flat",
        about: "All heights of a heightfield are zero.",
        needs: &[Need::Primitive(PrimitiveKind::Heightfield)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "shapes/heightfield.wgsl",
            from: "bitcast<vec4<f32>>(scene_params[field.first + index / 4u])[index % 4u];",
            to: "0.0;",
        },
    },
    Fault {
        name: "heightfield-right-triangles-only",
        about: "Half of the triangles of a heightfield are missing.",
        needs: &[Need::Primitive(PrimitiveKind::Heightfield)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/heightfield.wgsl",
            from: "let is_left = half == 1u;",
            to: "let is_left = false;",
        },
    },
    Fault {
        name: "heightfield-no-bottom",
        about: "A heightfield with a base has no bottom.",
        needs: &[Need::Primitive(PrimitiveKind::ClosedHeightfield)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/heightfield.wgsl",
            from: "if field.is_bottom & !is_closed {",
            to: "if field.is_bottom {",
        },
    },
    Fault {
        name: "cylinder-whole",
        about: "A cylinder has the parts that it should not have.",
        needs: &[Need::Primitive(PrimitiveKind::CylinderShell)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/shell.wgsl",
            from: "crossings_of_parts(params.third.xyz, filled.side,",
            to: "crossings_of_parts(vec3<f32>(1.0), filled.side,",
        },
    },
    Fault {
        name: "cone-whole",
        about: "A cone has the parts that it should not have.",
        needs: &[Need::Primitive(PrimitiveKind::ConeShell)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "shapes/shell.wgsl",
            from: "crossings_of_parts(params.third.xyz, passage.side,",
            to: "crossings_of_parts(vec3<f32>(1.0), passage.side,",
        },
    },
    Fault {
        name: "instance-unmoved",
        about: "Instances are not moved, only turned and stretched.",
        needs: &[Need::Primitive(PrimitiveKind::Instance)],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "instances/object_space.wgsl",
            from: "exact_sum(ray.origin, -inverse.translation)",
            to: "TwoFloats(ray.origin, vec3<f32>(0.0))",
        },
    },
];
