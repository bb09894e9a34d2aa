// Computes single operations, so that the host can compare them with the exact results: see src/gpu/arithmetic.rs.

// The operands of a thread.
@group(0) @binding(0) var<storage, read> operands: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> zeros: array<u32>;
@group(0) @binding(2) var<storage, read_write> results: array<Results>;

// The results of each operation on a, b, c and d, as bits.
struct Results {
    // a / b
    quotient: u32,
    // the square root of a
    root: u32,
    // a + b
    sum: u32,
    // a b
    product: u32,
    // a b - c d, which a compiler may fuse
    difference: u32,
    // the same by `fma`, which a driver may leave unfused
    fma: u32,
    // the same with a barrier after each product
    barred_difference: u32,
    // c d - a b, in the same way
    reversed_difference: u32,
}

fn zero_at_run_time() -> u32 {
    return zeros[0];
}

@compute @workgroup_size(WORKGROUP)
fn measure_arithmetic(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(workgroup, workgroups, thread);
    if index >= arrayLength(&operands) {
        return;
    }
    let a = operands[index].x;
    let b = operands[index].y;
    let c = operands[index].z;
    let d = operands[index].w;
    results[index] = Results(
        bitcast<u32>(a / b),
        bitcast<u32>(sqrt(a)),
        bitcast<u32>(a + b),
        bitcast<u32>(a * b),
        bitcast<u32>(a * b - c * d),
        bitcast<u32>(fma(a, b, -(c * d))),
        bitcast<u32>(rounded(a * b) - rounded(c * d)),
        bitcast<u32>(rounded(c * d) - rounded(a * b)));
}
