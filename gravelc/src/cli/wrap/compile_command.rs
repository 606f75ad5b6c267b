//! What the arguments of a compiler ask for.

mod language;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use self::language::{Language, Source};
use crate::cli::compiler_macros::ask_for_openmp;
use crate::cli::default_kinds::default_kinds;
use crate::cli::language_flags::language_flags;
use crate::cli::runtime::is_called_cpp;
use crate::frontend::{FrontendOptions, Macro, SourceForm, is_preprocessed};
use crate::ir;

/// Options whose value is the next argument, and so is no input file.
const WITH_VALUE: [&str; 37] = [
    "-o",
    "--output",
    "-I",
    "-J",
    "-L",
    "-l",
    "-D",
    "-U",
    "-x",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-G",
    "-h",
    "-module",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xflang",
    "-isystem",
    "-idirafter",
    "-iquote",
    "-include",
    "-imacros",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-aux-info",
    "--param",
    "-fintrinsic-modules-path",
    "-wrapper",
    "-soname",
];

/// Options of compilers of C whose value is a folder or a file, which is meant from where the compiler runs.
const WITH_PATH: [&str; 6] = ["-include", "-imacros", "-isystem", "-iquote", "-idirafter", "-I"];

/// Options with which all sources go through the preprocessor, whatever their endings.
const PREPROCESSING: [&str; 8] = ["-cpp", "-fpp", "-Mpreprocess", "-qpreprocess", "-preprocess", "-xpp", "-eZ", "-Cpp"];

/// Options that undo them.
const NO_PREPROCESSING: [&str; 4] = ["-nocpp", "-nofpp", "-Mnopreprocess", "-qnopreprocess"];

/// Those options with a value that name a file which the compiler writes.
const OUTPUTS: [&str; 5] = ["-o", "--output", "-MF", "-MT", "-MQ"];

/// Beginnings of arguments that can define macros in a way that is not read here: files with more arguments or macros, and
/// flags for the preprocessor alone.
const HIDING_MACROS: [&str; 9] =
    ["@", "-Wp,", "-WF,", "-Xpreprocessor", "-Qoption", "-include", "-imacros", "-fpp", "-specs"];

/// Options with which a command neither compiles nor links a program: questions to the compiler or to the wrapper of an
/// MPI, the preprocessor alone, checks alone.
const OTHER_PURPOSE: [&str; 14] = [
    "-E",
    "-M",
    "-MM",
    "-###",
    "-show",
    "-compile-info",
    "-compile_info",
    "-link-info",
    "-link_info",
    "-help",
    "--help",
    "--version",
    "-V",
    "-fsyntax-only",
];

/// Beginnings of such options.
const OTHER_PURPOSE_PREFIXES: [&str; 6] = ["-showme", "--showme", "-dump", "-print-", "--print-", "--help="];

/// Options after which only a part of a program is compiled.
const COMPILE_ONLY: [&str; 2] = ["-c", "-S"];

/// Options with which the result of a link is no program: the runtime belongs into the program that uses it.
const PARTIAL_LINK: [&str; 4] = ["-shared", "-r", "-Wl,-r", "-dynamiclib"];

/// How far a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Stage {
    /// It compiles, and leaves the link to another command; or links something that is no program.
    Compile,
    /// It links a program (and compiles before, if it has sources).
    Link,
    /// It asks the compiler something.
    Other,
}

/// The arguments of a compiler, understood as far as `wrap` needs it.
#[derive(Debug)]
pub(in crate::cli) struct CompileCommand {
    arguments: Vec<OsString>,
    stage: Stage,
    /// How its flags say that its sources are read.
    reading: FrontendOptions,
    /// The sources that gravelc reads.
    sources: Vec<Source>,
    /// The file that it is told to write.
    output: Option<PathBuf>,
    /// The inputs that gravelc does not read.
    other_inputs: Vec<PathBuf>,
    /// Do all sources go through the preprocessor, or does none? Otherwise their names say so.
    preprocessing: Option<bool>,
    /// What `-x` says of the language of the inputs that follow, at the end.
    language: Language,
    /// Does it end with objects or less, and links nothing?
    stops_before_link: bool,
    /// Does it end with an assembly listing?
    stops_before_assembler: bool,
    /// The arguments that name neither inputs nor outputs.
    flags: Vec<OsString>,
    /// The flag, if there is one, with which the compiler computes in any order.
    rounding: Option<String>,
}

