//! Cuts source text into words: paths such as `crate::ray::Ray`, other names, and single signs. Comments and what stands
//! between quotes are left out.

/// Returns the words of source text. The parts of a path are one word.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(length) = unspoken(rest) {
            length
        } else if is_of_name(first) {
            let length = path_length(rest);
            words.push(rest[..length].to_owned());
            length
        } else {
            let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            words.push(rest[..length].to_owned());
            length
        };
        rest = &rest[length..];
    }
    words
}

fn is_of_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

fn name_length(text: &str) -> usize {
    text.find(|sign| !is_of_name(sign)).unwrap_or(text.len())
}

/// Returns the length of the path with which a text begins.
fn path_length(text: &str) -> usize {
    let mut length = name_length(text);
    while let Some(next) = text[length..].strip_prefix("::")
        && next.starts_with(is_of_name)
    {
        length += 2 + name_length(next);
    }
    length
}

/// Returns the length of the space, the comment or the literal with which a text begins.
fn unspoken(text: &str) -> Option<usize> {
    if text.starts_with(char::is_whitespace) {
        return Some(text.len() - text.trim_start().len());
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(text.find("*/").map_or(text.len(), |end| end + 2));
    }
    for prefix in ["r", "br"] {
        if let Some(raw) = text.strip_prefix(prefix) {
            let fence = raw.len() - raw.trim_start_matches('#').len();
            if let Some(quoted) = raw[fence..].strip_prefix('"') {
                let closing = format!("\"{}", "#".repeat(fence));
                let end = quoted.find(&closing).unwrap_or(quoted.len() - closing.len());
                return Some(prefix.len() + fence + 1 + end + closing.len());
            }
        }
    }
    if let Some(quoted) = text.strip_prefix('"') {
        return Some(1 + quoted_length(quoted, '"'));
    }
    // A quote that no other follows after one sign begins the name of a lifetime.
    let quoted = text.strip_prefix('\'')?;
    let is_literal = quoted.starts_with('\\') || quoted.chars().nth(1) == Some('\'');
    Some(1 + if is_literal { quoted_length(quoted, '\'') } else { name_length(quoted) })
}

/// Returns the length to the end of a literal whose first quote is behind.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.find(|sign| {
        let is_end = sign == quote && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 1)
}
