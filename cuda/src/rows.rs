//! The layout of a tensor's elements in memory.

/// A tensor as rows without gaps, which lie at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The bytes of a row.
    pub(crate) width: u64,
    pub(crate) count: u64,
    /// The bytes from the begin of a row to that of the next.
    pub(crate) pitch: u64,
}

impl Rows {
    /// Returns the rows of a tensor, or `None` if it is not made of such, or if they overlap.
    pub(crate) fn of(shape: &[usize], strides: &[usize], element: u64) -> Option<Self> {
        if shape.contains(&0) {
            return Some(Self { width: 0, count: 1, pitch: 0 });
        }
        let mut rows = Self { width: element, count: 1, pitch: element };
        for (&size, &stride) in shape.iter().zip(strides).rev() {
            let (size, distance) = (size as u64, (stride as u64).checked_mul(element)?);
            if size == 1 {
                // The axis has size 1, so its stride has no meaning.
            } else if rows.count == 1 && distance == rows.width {
                rows.width = rows.width.checked_mul(size)?;
                rows.pitch = rows.width;
            } else if rows.count == 1 && distance > rows.width {
                rows = Self { count: size, pitch: distance, ..rows };
            } else if rows.count > 1 && distance == rows.pitch.checked_mul(rows.count)? {
                rows.count = rows.count.checked_mul(size)?;
            } else {
                return None;
            }
        }
        Some(rows)
    }
}

/// Returns the strides of a tensor without gaps.
pub(crate) fn without_gaps(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}
