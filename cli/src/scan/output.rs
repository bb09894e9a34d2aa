//! The output of a scan: one cloud of all poses, messages, or a folder with files for each pose.

mod column_flags;
mod keeping;

pub(super) use keeping::KeptStart;

use column_flags::refuse_useless_columns;

use super::Arguments;
use super::answers::SweepAnswers;
use super::format_flag::FormatFlag;
use super::intensity_flag::IntensityFlag;
use super::target::{ScanTarget, extensions};
use crate::cloud::{FrameFlag, warn_of_rounding};
use crate::color_by::heights_text;
use crate::console::Console;
use crate::failure::Failure;
use raytwin::camera::View;
use raytwin::image::Image;
use raytwin::scan::{PosedView, SweepStart, Trajectory};
use raytwin::scene::Scene;
use raytwin_files::clouds::{
    CloudLayout, CloudPoint, CloudSource, CloudWriter, IntensityScale, MOST_LAS_POSITIONS, Survey,
    disk_notice,
};
use raytwin_files::image::PosedImageWriter;
use raytwin_files::messages::{LinkFrame, MessageWriter};
use raytwin_files::{CoordinateSystem, Outputs, PoseFolder, ScanCounts};
use std::ops::Range;
use std::path::PathBuf;

/// The files that a scan wrote, and the counts of their contents.
pub(super) struct ScanWritten {
    pub target: PathBuf,
    pub has_cloud: bool,
    pub counts: ScanCounts,
    pub files: Vec<PathBuf>,
}

/// The files that are being written.
pub(super) struct ScanOutput {
    layout: CloudLayout,
    survey: Survey,
    /// True if a file is a LAS or LAZ.
    has_las: bool,
    /// The number of the current station, pose or leg, from 1.
    source: u32,
    frame: FrameFlag,
    files: OpenFiles,
    of_pose: ScanCounts,
    written: ScanWritten,
    is_kept: bool,
}

/// The files of a scan that are not complete yet.
enum OpenFiles {
    Cloud(CloudWriter),
    Messages(Box<MessageWriter>),
    Folder {
        folder: PoseFolder,
        formats: Vec<FormatFlag>,
        z_scale: Option<f64>,
        /// The files of the current pose.
        clouds: Vec<(PathBuf, CloudWriter)>,
        image: Option<Box<PosedImageWriter>>,
    },
}

impl ScanOutput {
    pub fn new(
        target: ScanTarget,
        arguments: &Arguments,
        (view, trajectory, has_returns): (&View, &Trajectory, bool),
        scene: &Scene,
        console: &Console,
    ) -> Result<Self, Failure> {
        let scene_origin = scene.origin();
        let frame = arguments.frame.unwrap_or(FrameFlag::World);
        let clouds = target.clouds();
        let has_las = clouds.iter().any(|format| format.is_las);
        if arguments.crs.is_some() && !has_las {
            return Err(Failure::usage(
                "--crs is for a .las or a .laz, and none is written: leave it out",
            ));
        }
        let sensor = &view.camera.sensor;
        let is_raw = arguments.intensity == Some(IntensityFlag::Raw);
        if is_raw && !has_las {
            return Err(Failure::usage(
                "--intensity raw is for a .las or a .laz, and other clouds have both intensities: leave raw out",
            ));
        }
        let has_ranges = target.has_ranges(view);
        let survey = Survey {
            start_time: trajectory.times()[0],
            raw_intensity: is_raw.then(|| IntensityScale::from_range(sensor.range_min)),
            label_names: scene.label_names.clone(),
            crs_wkt: arguments.crs.as_ref().map(CoordinateSystem::well_known_text).transpose()?,
        };
        let layout = CloudLayout {
            has_returns,
            has_normals: arguments.cloud_normals,
            has_labels: arguments.label_ids,
            kept: arguments.keep.clone(),
            color_by: arguments.color_by.color_by().cloned(),
            ..CloudLayout::of(CloudSource::Scan)
        };
        let (files, target, has_cloud) = match target {
            ScanTarget::Cloud(path) => {
                let writer = CloudWriter::new(&path, &layout)?.with_survey(survey.clone());
                (OpenFiles::Cloud(writer), path, true)
            }
            ScanTarget::Messages(path) => {
                if matches!(arguments.frame, Some(FrameFlag::World)) {
                    return Err(Failure::usage(format!(
                        "--frame world: messages in {} have points in the sensor's frame, and its poses: leave --frame out",
                        path.display()
                    )));
                }
                let writer = MessageWriter::new(
                    &path,
                    view,
                    trajectory,
                    &layout,
                    &arguments.messages.names(),
                )?;
                let has_points = writer.has_points();
                (OpenFiles::Messages(Box::new(writer)), path, has_points)
            }
            ScanTarget::Folder { path, formats, z_scale } => {
                let folder = PoseFolder::new(&path)?;
                let (open, image) = (Vec::new(), None);
                let files = OpenFiles::Folder { folder, formats, z_scale, clouds: open, image };
                (files, path, !clouds.is_empty())
            }
        };
        refuse_useless_columns(arguments, &clouds, has_cloud, has_ranges)?;
        if clouds.iter().any(|format| format.rounds) && matches!(frame, FrameFlag::World) {
            warn_of_rounding(&format!("-o {}", target.display()), scene_origin, console);
        }
        let of_pose = ScanCounts::default();
        let written = ScanWritten { target, has_cloud, counts: of_pose, files: Vec::new() };
        let (source, is_kept) = (0, false);
        Ok(Self { layout, survey, has_las, source, frame, files, of_pose, written, is_kept })
    }

