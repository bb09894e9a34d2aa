//! `raytwin info`: prints what a scene contains.

mod measurable;

use super::Failure;
use super::console::Console;
use super::help::hidden;
use super::label_text::label_text;
use super::source::SceneArguments;
use super::summary::{
    AngleSummary, CameraSummary, DistanceSummary, GeometrySummary, InfoSummary, LabelSummary,
    LeftOutSummary, SourceSummary, Summary, TorsionSummary,
};
use clap::Args;
use measurable::Measurable;
use raytwin::Placement;
use raytwin::camera::Camera;
use raytwin::geometry::Geometry;
use raytwin::glam::DVec3;
use raytwin::packed::PackedScene;
use raytwin::scene::Scene;
use raytwin_formats::Source;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(
    // They are for rays, and an error here.
    mut_args(hidden(&["ignore", "only"])),
    before_help = EXAMPLES,
    next_help_heading = "Output"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// List every geometry with its id, type and path.
    ///
    /// Each line also has the number of primitives, and the label if the scene has labels.
    #[arg(long)]
    geometries: bool,
    /// Print the distance between two shapes, such as atoms.
    ///
    /// raytwin measures from the middle of one shape to the middle of the other. For two spheres,
    /// it also prints the gap between their surfaces, which is negative if they overlap. Distances
    /// are in the unit of the file.
    ///
    /// A and B are paths as pick and --geometries print them, ends of paths that only one shape
    /// has, or ids. In a molecule file, raytwin also finds atoms that the style does not draw, and
    /// uses the positions in the file. Positions of other shapes are rounded to seven digits. May
    /// be repeated.
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_hyphen_values = true)]
    distance: Vec<String>,
    /// Print the angle at B between A and C, in degrees.
    ///
    /// Give shapes as for --distance. May be repeated.
    #[arg(long, value_names = ["A", "B", "C"], num_args = 3, allow_hyphen_values = true)]
    angle: Vec<String>,
    /// Print the torsion of A, B, C and D about B-C, in degrees.
    ///
    /// The torsion is from -180 to 180. It is positive if, when you look from B to C, D is turned
    /// clockwise from A. Give shapes as for --distance. May be repeated.
    #[arg(long, value_names = ["A", "B", "C", "D"], num_args = 4, allow_hyphen_values = true)]
    torsion: Vec<String>,
}

const EXAMPLES: &str = "\
raytwin info examples/robots/arm.urdf --geometries
raytwin info examples/molecules/helix.cif --distance A/ALA2/CA A/ALA6/CA";

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    arguments.scene.refuse_ignored("info counts every shape")?;
    let start = Instant::now();
    let read = arguments.scene.reported(console, || arguments.scene.read())?;
    let load_time = start.elapsed();
    let scene = Arc::new(read.scene);
    let atoms = match arguments.measures() {
        true => arguments.scene.atoms()?,
        false => Vec::new(),
    };
    let measurable = Measurable::new(&scene, &atoms);
    let distances = each(&arguments.distance, |texts| measurable.distance(texts))?;
    let angles = each(&arguments.angle, |texts| measurable.angle(texts))?;
    let torsions = each(&arguments.torsion, |texts| measurable.torsion(texts))?;
    let pack = || PackedScene::new(Arc::clone(&scene)).ok();
    let packed = console.phase("building the tree", pack);
    let sources = read.sources.into_iter();
    let (inexact, skipped): (Vec<_>, Vec<_>) =
        read.warning_parts.into_iter().partition(|warning| warning.is_read);
    let summary = InfoSummary {
        scene: arguments.scene.name(),
        load_s: load_time.as_secs_f64(),
        types: scene.type_counts().into_iter().collect(),
        sources: sources
            .map(|Source { path, geometry_count }| SourceSummary {
                file: path.as_path().into(),
                geometry_count,
            })
            .collect(),
        geometry_count: scene.geometry_count() as usize,
        primitive_count: scene.primitive_count() as usize,
        use_count: scene.use_count() as usize,
        instance_count: scene.instances().len(),
        definition_count: scene.definitions().len(),
        depth: read.depth,
        world_count: scene.world_count(),
        device_bytes: packed.map(|packed| packed.device_bytes()),
        skipped: skipped.into_iter().map(LeftOutSummary::from).collect(),
        inexact: inexact.into_iter().map(LeftOutSummary::from).collect(),
        solid_count: scene.solid_count() as usize,
        coarsely_rounded: scene.coarsely_rounded().len(),
        bounds: bounds(&scene),
        origin: scene.origin().to_array(),
        cameras: scene.cameras.iter().map(camera).collect(),
        labels: labels(&scene),
        distances,
        angles,
        torsions,
        geometries: arguments.geometries.then(|| geometries(&scene)),
    };
    let table = table(&scene, &summary);
    console.result(Summary::Info(summary), &table)?;
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn measures(&self) -> bool {
        [&self.distance, &self.angle, &self.torsion].iter().any(|texts| !texts.is_empty())
    }
}

