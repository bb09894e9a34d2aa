//! Counts the shapes of all instances before anything is built, and decides what stays an instance.

use super::contents::{Graph, GraphContents, GraphItem, Label};
use raytwin_files::FileError;
use raytwin_files::memory::{SHAPE_BYTES, bytes_of};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// Definitions that are used several times are written out as single shapes if all of their
/// instances together have no more primitives and no more nodes: rays are faster at the scene's own
/// shapes. More would need too much memory.
pub(super) const MOST_WRITTEN_OUT: u64 = 1 << 18;

/// The largest number of geometries, whose ids are below the id of a miss.
const MOST_GEOMETRIES: u64 = u32::MAX as u64 - 1;

/// The largest number of instances that fit into the slots of a tree.
const MOST_INSTANCES: u64 = 1 << 24;

/// The largest number of cameras from files. Each instance has its own.
const MOST_CAMERAS: u64 = 1 << 16;

/// The uses that become instances.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Pairs of contents that become a scene and of contents that are instances in it.
    instanced: HashSet<[u32; 2]>,
    /// The contents that become definitions, each before its users.
    pub definitions: Vec<u32>,
    figures: Vec<Figures>,
    /// The contents that each uses, with the number of uses.
    uses: Vec<Vec<(u32, u64)>>,
    /// All contents, each before its users.
    order: Vec<u32>,
    /// The bytes of memory that the scene and its definitions will take.
    pub bytes: u64,
}

/// Counts of contents with all instances written out. They saturate.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    geometries: u64,
    primitives: u64,
    /// The contents as wholes, and their nodes.
    groups: u64,
    cameras: u64,
    /// The depth of nested nodes and uses.
    depth: u64,
}

impl Figures {
    fn add(&mut self, other: Self, times: u64) {
        let sum = |of: u64, more: u64| of.saturating_add(more.saturating_mul(times));
        self.geometries = sum(self.geometries, other.geometries);
        self.primitives = sum(self.primitives, other.primitives);
        self.groups = sum(self.groups, other.groups);
        self.cameras = sum(self.cameras, other.cameras);
    }

    /// The work of writing it out.
    fn size(&self) -> u64 {
        self.primitives.max(self.groups)
    }
}

/// The number of geometries in contents, including everything that they use.
///
/// # Errors
/// [`FileError`] for definitions in a circle.
pub(crate) fn geometry_count(graph: &Graph, root: u32) -> Result<u64, FileError> {
    let uses: Vec<Vec<(u32, u64)>> = graph.0.iter().map(used_by).collect();
    let order = order(graph, &uses)?;
    Ok(figures(graph, &uses, &order)[root as usize].geometries)
}

/// The figures of all contents, given what each uses and their order.
fn figures(graph: &Graph, uses: &[Vec<(u32, u64)>], order: &[u32]) -> Vec<Figures> {
    let mut figures = vec![Figures::default(); graph.0.len()];
    for &contents in order {
        let mut own = own_figures(&graph.0[contents as usize]);
        uses[contents as usize]
            .iter()
            .for_each(|&(used, times)| own.add(figures[used as usize], times));
        own.depth = depth(&graph.0[contents as usize], &figures);
        figures[contents as usize] = own;
    }
    figures
}

impl Plan {
    /// Plans to make a scene of the contents `root`.
    ///
    /// # Errors
    /// [`FileError`] for definitions in a circle, and for more than a scene can have.
    pub fn new(graph: &Graph, root: u32, most_written_out: u64) -> Result<Self, FileError> {
        let uses: Vec<Vec<(u32, u64)>> = graph.0.iter().map(used_by).collect();
        let order = order(graph, &uses)?;
        let figures = figures(graph, &uses, &order);
        let Figures { geometries, cameras, .. } = figures[root as usize];
        let refuse = |count: u64, what: &str, most: u64| {
            let count = match count {
                u64::MAX => "more than 1.8e19".to_owned(),
                count => count.to_string(),
            };
            let reason = format!(
                "its instances make {count} {what}, and a scene can have at most {most}: use fewer instances"
            );
            Err(FileError::meaning(&graph.0[root as usize].path, "", reason))
        };
        if geometries > MOST_GEOMETRIES {
            return refuse(geometries, "geometries", MOST_GEOMETRIES);
        }
        if cameras > MOST_CAMERAS {
            return refuse(cameras, "cameras", MOST_CAMERAS);
        }
        let mut plan = Self {
            instanced: HashSet::new(),
            definitions: Vec::new(),
            figures,
            uses,
            order,
            bytes: 0,
        };
        let own_bytes: Vec<u64> = graph.0.iter().map(own_bytes).collect();
        let instances = plan.choose(root, most_written_out, &own_bytes);
        if instances > MOST_INSTANCES {
            return refuse(instances, "instances", MOST_INSTANCES);
        }
        plan.bytes = plan.bytes.saturating_add(instances * SHAPE_BYTES);
        Ok(plan)
    }

