//! Whether a text that takes a file's place is C, as far as that file was, and its names mean what they meant there.

mod meanings;

use self::meanings::other_meanings;
use super::lower::configuration_of;
use super::preprocess::Disk;
use super::translation_unit::TranslationUnit;
use crate::frontend::{FrontendError, FrontendOptions};
use crate::ir::SourceFile;

/// What can't be read in `text`, or means something else there, line (from 1) and what is wrong; nothing, where `file` can't be read
/// itself, since what its headers declare may be missing.
///
/// # Errors
/// None: where no compiler is named, none has to answer.
pub fn syntax_errors(text: &[u8], file: &SourceFile) -> Result<Vec<(usize, String)>, FrontendError> {
    let configuration = configuration_of(&file.path, &FrontendOptions::default())?;
    let read = |text: &[u8]| TranslationUnit::read(&file.path, text.to_vec(), &configuration, &Disk).ok();
    let Some(original) = read(&file.text).filter(|read| read.unit.holes.is_empty()) else { return Ok(Vec::new()) };
    let Some(written) = read(text) else { return Ok(Vec::new()) };
    let holes = written.unit.holes.iter().map(|hole| {
        let text = &written.expansion.text()[hole.range.start as usize..hole.range.end as usize];
        let text = String::from_utf8_lossy(text).into_owned();
        (1, format!("`{}` is not C", text.chars().take(80).collect::<String>()))
    });
    let others = other_meanings(original.expansion.unit(), written.expansion.unit());
    Ok(holes.chain(others.into_iter().map(|other| (other.line, other.message))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source_layout::SourceLayout;

    #[test]
    fn what_was_c_has_to_stay_c() {
        let file = |text: &str| SourceFile::new("a.c", text.as_bytes().to_vec(), SourceLayout::Free);
        let original = file("#include <mpi.h>\nint f(int a) { return a; }\n");
        let errors = |text: &str| syntax_errors(text.as_bytes(), &original).unwrap();
        assert!(
            errors("#include <mpi.h>\n#include <gravel.h>\nint f(int a) { gravel_request r; int64_t s; return a; }\n")
                .is_empty()
        );
        assert_eq!(errors("#include <mpi.h>\nint f(int a) { (void); return a; }\n").len(), 1);
        assert!(syntax_errors(b"int f(", &file("int g(")).unwrap().is_empty());
    }

    #[test]
    fn names_have_to_stand_for_what_they_stood_for() {
        let file = |text: &str| SourceFile::new("a.c", text.as_bytes().to_vec(), SourceLayout::Free);
        let original = file(
            "int k;\nint f(void) { return k; }\n#define k (n + 1)\n#define LAST 7\nint g(int n) { return n; }\nint h = LAST;\n#undef LAST\nint last(int n) { return n; }\n",
        );
        let errors = |inserted: &str, behind: &str| {
            let original = String::from_utf8_lossy(&original.text).into_owned();
            let place = original.find(behind).expect("it is there") + behind.len();
            let text = format!("{}{inserted}{}", &original[..place], &original[place..]);
            syntax_errors(text.as_bytes(), &file(&original)).unwrap()
        };
        assert!(errors(" k = 3;", "f(void) {").is_empty());
        let messages = errors(" n = k;", "g(int n) {");
        assert_eq!(messages, [(5, "`k` stands for `( n + 1 )`, as nowhere in the original".to_owned())]);
        assert!(errors(" n = LAST;", "g(int n) {").is_empty());
        let messages = errors(" n = LAST;", "last(int n) {");
        assert_eq!(messages, [(8, "`LAST` stands for itself, as nowhere in the original".to_owned())]);
    }
}
