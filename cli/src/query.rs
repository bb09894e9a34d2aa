//! `raytwin query`: casts the rays of files of any length and writes the answers to files.

mod kept_columns;
mod output;
mod paths;
mod pipeline;
mod portion;
mod ray_files;
mod tally;

use super::Failure;
use super::cloud::CloudArguments;
use super::color_by::ColorByArgument;
use super::console::{Console, mrays_per_s};
use super::device::DeviceFlag;
use super::hits_per::{self, HitsPerArgument};
use super::kinds::kind_parser;
use super::source::SceneArguments;
use super::summary::{PathText, QuerySummary, Summary};
use clap::Args;
use indicatif::ProgressBar;
use kept_columns::KeptColumns;
use output::{AnswerOutput, Task, count_rays, tasks};
use paths::PathArguments;
use pipeline::{Pipeline, QueryOptions};
use ray_files::is_one_file;
use raytwin::Fingerprint;
use raytwin::query::{HitArrays, Query};
use raytwin::scene::Scene;
use raytwin_files::fingerprint_with_file;
use raytwin_files::rays::{AnswerFolder, note_of};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tally::Tally;

#[derive(Debug, Args)]
#[command(
    before_help = EXAMPLES,
    after_long_help = SEVERAL_FILES,
    next_help_heading = "Answers"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays: .npy, .npz, .csv or .parquet files, or a folder.
    ///
    /// An .npy has the shape (N, 6) or (N, 8), or more axes in front. An .npz has such an array
    /// named rays, and optionally the integers ray_masks, ignore_ids and world_ids. A .parquet or
    /// .csv has the columns ox oy oz dx dy dz, and optionally t_min t_max and the integers ray_mask
    /// ignore_id world_id. Numbers are float32 or float64.
    ///
    /// A folder stands for its .parquet files, and a pattern such as 'day=*/*.parquet' for all
    /// files that match. Each of several files gets its own file of answers: see the end of this
    /// help.
    #[arg(required = true, help_heading = "Input")]
    rays: Vec<PathBuf>,
    /// Write the answers to this file or folder.
    ///
    /// The file is an .npz, a .parquet or a .csv. A .csv has a row for each ray: the columns of a
    /// .csv of rays, those of the answers, and the path of the shape that was hit. A folder gets an
    /// .npy for each array. Several ray files need a folder. Writing an .npz needs twice its size
    /// on disk.
    #[arg(
        short,
        long = "out",
        visible_alias = "output",
        value_name = "HITS.npz|HITS.csv|DIR/",
        help_heading = "Output"
    )]
    output: PathBuf,
    /// What to find.
    ///
    /// raytwin answers this query for each ray.
    #[arg(long, value_parser = kind_parser(Query::KINDS, Query::name, Some(KIND_HELP)))]
    #[arg(default_value = Query::CLOSEST.name())]
    kind: Query,
    /// Let a ray that starts in a solid hit it there.
    ///
    /// A ray that starts in or on a solid hits it at its start. For --kind closest and any.
    #[arg(long)]
    solid: bool,
    /// Write only these arrays, such as t_hit,geometry_ids.
    ///
    /// Choose from t_hit, geometry_ids, primitive_ids, primitive_normals, faces, instance_ids and
    /// label_ids. Default: the first four. Normals take the most time. For --kind closest.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = hit_array)]
    outputs: Vec<HitArrays>,
    /// Also write faces, the face of the shape that each ray hits.
    ///
    /// For --kind closest.
    #[arg(long)]
    faces: bool,
    /// Also write instance_ids, the instance that each ray hits.
    ///
    /// An instance_id is the number of the outermost instance that contains the shape, or
    /// 0xFFFFFFFF if none does. Nodes with a file count as instances. For --kind closest.
    #[arg(long)]
    instances: bool,
    /// Also write label_ids, the label of the shape that each ray hits.
    ///
    /// The label is 0 for a shape without one, and for a miss. With --cloud, each point of the
    /// cloud also gets its label. For --kind closest.
    #[arg(long)]
    label_ids: bool,
    #[command(flatten)]
    paths: PathArguments,
    #[command(flatten)]
    hits_per: HitsPerArgument,
    /// Copy this column to the answers or the cloud.
    ///
    /// A column of a .parquet of rays goes to the .parquet of answers. The value all copies every
    /// column except those that define the rays. A column of whole numbers of the scene's table,
    /// such as tree_id, goes to the points of --cloud. May be repeated, or separated by commas.
    #[arg(long, value_name = "COLUMN|all", value_delimiter = ',', help_heading = "Output")]
    keep: Vec<String>,
    /// Return the same bits on every device.
    ///
    /// The bits are those of --device cpu, with any --build. For --kind closest and any, the device
    /// proposes what each ray hits. The CPU computes t in float64, and casts the few rays that
    /// float32 leaves in doubt. For --kind count and all, the CPU casts all rays.
    #[arg(long, help_heading = "Device")]
    canonical: bool,
    #[command(flatten)]
    cloud: CloudArguments,
    #[command(flatten)]
    color_by: ColorByArgument,
    /// Continue where an earlier run stopped.
    ///
    /// A run keeps its answers in NAME.partial, next to the output NAME, until the output is
    /// complete. If a run ends early, the same command continues. Meanwhile, answers need twice
    /// their size on disk. This works for one ray file whose answers go to a .parquet or a folder.
    #[arg(long, help_heading = "Output")]
    resume: bool,
}

