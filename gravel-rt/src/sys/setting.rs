//! An environment variable, described for people.

/// One variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it may be set to: values between backquotes are taken as they stand.
    pub values: &'static str,
    /// What holds without it; between backquotes, a value that means the same.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// A value that is not the default, as it is shown where it is in force.
    pub example: &'static str,
}

/// On or off; or what is expected.
pub fn switch(value: &str) -> Result<bool, &'static str> {
    match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("0 or 1"),
    }
}
