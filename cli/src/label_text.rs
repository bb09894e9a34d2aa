//! A label as a text for people.

pub(super) fn label_text(label: u16, name: Option<&str>) -> String {
    name.map_or_else(|| label.to_string(), |name| format!("{label} {name}"))
}
