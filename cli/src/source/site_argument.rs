//! The flag that mounts a sensor at a site of a model.

use crate::failure::Failure;
use clap::Args;
use raytwin::scene::number_of_path;
use raytwin_formats::Mount;

/// The flag that mounts a sensor at a site.
#[derive(Debug, Default, Args)]
pub(crate) struct SiteArgument {
    /// Mount the sensor at this site of a MuJoCo model.
    ///
    /// The sensor has the axes of the site: a lidar looks along x with z up, and another camera
    /// along z with y down. It moves with the model. The sensor is that of --lidar or --camera, or
    /// else a perspective camera. As for --camera, the last part of a path is enough.
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    #[arg(conflicts_with_all = ["eye", "target", "up"])]
    site: Option<String>,
}

/// A site or a link on which a sensor is mounted. The sensor has its frame.
pub(crate) struct NamedMount {
    pub name: String,
    /// True for a link, whose frame messages publish.
    pub is_link: bool,
    pub mount: Mount,
}

impl SiteArgument {
    pub fn is_given(&self) -> bool {
        self.site.is_some()
    }

    /// Finds the site among those of a scene.
    pub fn mount(&self, sites: &[(String, Mount)]) -> Result<Option<NamedMount>, Failure> {
        let Some(wanted) = &self.site else { return Ok(None) };
        if sites.is_empty() {
            return Err(Failure::input(format!(
                "--site {wanted}: the scene has no sites, which only a MuJoCo model has: choose a camera with --camera"
            )));
        }
        let number = number_of_path("site", sites.iter().map(|(name, _)| name.as_str()), wanted);
        let number = number.map_err(|error| Failure::input(format!("--site {wanted}: {error}")))?;
        let (name, mount) = sites[number].clone();
        Ok(Some(NamedMount { name, is_link: false, mount }))
    }
}
