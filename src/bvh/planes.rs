//! The planes between which the boxes of a node's children lie, in rows: low x, high x, low y, high
//! y, low z, high z, each with a plane for each child.

/// The most children that a node has. An inner child gets the number that corresponds to its octant
/// of the node, so that a traversal ordered by the ray's octant visits near children first; leaves
/// get the numbers that are left.
pub(crate) const CHILDREN: usize = 8;

/// The sides of the children's boxes.
pub(super) type Sides = [[f32; CHILDREN]; 6];

/// A row of the planes of a node's children, by the number of its first plane among all.
#[derive(Clone, Copy, Debug, Default)]
#[repr(u32)]
pub(crate) enum PlaneRow {
    #[default]
    LowX = 0,
    HighX = 8,
    LowY = 16,
    HighY = 24,
    LowZ = 32,
    HighZ = 40,
}

impl PlaneRow {
    /// Returns for each axis the rows through which a ray of an octant enters boxes and leaves
    /// them.
    #[inline(always)]
    pub fn of_octant(octant: u32) -> [[Self; 2]; 3] {
        const AXES: [[PlaneRow; 2]; 3] = [
            [PlaneRow::LowX, PlaneRow::HighX],
            [PlaneRow::LowY, PlaneRow::HighY],
            [PlaneRow::LowZ, PlaneRow::HighZ],
        ];
        static OF_OCTANT: [[[PlaneRow; 2]; 3]; CHILDREN] = {
            let mut rows = [AXES; CHILDREN];
            let mut index = 0;
            while index < 3 * CHILDREN {
                let (octant, axis) = (index / 3, index % 3);
                let [low, high] = AXES[axis];
                if octant >> (2 - axis) & 1 == 1 {
                    rows[octant][axis] = [high, low];
                }
                index += 1;
            }
            rows
        };
        OF_OCTANT[(octant & 7) as usize]
    }

    /// Returns this row. The compiler knows that there is one, and checks no index.
    #[inline(always)]
    pub fn of<T>(self, planes: &[[T; CHILDREN]; 6]) -> &[T; CHILDREN] {
        planes.as_flattened()[self as usize..].first_chunk().unwrap_or(&planes[0])
    }
}
