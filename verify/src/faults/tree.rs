//! Faults of the traversals of trees, and of the boxes of trees.

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
        name: "tree-nearest-in-second-child-only",
        about: "The surface nearest to a point is searched only in the second child of a wide tree's root.",
        needs: &[Need::Nodes],
        shown_by: &[QuestionKind::Points],
        site: FaultSite::Shader {
            file: "nearest/wide.wgsl",
            from: "var node = measure_node(select(own_root(), 0u, is_done), CHILD_BITS, point);",
            to: "var node = measure_node(select(own_root(), 0u, is_done), 2u, point);",
        },
    },
];
