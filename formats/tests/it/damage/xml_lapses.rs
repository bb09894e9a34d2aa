//! What XML forbids and raytwin reads all the same, as MuJoCo, ROS and Gazebo do.

use super::Seed;

/// Makes a seed of a text of XML with all of that around it and no blanks between its attributes. It
/// is written in Latin-1, which it does not declare.
pub fn with_lapses(text: &str) -> Seed {
    let begins_attribute = |rest: &str| rest.starts_with(|first: char| first.is_alphabetic());
    let text = text.split("\" ").fold(String::new(), |text, rest| match begins_attribute(rest) {
        true => format!("{text}\"{rest}"),
        false if text.is_empty() => rest.to_owned(),
        false => format!("{text}\" {rest}"),
    });
    let whole = format!(
        "\n<!-- \u{e9} -- & --->a{text}<!DOCTYPE a [<!ENTITY b \"c\">]>\n\
         < a b=c d='<&'>&b; ]]> <!c></a e='f'><?xml?></a><\0<"
    );
    Seed::of(whole.chars().map(|letter| letter as u8).collect::<Vec<u8>>())
}
