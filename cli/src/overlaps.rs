//! `raytwin overlaps`: finds solids of a scene that overlap, and proves each pair with a point in
//! both.

mod arguments;
mod picture;
mod table;

pub(super) use arguments::Arguments;

use super::Failure;
use super::console::Console;
use super::summary::{OverlapsSummary, PathText, Summary};
use raytwin::overlaps::{Overlap, OverlapKind, OverlapSearch, Overlaps};
use raytwin_files::Outputs;
use raytwin_files::overlaps::{KnownPairs, OverlapPair, write_overlaps};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The number of solids to examine between two moves of the progress bar.
const STRIDE: usize = 256;

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    arguments.refuse_other_outputs()?;
    let start = Instant::now();
    let scene = &arguments.scene;
    let read = scene.reported(console, || scene.read_one_world())?;
    let known = arguments.known.as_deref().map(KnownPairs::read).transpose()?.unwrap_or_default();
    let pictures = arguments.pictures();
    let outputs: Vec<_> = arguments.output.iter().cloned().chain(pictures).collect();
    scene.check_outputs(&outputs, arguments.known.as_deref())?;
    let options = arguments.options(&read.scene)?;
    let bytes = OverlapSearch::bytes(&read.scene);
    let needs = || format!("its {} solids need", read.scene.solid_count());
    scene.limited_files().take_memory(scene.path(), bytes, needs)?;
    let load_time = start.elapsed();

    let search =
        console.phase("preparing the solids", || OverlapSearch::new(&read.scene, options))?;
    let bar = console.bar("overlaps", "solids", search.len());
    let mut found = Overlaps::default();
    for first in (0..search.len()).step_by(STRIDE) {
        let solids = first..search.len().min(first + STRIDE);
        let count = solids.len();
        found += search.among(solids);
        bar.inc(count as u64);
    }
    bar.finish_and_clear();
    let Overlaps { pairs, counts, spacing } = found;
    let of_kind = |kind: &str| pairs.iter().filter(|pair| pair.kind.name() == kind).count();
    let [pierces, inside, touching, near] = ["pierces", "inside", "touching", "near"].map(of_kind);
    let is_allowed = |pair: &Overlap| match pair.kind {
        OverlapKind::Pierces => false,
        OverlapKind::Inside { .. } => arguments.allows("inside"),
        OverlapKind::Touching => arguments.allows("touching"),
        OverlapKind::Near => true,
    };
    let mut rows: Vec<(Overlap, OverlapPair)> = pairs
        .into_iter()
        .map(|pair| (pair, OverlapPair::new(&read.scene, &pair, &known)))
        .collect();
    let is_refused = |(pair, row): &(Overlap, OverlapPair)| !(is_allowed(pair) || row.known);
    let refused = rows.iter().filter(|row| is_refused(row)).count();
    let known_count = rows.iter().filter(|(_, row)| row.known).count();
    // The pairs that make the command fail come first, then the deepest. Separate pairs follow, the
    // nearest first.
    rows.sort_by(|a, b| is_refused(b).cmp(&is_refused(a)).then(b.0.depth.total_cmp(&a.0.depth)));
    rows.truncate(arguments.max.unwrap_or(usize::MAX));
    let (worst, mut listed): (Vec<Overlap>, Vec<OverlapPair>) = rows.into_iter().unzip();
    let lines = table::lines(&listed);
    listed.sort_by_key(|pair| [pair.a.geometry_id, pair.b.geometry_id]);
    let mut written = Outputs::default();
    let mut files: Vec<PathBuf> = arguments.output.iter().cloned().collect();
    if let Some(output) = &arguments.output {
        write_overlaps(&mut written, output, &listed)?;
    }
    if let Some(folder) = &arguments.picture {
        let pictures = console.phase("rendering the worst pairs", || {
            picture::write(&mut written, folder, &read.scene, &worst)
        })?;
        for (file, pair) in pictures.iter().zip(&worst) {
            let [a, b] = pair.geometry_ids.map(|id| read.scene.path(id));
            console.say(&format!("{}: {a} (orange), {b} (blue)", file.display()));
        }
        files.extend(pictures);
    }
    console.publish(written)?;

    let summary = OverlapsSummary {
        scene: scene.name(),
        solids: search.len(),
        without_inside: read.scene.geometry_count() as u64 - read.scene.solid_count(),
        looked_at: counts.candidates,
        adjacent: counts.adjacent,
        apart_proved: counts.apart_proved,
        apart_by_lines: counts.apart_by_lines,
        lines: arguments.lines,
        spacing: (counts.apart_by_lines > 0).then_some(spacing),
        pierces,
        inside,
        touching,
        near,
        known: known_count,
        refused,
        pairs: listed,
        load_s: load_time.as_secs_f64(),
        total_s: start.elapsed().as_secs_f64(),
        files: PathText::all(files),
    };
    let table = lines + &table::conclusion(&summary, known.len());
    console.result(Summary::Overlaps(Box::new(summary)), &table)?;
    Ok(ExitCode::from(u8::from(refused > 0)))
}
