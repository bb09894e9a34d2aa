// start, radius | end − start, 0

// Directions closer to the axis than this drift off it by less than rounding, over any length.
const ALONG_AXIS_SQUARED: f32 = 0x1p-60;
const ALONG_CAP: f32 = 0x1p-40;

// Eberly's line against cylinder, from a point of the line near `start`: the closest approach of the
// two lines by cross products, then half a chord to either side; met with the slab between the caps.
fn cylinder_span(word: u32, ray: Ray) -> Span {
    let start_radius = words[word];
    let along = words[word + 1u].xyz;
    // The axis by a power of two near unit length, or squares of squares would overflow.
    let axis = along * inverse_power_of_two(power_of_two(largest(along)));
    let start = near(ray, start_radius.xyz);
    let from_start = -start.offset;
    let axis_squared = dot(axis, axis);

    var side = Span(-NEVER, NEVER);
    // |m + t n| is the distance from the axis times |axis|.
    let m = cross(from_start, axis);
    let n = cross(ray.direction, axis);
    let nn = dot(n, n);
    let reach_squared = start_radius.w * start_radius.w * axis_squared;
    if nn < ALONG_AXIS_SQUARED {
        if dot(m, m) > reach_squared {
            return NO_SPAN;
        }
    } else {
        let middle = -dot(m, n) / nn;
        let closest = m + middle * n;
        let half_chord_squared = reach_squared - dot(closest, closest);
        if half_chord_squared < 0.0 {
            return NO_SPAN;
        }
        let half = sqrt(half_chord_squared / nn);
        side = Span(middle - half, middle + half);
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
