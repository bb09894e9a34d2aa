// Takes a ray into object space. The bound on t refers to the distance from a shape, which may be far smaller than that
// from its instance's place, so float32 does not suffice for the origin: it is the sum of two float32 numbers, and so are
// the numbers of the matrix (Dekker, A Floating-Point Technique for Extending the Available Precision, 1971).

struct TwoFloats {
    high: vec3<f32>,
    // the rounding error of the exact number
    low: vec3<f32>,
}

// The place of an instance: the inverse of its linear part, as two matrices whose sum it is, and its translation.
struct Inverse {
    high: mat3x3<f32>,
    low: mat3x3<f32>,
    translation: vec3<f32>,
}

// A line of the world in object space.
struct PlacedLine {
    origin: TwoFloats,
    direction: vec3<f32>,
    // t in the world = t in object space * t_unit
    t_unit: f32,
}

// Returns the place of the instance in a record, whose rows of params begin at `rows`.
fn inverse_in(record: Record, rows: u32) -> Inverse {
    let first = bitcast<vec4<f32>>(record.first);
    let second = bitcast<vec4<f32>>(record.second);
    let third = bitcast<vec4<f32>>(record.third);
    return Inverse(
        mat3x3<f32>(first.xyz, second.xyz, third.xyz),
        mat3x3<f32>(
            bitcast<vec3<f32>>(scene_params[rows].xyz), bitcast<vec3<f32>>(scene_params[rows + 1u].xyz),
            bitcast<vec3<f32>>(scene_params[rows + 2u].xyz)),
        vec3<f32>(first.w, second.w, third.w));
}

// Returns a sum and its rounding error (Knuth, The Art of Computer Programming, 4.2.2). The barriers keep compilers from
// simplifying it.
fn exact_sum(a: vec3<f32>, b: vec3<f32>) -> TwoFloats {
    let sum = rounded_vector(a + b);
    let part_of_b = rounded_vector(sum - a);
    let part_of_a = rounded_vector(sum - part_of_b);
    return TwoFloats(sum, rounded_vector(a - part_of_a) + rounded_vector(b - part_of_b));
}

fn coarse_vector(v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(coarse(v.x), coarse(v.y), coarse(v.z));
}

// Returns a product and its rounding error. Products of 12-bit halves are exact, so it does not matter whether a compiler
// fuses them with sums, as long as it does not reorder these.
fn exact_product(v: vec3<f32>, factor: f32) -> TwoFloats {
    let product = rounded_vector(v * factor);
    let v_high = coarse_vector(v);
    let v_low = v - v_high;
    let factor_high = coarse(factor);
    let factor_low = factor - factor_high;
    let first = rounded_vector(v_high * factor_high - product);
    let second = rounded_vector(first + v_high * factor_low);
    let third = rounded_vector(second + v_low * factor_high);
    return TwoFloats(product, third + v_low * factor_low);
}

// Returns a sum with a column of a matrix, times a number `high + low`.
fn plus_product(so_far: TwoFloats, column: TwoFloats, high: f32, low: f32) -> TwoFloats {
    let product = exact_product(column.high, high);
    let sum = exact_sum(so_far.high, product.high);
    let small = column.high * low + column.low * high;
    return TwoFloats(sum.high, so_far.low + (sum.low + (product.low + small)));
}

// Returns the image of a vector under the inverse of a linear part, with an error of about 2^-47 of its terms.
fn vector_in_object(vector: TwoFloats, inverse: Inverse) -> TwoFloats {
    let zero = TwoFloats(vec3<f32>(0.0), vec3<f32>(0.0));
    let x = plus_product(zero, TwoFloats(inverse.high[0], inverse.low[0]), vector.high.x, vector.low.x);
    let y = plus_product(x, TwoFloats(inverse.high[1], inverse.low[1]), vector.high.y, vector.low.y);
    let z = plus_product(y, TwoFloats(inverse.high[2], inverse.low[2]), vector.high.z, vector.low.z);
    return exact_sum(z.high, z.low);
}

// Returns a ray of the world as a line in object space.
fn ray_in_object(ray: Ray, inverse: Inverse) -> PlacedLine {
    let origin = vector_in_object(exact_sum(ray.origin, -inverse.translation), inverse);
    let speed = vector_in_object(TwoFloats(ray.direction, vec3<f32>(0.0)), inverse).high;
    let t_unit = inverse_power_of_two(length_scale(speed));
    return PlacedLine(origin, t_unit * speed, t_unit);
}
