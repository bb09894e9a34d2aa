//! Mutations of the bytes of a file.

use fastrand::Rng;

/// Mutates the bytes of a file one to four times. Some mutations take bytes from another file.
pub fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    for _ in 0..=rng.u32(..4).saturating_sub(rng.u32(..3)) {
        match rng.u32(..9) {
            0 => flip_bits(bytes, rng),
            1 => set_bytes(bytes, rng),
            2 => bytes.truncate(rng.usize(..=bytes.len())),
            3 => remove(bytes, rng),
            4 => splice(bytes, other, rng),
            5 => repeat(bytes, rng),
            6 => replace_number(bytes, rng),
            7 => replace_digits(bytes, rng),
            _ => inflate_length(bytes, rng),
        }
    }
}

fn flip_bits(bytes: &mut [u8], rng: &mut Rng) {
    for _ in 0..=rng.u32(..3) {
        if let Some(byte) = rng.choice(bytes.iter_mut()) {
            *byte ^= 1 << rng.u32(..8);
        }
    }
}

fn set_bytes(bytes: &mut [u8], rng: &mut Rng) {
    let any = rng.u8(..);
    let value = *rng.choice(&[0x00, 0x01, 0x7f, 0x80, 0xff, b' ', b'\n', b'[', any]).unwrap();
    let range = range(bytes, 8, rng);
    bytes[range].fill(value);
}

fn remove(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let range = range(bytes, 64, rng);
    bytes.drain(range);
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let (from, to) = (range(other, 256, rng), range(bytes, 256, rng));
    bytes.splice(to, other[from].iter().copied());
}

/// Repeats a piece once or, if it is short, up to two thousand times, which nests brackets.
fn repeat(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let longest = *rng.choice(&[1, 4, 64, 1024]).unwrap();
    let range = range(bytes, longest, rng);
    let times = if range.len() <= 4 { 1 << rng.u32(..12) } else { 1 };
    let piece = bytes[range.clone()].repeat(times);
    bytes.splice(range.end..range.end, piece);
}

/// Replaces a number of four or eight bytes, in either byte order.
fn replace_number(bytes: &mut [u8], rng: &mut Rng) {
    let any = rng.u64(..);
    let number: u64 = *rng
        .choice(&[
            0,
            1,
            u64::MAX,
            0x7fff_ffff,
            0x8000_0000,
            0xffff_fffe,
            i64::MAX as u64,
            1 << 40,
            0x4141_4141,
            f32::NAN.to_bits().into(),
            f32::INFINITY.to_bits().into(),
            f32::MAX.to_bits().into(),
            f64::NAN.to_bits(),
            f64::MAX.to_bits(),
            any,
        ])
        .unwrap();
    let width = *rng.choice(&[2, 4, 4, 8]).unwrap();
    let mut number = number.to_le_bytes();
    let number = &mut number[..width];
    if rng.u32(..4) == 0 {
        number.reverse();
    }
    if let Some(last) = bytes.len().checked_sub(width) {
        let start = rng.usize(..=last);
        bytes[start..start + width].copy_from_slice(number);
    }
}

/// Replaces a number in text.
fn replace_digits(bytes: &mut Vec<u8>, rng: &mut Rng) {
    const NUMBERS: [&str; 16] = [
        "0",
        "-1",
        "1",
        "3",
        "-0.0",
        "1e39",
        "1e400",
        "-1e-400",
        "nan",
        "inf",
        "2147483648",
        "4294967295",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "0x10",
    ];
    let begins = |index: &usize| {
        bytes[*index].is_ascii_digit() && (*index == 0 || !bytes[*index - 1].is_ascii_digit())
    };
    let Some(start) = rng.choice((0..bytes.len()).filter(begins).collect::<Vec<usize>>()) else {
        return;
    };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    bytes.splice(start..start + digits, rng.choice(NUMBERS).unwrap().bytes());
}

/// Enlarges a small number of one, two or four bytes, as lengths are.
fn inflate_length(bytes: &mut [u8], rng: &mut Rng) {
    let small = |index: &usize| bytes[*index] > 0 && bytes[*index] < 100;
    let indices: Vec<usize> = (0..bytes.len()).filter(small).collect();
    let Some(&start) = rng.choice(&indices) else { return };
    let width = *rng.choice(&[1, 2, 4]).unwrap();
    for byte in bytes[start..].iter_mut().take(width) {
        *byte = byte.wrapping_mul(3) | 0x80;
    }
}

/// Picks a range of at most `longest` bytes, which may be empty.
fn range(bytes: &[u8], longest: usize, rng: &mut Rng) -> std::ops::Range<usize> {
    let start = rng.usize(..=bytes.len());
    start..start + rng.usize(..=longest.min(bytes.len() - start))
}
