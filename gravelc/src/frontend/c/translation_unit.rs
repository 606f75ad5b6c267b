//! One reading of a translation unit: bytes to typed declarations, expressions and statements, each with its place.

use std::path::Path;

use super::expansion::Expansion;
use super::preprocess::{Configuration, FileReader, Purpose, preprocess};
use super::reading::read_behind;
use super::stand_ins::{Included, StandIns};
use super::types::Target;
use super::unit::Unit;

/// A translation unit: its text, and what the text means. Byte ranges in `unit` are those of the expansion's text; what only a
/// stand-in declares has an empty one.
pub struct TranslationUnit {
    /// The text, and where its parts come from.
    pub expansion: Expansion,
    /// What it means.
    pub unit: Unit,
}

/// The compiler builds for a target whose layouts are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownTarget;

/// The target of a compiler, by the macros that it defines.
///
/// # Errors
///
/// If it is none of those that are known.
pub fn target_of(configuration: &Configuration) -> Result<Target, UnknownTarget> {
    let mut is_x86 = false;
    let mut is_arm = false;
    let mut has_long_pointers = false;
    for line in configuration.predefined.split(|byte| *byte == b'\n') {
        let mut words = line.split(|byte| *byte == b' ');
        match (words.next(), words.next()) {
            (Some(b"#define"), Some(b"__x86_64__")) => is_x86 = true,
            (Some(b"#define"), Some(b"__aarch64__")) => is_arm = true,
            (Some(b"#define"), Some(b"__LP64__")) => has_long_pointers = true,
            _ => {}
        }
    }
    let target = match (is_x86, is_arm) {
        (true, false) if has_long_pointers => Target::X86_64,
        (false, true) if has_long_pointers => Target::AARCH64,
        _ => return Err(UnknownTarget),
    };
    let dialect = &configuration.dialect;
    Ok(Target { is_char_signed: !dialect.unsigned_char, is_wchar_signed: !dialect.unsigned_wide, ..target })
}

impl TranslationUnit {
    /// Reads the file at `path`, whose text is `text`.
    ///
    /// # Errors
    ///
    /// If the compiler's target is not known. What can't be read is a hole.
    pub fn read(
        path: &Path,
        text: Vec<u8>,
        configuration: &Configuration,
        reader: &dyn FileReader,
    ) -> Result<Self, UnknownTarget> {
        let target = target_of(configuration)?;
        let expansion = Expansion::new(preprocess(path, text, configuration, reader, Purpose::Reading));
        let tokens = expansion.unit();
        let names: Vec<(String, bool)> = tokens
            .headers
            .iter()
            .map(|header| (tokens.symbols.text(header.name), header.is_asked_by_program))
            .collect();
        let included: Vec<Included> = names
            .iter()
            .map(|(name, is_asked_by_program)| Included { name, is_asked_by_program: *is_asked_by_program })
            .collect();
        let declared = StandIns::of(target).for_headers(&included);
        let unit = read_behind(expansion.text(), declared);
        Ok(Self { expansion, unit })
    }
}
