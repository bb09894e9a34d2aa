//! Deliberate faults: a comparison that cannot fail is worth nothing, so anyone can see it fail.

use super::GpuError;

/// A piece of a shader's text, and the wrong text to put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// By which `diff --mutate` asks for it.
    pub name: &'static str,
    /// The `type` of shape that it spoils; none where it is in what all shapes share.
    pub shape: Option<&'static str>,
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

    pub(super) fn stale(&self, count: usize) -> GpuError {
        GpuError::StaleFault { name: self.name, file: self.file, count }
    }
}

/// The faults that ordinary rays show.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "sphere-diameter-for-radius",
        shape: Some("sphere"),
        file: "shapes/sphere.wgsl",
        from: "let radius = center_radius.w;",
        to: "let radius = 2.0 * center_radius.w;",
    },
    Fault {
        name: "sphere-no-depth",
        shape: Some("sphere"),
        file: "shapes/sphere.wgsl",
        from: "let half = sqrt(half_chord_squared / dd);",
        to: "let half = 0.0;",
    },
    Fault {
        name: "box-skewed",
        shape: Some("box"),
        file: "shapes/cuboid.wgsl",
        from: "let z_axis = cross(x_axis.xyz, y_axis.xyz);",
        to: "let z_axis = vec3<f32>(0.6, 0.0, 0.8);",
    },
    Fault {
        name: "box-open-ends",
        shape: Some("box"),
        file: "shapes/cuboid.wgsl",
        from: "meet(meet(x, y), z)",
        to: "meet(x, y)",
    },
    Fault {
        name: "cylinder-no-caps",
        shape: Some("cylinder"),
        file: "shapes/cylinder.wgsl",
        from: "let span = meet(side, caps);",
        to: "let span = side;",
    },
    Fault {
        name: "cylinder-doubled-length",
        shape: Some("cylinder"),
        file: "shapes/cylinder.wgsl",
        from: "let top = dot(along, axis);",
        to: "let top = 2.0 * dot(along, axis);",
    },
    Fault {
        name: "tree-near-child-only",
        shape: None,
        file: "trace.wgsl",
        from: "if far_entry <= best.t {",
        to: "if far_entry < near_entry {",
    },
    Fault {
        name: "ray-unscaled-answer",
        shape: None,
        file: "query.wgsl",
        from: "best.t * ray.t_scale",
        to: "best.t",
    },
];
