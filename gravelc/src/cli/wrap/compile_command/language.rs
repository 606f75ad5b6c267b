//! What language the inputs of a compiler are in: as their names say, or `-x`.

use std::ffi::OsStr;
use std::path::Path;

use crate::ir;

/// Endings of Fortran sources, in lower case.
const FORTRAN_ENDINGS: [&str; 10] = ["f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08", "f18"];

/// What language the inputs are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// That of their names.
    ByName,
    /// Fortran, whatever they are called.
    Fortran,
    /// C.
    C,
    /// Another one.
    Other,
}

impl Language {
    /// What `-x` means by `name`.
    pub fn of(name: &str) -> Self {
        match name {
            "none" => Self::ByName,
            _ if name.starts_with("f77") || name.starts_with("f95") => Self::Fortran,
            "c" => Self::C,
            _ => Self::Other,
        }
    }

    /// Is it the name of a language, joined with the flag? Other compilers have other flags that begin so.
    pub fn is_known(name: &str) -> bool {
        let known = ["none", "c", "c++", "assembler", "f77", "f77-cpp-input", "f95", "f95-cpp-input"];
        known.contains(&name)
    }

    /// The language of a source that gravelc reads; nothing for other files.
    pub fn of_source(self, file: &OsStr) -> Option<ir::Language> {
        let is_c = Path::new(file).extension().is_some_and(|ending| ending == "c");
        match self {
            Self::ByName if is_fortran(file) => Some(ir::Language::Fortran),
            // Arguments in a file are no source.
            Self::Fortran => (!file.as_encoded_bytes().starts_with(b"@")).then_some(ir::Language::Fortran),
            // What has another name is C to the compiler alone.
            Self::ByName | Self::C if is_c => Some(ir::Language::C),
            Self::ByName | Self::C | Self::Other => None,
        }
    }
}

/// A source that gravelc reads.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    /// Where it is among the arguments.
    pub index: usize,
    /// What it is written in.
    pub language: ir::Language,
}

fn is_fortran(argument: &OsStr) -> bool {
    let ending = Path::new(argument).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| FORTRAN_ENDINGS.contains(&ending.as_str()))
}
