//! What differs between the languages of test programs: compilers, their flags, comments.

use std::path::Path;

use crate::mpi_flavour::MpiFlavour;

/// The language of a test program, which the ending of its file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SourceLanguage {
    /// Fortran, in free or fixed form.
    Fortran,
    /// C.
    C,
}

impl SourceLanguage {
    /// That of a file.
    pub fn of(file: &Path) -> Self {
        if file.extension().is_some_and(|ending| ending == "c") { Self::C } else { Self::Fortran }
    }

    /// The ending of its files, in free form.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Fortran => "f90",
            Self::C => "c",
        }
    }

    /// Flags with which a program stops where it leaves its arrays, or has no meaning at all.
    pub fn checks(self) -> &'static [&'static str] {
        match self {
            Self::Fortran => &["-fcheck=bounds"],
            Self::C => &["-fsanitize=undefined", "-fno-sanitize-recover=all"],
        }
    }

    /// The command that compiles and links a program with this MPI.
    pub fn compiler(self, mpi: MpiFlavour) -> String {
        match self {
            Self::Fortran => mpi.fortran_compiler(),
            Self::C => mpi.c_compiler(),
        }
    }

    /// Flags that every program needs.
    pub fn flags(self, mpi: MpiFlavour) -> Vec<&'static str> {
        match self {
            Self::Fortran => mpi.fortran_flags().to_vec(),
            Self::C => Vec::new(),
        }
    }

    /// Flags behind a program's own files.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Self::Fortran => &[],
            // C's mathematical functions are a library of their own.
            Self::C => &["-lm"],
        }
    }

    /// The flags that ask for warnings: those of the standard that the file keeps to, among others.
    pub fn warnings(self, file: &Path) -> &'static [&'static str] {
        match self {
            Self::C => &["-Wall", "-Wextra", "-Wconversion", "-Wshadow"],
            // Free form is held to the standard, fixed form is of another time.
            Self::Fortran if is_fixed_form(file) => &["-Wall", "-std=legacy"],
            Self::Fortran => &["-Wall", "-std=f2018"],
        }
    }

    /// The text of a line that is nothing but a comment which says something about the program: `! ranks: 2`, `/* ranks: 2 */`.
    pub fn remark(self, line: &str) -> Option<&str> {
        let line = line.trim();
        match self {
            Self::Fortran => line.strip_prefix('!'),
            // Not `/* one */ int a; /* another */`.
            Self::C => line.strip_prefix("/*")?.strip_suffix("*/").filter(|text| !text.contains("*/")),
        }
        .map(str::trim)
    }

    /// Is a line empty, or nothing but a comment?
    pub fn is_comment(self, line: &str) -> bool {
        if line.trim().is_empty() || self.remark(line).is_some() {
            return true;
        }
        // The fixed form of Fortran.
        self == Self::Fortran && (line.starts_with('*') || line.trim_end() == "C" || line.starts_with("C "))
    }

    /// What stands at the end of a line that a trap is about.
    pub fn mark_of_traps(self) -> &'static str {
        match self {
            Self::Fortran => "! trapped",
            Self::C => "/* trapped */",
        }
    }
}

fn is_fixed_form(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    matches!(ending.as_str(), "f" | "for" | "ftn" | "f77" | "fpp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_language() {
        let of = |name: &str| SourceLanguage::of(Path::new(name));
        assert_eq!(
            [of("a.c"), of("a.f"), of("a.F90"), of("a")].map(|it| it == SourceLanguage::C),
            [true, false, false, false]
        );
        assert_eq!(SourceLanguage::Fortran.warnings(Path::new("a.F")), ["-Wall", "-std=legacy"]);
        assert_eq!(SourceLanguage::Fortran.warnings(Path::new("a.F90")), ["-Wall", "-std=f2018"]);
    }

    #[test]
    fn remarks_are_comments_of_one_line() {
        assert_eq!(SourceLanguage::C.remark(" /* ranks: 2 4 */ "), Some("ranks: 2 4"));
        assert_eq!(SourceLanguage::C.remark("/* ranks: 2 */ int a; /* of it */"), None);
        assert_eq!(SourceLanguage::C.remark("int a; /* ranks: 2 */"), None);
        assert_eq!(SourceLanguage::Fortran.remark("  ! ranks: 2"), Some("ranks: 2"));
        assert!(SourceLanguage::Fortran.is_comment("C ranks") && !SourceLanguage::C.is_comment("C ranks"));
    }
}
