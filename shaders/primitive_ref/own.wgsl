// References to primitives in scenes without instances: a primitive's number is enough. See src/scene/instance.rs.

alias PrimitiveRef = u32;

const NO_PRIMITIVE: PrimitiveRef = NONE;

struct Hit {
    // float32 bits, in the caller's units of t
    t: u32,
    primitive: u32,
}

fn hit_of(t: u32, primitive: PrimitiveRef) -> Hit {
    return Hit(t, primitive);
}

fn is_primitive(primitive: PrimitiveRef) -> bool {
    return primitive != NONE;
}

// Returns a primitive of the scene's own.
fn own_primitive(number: u32) -> PrimitiveRef {
    return number;
}

// Returns a primitive of the space that is traversed.
fn primitive_here(number: u32) -> PrimitiveRef {
    return number;
}

// Returns true if `a` comes before `b` in the order of ids. None comes last.
fn precedes(a: PrimitiveRef, b: PrimitiveRef) -> bool {
    return a < b;
}
