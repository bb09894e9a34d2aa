//! A scan keeps its results, so that a later run continues where an interrupted one stopped.

use super::{OpenFiles, ScanOutput};
use crate::console::Console;
use crate::failure::Failure;
use crate::scan::target::extensions;
use raytwin::scan::Trajectory;
use raytwin_files::{ScanCounts, partial_path};

/// The part of a scan that an earlier run cast: whole poses, and pixels of the next pose.
pub(in crate::scan) struct KeptStart {
    pub poses: usize,
    pub pixels: usize,
}

impl ScanOutput {
    /// Keeps results in a file next to the output, and reads the results that an earlier run with
    /// the same inputs kept there.
    pub fn keeping(mut self, made_from: &str, console: &Console) -> Result<Self, Failure> {
        let partial = partial_path(&self.written.target);
        self.files = match self.files {
            OpenFiles::Cloud(writer) => OpenFiles::Cloud(writer.keeping_in(&partial, made_from)?),
            OpenFiles::Messages(_) => {
                return Err(Failure::usage(
                    "--resume does not work for an .mcap: give a cloud or a folder to -o",
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

    /// Returns the number of parts that an earlier run kept, and their counts. A part is a pose for
    /// a folder, and else a stride of pixels.
    fn kept(&self) -> (usize, ScanCounts) {
        match &self.files {
            OpenFiles::Cloud(writer) => writer.kept(),
            OpenFiles::Messages(_) => (0, ScanCounts::default()),
            OpenFiles::Folder { folder, .. } => folder.kept(),
        }
    }

    /// Returns the part of the scan that need not be cast again. A pose has `pixels` pixels, which
    /// are cast in strides.
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

    /// Skips a pose that an earlier run cast, given its number from 0 and its row of the
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
