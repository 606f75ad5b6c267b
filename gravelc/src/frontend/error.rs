//! Why a file could not be taken in at all.

use std::io;
use std::path::PathBuf;

/// An input that is not source text that this front end reads. Each message names the file and the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontendError {
    /// No threads could be started to read the files.
    #[error("no threads could be started to read the files: {message}; raise the limit on processes")]
    Threads {
        /// What the system says.
        message: String,
    },
    /// There is no such file.
    #[error("{}: no such file; check the path", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The path names a directory.
    #[error("{}: is a directory; name the source files in it", path.display())]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The file exists but can't be read.
    #[error("{}: can't be read: {source}; check its permissions", path.display())]
    NotReadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds nothing but blanks.
    #[error("{}: is empty; a source file is expected", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is not text.
    #[error("{}:{line}: is a binary file (control characters from this line on); a source file is expected", path.display())]
    Binary {
        /// The file.
        path: PathBuf,
        /// 1-based line of the first byte that is no text.
        line: usize,
    },
    /// The name does not tell which language the file is in.
    #[error(
        "{}: unknown file name extension; use .f90, .f95, .f03, .f08 or .f18 for free form, \
         .f, .for, .ftn, .f77 or .fpp for fixed form (also in upper case), .c for C, or pass --free-form or --fixed-form", path.display()
    )]
    UnknownExtension {
        /// The file.
        path: PathBuf,
    },
    /// The file is larger than positions in the program can be.
    #[error("{}: is larger than {limit} bytes; split it into several files", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: usize,
    },
    /// The compiler of C that the user names can't be asked for its macros and headers.
    #[error("{}: {message}; name the compiler and the flags with which the file is compiled", path.display())]
    Compiler {
        /// The file.
        path: PathBuf,
        /// What happened.
        message: String,
    },
    /// The file is compiled with a flag that changes what C means.
    #[error("{}: with `{flag}` C means something else than the standard says, and what is proven of it may not hold; compile it without, or leave it out", path.display())]
    ChangedMeaning {
        /// The file.
        path: PathBuf,
        /// The flag.
        flag: String,
    },
    /// The parser could not be set up.
    #[error("the Fortran grammar can't be loaded: {message}; gravelc was built from parts that do not fit together")]
    Grammar {
        /// What the parser library says.
        message: String,
    },
}