const EXAMPLES: &str = "\
raytwin query examples/scenes/detector.json examples/rays/tracks.npy -o hits.npz
raytwin query examples/scenes/pipe_rack.json examples/rays/plumb_lines.npy --kind count -o counts/";

/// The part of the help that explains several ray files.
const SEVERAL_FILES: &str = "Several ray files: the answers to NAME.parquet go to DIR/NAME.parquet, and the \
    answers to any other file go to DIR/NAME.npz. Files of a folder or of a pattern in quotes keep their subfolders. Each file of \
    answers stores a hash of its inputs: the scene, the bytes of the ray file, the options of the query, and the version of \
    raytwin. raytwin skips a ray file whose answers already have the right hash, so a run that was killed continues where it \
    stopped. It casts a changed file again. The device is not part of the hash, because the errors of \
    every device have the same bounds. A bad file does not stop the others: an error names it, and the exit code is 3. \
    None of this needs --resume.";

/// The help for the kinds.
const KIND_HELP: [&str; Query::KINDS.len()] = [
    "Find the closest hit",
    "Find whether the ray hits anything",
    "Count the surfaces that the ray crosses",
    "List all crossings in order of t",
];

impl Arguments {
    fn query(&self) -> Result<Query, Failure> {
        if self.solid && !self.kind.takes_solids() {
            return Err(Failure::usage(
                "--solid changes the first hit, but --kind count and --kind all list crossings: leave it out",
            ));
        }
        if !self.outputs.is_empty() && self.kind != Query::CLOSEST {
            return Err(Failure::usage("--outputs works with --kind closest only: leave it out"));
        }
        let more = [
            ("--faces", self.faces, HitArrays::FACES),
            ("--instances", self.instances, HitArrays::INSTANCE_IDS),
            ("--label-ids", self.label_ids, HitArrays::LABEL_IDS),
        ];
        let mut more = more.into_iter().filter(|(_, is_given, _)| *is_given);
        if self.kind != Query::CLOSEST
            && let Some((flag, ..)) = more.next()
        {
            let reason = "works with --kind closest only: leave it out";
            return Err(Failure::usage(format!("{flag} {reason}")));
        }
        self.paths.refuse_resume(self.resume)?;
        if self.cloud.path().is_some() {
            self.refuse_partial("--cloud", "gets no points")?;
        }
        if self.hits_per.is_given() {
            self.refuse_partial("--hits-per", "counts no hits")?;
        }
        Ok(match self.kind {
            Query::Closest(usual) => {
                let named = self.outputs.iter().copied().reduce(HitArrays::and);
                let more = more.map(|(.., array)| array);
                Query::Closest(more.fold(named.unwrap_or(usual), HitArrays::and))
            }
            kind => kind,
        })
    }

    /// Returns an error if a flag is for closest hits and the kind is another, or if the flag would
    /// see only a part of the hits.
    fn refuse_partial(&self, flag: &str, of_kept: &str) -> Result<(), Failure> {
        let reason = match (self.kind, is_one_file(&self.rays)) {
            (Query::Closest(_), true) if self.resume => {
                format!(
                    "does not work with --resume, because it {of_kept} of an earlier run: leave --resume out"
                )
            }
            (Query::Closest(_), true) => return Ok(()),
            (Query::Closest(_), _) => {
                "works with one ray file only: query the files one by one".to_owned()
            }
            _ => "works with --kind closest only: leave it out".to_owned(),
        };
        Err(Failure::usage(format!("{flag} {reason}")))
    }

    /// Returns an error if answers cannot be kept, or need not be kept.
    fn refuse_useless_resume(&self, tasks: &[Task]) -> Result<(), Failure> {
        let ([task], true) = (tasks, is_one_file(&self.rays)) else {
            return Err(Failure::usage(
                "--resume is for one ray file, and with several, raytwin always skips answered files: leave it out",
            ));
        };
        match task.output.can_resume() {
            true => Ok(()),
            false => Err(Failure::usage(
                "--resume does not work for an .npz or a .csv: give a .parquet or a folder to -o",
            )),
        }
    }

