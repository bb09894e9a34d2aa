//! Suggestions for misspelt names.

/// Returns the known word that is closest to a misspelt one, by the Damerau-Levenshtein distance.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> &'a str {
    // The distance takes memory in proportion to the product of both lengths, and no known word is longer than this.
    let start: String = word.chars().take(64).collect();
    known
        .iter()
        .min_by_key(|known| strsim::damerau_levenshtein(&start, known))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_any_length_has_a_nearest_one() {
        assert_eq!(nearest("raduis", &["center", "radius"]), "radius");
        let long = "radius".repeat(1 << 20);
        assert_eq!(nearest(&long, &["center", "radius", &long]), "radius");
    }
}
