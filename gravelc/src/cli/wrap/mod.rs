//! `gravelc wrap`: a launcher in front of the compiler, for make and CMake.

mod c_command;
pub(super) mod compile_command;
mod dependency_files;
pub(super) mod response_files;
mod runtime_use;
mod whole_program;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use self::compile_command::{CompileCommand, Stage};
use self::runtime_use::{RuntimeUse, UseByObjects, use_by_objects, use_by_source};
use super::runtime::{self, Compiler, FortranModule, MODULE_MARK, SYSTEM_LIBRARIES};
use super::{Exit, Failure, build_record, diagnostics};
use crate::ir;

const EXAMPLES: &str = "\
A command that compiles a source which uses the module `gravel` gets its folder, a command that
links what uses it gets the runtime. All other commands (--version, -E, -show, …) pass unchanged,
and so do those of C++. In C the same holds for the header `gravel.h`. The module is compiled with the flags of the command that
change kinds or the binary interface, such as -fdefault-integer-8, and with -I for each folder
that holds MPI's modules; objects remember which one they were compiled with.

The sources of a command that compiles and links are taken to be the whole program and are
transformed on the way, unless --no-transform is given. A command with -c sees only a part of its
program, which can't be transformed on its own: it is compiled as it is, unless --plan says what was
decided about the whole program (`gravelc plan`). Or transform such a program as a whole with
`gravelc transform FILE... --out-dir DIR`, and build the result with `gravelc wrap --no-transform`.

