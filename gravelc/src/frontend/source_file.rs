//! From a path to the bytes of a source file, with the checks that come before any parse.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
#[cfg(feature = "fortran")]
use std::{fs, io};

use serde::{Deserialize, Serialize};

#[cfg(feature = "fortran")]
use super::FrontendError;
use crate::ir::VectorArithmetic;
#[cfg(feature = "fortran")]
use crate::ir::{BYTE_ORDER_MARK, Language};
#[cfg(feature = "fortran")]
use crate::source_layout::{STANDARD_COLUMNS, SourceLayout};

/// The largest file that is read: the parser counts bytes in 32 bits.
#[cfg(feature = "fortran")]
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// How source lines are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SourceForm {
    /// By the extension of the file's name.
    #[default]
    Auto,
    /// Free form (Fortran 2018, 6.3.2).
    Free,
    /// Fixed form (Fortran 2018, 6.3.3).
    Fixed,
}

/// How files are read: all in one way, or some of them in ways of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontendOptions {
    /// The source form of all files.
    pub form: SourceForm,
    /// The last column of the statement field in fixed form: 72 unless this says otherwise, 0 for lines without an end.
    pub columns: Option<usize>,
    /// All files go through the preprocessor, or none does; where this does not say, their names do.
    #[serde(default)]
    pub preprocesses: Option<bool>,
    /// Where included files are looked for, behind the folder of the file that includes them.
    pub include_folders: Vec<PathBuf>,
    /// Modules that were not given belong to libraries: they have nothing to do with the program's own procedures, variables
    /// and operators, and redefine no intrinsic procedures.
    #[serde(default)]
    pub libraries_keep_to_themselves: bool,
    /// Lines of fixed form with a D in column 1 are statements, not comments.
    #[serde(default)]
    pub compiles_debug_lines: bool,
    /// Local variables of procedures keep their values from one run to the next, as if each had a SAVE statement.
    #[serde(default)]
    pub saves_locals: bool,
    /// How the compiler of files in Fortran computes in vectors.
    #[serde(default)]
    pub vector_arithmetic: VectorArithmetic,
    /// How long reals are that name no kind.
    #[cfg(feature = "fortran")]
    #[serde(default)]
    pub default_kinds: super::fortran::DefaultKinds,
    /// What is known of the macros of the preprocessor.
    #[cfg(feature = "fortran")]
    pub macros: super::fortran::Macros,
    /// The compiler of C that a build uses, with its flags: where this does not say, one that is found.
    #[cfg(feature = "c")]
    #[serde(default)]
    pub c_compiler: Option<super::c::compiler_command::CompilerCommand>,
    /// Files that are read in a way of their own, as where a build compiles each with other flags.
    #[serde(default)]
    pub of_files: OptionsOfFiles,
}

/// The ways in which single files are read. Most builds have few of them for many files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionsOfFiles {
    ways: Vec<FrontendOptions>,
    /// The index of each file's way, by its path as it is given.
    files: BTreeMap<PathBuf, usize>,
}

impl OptionsOfFiles {
    /// The file at `path` is read so.
    pub fn insert(&mut self, path: PathBuf, options: FrontendOptions) {
        let known = self.ways.iter().position(|way| *way == options);
        let way = known.unwrap_or_else(|| {
            self.ways.push(options);
            self.ways.len() - 1
        });
        self.files.insert(path, way);
    }

    /// How the file at `path` is read, if that is a way of its own.
    pub fn get(&self, path: &Path) -> Option<&FrontendOptions> {
        self.ways.get(*self.files.get(path)?)
    }

    /// All ways, each once.
    pub fn ways_mut(&mut self) -> &mut [FrontendOptions] {
        &mut self.ways
    }

    /// The same ways for the files at other paths.
    #[must_use]
    pub fn at(self, other: impl Fn(&Path) -> PathBuf) -> Self {
        let files = self.files.iter().map(|(path, way)| (other(path), *way)).collect();
        Self { ways: self.ways, files }
    }
}

impl FrontendOptions {
    /// How the file at `path` is read.
    #[must_use]
    pub fn of(&self, path: &Path) -> &Self {
        self.of_files.get(path).unwrap_or(self)
    }

