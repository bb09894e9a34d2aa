//! The memory that a scene may use. The contents of a small file can need more memory than a
//! machine has, so the memory is requested before it is allocated.

use raytwin::geometry::Geometry;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The largest number of bytes that a closed form, a segment of lines or an instance needs: itself,
/// its part of the tree while the tree is built, and what a tracer keeps of it. Measured on scenes
/// with a million of them.
pub const SHAPE_BYTES: u64 = 800;

/// The largest number of bytes that a triangle of a mesh needs, with its share of the vertices.
pub const TRIANGLE_BYTES: u64 = 720;

/// The largest number of bytes that a height needs: decoded, in float64 while it is checked, in
/// float32, and in the pyramid.
pub const HEIGHT_BYTES: u64 = 17;

/// Returns the number of bytes that a geometry will need, with its part of the tree.
pub fn bytes_of(geometry: &Geometry) -> u64 {
    let primitives = geometry.primitive_count() as u64;
    match geometry {
        Geometry::Empty => 0,
        Geometry::Shape(_) | Geometry::Lines(_) => primitives * SHAPE_BYTES,
        Geometry::Mesh(_) => primitives * TRIANGLE_BYTES,
        // A cell has two triangles, and a grid has about as many heights as cells.
        Geometry::Heightfield(_) => primitives / 2 * HEIGHT_BYTES,
    }
}

/// The memory that may be used, and how much of it is in use. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryBudget {
    /// The limit in bytes: half of the free memory at the first request, unless a limit was given.
    most: Arc<OnceLock<u64>>,
    taken: Arc<AtomicU64>,
}

impl MemoryBudget {
    pub fn of(most: u64) -> Self {
        Self { most: Arc::new(most.into()), taken: Arc::default() }
    }

    /// The same limit, with no memory in use.
    pub fn anew(&self) -> Self {
        Self { most: Arc::clone(&self.most), taken: Arc::default() }
    }

    pub fn most(&self) -> u64 {
        *self.most.get_or_init(|| free_memory().map_or(u64::MAX, |free| free / 2))
    }

    /// Returns true if this many more bytes may be used.
    pub fn has(&self, bytes: u64) -> bool {
        self.taken.load(Ordering::Relaxed).saturating_add(bytes) <= self.most()
    }

    /// Uses this many more bytes, or returns how many that would make in all.
    pub fn take(&self, bytes: u64) -> Result<(), u64> {
        let before = self.taken.fetch_add(bytes, Ordering::Relaxed);
        match before.saturating_add(bytes) {
            needed if needed <= self.most() => Ok(()),
            needed => Err(needed),
        }
    }
}

/// Returns the least of the system's free memory, that of the process's control groups, and the
/// addresses that the process may still use. `None` on systems other than Linux.
fn free_memory() -> Option<u64> {
    let kibibytes = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().find_map(|word| word.parse::<u64>().ok())?.checked_mul(1024)
    };
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let addresses = fs::read_to_string("/proc/self/limits").ok().and_then(|limits| {
        let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let most: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(most.saturating_sub(kibibytes("/proc/self/status", "VmSize:")?))
    });
    [kibibytes("/proc/meminfo", "MemAvailable:"), group_limit(&groups), addresses]
        .into_iter()
        .flatten()
        .min()
}

/// Returns the least limit of the control groups that `/proc/self/cgroup` lists, and of those above
/// them.
fn group_limit(groups: &str) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (root, file) = match parts.next() {
            Some("") => ("/sys/fs/cgroup", "memory.max"),
            Some(kinds) if kinds.split(',').any(|kind| kind == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        // In a container, the path may be that of the host, which does not exist; the root then
        // stands for the group.
        let group = Path::new(parts.next().unwrap_or_default().trim_start_matches('/'));
        let limit = |above: &Path| {
            let text = fs::read_to_string(Path::new(root).join(above).join(file)).ok()?;
            text.trim().parse::<u64>().ok()
        };
        group.ancestors().filter_map(limit).collect()
    });
    limits.min()
}

/// Formats a number of bytes for people, such as `4.4 GB`.
pub(crate) fn readable(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        ..1e5 => format!("{bytes} bytes"),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        ..1e15 => format!("{:.1} GB", bytes / 1e9),
        _ => "more than 1000 TB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_by_its_clones_and_ends() {
        let budget = MemoryBudget::of(100);
        assert_eq!(budget.clone().take(60), Ok(()));
        assert!(budget.has(40) && !budget.has(41) && !budget.has(u64::MAX));
        assert_eq!(budget.take(41), Err(101));
        assert_eq!(budget.anew().take(100), Ok(()));
        assert_eq!(budget.anew().take(u64::MAX), Err(u64::MAX));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_this_machine_is_reported() {
        let half = MemoryBudget::default().most();
        assert!((1 << 20..u64::MAX).contains(&half), "{half}");
        assert_eq!(group_limit("0::/no/such/group\n3:cpu:/\nnonsense"), group_limit("0::/"));
    }

    #[test]
    fn bytes_are_reported_in_round_numbers() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (120, "120 bytes"),
            (99_999, "99999 bytes"),
            (123_456_789, "123.5 MB"),
            (4_400_000_000, "4.4 GB"),
            (u64::MAX, "more than 1000 TB"),
        ] {
            assert_eq!(readable(bytes), text);
        }
    }
}
