// three vertices, each with a component of the unit normal

// The axes in an order in which the direction's largest component comes last.
fn in_view_order(v: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let size = abs(direction);
    if size.x >= size.y && size.x >= size.z {
        return v.yzx;
    }
    if size.y >= size.z {
        return v.zxy;
    }
    return v.xyz;
}

// A vertex on the plane across the last axis, sheared so that the ray goes straight down, and times the
// ray's speed, so that integers stay exact. By fma, which leaves a compiler no choice: a vertex that two
// triangles share becomes the same bits in both.
fn sheared(vertex: vec3<f32>, direction: vec3<f32>) -> vec2<f32> {
    let v = in_view_order(vertex, direction);
    let d = in_view_order(direction, direction);
    return vec2<f32>(fma(v.x, d.z, -(v.z * d.x)), fma(v.y, d.z, -(v.z * d.y)));
}

// Seen from as low as this, the plane is met less precisely than the triangle's edges are known.
const EDGE_ON: f32 = 0.5;

// Where the line meets the plane that stands on an edge, by the cosine between the line and that plane's normal, which
// comes out of the triangle.
struct EdgePlane {
    cosine: f32,
    t: f32,
}

// The one that is met more slantingly first.
fn by_slant(a: EdgePlane, b: EdgePlane) -> array<EdgePlane, 2> {
    if abs(b.cosine) < abs(a.cosine) {
        return array<EdgePlane, 2>(b, a);
    }
    return array<EdgePlane, 2>(a, b);
}

// A t within the prism over a triangle, between the planes that stand on its edges, as far as they are met less
// slantingly than the triangle's own plane is, by a cosine. A plane that is met slantingly tells t less well, so the
// others have the later word.
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

// On which side of zero the way from one corner to the next passes, above zero on the left; decided also where it
// passes through: zero is then moved aside by a hair along x, and by a hair of that along y (Edelsbrunner and Mücke,
// Simulation of Simplicity, 1990). Turned round, the edge passes on the other side. 0 only for one seen end on.
fn side_of(p: vec2<f32>, q: vec2<f32>) -> f32 {
    let left = p.x * q.y;
    let right = p.y * q.x;
    if left != right {
        return select(-1.0, 1.0, left > right);
    }
    // What rounding has taken of both, nearly: of halves of 12 bits no product is rounded, and turned round the sum is
    // the same with the other sign.
    let p_high = vec2<f32>(coarse(p.x), coarse(p.y));
    let q_high = vec2<f32>(coarse(q.x), coarse(q.y));
    let p_low = p - p_high;
    let q_low = q - q_high;
    let high = p_high.x * q_high.y - p_high.y * q_high.x;
    let middle = (p_high.x * q_low.y + p_low.x * q_high.y) - (p_high.y * q_low.x + p_low.y * q_high.x);
    let low = p_low.x * q_low.y - p_low.y * q_low.x;
    let rest = high + (middle + low);
    if rest != 0.0 {
        return sign(rest);
    }
    return select(sign(q.x - p.x), sign(p.y - q.y), p.y != q.y);
}

// The watertight test of Woop, Benthin and Wald (JCGT 2013). On which side of an edge the ray passes is
// told by comparing two rounded products: rounding can make them equal but not turn them over, so no ray
// passes between triangles that share an edge. An edge that is touched belongs to both, or where it `is_shared` to
// one of them. Vertices are given where they are, and as seen from a point of the line; the normal need not be of
// unit length.
fn triangle_crossing(
    vertices: array<vec3<f32>, 3>, seen: array<vec3<f32>, 3>, normal: vec3<f32>, direction: vec3<f32>,
    is_shared: bool,
) -> f32 {
    let a = sheared(seen[0], direction);
    let b = sheared(seen[1], direction);
    let c = sheared(seen[2], direction);
    let left = vec3<f32>(b.x * c.y, c.x * a.y, a.x * b.y);
    let right = vec3<f32>(b.y * c.x, c.y * a.x, a.y * b.x);
    if !all(left >= right) && !all(left <= right) {
        return NEVER;
    }
    if is_shared {
        let side = side_of(a, b);
        if side == 0.0 || side_of(b, c) != side || side_of(c, a) != side {
            return NEVER;
        }
    }
    // Products that only rounding makes equal would let in what lies beyond a triangle seen edge on.
    let low = min(min(a, b), c);
    let high = max(max(a, b), c);
    if any(low > vec2<f32>(0.0)) || any(high < vec2<f32>(0.0)) {
        return NEVER;
    }
    // In its plane the ray misses; and one without area has no normal. Of one that is shared its sides have told.
    let size = length(normal);
    if (!is_shared && all(left == right)) || size == 0.0 {
        return NEVER;
    }
    let speed = dot(direction, normal);
    let cosine = abs(speed) / size;
    if cosine > EDGE_ON {
        return dot(seen[0], normal) / speed;
    }
    // Even if the plane tells nothing: the triangles beside this one leave its edges to it.
    var t = dot(seen[0], direction) / dot(direction, direction);
    if cosine > ALONG_FACE {
        t = dot(seen[0], normal) / speed;
    }
    t = within_prism(t, vertices, seen, normal, direction, cosine);
    // Neither the plane nor an edge met so slantingly tells t well. No crossing lies before the first of the corners or
    // behind the last, as the ray comes to them.
    let reached = vec3<f32>(dot(seen[0], direction), dot(seen[1], direction), dot(seen[2], direction))
        / dot(direction, direction);
    return clamp(t, min(min(reached.x, reached.y), reached.z), max(max(reached.x, reached.y), reached.z));
}

fn triangle_first(params: ShapeParams, ray: Ray, is_shared: bool) -> f32 {
    let a = params.first;
    let b = params.second;
    let c = params.third;
    let vertices = array<vec3<f32>, 3>(a.xyz, b.xyz, c.xyz);
    let seen = array<vec3<f32>, 3>(a.xyz - ray.origin, b.xyz - ray.origin, c.xyz - ray.origin);
    return triangle_crossing(vertices, seen, vec3<f32>(a.w, b.w, c.w), ray.direction, is_shared);
}

// From a triangle to a point, given its corners where they are and as seen from the point. All is measured from the
// corner that is nearer, whose place is known best: of a sliver the sides of the point are still told apart.
fn corners_distance(corners: array<vec3<f32>, 3>, seen: array<vec3<f32>, 3>, normal: vec3<f32>) -> f32 {
    var vertices = corners;
    var seen_vertices = seen;
    var nearest = seen[0];
    var to_edges = FAR;
    // Without area it is no more than its edges.
    var is_over = dot(normal, normal) > 0.0;
    for (var corner = 0u; corner < 3u; corner++) {
        let next = (corner + 1u) % 3u;
        let along = vertices[next] - vertices[corner];
        let here = seen_vertices[corner];
        let there = seen_vertices[next];
        let is_there_nearer = dot(there, there) < dot(here, here);
        let nearer = select(here, there, is_there_nearer);
        to_edges = min(to_edges, segment_distance(-nearer, select(along, -along, is_there_nearer)));
        is_over = is_over && dot(cross(nearer, along), normal) >= 0.0;
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
