//! What a plan rests on, file by file, held against the command that is to carry it out.
//!
//! A plan is right for the statements that it was made from. Which these are is not only in the files: macros, flags for the
//! source form and for directives say which lines are statements and what they mean. So each file is read once as the plan has
//! it and once as the command has it. What no file looks at may be anything.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::Failure;
use super::compiler_macros::openmp_flag;
use super::default_kinds::default_kinds;
use super::language_flags::{language_flags, openacc_flag};
use crate::frontend::{self, BuildDifference, FileReading, FrontendOptions, Macro, Macros, Sentinel};
use crate::ir::{Language, VectorArithmetic};
use crate::source_layout::SourceLayout;

/// What to do about flags that say what all files mean.
const WITH_COMPILER: &str = "make the plan with the flags of the build: `gravelc plan … --compiler \"COMPILER FLAGS\"`";

/// The build that is to carry a plan out, as far as its arguments and its compiler say.
pub(super) struct Build<'a> {
    /// The arguments of the compiler.
    pub arguments: &'a [OsString],
    /// How they say that sources in Fortran are read.
    pub options: FrontendOptions,
    /// How they say that sources in C are read.
    pub options_of_c: FrontendOptions,
    /// An argument that may define macros in a way that was not read.
    pub hides_macros: Option<String>,
}

/// The plan, as far as it says how files were read.
pub(super) struct Basis<'a> {
    /// The plan's file, for messages.
    pub plan: &'a Path,
    /// How the files of the program were read.
    pub options: &'a FrontendOptions,
    /// The flag of the build with which results need not be exact, if the plan knows of one.
    pub rounding: Option<&'a str>,
    /// Loops are cut whose parts need not be whole vectors.
    pub cuts_at_any_length: bool,
}

/// A file of the plan.
pub(super) struct PlannedFile<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a [u8],
    /// The plan changes it.
    pub is_changed: bool,
}