    /// Gives the poses names, which the table of a folder lists.
    pub fn with_names(mut self, names: Option<Vec<String>>) -> Self {
        if let (OpenFiles::Folder { folder, .. }, Some(names)) = (&mut self.files, names) {
            folder.set_names(names);
        }
        self
    }

    /// Publishes the frames of a robot's links in addition to the messages.
    pub fn with_links(mut self, links: Vec<LinkFrame>, console: &Console) -> Self {
        if let OpenFiles::Messages(writer) = &mut self.files {
            let left_out = writer.set_links(links);
            if let Some(first) = left_out.first() {
                console.warn(&format!(
                    "/tf has no frame for {} of the links, such as '{first}': the name is not allowed in ROS, or is that of the sensor's frame",
                    left_out.len()
                ));
            }
        }
        self
    }

    /// Returns an error if there are more poses than the files can number, and prints the disk
    /// space that large files need, before the first ray is cast.
    pub fn announce(
        &self,
        view: &View,
        sweeps: &[SweepStart],
        console: &Console,
    ) -> Result<(), Failure> {
        let positions = sweeps.last().map_or(0, |sweep| sweep.source as usize);
        if self.has_las && positions > MOST_LAS_POSITIONS {
            return Err(Failure::input(format!(
                "-o {}: a LAS file numbers at most {MOST_LAS_POSITIONS} positions, and the scan has {positions}: scan fewer at a time, or give another format",
                self.written.target.display()
            )));
        }
        let most_returns = match self.layout.has_returns {
            true => view.camera.sensor.pulse.most_returns(),
            false => 1,
        };
        let (clouds, poses) = match &self.files {
            OpenFiles::Cloud(_) => (vec![self.written.target.clone()], sweeps.len()),
            OpenFiles::Messages(_) => (Vec::new(), 0),
            // Only the files of one pose are open at a time.
            OpenFiles::Folder { folder, formats, .. } => {
                let clouds = formats.iter().filter_map(|format| format.cloud());
                (clouds.map(|format| folder.file(0, format.extension)).collect(), 1)
            }
        };
        for cloud in clouds {
            let beams = poses as u64 * view.pixels() as u64;
            if let Some(notice) = disk_notice(&cloud, &self.layout, beams, most_returns)? {
                console.say(&notice);
            }
        }
        Ok(())
    }

    /// Begins the files of a pose, given its number from 0.
    pub fn begin(
        &mut self,
        number: usize,
        sweep: &SweepStart,
        posed: &PosedView,
    ) -> Result<(), Failure> {
        self.source = sweep.source;
        if let OpenFiles::Messages(writer) = &mut self.files {
            return Ok(writer.begin_sweep(sweep.row)?);
        }
        let OpenFiles::Folder { folder, formats, z_scale, clouds, image } = &mut self.files else {
            return Ok(());
        };
        for format in formats.iter().filter_map(|format| format.cloud()) {
            let path = folder.file(number, format.extension);
            let writer = CloudWriter::new(&path, &self.layout)?.with_survey(self.survey.clone());
            clouds.push((path.clone(), writer));
        }
        if z_scale.is_some() || formats.contains(&FormatFlag::Npz) {
            let writer = PosedImageWriter::new(&folder.file(number, "npz"), posed.view())?;
            *image = Some(Box::new(writer));
        }
        Ok(())
    }

