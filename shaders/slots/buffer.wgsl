// Slots in a buffer, as GPUs read them best.

@group(0) @binding(0) var<storage, read> slots: array<Slot>;

fn slot_at(place: u32) -> Slot {
    return slots[place];
}
