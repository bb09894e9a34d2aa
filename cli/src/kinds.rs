//! The values of `--kind`: the kinds of queries that the library knows.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use raytwin::Query;

/// The sentences by which help says what each kind does, in the order of [`Query::KINDS`].
pub(super) type KindHelp = [&'static str; Query::KINDS.len()];

/// Makes the parser of a `--kind` whose values speak for themselves.
pub(super) fn kind_parser() -> ValueParser {
    parser(Query::KINDS.map(|query| PossibleValue::new(query.name())))
}

/// Makes the parser of a `--kind` whose help explains each value.
pub(super) fn explained_kind_parser(help: KindHelp) -> ValueParser {
    let values = Query::KINDS.iter().zip(help);
    parser(values.map(|(query, help)| PossibleValue::new(query.name()).help(help)))
}

fn parser(values: impl IntoIterator<Item = PossibleValue>) -> ValueParser {
    let query = |name: String| Query::named(&name).ok_or("there is no such kind");
    PossibleValuesParser::new(values).try_map(query).into()
}
