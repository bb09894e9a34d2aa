//! Replaces references such as `&lt;` and `&#65;`, and the ends of lines, in the text of an XML
//! file.

use std::borrow::Cow;

/// The kind of a text in a file.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TextKind {
    Value,
    Text,
    /// The text of `<![CDATA[...]]>`, in which `&` is an ordinary character.
    CharacterData,
}

/// The longest reference, in bytes, so that each `&` is examined only once.
const LONGEST: usize = 12;

/// Returns the characters of a text. An `&` that begins no known reference stays as it is, and
/// `unknown` is called with its offset.
pub(super) fn replaced(raw: &str, kind: TextKind, mut unknown: impl FnMut(usize)) -> Cow<'_, str> {
    let is_special = |character: char| match character {
        '\r' => true,
        '&' => kind != TextKind::CharacterData,
        '\n' | '\t' => kind == TextKind::Value,
        _ => false,
    };
    if !raw.contains(is_special) {
        return Cow::Borrowed(raw);
    }
    let end_of_line = if kind == TextKind::Value { ' ' } else { '\n' };
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(is_special) {
        text.push_str(&rest[..at]);
        let (character, length) = match &rest.as_bytes()[at..] {
            [b'\r', b'\n', ..] => (end_of_line, 2),
            [b'\r' | b'\n', ..] => (end_of_line, 1),
            [b'&', ..] => referred(&rest[at..]).unwrap_or_else(|| {
                unknown(raw.len() - rest.len() + at);
                ('&', 1)
            }),
            _ => (' ', 1),
        };
        text.push(character);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Returns the character of the reference at the beginning of a text, and the length of the
/// reference in bytes.
fn referred(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let character = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        name => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?).filter(|character| *character != '\0')?
        }
    };
    Some((character, end + 1))
}