/// Measures between each N of these shapes.
fn each<T, const N: usize>(
    texts: &[String],
    measure: impl Fn([&str; N]) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let texts = texts.as_chunks::<N>().0.iter();
    texts.map(|texts| measure(texts.each_ref().map(String::as_str))).collect()
}

fn bounds(scene: &Scene) -> Option<[[f64; 3]; 2]> {
    let bounds = scene.bounds();
    (scene.geometry_count() > 0).then(|| [bounds.min.to_array(), bounds.max.to_array()])
}

fn camera(camera: &Camera) -> CameraSummary {
    CameraSummary { name: camera.name.clone(), kind: camera.projection.name() }
}

fn labels(scene: &Scene) -> Vec<LabelSummary> {
    let summary = |(label_id, geometry_count)| LabelSummary {
        label_id,
        name: scene.label_names.get(&label_id).cloned(),
        geometry_count,
    };
    scene.label_counts().into_iter().map(summary).collect()
}

fn geometries(scene: &Scene) -> Vec<GeometrySummary> {
    let summary = |(id, geometry, _): (u32, &Geometry, Option<&Placement>)| {
        let label_id = Some(scene.label(id)).filter(|label| *label > 0);
        GeometrySummary {
            id,
            r#type: geometry.type_name(),
            primitive_count: geometry.primitive_count(),
            path: scene.path(id),
            instance_id: scene.use_of(id),
            label_id,
            label: label_id.and_then(|label| scene.label_names.get(&label).cloned()),
        }
    };
    scene.written_out().map(summary).collect()
}

fn table(scene: &Scene, summary: &InfoSummary) -> String {
    let mut text = String::new();
    for (name, count) in scene.type_counts() {
        let _ = writeln!(text, "{name:<12} {count:>10}");
    }
    let counts = [
        ("geometries", summary.geometry_count),
        ("primitives", summary.primitive_count),
        ("solids", summary.solid_count),
        ("coarsely rounded", summary.coarsely_rounded),
        ("uses", summary.use_count),
        ("instances", summary.instance_count),
        ("definitions", summary.definition_count),
        ("depth", summary.depth as usize),
        ("worlds", summary.world_count as usize),
    ];
    text.push('\n');
    for (name, count) in counts {
        let _ = writeln!(text, "{name:<16} {count}");
    }
    if let Some(bytes) = summary.device_bytes {
        let _ = writeln!(text, "{:<16} {bytes} bytes", "on the device");
    }
    for SourceSummary { file, geometry_count } in &summary.sources {
        let _ = writeln!(text, "{:<16} {} ({geometry_count} geometries)", "source", file.text());
    }
    for (title, items) in [("skipped", &summary.skipped), ("inexact", &summary.inexact)] {
        for LeftOutSummary { what, count, .. } in items {
            let _ = writeln!(text, "{title:<16} {count} {what}");
        }
    }
    if let Some([min, max]) = summary.bounds {
        let in_map = |corner: [f64; 3]| (DVec3::from_array(corner) + scene.origin()).to_array();
        let (min, max) = (in_map(min), in_map(max));
        let _ = writeln!(text, "{:<16} {min:?} to {max:?}", "bounds");
    }
    if scene.origin() != DVec3::ZERO {
        let _ = writeln!(text, "{:<16} {:?}", "origin", summary.origin);
    }
    for CameraSummary { name, kind } in &summary.cameras {
        let _ = writeln!(text, "{:<16} {name} ({kind})", "camera");
    }
    for LabelSummary { label_id, name, geometry_count } in &summary.labels {
        let name = label_text(*label_id, name.as_deref());
        let _ = writeln!(text, "{:<16} {name} ({geometry_count} geometries)", "label");
    }
    if let Some(geometries) = &summary.geometries {
        let has_labels = !summary.labels.is_empty();
        let end = if has_labels { "path, label" } else { "path" };
        let _ = writeln!(text, "\n{:>10}  {:<12} {:>10}  {end}", "id", "type", "primitives");
        for GeometrySummary { id, r#type, primitive_count, path, label_id, label, .. } in geometries
        {
            let label = label_id.map(|id| format!(", {}", label_text(id, label.as_deref())));
            let label = label.unwrap_or_default();
            let _ = writeln!(text, "{id:>10}  {:<12} {primitive_count:>10}  {path}{label}", r#type);
        }
    }
    for DistanceSummary { a, b, distance, gap } in &summary.distances {
        let gap = gap.map(|gap| format!(", gap {gap:.4}")).unwrap_or_default();
        let _ = writeln!(text, "{:<16} {distance:.4}{gap} ({} to {})", "distance", a.path, b.path);
    }
    for AngleSummary { a, b, c, angle_degrees } in &summary.angles {
        let paths = [a, b, c].map(|it| &*it.path).join(", ");
        let _ = writeln!(text, "{:<16} {angle_degrees:.3}° ({paths})", "angle");
    }
    for TorsionSummary { a, b, c, d, torsion_degrees } in &summary.torsions {
        let paths = [a, b, c, d].map(|it| &*it.path).join(", ");
        let _ = writeln!(text, "{:<16} {torsion_degrees:.3}° ({paths})", "torsion");
    }
    text
}
