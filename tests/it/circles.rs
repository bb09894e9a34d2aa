//! The rule that no two source files name each other, directly or through others, in any package; and no two folders at the
//! top of a package.
//!
//! A file names another if a `use` line or a path in its code leads to an item there. A parent that only declares a child, or
//! passes its items on (`pub use child::Item`), does not name it: who names the item then names the child. A parent that uses
//! a child itself names it as any other file, so its child must not name the parent's own items: they belong in a file of
//! their own. Code for tests may name everything.

mod graph;
mod names;
mod python;
mod words;

use crate::house::files;
use graph::{Edges, between_files, between_folders, circles};

/// The folders of all packages, each with its `/`.
const PACKAGES: [&str; 8] =
    ["", "verify/", "files/", "formats/", "cli/", "python/", "web/", "web/builder/"];

/// Returns who names whom among the source files of a package.
fn edges_of(package: &str) -> Edges {
    let files = files(&format!("{package}src"), ".rs").into_iter();
    let sources: Vec<(String, String)> =
        files.map(|(file, text)| (file[package.len()..].to_owned(), text)).collect();
    between_files(&sources)
}

/// Fails with the circles of all packages.
fn assert_straight(edges: impl Fn(&str) -> Edges) {
    let found = PACKAGES.map(|package| (package, circles(&edges(package))));
    let found: Vec<_> = found.into_iter().filter(|(_, circles)| !circles.is_empty()).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_file_names_itself_through_others() {
    assert_straight(edges_of);
}

#[test]
fn no_folder_names_itself_through_others() {
    assert_straight(|package| between_folders(&edges_of(package)));
}

#[test]
fn no_file_of_the_wheel_imports_itself_through_others() {
    let folder = "python/raytwin/";
    let files = files(folder.trim_end_matches('/'), ".py").into_iter();
    let sources: Vec<_> =
        files.map(|(file, text)| (file[folder.len()..].to_owned(), text)).collect();
    let edges = python::between_files(&sources);
    assert!(edges["scans"].contains_key("cloud") && edges["scene"].contains_key("notebook"));
    assert!(circles(&edges).is_empty(), "{:#?}", circles(&edges));
}

#[test]
fn a_circle_of_imports_is_found() {
    let circles_of = |last: &str| {
        let files = [
            ("__init__.py", "from .a import A\nfrom . import b"),
            ("a.py", "from . import _native, b\nfrom .part import C"),
            (
                "b.py",
                "if TYPE_CHECKING:\n    from .a import A\n\ndef late():\n    from .part.c import C",
            ),
            ("part/__init__.py", "from .c import C"),
            ("part/c.py", last),
        ];
        circles(&python::between_files(
            &files.map(|(file, text)| (file.to_owned(), text.to_owned())),
        ))
    };
    assert!(circles_of("from .. import _native").is_empty());
    for last in
        ["from .. import b", "from ..a import (", "from ..a import A as B", "from . import C"]
    {
        assert!(!circles_of(last).is_empty(), "{last}");
    }
}

/// Returns who names whom among these files, given as `src/a.rs`, a line break, and the text.
fn edges_among(files: &[&str]) -> Edges {
    let split = |file: &&str| {
        let (path, text) = file.split_once('\n').unwrap_or((file, ""));
        (path.to_owned(), text.to_owned())
    };
    between_files(&files.iter().map(split).collect::<Vec<_>>())
}

/// A package without a circle, in which everything is named that may be.
const STRAIGHT: [&str; 6] = [
    "src/main.rs\nmod a;\nmod c;\nmod d;\npub(crate) use c::C;\nfn main() { a::run(a::Both) }",
    "src/a.rs\nmod b;\nmod e;\npub use b::{B, Two as Both};\npub(in crate::d) fn run(_: B) { e::E.f() }",
    "src/a/b.rs\nuse crate::{c, d::{self, D}};\npub struct B(crate::C, c::Other, d::D);\npub struct Two;",
    "src/a/e.rs\nuse super::B;\npub struct E;\nimpl E { fn f(&self) -> impl Fn() + use<'_> { || super::b::two() } }",
    "src/c.rs\npub struct C; // crate::a::B\nconst QUOTE: char = '\"';\nconst TEXT: &str = r#\"\"crate::a::B\"#;\nfn f<'a>() {}",
    "src/d.rs\npub struct D;\n#[cfg(test)]\nuse crate::a::B;\n#[cfg(test)]\nmod tests {\n use super::*;\n use crate::a::run;\n}",
];

#[test]
fn what_may_be_named_is_no_circle() {
    let edges = edges_among(&STRAIGHT);
    assert!(circles(&edges).is_empty(), "{:#?}", circles(&edges));
    assert!(circles(&between_folders(&edges)).is_empty());
    let named = |from: &str| edges[from].keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(named(""), ["a", "a::b"]);
    assert_eq!(named("a"), ["a::b", "a::e"], "B is in a signature, and what is passed on is not");
    assert_eq!(named("a::b"), ["c", "d"]);
    assert_eq!(named("a::e"), ["a::b"], "a parent that passes on what a child has is not named");
}

/// Each of these files, in place of the one of its name, closes a circle of so many files.
const ROUND: [(&str, usize); 13] = [
    ("src/d.rs\nuse crate::a::b::B;", 2),
    ("src/d.rs\nuse crate::{\n    c,\n    a::{B},\n};", 2),
    ("src/d.rs\nfn f() -> crate::a::Both { loop {} }", 2),
    ("src/d.rs\nfn f() { super::a::B.g() }", 2),
    ("src/d.rs\nuse super::a;\nfn f() { a::Both.g() }", 2),
    ("src/d.rs\nmod inner {\n    fn f() { super::super::a::B.g() }\n}", 2),
    // What the root has itself, in place of what it passes on.
    ("src/a.rs\npub fn run() { crate::main() }", 2),
    ("src/c.rs\nuse super::main;", 3),
    // A child that names its parent, which names it.
    ("src/a/e.rs\npub struct E;\nfn f() { super::run() }", 2),
    ("src/a/b.rs\nuse super::{run, e::E};\npub struct B;", 2),
    ("src/a/b.rs\npub struct B;\nfn f() { super::super::a::run(B) }", 2),
    // A child that names its sibling, which names it.
    ("src/a/b.rs\npub struct B;\nfn f() { super::e::E.f() }", 2),
    ("src/a/b.rs\nuse super::e;\npub struct B;\nfn f() -> e::E { e::E }", 2),
];

#[test]
fn every_kind_of_circle_is_found() {
    for (other, length) in ROUND {
        let path = |file: &str| file.split('\n').next().map(str::to_owned);
        let replaced = STRAIGHT.map(|file| if path(file) == path(other) { other } else { file });
        let found = circles(&edges_among(&replaced));
        let shortest = found.iter().map(Vec::len).min();
        assert_eq!(shortest, Some(length), "{other}: {found:#?}");
    }
}

#[test]
fn a_circle_of_folders_is_found_where_there_is_none_of_files() {
    let files =
        ["src/lib.rs\nmod a;\nmod d;", "src/a.rs\nmod b;\nmod c;", "src/a/c.rs", "src/d.rs"];
    let [one, other] = ["src/a/b.rs\nuse crate::d::D;", "src/d.rs\nfn f() { super::a::c::g() }"];
    let edges = edges_among(&[files[0], files[1], files[2], one, other]);
    assert!(circles(&edges).is_empty());
    assert_eq!(circles(&between_folders(&edges)).len(), 1);
    let straight = edges_among(&[files[0], files[1], files[2], one, files[3]]);
    assert!(circles(&between_folders(&straight)).is_empty());
}