    /// Chooses the instances in the scene of the contents `root` and in each definition, and
    /// returns the number of instances in the scene. Adds up the bytes of the written-out parts,
    /// given those of each contents' own shapes.
    fn choose(&mut self, root: u32, most_written_out: u64, own_bytes: &[u64]) -> u64 {
        let Self { instanced, figures, uses, order, bytes, .. } = self;
        let mut is_scene = vec![false; uses.len()];
        is_scene[root as usize] = true;
        // The instances in each scene, with how often they are used.
        let mut instances_in: HashMap<u32, Vec<(u32, u64)>> = HashMap::new();
        for (from, &scene) in order.iter().enumerate().rev() {
            if !is_scene[scene as usize] {
                continue;
            }
            let mut times: HashMap<u32, u64> = HashMap::from([(scene, 1)]);
            for &contents in order[..=from].iter().rev() {
                let Some(times_here) = times.get(&contents).copied() else { continue };
                let size = figures[contents as usize].size();
                let is_written_out = contents == scene
                    || times_here == 1
                    || times_here.saturating_mul(size) <= most_written_out;
                if is_written_out {
                    let written = own_bytes[contents as usize].saturating_mul(times_here);
                    *bytes = bytes.saturating_add(written);
                    let uses = uses[contents as usize].iter();
                    for &(used, count) in
                        uses.filter(|(used, _)| figures[*used as usize].geometries > 0)
                    {
                        let sum = times.entry(used).or_default();
                        *sum = sum.saturating_add(times_here.saturating_mul(count));
                    }
                } else {
                    instanced.insert([scene, contents]);
                    is_scene[contents as usize] = true;
                    instances_in.entry(scene).or_default().push((contents, times_here));
                }
            }
        }
        is_scene[root as usize] = false;
        let definitions = order.iter().copied().filter(|&at| is_scene[at as usize]);
        self.definitions = definitions.collect();
        // A definition with instances of its own makes as many instances for each of its uses, and
        // one for its own shapes.
        let mut made_by: HashMap<u32, u64> = HashMap::new();
        for scene in self.definitions.iter().copied().chain([root]) {
            let made = instances_in.get(&scene).into_iter().flatten().map(|(used, times)| {
                made_by.get(used).map_or(1, |made| made.saturating_add(1)).saturating_mul(*times)
            });
            let made = made.fold(0, u64::saturating_add);
            made_by.insert(scene, made);
        }
        made_by.get(&root).copied().unwrap_or(0)
    }

    /// Returns true if a use of contents is an instance in a scene.
    pub fn is_instance(&self, scene: u32, contents: u32) -> bool {
        self.instanced.contains(&[scene, contents])
    }

    /// Returns true if contents have no geometry, including everything that they use.
    pub fn is_empty(&self, contents: u32) -> bool {
        self.figures[contents as usize].geometries == 0
    }

    /// The depth of nested nodes and uses in contents.
    pub fn depth(&self, contents: u32) -> u64 {
        self.figures[contents as usize].depth
    }

    /// The files of the geometries of the contents `root`, with the number of geometries from each.
    pub fn sources(&self, graph: &Graph, root: u32) -> impl Iterator<Item = (PathBuf, u64)> {
        let mut times = vec![0_u64; self.uses.len()];
        times[root as usize] = 1;
        let mut counts: BTreeMap<PathBuf, u64> = BTreeMap::new();
        for &contents in self.order.iter().rev() {
            let times_here = times[contents as usize];
            for &(used, count) in &self.uses[contents as usize] {
                let sum = times[used as usize].saturating_add(times_here.saturating_mul(count));
                times[used as usize] = sum;
            }
            let contents = &graph.0[contents as usize];
            let own = own_figures(contents).geometries.saturating_mul(times_here);
            if own > 0 {
                *counts.entry(contents.path.clone()).or_default() += own;
            }
        }
        counts.into_iter()
    }

    /// The number of geometries in contents, including everything that they use.
    pub fn geometry_count(&self, contents: u32) -> u64 {
        self.figures[contents as usize].geometries
    }

    /// The number of geometries of an item.
    pub fn geometries_of(&self, item: &GraphItem) -> u64 {
        match item {
            GraphItem::Shape(_) => 1,
            GraphItem::Rows(rows) => u64::from(rows.count),
            GraphItem::Use(used) => self.geometry_count(used.contents),
        }
    }

