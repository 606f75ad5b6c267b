//! How values of variables are read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use crate::error::{Error, Result};

/// The name of a file, as it was given. Numbers and the words for on and off are none: whoever gives them means a switch. Nor
/// is the name of a folder.
pub fn parse_file(name: &str, given: &OsStr, expected: &'static str) -> Result<PathBuf> {
    const SWITCHES: [&str; 8] = ["on", "off", "yes", "no", "true", "false", ".true.", ".false."];
    let text = given.to_string_lossy();
    let text = text.trim();
    let is_switch = text.parse::<f64>().is_ok_and(f64::is_finite) || SWITCHES.contains(&&*text.to_ascii_lowercase());
    if text.is_empty() || is_switch || given.as_bytes().ends_with(b"/") {
        return invalid(name, text, expected);
    }
    Ok(given.into())
}

/// Bytes with an optional binary suffix.
pub fn parse_bytes(value: &str) -> Option<u64> {
    let (digits, unit) = match value.as_bytes().last()?.to_ascii_uppercase() {
        b'K' => (&value[..value.len() - 1], 1 << 10),
        b'M' => (&value[..value.len() - 1], 1 << 20),
        b'G' => (&value[..value.len() - 1], 1 << 30),
        _ => (value, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// The error that names the variable, its value, and what it may be.
pub fn invalid<T>(name: &str, value: &str, expected: &'static str) -> Result<T> {
    Err(Error::InvalidSetting { name: name.to_owned(), value: value.to_owned(), expected }.into())
}
