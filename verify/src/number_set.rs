//! A set of the numbers of rays or points.

/// The numbers of rays or points, one bit for each up to the largest of them. Even a comparison in
/// which every answer is wrong needs little memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberSet {
    words: Vec<u64>,
}

impl NumberSet {
    pub(super) fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Iterates over the numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.words.iter().zip(0..).flat_map(|(&word, index)| {
            let bits = std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)));
            bits.take_while(|&left| left != 0)
                .map(move |left| 64 * index + u64::from(left.trailing_zeros()))
        })
    }

    /// Returns how many numbers the set contains.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reported_in_ascending_order_and_once() {
        let mut numbers = NumberSet::default();
        assert!(numbers.is_empty() && numbers.iter().next().is_none());
        for number in [200, 3, 63, 64, 3, 0, 255] {
            numbers.insert(number);
        }
        assert_eq!(numbers.iter().collect::<Vec<u64>>(), [0, 3, 63, 64, 200, 255]);
        assert_eq!(numbers.len(), 6);
    }
}