Examples:
  gravelc wrap -- mpif90 -O2 ring.f90 -o ring
  gravelc wrap -- mpicc -O2 ring.c -o ring
  gravelc wrap --no-transform -- mpif90 -O2 ring_gravel.f90 -o ring_gravel
  gravelc plan src/*.f90 -o program.plan && make FC='gravelc wrap --plan program.plan -- mpif90'
  gravelc plan src/*.c -o program.plan && make CC='gravelc wrap --plan program.plan -- mpicc'
  make FC='gravelc wrap --no-transform -- mpif90'
  make FC=\"gravelc wrap --record $PWD/record -- mpif90\" && gravelc plan --recorded record -o program.plan
  FC=mpif90 cmake -DCMAKE_Fortran_COMPILER_LAUNCHER='gravelc;wrap;--no-transform;--' \\
      -DCMAKE_Fortran_STANDARD_LIBRARIES=\"$(gravelc config --libs --fortran)\" ..
With FC=gfortran and find_package(MPI), CMake puts MPI's libraries in front of the runtime; linkers
that drop what is not needed yet are told to keep them: -DCMAKE_EXE_LINKER_FLAGS=-Wl,--no-as-needed

The exit code is that of the compiler; 2 or 3 if gravelc itself fails.";

/// Launch a compiler so that it transforms the program and builds it against the runtime
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Compile the sources as they are; only make the runtime known to the compiler
    #[arg(long)]
    no_transform: bool,
    /// Carry out this plan (of `gravelc plan`) on the sources, also of a command with -c
    #[arg(long, value_name = "PLAN", conflicts_with = "no_transform")]
    plan: Option<PathBuf>,
    /// Keep the transformed sources in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "no_transform")]
    keep_dir: Option<PathBuf>,
    /// Execute the command as it is, and note in this folder (an absolute path) what it compiles or links, for --recorded of `plan`
    /// and `transform`; compilers of C and `ar` are wrapped, too
    #[arg(long, value_name = "DIR", conflicts_with_all = ["no_transform", "plan", "keep_dir"])]
    record: Option<PathBuf>,
    /// The compiler and its arguments
    #[arg(value_name = "COMPILER ARGS", last = true, required = true)]
    command: Vec<OsString>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let (name, compiler_arguments) = arguments
        .command
        .split_first()
        .ok_or_else(|| Failure::input("no compiler was given").help("gravelc wrap -- COMPILER ARGS..."))?;
    let compiler = Compiler::find(name)?;
    // Sources and flags in a file of arguments count like all others.
    let expanded = response_files::expanded(compiler_arguments);
    if let Some(folder) = &arguments.record {
        let recording = build_record::begin(folder, compiler.path(), &expanded)?;
        let exit = launch(&compiler, compiler_arguments)?;
        // What failed made nothing.
        if let Some(recording) = recording.filter(|_| exit == Exit::Compiler(0)) {
            recording.end()?;
        }
        return Ok(exit);
    }
    let command = CompileCommand::of(compiler.path().as_os_str(), &expanded);
    if command.stage() == Stage::Other {
        return launch(&compiler, compiler_arguments);
    }

    let keep_dir = arguments.keep_dir.as_deref();
    let transformed = match &arguments.plan {
        _ if arguments.no_transform => None,
        Some(plan) => whole_program::transform_planned_sources(&compiler, &command, plan, keep_dir)?,
        None => whole_program::transform_sources(&compiler, &command, keep_dir)?,
    };
    let mut new_arguments = match &transformed {
        Some(transformed) => command.with_replaced_sources(transformed.replacements()),
        None => compiler_arguments.to_vec(),
    };

    let sources = match &transformed {
        Some(transformed) => transformed.replacements().to_vec(),
        None => command.sources(),
    };
    let is_fortran = compiler.is_called_fortran() || command.has_fortran_sources();
    let module = match is_fortran {
        true => add_fortran_module(&compiler, &command, &sources, &mut new_arguments)?,
        false => None,
    };
    let in_c = command.replaced_in(ir::Language::C, &sources);
    new_arguments.extend(c_command::header_flags(&in_c)?);
    if module.is_none() {
        new_arguments.extend(c_command::library(&command, &in_c)?);
    }
    // What came in files may be too much for a command line.
    let file = match compiler_arguments == expanded {
        true => None,
        false => response_files::ArgumentFile::of(&new_arguments)?,
    };
    let exit = launch(&compiler, file.as_ref().map_or(&new_arguments, |file| file.arguments()))?;
    let written_out = transformed.as_ref().map_or(&[][..], |transformed| transformed.written_out());
    dependency_files::correct(&command, &sources, written_out, module.as_ref().map(FortranModule::folder))?;
    // The transformed sources and this file live until the compiler has ended.
    drop((transformed, file));
    Ok(exit)
}

/// Makes the runtime's module known to a command with sources or objects in Fortran, and its library, where they use it; `sources` are all
/// that the compiler gets. What is added goes into `new_arguments`.
fn add_fortran_module(
    compiler: &Compiler,
    command: &CompileCommand,
    sources: &[PathBuf],
    new_arguments: &mut Vec<OsString>,
) -> Result<Option<FortranModule>, Failure> {
    let sources = command.replaced_in(ir::Language::Fortran, sources);
    let by_sources = sources.iter().map(|source| use_by_source(source)).max().unwrap_or(RuntimeUse::No);
    let by_objects = match command.stage() {
        Stage::Link => use_by_objects(command.other_inputs(), command.flags()),
        Stage::Compile | Stage::Other => UseByObjects::default(),
    };
    let module = module_for(compiler, command.arguments(), by_sources, &by_objects)?;
    if let Some(module) = &module {
        let is_for_sources = by_sources > RuntimeUse::No;
        if is_for_sources {
            // Behind the program's own folders, which thus go first.
            new_arguments.push(joined("-I", module.folder()));
        }
        if command.stage() == Stage::Link {
            // In front of MPI's libraries, which it needs, and of `-x`.
            new_arguments.insert(0, module.object().into_os_string());
            if command.names_language() {
                // What follows is what its name says.
                new_arguments.extend(["-x", "none"].map(OsString::from));
            }
            new_arguments.push(runtime::IN_FRONT.into());
            new_arguments.push(runtime::find_library()?.into_os_string());
            new_arguments.extend(SYSTEM_LIBRARIES.map(OsString::from));
        } else if is_for_sources && command.assembles() && !runtime::module_flags(command.arguments()).is_empty() {
            // The command that links may not have these flags.
            new_arguments.push(format!("-Wa,--defsym,{MODULE_MARK}{}=0", module.mark()).into());
        }
    }
    Ok(module)
}

/// The module of the runtime as the command needs it: that which its objects were compiled with, or the one of its own flags.
/// `None` if it needs none.
fn module_for(
    compiler: &Compiler,
    arguments: &[OsString],
    by_sources: RuntimeUse,
    by_objects: &UseByObjects,
) -> Result<Option<FortranModule>, Failure> {
    let mut marks = by_objects.marks.iter();
    match (marks.next(), marks.next()) {
        (Some(mark), None) if by_sources < RuntimeUse::Yes => {
            let module = FortranModule::marked(mark)?;
            return module.map(Some).ok_or_else(|| {
                Failure::input(
                    "the module of the runtime that these objects were compiled with is not in the cache any more",
                )
                .help("compile them anew")
            });
        }
        (Some(_), Some(_)) => {
            let message =
                "these objects were compiled with several modules of the runtime: for other MPIs, or with other kinds";
            return Err(Failure::input(message).help("compile them anew, with the same flags for all"));
        }
        _ => {}
    }
    let compiled = || FortranModule::compiled_with(compiler, &runtime::module_flags(arguments));
    match by_sources.max(by_objects.uses) {
        RuntimeUse::No => Ok(None),
        // If it does need the module, the compiler says so.
        RuntimeUse::Perhaps => Ok(compiled().ok()),
        RuntimeUse::Yes => compiled().map(Some),
    }
}

fn launch(compiler: &Compiler, arguments: &[OsString]) -> Result<Exit, Failure> {
    let status = compiler
        .command(arguments)
        .status()
        .map_err(|error| Failure::input(format!("cannot run {}: {error}", compiler.path().display())))?;
    Ok(Exit::Compiler(exit_code(status)))
}

/// The exit code that a shell would give: for a compiler that a signal ended, 128 more than the signal's number.
fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

fn joined(flag: &str, path: &std::path::Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}

/// Why a command's sources are compiled as they are.
fn note_untransformed(why: &str, help: Option<&str>) {
    diagnostics::print_note(&format!("not transformed: {why}"), help);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(ExitStatus::from_raw(0)), 0);
        assert_eq!(exit_code(ExitStatus::from_raw(4 << 8)), 4);
        assert_eq!(exit_code(ExitStatus::from_raw(9)), 137);
    }
}
