//! `gravelc config`: the flags to build against the runtime, as pkg-config would give them.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgGroup;

use super::runtime::{self, Compiler, FortranModule, SYSTEM_LIBRARIES};
use super::{Exit, Failure, diagnostics};

/// The compiler whose Fortran module is meant if none is named.
const DEFAULT_COMPILER: &str = "mpif90";

const EXAMPLES: &str = "\
The Fortran module is compiled with the compiler on first use and kept in $GRAVEL_CACHE_DIR, else
in $XDG_CACHE_HOME/gravel, else in ~/.cache/gravel. Flags of the program that change kinds or the
binary interface, such as -fdefault-integer-8, must be given behind `--`. The library is looked for
in $GRAVEL_LIB_DIR, next to gravelc, and in ../lib from there.

Examples:
  mpif90 -c $(gravelc config --fflags) ring_gravel.f90
  mpif90 ring_gravel.o -o ring_gravel $(gravelc config --libs --fortran)
  mpicc $(gravelc config --cflags) ring.c -o ring $(gravelc config --libs)
  gravelc config --fflags --compiler mpif90.mpich -- -fdefault-integer-8";

/// Print the flags to build programs against the runtime
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(ArgGroup::new("what").required(true).multiple(true).args(["cflags", "fflags", "libs"])))]
pub(super) struct Arguments {
    /// The flags to compile C
    #[arg(long)]
    cflags: bool,
    /// The flags to compile Fortran
    #[arg(long)]
    fflags: bool,
    /// The libraries to link; for Fortran (--fortran, --fflags or --compiler) with the module's object file
    #[arg(long)]
    libs: bool,
    /// The program is Fortran, or partly: `--libs` names the module's object file too
    #[arg(long)]
    fortran: bool,
    /// The Fortran compiler that builds the program [default: mpif90]
    #[arg(long, value_name = "COMPILER")]
    compiler: Option<OsString>,
    /// Flags that the program is compiled with
    #[arg(value_name = "FLAG", last = true)]
    flags: Vec<OsString>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut flags: Vec<String> = Vec::new();
    if arguments.cflags {
        flags.push(include_flag(&runtime::header_folder()?));
    }
    let module = if arguments.fflags || arguments.fortran || arguments.compiler.is_some() {
        let name = arguments.compiler.clone().unwrap_or_else(|| OsString::from(DEFAULT_COMPILER));
        Some(FortranModule::compiled_with(&Compiler::find(&name)?, &runtime::module_flags(&arguments.flags))?)
    } else {
        None
    };
    if let Some(module) = module.as_ref().filter(|_| arguments.fflags) {
        flags.push(include_flag(module.folder()));
    }
    if arguments.libs {
        flags.extend(module.map(|module| quoted(&module.object())));
        flags.push(runtime::IN_FRONT.to_owned());
        flags.push(quoted(&runtime::find_library()?));
        flags.extend(SYSTEM_LIBRARIES.map(str::to_owned));
    }
    diagnostics::write_to_stdout(format!("{}\n", flags.join(" ")).as_bytes())?;
    Ok(Exit::Done)
}

fn include_flag(folder: &Path) -> String {
    format!("-I{}", quoted(folder))
}

/// The path, with a backslash before every character that could mean something to a shell, as pkg-config does it.
fn quoted(path: &Path) -> String {
    let mut text = String::new();
    for character in path.display().to_string().chars() {
        if !character.is_alphanumeric() && !"/._-+=:,@%".contains(character) {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_shell() {
        assert_eq!(quoted(Path::new("/home/me/.cache/gravel-1")), "/home/me/.cache/gravel-1");
        assert_eq!(quoted(Path::new("/My Files/a$b")), "/My\\ Files/a\\$b");
    }
}
