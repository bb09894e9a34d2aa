//! A label as people read it.

pub(super) fn label_text(label: u16, name: Option<&str>) -> String {
    name.map_or_else(|| label.to_string(), |name| format!("{label} {name}"))
}