impl Basis<'_> {
    /// Refuses a build that reads the file otherwise than the plan does. `learn` completes what is known of the build's
    /// macros; it is called only where they matter.
    pub fn check(
        &self,
        file: &PlannedFile<'_>,
        build: &mut Build<'_>,
        learn: &mut dyn FnMut(&mut Build<'_>),
    ) -> Result<(), Failure> {
        self.check_rounding(file, build)?;
        if frontend::language_of(file.path) == Language::C {
            return self.check_c(file, build);
        }
        self.check_flags(file, build)?;
        self.check_vectors(file, build)?;
        let reading = read(file, self.options)?;
        self.check_form(file, &reading, build)?;
        self.check_directives(file, &reading, build)?;
        self.check_included(file, &reading, build)?;
        if reading.is_preprocessed && may_matter(&reading, build) {
            learn(build);
            self.check_macros(file, &reading, build)?;
        }
        Ok(())
    }

    /// The message that the build differs in something on which the file depends.
    fn refused(&self, file: &PlannedFile<'_>, what: &str, planned: &str) -> Failure {
        Failure::input(format!("{what}; {}, {planned}, does not hold for it", self.plan.display()))
            .note(format!("{} depends on it; nothing was compiled", file.path.display()))
    }

    /// Flags that change what all files mean.
    fn check_flags(&self, file: &PlannedFile<'_>, build: &Build<'_>) -> Result<(), Failure> {
        let flag_that = |changes: &dyn Fn(&[OsString]) -> bool| {
            let argument = build.arguments.iter().find(|argument| changes(std::slice::from_ref(*argument)));
            argument.map(|argument| format!("`{}`", argument.display()))
        };
        if build.options.default_kinds != self.options.default_kinds {
            let flag = flag_that(&|argument| default_kinds(argument) != Default::default());
            let what = flag.map_or_else(
                || "this command has no flag that makes reals or integers longer".to_string(),
                |flag| format!("{flag} says how long reals and integers are"),
            );
            return Err(self.refused(file, &what, "which was made for others").help(WITH_COMPILER));
        }
        if build.options.saves_locals != self.options.saves_locals {
            let flag = flag_that(&|argument| language_flags(argument).saves_locals);
            let (what, planned) = match flag {
                Some(flag) => (format!("with {flag} local variables keep their values"), "which was made without"),
                None => {
                    ("local variables do not keep their values in this command".to_string(), "which says that they do")
                }
            };
            return Err(self.refused(file, &what, planned).help(WITH_COMPILER));
        }
        Ok(())
    }

    /// Whether results are the same to the last bit.
    fn check_rounding(&self, file: &PlannedFile<'_>, build: &Build<'_>) -> Result<(), Failure> {
        let rounding = language_flags(build.arguments).rounding;
        if let Some(flag) = rounding.filter(|_| self.rounding.is_none() && file.is_changed) {
            let what = format!("with `{flag}` results depend on where statements stand");
            return Err(self.refused(file, &what, "which was made for exact ones").help(WITH_COMPILER));
        }
        Ok(())
    }

    /// Whether parts of loops that are no whole vectors give the same bits.
    fn check_vectors(&self, file: &PlannedFile<'_>, build: &Build<'_>) -> Result<(), Failure> {
        let rests_on_it = self.options.vector_arithmetic == VectorArithmetic::Elementwise && self.cuts_at_any_length;
        // Options of `transform` need not name the compiler.
        if !rests_on_it || !file.is_changed || build.arguments.is_empty() {
            return Ok(());
        }
        let what = match build.options.vector_arithmetic {
            VectorArithmetic::Elementwise => return Ok(()),
            VectorArithmetic::Fused => "this command may fuse multiplications and additions",
            VectorArithmetic::Unknown => "it is not known how this command computes in vectors",
        };
        let planned = "which was made for one that gives elements the same bits in vectors as alone";
        Err(self.refused(file, what, planned).help(WITH_COMPILER))
    }

    /// What a file in C means.
    fn check_c(&self, file: &PlannedFile<'_>, build: &Build<'_>) -> Result<(), Failure> {
        let found = frontend::build_difference(file.path, file.text, self.options, &build.options_of_c)
            .map_err(|error| Failure::input(error.to_string()))?;
        let shown = |token: Option<String>| token.map_or("nothing".to_owned(), |token| format!("`{token}`"));
        let (what, planned) = match found {
            None => return Ok(()),
            Some(BuildDifference::Token { path, line, one, other }) => (
                format!(
                    "this command reads {} in the place of {} ({}:{line})",
                    shown(other),
                    shown(one),
                    path.display()
                ),
                "which was made with other macros or headers",
            ),
            Some(BuildDifference::Types) => {
                ("types have other sizes or signs in this command".to_owned(), "which was made for others")
            }
            Some(BuildDifference::AccessByAnyType) => (
                "with `-fno-strict-aliasing` objects may be accessed by lvalues of any type".to_owned(),
                "which was made without",
            ),
            Some(BuildDifference::Directives(flag)) => (
                format!("with `{flag}` the directives for OpenMP or OpenACC in this file are compiled"),
                "which was made without",
            ),
        };
        let help = "make the plan with the flags of the build: `gravelc plan … --compiler \"COMPILER FLAGS\"`, or `gravelc wrap \
                    --record` and `gravelc plan --recorded`";
        Err(self.refused(file, &what, planned).help(help))
    }

    /// Which lines are statements.
    fn check_form(&self, file: &PlannedFile<'_>, reading: &FileReading, build: &Build<'_>) -> Result<(), Failure> {
        let (planned, built) = (self.options, &build.options);
        // Options of `transform` alone say nothing of a preprocessor.
        let is_command = !build.arguments.is_empty();
        if is_command && reading.has_conditions && !frontend::is_preprocessed(file.path, built) {
            // A compiler may skip such lines and compile all that lies between them.
            let what = "no preprocessor reads this file in this command";
            let help = "give the command -cpp, or the file an ending in upper case (.F90)";
            return Err(self.refused(file, what, "which was made for one that does").help(help));
        }
        let with_form = FrontendOptions { form: built.form, columns: built.columns, ..planned.clone() };
        let with_debug = FrontendOptions { compiles_debug_lines: built.compiles_debug_lines, ..planned.clone() };
        let with_preprocessor = FrontendOptions { preprocesses: built.preprocesses, ..planned.clone() };
        let all = FrontendOptions {
            compiles_debug_lines: built.compiles_debug_lines,
            preprocesses: built.preprocesses,
            ..with_form.clone()
        };
        let differs = |options: &FrontendOptions| Ok::<_, Failure>(!read(file, options)?.is_same_program(reading));
        if !differs(&all)? {
            return Ok(());
        }
        let form = |options: &FrontendOptions| match frontend::layout_of(file.path, options) {
            Ok(SourceLayout::Free) => "free form".to_string(),
            Ok(SourceLayout::Fixed { columns: usize::MAX }) => "fixed form with lines of any length".to_string(),
            Ok(SourceLayout::Fixed { columns }) => format!("fixed form with {columns} columns"),
            Err(_) => "an unknown form".to_string(),
        };
        if differs(&with_form)? {
            let what = format!("this command reads {} as {}", file.path.display(), form(built));
            let help = "make the plan with --free-form, --fixed-form or --fixed-line-length as the build has it, or give \
                        the command the flag for the form of the plan";
            return Err(self.refused(file, &what, &format!("which was made for {}", form(planned))).help(help));
        }
        let help = WITH_COMPILER;
        if differs(&with_debug)? {
            let what = match built.compiles_debug_lines {
                true => "this command compiles lines with a D in column 1 (`-fd-lines-as-code`)",
                false => "lines with a D in column 1 are comments in this command",
            };
            return Err(self.refused(file, what, "for which it is the other way round").help(help));
        }
        let what = match differs(&with_preprocessor)? {
            true => "the preprocessor reads this file in one of the two (`-cpp`, `-nocpp`), and not in the other",
            false => "this command's flags make other lines of this file statements",
        };
        Err(self.refused(file, what, "for which it is otherwise").help(help))
    }

    /// Directives that the plan takes for comments.
    fn check_directives(
        &self,
        file: &PlannedFile<'_>,
        reading: &FileReading,
        build: &Build<'_>,
    ) -> Result<(), Failure> {
        let macros = &self.options.macros;
        let found = [
            (Sentinel::OpenMp, macros.without_openmp, openmp_flag(build.arguments), "OpenMP", "_OPENMP"),
            (Sentinel::OpenAcc, macros.without_openacc, openacc_flag(build.arguments), "OpenACC", "_OPENACC"),
        ];
        for (sentinel, is_without, flag, name, known_by) in found {
            let defined = build.options.macros.known.get(known_by);
            let defined = defined.filter(|known| matches!(known, Macro::Defined(_))).map(|_| format!("-D{known_by}"));
            if let Some(flag) = flag.or(defined).filter(|_| is_without && reading.sentinels.contains(&sentinel)) {
                let what = format!("with `{flag}` the lines for {name} in this file are compiled");
                return Err(self.refused(file, &what, &format!("which was made without {name}")).help(format!(
                    "make the plan without `-U {known_by}` and with the flags of the build (`--compiler \"COMPILER {flag}\"`), or \
                     build without `{flag}`"
                )));
            }
        }
        Ok(())
    }

    /// What is found in its folders must be what the plan found.
    fn check_included(&self, file: &PlannedFile<'_>, reading: &FileReading, build: &Build<'_>) -> Result<(), Failure> {
        if reading.included.is_empty() || build.options.include_folders.is_empty() {
            return Ok(());
        }
        let mut options = self.options.clone();
        options.include_folders.clone_from(&build.options.include_folders);
        let built: BTreeMap<_, _> = read(file, &options)?.included.into_iter().collect();
        for (name, planned) in &reading.included {
            let Some(other) = built.get(name) else { continue };
            if fs::read(planned).ok() != fs::read(other).ok() {
                let what = format!("this command includes {} as `{name}`", other.display());
                let planned = format!("which was made with {}", planned.display());
                return Err(self
                    .refused(file, &what, &planned)
                    .help("make the plan with the build's -I, in its order"));
            }
        }
        Ok(())
    }

    /// Macros that conditions look at, and those that are named in the text.
    fn check_macros(&self, file: &PlannedFile<'_>, reading: &FileReading, build: &Build<'_>) -> Result<(), Failure> {
        let (planned, built) = (&self.options.macros, &build.options.macros);
        let mut others: BTreeMap<String, Macro> = BTreeMap::new();
        let decided = reading.looked_at.iter().filter(|(_, known)| **known != Macro::Unknown).map(|(name, _)| name);
        for name in decided {
            match built.get(name) {
                Macro::Unknown => {
                    if let Some(argument) = &build.hides_macros {
                        let what = format!("`{argument}` may define `{name}`, and the compiler does not say");
                        return Err(self.refused(
                            file,
                            &what,
                            &format!("where `{name}` {}", shown(&planned.get(name))),
                        ));
                    }
                }
                other if is_same(&other, &planned.get(name)) => {}
                other => drop(others.insert(name.clone(), other)),
            }
        }
        let is_defined = |known: &Macro| matches!(known, Macro::Defined(_) | Macro::WithArguments(_));
        let defined = |macros: &Macros, name: &str| macros.known.get(name).filter(|known| is_defined(known)).cloned();
        let names = planned.known.keys().chain(built.known.keys()).filter(|name| reading.names(name));
        for name in names.filter(|name| !Macros::is_special(name)) {
            let other = built.get(name);
            let are_same = match (defined(planned, name), defined(built, name)) {
                (Some(one), Some(other)) => is_same(&one, &other),
                (None, None) => true,
                _ => false,
            };
            if !are_same && other != Macro::Unknown {
                others.insert(name.clone(), other);
            }
        }
        let with = |names: &BTreeMap<String, Macro>| {
            let mut options = self.options.clone();
            options.macros.known.extend(names.iter().map(|(name, known)| (name.clone(), known.clone())));
            read(file, &options)
        };
        if others.is_empty() || with(&others)?.is_same_program(reading) {
            return Ok(());
        }
        // One that matters by itself says more than one that matters with others only.
        let mut named = others.iter().next();
        for (name, known) in &others {
            if !with(&BTreeMap::from([(name.clone(), known.clone())]))?.is_same_program(reading) {
                named = Some((name, known));
                break;
            }
        }
        let Some((name, known)) = named else { return Ok(()) };
        let flag = match known {
            Macro::Defined(value) if value == "1" => format!("-D {name}"),
            Macro::Defined(value) => format!("-D {name}={value}"),
            _ => format!("-U {name}"),
        };
        let planned = match planned.get(name) {
            Macro::Unknown => "which knows of no such macro".to_string(),
            planned => format!("for which `{name}` {}", shown(&planned)),
        };
        let what = format!("`{name}` {} in this command", shown(known));
        Err(self.refused(file, &what, &planned).help(format!(
            "make the plan with `{flag}`, or compile this file as the plan has it; programs that are compiled in several ways \
             need a plan for each"
        )))
    }
}

