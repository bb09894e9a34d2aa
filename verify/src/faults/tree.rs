//! Faults of the traversals of trees, and of their boxes.

use super::fault::{ALL, Fault};
use super::need::Need;
use raytwin::gpu::FaultSite;
use raytwin::query::Query;
use raytwin::question::QuestionKind;

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "tree-near-child-only",
        about: "A wide node's other children are not visited.",
        needs: &[Need::Nodes],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "trace/wide.wgsl",
            from: "met.inner, siblings,",
            to: "met.inner, 0u,",
        },
    },
    Fault {
        name: "binary-tree-near-child-only",
        about: "A binary node's far child is not visited.",
        needs: &[Need::Nodes],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "trace/binary.wgsl",
            from: "if far_entry <= best.t {",
            to: "if far_entry < near_entry {",
        },
    },
    Fault {
        name: "tree-boxes-too-small",
        about: "The boxes of a wide node are too small by 1e-5 of its size.",
        needs: &[Need::FacesInPlanes],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "trace/wide.wgsl",
            from: "let slack = MARGIN * (abs(corner) + 256.0 * abs(step));",
            to: "let slack = -1e-5 * 256.0 * abs(step);",
        },
    },
    Fault {
        name: "binary-tree-boxes-too-small",
        about: "The boxes of a binary tree begin too late by 1e-5 of their size.",
        needs: &[Need::FacesInPlanes],
        shown_by: ALL,
        site: FaultSite::Shader {
            file: "trace/binary.wgsl",
            from: "let a = (low - ray.origin) * inverse;",
            to: "let a = (low + 1e-5 * (high - low) - ray.origin) * inverse;",
        },
    },
    Fault {
        name: "tree-child-visited-twice",
        about: "A leaf of a wide tree is visited twice.",
        needs: &[],
        shown_by: &[
            QuestionKind::Rays(Query::All),
            QuestionKind::Rays(Query::Count),
            QuestionKind::Points,
        ],
        site: FaultSite::Shader {
            file: "trace/wide.wgsl",
            from: "traversal.best = intersect_record(index, traversal.ray, query_kind, traversal.best);",
            to: "let first = intersect_record(index, traversal.ray, query_kind, traversal.best); \
                traversal.best = intersect_record(index, traversal.ray, query_kind, first);",
        },
    },
    Fault {
        name: "binary-tree-child-visited-twice",
        about: "The far child of a binary node is visited twice if it is a leaf.",
        needs: &[Need::Nodes],
        shown_by: &[
            QuestionKind::Rays(Query::Count),
            QuestionKind::Rays(Query::All),
            QuestionKind::Points,
        ],
        site: FaultSite::Shader {
            file: "trace/binary.wgsl",
            from: "best = intersect_records(far_child.link, far_child.count, ray, query_kind, best);",
            to: "best = intersect_records(far_child.link, far_child.count, ray, query_kind, best); \
                best = intersect_records(far_child.link, far_child.count, ray, query_kind, best);",
        },
    },
    Fault {
        name: "tree-nearest-in-second-child-only",
        about: "The nearest surface to a point is sought in the second child of a wide tree's root alone.",
        needs: &[Need::Nodes],
        shown_by: &[QuestionKind::Points],
        site: FaultSite::Shader {
            file: "nearest/wide.wgsl",
            from: "var node = measure_node(select(own_root(), 0u, is_done), CHILD_BITS, point);",
            to: "var node = measure_node(select(own_root(), 0u, is_done), 2u, point);",
        },
    },
    Fault {
        name: "binary-tree-nearest-in-far-child-only",
        about: "The nearest surface to a point is sought in the far child of each binary node alone.",
        needs: &[Need::Nodes],
        shown_by: &[QuestionKind::Points],
        site: FaultSite::Shader {
            file: "nearest/binary.wgsl",
            from: "if near_squared <= best.distance * best.distance {",
            to: "if false {",
        },
    },
];
