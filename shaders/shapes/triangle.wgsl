// Layout: three vertices, each with a component of the unit normal

// Projects a vertex along the ray onto the plane across the last axis. The result is times the ray's speed along that
// axis, so that integers stay exact. Each product is rounded by itself, because a vertex that two triangles share must
// get the same bits in both.
fn sheared(vertex: vec3<f32>, direction: vec3<f32>) -> vec2<f32> {
    let v = in_view_order(vertex, direction);
    let d = in_view_order(direction, direction);
    return vec2<f32>(rounded(v.x * d.z) - rounded(v.z * d.x), rounded(v.y * d.z) - rounded(v.z * d.y));
}

// The cosine below which the crossing of the plane is less precise than the triangle's edges.
const EDGE_ON: f32 = 0.5;

// The t of a crossing that is still to be computed, beyond NEVER.
const SEEN_EDGE_ON: f32 = 3.1e38;

// The crossing of the line and the plane through an edge and the normal, with the cosine between the line and that
// plane's normal, which points out of the triangle.
struct EdgePlane {
    cosine: f32,
    t: f32,
}

// Orders two planes so that the one with the smaller cosine comes first.
fn by_slant(a: EdgePlane, b: EdgePlane) -> array<EdgePlane, 2> {
    if abs(b.cosine) < abs(a.cosine) {
        return array<EdgePlane, 2>(b, a);
    }
    return array<EdgePlane, 2>(a, b);
}

// Clamps a t to the prism over a triangle, by those planes through its edges whose cosine exceeds that of the triangle's
// own plane. A small cosine makes a plane's t imprecise, so planes with larger ones clamp later.
fn within_prism(
    t: f32, vertices: array<vec3<f32>, 3>, seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>,
    cosine: f32,
) -> f32 {
    var corners = vertices;
    var seen_corners = seen;
    var planes: array<EdgePlane, 3>;
    for (var corner = 0u; corner < 3u; corner++) {
        let outwards = near_unit(cross(corners[(corner + 1u) % 3u] - corners[corner], normal));
        let size = length(outwards);
        let speed = dot(direction, outwards);
        if abs(speed) > cosine * size {
            planes[corner] = EdgePlane(speed / size, dot(seen_corners[corner], outwards) / speed);
        }
    }
    let first = by_slant(planes[0], planes[1]);
    let second = by_slant(first[1], planes[2]);
    let third = by_slant(first[0], second[0]);
    planes = array<EdgePlane, 3>(third[0], third[1], second[1]);
    var within = t;
    for (var index = 0u; index < 3u; index++) {
        let plane = planes[index];
        if plane.cosine > 0.0 {
            within = min(within, plane.t);
        } else if plane.cosine < 0.0 {
            within = max(within, plane.t);
        }
    }
    return within;
}

// Returns the side of zero on which a projected edge passes, above zero on the left. An edge through zero has a side too:
// zero is then displaced by an infinitesimal along x, and by a smaller one along y (Edelsbrunner and Mücke, Simulation of
// Simplicity, 1990). The reversed edge passes on the other side. The result is 0 only for an edge whose ends project to
// one point.
fn side_of(p: vec2<f32>, q: vec2<f32>) -> f32 {
    let left = p.x * q.y;
    let right = p.y * q.x;
    if left != right {
        return select(-1.0, 1.0, left > right);
    }
    // This is nearly the rounding error of both products: products of 12-bit halves are exact, and for the reversed edge
    // the sum is the same with the other sign, as long as no compiler reorders it.
    let p_high = vec2<f32>(coarse(p.x), coarse(p.y));
    let q_high = vec2<f32>(coarse(q.x), coarse(q.y));
    let p_low = p - p_high;
    let q_low = q - q_high;
    let high = p_high.x * q_high.y - p_high.y * q_high.x;
    let middle = rounded(p_high.x * q_low.y + p_low.x * q_high.y) - rounded(p_high.y * q_low.x + p_low.y * q_high.x);
    let low = p_low.x * q_low.y - p_low.y * q_low.x;
    let rest = rounded(high) + rounded(rounded(middle) + rounded(low));
    if rest != 0.0 {
        return sign(rest);
    }
    return select(sign(q.x - p.x), sign(p.y - q.y), p.y != q.y);
}

