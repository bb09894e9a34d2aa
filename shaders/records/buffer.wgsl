// Reads records from a buffer, which is the fastest way on GPUs.

@group(0) @binding(0) var<storage, read> records: array<Record>;

fn record_at(index: u32) -> Record {
    return records[index];
}
