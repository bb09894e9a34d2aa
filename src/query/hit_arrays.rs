//! The arrays of closest hits that a query can request.

/// A set of the arrays that [`Hits`](crate::Hits) may have.
///
/// ```
/// use raytwin::HitArrays;
///
/// let arrays = HitArrays::T_HIT.and(HitArrays::FACES);
/// assert!(arrays.has(HitArrays::FACES) && !arrays.has(HitArrays::LABEL_IDS));
/// assert_eq!(arrays.names().collect::<Vec<_>>(), ["t_hit", "faces"]);
/// assert_eq!(HitArrays::named("faces"), Some(HitArrays::FACES));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HitArrays(u8);

impl HitArrays {
    /// `t_hit`.
    pub const T_HIT: Self = Self(1);
    /// `geometry_ids`.
    pub const GEOMETRY_IDS: Self = Self(1 << 1);
    /// `primitive_ids`.
    pub const PRIMITIVE_IDS: Self = Self(1 << 2);
    /// `primitive_normals`.
    pub const PRIMITIVE_NORMALS: Self = Self(1 << 3);
    /// `faces`.
    pub const FACES: Self = Self(1 << 4);
    /// `instance_ids`.
    pub const INSTANCE_IDS: Self = Self(1 << 5);
    /// `label_ids`.
    pub const LABEL_IDS: Self = Self(1 << 6);

    /// The arrays that need no computation after the cast: `t_hit`, `geometry_ids` and
    /// `primitive_ids`.
    pub const HIT: Self = Self(0b111);
    /// The default arrays of a query: those of [`Self::HIT`], and `primitive_normals`.
    pub const DEFAULT: Self = Self(0b1111);
    /// All arrays.
    pub const ALL: Self = Self(0b111_1111);

    const NAMES: [&str; 7] = [
        "t_hit",
        "geometry_ids",
        "primitive_ids",
        "primitive_normals",
        "faces",
        "instance_ids",
        "label_ids",
    ];

    /// Finds the array with this exact [name](Self::names); `None` if there is no such array.
    pub fn named(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|&known| known == name)?;
        Some(Self(1 << index))
    }

    /// Returns the names of its arrays: those of the fields of [`Hits`](crate::Hits) and of arrays
    /// in files.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = Self::NAMES.iter().enumerate();
        named.filter(move |(index, _)| self.0 & (1 << index) != 0).map(|(_, &name)| name)
    }

    /// Returns the union of its arrays and others.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns true if it has all of these arrays.
    pub fn has(self, arrays: Self) -> bool {
        self.0 & arrays.0 == arrays.0
    }
}
