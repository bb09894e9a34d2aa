//! The kinds of primitives that the shader distinguishes.

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident,)+) => {
        /// The number by which the shader distinguishes primitives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum PrimitiveKind {
            $($(#[$about])* $kind,)+
        }

        impl PrimitiveKind {
            /// Every kind, in order of its number.
            pub const ALL: &[Self] = &[$(Self::$kind),+];
        }
    };
}

// The closed forms come first, in the order of the table of their types.
kinds! {
    /// [`Sphere`](super::Sphere).
    Sphere,
    /// [`Cuboid`](super::Cuboid).
    Cuboid,
    /// [`Cylinder`](super::Cylinder).
    Cylinder,
    /// [`Capsule`](super::Capsule).
    Capsule,
    /// [`Cone`](super::Cone).
    Cone,
    /// [`Ellipsoid`](super::Ellipsoid).
    Ellipsoid,
    /// [`Torus`](super::Torus).
    Torus,
    /// [`Plane`](super::Plane).
    Plane,
    /// [`Disc`](super::Disc).
    Disc,
    /// [`Triangle`](super::Triangle).
    Triangle,
    /// A [`Cylinder`](super::Cylinder) with a hole. It has its own kind so that a scene without
    /// tubes compiles no code for them.
    Tube,
    /// A [`Triangle`](super::Triangle) of a mesh, which shares its edges with others.
    MeshTriangle,
    /// A [`Capsule`](super::Capsule) of lines, which is never solid.
    LineSegment,
    /// A [`Heightfield`](super::Heightfield).
    Heightfield,
    /// A [`Heightfield`](super::Heightfield) with a base.
    ClosedHeightfield,
    /// A [`Plane`](super::Plane) that is bounded or one-sided, and so bounds no half-space.
    Sheet,
    /// A [`Shell`](super::Shell) of a cylinder.
    CylinderShell,
    /// A [`Shell`](super::Shell) of a cone.
    ConeShell,
    /// An instance of a definition, which has primitives of other kinds.
    Instance,
}

impl PrimitiveKind {
    /// Returns the name of its constant in WGSL, such as `MESH_TRIANGLE`.
    pub(crate) fn constant_name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_uppercase());
        }
        name
    }

    /// Returns the kind whose code the shader runs for it.
    pub fn reading(self) -> Self {
        match self {
            Self::MeshTriangle => Self::Triangle,
            Self::LineSegment => Self::Capsule,
            kind => kind,
        }
    }
}