impl CompileCommand {
    /// Looks at the arguments of the compiler that is called `tool`. Compilers of C++ take C for C++.
    pub fn of(tool: &OsStr, arguments: &[OsString]) -> Self {
        let mut command = Self::new(arguments);
        if is_called_cpp(&Path::new(tool).file_name().unwrap_or_default().to_string_lossy()) {
            let is_c = |source: &Source| source.language == ir::Language::C;
            let foreign: Vec<Source> = command.sources.extract_if(.., |source| is_c(source)).collect();
            command.other_inputs.extend(foreign.iter().map(|source| PathBuf::from(&arguments[source.index])));
        }
        command
    }

    /// Looks at the arguments, without the compiler's name.
    pub fn new(arguments: &[OsString]) -> Self {
        let mut command = Self {
            arguments: arguments.to_vec(),
            stage: Stage::Link,
            reading: FrontendOptions::default(),
            sources: Vec::new(),
            output: None,
            other_inputs: Vec::new(),
            preprocessing: None,
            language: Language::ByName,
            stops_before_link: false,
            stops_before_assembler: false,
            flags: Vec::new(),
            rounding: None,
        };
        // The command shows every macro but those of the compiler and of files that it includes.
        command.reading.macros.complete = !arguments.iter().any(|argument| may_hide_macros(argument));
        let openmp = if ask_for_openmp(arguments) { Macro::Unknown } else { Macro::Undefined };
        command.reading.macros.known.insert("_OPENMP".to_string(), openmp);
        command.reading.default_kinds = default_kinds(arguments);
        let language = language_flags(arguments);
        command.reading.compiles_debug_lines = language.compiles_debug_lines;
        command.reading.saves_locals = language.saves_locals;
        command.rounding = language.rounding;
        let mut inputs = 0;
        let mut other_purpose = false;
        let mut index = 0;
        while index < arguments.len() {
            let argument = arguments[index].as_os_str();
            let text = argument.to_string_lossy();
            // A program may lie in libraries as a whole.
            inputs += usize::from(text.starts_with("-l"));
            command.read_folder_or_macro(&text, arguments.get(index + 1));
            let names_output = OUTPUTS.contains(&text.as_ref());
            if is_joined_output(&text) {
                command.output = text.strip_prefix("-o").or_else(|| text.strip_prefix("--output=")).map(PathBuf::from);
            } else if !is_input(argument) && !names_output {
                command.flags.push(argument.to_os_string());
            }
            if is_input(argument) {
                inputs += 1;
                match command.language.of_source(argument) {
                    Some(language) => command.sources.push(Source { index, language }),
                    None => command.other_inputs.push(PathBuf::from(argument)),
                }
            } else if WITH_VALUE.contains(&text.as_ref()) {
                index += 1;
                let value = arguments.get(index);
                if let Some(value) = value.filter(|_| text == "-x") {
                    command.read_language(&value.to_string_lossy());
                }
                if matches!(text.as_ref(), "-o" | "--output") {
                    command.output = value.map(PathBuf::from);
                }
                command.flags.extend(value.filter(|_| !names_output).cloned());
            } else if let Some(language) = text.strip_prefix("-x").filter(|name| Language::is_known(name)) {
                command.read_language(language);
            } else if is_other_purpose(&text) {
                other_purpose = true;
            } else if COMPILE_ONLY.contains(&text.as_ref()) || PARTIAL_LINK.contains(&text.as_ref()) {
                command.stage = Stage::Compile;
                command.stops_before_link |= COMPILE_ONLY.contains(&text.as_ref());
                command.stops_before_assembler |= text == "-S";
            } else if PREPROCESSING.contains(&text.as_ref()) || text.starts_with("-fpp=") || text.starts_with("-fpp:") {
                command.preprocessing = Some(true);
            } else if NO_PREPROCESSING.contains(&text.as_ref()) {
                command.preprocessing = Some(false);
            } else if matches!(text.as_ref(), "-ffree-form" | "-free" | "-Mfree") {
                command.reading.form = SourceForm::Free;
            } else if matches!(text.as_ref(), "-ffixed-form" | "-fixed" | "-Mfixed") {
                command.reading.form = SourceForm::Fixed;
            } else if let Some(columns) = line_length(&text) {
                command.reading.columns = Some(columns);
            }
            index += 1;
        }
        command.reading.preprocesses = command.preprocessing;
        if other_purpose || inputs == 0 {
            command.stage = Stage::Other;
        }
        command
    }

