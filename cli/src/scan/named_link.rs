//! The link that a flag names.

use crate::failure::Failure;
use raytwin::scene::number_of_path;
use raytwin_formats::Mount;
use std::collections::HashMap;

/// Finds the link that a flag names by its name or the end of it. Returns its full name and the
/// link.
pub(super) fn link<'a>(
    flag: &str,
    links: &'a HashMap<String, Mount>,
    wanted: &str,
) -> Result<(String, &'a Mount), Failure> {
    if links.is_empty() {
        return Err(Failure::input(format!(
            "{flag} {wanted}: the scene has no links, which only a robot's own file has: choose a camera with --camera"
        )));
    }
    let mut known: Vec<&str> = links.keys().map(String::as_str).collect();
    known.sort_unstable();
    let number = number_of_path("link", known.iter().copied(), wanted);
    let number = number.map_err(|error| Failure::input(format!("{flag} {wanted}: {error}")))?;
    Ok((known[number].to_owned(), &links[known[number]]))
}
