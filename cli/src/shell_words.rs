//! Words as you type them in a shell.

/// Quotes a word for a POSIX shell if it has special characters.
pub(super) fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        for (word, quoted) in [
            ("a/b-1.json", "a/b-1.json"),
            ("elbow=90deg", "elbow=90deg"),
            ("my robot.urdf", "'my robot.urdf'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(shell_quoted(word), quoted);
        }
    }
}
