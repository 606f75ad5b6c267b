//! How the flags of a build say that each source is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::programs::Compiled;
use super::step::Step;
use crate::cli::Failure;
use crate::cli::compiler_macros::{self, ask_for_openmp};
use crate::cli::language_flags::{language_flags, openacc_flag};
use crate::cli::runtime::Compiler;
use crate::cli::vector_arithmetic;
use crate::frontend::{CompilerCommand, FrontendOptions, Macro, Macros};
use crate::ir::VectorArithmetic;

/// Flags that have no say in what a compiler defines, or (`-D`, `-U`) are read here, by their beginnings.
const NOT_ASKED: [&str; 10] = ["-I", "-J", "-L", "-l", "-D", "-U", "-W", "-M", "-c", "-g"];

/// Those of them that define macros all the same.
const ASKED: [&str; 2] = ["-Wp,", "-WF,"];

/// Flags whose value names a file or a folder, which the compiler looks for where it runs.
const WITH_PATH: [&str; 5] = ["-include", "-imacros", "-isystem", "-iquote", "-idirafter"];

/// Those of [`NOT_ASKED`] that may have their value in the next argument.
const WITH_VALUE: [&str; 9] = ["-I", "-J", "-L", "-l", "-D", "-U", "-MF", "-MT", "-MQ"];

/// What a compiler says of itself.
#[derive(Debug, Clone)]
struct Answer {
    /// Its macros; `None` if it can't be asked for them.
    macros: Option<BTreeMap<String, Macro>>,
    /// How it computes in vectors.
    vector_arithmetic: VectorArithmetic,
}

/// The flags of a build, understood; compilers are asked once for each set of flags.
#[derive(Debug, Default)]
pub(in crate::cli) struct Flags {
    answers: HashMap<(String, Vec<OsString>), Answer>,
    /// Why compilers could not be asked.
    silent: BTreeSet<String>,
    /// Sources that are compiled several times, with other macros.
    several: Vec<PathBuf>,
    /// A flag with which results need not be exact.
    rounding: Option<String>,
}

impl Flags {
    /// How `source` is read.
    ///
    /// # Errors
    /// The program holds it several times, and each time it is read otherwise.
    pub fn options(&mut self, source: &Compiled<'_>) -> Result<FrontendOptions, Failure> {
        let mut ways: Vec<(&Step, FrontendOptions)> = Vec::new();
        for step in &source.steps {
            let options = if source.is_c() { self.options_of_c(step) } else { self.options_of(step) };
            if ways.iter().all(|(_, known)| *known != options) {
                ways.push((step, options));
            }
        }
        let mut ways = ways.into_iter();
        let Some((first, mut options)) = ways.next() else { return Ok(FrontendOptions::default()) };
        for (step, other) in ways {
            let macros = either(&options.macros, &other.macros);
            options.vector_arithmetic = options.vector_arithmetic.min(other.vector_arithmetic);
            let other = FrontendOptions {
                macros: options.macros.clone(),
                vector_arithmetic: options.vector_arithmetic,
                ..other
            };
            if other != options {
                let shown =
                    |step: &Step| format!("{} {} (in {})", step.tool, step.arguments.join(" "), step.folder.display());
                return Err(Failure::input(format!(
                    "{} is compiled in two ways, and both are in the program",
                    source.path.display()
                ))
                .note(shown(first))
                .note(shown(step))
                .help("transform the program without it, or let the build compile it in one way"));
            }
            options.macros = macros;
            if !self.several.contains(&source.path) {
                self.several.push(source.path.clone());
            }
        }
        Ok(options)
    }

    /// A flag with which results need not be exact, if a source is compiled with one.
    pub fn rounding(&self) -> Option<String> {
        self.rounding.clone()
    }

    /// What the user should know.
    pub fn notes(&self) -> Vec<String> {
        let silent = self.silent.iter().map(|why| format!("{why}; what it defines itself stays open"));
        let several = self.several.iter().map(|path| {
            format!("{} is compiled several times: macros in which these differ stay open", path.display())
        });
        silent.chain(several).collect()
    }

    /// How the step compiles sources in C.
    fn options_of_c(&mut self, step: &Step) -> FrontendOptions {
        self.rounding = self.rounding.take().or(language_flags(&step.os_arguments()).rounding);
        let program = step.tool_in_folder().display().to_string();
        let c_compiler = CompilerCommand { program, flags: step.command().flags_of_c(&step.folder) };
        FrontendOptions { c_compiler: Some(c_compiler), ..FrontendOptions::default() }
    }