    /// Returns true if contents have a camera, or use contents with one.
    pub fn has_cameras(&self, contents: u32) -> bool {
        self.figures[contents as usize].cameras > 0
    }
}

/// The contents that others use, with the number of uses.
fn used_by(contents: &GraphContents) -> Vec<(u32, u64)> {
    let mut times: HashMap<u32, u64> = HashMap::new();
    let mut order = Vec::new();
    for item in &contents.items {
        if let GraphItem::Use(used) = item {
            let count = times.entry(used.contents).or_default();
            *count += 1;
            if *count == 1 {
                order.push(used.contents);
            }
        }
    }
    order.into_iter().map(|used| (used, times[&used])).collect()
}

fn own_figures(contents: &GraphContents) -> Figures {
    let mut figures = Figures {
        groups: contents.groups.len() as u64,
        cameras: contents.cameras.len() as u64,
        ..Figures::default()
    };
    for item in &contents.items {
        match item {
            GraphItem::Shape(shape) => {
                figures.geometries += 1;
                figures.primitives += shape.geometry.primitive_count() as u64;
            }
            GraphItem::Rows(rows) => {
                figures.geometries += u64::from(rows.count);
                figures.primitives += u64::from(rows.count);
            }
            GraphItem::Use(_) => {}
        }
    }
    figures
}

/// The bytes of memory that the shapes of contents take in a scene.
fn own_bytes(contents: &GraphContents) -> u64 {
    let shapes = contents.items.iter().map(|item| match item {
        GraphItem::Shape(shape) => bytes_of(&shape.geometry),
        GraphItem::Rows(rows) => u64::from(rows.count) * SHAPE_BYTES,
        GraphItem::Use(_) => 0,
    });
    shapes.fold(0, u64::saturating_add)
}

/// The depth of nested nodes and uses in contents, given the figures of everything that they use.
fn depth(contents: &GraphContents, figures: &[Figures]) -> u64 {
    let mut levels = vec![0_u64];
    for group in &contents.groups[1..] {
        // The frames of a robot are all siblings.
        let is_node = !matches!(group.label, Label::Frame(_));
        levels.push(levels[group.parent as usize] + u64::from(is_node));
    }
    let used = contents.items.iter().filter_map(|item| match item {
        GraphItem::Use(used) => {
            Some(levels[used.group as usize] + figures[used.contents as usize].depth)
        }
        GraphItem::Shape(_) | GraphItem::Rows(_) => None,
    });
    used.chain(levels.iter().copied()).max().unwrap_or(0)
}

/// All contents, each before its users.
fn order(graph: &Graph, uses: &[Vec<(u32, u64)>]) -> Result<Vec<u32>, FileError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = vec![State::New; uses.len()];
    let mut order = Vec::with_capacity(uses.len());
    for start in 0..uses.len() as u32 {
        if states[start as usize] != State::New {
            continue;
        }
        states[start as usize] = State::Open;
        // The contents in progress, each with the number of its uses that are done.
        let mut open = vec![(start, 0)];
        while let Some((contents, done)) = open.last_mut() {
            let Some(&(used, _)) = uses[*contents as usize].get(*done) else {
                states[*contents as usize] = State::Done;
                order.push(*contents);
                open.pop();
                continue;
            };
            *done += 1;
            match states[used as usize] {
                State::Done => {}
                State::New => {
                    states[used as usize] = State::Open;
                    open.push((used, 0));
                }
                State::Open => {
                    let around = open.iter().map(|(contents, _)| *contents);
                    let around: Vec<u32> =
                        around.skip_while(|&contents| contents != used).collect();
                    return Err(circle(graph, &around));
                }
            }
        }
    }
    Ok(order)
}

/// The error for contents each of which uses the next, and the last the first.
fn circle(graph: &Graph, around: &[u32]) -> FileError {
    const SHOWN: usize = 20;
    let called = |&contents: &u32| graph.0[contents as usize].called.clone();
    let mut names: Vec<String> = around.iter().take(SHOWN).map(called).collect();
    if around.len() > SHOWN {
        names.push("...".to_owned());
    }
    names.extend(around.first().map(called));
    let [first, last] = [around.first(), around.last()].map(|at| at.copied().unwrap_or_default());
    let closing = &graph.0[last as usize];
    let group = closing.items.iter().find_map(|item| match item {
        GraphItem::Use(used) if used.contents == first => Some(used.group),
        _ => None,
    });
    let place = group.map(|group| format!("{}use", closing.place_of(group))).unwrap_or_default();
    FileError::meaning(
        &closing.path,
        place,
        format!("closes a circle of definitions: {}", names.join(" -> ")),
    )
}
