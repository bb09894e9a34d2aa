//! The flag that limits the memory for a scene.

use clap::Args;
use raytwin_formats::FileStore;

/// The flag that limits the memory for a scene.
#[derive(Clone, Debug, Args)]
pub(crate) struct MemoryArguments {
    /// Use at most this much memory for the scene, such as 500M or 8G.
    ///
    /// The limit includes the BVH. Default on Linux: half of the free memory, or half of what the
    /// control group allows if that is less. Default elsewhere: no limit.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    #[arg(help_heading = "Device", hide_short_help = true)]
    max_memory: Option<u64>,
}

impl MemoryArguments {
    /// Returns a store of the same files with the memory limit of the flag.
    pub fn limited(&self, store: &FileStore) -> FileStore {
        match self.max_memory {
            Some(bytes) => store.clone().with_max_memory(bytes),
            None => store.clone(),
        }
    }

    /// Returns the flag as you type it in a shell, if it is given.
    pub fn typed(&self) -> impl Iterator<Item = String> {
        self.max_memory.iter().flat_map(|bytes| ["--max-memory".to_owned(), bytes.to_string()])
    }
}

/// Reads a count of bytes, such as `500M` or `1.5GB`.
fn size(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let upper = upper.strip_suffix('B').unwrap_or(&upper);
    let digits = upper.trim_end_matches(['K', 'M', 'G', 'T']);
    let unit = match &upper[digits.len()..] {
        "" => Some(1.0),
        "K" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        "T" => Some(1e12),
        _ => None,
    };
    let number = digits.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
    let bytes = unit.zip(number).map(|(unit, number)| (unit * number) as u64);
    bytes.ok_or_else(|| format!("'{text}' must be a number of bytes, optionally with K, M, G or T"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, bytes) in
            [("1", 1), ("500k", 500_000), ("1.5GB", 1_500_000_000), ("2T", 2_000_000_000_000)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "much", "-1", "0", "inf", "1KK", "1GiB", "1 G", "G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