    /// Takes a language in that `-x` gives to the inputs that follow.
    fn read_language(&mut self, name: &str) {
        self.language = Language::of(name);
        if self.language == Language::Fortran {
            // As in `f95-cpp-input`.
            self.preprocessing = name.contains("-cpp-").then_some(true);
        }
    }

    /// Does `-x` say what language it is in that stands behind its last argument?
    pub fn names_language(&self) -> bool {
        self.language != Language::ByName
    }

    /// Does it make objects?
    pub fn assembles(&self) -> bool {
        !self.stops_before_assembler
    }

    /// Does it leave the link to another command? One of [`Stage::Compile`] that does not links what is no program.
    pub fn stops_before_link(&self) -> bool {
        self.stops_before_link
    }

    /// How far it goes.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// How its flags say that its sources are read.
    pub fn frontend_options(&self) -> FrontendOptions {
        self.reading.clone()
    }

    /// The flag, if there is one, with which the compiler computes in any order.
    pub fn rounding(&self) -> Option<String> {
        self.rounding.clone()
    }

    /// What else than its inputs and outputs it consists of.
    pub fn flags(&self) -> &[OsString] {
        &self.flags
    }

    /// Does the preprocessor read `source`?
    pub fn preprocesses(&self, source: &Path) -> bool {
        is_preprocessed(source, &self.reading)
    }

    /// An argument that may define macros in a way that is not read here.
    pub fn hides_macros(&self) -> Option<String> {
        let hiding = self.arguments.iter().find(|argument| may_hide_macros(argument));
        hiding.map(|argument| argument.to_string_lossy().into_owned())
    }

    /// All arguments.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Does it show all that could decide about macros, or name files that say more?
    pub fn shows_all_flags(&self) -> bool {
        !self.arguments.iter().any(|argument| argument.as_encoded_bytes().starts_with(b"@"))
    }

    /// Takes `-I`, `-D` and `-U` in, with their value in the same argument or in the next one.
    fn read_folder_or_macro(&mut self, text: &str, next: Option<&OsString>) {
        let Some((flag, rest)) = text.split_at_checked(2) else { return };
        let next = next.map(|next| next.to_string_lossy().into_owned());
        let value = if rest.is_empty() { next } else { Some(rest.to_string()) };
        let Some(value) = value else { return };
        match flag {
            "-I" => self.reading.include_folders.push(PathBuf::from(value)),
            "-D" => self.reading.macros.known.extend(Macro::definition(&value)),
            "-U" => drop(self.reading.macros.known.insert(value, Macro::Undefined)),
            _ => {}
        }
    }

    /// Does it compile Fortran?
    pub fn has_fortran_sources(&self) -> bool {
        self.sources.iter().any(|source| source.language == ir::Language::Fortran)
    }

