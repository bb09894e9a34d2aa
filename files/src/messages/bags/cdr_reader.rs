//! The encoding of ROS 2 messages: the Common Data Representation (CDR) of the OMG, with aligned
//! numbers of either byte order.

/// The bytes before a message, which name the encoding.
const ENCAPSULATION: usize = 4;

/// A message whose fields are read one after another. An error is the reason why it is not of the
/// type.
pub(super) struct CdrReader<'a> {
    bytes: &'a [u8],
    position: usize,
    is_little_endian: bool,
}

impl<'a> CdrReader<'a> {
    pub fn new(message: &'a [u8]) -> Result<Self, String> {
        let Some((head, bytes)) = message.split_first_chunk::<ENCAPSULATION>() else {
            return Err(Self::too_short());
        };
        let is_little_endian = match head[..2] {
            [0, 0] => false,
            [0, 1] => true,
            _ => {
                return Err(format!(
                    "its encoding is {:02x}{:02x}, and raytwin reads only plain CDR (0000 or 0001)",
                    head[0], head[1]
                ));
            }
        };
        Ok(Self { bytes, position: 0, is_little_endian })
    }

    fn too_short() -> String {
        "it is too short for its type".to_owned()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.position.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.position..end));
        let taken = taken.ok_or_else(Self::too_short)?;
        self.position += count;
        Ok(taken)
    }

    /// Reads the bytes of a number, which begins at a multiple of its length, the first byte last.
    fn number<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.position = self.position.next_multiple_of(N);
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N)?);
        if !self.is_little_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub fn u32(&mut self) -> Result<u32, String> {
        self.number().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Result<i32, String> {
        self.number().map(i32::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, String> {
        self.number().map(f64::from_le_bytes)
    }

    /// Reads a text, whose length includes the zero that ends it.
    pub fn text(&mut self) -> Result<&'a str, String> {
        let length = self.u32()? as usize;
        let bytes = self.take(length)?;
        let text = bytes.strip_suffix(&[0]).unwrap_or(bytes);
        std::str::from_utf8(text).map_err(|_| "one of its texts is not UTF-8".to_owned())
    }
}
