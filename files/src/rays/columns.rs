//! The columns of tables of rays.

use raytwin::ray::NONE;

/// Their names. The first ones are the numbers of a ray, in the order of its fields.
pub(super) const COLUMNS: [&str; 11] =
    ["ox", "oy", "oz", "dx", "dy", "dz", "t_min", "t_max", "ray_mask", "ignore_id", "world_id"];
/// The count of the first columns, which every file must have.
pub(super) const REQUIRED: usize = 6;
/// The count of the first columns that are floats; the rest are integers.
pub(super) const FLOATS: usize = 8;
/// The default integers of a ray, if a table has none.
pub(super) const DEFAULT_IDS: [u32; COLUMNS.len() - FLOATS] = [u32::MAX, NONE, 0];
/// The index of the column of ignored geometries.
pub(super) const IGNORED: usize = 9;

/// The integer columns that a table has, in order.
pub(super) type RayIds = [Option<Vec<u32>>; DEFAULT_IDS.len()];
