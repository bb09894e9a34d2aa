// A barrier against compilers that fuse a product with a sum, or that reorder sums. Each module defines `zero_at_run_time`,
// which returns a zero that no compiler knows.

// Returns a number as it is. No compiler can carry arithmetic across this, so copies of one expression give the same
// bits wherever they are inlined. Neither `fma` nor a variable in between forces that.
fn rounded(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ zero_at_run_time());
}

fn rounded_vector(v: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(v) ^ vec3<u32>(zero_at_run_time()));
}
