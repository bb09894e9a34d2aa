//! The frames of a world. Each is placed in another, which may be known only by its name until the
//! whole file is read. Names belong to scopes, which are the world and its models.

use super::element::Place;
use super::pose::{GivenPose, inverse};
use crate::aliases::suggestion;
use crate::shortened::shortened;
use raytwin::math::Similarity;
use raytwin_files::FileError;
use std::collections::HashMap;

/// The scope of the world, and the index of its frame.
const WORLD: usize = 0;

/// The largest number of nested models in a name such as `robot::arm::hand`.
const MAX_NAMED: usize = 100;

/// The largest number of frames or includes that a message names.
const SHOWN: usize = 10;

/// A scope of names, and the frame that is called `__model__` in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Within {
    scope: usize,
    /// The frame of the model or of the world, which is the default parent.
    pub frame: usize,
}

impl Within {
    /// The world.
    pub const WORLD: Self = Self { scope: WORLD, frame: WORLD };
}

/// The parent of a frame.
#[derive(Clone, Debug)]
pub(super) enum Parent {
    Frame(usize),
    Named(String),
}

impl Parent {
    /// The frame with a name, or otherwise a known one.
    pub fn named_or(name: Option<&String>, frame: usize) -> Self {
        name.map_or(Self::Frame(frame), |name| Self::Named(name.clone()))
    }
}

#[derive(Debug)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
}

#[derive(Debug)]
struct Frame {
    /// Its name, for messages.
    name: String,
    /// Where its parent is named.
    within: Within,
    parent: Parent,
    parent_from_frame: Similarity,
    /// The name of the frame in a model that is placed at the model's pose instead of the model's
    /// own frame, and where it is named.
    placement: Option<(String, Within)>,
    /// True for the frame of a shape, a joint or a sensor, which need not be resolved unless
    /// another frame refers to it.
    is_optional: bool,
    place: Place,
}

/// The frames that are placed at the poses of models instead of the models' own, by the latter.
type Placements = HashMap<usize, usize>;

/// The names in the world or in a model.
#[derive(Debug)]
struct Scope {
    frame: usize,
    names: HashMap<String, NamedFrame>,
    /// The reasons why models that would define names could not be read.
    missing: Vec<String>,
}

#[derive(Debug)]
struct NamedFrame {
    frame: usize,
    scope: Option<usize>,
    is_repeated: bool,
}

impl Frames {
    /// The world without anything in it, which a file describes from this place on.
    pub fn new(place: Place) -> Self {
        let world = Frame {
            name: "world".to_owned(),
            within: Within::WORLD,
            parent: Parent::Frame(WORLD),
            parent_from_frame: Similarity::IDENTITY,
            placement: None,
            is_optional: false,
            place,
        };
        let scope = Scope { frame: WORLD, names: HashMap::new(), missing: Vec::new() };
        Self { frames: vec![world], scopes: vec![scope] }
    }

    /// Adds a frame without a name, which need not be resolved. Its parent is the frame that its
    /// pose names, or `default`.
    pub fn add_optional(&mut self, within: Within, default: usize, pose: &GivenPose) -> usize {
        let parent = Parent::named_or(pose.relative_to.as_ref(), default);
        let frame = self.push(within, String::new(), parent, pose);
        self.frames[frame].is_optional = true;
        frame
    }

    /// Adds a named frame. Its parent is the frame that its pose names, or `default`.
    pub fn add_named(
        &mut self,
        within: Within,
        name: &str,
        default: Parent,
        pose: &GivenPose,
    ) -> usize {
        let parent = pose.relative_to.clone().map_or(default, Parent::Named);
        let frame = self.push(within, name.to_owned(), parent, pose);
        self.name(within, name, frame, None);
        frame
    }

    /// Adds the frame of a joint.
    pub fn add_joint(&mut self, within: Within, name: &str, default: Parent, pose: &GivenPose) {
        let frame = self.add_named(within, name, default, pose);
        self.frames[frame].is_optional = true;
    }

    /// Adds the frame of a model, and returns the scope of names in the model.
    pub fn add_model(
        &mut self,
        within: Within,
        name: &str,
        pose: &GivenPose,
        placement: Option<&str>,
    ) -> Within {
        let scope = self.scopes.len();
        let inner = self.place_model(within, name, pose, placement, scope);
        self.scopes.push(Scope { frame: inner.frame, names: HashMap::new(), missing: Vec::new() });
        self.name(within, name, inner.frame, Some(scope));
        inner
    }

