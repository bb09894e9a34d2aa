//! The documentation as a book: its links lead somewhere, its table of contents names every page, and what pages say of the
//! program is what the program says.

use super::common::documentation::{PROJECT, pages};
use super::common::workspace::Workspace;
use super::help::commands;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The line of a page at which writing by hand ends and that of the program begins.
const GENERATED: &str = "<!-- The rest is written by `RAYTWIN_WRITE_PAGES=1 cargo test --release -p raytwin-cli --test it book::`. -->\n";

/// Pages beside those of the documentation.
const OTHERS: [&str; 10] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "python/README.md",
    "web/README.md",
    "cli/README.md",
    "cli/witness/README.md",
    "files/README.md",
    "formats/README.md",
];

/// Returns the targets of a page's links and pictures.
fn links(page: &str) -> Vec<String> {
    let targets = Parser::new(page).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url),
        _ => None,
    });
    targets.map(String::from).collect()
}

/// Returns the anchors of a page's headings, as GitHub and mdBook make them: in lower case, with hyphens for spaces, and without
/// punctuation.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let heading = heading.take().unwrap_or_default().to_lowercase();
                let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                anchors.insert(kept.collect::<String>().replace(' ', "-"));
            }
            _ => {}
        }
    }
    anchors
}

/// Returns a path without `.` and `..`, or none where it leads out of the project.
fn from_project(folder: &Path, target: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in folder.join(target).components() {
        match part.as_os_str().to_str()? {
            "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name.into()),
        }
    }
    Some(parts.join("/"))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_of_it() {
    let mut all = pages();
    all.extend(OTHERS.map(|path| {
        (path.to_owned(), std::fs::read_to_string(Path::new(PROJECT).join(path)).unwrap())
    }));
    let mut wrong = Vec::new();
    for (path, page) in &all {
        let is_in_book = path.starts_with("docs/");
        for link in links(page).iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = Path::new(path).parent().unwrap();
            let target =
                if file.is_empty() { Some(path.clone()) } else { from_project(folder, file) };
            let exists = target.as_ref().is_some_and(|target| {
                Path::new(PROJECT).join(target).exists()
                    // The book holds nothing else.
                    && (!is_in_book || target.starts_with("docs/"))
            });
            let text = all.iter().find(|(path, _)| Some(path) == target.as_ref());
            let is_there =
                anchor.is_empty() || text.is_some_and(|(_, text)| anchors(text).contains(anchor));
            if !exists || !is_there {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_of_contents_names_every_page_once() {
    let contents = std::fs::read_to_string(Path::new(PROJECT).join("docs/SUMMARY.md")).unwrap();
    let mut named: Vec<_> = links(&contents).iter().map(|link| format!("docs/{link}")).collect();
    named.sort();
    let written = pages().into_iter().map(|(path, _)| path);
    let written = written.filter(|path| path.starts_with("docs/") && path != "docs/SUMMARY.md");
    assert_eq!(named, written.collect::<Vec<_>>());
}

/// Holds the generated part of a page to what it should be, or writes it if asked to.
fn hold(page: &str, generated: &str) {
    let path = Path::new(PROJECT).join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (by_hand, rest) = text.split_once(GENERATED).unwrap();
    if std::env::var_os("RAYTWIN_WRITE_PAGES").is_some() {
        std::fs::write(&path, format!("{by_hand}{GENERATED}{generated}")).unwrap();
        return;
    }
    assert!(rest == generated, "{page} is old: the line in its middle says how it is written anew");
}

#[test]
fn the_reference_of_the_command_line_is_the_programs_help() {
    let workspace = Workspace::new();
    let help = |arguments: &[&str]| {
        let output = workspace.run(arguments);
        assert!(output.status.success(), "{arguments:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        // A line that is empty but for its indent is nobody's.
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>()
    };
    let whole = help(&["--help"]);
    let mut page = format!("\n## raytwin\n\n```text\n{whole}```\n");
    for command in commands() {
        write!(page, "\n## raytwin {command}\n\n```text\n{}```\n", help(&[&command, "--help"]))
            .unwrap();
    }
    hold("docs/reference/command_line.md", &page);
}

#[test]
fn the_page_of_the_witness_suite_lists_its_cases() {
    let listed = Workspace::new().json(&["witness", "--list"]);
    let mut page = String::new();
    let mut theme = "";
    for case in listed["cases"].as_array().unwrap() {
        let field = |name: &str| case[name].as_str().unwrap();
        if theme != field("theme") {
            theme = field("theme");
            let heading = format!("{}{}", theme[..1].to_uppercase(), &theme[1..]);
            write!(page, "\n## {heading}\n\n| case | elsewhere | the right answer | source |\n| --- | --- | --- | --- |\n").unwrap();
        }
        let source = match field("source").strip_prefix("https://github.com/") {
            Some(place) => format!("[{place}]({})", field("source")),
            None => field("source").to_owned(),
        };
        writeln!(
            page,
            "| `{}` | {} | {} | {source} |",
            field("name"),
            field("elsewhere"),
            field("answer")
        )
        .unwrap();
    }
    hold("docs/reference/witness.md", &page);
}
