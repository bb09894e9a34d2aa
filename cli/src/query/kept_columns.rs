//! The columns that `--keep` names: those of ray files, or of the scene's table.

use super::output::Task;
use crate::Failure;
use raytwin::scene::Scene;
use raytwin_files::rays::PassedColumns;

/// The columns to keep, by their source.
pub(super) struct KeptColumns {
    /// The answers get these.
    pub of_rays: Vec<String>,
    /// The points of the cloud get these.
    pub of_scene: Vec<String>,
}

impl KeptColumns {
    /// Separates the columns. Returns an error for a column in both sources.
    pub fn find(
        names: &[String],
        has_cloud: bool,
        tasks: &[Task],
        scene: &Scene,
    ) -> Result<Self, Failure> {
        let known = scene.integer_names();
        let (of_scene, of_rays): (Vec<String>, Vec<String>) =
            names.iter().cloned().partition(|name| known.contains(&name[..]));
        for name in &of_scene {
            let is_in_rays =
                |task: &Task| PassedColumns::named(&task.rays, std::slice::from_ref(name)).is_ok();
            if tasks.iter().any(is_in_rays) {
                return Err(Failure::usage(format!(
                    "--keep {name}: the scene and the rays both have this column: rename one of the two"
                )));
            }
            if !has_cloud {
                return Err(Failure::usage(format!(
                    "--keep {name}: the points of a cloud get the scene's columns: give --cloud, or count hits with --hits-per {name}"
                )));
            }
        }
        if !of_rays.is_empty() {
            let known: Vec<&str> = known.into_iter().collect();
            let hint = match &known[..] {
                [] => String::new(),
                known => format!("; the scene's columns are {}", known.join(", ")),
            };
            let refused = tasks.iter().try_for_each(Task::refuse_kept_columns);
            refused.map_err(|failure| Failure::usage(format!("{}{hint}", failure.message)))?;
        }
        Ok(Self { of_rays, of_scene })
    }
}
