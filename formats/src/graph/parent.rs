//! Finds a node by its path, through definitions and files.

use super::contents::{Graph, GraphContents, GraphItem, Label};
use super::plan::Plan;
use crate::aliases::suggestion;
use crate::mount::Mount;
use raytwin::transform::Transform;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The largest number of paths from which a suggestion is chosen.
const MOST_SUGGESTED: usize = 1000;

/// The nodes of a graph by their paths.
pub(super) struct Paths<'g> {
    graph: &'g Graph,
    plan: &'g Plan,
    /// The nodes that were found, by the contents in which a path begins.
    found: HashMap<(u32, String), Option<PathNode>>,
}

/// A node of a path that begins in some contents.
#[derive(Clone)]
pub(super) struct PathNode {
    pub contents_from_node: Transform,
    /// The geometries of the contents that move with it, if it is a robot's link.
    pub carrier: Range<u32>,
}

/// A group with the rest of a path that is to be found in it.
struct Waiting<'p> {
    contents: u32,
    contents_from_here: Transform,
    rest: &'p str,
    /// The first of the geometries of these contents among those that the path begins in.
    first_geometry: u64,
}

impl<'g> Paths<'g> {
    pub fn new(graph: &'g Graph, plan: &'g Plan) -> Self {
        Self { graph, plan, found: HashMap::new() }
    }

    /// Finds the first node of a path that begins in some contents.
    pub fn find(&mut self, contents: u32, path: &str) -> Option<PathNode> {
        let key = (contents, path.to_owned());
        if let Some(found) = self.found.get(&key) {
            return found.clone();
        }
        let found = (!path.is_empty()).then(|| self.search(contents, path)).flatten();
        self.found.insert(key, found.clone());
        found
    }

    fn search(&self, contents: u32, path: &str) -> Option<PathNode> {
        let whole = Waiting {
            contents,
            contents_from_here: Transform::IDENTITY,
            rest: path,
            first_geometry: 0,
        };
        let mut waiting = vec![whole];
        // GraphContents are searched once for each rest of the path, however often they are used.
        let mut seen = HashSet::from([(contents, path.len())]);
        while let Some(Waiting { contents, contents_from_here, rest, first_geometry }) =
            waiting.pop()
        {
            let is_used = rest.len() < path.len();
            let contents = &self.graph.0[contents as usize];
            let groups = rests(contents, rest, is_used);
            let is_found = |group: &Option<(Transform, &str)>| {
                group.as_ref().is_some_and(|(_, rest)| rest.is_empty())
            };
            let found = groups.iter().skip(1).position(is_found);
            if let Some((group, (transform, _))) =
                found.and_then(|index| Some((index + 1, groups[index + 1].as_ref()?)))
            {
                let carrier = match link(contents, rest) {
                    Some(link) => link.carrier.clone(),
                    None => self.robot(contents, group as u32),
                };
                let id = |id: u32| (first_geometry + u64::from(id)) as u32;
                return Some(PathNode {
                    contents_from_node: contents_from_here.then_inner(transform),
                    carrier: id(carrier.start)..id(carrier.end),
                });
            }
            let mut inner = Vec::new();
            let mut next = first_geometry;
            for item in &contents.items {
                let first_geometry = next;
                next += self.plan.geometries_of(item);
                let GraphItem::Use(used) = item else { continue };
                let Some((transform, rest)) = &groups[used.group as usize] else { continue };
                if seen.insert((used.contents, rest.len())) {
                    let contents_from_here = contents_from_here.then_inner(transform);
                    let contents = used.contents;
                    inner.push(Waiting { contents, contents_from_here, rest, first_geometry });
                }
            }
            waiting.extend(inner.into_iter().rev());
        }
        None
    }

