//! With which macros, and which headers, files are read.

use std::ffi::OsString;

use crate::frontend::FrontendOptions;
use crate::frontend::c::preprocess::{Compiler, Configuration};

/// The compilers that are asked, the first that answers.
const COMPILERS: [&str; 3] = ["mpicc", "cc", "gcc"];

/// The macros of a compiler for x86-64, where there is none.
const PREDEFINED: &[u8] =
    b"#define __STDC__ 1\n#define __STDC_VERSION__ 201112L\n#define __x86_64__ 1\n#define __LP64__ 1\n";

/// What a file is read with.
pub fn configuration_of(options: &FrontendOptions) -> Configuration {
    let mut flags: Vec<OsString> = Vec::new();
    for folder in &options.include_folders {
        flags.extend([OsString::from("-I"), folder.clone().into_os_string()]);
    }
    flags.extend(options.macro_flags());
    let found = COMPILERS.iter().find_map(|compiler| Compiler::new(*compiler, flags.clone()).configuration().ok());
    found.unwrap_or_else(|| Configuration { predefined: PREDEFINED.to_vec(), ..Configuration::default() })
}
