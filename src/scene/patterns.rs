//! Texts that select geometries: ids, paths and wildcards.

use std::collections::HashMap;

/// Texts that select geometries, of which the first match counts. Ids and paths are looked up, so
/// the time depends only on the number of wildcards.
#[derive(Default)]
pub(super) struct GeometryPatterns {
    ids: HashMap<u32, usize>,
    paths: HashMap<String, usize>,
    wild: Vec<(usize, GeometryPattern)>,
}

impl GeometryPatterns {
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for (number, text) in texts.enumerate() {
            match GeometryPattern::of(text) {
                GeometryPattern::Id(id) => drop(all.ids.entry(id).or_insert(number)),
                GeometryPattern::Path(path) => drop(all.paths.entry(path).or_insert(number)),
                wild @ GeometryPattern::Wild(_) => all.wild.push((number, wild)),
            }
        }
        all
    }

    /// Returns the number of the first text that selects a geometry with this id and path.
    pub fn first(&self, geometry_id: u32, path: &str) -> Option<usize> {
        let by_path = |end: usize| self.paths.get(&path[..end]).copied();
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        let named = match self.paths.is_empty() {
            true => None,
            false => ends.filter_map(by_path).min(),
        };
        let exact = [self.ids.get(&geometry_id).copied(), named].into_iter().flatten().min();
        let mut wild = self.wild.iter();
        let before = wild.find(|(number, pattern)| {
            exact.is_some_and(|exact| exact < *number) || pattern.chooses(geometry_id, path)
        });
        let wild = before.map(|(number, _)| *number);
        [exact, wild].into_iter().flatten().min()
    }
}

/// A text that selects geometries.
pub(super) enum GeometryPattern {
    Id(u32),
    /// A path without wildcards.
    Path(String),
    Wild(Vec<char>),
}

impl GeometryPattern {
    pub fn of(text: &str) -> Self {
        match text.parse() {
            Ok(id) => Self::Id(id),
            Err(_) if text.contains(['*', '?']) => Self::Wild(text.chars().collect()),
            Err(_) => Self::Path(text.to_owned()),
        }
    }

    /// Returns true if a geometry has this id, or if its path, or a parent of it, matches.
    pub fn chooses(&self, geometry_id: u32, path: &str) -> bool {
        match self {
            Self::Id(id) => *id == geometry_id,
            Self::Path(text) => {
                let rest = path.strip_prefix(&text[..]);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::Wild(pattern) => {
                let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
                ends.into_iter().any(|end| fits(&path[..end], pattern))
            }
        }
    }
}

/// Returns true if a text matches a pattern. After a mismatch, only the last `*` can match one more
/// character, so the time grows at most with the product of both lengths.
fn fits(text: &str, pattern: &[char]) -> bool {
    let (mut rest, mut of_pattern) = (text.chars(), 0);
    // The rest of the text after the characters that the last star matches, and the rest of the
    // pattern after the star.
    let mut last_star = None;
    loop {
        let before = rest.clone();
        let Some(letter) = rest.next() else { break };
        match pattern.get(of_pattern) {
            Some('*') => {
                rest = before.clone();
                last_star = Some((before, of_pattern));
                of_pattern += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == letter => of_pattern += 1,
            _ => {
                let Some((mut after, star)) = last_star else { return false };
                after.next();
                rest = after.clone();
                last_star = Some((after, star));
                of_pattern = star + 1;
            }
        }
    }
    pattern[of_pattern..].iter().all(|&rest| rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern: Vec<char> = "*a".repeat(2000).chars().chain(['b']).collect();
        assert!(!fits(&"a".repeat(4000), &pattern));
    }
}