    /// The geometries of contents that are the only robot at a node: all its links move together.
    fn robot(&self, contents: &GraphContents, group: u32) -> Range<u32> {
        let mut next = 0;
        let mut robots = Vec::new();
        for item in &contents.items {
            let first = next;
            next += self.plan.geometries_of(item);
            let GraphItem::Use(used) = item else { continue };
            let mut links = self.graph.0[used.contents as usize].links.values();
            let Some(link) = links.next().filter(|_| used.group == group) else { continue };
            if links.all(|other| other.carrier == link.carrier) {
                let id = |id: u32| (first + u64::from(id)) as u32;
                robots.push(id(link.carrier.start)..id(link.carrier.end));
            }
        }
        match &robots[..] {
            [robot] => robot.clone(),
            _ => 0..0,
        }
    }

    /// Suggests the node that a path probably means, or lists some nodes.
    pub fn suggestion(&self, contents: u32, path: &str) -> String {
        let mut known: Vec<String> = Vec::new();
        let mut waiting = vec![(contents, String::new())];
        while let Some((contents, outer)) = waiting.pop() {
            let contents = &self.graph.0[contents as usize];
            let paths = paths(contents, &outer);
            for (group, path) in contents.groups.iter().zip(&paths).skip(1) {
                let is_named = !matches!(group.label, Label::Named(None) | Label::Frame(None));
                if is_named && known.len() < MOST_SUGGESTED {
                    known.push(path.clone());
                }
            }
            if known.len() >= MOST_SUGGESTED {
                break;
            }
            for item in contents.items.iter().rev() {
                if let GraphItem::Use(used) = item {
                    waiting.push((used.contents, paths[used.group as usize].clone()));
                }
            }
            waiting.truncate(MOST_SUGGESTED);
        }
        match known.len() {
            0 => "there is no node".to_owned(),
            _ => {
                let mut known: Vec<&str> = known.iter().map(String::as_str).collect();
                let near = suggestion(path, &known);
                match near.starts_with("did you mean") {
                    true => near,
                    false => {
                        known.truncate(10);
                        format!("nodes are {}", known.join(", "))
                    }
                }
            }
        }
    }
}

/// The link of a robot's contents that a path leads to. In some formats, its last name is enough.
fn link<'g>(contents: &'g GraphContents, path: &str) -> Option<&'g Mount> {
    let last = path.rsplit('/').next().unwrap_or(path);
    contents.links.get(path).or_else(|| contents.links.get(last))
}

/// The transform of each group of contents, and the rest of a path below it; `None` if the path
/// leads elsewhere. At the top of a scene, an unnamed node may be omitted from a path.
fn rests<'p>(
    contents: &GraphContents,
    path: &'p str,
    is_used: bool,
) -> Vec<Option<(Transform, &'p str)>> {
    let mut groups = vec![Some((Transform::IDENTITY, path))];
    for group in &contents.groups[1..] {
        let parent: Option<(Transform, &str)> = groups[group.parent as usize];
        let here = parent.and_then(|(transform, rest)| {
            let is_top = !is_used && rest.len() == path.len();
            let rest = match &group.label {
                Label::Whole | Label::Frame(None) => None,
                Label::Frame(Some(name)) => below(rest, &name.to_string()),
                Label::Node(_, Some(name)) | Label::Named(Some(name)) => below(rest, name),
                Label::Named(None) => Some(rest),
                Label::Node(index, None) => {
                    below(rest, &format!("nodes[{index}]")).or(is_top.then_some(rest))
                }
            };
            Some((transform.then_inner(&group.parent_from_group), rest?))
        });
        groups.push(here);
    }
    groups
}

/// The rest of a path after a name.
fn below<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(name)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn paths(contents: &GraphContents, outer: &str) -> Vec<String> {
    let mut paths = vec![outer.to_owned()];
    for group in &contents.groups[1..] {
        let parent = &paths[group.parent as usize];
        let last = match &group.label {
            Label::Whole | Label::Named(None) | Label::Frame(None) => String::new(),
            Label::Frame(Some(name)) => name.to_string(),
            Label::Node(_, Some(name)) | Label::Named(Some(name)) => name.clone(),
            Label::Node(index, None) => format!("nodes[{index}]"),
        };
        let is_joined = !parent.is_empty() && !last.is_empty();
        let slash = if is_joined { "/" } else { "" };
        paths.push(format!("{parent}{slash}{last}"));
    }
    paths
}
