//! The flags of `raytwin overlaps`.

use super::super::Failure;
use crate::folders::folder_parser;
use crate::shape_names::chosen;
use crate::source::SceneArguments;
use crate::stages::has_extension;
use clap::Args;
use raytwin::overlaps::OverlapOptions;
use raytwin::scene::Scene;
use std::ops::Range;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Overlaps")]
pub(in super::super) struct Arguments {
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Check only pairs of one shape of A and one of B.
    ///
    /// Choose both as for --ignore. May be repeated.
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_hyphen_values = true)]
    pub between: Vec<String>,
    /// Also list pairs that are closer together than this.
    #[arg(long, value_name = "DISTANCE", value_parser = not_negative, allow_hyphen_values = true)]
    pub clearance: Option<f64>,
    /// Count overlaps up to this depth as touching.
    ///
    /// The depth of an overlap is the distance of its witness, a point in both shapes, from the
    /// nearer of the two surfaces. Default: the distance by which rounding to float32 may have
    /// moved the surfaces.
    #[arg(long, value_name = "DEPTH", value_parser = not_negative, allow_hyphen_values = true)]
    pub tolerance: Option<f64>,
    /// Also check pairs that belong together.
    ///
    /// These are shapes of one link, of two links that a joint connects, of a MuJoCo body and its
    /// parent, or of two bodies that the model excludes. They are also cylinders, capsules and
    /// cones whose axes share an end and do not run along each other, such as the pieces of a pipe.
    /// Without the flag, raytwin counts these pairs, but does not check them.
    #[arg(long)]
    pub adjacent: bool,
    /// Also check the half-spaces behind planes.
    #[arg(long)]
    pub half_spaces: bool,
    /// Do not fail for pairs of these kinds.
    #[arg(long, value_name = "inside|touching", value_delimiter = ',')]
    #[arg(value_parser = ["inside", "touching"], hide_possible_values = true)]
    pub allow: Vec<String>,
    /// List at most this many pairs.
    ///
    /// Pairs that make the command fail come first, then the deepest.
    #[arg(long, value_name = "COUNT")]
    pub max: Option<usize>,
    /// Do not fail for the pairs in this table.
    ///
    /// The table is a .csv or .json that this command wrote, or any .csv with the columns a_path
    /// and b_path. If the table has the kind and the depth of a pair, the pair is known only while
    /// it is of this kind and no deeper.
    #[arg(long, value_name = "PAIRS.csv|PAIRS.json")]
    pub known: Option<PathBuf>,
    /// Cast this many lines at each pair in which a shape is not convex.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    #[arg(default_value_t = OverlapOptions::default().lines, hide_short_help = true)]
    pub lines: u32,
    /// Set the seed of these lines.
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_short_help = true)]
    seed: u64,
    /// Write the pairs to this .csv, .parquet or .json.
    ///
    /// A table has a row for each pair: a_geometry_id, a_path, b_geometry_id, b_path, kind, inner
    /// (the id of the shape inside the other), depth, gap, gap_at_least, proved, known, and the
    /// witness x, y, z. If the witness is two points, one on each shape, other_x, other_y, other_z
    /// are the second point.
    #[arg(short, long = "out", visible_alias = "output", value_name = "PAIRS.csv")]
    #[arg(help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Render the worst five pairs to this folder, cut at the witness.
    ///
    /// The part of the cut that is inside both shapes is yellow.
    #[arg(long, value_name = "DIR", value_parser = folder_parser("pictures"))]
    #[arg(help_heading = "Output")]
    pub picture: Option<PathBuf>,
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("'{text}' must be a number, 0 or more"))
}

const EXAMPLES: &str = "\
raytwin overlaps examples/scenes/detector.json --allow inside,touching
raytwin overlaps examples/robots/arm.urdf --collision --clearance 0.01 -o clashes.csv";

impl Arguments {
    pub fn refuse_other_outputs(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) if !has_extension(path, &["csv", "parquet", "json"]) => Err(Failure::usage(
                format!("-o {}: give the name of a .csv, a .parquet or a .json", path.display()),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the files of the pictures that may be written.
    pub fn pictures(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.picture.iter();
        folder.flat_map(|folder| super::picture::names().map(|name| folder.join(name)))
    }

    pub fn allows(&self, kind: &str) -> bool {
        self.allow.iter().any(|allowed| allowed == kind)
    }

    /// Returns the options of the search.
    pub fn options(&self, scene: &Scene) -> Result<OverlapOptions, Failure> {
        let ids = |texts: &String| -> Result<Vec<Range<u32>>, Failure> {
            let mut all = Vec::new();
            for text in texts.split(',') {
                let ids = chosen(scene, text)
                    .map_err(|reason| Failure::input(format!("--between {text}: {reason}")))?;
                all.extend(ids);
            }
            all.sort_unstable_by_key(|ids| ids.start);
            // Patterns may choose a shape twice.
            all.dedup_by(|next, last| {
                let is_joined = next.start <= last.end;
                last.end = if is_joined { last.end.max(next.end) } else { last.end };
                is_joined
            });
            Ok(all)
        };
        let sets = self.between.as_chunks::<2>().0.iter();
        let between = sets.map(|[a, b]| Ok([ids(a)?, ids(b)?]));
        let between = between.collect::<Result<_, Failure>>()?;
        Ok(OverlapOptions {
            clearance: self.clearance.unwrap_or(0.0),
            tolerance: self.tolerance.unwrap_or(0.0),
            between,
            includes_adjacent: self.adjacent,
            includes_half_spaces: self.half_spaces,
            lines: self.lines,
            seed: self.seed,
        })
    }
}