    /// The flags by which a compiler of C gets the macros that the user names.
    #[cfg(feature = "c")]
    pub(super) fn macro_flags(&self) -> Vec<std::ffi::OsString> {
        #[cfg(feature = "fortran")]
        {
            use super::fortran::Macro;
            // Those of a compiler it has of itself.
            let is_named = |name: &str| !self.macros.lists_those_of_compiler || !name.starts_with('_');
            let named = self.macros.known.iter().filter(|(name, _)| is_named(name));
            let flag = |(name, known): (&String, &Macro)| match known {
                Macro::Defined(value) => Some(format!("-D{name}={value}")),
                Macro::WithArguments(macro_) => {
                    Some(format!("-D{name}({})={}", macro_.parameters.join(","), macro_.body))
                }
                Macro::Undefined => Some(format!("-U{name}")),
                Macro::Unknown => None,
            };
            named.filter_map(flag).map(Into::into).collect()
        }
        #[cfg(not(feature = "fortran"))]
        Vec::new()
    }

    /// Are directives of OpenMP and OpenACC comments in C?
    #[cfg(any(feature = "c", feature = "fortran"))]
    pub(super) fn ignores_directives(&self) -> bool {
        #[cfg(feature = "c")]
        if let Some(compiler) = &self.c_compiler {
            return compiler.flag_of_directives().is_none();
        }
        #[cfg(feature = "fortran")]
        {
            self.macros.without_openmp
        }
        #[cfg(not(feature = "fortran"))]
        false
    }

    #[cfg(feature = "fortran")]
    fn fixed(&self) -> SourceLayout {
        let columns = match self.columns {
            None => STANDARD_COLUMNS,
            Some(0) => usize::MAX,
            // Column 7 at least has to be there.
            Some(columns) => columns.max(7),
        };
        SourceLayout::Fixed { columns }
    }
}

/// The layout of the file at `path`.
#[cfg(feature = "fortran")]
pub(super) fn layout_of(path: &Path, options: &FrontendOptions) -> Result<SourceLayout, FrontendError> {
    let options = options.of(path);
    let form = match options.form {
        // Only Fortran has forms.
        _ if language_of(path) == Language::C => Some(SourceForm::Free),
        SourceForm::Auto => form_of(path),
        chosen => Some(chosen),
    };
    match form {
        Some(SourceForm::Free | SourceForm::Auto) => Ok(SourceLayout::Free),
        Some(SourceForm::Fixed) => Ok(options.fixed()),
        // A path that leads nowhere is the better thing to complain about.
        None if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) => {
            Err(FrontendError::IsDirectory { path: path.to_path_buf() })
        }
        None if !path.exists() => Err(FrontendError::NotFound { path: path.to_path_buf() }),
        None => Err(FrontendError::UnknownExtension { path: path.to_path_buf() }),
    }
}

/// What the file at `path` is written in.
#[cfg(feature = "fortran")]
pub(crate) fn language_of(path: &Path) -> Language {
    match path.extension() {
        Some(extension) if extension == "c" && cfg!(feature = "c") => Language::C,
        _ => Language::Fortran,
    }
}

/// Does the file at `path` go through the preprocessor? Compilers let it read what has an extension in upper case.
#[cfg(feature = "fortran")]
pub(crate) fn is_preprocessed(path: &Path, options: &FrontendOptions) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if language_of(path) == Language::C {
        return true;
    }
    options.of(path).preprocesses.unwrap_or_else(|| extension.starts_with('F') || extension == "fpp")
}

/// How the compiler of the file at `path` computes in vectors. In C pragmas and attributes in the text have a say, which nobody reads.
#[cfg(feature = "fortran")]
pub(super) fn vector_arithmetic_of(path: &Path, options: &FrontendOptions) -> VectorArithmetic {
    match language_of(path) {
        Language::Fortran => options.of(path).vector_arithmetic,
        _ => VectorArithmetic::Unknown,
    }
}

/// The form that the customary extensions stand for.
#[cfg(feature = "fortran")]
fn form_of(path: &Path) -> Option<SourceForm> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "f90" | "f95" | "f03" | "f08" | "f18" | "f23" => Some(SourceForm::Free),
        "f" | "for" | "ftn" | "f77" | "fpp" => Some(SourceForm::Fixed),
        _ => None,
    }
}

/// The bytes of the file at `path`.
#[cfg(feature = "fortran")]
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, FrontendError> {
    // Reading a directory fails with an error of its own kind on some systems only.
    if fs::metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        return Err(FrontendError::IsDirectory { path: path.to_path_buf() });
    }
    fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => FrontendError::NotFound { path: path.to_path_buf() },
        io::ErrorKind::IsADirectory => FrontendError::IsDirectory { path: path.to_path_buf() },
        _ => FrontendError::NotReadable { path: path.to_path_buf(), source },
    })
}

