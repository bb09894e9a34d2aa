// Philox4x32-10, a generator of random numbers without state: see src/philox.rs.

// Returns the low and the high half of the product of two numbers, by halves of 16 bits.
fn wide_product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u));
}

const ROUNDS: u32 = 10u;

// Returns the block of random numbers at a counter.
fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var block = counter;
    var round_key = key;
    for (var step = 0u; step < ROUNDS; step++) {
        let first = wide_product(0xd2511f53u, block.x);
        let second = wide_product(0xcd9e8d57u, block.z);
        block = vec4<u32>(
            second.y ^ block.y ^ round_key.x, second.x, first.y ^ block.w ^ round_key.y, first.x);
        round_key += vec2<u32>(0x9e3779b9u, 0xbb67ae85u);
    }
    return block;
}
