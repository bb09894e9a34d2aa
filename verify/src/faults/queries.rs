//! Faults of the kernels that answer queries: of returned t and ids, of filters, worlds, solids and
//! cameras.

use super::fault::{Fault, RAYS};
use super::need::Need;
use raytwin::gpu::FaultSite;
use raytwin::query::Query;
use raytwin::question::{Circumstance, QuestionKind};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "ray-unscaled-answer",
        about: "t is in the kernel's units instead of those of the ray's direction.",
        needs: &[],
        shown_by: &[QuestionKind::Rays(Query::CLOSEST), QuestionKind::Image],
        site: FaultSite::Shader {
            file: "closest/float32.wgsl",
            from: "best.t * t_scale",
            to: "best.t",
        },
    },
    Fault {
        name: "t-of-half-precision",
        about: "t has only the eleven bits of a float16.",
        needs: &[],
        shown_by: &[QuestionKind::Rays(Query::CLOSEST), QuestionKind::Image],
        site: FaultSite::Shader {
            file: "closest/float32.wgsl",
            from: "return hit_of(bitcast<u32>(best.t * t_scale), best.primitive);",
            to: "return hit_of(bitcast<u32>(best.t * t_scale) & 0xffffe000u, best.primitive);",
        },
    },
    Fault {
        name: "ids-off-past-65536",
        about: "The number of a primitive above 2^16 is too low by one.",
        needs: &[Need::PrimitivesBeyond(1 << 16)],
        shown_by: &[
            QuestionKind::Rays(Query::CLOSEST),
            QuestionKind::Rays(Query::All),
            QuestionKind::Image,
            QuestionKind::Points,
        ],
        site: FaultSite::Shader {
            file: "primitive_ref/own.wgsl",
            from: "return Hit(t, primitive);",
            to: "return Hit(t, primitive - u32(primitive > 0x10000u && primitive != NONE));",
        },
    },
    Fault {
        name: "ids-off-past-16777216",
        about: "The number of a primitive above 2^24 is even, as if it were a float32.",
        needs: &[Need::PrimitivesBeyond(1 << 24)],
        shown_by: &[
            QuestionKind::Rays(Query::CLOSEST),
            QuestionKind::Rays(Query::All),
            QuestionKind::Image,
            QuestionKind::Points,
        ],
        site: FaultSite::Shader {
            file: "primitive_ref/own.wgsl",
            from: "return Hit(t, primitive);",
            to: "return Hit(t, primitive - (primitive & u32(primitive > 0x1000000u && primitive != NONE)));",
        },
    },
    Fault {
        name: "masks-ignored",
        about: "A ray sees every shape, regardless of masks.",
        needs: &[Need::Circumstance(Circumstance::Masks)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "trace.wgsl",
            from: "let is_seen = (mask & ray_filter.mask) != 0u;",
            to: "let is_seen = true;",
        },
    },
    Fault {
        name: "worlds-shifted",
        about: "A ray is cast in the world before its own.",
        needs: &[Need::Circumstance(Circumstance::Worlds)],
        shown_by: RAYS,
        site: FaultSite::Shader {
            file: "trace/wide.wgsl",
            from: "select(0u, ray_filter.world, IS_FILTERED)",
            to: "select(0u, max(ray_filter.world, 1u) - 1u, IS_FILTERED)",
        },
    },
    Fault {
        name: "mesh-containment-without-parity",
        about: "A closed mesh contains a point if a ray from the point crosses the mesh at all.",
        needs: &[Need::ClosedMesh, Need::Circumstance(Circumstance::Solids)],
        shown_by: &[
            QuestionKind::Rays(Query::CLOSEST),
            QuestionKind::Points,
            QuestionKind::Rays(Query::Any),
        ],
        site: FaultSite::Shader {
            file: "containment.wgsl",
            from: "(mesh_parity.crossings & 1u) == 1u",
            to: "mesh_parity.crossings > 0u",
        },
    },
    Fault {
        name: "camera-pixel-corners",
        about: "Rays go through the corners of pixels.",
        needs: &[],
        shown_by: &[QuestionKind::Image],
        site: FaultSite::Shader { file: "camera.wgsl", from: "f32(row)) + 0.5;", to: "f32(row));" },
    },
    Fault {
        name: "camera-rows-swapped",
        about: "Each row of an image has the rays of the next or the previous row.",
        needs: &[],
        shown_by: &[QuestionKind::Image],
        site: FaultSite::Shader {
            file: "camera.wgsl",
            from: "let row = pixel / view.width;",
            to: "let row = (pixel / view.width) ^ 1u;",
        },
    },
    Fault {
        name: "camera-pose-of-first",
        about: "All images of a camera use the first pose.",
        needs: &[Need::Circumstance(Circumstance::Worlds)],
        shown_by: &[QuestionKind::Image],
        site: FaultSite::Shader {
            file: "camera.wgsl",
            from: "let place = camera_places[image];",
            to: "let place = camera_places[0];",
        },
    },
    Fault {
        name: "camera-world-before",
        about: "An image shows the world before its own.",
        needs: &[Need::Circumstance(Circumstance::Worlds)],
        shown_by: &[QuestionKind::Image],
        site: FaultSite::Shader {
            file: "camera.wgsl",
            from: "NONE, place.world);",
            to: "NONE, max(place.world, 1u) - 1u);",
        },
    },
];
