//! Deliberate faults: a comparison that cannot fail is worth nothing, so anyone can see it fail.

use super::GpuError;
use crate::bvh::Layout;
use crate::shapes::Tag;

/// A piece of a shader's text, and the wrong text to put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// By which `diff --mutate` asks for it.
    pub name: &'static str,
    /// What words it spoils the reading of; none where it is in what all shapes share.
    pub tag: Option<Tag>,
    /// The file in `shaders/`.
    pub file: &'static str,
    /// Stands there once.
    pub from: &'static str,
    /// What to put instead.
    pub to: &'static str,
}

impl Fault {
    /// The fault of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FAULTS.iter().find(|fault| fault.name == name)
    }

    /// Of which trees it spoils the walk; none where it is in what both share.
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

/// The faults that ordinary rays show.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "sphere-diameter-for-radius",
        tag: Some(Tag::Sphere),
        file: "shapes/sphere.wgsl",
        from: "let radius = center_radius.w;",
        to: "let radius = 2.0 * center_radius.w;",
    },
    Fault {
        name: "sphere-no-depth",
        tag: Some(Tag::Sphere),
        file: "shapes/sphere.wgsl",
        from: "let half = sqrt(half_chord_squared / dd);",
        to: "let half = 0.0;",
    },
    Fault {
        name: "box-skewed",
        tag: Some(Tag::Cuboid),
        file: "shapes/cuboid.wgsl",
        from: "let z_axis = cross(x_axis.xyz, y_axis.xyz);",
        to: "let z_axis = vec3<f32>(0.6, 0.0, 0.8);",
    },
    Fault {
        name: "box-open-ends",
        tag: Some(Tag::Cuboid),
        file: "shapes/cuboid.wgsl",
        from: "meet(meet(x, y), z)",
        to: "meet(x, y)",
    },
    Fault {
        name: "cylinder-no-caps",
        tag: Some(Tag::Cylinder),
        file: "shapes/cylinder.wgsl",
        from: "let span = meet(side, caps);",
        to: "let span = side;",
    },
    Fault {
        name: "cylinder-leaning",
        tag: Some(Tag::Cylinder),
        file: "shapes/cylinder.wgsl",
        from: "let along = own.second.xyz;",
        to: "let along = own.second.yzx;",
    },
    Fault {
        name: "tube-no-hole",
        tag: Some(Tag::Tube),
        file: "shapes/cylinder.wgsl",
        from: "var hole = wall_span(line, inner_radius);",
        to: "var hole = NO_SPAN;",
    },
    Fault {
        name: "capsule-no-start",
        tag: Some(Tag::Capsule),
        file: "shapes/capsule.wgsl",
        from: "let at_start = ball_span(start.offset, ray.direction, radius);",
        to: "let at_start = NO_SPAN;",
    },
    Fault {
        name: "capsule-swapped-ends",
        tag: Some(Tag::Capsule),
        file: "shapes/capsule.wgsl",
        from: "ball_span(start.offset + along,",
        to: "ball_span(start.offset - along,",
    },
    Fault {
        name: "cone-straight",
        tag: Some(Tag::Cone),
        file: "shapes/cone.wgsl",
        from: "let rise = axis_length * (gain * scale);",
        to: "let rise = 0.0;",
    },
    Fault {
        name: "cone-no-caps",
        tag: Some(Tag::Cone),
        file: "shapes/cone.wgsl",
        from: "let span = meet(side, cap_span(height, climb, top));",
        to: "let span = side;",
    },
    Fault {
        name: "ellipsoid-as-ball",
        tag: Some(Tag::Ellipsoid),
        file: "shapes/ellipsoid.wgsl",
        from: "let radii = vec3<f32>(center.w, x_axis.w, y_axis.w);",
        to: "let radii = vec3<f32>(center.w);",
    },
    Fault {
        name: "ellipsoid-unturned",
        tag: Some(Tag::Ellipsoid),
        file: "shapes/ellipsoid.wgsl",
        from: "let offset = stretch * (own_from_world * start.offset);",
        to: "let offset = stretch * start.offset;",
    },
    Fault {
        name: "torus-no-hole",
        tag: Some(Tag::Torus),
        file: "shapes/torus.wgsl",
        from: "let e = distance - line.major;",
        to: "let e = max(distance - line.major, 0.0);",
    },
    Fault {
        name: "torus-first-half-only",
        tag: Some(Tag::Torus),
        file: "shapes/torus.wgsl",
        from: "let meets_last = has_last &&",
        to: "let meets_last = has_last && !has_first &&",
    },
    Fault {
        name: "plane-other-side",
        tag: Some(Tag::Plane),
        file: "shapes/plane.wgsl",
        from: "return start.t + dot(start.offset, normal) / speed;",
        to: "return start.t - dot(start.offset, normal) / speed - 1.0;",
    },
    Fault {
        name: "plane-unturned",
        tag: Some(Tag::Plane),
        file: "shapes/plane.wgsl",
        from: "let normal = own.second.xyz;",
        to: "let normal = vec3<f32>(0.6, 0.0, 0.8);",
    },
    Fault {
        name: "disc-endless",
        tag: Some(Tag::Disc),
        file: "shapes/disc.wgsl",
        from: "let outer = center_radius.w * speed;",
        to: "let outer = 2.0 * center_radius.w * speed;",
    },
    Fault {
        name: "disc-no-hole",
        tag: Some(Tag::Disc),
        file: "shapes/disc.wgsl",
        from: "let inner = normal_inner.w * speed;",
        to: "let inner = 0.0;",
    },
    Fault {
        name: "triangle-two-edges",
        tag: Some(Tag::Triangle),
        file: "shapes/triangle.wgsl",
        from: "!all(left >= right) &&",
        to: "!all(left.yz >= right.yz) &&",
    },
    Fault {
        name: "triangle-at-first-vertex",
        tag: Some(Tag::Triangle),
        file: "shapes/triangle.wgsl",
        from: "return dot(seen[0], normal) / speed;",
        to: "return dot(seen[0], direction) / dot(direction, direction);",
    },
    Fault {
        name: "heightfield-flat",
        tag: Some(Tag::Heightfield),
        file: "shapes/heightfield.wgsl",
        from: "bitcast<vec4<f32>>(words[field.first + place / 4u])[place % 4u];",
        to: "0.0;",
    },
    Fault {
        name: "heightfield-right-triangles-only",
        tag: Some(Tag::Heightfield),
        file: "shapes/heightfield.wgsl",
        from: "let is_left = half == 1u;",
        to: "let is_left = false;",
    },
    Fault {
        name: "tree-near-child-only",
        tag: None,
        file: "trace/wide.wgsl",
        from: "stack[waiting] = inner;\n                waiting++;",
        to: "stack[waiting] = inner;",
    },
    Fault {
        name: "binary-tree-near-child-only",
        tag: None,
        file: "trace/binary.wgsl",
        from: "if far_entry <= best.t {",
        to: "if far_entry < near_entry {",
    },
    Fault {
        name: "ray-unscaled-answer",
        tag: None,
        file: "query.wgsl",
        from: "best.t * ray.t_scale",
        to: "best.t",
    },
];
