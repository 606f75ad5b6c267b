//! Whether a text that takes a file's place is C, as far as that file was.

use super::lower::configuration_of;
use super::preprocess::Disk;
use super::translation_unit::TranslationUnit;
use crate::frontend::{FrontendError, FrontendOptions};
use crate::ir::SourceFile;

/// What can't be read in `text`, line (from 1) and what is wrong; nothing, where `file` can't be read itself, since what its headers
/// declare may be missing.
///
/// # Errors
/// None: where no compiler is named, none has to answer.
pub fn syntax_errors(text: &[u8], file: &SourceFile) -> Result<Vec<(usize, String)>, FrontendError> {
    let configuration = configuration_of(&file.path, &FrontendOptions::default())?;
    let holes = |text: &[u8]| {
        let read = TranslationUnit::read(&file.path, text.to_vec(), &configuration, &Disk).ok()?;
        let at = read.unit.holes.iter().map(|hole| {
            let text =
                String::from_utf8_lossy(&read.expansion.text()[hole.range.start as usize..hole.range.end as usize])
                    .into_owned();
            (1, format!("`{}` is not C", text.chars().take(80).collect::<String>()))
        });
        Some(at.collect::<Vec<_>>())
    };
    match holes(&file.text) {
        Some(found) if found.is_empty() => Ok(holes(text).unwrap_or_default()),
        _ => Ok(Vec::new()),
    }
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
}
