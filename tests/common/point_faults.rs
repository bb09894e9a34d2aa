//! Faults of the point tests' shaders, of one character or little more, each of which the tests must notice.

use raytwin::gpu::Fault;

const fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault { name: from, tag: None, file, from, to }
}

const KERNELS: &str = "point_tests.wgsl";
const CYLINDER: &str = "point_tests/cylinder.wgsl";
const CONE: &str = "point_tests/cone.wgsl";
const ELLIPSOID: &str = "point_tests/ellipsoid.wgsl";
const SPHERE: &str = "point_tests/sphere.wgsl";
const BOXES: &str = "point_tests/boxes.wgsl";
const PLANE: &str = "point_tests/plane.wgsl";
const LINE: &str = "point_tests/line.wgsl";

pub const MUTANTS: &[Fault] = &[
    fault(KERNELS, "min(index, arrayLength(&tests) - 1u)", "0u"),
    fault(KERNELS, "points[3u * index + 1u]", "points[3u * index + 2u]"),
    fault(KERNELS, "<= MAX_COORDINATE", "< 0.5 * MAX_COORDINATE"),
    fault(KERNELS, "!is_finite(bits.x) ||", ""),
    fault(KERNELS, "|| !is_finite(bits.z)", ""),
    fault(KERNELS, "asked.is_somewhere && contains", "contains"),
    fault(KERNELS, "asked.is_somewhere && touches", "touches"),
    fault(KERNELS, "vec3<u32>(NAN_BITS)", "vec3<u32>(0u)"),
    fault(KERNELS, "var answer = OUTSIDE", "var answer = 0.0"),
    fault(CYLINDER, "height < 0.0", "height <= 0.0"),
    fault(CYLINDER, "height > own.second.w", "height >= own.second.w"),
    fault(CYLINDER, "|| height > own.second.w", ""),
    fault(CYLINDER, "aside_squared > own.third.y", "aside_squared >= own.third.y"),
    fault(CYLINDER, "aside_squared < own.third.z", "aside_squared <= own.third.z"),
    fault(CYLINDER, "aside_squared / own.third.x", "aside_squared * own.third.x"),
    fault(CYLINDER, "* unit * unit", "* unit"),
    // As in the original.
    fault(
        CYLINDER,
        "dot(aside, aside)",
        "dot(from_start, from_start) * own.third.x - height * height",
    ),
    fault(CONE, "height < 0.0", "height <= 0.0"),
    fault(CONE, "height > own.second.w", "height >= own.second.w"),
    fault(CONE, "own.third.z > radius", "own.third.z >= radius"),
    fault(CONE, "own.third.x + own", "own.third.x - own"),
    fault(CONE, "aside_squared * own.third.z", "aside_squared"),
    fault(CONE, "* unit * unit", "* unit"),
    fault(ELLIPSOID, "distance_squared > radius * radius", "distance_squared >= radius * radius"),
    fault(ELLIPSOID, "sizes.yzx * sizes.zxy", "sizes.xyz * sizes.zxy"),
    fault(ELLIPSOID, "largest(near) > 2.0", "largest(near) > 1.0"),
    fault(ELLIPSOID, "dot(from_center, y_axis)", "dot(from_center, x_axis)"),
    fault(SPHERE, "<= own.second.x", "< own.second.x"),
    fault(SPHERE, "* own.first.w", "+ own.first.w"),
    fault(SPHERE, "squared == 0.0", "squared < 0.0"),
    fault(SPHERE, "(outwards / sqrt(squared))", "outwards"),
    fault(SPHERE, "(own.second.y, 0.0, 0.0)", "(0.0, own.second.y, 0.0)"),
    fault(BOXES, "place >= low", "place > low"),
    fault(BOXES, "place <= high", "place < high"),
    fault(BOXES, "below <= above", "below < above"),
    fault(BOXES, "gap.x <= gap.y", "gap.x < gap.y"),
    fault(BOXES, "gap.x <= gap.z", "gap.x < gap.z"),
    fault(BOXES, "gap.y <= gap.z", "gap.y < gap.z"),
    fault(BOXES, "clamp(place, low, high)", "max(place, low)"),
    fault(BOXES, "cross(x_axis, y_axis)", "cross(y_axis, x_axis)"),
    fault(BOXES, "transpose(axes)", "axes"),
    fault(PLANE, "plane_height(own, point) <= 0.0", "plane_height(own, point) < 0.0"),
    fault(PLANE, "height * height <= own", "height * height < own"),
    fault(PLANE, "own.third.w * own.second.w", "own.third.w"),
    fault(PLANE, "/ own.second.w", ""),
    fault(LINE, "dot(between, between) <= own", "dot(between, between) < own"),
    fault(LINE, "dot(aside, aside) <= own", "dot(aside, aside) < own"),
    fault(LINE, "own.third.w * own.third.x", "own.third.w"),
    fault(LINE, "line_height(own, point) < 0.0", "line_height(own, point) > 0.0"),
    fault(LINE, "max(line_height(own, point), 0.0)", "line_height(own, point)"),
    fault(LINE, "is_near(point, line_at(own, own.third.y), own)", "ray_touches(own, point)"),
    fault(LINE, "return line_at(own, own.third.y);", "return line_at(own, own.second.w);"),
];
