// What suits hardware: records in a buffer, and `min` and `max`, which are one instruction each.

@group(0) @binding(0) var<storage, read> records: array<Record>;

fn record_at(index: u32) -> Record {
    return records[index];
}

fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return min(a, b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return max(a, b);
}

// How many nodes a thread may visit before shapes are intersected. Threads that run together wait for each other: those
// that have found a shape wait for the others to find one, and this limits how long.
const STEPS_PER_SHAPE: u32 = 4u;