    /// Adds the frame of a model that is merged into the model around it, whose scope has its
    /// names.
    pub fn add_merged(
        &mut self,
        within: Within,
        name: &str,
        pose: &GivenPose,
        placement: Option<&str>,
    ) -> Within {
        self.place_model(within, name, pose, placement, within.scope)
    }

    /// Records why a model could not be read, whose frames would have names here.
    pub fn add_missing(&mut self, within: Within, reason: String) {
        self.scopes[within.scope].missing.push(reason);
    }

    /// Adds the frame of a model, in which names belong to a scope.
    fn place_model(
        &mut self,
        within: Within,
        name: &str,
        pose: &GivenPose,
        placement: Option<&str>,
        scope: usize,
    ) -> Within {
        let parent = Parent::named_or(pose.relative_to.as_ref(), within.frame);
        let frame = self.push(within, name.to_owned(), parent, pose);
        let inner = Within { scope, frame };
        self.frames[frame].placement = placement.map(|placement| (placement.to_owned(), inner));
        inner
    }

    fn push(&mut self, within: Within, name: String, parent: Parent, pose: &GivenPose) -> usize {
        self.frames.push(Frame {
            name,
            within,
            parent,
            parent_from_frame: pose.pose,
            placement: None,
            is_optional: false,
            place: pose.place.clone(),
        });
        self.frames.len() - 1
    }

    fn name(&mut self, within: Within, name: &str, frame: usize, scope: Option<usize>) {
        let names = &mut self.scopes[within.scope].names;
        let named = NamedFrame { frame, scope, is_repeated: false };
        names.entry(name.to_owned()).and_modify(|it| it.is_repeated = true).or_insert(named);
    }

    /// Checks whether the parents of an unresolved frame exist.
    ///
    /// # Errors
    /// [`FileError`] for a name that belongs to no frame or to several, and for frames that are
    /// placed in each other.
    pub fn check(&self, frame: usize) -> Result<(), FileError> {
        let mut outer = frame;
        for _ in 0..self.frames.len() {
            if !self.frames[outer].is_optional {
                return Ok(());
            }
            outer = self.parent(outer)?;
        }
        Err(self.refuse(frame, "is placed in frames that form a circle".to_owned()))
    }

    /// Places all frames in the world. Of the frames that need not be resolved, places only the
    /// wanted ones.
    ///
    /// # Errors
    /// [`FileError`] for a name that belongs to no frame or to several, and for frames that are
    /// placed in each other.
    pub fn resolve(
        mut self,
        wanted: impl Iterator<Item = usize>,
    ) -> Result<Vec<Similarity>, FileError> {
        let (parents, placements) = self.parents(wanted)?;
        let order = self.outer_first(&parents)?;
        // The parts of a model come after it, so the path to a placement is known before it is
        // needed.
        for &frame in order.iter().rev() {
            if let Some(&placement) = placements.get(&frame) {
                let Some(model_from_placement) = self.way(&parents, frame, placement) else {
                    let name = &self.frames[placement].name;
                    let reason =
                        format!("placement_frame \"{}\" is outside the model", shortened(name));
                    return Err(self.refuse(frame, reason));
                };
                let pose = &mut self.frames[frame].parent_from_frame;
                *pose = pose.then_inner(&inverse(&model_from_placement));
            }
        }
        let mut world_from_frames = vec![Similarity::IDENTITY; self.frames.len()];
        for frame in order {
            if let Some(parent) = parents[frame] {
                let world_from_parent: Similarity = world_from_frames[parent];
                world_from_frames[frame] =
                    world_from_parent.then_inner(&self.frames[frame].parent_from_frame);
            }
        }
        Ok(world_from_frames)
    }

    /// Finds the parent of each frame, except the world and frames that need not be resolved, and
    /// the placements by their models.
    fn parents(
        &self,
        wanted: impl Iterator<Item = usize>,
    ) -> Result<(Vec<Option<usize>>, Placements), FileError> {
        let mut parents = vec![None; self.frames.len()];
        let mut placements = Placements::new();
        let mut waiting: Vec<usize> = wanted.collect();
        waiting.extend((0..self.frames.len()).rev().filter(|&it| !self.frames[it].is_optional));
        while let Some(index) = waiting.pop() {
            let frame = &self.frames[index];
            if index == WORLD || parents[index].is_some() {
                continue;
            }
            let parent = self.parent(index)?;
            parents[index] = Some(parent);
            waiting.push(parent);
            if let Some((name, inner)) = &frame.placement {
                let placement = self.named(index, *inner, name)?;
                placements.insert(index, placement);
                waiting.push(placement);
            }
        }
        Ok((parents, placements))
    }