    /// The sources that gravelc reads, in order.
    pub fn sources(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|source| self.path_of(source)).collect()
    }

    /// Those of a language.
    pub fn sources_in(&self, language: ir::Language) -> Vec<PathBuf> {
        self.sources.iter().filter(|source| source.language == language).map(|source| self.path_of(source)).collect()
    }

    /// Those of `replacements`, one for each source, that replace sources in a language.
    pub fn replaced_in(&self, language: ir::Language, replacements: &[PathBuf]) -> Vec<PathBuf> {
        let all = self.sources.iter().zip(replacements);
        all.filter(|(source, _)| source.language == language).map(|(_, replacement)| replacement.clone()).collect()
    }

    fn path_of(&self, source: &Source) -> PathBuf {
        PathBuf::from(&self.arguments[source.index])
    }

    /// The flags by which a compiler of C reads its sources, in a folder where relative ones mean what they mean in `folder`.
    pub fn flags_of_c(&self, folder: &Path) -> Vec<String> {
        let mut flags = Vec::new();
        let mut rest = self.flags.iter().map(|flag| flag.to_string_lossy().into_owned());
        let in_folder = |value: &str| folder.join(value).display().to_string();
        while let Some(flag) = rest.next() {
            let Some(name) = WITH_PATH.iter().find(|name| flag.starts_with(**name)) else {
                flags.push(flag);
                continue;
            };
            match flag.strip_prefix(name) {
                Some("") => flags.extend([flag.clone()].into_iter().chain(rest.next().map(|value| in_folder(&value)))),
                Some(value) => flags.extend([(*name).to_owned(), in_folder(value)]),
                None => {}
            }
        }
        flags
    }

    /// The file that it is told to write.
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// What else it reads: objects, libraries, sources in other languages, files with more arguments.
    pub fn other_inputs(&self) -> &[PathBuf] {
        &self.other_inputs
    }

    /// The arguments with each source replaced, in order, by one of `replacements`. What the sources include
    /// from their own folders is still found: these folders are searched first, as they were.
    pub fn with_replaced_sources(&self, replacements: &[PathBuf]) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        let mut folders: Vec<OsString> = Vec::new();
        for (source, replacement) in self.sources.iter().zip(replacements) {
            let path = self.path_of(source);
            if path == *replacement {
                continue;
            }
            // In C a file's own folder is looked into for `#include "…"` alone.
            let flag = match source.language {
                ir::Language::C => "-iquote",
                _ => "-I",
            };
            let mut flag = OsString::from(flag);
            flag.push(folder_of(&path));
            if !folders.contains(&flag) {
                folders.push(flag);
            }
            arguments[source.index] = replacement.clone().into_os_string();
        }
        folders.extend(arguments);
        folders
    }
}

/// The columns of fixed form that a flag of GNU's, Intel's, NVIDIA's or IBM's compiler asks for.
fn line_length(flag: &str) -> Option<usize> {
    match flag {
        "-extend-source" | "-extend_source" | "-Mextend" | "-132" => return Some(132),
        "-72" => return Some(72),
        "-80" => return Some(80),
        "-ffixed-line-length-none" => return Some(0),
        _ => {}
    }
    let prefixes = ["-ffixed-line-length-", "-ffixed-line-length=", "-extend-source:", "-qfixed="];
    prefixes.iter().find_map(|prefix| flag.strip_prefix(prefix)?.parse().ok())
}

/// Does the argument name the output in itself? Compilers have flags that begin so.
fn is_joined_output(argument: &str) -> bool {
    let joined = argument.strip_prefix("-o").is_some_and(|rest| !rest.is_empty() && !rest.starts_with("penmp"));
    joined || argument.starts_with("--output=")
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file (an object, a library, a source, or `@FILE` with more of them), not an option.
fn is_input(argument: &OsStr) -> bool {
    !argument.is_empty() && !argument.as_encoded_bytes().starts_with(b"-")
}

fn may_hide_macros(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    // `-fpp` alone only says that there is a preprocessor.
    text != "-fpp" && HIDING_MACROS.iter().any(|prefix| text.starts_with(prefix))
}

fn is_other_purpose(argument: &str) -> bool {
    OTHER_PURPOSE.contains(&argument) || OTHER_PURPOSE_PREFIXES.iter().any(|prefix| argument.starts_with(prefix))
}

#[cfg(test)]
mod tests;
