//! The encoding of ROS 2 messages: the Common Data Representation (CDR) of the OMG, little-endian.

use super::stamp::Stamp;

/// The head of every message: the number of the encoding, and no options.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];

/// A message whose fields are written one after another.
#[derive(Debug)]
pub(super) struct CdrMessage {
    bytes: Vec<u8>,
}

impl CdrMessage {
    /// Begins a message that has a `std_msgs/msg/Header`.
    pub fn with_header(stamp: Stamp, frame: &str) -> Self {
        let mut message = Self::new();
        message.header(stamp, frame);
        message
    }

    pub fn new() -> Self {
        Self { bytes: ENCAPSULATION.to_vec() }
    }

    /// Writes a number, given by its little-endian bytes. A number of N bytes begins at a multiple
    /// of N, counted from the end of the encapsulation.
    pub fn number<const N: usize>(&mut self, bytes: [u8; N]) {
        let position = self.bytes.len() - ENCAPSULATION.len();
        let aligned = ENCAPSULATION.len() + position.next_multiple_of(N);
        self.bytes.resize(aligned, 0);
        self.bytes.extend(bytes);
    }

    /// Writes a count of elements or bytes, which is below 2^32.
    pub fn size(&mut self, size: usize) {
        self.number((size as u32).to_le_bytes());
    }

    /// Writes a text, whose length includes the zero that ends it.
    pub fn text(&mut self, text: &str) {
        self.size(text.len() + 1);
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    pub fn byte_sequence(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.bytes.extend(bytes);
    }

    /// Writes float64 numbers whose count the type of the message fixes.
    pub fn float64_array(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.number(number.to_le_bytes()));
    }

    /// Writes a `std_msgs/msg/Header`.
    pub fn header(&mut self, stamp: Stamp, frame: &str) {
        self.number(stamp.seconds.to_le_bytes());
        self.number(stamp.nanoseconds.to_le_bytes());
        self.text(frame);
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_from_the_end_of_the_encapsulation() {
        let mut message = CdrMessage::new();
        message.number([7]);
        message.number(2_u16.to_le_bytes());
        message.number([8]);
        message.number(1.0_f64.to_le_bytes());
        message.number([9]);
        message.number(3_u32.to_le_bytes());
        let mut expected = vec![0, 1, 0, 0, 7, 0, 2, 0, 8, 0, 0, 0];
        expected.extend(1.0_f64.to_le_bytes());
        expected.extend([9, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(message.as_bytes(), expected);
    }

    #[test]
    fn texts_end_in_a_zero_and_sequences_begin_with_their_length() {
        let stamp = Stamp { seconds: 1, nanoseconds: 2 };
        let mut message = CdrMessage::with_header(stamp, "ab");
        message.byte_sequence(&[5, 6]);
        message.text("");
        let expected = [
            &[0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, b'a', b'b', 0, 0][..],
            &[2, 0, 0, 0, 5, 6, 0, 0],
            &[1, 0, 0, 0, 0],
        ];
        assert_eq!(message.as_bytes(), expected.concat());
    }
}
