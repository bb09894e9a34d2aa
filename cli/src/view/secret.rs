//! Secret parts of addresses.

use crate::Failure;
use constant_time_eq::constant_time_eq;

/// 128 random bits as hexadecimal digits. Other users of this machine can reach the port, but
/// cannot guess them.
pub struct Secret(String);

impl Secret {
    pub fn new() -> Result<Self, Failure> {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).map_err(|error| {
            Failure::input(format!("the system returns no random numbers for the address: {error}"))
        })?;
        Ok(Self(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns true if a text is the secret, in a time that does not depend on how much of it is
    /// right.
    pub fn is(&self, text: &str) -> bool {
        constant_time_eq(text.as_bytes(), self.0.as_bytes())
    }
}