/// Could macros of the build that the plan does not know decide anything?
fn may_matter(reading: &FileReading, build: &Build<'_>) -> bool {
    let is_definition = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        argument.starts_with("-D") || argument.starts_with("-U") || argument.starts_with("-Wp,")
    };
    !reading.looked_at.is_empty()
        || reading.has_meanings()
        || build.hides_macros.is_some()
        || build.arguments.iter().any(is_definition)
        || build.options.macros.lists_those_of_compiler
}

/// Two definitions that stand for the same.
fn is_same(one: &Macro, other: &Macro) -> bool {
    match (one, other) {
        (Macro::Defined(one), Macro::Defined(other)) => one.trim() == other.trim(),
        _ => one == other,
    }
}

fn shown(known: &Macro) -> String {
    match known {
        Macro::Defined(value) if value.is_empty() => "is defined as nothing".to_string(),
        Macro::Defined(value) => format!("is `{value}`"),
        Macro::WithArguments(_) => "takes arguments".to_string(),
        Macro::Undefined => "is not defined".to_string(),
        Macro::Unknown => "is not known".to_string(),
    }
}

fn read(file: &PlannedFile<'_>, options: &FrontendOptions) -> Result<FileReading, Failure> {
    frontend::file_reading(file.path, file.text, options).map_err(|error| Failure::input(error.to_string()))
}
