//! Who names whom among the Python files of a package, by their imports of each other. An import for
//! type checkers alone, which a method that returns another file's type may need, names nothing.

use super::graph::Edges;

/// Returns who names whom among files, given by their paths in the package with their texts. The
/// package's own file, which passes on what the others have, is left out.
pub fn between_files(sources: &[(String, String)]) -> Edges {
    let module = |file: &str| file.trim_end_matches(".py").trim_end_matches("/__init__").to_owned();
    let known: Vec<String> = sources.iter().map(|(file, _)| module(file)).collect();
    let edges = sources.iter().filter(|(file, _)| file != "__init__.py").map(|(file, text)| {
        let lines = run_lines(text).filter(|line| line.starts_with("from ."));
        let named = lines.flat_map(|line| {
            let targets = targets(file, line, &known).into_iter();
            targets.map(|target| (target, line.to_owned())).collect::<Vec<_>>()
        });
        (module(file), named.filter(|(target, _)| *target != module(file)).collect())
    });
    edges.collect()
}

/// Iterates over the lines that run, without what only type checkers read.
fn run_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut is_for_checkers = false;
    text.lines().filter_map(move |line| {
        if !line.starts_with(' ') && !line.is_empty() {
            is_for_checkers = line.starts_with("if TYPE_CHECKING:");
        }
        (!is_for_checkers).then(|| line.trim())
    })
}

/// Returns the modules that a relative import names.
fn targets(file: &str, line: &str, known: &[String]) -> Vec<String> {
    let (from, names) = line["from ".len()..].split_once(" import ").unwrap_or((line, ""));
    let dots = from.chars().take_while(|letter| *letter == '.').count();
    let folders: Vec<&str> = file.split('/').collect();
    let above = &folders[..folders.len().saturating_sub(dots)];
    let base = above.iter().copied().chain(from[dots..].split('.'));
    let base: Vec<&str> = base.filter(|part| !part.is_empty()).collect();
    let names =
        names.trim_matches(['(', ')']).split(',').filter_map(|name| name.split_whitespace().next());
    // A name is that of a module, or else of what the base has.
    let of_name = |name| [&base[..], &[name]].concat().join("/");
    let (modules, items): (Vec<String>, Vec<String>) =
        names.map(of_name).partition(|target| known.contains(target));
    let has_items = modules.is_empty() || !items.is_empty();
    let of_base = Some(base.join("/")).filter(|base| has_items && known.contains(base));
    modules.into_iter().chain(of_base).collect()
}
