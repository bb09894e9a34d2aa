//! Rewrites what Gazebo's XML parser takes and others refuse: comments that hold `--`, a declaration
//! after a comment, and prefixes of namespaces that nobody declares, which extensions of worlds
//! have. The text keeps its length and its lines, so places in it stay.

/// The text without comments and declarations, in which names have no prefixes but `gz_` and such.
pub(super) fn tolerant_text(text: &str) -> String {
    let mut tolerant = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, markup) = rest.split_at(start);
        tolerant.push_str(before);
        let (end, is_blank) = if markup.starts_with("<!--") {
            (markup.find("-->").map(|end| end + 3), true)
        } else if markup.starts_with("<?") {
            (markup.find("?>").map(|end| end + 2), true)
        } else if markup.starts_with("<![CDATA[") {
            (markup.find("]]>").map(|end| end + 3), false)
        } else {
            let end = tag_end(markup);
            push_without_prefixes(&mut tolerant, &markup[..end]);
            rest = &markup[end..];
            continue;
        };
        // What does not end is left for the parser to refuse.
        let Some(end) = end else {
            tolerant.push_str(markup);
            return tolerant;
        };
        let skipped = &markup[..end];
        match is_blank {
            true => {
                tolerant.extend(skipped.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }))
            }
            false => tolerant.push_str(skipped),
        }
        rest = &markup[end..];
    }
    tolerant.push_str(rest);
    tolerant
}

/// The offset after a tag. A `>` in a value does not end it.
fn tag_end(tag: &str) -> usize {
    let mut quote = None;
    for (offset, byte) in tag.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return offset + 1,
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    tag.len()
}

fn push_without_prefixes(tolerant: &mut String, tag: &str) {
    let mut quote = None;
    tolerant.extend(tag.chars().map(|letter| {
        match (letter, quote) {
            (':', None) => return '_',
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        letter
    }));
}
