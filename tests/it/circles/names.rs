//! What a source file names of its package: in `use` lines, and by paths in its code that begin with `crate`, `super`,
//! `self`, one of its children, or a name that it imports.

use super::words::words;
use std::collections::{BTreeMap, BTreeSet};

/// What one file says of others. Its paths begin at the package's root, without `crate`.
#[derive(Default)]
pub struct Names {
    /// The paths that it imports or names.
    pub paths: BTreeSet<String>,
    /// The names that it passes on from its own children, with their paths: `pub use child::Name`.
    pub passed_on: BTreeMap<String, String>,
}

/// Returns what a file names. Its module is a path such as `bvh::walk`, and empty for the root.
pub fn names(module: &str, text: &str) -> Names {
    let statements = Statements::read(module, &words(text));
    let children = &statements.children;
    let mut names = Names::default();
    let mut imported = BTreeMap::new();
    for import in &statements.imports {
        let path = absolute(&import.path, &import.scope, module, children, &BTreeMap::new());
        let Some(path) = path else { continue };
        let is_of_child = children.iter().any(|child| starts_with(&path, &join(module, child)));
        if import.is_public && is_of_child {
            names.passed_on.insert(import.name.clone(), path.clone());
        } else {
            names.paths.insert(path.clone());
        }
        imported.insert(import.name.clone(), path);
    }
    for (scope, path) in &statements.paths {
        names.paths.extend(absolute(path, scope, module, children, &imported));
    }
    // What is passed on may be used here too.
    let used = statements.used.iter().filter_map(|name| names.passed_on.get(name));
    names.paths.extend(used.cloned());
    names
}

pub fn join(path: &str, rest: &str) -> String {
    let parts = [path, rest].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("::")
}

fn starts_with(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Makes a path that stands in a scope of a module into one from the package's root; `None` for one into another package.
fn absolute(
    path: &str,
    scope: &str,
    module: &str,
    children: &BTreeSet<String>,
    imported: &BTreeMap<String, String>,
) -> Option<String> {
    let (first, rest) = path.split_once("::").unwrap_or((path, ""));
    match first {
        "crate" => Some(rest.to_owned()),
        "self" => Some(join(scope, rest)),
        "super" => {
            let parent = scope.rsplit_once("::").map_or("", |(parent, _)| parent);
            match starts_with(rest, "super") {
                true => absolute(rest, parent, module, children, imported),
                false => Some(join(parent, rest)),
            }
        }
        _ if children.contains(first) => Some(join(module, path)),
        _ => imported.get(first).map(|start| join(start, rest)),
    }
}

/// A name that a `use` line brings into a scope.
struct Import {
    scope: String,
    path: String,
    name: String,
    is_public: bool,
}

/// The statements of a file that matter here, without those for tests.
#[derive(Default)]
struct Statements {
    children: BTreeSet<String>,
    imports: Vec<Import>,
    /// The paths in the code, each with its scope: the file's module, or one between braces in it.
    paths: Vec<(String, String)>,
    /// The names of types, and of functions that are called.
    used: BTreeSet<String>,
}

impl Statements {
    fn read(module: &str, words: &[String]) -> Self {
        let mut statements = Self::default();
        // The scopes that are open, each with the number of braces around it.
        let mut scopes = vec![(module.to_owned(), 0)];
        let mut depth = 0;
        let mut is_public = false;
        let mut at = 0;
        while at < words.len() {
            let rest = &words[at..];
            let before = at.checked_sub(1).map_or("", |before| &words[before]);
            let scope = &scopes[scopes.len() - 1].0;
            at += 1;
            match [0, 1, 2].map(|place| rest.get(place).map_or("", String::as_str)) {
                ["#", "[", "cfg"] if is_for_tests(rest) => at += item_length(rest) - 1,
                ["pub", following, _] => {
                    is_public = true;
                    // `pub(in path)` names nobody.
                    at += if following == "(" { length_to(rest, ")") - 1 } else { 0 };
                    continue;
                }
                // `use<'a>` in a type says what it borrows.
                ["use", following, _] if following != "<" => {
                    let length = length_to(rest, ";");
                    for (path, name) in expand("", &rest[1..length - 1]) {
                        let scope = scope.clone();
                        statements.imports.push(Import { scope, path, name, is_public });
                    }
                    at += length - 1;
                }
                ["mod", name, ";"] => {
                    statements.children.insert(name.to_owned());
                }
                ["mod", name, "{"] => {
                    let scope = join(scope, name);
                    depth += 1;
                    scopes.push((scope, depth));
                    at += 2;
                }
                ["{", ..] => depth += 1,
                ["}", ..] => {
                    if scopes.last().is_some_and(|(_, start)| *start == depth) {
                        scopes.pop();
                    }
                    depth -= 1;
                }
                [path, ..] if path.contains("::") && path != "::" => {
                    statements.paths.push((scope.clone(), path.to_owned()));
                }
                [name, following, _] if is_use(before, name, following) => {
                    statements.used.insert(name.to_owned());
                }
                _ => {}
            }
            is_public = false;
        }
        statements
    }
}

/// Returns true if a name is that of a type or a constant, or of a function that is called, and not
/// that of a field, of a method or of what is declared there.
fn is_use(before: &str, name: &str, following: &str) -> bool {
    let is_type = name.starts_with(char::is_uppercase);
    let is_declared = ["fn", "struct", "enum", "trait", "type", "."].contains(&before);
    !is_declared && (is_type || following == "(")
}

/// Returns how many words there are up to the first one that is like this, and with it.
fn length_to(words: &[String], end: &str) -> usize {
    words.iter().position(|word| word == end).map_or(words.len(), |place| place + 1)
}

fn is_for_tests(attribute: &[String]) -> bool {
    ["#", "[", "cfg", "(", "test", ")", "]"].iter().eq(attribute.iter().take(7))
}

/// Returns the length of an item with its attributes: it ends with its `;`, or with the `}` of its body.
fn item_length(words: &[String]) -> usize {
    let mut depth = 0;
    for (place, word) in words.iter().enumerate() {
        depth += match word.as_str() {
            "{" | "(" | "[" => 1,
            "}" | ")" | "]" => -1,
            _ => 0,
        };
        if depth == 0 && (word == ";" || word == "}") {
            return place + 1;
        }
    }
    words.len()
}

/// Returns the single paths of `a::{b, c::{d, e as f}}`, each with the name that it has from then on.
fn expand(prefix: &str, tree: &[String]) -> Vec<(String, String)> {
    let mut depth = 0;
    let branches = tree.split(|word| {
        depth += match word.as_str() {
            "{" => 1,
            "}" => -1,
            _ => 0,
        };
        word == "," && depth == 0
    });
    let branches = branches.filter(|branch| !branch.is_empty());
    branches.flat_map(|branch| expand_branch(prefix, branch)).collect()
}

fn expand_branch(prefix: &str, branch: &[String]) -> Vec<(String, String)> {
    if let Some(opening) = branch.iter().position(|word| word == "{") {
        let prefix = join(prefix, branch[..opening].concat().trim_end_matches("::"));
        return expand(&prefix, &branch[opening + 1..branch.len() - 1]);
    }
    let (path, name) = match branch.iter().position(|word| word == "as") {
        Some(place) => (branch[..place].concat(), Some(branch[place + 1].clone())),
        None => (branch.concat(), None),
    };
    let path = if path == "self" { prefix.to_owned() } else { join(prefix, &path) };
    let name = name.unwrap_or_else(|| path.rsplit("::").next().unwrap_or_default().to_owned());
    vec![(path, name)]
}
