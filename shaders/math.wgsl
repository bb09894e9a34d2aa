// Numbers that the whole module shares. No NaN and no infinity is made or tested as a float here: a
// driver may assume that there are none. What a caller may have put into a buffer is judged by bits.

// Unit roundoff of float32.
const U: f32 = 0x1p-24;

// A float32 test of a box errs by less than this part of what it adds up, measured 4 u.
const MARGIN: f32 = 16.0 * U;

// "No crossing": beyond every t, whose largest is 2^126.
const NEVER: f32 = 3.0e38;

// Beyond every length that a scene may have; its square is still a number.
const FAR: f32 = 1e18;

// The largest coordinate of a point that is one.
const MAX_COORDINATE: f32 = 1e9;

// The answers' bit patterns.
const NONE: u32 = 0xffffffffu;
const INFINITY_BITS: u32 = 0x7f800000u;
const NAN_BITS: u32 = 0x7fc00000u;

// The line's interval inside a convex solid; where it passes by, one that is empty.
alias Span = vec2<f32>;
const NO_SPAN: Span = Span(NEVER, -NEVER);

const WHOLE: Span = Span(-NEVER, NEVER);

// Of a solid that a line may run in twice, in order.
alias Spans = vec4<f32>;

fn meet(a: Span, b: Span) -> Span {
    return Span(max(a.x, b.x), min(a.y, b.y));
}

fn is_empty(span: Span) -> bool {
    return span.x > span.y;
}

fn is_finite(bits: u32) -> bool {
    return (bits & INFINITY_BITS) != INFINITY_BITS;
}

fn largest(v: vec3<f32>) -> f32 {
    return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

// The power of two at or below a normal positive number.
fn power_of_two(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & INFINITY_BITS);
}

// A number to 12 bits: its product with a small integer or a power of two rounds nothing.
fn coarse(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// 1 / x for a power of two, exactly: 254 is twice the exponent's bias.
fn inverse_power_of_two(x: f32) -> f32 {
    return bitcast<f32>(0x7f000000u - bitcast<u32>(x));
}

// A direction near unit length: a world axis exactly, any other by a power of two. Left as it is, squares
// of squares would overflow, or outgrow the bits that keep integers exact.
fn near_unit(along: vec3<f32>) -> vec3<f32> {
    // Not by a sum: a small component would be lost beside a large one.
    let is_zero = along == vec3<f32>(0.0);
    if (is_zero.x && is_zero.y) || (is_zero.y && is_zero.z) || (is_zero.z && is_zero.x) {
        return sign(along);
    }
    return along * inverse_power_of_two(power_of_two(largest(along)));
}
