//! Asks devices after an update: the scene is read as one whose geometries move, and everything is moved a little.

use super::live::{Device, tracer};
use super::{Arguments, Failure};
use raytwin::diff::faults::Fault;
use raytwin::diff::{Judge, Trial, nudged, trials};
use raytwin::import::{self, Options};
use raytwin::packed::PackedScene;
use raytwin::query::Query;
use raytwin::scene::Scene;
use raytwin::tracer::TraceError;

/// Scenes of more geometries are not asked again: an instance of its own for each would take more memory and time than the
/// comparison itself.
const MOST_GEOMETRIES: u32 = 10_000;

/// A scene before and after everything in it moved.
pub(super) struct MovedScene {
    before: PackedScene,
    after: Scene,
    judge: Judge,
    trials: Vec<Trial>,
}

impl MovedScene {
    /// Reads the scene anew; `None` if nothing in it moves or there is too much of it.
    pub fn read(arguments: &Arguments, is_of_cpu: bool) -> Result<Option<Self>, Failure> {
        let options = Options { movable: true, ..arguments.scene.options() };
        let before = import::load(arguments.scene.path(), &options)?.scene;
        let is_asked = !before.instances().is_empty()
            && before.world_count() == 1
            && before.geometry_count() <= MOST_GEOMETRIES;
        if !is_asked {
            return Ok(None);
        }
        // A scene at the edge of what coordinates may be cannot move.
        let Ok(after) = nudged(&before, arguments.seed) else { return Ok(None) };
        let packed = PackedScene::new(after.clone())?;
        let judge = match is_of_cpu {
            true => Judge::by_brute_force(&packed),
            false => Judge::new(&packed),
        };
        let queries = [Query::CLOSEST, Query::Count];
        let trials = trials(&after, &queries, arguments.random, arguments.seed);
        Ok(Some(Self { before: PackedScene::new(before)?, after, judge, trials }))
    }

    /// Casts into the scene as it was, moves it, and judges what a device answers then.
    pub fn compare(&self, device: &mut Device, fault: Option<&Fault>) -> Result<(), Failure> {
        let mut tracer = tracer(device.gpu.as_ref(), &self.before, fault)?;
        let mut is_updated = false;
        for trial in &self.trials {
            let batch = trial.batch().map_err(TraceError::from)?;
            if !is_updated {
                tracer.ask(trial.query, batch)?;
                tracer.update(&self.after)?;
                is_updated = true;
            }
            let answers = tracer.ask(trial.query, batch)?;
            device.outcome.add_rays_after_update(&self.judge, batch, &answers)?;
        }
        Ok(())
    }
}
