//! What the flags of a build say about what statements mean: which lines are statements at all, and how long local variables
//! live; and whether results are the same to the last bit.

use std::ffi::OsString;

/// Flags that change what a program means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LanguageFlags {
    /// Lines of fixed form with a D in column 1 are statements.
    pub compiles_debug_lines: bool,
    /// Local variables keep their values from one run of their procedure to the next.
    pub saves_locals: bool,
    /// The flag with which the compiler may compute sums and products in any order it likes: it likes another one where
    /// statements stand elsewhere.
    pub rounding: Option<String>,
}

/// What the arguments of a compiler ask for, as GNU's, Intel's, NVIDIA's, IBM's, NAG's and Cray's manuals say. Of two flags for one thing
/// the last one counts.
pub(super) fn language_flags(arguments: &[OsString]) -> LanguageFlags {
    let mut flags = LanguageFlags::default();
    for argument in arguments {
        match argument.to_string_lossy().as_ref() {
            "-fd-lines-as-code" | "-d-lines" | "-d_lines" | "-Mdlines" | "-qdlines" | "-dlines" => {
                flags.compiles_debug_lines = true;
            }
            "-fd-lines-as-comments" | "-nod-lines" | "-nod_lines" | "-Mnodlines" | "-qnodlines" => {
                flags.compiles_debug_lines = false;
            }
            "-fno-automatic" | "-save" | "-noauto" | "-noautomatic" | "-Msave" | "-ev" => flags.saves_locals = true,
            "-fautomatic" | "-auto" | "-automatic" | "-Mnosave" | "-qnosave" | "-ea" => flags.saves_locals = false,
            other if other.starts_with("-qsave") => flags.saves_locals = true,
            free @ ("-Ofast"
            | "-ffast-math"
            | "-fassociative-math"
            | "-funsafe-math-optimizations"
            | "-fast"
            | "-fp-model=fast"
            | "-fp-model=fast=2"
            | "-Mfprelaxed"
            | "-hfp3"
            | "-hfp4"
            | "-qnostrict") => {
                flags.rounding = Some(free.to_owned());
            }
            "-fno-fast-math"
            | "-fno-associative-math"
            | "-fno-unsafe-math-optimizations"
            | "-fp-model=precise"
            | "-fp-model=strict"
            | "-Mnofprelaxed"
            | "-Kieee"
            | "-qstrict" => flags.rounding = None,
            _ => {}
        }
    }
    flags
}

/// Flags that ask for OpenACC, by their beginnings.
const OPENACC_FLAGS: [&str; 4] = ["-fopenacc", "-acc", "-Mopenacc", "-hacc"];

/// The argument, if there is one, that makes directives of OpenACC more than comments.
pub(super) fn openacc_flag(arguments: &[OsString]) -> Option<String> {
    let mut texts = arguments.iter().map(|argument| argument.to_string_lossy().into_owned());
    texts.find(|text| OPENACC_FLAGS.iter().any(|flag| text.starts_with(flag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> (bool, bool) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let LanguageFlags { compiles_debug_lines, saves_locals, .. } = language_flags(&arguments);
        (compiles_debug_lines, saves_locals)
    }

    #[test]
    fn flags_say_which_lines_are_statements() {
        assert_eq!(of(&["-O2", "-fd-lines-as-code", "a.f"]), (true, false));
        assert_eq!(of(&["-qdlines", "-qnodlines"]), (false, false));
        assert_eq!(of(&["-O2", "a.f"]), (false, false));
    }

    #[test]
    fn flags_say_how_exact_results_are() {
        let rounding =
            |arguments: &[&str]| language_flags(&arguments.iter().map(OsString::from).collect::<Vec<_>>()).rounding;
        assert_eq!(rounding(&["-O2", "-Ofast", "a.f"]).as_deref(), Some("-Ofast"));
        assert_eq!(rounding(&["-ffast-math", "-fno-fast-math"]), None);
        assert_eq!(rounding(&["-O3", "-march=native"]), None);
    }

    #[test]
    fn flags_say_what_is_saved() {
        assert_eq!(of(&["-fno-automatic", "a.f"]), (false, true));
        assert_eq!(of(&["-qsave=all"]), (false, true));
        assert_eq!(of(&["-save", "-automatic"]), (false, false));
    }
}