    /// Describes everything that the answers depend on, except the scene and the rays. It is
    /// hashed, so if its text changes, runs cast answered rays again.
    fn options(&self, query: Query) -> String {
        let arrays = match query {
            Query::Closest(arrays) => arrays.names().collect::<Vec<_>>().join(","),
            Query::Any | Query::Count | Query::All => String::new(),
        };
        format!(
            "{} {} {arrays} solid {} strict {} keep {:?} paths {:?}{}",
            env!("CARGO_PKG_VERSION"),
            query.name(),
            self.solid,
            self.scene.strict,
            self.keep,
            self.paths.rule(),
            if self.canonical { " canonical" } else { "" }
        )
    }
}

fn hit_array(name: &str) -> Result<HitArrays, String> {
    HitArrays::named(name.trim()).ok_or_else(|| {
        let names: Vec<&str> = HitArrays::ALL.names().collect();
        format!("no array of closest hits has this name: choose from {}", names.join(", "))
    })
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let query = arguments.query()?;
    arguments.scene.refuse_swap(&arguments.rays[0], "rays")?;
    let tasks = tasks(&arguments.rays, &arguments.output)?;
    let is_one_file = is_one_file(&arguments.rays);
    if arguments.resume {
        arguments.refuse_useless_resume(&tasks)?;
    }
    let options = QueryOptions {
        query,
        paths: arguments.paths.rule(),
        is_solid: arguments.solid,
        is_strict: arguments.scene.strict,
    };
    let mut outputs: Vec<PathBuf> =
        tasks.iter().flat_map(|task| task.output.files(options.layout())).collect();
    if let Some(cloud) = arguments.cloud.path() {
        outputs.push(cloud.clone());
    }
    let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
    let loaded = arguments.scene.load_worlds(console)?;
    arguments.scene.check_outputs(&outputs, tasks.iter().map(|task| task.rays.as_path()))?;
    arguments.hits_per.refuse_unknown(&loaded.scene)?;
    let has_cloud = arguments.cloud.path().is_some();
    let kept = KeptColumns::find(&arguments.keep, has_cloud, &tasks, &loaded.scene)?;
    arguments.color_by.refuse_unknown(&loaded.scene)?;
    let color_by = arguments.color_by.color_by();
    if color_by.is_some() && !has_cloud {
        return Err(Failure::usage("--color-by colours the points of a cloud: also give --cloud"));
    }
    let of_columns = [("--keep", !kept.of_scene.is_empty()), ("--color-by", color_by.is_some())];
    arguments.cloud.refuse_columns(&of_columns)?;
    arguments.cloud.warn_of_rounding(loaded.scene.origin(), console);
    let has_origin = arguments.scene.has_origin(&loaded.scene);
    let counts = count_rays(&tasks, is_one_file, has_origin)?;
    let tracer = device.canonical(arguments.canonical).tracer(&loaded, console)?;

    let start = Instant::now();
    let run = Run {
        pipeline: Pipeline {
            tracer: tracer.as_ref(),
            cloud: &arguments.cloud,
            kept: &kept.of_scene,
            color_by,
            console,
            hits_per: &arguments.hits_per,
            scene: &loaded.scene,
            options,
        },
        scene: &loaded.scene,
        hashed_options: arguments.options(query),
        kept_columns: &kept.of_rays,
        device_and_tree: arguments.resume.then(|| {
            if arguments.canonical {
                return String::new();
            }
            format!("{} {:?}", tracer.device(), arguments.scene.quality())
        }),
        bar: console.bar("query", "rays", counts.iter().sum()),
        console,
    };
    let tally = console.casting(&run.bar, || match &tasks[..] {
        [one] if is_one_file => run.one(one),
        several => run.several(several, &counts, &arguments.output),
    });
    run.bar.finish_and_clear();
    let tally = tally?;
    let total_time = start.elapsed();
    let mut line = tally.line(query, total_time, &arguments.output);
    if !is_one_file {
        let [skipped, failed] = [tally.skipped.len(), tally.failed.len()];
        let cast = tasks.len() - skipped - failed;
        line += &format!(": {cast} files answered, {skipped} skipped, {failed} failed");
    }
    hits_per::print(tally.hits_per.as_deref(), console)?;
    let exit_code = if tally.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) };
    let summary = QuerySummary {
        kind: query.name().to_owned(),
        scene: loaded.name.clone(),
        device: tracer.device(),
        rays: tally.rays,
        hits: tally.hits,
        hits_per: tally.hits_per,
        crossings: tally.crossings,
        cloud_points: tally.cloud_points,
        invalid: tally.invalid,
        kept: tally.kept,
        times: loaded.times(&tally.times),
        mrays_per_s: mrays_per_s(tally.rays - tally.kept, tally.times.trace),
        total_s: total_time.as_secs_f64(),
        files: PathText::all(tally.files),
        skipped: PathText::all(tally.skipped),
        failed: PathText::all(tally.failed),
    };
    console.summary(Summary::Query(summary), &line)?;
    Ok(exit_code)
}