    fn parent(&self, frame: usize) -> Result<usize, FileError> {
        let Frame { within, parent, .. } = &self.frames[frame];
        match parent {
            Parent::Frame(parent) => Ok(*parent),
            Parent::Named(name) => self.named(frame, *within, name),
        }
    }

    fn named(&self, frame: usize, within: Within, name: &str) -> Result<usize, FileError> {
        self.find(within, name).map_err(|reason| self.refuse(frame, reason))
    }

    fn find(&self, within: Within, name: &str) -> Result<usize, String> {
        let scope = &self.scopes[within.scope];
        match name {
            "world" if within.scope == WORLD => return Ok(WORLD),
            "__model__" if within.scope != WORLD => return Ok(within.frame),
            _ => {}
        }
        match scope.names.get(name) {
            Some(named) if named.is_repeated => {
                return Err(format!("\"{}\" is the name of several frames", shortened(name)));
            }
            Some(named) => return Ok(named.frame),
            None => {}
        }
        for (at, separator) in name.match_indices("::").take(MAX_NAMED) {
            let model = scope.names.get(&name[..at]).filter(|model| !model.is_repeated);
            if let Some(inner) = model.and_then(|model| model.scope) {
                let within = Within { scope: inner, frame: self.scopes[inner].frame };
                return self.find(within, &name[at + separator.len()..]);
            }
        }
        let mut known: Vec<&str> = scope.names.keys().map(String::as_str).collect();
        known.sort_unstable();
        known.truncate(MAX_NAMED);
        let advice = match known.is_empty() {
            true => "no frame has a name here".to_owned(),
            false => suggestion(name, &known),
        };
        let missing = scope.missing[..scope.missing.len().min(SHOWN)].join(", ");
        let lost = match missing.is_empty() {
            true => String::new(),
            false => format!("; an include that may define it could not be read ({missing})"),
        };
        Err(format!("\"{}\" is not a frame; {advice}{lost}", shortened(name)))
    }

    /// The placed frames, each after its parent.
    fn outer_first(&self, parents: &[Option<usize>]) -> Result<Vec<usize>, FileError> {
        let mut order = vec![WORLD];
        let mut is_placed = vec![false; parents.len()];
        let mut is_met = is_placed.clone();
        is_placed[WORLD] = true;
        for first in 0..parents.len() {
            let mut inner = Vec::new();
            let mut frame = first;
            while let Some(parent) = parents[frame].filter(|_| !is_placed[frame]) {
                if is_met[frame] {
                    return Err(self.refuse_circle(parents, frame));
                }
                is_met[frame] = true;
                inner.push(frame);
                frame = parent;
            }
            for &frame in inner.iter().rev() {
                is_placed[frame] = true;
                order.push(frame);
            }
        }
        Ok(order)
    }

    fn refuse_circle(&self, parents: &[Option<usize>], frame: usize) -> FileError {
        let mut names = vec![shortened(&self.frames[frame].name)];
        let mut around = parents[frame];
        while let Some(other) = around.filter(|&other| other != frame && names.len() < SHOWN) {
            names.push(shortened(&self.frames[other].name));
            around = parents[other];
        }
        names.push(if around == Some(frame) { names[0].clone() } else { "...".to_owned() });
        self.refuse(frame, format!("is placed in itself: {}", names.join(" in ")))
    }

    /// The transform of a frame into one of its ancestors; `None` if it is not an ancestor.
    fn way(&self, parents: &[Option<usize>], outer: usize, inner: usize) -> Option<Similarity> {
        let mut outer_from_inner = Similarity::IDENTITY;
        let mut frame = inner;
        while frame != outer {
            outer_from_inner = self.frames[frame].parent_from_frame.then_inner(&outer_from_inner);
            frame = parents[frame]?;
        }
        Some(outer_from_inner)
    }

    fn refuse(&self, frame: usize, reason: String) -> FileError {
        self.frames[frame].place.refuse(reason)
    }
}
