//! Constants: integers, floating values, characters and strings (C11 6.4.4, 6.4.5).

use crate::frontend::c::types::{FloatType, IntegerType, Target};

/// What a preprocessing number is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer constant.
    Integer(i128, IntegerType),
    /// A floating constant, with its value where it is `float` or `double`.
    Float {
        /// Its value.
        value: Option<f64>,
        /// Its type.
        float: FloatType,
        /// Is it imaginary (GNU C)?
        is_imaginary: bool,
    },
    /// An imaginary constant of an integer type.
    ImaginaryInteger,
}

/// The constant that is spelled so.
pub fn number(text: &str, target: &Target) -> Option<Number> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = if is_hexadecimal {
        lower.contains(['.', 'p'])
    } else {
        lower.contains(['.', 'e']) && !lower.starts_with("0b")
    };
    if is_float { float(&lower, is_hexadecimal) } else { integer(&lower, target) }
}

fn integer(lower: &str, target: &Target) -> Option<Number> {
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', ..] => (lower, 8),
        _ => (lower, 10),
    };
    let end = digits.find(|digit: char| !digit.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let is_imaginary = suffix.contains(['i', 'j']);
    let suffix: String = suffix.chars().filter(|letter| !matches!(letter, 'i' | 'j')).collect();
    let (is_unsigned, longs) = match suffix.as_str() {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    let value = i128::from_str_radix(digits, radix).ok()?;
    if is_imaginary {
        return Some(Number::ImaginaryInteger);
    }
    use IntegerType as I;
    let candidates = [
        (0, I::Int),
        (0, I::UnsignedInt),
        (1, I::Long),
        (1, I::UnsignedLong),
        (2, I::LongLong),
        (2, I::UnsignedLongLong),
    ];
    let fits = |(rank, ty): &(i32, IntegerType)| {
        let is_signed = ty.is_signed(target);
        let is_permitted = if is_unsigned { !is_signed } else { is_signed || radix != 10 };
        *rank >= longs && is_permitted && ty.holds(value, target)
    };
    let (_, ty) = candidates.into_iter().find(fits)?;
    Some(Number::Integer(value, ty))
}

/// The suffixes of floating constants.
const FLOATS: [(&str, FloatType); 11] = [
    ("f16", FloatType::Float16),
    ("f32x", FloatType::Float32x),
    ("f32", FloatType::Float32),
    ("f64x", FloatType::Float64x),
    ("f64", FloatType::Float64),
    ("f128", FloatType::Float128),
    ("f", FloatType::Float),
    ("l", FloatType::LongDouble),
    ("q", FloatType::Float128),
    ("w", FloatType::LongDouble),
    ("", FloatType::Double),
];

fn float(lower: &str, is_hexadecimal: bool) -> Option<Number> {
    let (digits, exponent_sign) = if is_hexadecimal { (&lower[2..], 'p') } else { (lower, 'e') };
    let radix = if is_hexadecimal { 16 } else { 10 };
    let mut end = 0;
    let mut in_exponent = false;
    let mut before = ' ';
    for letter in digits.chars() {
        let is_part = match letter {
            '.' => !in_exponent,
            '+' | '-' => before == exponent_sign,
            _ if !in_exponent && letter == exponent_sign => {
                in_exponent = true;
                true
            }
            _ => letter.is_digit(if in_exponent { 10 } else { radix }),
        };
        if !is_part {
            break;
        }
        before = letter;
        end += letter.len_utf8();
    }
    let (written, mut suffix) = digits.split_at(end);
    let mut is_imaginary = false;
    for letter in ['i', 'j'] {
        if let Some(rest) = suffix.strip_suffix(letter).or_else(|| suffix.strip_prefix(letter)) {
            (suffix, is_imaginary) = (rest, true);
        }
    }
    let (_, float) = FLOATS.into_iter().find(|(known, _)| *known == suffix)?;
    let value = match float {
        _ if is_hexadecimal => hexadecimal(written),
        FloatType::Double => written.parse::<f64>().ok(),
        FloatType::Float => written.parse::<f32>().ok().map(f64::from),
        _ => None,
    };
    let value = value.filter(|_| matches!(float, FloatType::Double | FloatType::Float));
    Some(Number::Float { value, float, is_imaginary })
}

/// The value of `1.8p3`, if it has few enough digits to be exact.
fn hexadecimal(written: &str) -> Option<f64> {
    let (mantissa, exponent) = written.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let mantissa = u32::from_str_radix(digits.trim_start_matches('0'), 16)
        .or_else(|error| if digits.bytes().all(|digit| digit == b'0') { Ok(0) } else { Err(error) });
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    (-500..500).contains(&exponent).then(|| Some(f64::from(mantissa.ok()?) * 2f64.powi(exponent)))?
}

/// The type of the characters behind a prefix, and the length of the prefix.
fn prefix(text: &[u8], target: &Target) -> (Option<IntegerType>, usize) {
    match text {
        [b'L', ..] => (Some(if target.is_wchar_signed { IntegerType::Int } else { IntegerType::UnsignedInt }), 1),
        [b'u', b'8', ..] => (None, 2),
        [b'u', ..] => (Some(IntegerType::UnsignedShort), 1),
        [b'U', ..] => (Some(IntegerType::UnsignedInt), 1),
        _ => (None, 0),
    }
}

/// The next element of a literal: its value, whether it is a byte by an escape, and its length in the text.
fn element(text: &[u8]) -> Option<(u32, bool, usize)> {
    let byte = *text.first()?;
    if byte != b'\\' {
        if byte < 0x80 {
            return Some((u32::from(byte), false, 1));
        }
        let length = match byte {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        let letter =
            text.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(|text| text.chars().next());
        return Some(letter.map_or((u32::from(byte), true, 1), |letter| (u32::from(letter), false, length)));
    }
    let simple = |value: u8| Some((u32::from(value), true, 2));
    let digits = |from: usize, most: usize, radix: u32| {
        let run = text[from..].iter().take(most).take_while(|digit| char::from(**digit).is_digit(radix));
        let digits: String = run.map(|digit| char::from(*digit)).collect();
        let value = u32::from_str_radix(&digits, radix).ok()?;
        Some((value, from + digits.len()))
    };
    match text.get(1)? {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'a' => simple(7),
        b'b' => simple(8),
        b'f' => simple(12),
        b'v' => simple(11),
        b'e' | b'E' => simple(27),
        b'0'..=b'7' => digits(1, 3, 8).map(|(value, length)| (value, true, length)),
        b'x' => digits(2, 8, 16).map(|(value, length)| (value, true, length)),
        b'u' => digits(2, 4, 16).map(|(value, length)| (value, false, length)),
        b'U' => digits(2, 8, 16).map(|(value, length)| (value, false, length)),
        other => simple(*other),
    }
}

/// A character constant: its value and its type.
pub fn character(text: &[u8], target: &Target) -> Option<(i128, IntegerType)> {
    let (wide, skipped) = prefix(text, target);
    let mut inside = text.get(skipped + 1..text.len().checked_sub(1)?)?;
    let mut values = Vec::new();
    while !inside.is_empty() {
        let (value, is_byte, length) = element(inside)?;
        match wide {
            None if !is_byte && value >= 0x80 => {
                let mut buffer = [0; 4];
                values.extend(char::from_u32(value)?.encode_utf8(&mut buffer).bytes().map(u32::from));
            }
            _ => values.push(value),
        }
        inside = inside.get(length..)?;
    }
    if let Some(wide) = wide {
        let [value] = values.as_slice() else { return None };
        return Some((wide.wrapped(i128::from(*value), target)?, wide));
    }
    match values.as_slice() {
        [] => None,
        [value] => Some((IntegerType::Char.wrapped(i128::from(*value), target)?, IntegerType::Int)),
        // Several: the bytes of an int, the last one lowest (implementation-defined; gcc and clang agree).
        _ => {
            let value = values.iter().fold(0_i128, |value, byte| (value << 8 | i128::from(byte & 0xff)) & 0xffff_ffff);
            Some((IntegerType::Int.wrapped(value, target)?, IntegerType::Int))
        }
    }
}

/// Of adjacent string literals: the type of their characters, and how many they are together with the terminating null.
pub fn string<'t>(literals: impl Iterator<Item = &'t [u8]>, target: &Target) -> Option<(IntegerType, u64)> {
    let literals: Vec<&[u8]> = literals.collect();
    let wide = literals.iter().find_map(|text| prefix(text, target).0);
    let mut length = 1;
    for text in literals {
        let skipped = prefix(text, target).1;
        let mut inside = text.get(skipped + 1..text.len().checked_sub(1)?)?;
        while !inside.is_empty() {
            let (value, is_byte, taken) = element(inside)?;
            length += match wide {
                None if !is_byte => char::from_u32(value)?.len_utf8() as u64,
                Some(IntegerType::UnsignedShort) if !is_byte && value > 0xffff => 2,
                _ => 1,
            };
            inside = inside.get(taken..)?;
        }
    }
    Some((wide.unwrap_or(IntegerType::Char), length))
}

/// The characters of adjacent string literals with nothing but white space between them; nothing, if they are wide.
pub fn text(spelled: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = spelled.trim_ascii();
    while !rest.is_empty() {
        rest = rest.strip_prefix(b"u8").unwrap_or(rest).strip_prefix(b"\"")?;
        loop {
            if let Some(behind) = rest.strip_prefix(b"\"") {
                rest = behind.trim_ascii_start();
                break;
            }
            let (value, is_byte, taken) = element(rest)?;
            match is_byte {
                true => found.push(u8::try_from(value).ok()?),
                false => found.extend(char::from_u32(value)?.encode_utf8(&mut [0; 4]).bytes()),
            }
            rest = rest.get(taken..)?;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn adjacent_literals_are_one_text() {
        let of = |spelled: &str| text(spelled.as_bytes()).map(|text| String::from_utf8_lossy(&text).into_owned());
        assert_eq!(of(r#""%" "n""#).as_deref(), Some("%n"));
        assert_eq!(of(r#""\x25n" "\45n" "a\"b""#).as_deref(), Some("%n%na\"b"));
        assert_eq!(of(r#"u8"é\n""#).as_deref(), Some("é\n"));
        assert_eq!(of(r#"L"%n""#), None);
        assert_eq!(of(r#""%" PRId64"#), None);
        assert_eq!(of(r#""open"#), None);
    }
}
