// Numbers in fixed point, computed only with integers, so that every device computes the same bits: no driver's sine, root,
// quotient or fused product is involved. A share of one is an unsigned multiple of 2^-32, and a component of a vector of at
// most unit length is a signed multiple of 2^-30. The error of each function is below 2^-29, an eighth of a thousandth of
// the rounding of float32.

const ONE: i32 = 0x40000000;

fn high_product(a: u32, b: u32) -> u32 {
    return wide_product(a, b).y;
}

// Returns the product of two components, rounded.
fn product(a: i32, b: i32) -> i32 {
    let wide = wide_product(u32(abs(a)), u32(abs(b)));
    let low = wide.x + 0x20000000u;
    let high = wide.y + select(0u, 1u, low < wide.x);
    let magnitude = i32((high << 2u) | (low >> 30u));
    return select(magnitude, -magnitude, (a < 0) != (b < 0));
}

fn scaled(v: vec3<i32>, factor: i32) -> vec3<i32> {
    return vec3<i32>(product(v.x, factor), product(v.y, factor), product(v.z, factor));
}

const DIGITS: u32 = 30u;

// Returns the square root of a share, given by its high and low words, as a component. Each iteration finds one binary
// digit, as in the pencil-and-paper method.
fn root(high: u32, low: u32) -> i32 {
    var radicand = vec2<u32>(high, low);
    var rest = 0u;
    var found = 0u;
    for (var digit = 0u; digit < DIGITS; digit++) {
        rest = (rest << 2u) | (radicand.x >> 30u);
        radicand = vec2<u32>((radicand.x << 2u) | (radicand.y >> 30u), radicand.y << 2u);
        let trial = (found << 2u) | 1u;
        let fits = rest >= trial;
        rest -= select(0u, trial, fits);
        found = (found << 1u) | select(0u, 1u, fits);
    }
    return i32(found);
}

// Returns the cosine and the sine of an angle: the middle of one of 2^32 parts of a turn. The octant is exact; within it they
// follow from their series, whose terms are shares.
fn turn(word: u32) -> vec2<i32> {
    let octant = word >> 29u;
    let middle = ((word & 0x1fffffffu) << 1u) + 1u;
    let x = select(middle, 0x40000000u - middle, (octant & 1u) != 0u) << 2u;
    let y = high_product(x, x);
    let sine = high_product(x, 3373259426u - high_product(y, 346799334u - high_product(y,
        10696163u - high_product(y, 157094u - high_product(y, 1346u - high_product(y, 8u))))));
    let rise = high_product(y, 1324675879u - high_product(y, 68093890u - high_product(y,
        1400124u - high_product(y, 15423u - high_product(y, 106u)))));
    let s = i32((sine + 2u) >> 2u);
    let c = ONE - i32((rise + 2u) >> 2u);
    let is_steep = ((octant + 1u) & 2u) != 0u;
    let across = select(c, s, is_steep);
    let along = select(s, c, is_steep);
    return vec2<i32>(
        select(across, -across, ((octant + 2u) & 4u) != 0u), select(along, -along, (octant & 4u) != 0u));
}

// Returns a whole number of 64 bits, shifted to the left by up to 63.
fn shifted_left(high: u32, low: u32, count: u32) -> vec2<u32> {
    if count >= 32u {
        return vec2<u32>(low << (count - 32u), 0u);
    }
    // A shift by 32 would have no effect.
    return vec2<u32>((high << count) | ((low >> 1u) >> (31u - count)), low << count);
}

fn shifted_right(high: u32, low: u32, count: u32) -> vec2<u32> {
    if count >= 32u {
        return vec2<u32>(0u, high >> (count - 32u));
    }
    return vec2<u32>(high >> count, (low >> count) | ((high << 1u) << (31u - count)));
}

// Returns the bits of the float32 number nearest to an integer, given by its high and low words, times a power of two; of
// two nearest numbers, the even one. Subnormal results are zero.
fn nearest_float(high: u32, low: u32, exponent: i32) -> u32 {
    if (high | low) == 0u {
        return 0u;
    }
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(low), high == 0u);
    let aligned = shifted_left(high, low, zeros);
    let mantissa = aligned.x >> 8u;
    let rest = aligned.x & 0xffu;
    let is_even_below = aligned.y == 0u && (mantissa & 1u) == 0u;
    let is_rounded_up = rest > 0x80u || (rest == 0x80u && !is_even_below);
    let biased = 63 - i32(zeros) + exponent + 127;
    if biased <= 0 {
        return 0u;
    }
    return (u32(biased) << 23u) + (mantissa & 0x7fffffu) + select(0u, 1u, is_rounded_up);
}

fn float_of_component(component: i32) -> u32 {
    let sign = u32(component) & 0x80000000u;
    return sign | nearest_float(0u, u32(abs(component)), -30);
}