    /// Adds the next pixels of the pose.
    pub fn add(
        &mut self,
        scene: &Scene,
        posed: &PosedView,
        pixels: Range<usize>,
        answers: &SweepAnswers,
    ) -> Result<(), Failure> {
        let has_image = matches!(self.files, OpenFiles::Folder { image: Some(_), .. });
        let image = match answers {
            // Normals take as long as the rays, so they are computed only if they are written.
            SweepAnswers::Closest(hits) => (has_image || self.layout.has_normals)
                .then(|| Image::of_posed(scene, posed, pixels.start, hits)),
            SweepAnswers::Returns(returns) => {
                has_image.then(|| Image::of_returns(scene, posed, pixels.clone(), returns))
            }
        };
        let normals = image.as_ref().map(|image| image.hits.primitive_normals.as_slice());
        let points = || {
            let (frame, origin) = (self.frame.into(), scene.origin());
            let mut points = match answers {
                SweepAnswers::Closest(hits) => {
                    CloudPoint::of_posed(hits, normals, posed, pixels.start, frame, origin)
                }
                SweepAnswers::Returns(returns) => {
                    CloudPoint::of_returns(returns, posed, frame, origin)
                }
            };
            points.iter_mut().for_each(|point| point.pose_number = self.source);
            self.layout.complete(&mut points, scene);
            points
        };
        let mut counts = answers.counts(posed, pixels.start);
        let point_count = match &mut self.files {
            OpenFiles::Cloud(writer) => {
                let points = points();
                counts.points = points.len() as u64;
                writer.add_part(&points, counts)?;
                points.len()
            }
            OpenFiles::Messages(writer) => match answers {
                SweepAnswers::Closest(hits) => {
                    writer.add(posed, pixels.start, hits, normals, scene)
                }
                SweepAnswers::Returns(returns) => writer.add_returns(posed, pixels, returns, scene),
            },
            OpenFiles::Folder { clouds, image: writer, .. } => {
                let points = if clouds.is_empty() { Vec::new() } else { points() };
                clouds.iter_mut().try_for_each(|(_, cloud)| cloud.add(&points))?;
                if let (Some(writer), Some(image)) = (writer, &image) {
                    writer.add(image)?;
                }
                points.len()
            }
        };
        counts.points = point_count as u64;
        self.of_pose += counts;
        Ok(())
    }

    /// Completes the files of a pose, given its number from 0 and its row of the trajectory. The
    /// files appear now.
    pub fn end(
        &mut self,
        number: usize,
        row: usize,
        trajectory: &Trajectory,
        scene: &Scene,
        console: &Console,
    ) -> Result<(), Failure> {
        let labels = self.layout.has_labels.then_some(scene);
        let mut counts = std::mem::take(&mut self.of_pose);
        if let OpenFiles::Messages(writer) = &mut self.files {
            writer.end_sweep()?;
        }
        let OpenFiles::Folder { folder, formats, z_scale, clouds, image } = &mut self.files else {
            self.written.counts += counts;
            return Ok(());
        };
        let extensions = extensions(formats, *z_scale);
        folder.add_pose(trajectory.times()[row], &trajectory.poses()[row], &extensions)?;
        let mut outputs = Outputs::default();
        for (path, cloud) in clouds.drain(..) {
            heights_text(&path, &cloud).iter().for_each(|text| console.say(text));
            outputs.join(cloud.complete()?.1);
            self.written.files.push(path);
        }
        if let Some(writer) = image.take() {
            let arrays = formats.contains(&FormatFlag::Npz).then(|| folder.file(number, "npz"));
            let picture = z_scale.map(|scale| (folder.file(number, "png"), scale));
            let (saturated, of_image) = writer.complete(
                arrays.as_deref(),
                picture.as_ref().map(|(path, scale)| (path.as_path(), *scale)),
                labels,
            )?;
            outputs.join(of_image);
            counts.saturated = saturated as u64;
            self.written.files.extend(arrays.into_iter().chain(picture.map(|(path, _)| path)));
        }
        outputs.publish()?;
        self.written.counts += counts;
        match self.is_kept {
            true => folder.keep(number, &extensions, counts)?,
            false => console.keeps(format!(
                "the files of {} poses are complete, but poses.csv is not: the same command starts again; with --resume, the next run can continue",
                number + 1
            )),
        }
        Ok(())
    }

    pub fn finish(self, console: &Console) -> Result<ScanWritten, Failure> {
        let Self { files, mut written, .. } = self;
        match files {
            OpenFiles::Cloud(writer) => {
                heights_text(&written.target, &writer).iter().for_each(|text| console.say(text));
                console.publish(writer.complete()?.1)?;
                written.files.push(written.target.clone());
            }
            OpenFiles::Messages(writer) => {
                console.publish(writer.complete()?)?;
                written.files.push(written.target.clone());
            }
            OpenFiles::Folder { folder, .. } => written.files.push(folder.finish()?),
        }
        Ok(written)
    }
}