// The watertight test of Woop, Benthin and Wald (JCGT 2013). The side of an edge on which the ray passes follows from
// comparing two rounded products: rounding can make them equal but cannot reverse their order, so no ray passes between
// triangles that share an edge. An edge that the ray touches belongs to both triangles, or to one of them if it
// `is_shared`. Vertices are given relative to a point of the line; the normal need not have unit length. The result is
// SEEN_EDGE_ON if the t of the triangle's plane is not precise; `edge_on_crossing` gives a better one.
fn plane_crossing_inside(
    seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>, is_shared: bool,
) -> f32 {
    let a = sheared(seen[0], direction);
    let b = sheared(seen[1], direction);
    let c = sheared(seen[2], direction);
    let left = vec3<f32>(b.x * c.y, c.x * a.y, a.x * b.y);
    let right = vec3<f32>(b.y * c.x, c.y * a.x, a.y * b.x);
    if !all(left >= right) & !all(left <= right) {
        return NEVER;
    }
    if is_shared {
        let side = side_of(a, b);
        if side == 0.0 || side_of(b, c) != side || side_of(c, a) != side {
            return NEVER;
        }
    }
    // Products that only rounding makes equal would let a ray hit beyond a triangle seen edge on.
    let low = min(min(a, b), c);
    let high = max(max(a, b), c);
    if any(low > vec2<f32>(0.0)) | any(high < vec2<f32>(0.0)) {
        return NEVER;
    }
    // A ray in the triangle's plane misses, and a triangle without area has no normal. If edges are shared, the sides
    // have already decided.
    let size = length(normal);
    if (!is_shared & all(left == right)) | (size == 0.0) {
        return NEVER;
    }
    let speed = dot(direction, normal);
    if abs(speed) / size > EDGE_ON {
        return dot(seen[0], normal) / speed;
    }
    return SEEN_EDGE_ON;
}

// Returns where a line crosses a triangle that it sees edge on. Vertices are given in world space and relative to a point
// of the line.
fn edge_on_crossing(
    vertices: array<vec3<f32>, 3>, seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>,
) -> f32 {
    let speed = dot(direction, normal);
    let cosine = abs(speed) / length(normal);
    // The ray hits even if the plane gives no t, because the triangles beside this one leave its edges to it.
    var t = dot(seen[0], direction) / dot(direction, direction);
    if cosine > ALONG_FACE {
        t = dot(seen[0], normal) / speed;
    }
    t = within_prism(t, vertices, seen, normal, direction, cosine);
    // Neither the plane nor an edge gives a precise t at so small an angle. No crossing lies before the first of the
    // corners or behind the last, in the order of their t.
    let reached = vec3<f32>(dot(seen[0], direction), dot(seen[1], direction), dot(seen[2], direction))
        / dot(direction, direction);
    return clamp(t, min(min(reached.x, reached.y), reached.z), max(max(reached.x, reached.y), reached.z));
}

fn triangle_first(params: ShapeParams, ray: Ray, is_shared: bool) -> f32 {
    let a = params.first;
    let b = params.second;
    let c = params.third;
    let vertices = array<vec3<f32>, 3>(a.xyz, b.xyz, c.xyz);
    let seen = array<vec3<f32>, 3>(from_origin(a.xyz, ray), from_origin(b.xyz, ray), from_origin(c.xyz, ray));
    let normal = vec3<f32>(a.w, b.w, c.w);
    let t = plane_crossing_inside(seen, normal, ray.direction, is_shared);
    if t == SEEN_EDGE_ON {
        return edge_on_crossing(vertices, seen, normal, ray.direction);
    }
    return t;
}

// Returns the distance of a triangle from a point, given its corners in world space and relative to the point. Everything
// is measured from the nearer corner, whose position is the most precise, so that the sides of a sliver still determine
// where the point is.
fn corners_distance(corners: array<vec3<f32>, 3>, seen: array<vec3<f32>, 3>, normal: vec3<f32>) -> f32 {
    var vertices = corners;
    var seen_vertices = seen;
    var nearest = seen[0];
    var to_edges = FAR;
    // A triangle without area is only its edges.
    var is_over = dot(normal, normal) > 0.0;
    for (var corner = 0u; corner < 3u; corner++) {
        let next = (corner + 1u) % 3u;
        let along = vertices[next] - vertices[corner];
        let here = seen_vertices[corner];
        let there = seen_vertices[next];
        let is_there_nearer = dot(there, there) < dot(here, here);
        let nearer = select(here, there, is_there_nearer);
        to_edges = min(to_edges, segment_distance(-nearer, select(along, -along, is_there_nearer)));
        is_over = is_over & (dot(cross(nearer, along), normal) >= 0.0);
        if dot(nearer, nearer) < dot(nearest, nearest) {
            nearest = nearer;
        }
    }
    return select(to_edges, abs(dot(nearest, normal)) / max(length(normal), LEAST_SQUARE), is_over);
}

fn triangle_distance(params: ShapeParams, point: vec3<f32>) -> f32 {
    let a = params.first;
    let b = params.second;
    let c = params.third;
    return corners_distance(
        array<vec3<f32>, 3>(a.xyz, b.xyz, c.xyz),
        array<vec3<f32>, 3>(a.xyz - point, b.xyz - point, c.xyz - point),
        vec3<f32>(a.w, b.w, c.w));
}
