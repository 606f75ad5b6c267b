//! Bytes that need not be UTF-8 as text, and back, without a loss.
//!
//! Old sources are Latin-1. What is quoted from them and written again has to have the same bytes: a character in a tag is a number.
//! Each byte that belongs to no character of UTF-8 is a character of the last private area.

use std::borrow::Cow;

/// The character that stands for byte 0.
const FIRST: u32 = 0x0010_FF00;

fn character_of(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn byte_of(character: char) -> Option<u8> {
    u32::from(character).checked_sub(FIRST).and_then(|byte| u8::try_from(byte).ok())
}

/// The text for bytes.
pub fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                None => text.push(character),
                // One of those that stand for bytes stands there itself.
                Some(_) => text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(character_of)),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(character_of));
    }
    text
}

/// The bytes that a text stands for.
pub fn bytes_of(text: &str) -> Cow<'_, [u8]> {
    if !text.chars().any(|character| byte_of(character).is_some()) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_utf8_stays_as_it_is() {
        assert_eq!(text_of("größe".as_bytes()), "größe");
        assert_eq!(bytes_of("größe"), "größe".as_bytes());
        assert_eq!(bytes_of(&text_of(b"gr\xf6\xdfe")).as_ref(), b"gr\xf6\xdfe");
    }

    proptest! {
        #[test]
        fn all_bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(bytes_of(&text_of(&bytes)).into_owned(), bytes);
        }

        #[test]
        fn all_texts_come_back(text: String) {
            prop_assert_eq!(bytes_of(&text_of(text.as_bytes())).into_owned(), text.into_bytes());
        }

        #[test]
        fn characters_of_the_last_area_come_back(characters in prop::collection::vec(0x0010_FEF0_u32..=0x0010_FFFF, 0..9)) {
            let text: String = characters.into_iter().filter_map(char::from_u32).collect();
            prop_assert_eq!(bytes_of(&text_of(text.as_bytes())).into_owned(), text.into_bytes());
        }
    }
}
