//! Texts from files, shortened for messages.

/// A text of the file, shortened to 40 characters for a message.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    let start: String = text.chars().take(37).collect();
    format!("{start}...")
}
