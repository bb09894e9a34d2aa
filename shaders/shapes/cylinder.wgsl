// start, radius | end − start, 0

// Directions closer to the axis than this drift off it by less than rounding, over any length.
const ALONG_AXIS_SQUARED: f32 = 0x1p-60;
const ALONG_CAP: f32 = 0x1p-40;

// The axis near unit length: a world axis exactly, any other by a power of two. Left as it is, squares
// of squares would overflow, or outgrow the bits that keep integers exact.
fn near_unit(along: vec3<f32>) -> vec3<f32> {
    let size = largest(along);
    if size == abs(along.x) + abs(along.y) + abs(along.z) {
        return sign(along);
    }
    return along * inverse_power_of_two(power_of_two(size));
}

// Eberly's closest approach of two lines by cross products (Geometric Tools), from a point of the line
// near `start`, then half a chord to either side; met with the slab between the caps.
fn cylinder_span(word: u32, ray: Ray) -> Span {
    let start_radius = words[word];
    let along = words[word + 1u].xyz;
    let axis = near_unit(along);
    let start = near(ray, start_radius.xyz);
    let from_start = -start.offset;

    var side = Span(-NEVER, NEVER);
    // |aside + t speed| is the distance from the axis times |axis|.
    let aside = cross(from_start, axis);
    let speed = cross(ray.direction, axis);
    let reach_squared = start_radius.w * start_radius.w * dot(axis, axis);
    if dot(speed, speed) < ALONG_AXIS_SQUARED {
        if dot(aside, aside) > reach_squared {
            return NO_SPAN;
        }
    } else {
        // Near unit length too, for a ray nearly along the axis; then everything times that length
        // squared: no division comes before the roots, so integers stay exact.
        let scale = inverse_power_of_two(power_of_two(largest(speed)));
        let across = speed * scale;
        let aa = dot(across, across);
        let middle = -dot(aside, across);
        let closest = aa * aside + middle * across;
        let half_chord_squared = reach_squared * aa * aa - dot(closest, closest);
        if half_chord_squared < 0.0 {
            return NO_SPAN;
        }
        let half = sqrt(half_chord_squared / aa);
        side = Span((middle - half) / aa, (middle + half) / aa) * scale;
    }

    // Heights above the start cap, times |axis|.
    let height = dot(from_start, axis);
    let climb = dot(ray.direction, axis);
    let top = dot(along, axis);
    var caps = Span(-NEVER, NEVER);
    if abs(climb) < ALONG_CAP {
        if height < 0.0 || height > top {
            return NO_SPAN;
        }
    } else {
        let first = select(top, 0.0, climb > 0.0);
        let last = select(0.0, top, climb > 0.0);
        caps = Span((first - height) / climb, (last - height) / climb);
    }
    let span = meet(side, caps);
    if span.x > span.y {
        return NO_SPAN;
    }
    return span + start.t;
}
