//! `raytwin convert`: writes a scene to another format.

use super::Failure;
use super::console::Console;
use super::source::SceneArguments;
use super::stages::has_extension;
use super::summary::{ConvertSummary, LeftOutSummary, PathText, Summary};
use clap::Args;
use raytwin_formats::{left_out, save, save_graph};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The file to write: .json (native, which holds everything), .npz (bulk arrays), or .csv or
    /// .parquet (a table of shapes).
    #[arg(value_name = "OUT.json|OUT.npz|OUT.csv|OUT.parquet", required_unless_present = "out")]
    output: Option<PathBuf>,
    /// Write to this file, as it is written by other commands.
    #[arg(short, long, visible_alias = "output", value_name = "OUT", conflicts_with = "output")]
    out: Option<PathBuf>,
    /// Leave out what the new format cannot hold, such as meshes and cameras.
    #[arg(long)]
    skip: bool,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    let Arguments { scene, output, out, skip } = arguments;
    let Some(output) = output.as_ref().or(out.as_ref()) else {
        return Err(Failure::usage("-o: give the file to write"));
    };
    let start = Instant::now();
    let name = scene.name();
    // A native scene is written as the graph that it is.
    let mut graph = None;
    let read = scene.told(console, || {
        let read = scene.read_graph()?;
        let is_written = scene.is_whole_graph() && has_extension(output, &["json"]);
        graph = is_written.then(|| read.clone());
        scene.one_world(scene.flatten(read, false)?)
    })?;
    let scene = read.scene;
    arguments.scene.check_outputs(std::slice::from_ref(output), [])?;
    let load_time = start.elapsed();
    let lost = left_out(&scene, output)?;
    let texts: Vec<String> = lost.iter().map(ToString::to_string).collect();
    if !lost.is_empty() && !skip {
        return Err(Failure::input(format!(
            "{}: this format cannot hold {}: write a .json, or leave them out with --skip",
            output.display(),
            texts.join("; ")
        )));
    }
    console.phase(&format!("writing {}", output.display()), || match &graph {
        Some(graph) => save_graph(graph, &scene, output),
        None => save(&scene, output),
    })?;
    for text in &texts {
        console.say(&format!("left out: {text}"));
    }
    let geometries = scene.geometry_count() as usize;
    let line = format!("{name}: {geometries} geometries -> {}", output.display());
    let summary = ConvertSummary {
        scene: name,
        geometries,
        left_out: lost.into_iter().map(LeftOutSummary::from).collect(),
        load_s: load_time.as_secs_f64(),
        total_s: start.elapsed().as_secs_f64(),
        files: PathText::all([output]),
    };
    console.summary(Summary::Convert(summary), &line)?;
    Ok(ExitCode::SUCCESS)
}
