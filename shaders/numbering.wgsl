// Finds the ids of a primitive in a table: see src/gpu/numbering.rs. The table has a row for the scene's own primitives,
// then one for each instance: the id of the first geometry, and the segments of the primitives, from the first to one past
// the last. Then come the segments: the first primitive, and the id of its geometry, marked if all primitives of the
// segment belong to it, or if they are that shape in successive worlds.

// The bits of a hit that no kernel has written.
const NEVER_BITS: u32 = 0x7fc0deadu;
const NEVER_NUMBER: u32 = 0xdeadbeefu;

const OF_ONE_GEOMETRY: u32 = 0x80000000u;
const OF_ONE_SHAPE: u32 = 0x40000000u;
const HALVINGS: u32 = 32u;

// Returns the ids of the geometry and of the primitive in it, given where the segments begin in the table.
fn ids_of(primitive: u32, instance: u32, segments: u32) -> vec2<u32> {
    // Without an instance the number is NONE, and one more is zero.
    let row = 3u * (instance + 1u);
    var first = numbering[row + 1u];
    var end = numbering[row + 2u];
    for (var step = 0u; step < HALVINGS; step++) {
        if first + 1u >= end {
            break;
        }
        let middle = (first + end) / 2u;
        let is_later = numbering[segments + 2u * middle] <= primitive;
        first = select(first, middle, is_later);
        end = select(middle, end, is_later);
    }
    let at = segments + 2u * first;
    let geometry = numbering[at + 1u];
    let within = primitive - numbering[at];
    if (geometry & OF_ONE_GEOMETRY) != 0u {
        return vec2<u32>(numbering[row] + (geometry & ~OF_ONE_GEOMETRY), within);
    }
    if (geometry & OF_ONE_SHAPE) != 0u {
        return vec2<u32>(numbering[row] + (geometry & ~OF_ONE_SHAPE), 0u);
    }
    return vec2<u32>(numbering[row] + geometry + within, 0u);
}
