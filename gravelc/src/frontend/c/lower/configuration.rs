//! With which macros, and which headers, files are read.

use std::ffi::OsString;
use std::path::Path;

use crate::frontend::c::preprocess::{Compiler, Configuration};
use crate::frontend::{FrontendError, FrontendOptions};

/// The compilers that are asked where the user names none, the first that answers.
const COMPILERS: [&str; 3] = ["mpicc", "cc", "gcc"];

/// The macros of a compiler for x86-64, where there is none.
const PREDEFINED: &[u8] =
    b"#define __STDC__ 1\n#define __STDC_VERSION__ 201112L\n#define __x86_64__ 1\n#define __LP64__ 1\n";

/// What the file at `path` is read with.
///
/// # Errors
/// The compiler that the user names can't be asked, or has a flag with which C means something else.
pub fn configuration_of(path: &Path, options: &FrontendOptions) -> Result<Configuration, FrontendError> {
    let options = options.of(path);
    let mut flags: Vec<OsString> = Vec::new();
    for folder in &options.include_folders {
        flags.extend([OsString::from("-I"), folder.clone().into_os_string()]);
    }
    flags.extend(options.macro_flags());
    let Some(command) = &options.c_compiler else {
        let found = COMPILERS.iter().find_map(|compiler| Compiler::new(*compiler, flags.clone()).configuration().ok());
        return Ok(
            found.unwrap_or_else(|| Configuration { predefined: PREDEFINED.to_vec(), ..Configuration::default() })
        );
    };
    if let Some(flag) = command.changed_meaning() {
        return Err(FrontendError::ChangedMeaning { path: path.to_path_buf(), flag: flag.to_owned() });
    }
    // What the user says counts more.
    let mut compiler = command.compiler();
    compiler.flags.extend(flags);
    compiler
        .configuration()
        .map_err(|error| FrontendError::Compiler { path: path.to_path_buf(), message: error.to_string() })
}
