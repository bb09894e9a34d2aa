//! Leaves out of a scene's module what only primitives need that the scene does not have. Constants
//! would switch it off as well, but a driver would still have to read it, and FXC takes long for
//! it.

use crate::shapes::PrimitiveKind;

/// Returns true if a file serves scenes of these kinds.
pub(super) fn is_needed(file: &str, kinds: &[PrimitiveKind]) -> bool {
    use PrimitiveKind::{
        ClosedHeightfield, Cone, ConeShell, CylinderShell, Disc, Ellipsoid, Heightfield, Instance,
        MeshTriangle, Torus, Triangle,
    };
    let served: &[PrimitiveKind] = match file {
        "shapes/cone.wgsl" => &[Cone, CylinderShell, ConeShell],
        "shapes/shell.wgsl" => &[CylinderShell, ConeShell],
        "shapes/disc.wgsl" => &[Disc],
        "shapes/ellipsoid.wgsl" => &[Ellipsoid],
        "shapes/torus.wgsl" => &[Torus],
        "shapes/triangle.wgsl" => &[Triangle, MeshTriangle, Heightfield, ClosedHeightfield],
        file if file.starts_with("instances") => &[Instance],
        file if file.starts_with("shapes/heightfield") => &[Heightfield, ClosedHeightfield],
        // The other files of shapes have functions that several shapes call.
        _ => return true,
    };
    served.iter().any(|kind| kinds.contains(kind))
}

/// Empties each block that begins with `if HAS_KIND {`, or with several kinds joined by `||`, if
/// these kinds have none of them. The lines keep their numbers.
pub(super) fn without_absent(text: &str, kinds: &[PrimitiveKind]) -> String {
    let present: Vec<_> =
        kinds.iter().map(|kind| format!("HAS_{}", kind.constant_name())).collect();
    let is_absent = |condition: &str| {
        condition.split("||").all(|term| {
            let first = term.split_whitespace().next().unwrap_or_default();
            first.starts_with("HAS_") && !present.iter().any(|name| name == first)
        })
    };
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("if HAS_") {
        let Some(open) = rest[start..].find('{').map(|offset| start + offset) else { break };
        let end = open + block_length(&rest[open..]);
        let (before, block) = rest[..end].split_at(open);
        left.push_str(before);
        if is_absent(&before[start + "if ".len()..]) {
            left.push('{');
            left.extend(block.chars().filter(|&letter| letter == '\n'));
            left.push('}');
            rest = &rest[end..];
        } else {
            left.push('{');
            rest = &rest[open + 1..];
        }
    }
    left + rest
}

/// Returns the number of bytes from an opening brace to the closing one, with both.
fn block_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (offset, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_absent_kinds_are_emptied_and_lines_keep_their_numbers() {
        let text = "if HAS_TORUS {\n a { b }\n} else { c }\nif HAS_DISC || HAS_TORUS && d { e }\n\
            if HAS_TORUS || f { g }\nif HAS_DISC { if HAS_CONE { h } }\nif i { j }";
        let without = without_absent(text, &[PrimitiveKind::Disc]);
        let expected = "if HAS_TORUS {\n\n} else { c }\nif HAS_DISC || HAS_TORUS && d { e }\n\
            if HAS_TORUS || f { g }\nif HAS_DISC { if HAS_CONE {} }\nif i { j }";
        assert_eq!(without, expected);
        assert_eq!(without_absent(text, PrimitiveKind::ALL), text);
    }
}
