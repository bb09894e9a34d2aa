//! Philox4x32-10, a generator of random numbers without state: each block of four numbers follows
//! from a counter and a key (Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1,
//! 2, 3, 2011). `shaders/sample/philox.wgsl` computes the same numbers.

const ROUNDS: usize = 10;
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// The numbers that each round adds to the key.
const STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];

pub(crate) fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], [mut left, mut right]) = (counter, key);
    for _ in 0..ROUNDS {
        let [first, second] = [(0, a), (1, c)]
            .map(|(factor, number)| halves(u64::from(MULTIPLIERS[factor]) * u64::from(number)));
        [a, b, c, d] = [second[1] ^ b ^ left, second[0], first[1] ^ d ^ right, first[0]];
        left = left.wrapping_add(STEPS[0]);
        right = right.wrapping_add(STEPS[1]);
    }
    [a, b, c, d]
}

/// Returns the low and the high half of a number.
pub(crate) fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123, in its file `kat_vectors`.
    #[test]
    fn the_numbers_are_those_that_its_authors_published() {
        for (counter, key, block) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox(counter, key), block);
        }
    }
}
