//! The values of `--kind`: the kinds of queries or questions that the library knows.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};

/// Makes the parser of a `--kind` that accepts these kinds by their names, with the help for each
/// kind if there is any.
pub(super) fn kind_parser<T: Copy + Send + Sync + 'static, const N: usize>(
    kinds: [T; N],
    name: fn(T) -> &'static str,
    help: Option<[&'static str; N]>,
) -> ValueParser {
    let value = |index: usize| {
        let value = PossibleValue::new(name(kinds[index]));
        match help {
            Some(help) => value.help(help[index]),
            None => value,
        }
    };
    let kind = move |text: String| {
        kinds.into_iter().find(|kind| name(*kind) == text).ok_or("there is no such kind")
    };
    PossibleValuesParser::new((0..N).map(value)).try_map(kind).into()
}
