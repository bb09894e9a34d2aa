//! A scan keeps its work, so that a later run goes on where an interrupted one stopped.

use super::{OpenFiles, ScanOutput};
use crate::console::Console;
use crate::failure::Failure;
use crate::scan::target::extensions;
use raytwin::scan::Trajectory;
use raytwin_files::{ScanCounts, partial_path};

/// The start of a scan that an earlier run has cast: whole poses, and pixels of the next one.
pub(in crate::scan) struct KeptStart {
    pub poses: usize,
    pub pixels: usize,
}

impl ScanOutput {
    /// Keeps what is done in a file beside the output, and takes up what an earlier run that was made
    /// from the same kept there.
    pub fn keeping(mut self, made_from: &str, console: &Console) -> Result<Self, Failure> {
        let partial = partial_path(&self.written.target);
        self.files = match self.files {
            OpenFiles::Cloud(writer) => OpenFiles::Cloud(writer.keeping_in(&partial, made_from)?),
            OpenFiles::Messages(_) => {
                return Err(Failure::usage(
                    "--resume cannot keep messages for an .mcap: give a cloud or a folder to -o",
                ));
            }
            OpenFiles::Folder { folder, formats, z_scale, clouds, image } => {
                let folder =
                    folder.keeping_in(&partial, made_from, &extensions(&formats, z_scale))?;
                OpenFiles::Folder { folder, formats, z_scale, clouds, image }
            }
        };
        self.is_kept = true;
        self.written.counts += self.kept().1;
        console.keeps_in(&partial);
        Ok(self)
    }

    /// Returns what an earlier run kept: how many parts, which are poses of a folder or else strides
    /// of pixels, and their counts.
    fn kept(&self) -> (usize, ScanCounts) {
        match &self.files {
            OpenFiles::Cloud(writer) => writer.kept(),
            OpenFiles::Messages(_) => (0, ScanCounts::default()),
            OpenFiles::Folder { folder, .. } => folder.kept(),
        }
    }

    /// Returns the start of the scan that need not be cast again, of poses with so many pixels, which
    /// are cast by strides.
    pub fn kept_start(&self, pixels: usize, stride: usize) -> KeptStart {
        let (parts, _) = self.kept();
        match &self.files {
            OpenFiles::Folder { .. } => KeptStart { poses: parts, pixels: 0 },
            _ => {
                let strides = pixels.div_ceil(stride);
                KeptStart { poses: parts / strides, pixels: parts % strides * stride }
            }
        }
    }

    /// Passes over a pose that an earlier run has cast, given its number from 0 and its row of the
    /// trajectory.
    pub fn pass_over(
        &mut self,
        number: usize,
        row: usize,
        trajectory: &Trajectory,
    ) -> Result<(), Failure> {
        let OpenFiles::Folder { folder, formats, z_scale, .. } = &mut self.files else {
            return Ok(());
        };
        let extensions = extensions(formats, *z_scale);
        folder.add_pose(trajectory.times()[row], &trajectory.poses()[row], &extensions)?;
        let files = extensions.iter().map(|extension| folder.file(number, extension));
        self.written.files.extend(files);
        Ok(())
    }
}
