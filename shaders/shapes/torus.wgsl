// Layout: center, major radius | unit axis, minor radius

// A line about a torus, counted from a point of the line. A quartic in float32 fails, so the solver compares the squared
// distance from the core circle, e² + h², with that of the minor radius, where e is how far the line is outside the
// core's cylinder and h is its height.
struct AboutRing {
    aside: vec3<f32>,
    height: f32,
    // the rates of change of aside and of the height
    speed: vec3<f32>,
    climb: f32,
    major: f32,
    minor: f32,
}

// The number of steps in which bisection on its own reaches the last bits of a float32.
const STEPS: u32 = 26u;

// Returns e² + h² − minor² (the excess) and half its slope.
fn ring_excess(line: AboutRing, t: f32) -> vec2<f32> {
    let aside = line.aside + t * line.speed;
    let distance = length(aside);
    let e = distance - line.major;
    let h = line.height + t * line.climb;
    // The distance has a kink on the axis, and either of its two slopes is suitable there.
    let outwards = dot(aside, line.speed) / max(distance, U * U * line.major);
    return vec2<f32>(e * e + (h - line.minor) * (h + line.minor), e * outwards + h * line.climb);
}

// Returns the zero of the excess between a t outside and a t inside, between which it is monotone, by Newton's method
// with a bisection step wherever Newton's would leave the bracket.
fn ring_root(line: AboutRing, outside: f32, inside: f32) -> f32 {
    var bracket = vec2<f32>(outside, inside);
    var t = outside;
    for (var step = 0u; step < STEPS; step++) {
        let excess = ring_excess(line, t);
        if excess.x == 0.0 {
            return t;
        }
        if excess.x > 0.0 {
            bracket.x = t;
        } else {
            bracket.y = t;
        }
        var next = 0.5 * (bracket.x + bracket.y);
        // Newton's step is shorter than the bracket, so the division is safe.
        if 0.5 * abs(excess.x) < abs(excess.y) * abs(bracket.y - bracket.x) {
            let newton = t - 0.5 * excess.x / excess.y;
            if (newton >= min(bracket.x, bracket.y)) & (newton <= max(bracket.x, bracket.y)) {
                next = newton;
            }
        }
        if next == t {
            break;
        }
        t = next;
    }
    return t;
}

// Returns the t at which the slope of the excess changes its sign.
fn ring_turn(line: AboutRing, falling: f32, rising: f32) -> f32 {
    var bracket = vec2<f32>(falling, rising);
    for (var step = 0u; step < STEPS; step++) {
        let middle = 0.5 * (bracket.x + bracket.y);
        if ring_excess(line, middle).y > 0.0 {
            bracket.y = middle;
        } else {
            bracket.x = middle;
        }
    }
    return 0.5 * (bracket.x + bracket.y);
}

// Returns the interval of t in which the excess is concave: its second derivative, |d|² − major k / distance³, is below
// zero there, with k the squared area between aside and speed. Elsewhere the excess is convex, and so has at most one
// turn on either side. The interval has no length if the excess is convex everywhere.
fn ring_hump(line: AboutRing, half: f32) -> vec2<f32> {
    let speed_squared = dot(line.speed, line.speed);
    if speed_squared < ALONG_AXIS_SQUARED {
        return vec2<f32>(half, half);
    }
    let area = cross(line.aside, line.speed);
    let area_squared = dot(area, area);
    let least = area_squared / speed_squared;
    let length_squared = speed_squared + line.climb * line.climb;
    // It is in units of the core circle, and above zero because a driver's pow may take its logarithm.
    let core_squared = line.major * line.major;
    let cube = max(area_squared / (length_squared * core_squared), 0x1p-60);
    let bend = core_squared * pow(cube, 2.0 / 3.0);
    let middle = -dot(line.aside, line.speed) / speed_squared;
    var reach = 0.0;
    if bend > least {
        // It is a little wider, because pow is not precise, and because on the axis the hump is a kink with two slopes at
        // its top.
        let width = 0x1p-10 * line.major * inverseSqrt(length_squared);
        reach = sqrt((bend - least) / speed_squared) + width;
    }
    return clamp(vec2<f32>(middle - reach, middle + reach), vec2<f32>(-half), vec2<f32>(half));
}

fn torus_spans(params: ShapeParams, start: Near, ray: Ray) -> Spans {
    let center_major = params.first;
    let axis_minor = params.second;
    let axis = axis_minor.xyz;
    // Both ends of the reach are certainly outside.
    let reach = 1.001 * (center_major.w + axis_minor.w);
    let ball = ball_span(start.offset, ray.direction, reach);
    if is_empty(ball) {
        return Spans(NO_SPAN, NO_SPAN);
    }
    let step = coarse(0.5 * (ball.x + ball.y));
    let p = step * ray.direction - start.offset;
    let line = AboutRing(
        cross(p, axis), dot(p, axis), cross(ray.direction, axis), dot(ray.direction, axis),
        center_major.w, axis_minor.w);
    let t = start.t + step;
    let first = ball.x - step;
    let last = ball.y - step;

    let hump = ring_hump(line, max(-first, last));
    let has_first = ring_excess(line, hump.x).y > 0.0;
    let has_last = !has_first || ring_excess(line, hump.y).y < 0.0;
    // The excess turns before the hump, after it, and between these two. The searches stand in loops, so that each is
    // compiled once.
    var turns = vec3<f32>(last, last, hump.y);
    for (var index = 0u; index < 3u; index++) {
        if (has_first | (index == 1u)) & (has_last | (index == 0u)) {
            let falling = select(hump.y, min(first, hump.x), index == 0u);
            let rising = select(hump.x, max(last, hump.y), index == 1u);
            turns[index] = ring_turn(line, falling, rising);
        }
    }
    // A ray that touches the surface at a turn hits it.
    let meets_first = has_first && ring_excess(line, turns.x).x <= 0.0;
    let meets_last = has_last && ring_excess(line, turns.y).x <= 0.0;
    // Between two turns the line is farthest from the core, and may be outside.
    let between = turns.z;
    let is_whole = meets_first && meets_last && ring_excess(line, between).x <= 0.0;
    // The line enters and leaves between a turn and one of these: twice for the first turn, twice for the last one.
    let outside = vec4<f32>(
        first, select(last, between, has_last), select(first, between, has_first), last);
    var spans = Spans(NO_SPAN, NO_SPAN);
    for (var index = 0u; index < 4u; index++) {
        let is_first = index < 2u;
        let is_outer = (index == 0u) | (index == 3u);
        if select(meets_last, meets_first, is_first) & (is_outer | !is_whole) {
            spans[index] = t + ring_root(line, outside[index], select(turns.y, turns.x, is_first));
        }
    }
    if is_whole {
        return Spans(spans.xw, NO_SPAN);
    }
    return spans;
}

// Returns the distance of the surface: that of the core circle against the minor radius.
fn torus_distance(params: ShapeParams, from_center: vec3<f32>) -> f32 {
    let local_point = place_about(params.second.xyz, from_center);
    return abs(length(local_point - vec2<f32>(params.first.w, 0.0)) - params.second.w);
}
