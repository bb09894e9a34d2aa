// References to primitives in scenes with instances. See src/scene/instance.rs.

struct PrimitiveRef {
    // NONE for a primitive of the scene's own
    instance: u32,
    // the number among the scene's own primitives, or among those of the instance's definition
    primitive: u32,
}

const NO_PRIMITIVE = PrimitiveRef(NONE, NONE);

struct Hit {
    // float32 bits, in the caller's units of t
    t: u32,
    primitive: u32,
    instance: u32,
}

fn hit_of(t: u32, primitive: PrimitiveRef) -> Hit {
    return Hit(t, primitive.primitive, primitive.instance);
}

fn is_primitive(primitive: PrimitiveRef) -> bool {
    return primitive.primitive != NONE;
}

// Returns a primitive of the scene's own.
fn own_primitive(number: u32) -> PrimitiveRef {
    return PrimitiveRef(NONE, number);
}

// Returns a primitive of the space that is traversed.
fn primitive_here(number: u32) -> PrimitiveRef {
    return PrimitiveRef(visit.instance, number);
}

// Returns true if a primitive of the scene's own has a lower id than an instance's primitives.
fn is_before_instance(own: u32, instance: u32) -> bool {
    return own < scene_params[INSTANCE_ROWS * instance].w;
}

// Returns true if `a` comes before `b` in the order of ids. None comes last.
fn precedes(a: PrimitiveRef, b: PrimitiveRef) -> bool {
    if a.instance == b.instance {
        return a.primitive < b.primitive;
    }
    if a.instance == NONE {
        return is_before_instance(a.primitive, b.instance);
    }
    if b.instance == NONE {
        return !is_before_instance(b.primitive, a.instance);
    }
    return a.instance < b.instance;
}
