//! Faults of few characters in the shader, each of which the comparison must notice.

use raytwin_verify::faults::Fault;

const SPHERE: &str = "shapes/sphere.wgsl";
const CUBOID: &str = "shapes/cuboid.wgsl";
const CYLINDER: &str = "shapes/cylinder.wgsl";
const CAPSULE: &str = "shapes/capsule.wgsl";
const CONE: &str = "shapes/cone.wgsl";
const ELLIPSOID: &str = "shapes/ellipsoid.wgsl";
const TORUS: &str = "shapes/torus.wgsl";
const PLANE: &str = "shapes/plane.wgsl";
const SHELL: &str = "shapes/shell.wgsl";
const DISC: &str = "shapes/disc.wgsl";
const TRIANGLE: &str = "shapes/triangle.wgsl";
const WIDE: &str = "trace/wide.wgsl";
const CLOSEST: &str = "closest/float32.wgsl";
const HEIGHTFIELD: &str = "shapes/heightfield.wgsl";
const PYRAMID: &str = "shapes/heightfield/pyramid.wgsl";

const fn fault(
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Fault {
    Fault::in_shader(name, file, from, to)
}

pub const MUTANTS: &[Fault] = &[
    fault(
        "sphere: a tangent misses",
        SPHERE,
        "half_chord_squared < 0.0",
        "half_chord_squared <= 0.0",
    ),
    fault("sphere: the chord's ends swap", SPHERE, "(middle - half) / dd", "(middle + half) / dd"),
    fault("sphere: no move to the closest approach", SPHERE, "offset - middle", "offset + middle"),
    fault("sphere: the radius is not squared", SPHERE, "reach * reach", "reach + reach"),
    fault("box: a ray in a face misses", CUBOID, "abs(offset) > half", "abs(offset) >= half"),
    fault("box: the slab's sides swap", CUBOID, "speed > 0.0", "speed < 0.0"),
    fault("box: a wrong half extent", CUBOID, "x_axis.xyz), center.w)", "x_axis.xyz), x_axis.w)"),
    fault("box: a wrong extent of y", CUBOID, "y_axis.xyz), x_axis.w)", "y_axis.xyz), center.w)"),
    fault(
        "cylinder: a tangent misses",
        CYLINDER,
        "half_chord_squared < 0.0",
        "half_chord_squared <= 0.0",
    ),
    fault(
        "cylinder: a ray in the wall along the axis misses",
        CYLINDER,
        "line.aside) > reach",
        "line.aside) >= reach",
    ),
    fault("cylinder: a ray in the start cap misses", CYLINDER, "height < 0.0", "height <= 0.0"),
    fault("cylinder: a ray in the end cap misses", CYLINDER, "height > top", "height >= top"),
    fault(
        "cylinder: no end cap",
        CYLINDER,
        "select(0.0, top, climb > 0.0)",
        "select(0.0, top, climb < 0.0)",
    ),
    fault(
        "cylinder: the closest approach is behind",
        CYLINDER,
        "= -dot(line.aside",
        "= dot(line.aside",
    ),
    fault("cylinder: the lines part", CYLINDER, "aside + middle", "aside - middle"),
    fault(
        "tube: a touched rim of the hole misses",
        CYLINDER,
        "hole.x >= outer.x",
        "hole.x > outer.x",
    ),
    fault(
        "tube: a rim touched on the way out misses",
        CYLINDER,
        "hole.y <= outer.y",
        "hole.y < outer.y",
    ),
    fault(
        "tube: a ray in the hole's wall along the axis misses",
        CYLINDER,
        ">= hole_squared",
        "> hole_squared",
    ),
    fault(
        "tube: the far side begins too early",
        CYLINDER,
        "Span(hole.y, outer.y)",
        "Span(hole.x, outer.y)",
    ),
    fault(
        "capsule: the start's sphere is hit inside",
        CAPSULE,
        "heights.x < 0.0",
        "heights.x > 0.0",
    ),
    fault("capsule: the end's ball is left inside", CAPSULE, "heights.y > top", "heights.y < top"),
    fault(
        "capsule: the axis points backwards",
        CAPSULE,
        "start.offset + along",
        "start.offset - along",
    ),
    fault("cone: the other half of a steep one", CONE, "widening > 0.0", "widening < 0.0"),
    fault(
        "cone: the wide end is taken for the narrow",
        CONE,
        "along_radius.w < start",
        "along_radius.w > start",
    ),
    fault("cone: a tangent misses", CONE, "discriminant < 0.0", "discriminant <= 0.0"),
    fault("cone: the lines part", CONE, "speed - widening", "speed + widening"),
    fault("cone: a line of the side the wrong way", CONE, "b > 0.0)", "b < 0.0)"),
    fault("ellipsoid: two axes are confused", ELLIPSOID, "sizes.z * sizes.x", "sizes.z * sizes.y"),
    fault("ellipsoid: a wrong size", ELLIPSOID, "scale * size", "size"),
    fault(
        "ellipsoid: t is scaled the wrong way",
        ELLIPSOID,
        "span * (speed_scale",
        "span / (speed_scale",
    ),
    fault(
        "torus: a wrong ring",
        TORUS,
        "(h - line.minor) * (h + line.minor)",
        "(h - line.minor) * (h - line.minor)",
    ),
    fault("torus: two passes taken for one", TORUS, "between).x <= 0.0", "between).x >= 0.0"),
    fault(
        "torus: the only pass begins too late",
        TORUS,
        "select(first, between, has_first)",
        "select(first, between, has_last)",
    ),
    fault("torus: the hump is too narrow", TORUS, "2.0 / 3.0", "1.0 / 3.0"),
    fault(
        "torus: a smaller ball around it",
        TORUS,
        "center_major.w + axis",
        "center_major.w - axis",
    ),
    fault("plane: behind for ahead", PLANE, "start.t + dot", "start.t - dot"),
    fault(
        "plane: only a ray along it hits",
        PLANE,
        "abs(speed) < ALONG_FACE {",
        "abs(speed) > ALONG_FACE {",
    ),
    fault(
        "plane: the point for the normal",
        PLANE,
        "let normal = params.second",
        "let normal = params.first",
    ),
    fault("bounded plane: its edge misses", PLANE, "aside > sheet.half", "aside >= sheet.half"),
    fault("bounded plane: no edges", PLANE, "any(is_beyond &", "any(!is_beyond & is_beyond &"),
    fault("one-sided plane: two sides", PLANE, "sheet.is_one_sided & comes", "false & comes"),
    fault("one-sided plane: the other side", PLANE, "= speed > 0.0", "= speed < 0.0"),
    fault("disc: its rim misses", DISC, "> outer * outer", "> outer * inner"),
    fault(
        "disc: a touched rim misses",
        DISC,
        "distance_squared > outer",
        "distance_squared >= outer",
    ),
    fault(
        "disc: the touched rim of its hole misses",
        DISC,
        "distance_squared < inner",
        "distance_squared <= inner",
    ),
    fault(
        "disc: the crossing is on the other side",
        DISC,
        "direction - speed",
        "direction + speed",
    ),
    fault("triangle: an edge misses", TRIANGLE, "all(left >= right)", "all(left > right)"),
    fault(
        "triangle: an edge from behind misses",
        TRIANGLE,
        "all(left <= right)",
        "all(left < right)",
    ),
    fault("triangle: sheared the wrong way", TRIANGLE, "rounded(v.z * d.y)", "rounded(v.z * d.x)"),
    fault(
        "triangle: two edges are confused",
        TRIANGLE,
        "b.y * c.x, c.y * a.x",
        "b.y * c.x, c.y * a.y",
    ),
    fault(
        "heightfield: the left triangle takes the right one's number",
        HEIGHTFIELD,
        "+ column) + half;",
        "+ column);",
    ),
    fault(
        "heightfield with a base: the sides lean outwards",
        HEIGHTFIELD,
        "steps - rim, vec2<f32>(0.0)",
        "steps - rim, vec2<f32>(-1.0)",
    ),
    fault(
        "heightfield with a base: no bottom",
        HEIGHTFIELD,
        "field.is_bottom & !is_closed",
        "field.is_bottom",
    ),
    fault(
        "heightfield with a base: a side takes another's number",
        HEIGHTFIELD,
        "u32(column > 0u), is_in_row",
        "u32(column > 0u), is_in_column",
    ),
    fault("shell: its caps are confused", SHELL, "flags.zy, flags.yz", "flags.yz, flags.zy"),
    fault("shell: the side is always present", SHELL, "flags.xx != vec2", "flags.xx + 1.0 != vec2"),
    fault("shell: the rim of a cap misses", SHELL, "is_on_side.x | is_on_cap.x", "is_on_side.x"),
    fault(
        "heightfield: the last blocks are lost",
        HEIGHTFIELD,
        "index.x > last.x",
        "index.x >= last.x",
    ),
    fault(
        "heightfield: off centre",
        HEIGHTFIELD,
        "(f32(field.columns), f32(field.rows)) - 1.0",
        "(f32(field.columns) + 1.0, f32(field.rows)) - 1.0",
    ),
    fault(
        "heightfield: a triangle at t_min is lost",
        CLOSEST,
        "if t >= ray.t_min {",
        "if t > ray.t_min {",
    ),
    fault(
        "heightfield: the margin above a block is taken off it",
        HEIGHTFIELD,
        "reach.y + flight.pad",
        "reach.y - flight.pad",
    ),
    fault(
        "heightfield: the margin below a block is taken off it",
        HEIGHTFIELD,
        "reach.x - flight.pad",
        "reach.x + flight.pad",
    ),
    fault("heightfield: rows of blocks are too short", PYRAMID, "(columns + 1u)", "columns"),
    fault("heightfield: levels begin elsewhere", PYRAMID, "[level % 4u]", "[0u]"),
    fault("spans: an edge or a rim misses", "math.wgsl", "span.x > span.y", "span.x >= span.y"),
    fault(
        "shapes: the interval is intersect_children at t_min",
        "shapes.wgsl",
        "span.x >= t_min",
        "span.x > t_min",
    ),
    fault(
        "shapes: the far wall at t_min is lost",
        "shapes.wgsl",
        "span.y >= t_min",
        "span.y > t_min",
    ),
    fault(
        "shapes: the second pass comes first",
        "shapes.wgsl",
        "later = spans.zw;\n            }\n        }\n        case PLANE",
        "later = spans.xy;\n            }\n        }\n        case PLANE",
    ),
    fault("wide tree: boxes are hit inside out", WIDE, "enter <= leave", "enter >= leave"),
    fault("wide tree: boxes are flat", WIDE, "lower(planes(far.x)", "lower(planes(near.x)"),
    fault("wide tree: the far side is lost", WIDE, "far_z.y),", "near_z.y),"),
    fault("wide tree: the second four are the first", WIDE, "<< 4u))\n", "<< 0u))\n"),
    fault("wide tree: other children are absent", WIDE, "absent.y >> 3u", "absent.y >> 7u"),
    fault("wide tree: one child has the planes of another", WIDE, "8u, 16u, 24u", "8u, 16u, 16u"),
    fault(
        "wide tree: the interval begins at 0",
        WIDE,
        "vec4<f32>(t_min)",
        "vec4<f32>(max(t_min, 0.0))",
    ),
    fault(
        "wide tree: inner children are shapes",
        WIDE,
        "met & ~node.first.w",
        "met & node.first.w",
    ),
    fault(
        "wide tree: an octant is taken for another",
        WIDE,
        "0x33u) << 2u), is_backward.y",
        "0x33u) << 2u), is_backward.x",
    ),
    fault(
        "wide tree: shapes stand elsewhere",
        WIDE,
        "first_child_of(shapes) +",
        "first_child_of(shapes) ^",
    ),
    fault(
        "wide tree: only the first shape of a node",
        WIDE,
        "shapes & (shapes - 1u), has",
        "0u, has",
    ),
    fault(
        "wide tree: a push loses the entry before it",
        "device/software.wgsl",
        "entering, entries.xyz",
        "entering, entries.yzw",
    ),
    fault(
        "slots: a shape's last numbers are the next's",
        "device/software.wgsl",
        "(3u, 0u)",
        "(4u, 0u)",
    ),
    fault(
        "slots: the slot before",
        "device/hardware.wgsl",
        "params_in(records[index])",
        "params_in(records[max(index, 1u) - 1u])",
    ),
    fault("packed: shapes have the tags of others", "packed.wgsl", "0x01010100u", "0x01010101u"),
    fault(
        "wide tree: shapes without a box are not intersected",
        WIDE,
        "= own_unbounded_records();",
        "= 0u;",
    ),
    fault(
        "tie: the higher part wins",
        CLOSEST,
        "precedes(found.primitive, best.primitive)",
        "precedes(best.primitive, found.primitive)",
    ),
    fault(
        "tie: the last asked wins",
        CLOSEST,
        "is_nearer = precedes",
        "is_nearer = true || precedes",
    ),
    fault(
        "trace: t_max is exclusive",
        CLOSEST,
        "is_nearer = precedes",
        "is_nearer = false && precedes",
    ),
    fault("ray: -inf is not clamped", "ray.wgsl", "(bits & SIGN_BIT) | magnitude", "magnitude"),
    fault(
        "ray: just above zero is zero",
        "ray.wgsl",
        "vanished & !is_zero",
        "!vanished & !is_zero",
    ),
    fault("ray: t is scaled the wrong way", "ray.wgsl", "limit) * scale", "limit) / scale"),
];
