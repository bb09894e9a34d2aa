//! A label as people read it.

/// Returns a label's number, and its name if it has one.
pub(super) fn label_text(label: u16, name: Option<&str>) -> String {
    name.map_or_else(|| label.to_string(), |name| format!("{label} {name}"))
}
