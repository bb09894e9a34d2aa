// Slots in a texture, as drivers in software read them best: four numbers by one instruction, where a buffer's are
// read one by one. Written to by nobody, it is still a storage texture: a sampled one is looked up by way of its
// mip levels, which takes longer than all else.

// Four texels a slot.
@group(0) @binding(0) var slots: texture_storage_2d<rgba32uint, read>;

const SLOTS_PER_ROW: u32 = 1024u;

fn slot_at(place: u32) -> Slot {
    let texel = vec2<u32>((place % SLOTS_PER_ROW) * 4u, place / SLOTS_PER_ROW);
    return Slot(
        textureLoad(slots, texel), textureLoad(slots, texel + vec2<u32>(1u, 0u)),
        textureLoad(slots, texel + vec2<u32>(2u, 0u)), textureLoad(slots, texel + vec2<u32>(3u, 0u)));
}