/// Is this text at all? Bytes beyond ASCII are welcome (old comments often are Latin-1), control characters are not.
#[cfg(feature = "fortran")]
pub(super) fn check_text(path: &Path, text: &[u8]) -> Result<(), FrontendError> {
    let path = || path.to_path_buf();
    if text.len() > MAX_BYTES {
        return Err(FrontendError::TooLarge { path: path(), limit: MAX_BYTES });
    }
    if text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).iter().all(u8::is_ascii_whitespace) {
        return Err(FrontendError::Empty { path: path() });
    }
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | b'\x0c' | b'\x1a');
    let controls = text.iter().filter(|&byte| is_control(byte)).count();
    let first = text.iter().position(|&byte| byte == 0).or_else(|| {
        // A stray control character in a comment does not make a binary file; a tenth of the file does.
        (controls * 10 > text.len()).then(|| text.iter().position(is_control))?
    });
    match first {
        Some(offset) => {
            let line = 1 + text[..offset].iter().filter(|&&byte| byte == b'\n').count();
            Err(FrontendError::Binary { path: path(), line })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_the_form() {
        for (name, form) in [
            ("a.f90", Some(SourceForm::Free)),
            ("a.F90", Some(SourceForm::Free)),
            ("a.F08", Some(SourceForm::Free)),
            ("a.f", Some(SourceForm::Fixed)),
            ("a.FOR", Some(SourceForm::Fixed)),
            ("a.f77", Some(SourceForm::Fixed)),
            ("a.c", None),
            ("a", None),
        ] {
            assert_eq!(form_of(Path::new(name)), form, "{name}");
        }
    }

    #[test]
    fn options_win_over_the_extension() {
        let layout = |name: &str, options: FrontendOptions| layout_of(Path::new(name), &options).unwrap();
        let fixed = |columns| SourceLayout::Fixed { columns };
        assert_eq!(layout("old.f", FrontendOptions::default()), fixed(72));
        let free = FrontendOptions { form: SourceForm::Free, ..FrontendOptions::default() };
        assert_eq!(layout("old.f", free), SourceLayout::Free);
        let wide = FrontendOptions { form: SourceForm::Fixed, columns: Some(132), ..FrontendOptions::default() };
        assert_eq!(layout("new.f90", wide), fixed(132));
        assert_eq!(
            layout("old.F", FrontendOptions { columns: Some(0), ..FrontendOptions::default() }),
            fixed(usize::MAX)
        );
    }

    #[test]
    fn a_file_may_be_read_in_a_way_of_its_own() {
        let fixed = FrontendOptions { form: SourceForm::Fixed, ..FrontendOptions::default() };
        let mut options = FrontendOptions::default();
        for name in ["old.inc", "old.f90"] {
            options.of_files.insert(PathBuf::from(name), fixed.clone());
        }
        assert_eq!(options.of_files.ways_mut().len(), 1, "both are read in one way");
        let layout = |options: &FrontendOptions, name: &str| layout_of(Path::new(name), options).unwrap();
        assert_eq!(layout(&options, "old.f90"), SourceLayout::Fixed { columns: 72 });
        assert_eq!(layout(&options, "new.f90"), SourceLayout::Free);
        options.of_files = options.of_files.at(|path| Path::new("/src").join(path));
        assert_eq!(layout(&options, "/src/old.inc"), SourceLayout::Fixed { columns: 72 });
        assert_eq!(layout(&options, "old.f90"), SourceLayout::Free);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let path = Path::new("a.f90");
        assert!(matches!(check_text(path, b""), Err(FrontendError::Empty { .. })));
        assert!(matches!(check_text(path, b" \r\n\t"), Err(FrontendError::Empty { .. })));
        assert!(matches!(check_text(path, b"\xef\xbb\xbf\n"), Err(FrontendError::Empty { .. })));
        let error = check_text(path, b"\n\x7fELF\x00\x01").unwrap_err();
        assert!(matches!(error, FrontendError::Binary { line: 2, .. }), "{error}");
        assert!(matches!(check_text(path, &[1, 2, 3, 4, b'\n']), Err(FrontendError::Binary { .. })));
        assert!(check_text(path, b"! Gr\xfc\xdfe\nend\n").is_ok());
    }

    #[test]
    fn directories_and_missing_files_have_errors_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_bytes(folder.path()), Err(FrontendError::IsDirectory { .. })));
        let missing = folder.path().join("no.f90");
        assert!(matches!(read_bytes(&missing), Err(FrontendError::NotFound { .. })));
        assert!(matches!(
            layout_of(folder.path(), &FrontendOptions::default()),
            Err(FrontendError::IsDirectory { .. })
        ));
    }
}
