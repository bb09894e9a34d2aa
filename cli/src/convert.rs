//! `raytwin convert`: writes a scene to another format.

use super::Failure;
use super::console::Console;
use super::source::SceneArguments;
use super::stages::has_extension;
use super::summary::{ConvertSummary, LeftOutSummary, PathText, Summary};
use clap::{ArgGroup, Args};
use raytwin_formats::{left_out, save, save_graph};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("place").args(["output", "out"]).required(true),
    override_usage = "raytwin convert [OPTIONS] <SCENE> <OUT>",
    before_help = EXAMPLES,
    next_help_heading = "Output"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The output file: a .json, .npz, .csv or .parquet.
    ///
    /// A .json is native and stores everything. An .npz has bulk arrays. A .csv or .parquet is a
    /// table of shapes.
    #[arg(value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write to this file, as in other commands.
    #[arg(short, long, visible_alias = "output", value_name = "OUT")]
    out: Option<PathBuf>,
    /// Leave out what the new format cannot store, such as meshes and cameras.
    #[arg(long)]
    skip: bool,
}

const EXAMPLES: &str = "\
raytwin convert examples/robots/arm.urdf arm.json
raytwin convert examples/scenes/pipe_rack.json rack.npz --skip";

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    let Arguments { scene, output, out, skip } = arguments;
    let Some(output) = output.as_ref().or(out.as_ref()) else {
        return Err(Failure::usage("-o: give the name of the output file"));
    };
    let start = Instant::now();
    let name = scene.name();
    // A native scene is written as a graph, without flattening it.
    let mut graph = None;
    let read = scene.reported(console, || {
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
            "{}: this format cannot store {}: write a .json, or leave them out with --skip",
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
