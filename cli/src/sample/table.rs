//! The table that `raytwin sample` prints for people.

use crate::figure::figure;
use crate::summary::{GeometrySample, SampleSummary};
use std::fmt::Write;

pub(super) fn table(summary: &SampleSummary) -> String {
    let rows: Vec<[String; 6]> = summary.geometries.iter().map(row).collect();
    let titles = ["geometry", "type", "hits", "mean t", "mean path", "volume"].map(str::to_owned);
    let is_shown = |column: usize| column < 4 || rows.iter().any(|row| !row[column].is_empty());
    let columns: Vec<usize> = (0..6).filter(|&column| is_shown(column)).collect();
    let mut table = String::new();
    let widths = [0, 1, 2, 3, 4, 5].map(|column| {
        let cells = rows.iter().chain([&titles]).map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    });
    for row in [&titles].into_iter().chain(&rows) {
        let cell = |&column: &usize| {
            let (text, width) = (&row[column], widths[column]);
            if column < 2 { format!("{text:<width$}") } else { format!("{text:>width$}") }
        };
        let line = columns.iter().map(cell).collect::<Vec<_>>().join("  ");
        let _ = writeln!(table, "{}", line.trim_end());
    }
    let SampleSummary { rays, misses, invalid, beyond, .. } = summary;
    let _ = writeln!(table, "{rays} rays, {misses} misses, {invalid} invalid");
    if *beyond > 0 {
        let _ = writeln!(
            table,
            "{beyond} hits are beyond the largest distance of the sums, and count as that far"
        );
    }
    if let Some(histogram) = &summary.histogram {
        let _ = writeln!(table, "\n{:>24}  {:>12}", "t", "hits");
        let last = histogram.counts.len() - 1;
        for (bin, count) in histogram.counts.iter().enumerate() {
            let edge = |bin: usize| figure(histogram.edges[bin]);
            let range = match bin {
                0 => format!("below {}", edge(0)),
                _ if bin == last => format!("from {}", edge(bin - 1)),
                _ => format!("{} to {}", edge(bin - 1), edge(bin)),
            };
            let _ = writeln!(table, "{range:>24}  {count:>12}");
        }
    }
    table
}

fn row(geometry: &GeometrySample) -> [String; 6] {
    let estimate = |figures: [Option<f64>; 2]| match figures {
        [Some(mean), Some(error)] => with_error(mean, error),
        _ => String::new(),
    };
    [
        geometry.path.clone().unwrap_or_else(|| geometry.geometry_id.to_string()),
        geometry.type_name.unwrap_or_default().to_owned(),
        geometry.hits.to_string(),
        geometry.mean_t.map(figure).unwrap_or_default(),
        estimate([geometry.mean_path, geometry.mean_path_error]),
        estimate([geometry.volume, geometry.volume_error]),
    ]
}

/// Returns a number with its error. The error has two digits, and the number as many decimals.
fn with_error(mean: f64, error: f64) -> String {
    let decimals = 1.0 - error.log10().floor();
    match (0.0..=9.0).contains(&decimals) && mean.abs() < 1e9 {
        true => format!("{mean:.0$} ± {error:.0$}", decimals as usize),
        false => format!("{} ± {error:.1e}", figure(mean)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_they_are_worth() {
        for (mean, error, text) in [
            (0.0223661, 0.00012748, "0.02237 ± 0.00013"),
            (1.0028, 0.0044657, "1.0028 ± 0.0045"),
            (523_411.0, 3.2, "523411.0 ± 3.2"),
            (1.5e-12, 3e-14, "1.5000e-12 ± 3.0e-14"),
            (2.0, 0.0, "2.0000 ± 0.0e0"),
        ] {
            assert_eq!(with_error(mean, error), text);
        }
        for (number, text) in [(0.0, "0"), (1.0, "1.0000"), (31.25, "31.250"), (1e-9, "1.0000e-9")]
        {
            assert_eq!(figure(number), text);
        }
    }
}
