//! Counts rays before they are cast.

use super::output::Task;
use crate::Failure;
use raytwin_files::rays::RayReader;

/// Counts the rays in each file. Among several files, one that cannot be read counts as empty, and
/// its error is reported in its turn. Without an origin, rays of a table that would lose their
/// decimals are refused.
pub(super) fn count_rays(
    tasks: &[Task],
    is_one_file: bool,
    has_origin: bool,
) -> Result<Vec<usize>, Failure> {
    let count = |task: &Task| match RayReader::open(&task.rays) {
        Err(_) if !is_one_file => Ok(0),
        Err(error) => Err(error.into()),
        Ok(reader) => {
            if !has_origin {
                let coarse = reader.refuse_coarse();
                coarse.map_err(|error| Failure::from(error).with_flags(&["--origin auto"]))?;
            }
            Ok(reader.len())
        }
    };
    tasks.iter().map(count).collect()
}