/// The parts of a run that are the same for all files.
struct Run<'a> {
    pipeline: Pipeline<'a>,
    scene: &'a Arc<Scene>,
    /// The options that decide the answers, as a text for the hash.
    hashed_options: String,
    /// The columns of rays that follow the answers.
    kept_columns: &'a [String],
    /// The device and the tree, with `--resume`. The last bits of answers depend on them unless the
    /// answers are canonical, and a resumed run must return the same bits as an uninterrupted one.
    device_and_tree: Option<String>,
    bar: ProgressBar,
    console: &'a Console,
}

impl Run<'_> {
    fn one(&self, task: &Task) -> Result<Tally, Failure> {
        let mut writer =
            task.writer(self.pipeline.options.layout(), self.kept_columns, self.scene)?;
        if let Some(device_and_tree) = &self.device_and_tree {
            let partial = task.output.partial();
            let made_from =
                fingerprint_with_file(self.fingerprint().with_word(device_and_tree), &task.rays)?;
            writer = writer.keeping_in(&partial, made_from)?;
            self.console.keeps_in(&partial);
        } else if task.output.can_resume() {
            self.console.keeps_nothing_yet();
        }
        let (tally, outputs) = self.pipeline.run(&task.rays, writer, self.progress())?;
        self.console.publish(outputs)?;
        Ok(tally)
    }

    fn fingerprint(&self) -> Fingerprint {
        let scene = self.pipeline.scene;
        let fingerprint = Fingerprint::of(scene).with_word(&self.hashed_options);
        match self.pipeline.options.query.asks_for(HitArrays::LABEL_IDS) {
            true => fingerprint.with_labels(scene),
            false => fingerprint,
        }
    }

    fn progress(&self) -> impl Fn(usize) + Send + use<> {
        let bar = self.bar.clone();
        move |rays| bar.inc(rays as u64)
    }

    /// Answers each file that is not answered yet. If a file cannot be read or its answers cannot
    /// be written, the run reports the error and continues with the next file. If the device fails,
    /// the run ends, because it would fail for the other files. Until all files are answered, a
    /// note in the folder states that its files may be of two runs.
    fn several(&self, tasks: &[Task], counts: &[usize], folder: &Path) -> Result<Tally, Failure> {
        let fingerprint = self.fingerprint();
        let mut total = Tally::of(&self.pipeline.options.query.unanswered());
        let mut rays_done = 0;
        let mut folder = AnswerFolder::new(folder, tasks.iter().map(|task| task.output.path()))?;
        let done = |count| {
            let of = tasks.len();
            self.console.keeps(format!(
                "{count} of {of} files are done: the same command continues with the others"
            ));
        };
        for (index, (task, count)) in tasks.iter().zip(counts).enumerate() {
            self.bar.set_message(format!("query {}/{}", index + 1, tasks.len()));
            done(index);
            match self.unless_done(task, fingerprint.clone(), &mut folder, || done(index + 1)) {
                Ok(tally) => total.add(tally),
                Err(failure) if failure.code == 3 => {
                    self.bar.suspend(|| self.console.error(&self.console.text(&failure)));
                    total.failed.push(task.rays.clone());
                }
                Err(failure) => return Err(failure),
            }
            rays_done += *count as u64;
            self.bar.set_position(rays_done);
        }
        folder.finish()?;
        Ok(total)
    }

    /// Answers a file, or skips it if its answers have the right hash. Calls `done` once the
    /// answers are written.
    fn unless_done(
        &self,
        task: &Task,
        fingerprint: Fingerprint,
        folder: &mut AnswerFolder,
        done: impl FnOnce(),
    ) -> Result<Tally, Failure> {
        let note = fingerprint_with_file(fingerprint, &task.rays)?.to_string();
        let is_done = match &task.output {
            AnswerOutput::File(path) => note_of(path).as_ref() == Some(&note),
            AnswerOutput::Folder(_) => false,
        };
        if is_done {
            folder.keep(task.output.path());
            return Ok(Tally { skipped: vec![task.rays.clone()], ..Tally::default() });
        }
        let writer = task
            .writer(self.pipeline.options.layout(), self.kept_columns, self.scene)?
            .with_note(note);
        let (tally, outputs) = self.pipeline.run(&task.rays, writer, self.progress())?;
        folder.publish(task.output.path(), outputs, done)?;
        Ok(tally)
    }
}
