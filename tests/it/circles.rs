//! The rule that no file of the library or of the wheel imports itself in a circle, read from the `use` lines and from the
//! paths in the code that begin with `crate`. A parent may name its own children in its code, as an enum of shapes names their types.

use crate::house::{code, files};
use std::collections::{BTreeMap, BTreeSet};

/// The path of a module, such as `bvh::walk`, by its file.
fn module_of(file: &str) -> String {
    let stem = file.trim_start_matches("src/").trim_end_matches(".rs");
    stem.replace('/', "::")
}

/// What one file says of others.
#[derive(Default)]
struct Uses {
    /// The paths that it imports or names, from the crate's root.
    paths: Vec<String>,
    /// The names that it passes on from its own children, with their paths: `pub use child::Name`.
    re_exports: BTreeMap<String, String>,
}

/// Expands `a::{b, c::{d, e}}` into single paths.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let mut depth = 0;
    let branches = inner.split(|c: char| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    let branches = branches.filter(|branch| !branch.trim().is_empty());
    branches.flat_map(|branch| expand(&format!("{prefix}{}", branch.trim()))).collect()
}

/// Makes a path that a module says into one from the crate's root; `None` for a path into another crate.
fn absolute(path: &str, module: &str, children: &BTreeSet<String>) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut segments: Vec<&str> = path.split("::").collect();
    match segments[0] {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while segments.first() == Some(&"super") {
                base.pop();
                segments.remove(0);
            }
            return Some([base, segments].concat().join("::"));
        }
        first if children.contains(first) => return Some(format!("{module}::{path}")),
        _ => return None,
    }
    Some([&base[..], &segments[1..]].concat().join("::"))
}

fn uses(module: &str, code: &str) -> Uses {
    let declared = code.lines().filter_map(|line| line.trim().strip_suffix(';'));
    let children = declared.filter_map(|line| Some(line.rsplit_once("mod ")?.1.to_owned()));
    let children: BTreeSet<String> = children.collect();
    let mut uses = Uses::default();
    for statement in code.split(';') {
        let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
        let visibility = before.rsplit('\n').next().unwrap_or_default().trim();
        if !visibility.is_empty() && !visibility.starts_with("pub") {
            continue;
        }
        let tree = tree.split_whitespace().collect::<Vec<_>>().join(" ").replace(":: ", "::");
        for path in expand(&tree).iter().filter_map(|path| absolute(path, module, &children)) {
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            let is_of_child = path.starts_with(&format!("{module}::"));
            if visibility.starts_with("pub") && is_of_child {
                uses.re_exports.insert(name, path);
            } else {
                uses.paths.push(path);
            }
        }
    }
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    for word in words.filter(|word| word.contains("::")) {
        if word.starts_with("crate::") {
            uses.paths.extend(absolute(word, module, &children));
        }
    }
    uses
}

/// Finds the module in whose file a path ends, through re-exports.
fn resolve(path: &str, modules: &BTreeMap<String, Uses>) -> Option<String> {
    let segments: Vec<&str> = path.split("::").collect();
    for length in (1..=segments.len()).rev() {
        let module = segments[..length].join("::");
        let Some(uses) = modules.get(&module) else { continue };
        let passed_on = segments.get(length).and_then(|name| uses.re_exports.get(*name));
        return match passed_on {
            Some(target) => resolve(target, modules),
            None => Some(module),
        };
    }
    None
}

/// Returns a circle of imports, if there is one.
fn circle(sources: &[(String, String)]) -> Option<Vec<String>> {
    let modules: BTreeMap<String, Uses> = sources
        .iter()
        .map(|(file, text)| (module_of(file), uses(&module_of(file), &code(text))))
        .collect();
    let edges: BTreeMap<&String, BTreeSet<String>> = modules
        .iter()
        .map(|(module, uses)| {
            let targets = uses.paths.iter().filter_map(|path| resolve(path, &modules));
            (module, targets.filter(|target| target != module).collect())
        })
        .collect();
    // A module without a circle below it is never looked at again.
    let mut done = BTreeSet::new();
    fn visit(
        module: &String,
        edges: &BTreeMap<&String, BTreeSet<String>>,
        way: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = way.iter().position(|visited| visited == module) {
            return Some(way[start..].to_vec());
        }
        if done.contains(module) {
            return None;
        }
        way.push(module.clone());
        let found = edges[module].iter().find_map(|target| visit(target, edges, way, done));
        way.pop();
        done.insert(module.clone());
        found
    }
    edges.keys().find_map(|module| visit(module, &edges, &mut Vec::new(), &mut done))
}

#[test]
fn no_file_imports_in_a_circle() {
    for package in ["", "python/"] {
        let sources = files(&format!("{package}src"), ".rs").into_iter();
        let sources = sources.map(|(file, text)| (file[package.len()..].to_owned(), text));
        // The root only declares modules and passes their names on.
        let sources: Vec<(String, String)> =
            sources.filter(|(file, _)| file != "src/lib.rs").collect();
        assert_eq!(circle(&sources), None);
    }
}

#[test]
fn a_circle_is_found_through_braces_re_exports_and_paths() {
    let source = |file: &str, text: &str| (format!("src/{file}.rs"), text.to_owned());
    let parent = source("a", "mod b;\npub use b::B;\n");
    let child = source("a/b", "use crate::{c::C, d};\npub struct B;\n");
    let straight = [
        parent.clone(),
        child.clone(),
        source("c", "pub struct C;"),
        source("d", "use crate::a::A;\n"),
    ];
    assert_eq!(circle(&straight), None, "a parent that passes on what a child has is no circle");
    for other in ["use super::a::B;", "fn f() -> crate::a::B {}", "use crate::{\n    a::{B},\n};"] {
        let round = [parent.clone(), child.clone(), source("c", other), source("d", "")];
        assert!(circle(&round).is_some_and(|circle| circle.len() == 2), "{other}");
    }
    let imported = [source("a", "mod b;\nuse b::B;"), source("a/b", "use super::A;")];
    assert!(circle(&imported).is_some());
}
