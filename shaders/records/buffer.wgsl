// Records in a buffer, as GPUs read them best.

@group(0) @binding(0) var<storage, read> records: array<Record>;

fn record_at(index: u32) -> Record {
    return records[index];
}
