//! Deliberate faults of the shaders. A comparison that cannot fail is worth nothing; with these anyone can see it fail.

use super::error::GpuError;
use crate::bvh::Layout;
use crate::shapes::PrimitiveKind;

/// A mutation: a piece of a shader's text, and the wrong text that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// The kind of primitive that it spoils; `None` for a fault in code that all kinds share.
    pub kind: Option<PrimitiveKind>,
    /// The file in `shaders/`.
    pub file: &'static str,
    /// The text that it replaces, which occurs once in the file.
    pub from: &'static str,
    /// The wrong text.
    pub to: &'static str,
}

impl Fault {
    /// Returns the fault of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// Returns the layout of the trees whose traversal it spoils; `None` for a fault in code that both layouts share.
    pub fn layout(&self) -> Option<Layout> {
        match self.file {
            "trace/binary.wgsl" | "nearest/binary.wgsl" => Some(Layout::Binary),
            "trace/wide.wgsl" | "nearest/wide.wgsl" => Some(Layout::Wide),
            _ => None,
        }
    }

    pub(super) fn stale(&self, count: usize) -> GpuError {
        GpuError::StaleFault { name: self.name, file: self.file, count }
    }
}

/// The faults that ordinary rays reveal.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "sphere-diameter-for-radius",
        kind: Some(PrimitiveKind::Sphere),
        file: "shapes/sphere.wgsl",
        from: "let radius = center_radius.w;",
        to: "let radius = 2.0 * center_radius.w;",
    },
    Fault {
        name: "sphere-no-depth",
        kind: Some(PrimitiveKind::Sphere),
        file: "shapes/sphere.wgsl",
        from: "let half = sqrt(half_chord_squared / dd);",
        to: "let half = 0.0;",
    },
    Fault {
        name: "box-skewed",
        kind: Some(PrimitiveKind::Cuboid),
        file: "shapes/cuboid.wgsl",
        from: "let z_axis = cross(x_axis.xyz, y_axis.xyz);",
        to: "let z_axis = vec3<f32>(0.6, 0.0, 0.8);",
    },
    Fault {
        name: "box-open-ends",
        kind: Some(PrimitiveKind::Cuboid),
        file: "shapes/cuboid.wgsl",
        from: "meet(meet(x, y), z)",
        to: "meet(x, y)",
    },
    Fault {
        name: "cylinder-no-caps",
        kind: Some(PrimitiveKind::Cylinder),
        file: "shapes/cylinder.wgsl",
        from: "let span = meet(side, caps);",
        to: "let span = side;",
    },
    Fault {
        name: "cylinder-leaning",
        kind: Some(PrimitiveKind::Cylinder),
        file: "shapes/cylinder.wgsl",
        from: "let along = params.second.xyz;",
        to: "let along = params.second.yzx;",
    },
    Fault {
        name: "tube-no-hole",
        kind: Some(PrimitiveKind::Tube),
        file: "shapes/cylinder.wgsl",
        from: "var hole = wall_span(line, inner_radius);",
        to: "var hole = NO_SPAN;",
    },
    Fault {
        name: "capsule-no-start",
        kind: Some(PrimitiveKind::Capsule),
        file: "shapes/capsule.wgsl",
        from: "let at_start = ball_span(start.offset, ray.direction, radius);",
        to: "let at_start = NO_SPAN;",
    },
    Fault {
        name: "capsule-swapped-ends",
        kind: Some(PrimitiveKind::Capsule),
        file: "shapes/capsule.wgsl",
        from: "ball_span(start.offset + along,",
        to: "ball_span(start.offset - along,",
    },
    Fault {
        name: "cone-straight",
        kind: Some(PrimitiveKind::Cone),
        file: "shapes/cone.wgsl",
        from: "let rise = axis_length * (gain * scale);",
        to: "let rise = 0.0;",
    },
    Fault {
        name: "cone-no-caps",
        kind: Some(PrimitiveKind::Cone),
        file: "shapes/cone.wgsl",
        from: "let span = meet(passage.side, passage.caps);",
        to: "let span = passage.side;",
    },
    Fault {
        name: "ellipsoid-as-ball",
        kind: Some(PrimitiveKind::Ellipsoid),
        file: "shapes/ellipsoid.wgsl",
        from: "let radii = vec3<f32>(center.w, x_axis.w, y_axis.w);",
        to: "let radii = vec3<f32>(center.w);",
    },
    Fault {
        name: "ellipsoid-unturned",
        kind: Some(PrimitiveKind::Ellipsoid),
        file: "shapes/ellipsoid.wgsl",
        from: "let offset = stretch * (own_from_world * start.offset);",
        to: "let offset = stretch * start.offset;",
    },
    Fault {
        name: "torus-no-hole",
        kind: Some(PrimitiveKind::Torus),
        file: "shapes/torus.wgsl",
        from: "let e = distance - line.major;",
        to: "let e = max(distance - line.major, 0.0);",
    },
    Fault {
        name: "torus-first-half-only",
        kind: Some(PrimitiveKind::Torus),
        file: "shapes/torus.wgsl",
        from: "let meets_last = has_last &&",
        to: "let meets_last = has_last && !has_first &&",
    },
    Fault {
        name: "plane-other-side",
        kind: Some(PrimitiveKind::Plane),
        file: "shapes/plane.wgsl",
        from: "return start.t + dot(start.offset, normal) / speed;",
        to: "return start.t - dot(start.offset, normal) / speed - 1.0;",
    },
    Fault {
        name: "plane-unturned",
        kind: Some(PrimitiveKind::Plane),
        file: "shapes/plane.wgsl",
        from: "let normal = params.second.xyz;",
        to: "let normal = vec3<f32>(0.6, 0.0, 0.8);",
    },
    Fault {
        name: "plane-unbounded",
        kind: Some(PrimitiveKind::Sheet),
        file: "shapes/plane.wgsl",
        from: "let is_beyond = aside > sheet.half * abs(speed);",
        to: "let is_beyond = vec2<bool>(false);",
    },
    Fault {
        name: "plane-two-sided",
        kind: Some(PrimitiveKind::Sheet),
        file: "shapes/plane.wgsl",
        from: "let comes_from_behind = speed > 0.0;",
        to: "let comes_from_behind = false;",
    },
    Fault {
        name: "disc-endless",
        kind: Some(PrimitiveKind::Disc),
        file: "shapes/disc.wgsl",
        from: "let outer = center_radius.w * speed;",
        to: "let outer = 2.0 * center_radius.w * speed;",
    },
    Fault {
        name: "disc-no-hole",
        kind: Some(PrimitiveKind::Disc),
        file: "shapes/disc.wgsl",
        from: "let inner = normal_inner.w * speed;",
        to: "let inner = 0.0;",
    },
    Fault {
        name: "triangle-two-edges",
        kind: Some(PrimitiveKind::Triangle),
        file: "shapes/triangle.wgsl",
        from: "!all(left >= right) &&",
        to: "!all(left.yz >= right.yz) &&",
    },
    Fault {
        name: "triangle-at-first-vertex",
        kind: Some(PrimitiveKind::Triangle),
        file: "shapes/triangle.wgsl",
        from: "return dot(seen[0], normal) / speed;",
        to: "return dot(seen[0], direction) / dot(direction, direction);",
    },
    Fault {
        name: "heightfield-flat",
        kind: Some(PrimitiveKind::Heightfield),
        file: "shapes/heightfield.wgsl",
        from: "bitcast<vec4<f32>>(scene_params[field.first + index / 4u])[index % 4u];",
        to: "0.0;",
    },
    Fault {
        name: "heightfield-right-triangles-only",
        kind: Some(PrimitiveKind::Heightfield),
        file: "shapes/heightfield.wgsl",
        from: "let is_left = half == 1u;",
        to: "let is_left = false;",
    },
    Fault {
        name: "heightfield-no-bottom",
        kind: Some(PrimitiveKind::ClosedHeightfield),
        file: "shapes/heightfield.wgsl",
        from: "if field.is_bottom && !is_closed {",
        to: "if field.is_bottom {",
    },
    Fault {
        name: "cylinder-whole",
        kind: Some(PrimitiveKind::CylinderShell),
        file: "shapes/shell.wgsl",
        from: "crossings_of_parts(params.third.xyz, filled.side,",
        to: "crossings_of_parts(vec3<f32>(1.0), filled.side,",
    },
    Fault {
        name: "cone-whole",
        kind: Some(PrimitiveKind::ConeShell),
        file: "shapes/shell.wgsl",
        from: "crossings_of_parts(params.third.xyz, passage.side,",
        to: "crossings_of_parts(vec3<f32>(1.0), passage.side,",
    },
    Fault {
        name: "instance-unmoved",
        kind: Some(PrimitiveKind::Instance),
        file: "instances/object_space.wgsl",
        from: "exact_sum(ray.origin, -inverse.translation)",
        to: "TwoFloats(ray.origin, vec3<f32>(0.0))",
    },
    Fault {
        name: "tree-near-child-only",
        kind: None,
        file: "trace/wide.wgsl",
        from: "met.inner, siblings,",
        to: "met.inner, 0u,",
    },
    Fault {
        name: "binary-tree-near-child-only",
        kind: None,
        file: "trace/binary.wgsl",
        from: "if far_entry <= best.t {",
        to: "if far_entry < near_entry {",
    },
    Fault {
        name: "ray-unscaled-answer",
        kind: None,
        file: "closest/float32.wgsl",
        from: "best.t * t_scale",
        to: "best.t",
    },
];
