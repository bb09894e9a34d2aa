// The ray that a kernel casts, and the one that a caller gave. A shape's formula begins at `near`, which moves along the
// ray to its closest approach to the shape by a t of 12 bits. This step adds no rounding on small integers, and the rest is
// solved in numbers of the shape's size.

// A row of a ray file: origin, direction, t_min, t_max. The numbers are held as bits until they are known not to be NaN.
struct RayBits {
    origin_x: u32, origin_y: u32, origin_z: u32,
    direction_x: u32, direction_y: u32, direction_z: u32,
    t_min: u32,
    t_max: u32,
}

// A ray whose direction is scaled by a power of two, so that its largest component lies in [1, 2) and nothing overflows;
// t is scaled the other way. Both scalings are exact, so the lattice keeps its bits.
struct Ray {
    origin: vec3<f32>,
    t_min: f32,
    direction: vec3<f32>,
    t_max: f32,
    // t in the caller's units = t here * t_scale
    t_scale: f32,
    valid: bool,
}

// These limits are slightly wider than the contract's 1e-12 to 1e12; the host checks the exact limits in float64.
const MIN_LENGTH: f32 = 0.999e-12;
const MAX_LENGTH: f32 = 1.001e12;
// A limit beyond every t of a hit, in the kernel's units and in the caller's, that stays finite when scaled.
const T_LIMIT: f32 = 0x1p86;
const T_LIMIT_BITS: u32 = 0x7e800000u; // 2^126
const SIGN_BIT: u32 = 0x80000000u;
const LEAST_NORMAL_BITS: u32 = 0x00800000u; // 2^-126

// Clamps ±∞ and all numbers beyond 2^126 to ±2^126.
fn clamped_t(bits: u32) -> f32 {
    let magnitude = min(bits & ~SIGN_BIT, T_LIMIT_BITS);
    return bitcast<f32>((bits & SIGN_BIT) | magnitude);
}

// Returns a t in the kernel's units; t_scale takes it back. A t that would underflow, such as "just above 0", keeps its
// side of 0.
fn scaled_t(t: f32, bits: u32, scale: f32, t_scale: f32) -> f32 {
    let limit = T_LIMIT * t_scale;
    let scaled = clamp(t, -limit, limit) * scale;
    let vanished = (bitcast<u32>(scaled) & ~SIGN_BIT) < LEAST_NORMAL_BITS;
    let is_zero = (bits & ~SIGN_BIT) == 0u;
    return select(scaled, bitcast<f32>((bits & SIGN_BIT) | LEAST_NORMAL_BITS), vanished & !is_zero);
}

fn is_nan(bits: u32) -> bool {
    return (bits & ~SIGN_BIT) > INFINITY_BITS;
}

fn direction_of(bits: RayBits) -> vec3<f32> {
    return vec3<f32>(
        bitcast<f32>(bits.direction_x), bitcast<f32>(bits.direction_y), bitcast<f32>(bits.direction_z));
}

// Returns the power of two by which a direction is longer than its scaled one.
fn length_scale(direction: vec3<f32>) -> f32 {
    return power_of_two(largest(direction));
}

fn no_ray() -> Ray {
    return Ray(vec3<f32>(0.0), 0.0, vec3<f32>(1.0, 0.0, 0.0), 0.0, 1.0, false);
}

fn ray_from(bits: RayBits) -> Ray {
    let all_finite = is_finite(bits.origin_x) & is_finite(bits.origin_y) & is_finite(bits.origin_z)
        & is_finite(bits.direction_x) & is_finite(bits.direction_y) & is_finite(bits.direction_z);
    if !all_finite | is_nan(bits.t_min) | is_nan(bits.t_max)
        | (bits.t_min == INFINITY_BITS) | (bits.t_max == (SIGN_BIT | INFINITY_BITS)) {
        return no_ray();
    }
    let origin = vec3<f32>(
        bitcast<f32>(bits.origin_x), bitcast<f32>(bits.origin_y), bitcast<f32>(bits.origin_z));
    let direction = direction_of(bits);
    let t_min = clamped_t(bits.t_min);
    let t_max = clamped_t(bits.t_max);
    let size = largest(direction);
    if (largest(origin) > MAX_COORDINATE) | (t_min > t_max)
        | (size < 0.5 * MIN_LENGTH) | (size > MAX_LENGTH) {
        return no_ray();
    }
    let scale = length_scale(direction);
    let t_scale = inverse_power_of_two(scale);
    let scaled = direction * t_scale;
    let length = sqrt(dot(scaled, scaled)) * scale;
    if (length < MIN_LENGTH) | (length > MAX_LENGTH) {
        return no_ray();
    }
    return Ray(
        origin, scaled_t(t_min, bits.t_min, scale, t_scale),
        scaled, scaled_t(t_max, bits.t_max, scale, t_scale),
        t_scale, true);
}

// Permutes the axes cyclically so that the direction's largest component comes last.
fn in_view_order(v: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let size = abs(direction);
    let y_or_z_last = select(v.xyz, v.zxy, size.y >= size.z);
    return select(y_or_z_last, v.yzx, (size.x >= size.y) & (size.x >= size.z));
}

// A point of the line near a packed point, from which a shape solves in numbers of its own size.
struct Near {
    // The offset from that point of the line to the packed point.
    offset: vec3<f32>,
    // The t of that point of the line.
    t: f32,
}

// Returns the vector from the ray's origin to a point.
fn from_origin(point: vec3<f32>, ray: Ray) -> vec3<f32> {
    var offset = point - ray.origin;
    if HAS_INSTANCE {
        // The barrier keeps compilers from adding the rest to the origin, where rounding would take it.
        offset = rounded_vector(offset) - visit.origin_rest;
    }
    return offset;
}

// Returns the line's closest approach to a point, its t to 12 bits. The rest, 2^-12 of the distance, is left to the
// solver.
fn near(ray: Ray, point: vec3<f32>) -> Near {
    let to_point = from_origin(point, ray);
    let t = coarse(dot(to_point, ray.direction) / dot(ray.direction, ray.direction));
    return Near(to_point - t * ray.direction, t);
}
