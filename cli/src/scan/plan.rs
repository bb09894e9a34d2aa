//! The plan of a scan: everything that flags and files decide, checked before the first ray is
//! cast.

use super::Arguments;
use super::output::{KeptStart, ScanOutput};
use super::stage::Stage;
use super::sweeps::Sweeps;
use super::target::ScanTarget;
use crate::console::{Console, STRIDE};
use crate::failure::Failure;
use crate::hits_per::require_columns;
use raytwin_files::clouds::CloudFormat;

pub(super) struct ScanPlan<'a> {
    pub stage: Stage<'a>,
    pub sweeps: Sweeps,
    pub output: ScanOutput,
    /// True if beams are cast instead of rays. Their returns have intensities.
    pub has_returns: bool,
    /// The part of the output that an earlier run wrote.
    pub kept: KeptStart,
    /// The number of pixels to cast at a time. Returns stay in memory until they are written.
    pub stride: usize,
}

impl<'a> ScanPlan<'a> {
    pub fn new(arguments: &'a Arguments, device: &str, console: &Console) -> Result<Self, Failure> {
        let Some(output) = &arguments.output else {
            return Err(Failure::usage("-o: give the name of a cloud or folder"));
        };
        arguments.refuse_useless_resume()?;
        let target = ScanTarget::new(output, &arguments.each, arguments.depth_png)?;
        arguments.messages.refuse_without_messages(&target)?;
        let (stage, mut sweeps) = Sweeps::plan(arguments, &target, device, console)?;
        arguments.hits_per.refuse_unknown(stage.scene())?;
        require_columns("--keep", &arguments.keep, stage.scene())?;
        arguments.color_by.refuse_unknown(stage.scene())?;
        if target.is_one_cloud() && !arguments.resume {
            console.keeps_nothing_yet();
        }
        let links = std::mem::take(&mut sweeps.links);
        let (view, scene) = (&sweeps.view, stage.scene());
        // A LaserScan always has intensities.
        let has_returns = arguments.intensity.is_some()
            || target.has_ranges(view)
            || CloudFormat::have_returns(target.clouds().into_iter(), &view.camera.sensor);
        let sensor = (view, &sweeps.trajectory, has_returns);
        let mut output = ScanOutput::new(target, arguments, sensor, scene, console)?
            .with_names(sweeps.station_names())
            .with_links(links, console);
        output.announce(view, &sweeps.starts, console)?;
        if arguments.resume {
            let made_from = arguments.made_from(scene, view, &stage.device())?;
            output = output.keeping(&made_from, console)?;
        }
        let stride = STRIDE / usize::from(view.camera.sensor.pulse.most_returns());
        let kept = output.kept_start(view.pixels(), stride);
        Ok(Self { stage, sweeps, output, has_returns, kept, stride })
    }

    pub fn rays(&self) -> usize {
        self.sweeps.starts.len() * self.sweeps.view.pixels()
    }

    /// Returns the number of rays that an earlier run cast.
    pub fn kept_rays(&self) -> usize {
        self.kept.poses * self.sweeps.view.pixels() + self.kept.pixels
    }
}
