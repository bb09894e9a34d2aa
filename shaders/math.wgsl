// Numbers that the whole module shares. Nothing here computes or tests a NaN or an infinity as a float, because a driver
// may assume that there are none. Numbers from a caller's buffer are tested by their bits.

// The unit roundoff of float32.
const U: f32 = 0x1p-24;

// The relative error bound of a float32 box test; the measured error is 4 u.
const MARGIN: f32 = 16.0 * U;

// The t of "no crossing", above every valid t; the largest valid t is 2^126.
const NEVER: f32 = 3.0e38;

// A length above every one in a scene, whose square is finite.
const FAR: f32 = 1e18;

// The largest coordinate of a valid point.
const MAX_COORDINATE: f32 = 1e9;

// Bit patterns of answers.
const NONE: u32 = 0xffffffffu;
const INFINITY_BITS: u32 = 0x7f800000u;
const NAN_BITS: u32 = 0x7fc00000u;

// The interval of a line inside a convex solid; it is empty for a line that misses.
alias Span = vec2<f32>;
const NO_SPAN: Span = Span(NEVER, -NEVER);

const WHOLE: Span = Span(-NEVER, NEVER);

// Two intervals, in order, for a solid that a line may pass through twice.
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

// Returns the largest power of two that is not above a positive normal number.
fn power_of_two(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & INFINITY_BITS);
}

// Truncates a number to 12 bits, so that its product with a small integer or a power of two is exact.
fn coarse(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// Returns 1 / x for a power of two, exactly; 254 is twice the exponent's bias.
fn inverse_power_of_two(x: f32) -> f32 {
    return bitcast<f32>(0x7f000000u - bitcast<u32>(x));
}

// Scales a direction to near unit length: a world axis to exactly unit length, any other direction by a power of two.
// Otherwise squares of squares would overflow, or outgrow the bits that keep integers exact.
fn near_unit(along: vec3<f32>) -> vec3<f32> {
    // Each component is compared with zero separately, because in a sum a small component would be lost next to a large
    // one.
    let is_zero = along == vec3<f32>(0.0);
    let is_axis = (is_zero.x & is_zero.y) | (is_zero.y & is_zero.z) | (is_zero.z & is_zero.x);
    return select(along * inverse_power_of_two(power_of_two(largest(along))), sign(along), is_axis);
}