    fn options_of(&mut self, step: &Step) -> FrontendOptions {
        let arguments = step.os_arguments();
        let command = step.command();
        let mut options = command.frontend_options();
        for folder in &mut options.include_folders {
            *folder = step.folder.join(&*folder);
        }
        self.rounding = self.rounding.take().or(language_flags(&arguments).rounding);
        let own = std::mem::take(&mut options.macros);
        let answer = self.ask(step, command.flags());
        options.vector_arithmetic = answer.vector_arithmetic;
        options.macros = match answer.macros {
            Some(mut known) => {
                let is_of_user = |name: &str, own: &Macro| {
                    // The compiler knows better what its flags mean.
                    name != "_OPENMP"
                        || matches!(own, Macro::Defined(_))
                        || arguments.iter().any(|flag| flag == "-U_OPENMP")
                };
                known.extend(own.known.into_iter().filter(|(name, own)| is_of_user(name, own)));
                Macros { known, complete: true, lists_those_of_compiler: true, ..Macros::default() }
            }
            None => own,
        };
        let is_listed = options.macros.lists_those_of_compiler;
        let known = &mut options.macros.known;
        if is_listed {
            for name in ["_OPENMP", "_OPENACC"] {
                known.entry(name.to_string()).or_insert(Macro::Undefined);
            }
        }
        let is_undefined = |name: &str| known.get(name) == Some(&Macro::Undefined);
        let (openmp, openacc) = (is_undefined("_OPENMP"), is_undefined("_OPENACC"));
        options.macros.without_openmp = is_listed && openmp && !ask_for_openmp(&arguments);
        options.macros.without_openacc = is_listed && openacc && openacc_flag(&arguments).is_none();
        options
    }

    fn ask(&mut self, step: &Step, flags: &[OsString]) -> Answer {
        let flags = flags_to_ask_with(&step.folder, flags);
        if let Some(known) = self.answers.get(&(step.tool.clone(), flags.clone())) {
            return known.clone();
        }
        let compiler = Compiler::find(step.tool_in_folder().as_os_str());
        let vector_arithmetic =
            compiler.as_ref().map_or(VectorArithmetic::Unknown, |compiler| vector_arithmetic::ask(compiler, &flags));
        let macros = compiler.and_then(|compiler| compiler_macros::ask(&compiler, &flags));
        if let Err(failure) = &macros {
            self.silent.insert(failure.message().to_string());
        }
        let answer = Answer { macros: macros.ok(), vector_arithmetic };
        self.answers.insert((step.tool.clone(), flags), answer.clone());
        answer
    }
}

/// The flags that may have a say in what the compiler defines, for a compiler that runs in another folder.
fn flags_to_ask_with(folder: &Path, flags: &[OsString]) -> Vec<OsString> {
    let mut asked = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let text = flag.to_string_lossy();
        let is_left_out = NOT_ASKED.iter().any(|prefix| text.starts_with(prefix));
        if is_left_out && !ASKED.iter().any(|prefix| text.starts_with(prefix)) {
            if WITH_VALUE.contains(&text.as_ref()) {
                rest.next();
            }
            continue;
        }
        asked.push(flag.clone());
        if WITH_PATH.contains(&text.as_ref()) {
            asked.extend(rest.next().map(|path: &OsString| in_folder(folder, path)));
        }
    }
    asked
}

fn in_folder(folder: &Path, path: &OsStr) -> OsString {
    folder.join(path).into_os_string()
}

/// What is known of macros that are as either of two says: where these differ, nothing is known.
fn either(one: &Macros, other: &Macros) -> Macros {
    let names: BTreeSet<&String> = one.known.keys().chain(other.known.keys()).collect();
    let known = names.into_iter().map(|name| {
        let (of_one, of_other) = (one.get(name), other.get(name));
        (name.clone(), if of_one == of_other { of_one } else { Macro::Unknown })
    });
    Macros {
        known: known.collect(),
        complete: one.complete && other.complete,
        lists_those_of_compiler: one.lists_those_of_compiler && other.lists_those_of_compiler,
        without_openmp: one.without_openmp && other.without_openmp,
        without_openacc: one.without_openacc && other.without_openacc,
    }
}
