//! Who names whom, among the files of a package and among its folders, and the circles of that.

use super::names::{Names, join, names};
use std::collections::{BTreeMap, BTreeSet};

/// Who names whom, each time with a path that shows it.
pub type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// Returns who names whom among the source files of a package, whose paths begin with `src/`.
pub fn between_files(sources: &[(String, String)]) -> Edges {
    let modules = sources.iter().map(|(file, text)| {
        let module = module_of(file);
        let names = names(&module, text);
        (module, names)
    });
    let modules: BTreeMap<String, Names> = modules.collect();
    let edges = modules.iter().map(|(module, names)| {
        let named = names.paths.iter().map(|path| (resolve(path, &modules), path.clone()));
        (module.clone(), named.filter(|(target, _)| target != module).collect())
    });
    edges.collect()
}

/// Returns who names whom among the folders at the top of a package, each with the file beside it that has its name. The
/// root, which stands above them, is left out.
pub fn between_folders(files: &Edges) -> Edges {
    let mut folders = Edges::new();
    for (module, named) in files {
        let folder = folder_of(module);
        let of_folder = folders.entry(folder.to_owned()).or_default();
        for (target, path) in named {
            if folder_of(target) != folder && !folder_of(target).is_empty() {
                of_folder
                    .entry(folder_of(target).to_owned())
                    .or_insert(format!("{path} in {module}"));
            }
        }
    }
    folders.remove("");
    folders
}

fn folder_of(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// Returns the path of a module, such as `bvh::walk`, by its file; it is empty for the root.
fn module_of(file: &str) -> String {
    match file.trim_start_matches("src/").trim_end_matches(".rs") {
        "lib" | "main" => String::new(),
        stem => stem.replace('/', "::"),
    }
}

/// Finds the module in whose file a path ends. What a module passes on from its children is in their files.
fn resolve(path: &str, modules: &BTreeMap<String, Names>) -> String {
    let mut module = String::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (name, following) = rest.split_once("::").unwrap_or((rest, ""));
        let child = join(&module, name);
        if modules.contains_key(&child) {
            module = child;
            rest = following;
            continue;
        }
        return match modules.get(&module).and_then(|names| names.passed_on.get(name)) {
            Some(target) => resolve(&join(target, following), modules),
            None => module,
        };
    }
    module
}

/// Returns the shortest circle through each one that is in a circle, as sentences; a circle is listed once.
pub fn circles(edges: &Edges) -> BTreeSet<Vec<String>> {
    let circles = edges.keys().filter_map(|start| {
        let mut circle = shortest_circle(start, edges)?;
        let least = (0..circle.len()).min_by_key(|&place| &circle[place])?;
        circle.rotate_left(least);
        Some(circle)
    });
    let sentence = |circle: Vec<String>| {
        let steps = circle.iter().zip(circle.iter().cycle().skip(1));
        let step = |(from, to): (&String, &String)| {
            format!("{} names {}: {}", called(from), called(to), edges[from][to])
        };
        steps.map(step).collect()
    };
    circles.collect::<BTreeSet<_>>().into_iter().map(sentence).collect()
}

fn called(module: &str) -> &str {
    if module.is_empty() { "the root" } else { module }
}

/// Returns the files of a shortest circle, from the first on; `None` if it is in none.
fn shortest_circle(start: &str, edges: &Edges) -> Option<Vec<String>> {
    // Each one that was reached, with who named it first.
    let mut reached: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = std::collections::VecDeque::from([start]);
    while let Some(from) = waiting.pop_front() {
        for to in edges.get(from)?.keys() {
            if to == start {
                let mut circle = vec![from.to_owned()];
                let mut last = from;
                while last != start {
                    last = reached[last];
                    circle.push(last.to_owned());
                }
                circle.reverse();
                return Some(circle);
            }
            if !reached.contains_key(to.as_str()) {
                reached.insert(to, from);
                waiting.push_back(to);
            }
        }
    }
    None
}
