//! Faults of few characters in the shaders of the point tests, each of which the tests must notice.

use raytwin_verify::faults::Fault;

const fn fault(file: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault::in_shader(from, file, from, to)
}

const KERNELS: &str = "point_in_shape.wgsl";
const CYLINDER: &str = "point_in_shape/cylinder.wgsl";
const CONE: &str = "point_in_shape/cone.wgsl";
const ELLIPSOID: &str = "point_in_shape/ellipsoid.wgsl";
const SPHERE: &str = "point_in_shape/sphere.wgsl";
const BOXES: &str = "point_in_shape/boxes.wgsl";
const PLANE: &str = "point_in_shape/plane.wgsl";
const LINE: &str = "point_in_shape/line.wgsl";

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
    fault(CYLINDER, "height > params.second.w", "height >= params.second.w"),
    fault(CYLINDER, "|| height > params.second.w", ""),
    fault(CYLINDER, "aside_squared > params.third.y", "aside_squared >= params.third.y"),
    fault(CYLINDER, "aside_squared < params.third.z", "aside_squared <= params.third.z"),
    fault(CYLINDER, "aside_squared / params.third.x", "aside_squared * params.third.x"),
    fault(CYLINDER, "* unit * unit", "* unit"),
    // The original code has this fault.
    fault(
        CYLINDER,
        "dot(aside, aside)",
        "dot(from_start, from_start) * params.third.x - height * height",
    ),
    fault(CONE, "height < 0.0", "height <= 0.0"),
    fault(CONE, "height > params.second.w", "height >= params.second.w"),
    fault(CONE, "params.third.z > radius", "params.third.z >= radius"),
    fault(CONE, "params.third.x + params", "params.third.x - params"),
    fault(CONE, "aside_squared * params.third.z", "aside_squared"),
    fault(CONE, "* unit * unit", "* unit"),
    fault(ELLIPSOID, "distance_squared > radius * radius", "distance_squared >= radius * radius"),
    fault(ELLIPSOID, "sizes.yzx * sizes.zxy", "sizes.xyz * sizes.zxy"),
    fault(ELLIPSOID, "largest(near) > 2.0", "largest(near) > 1.0"),
    fault(ELLIPSOID, "dot(from_center, y_axis)", "dot(from_center, x_axis)"),
    fault(SPHERE, "<= params.second.x", "< params.second.x"),
    fault(SPHERE, "* params.first.w", "+ params.first.w"),
    fault(SPHERE, "squared == 0.0", "squared < 0.0"),
    fault(SPHERE, "(outwards / sqrt(squared))", "outwards"),
    fault(SPHERE, "(params.second.y, 0.0, 0.0)", "(0.0, params.second.y, 0.0)"),
    fault(BOXES, "local_point >= low", "local_point > low"),
    fault(BOXES, "local_point <= high", "local_point < high"),
    fault(BOXES, "below <= above", "below < above"),
    fault(BOXES, "gap.x <= gap.y", "gap.x < gap.y"),
    fault(BOXES, "gap.x <= gap.z", "gap.x < gap.z"),
    fault(BOXES, "gap.y <= gap.z", "gap.y < gap.z"),
    fault(BOXES, "clamp(local_point, low, high)", "max(local_point, low)"),
    fault(BOXES, "cross(x_axis, y_axis)", "cross(y_axis, x_axis)"),
    fault(BOXES, "transpose(axes)", "axes"),
    fault(PLANE, "plane_height(params, point) <= 0.0", "plane_height(params, point) < 0.0"),
    fault(PLANE, "height * height <= params", "height * height < params"),
    fault(PLANE, "params.third.w * params.second.w", "params.third.w"),
    fault(PLANE, "/ params.second.w", ""),
    fault(LINE, "dot(between, between) <= params", "dot(between, between) < params"),
    fault(LINE, "dot(aside, aside) <= params", "dot(aside, aside) < params"),
    fault(LINE, "params.third.w * params.third.x", "params.third.w"),
    fault(LINE, "line_height(params, point) < 0.0", "line_height(params, point) > 0.0"),
    fault(LINE, "max(line_height(params, point), 0.0)", "line_height(params, point)"),
    fault(
        LINE,
        "is_near(point, line_at(params, params.third.y), params)",
        "ray_touches(params, point)",
    ),
    fault(
        LINE,
        "return line_at(params, params.third.y);",
        "return line_at(params, params.second.w);",
    ),
];
