//! The background of pictures.

use super::color::of_hex;
use std::str::FromStr;

/// What a picture shows where nothing was hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// The default of each kind of picture: a sky and a floor with shadows, or a dark background
    /// for colours that encode data.
    #[default]
    Own,
    /// One sRGB colour, without shadows.
    Color([u8; 3]),
    /// Nothing: the picture is transparent there.
    Transparent,
}

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "none" => Self::Transparent,
            "white" => Self::Color([255; 3]),
            "black" => Self::Color([0; 3]),
            "transparent" => {
                return Err(
                    "'transparent' is not valid: give none for a transparent background".to_owned()
                );
            }
            _ => Self::Color(of_hex(text).ok_or_else(|| {
                format!(
                    "'{text}' must be white, black, a colour such as #ff8000, or none (transparent)"
                )
            })?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_is_a_word_or_a_colour_in_hexadecimal_digits() {
        assert_eq!("none".parse(), Ok(Background::Transparent));
        assert_eq!("white".parse(), Ok(Background::Color([255; 3])));
        assert_eq!("#ff8000".parse(), Ok(Background::Color([255, 128, 0])));
        assert!("transparent".parse::<Background>().unwrap_err().contains("give none"));
        for text in ["", "White", "ff8000", "#ff80", "#ff80000", "#+f8000", "#gg0000", "#ä0000"] {
            assert!(text.parse::<Background>().is_err(), "{text}");
        }
    }
}
