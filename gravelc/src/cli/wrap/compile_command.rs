//! What the arguments of a compiler ask for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::cli::compiler_macros::ask_for_openmp;
use crate::cli::default_kinds::default_kinds;
use crate::cli::language_flags::language_flags;
use crate::frontend::{FrontendOptions, Macro, SourceForm, is_preprocessed};

/// Endings of Fortran sources, in lower case.
const FORTRAN_ENDINGS: [&str; 10] = ["f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08", "f18"];

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

/// What language the inputs are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// That of their names.
    ByName,
    /// Fortran, whatever they are called.
    Fortran,
    /// Another one.
    Other,
}

impl Language {
    /// What `-x` means by `name`.
    fn of(name: &str) -> Self {
        match name {
            "none" => Self::ByName,
            _ if name.starts_with("f77") || name.starts_with("f95") => Self::Fortran,
            _ => Self::Other,
        }
    }

    /// Is it the name of a language, joined with the flag? Other compilers have other flags that begin so.
    fn is_known(name: &str) -> bool {
        let known = ["none", "c", "c++", "assembler", "f77", "f77-cpp-input", "f95", "f95-cpp-input"];
        known.contains(&name)
    }

    /// Is the file a Fortran source?
    fn is_fortran(self, file: &OsStr) -> bool {
        match self {
            Self::ByName => is_fortran(file),
            // Arguments in a file are no source.
            Self::Fortran => !file.as_encoded_bytes().starts_with(b"@"),
            Self::Other => false,
        }
    }
}

/// The arguments of a compiler, understood as far as `wrap` needs it.
#[derive(Debug)]
pub(in crate::cli) struct CompileCommand {
    arguments: Vec<OsString>,
    stage: Stage,
    /// How its flags say that its sources are read.
    reading: FrontendOptions,
    /// Where the Fortran sources are among the arguments.
    sources: Vec<usize>,
    /// The file that it is told to write.
    output: Option<PathBuf>,
    /// The inputs that are no Fortran sources.
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
                if command.language.is_fortran(argument) {
                    command.sources.push(index);
                } else {
                    command.other_inputs.push(PathBuf::from(argument));
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
        !self.sources.is_empty()
    }

    /// The Fortran sources, in order.
    pub fn fortran_sources(&self) -> Vec<PathBuf> {
        self.sources.iter().map(|&index| PathBuf::from(&self.arguments[index])).collect()
    }

    /// The file that it is told to write.
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// What else it reads: objects, libraries, sources in other languages, files with more arguments.
    pub fn other_inputs(&self) -> &[PathBuf] {
        &self.other_inputs
    }

    /// The arguments with each Fortran source replaced, in order, by one of `replacements`. What the sources include
    /// from their own folders is still found: these folders are searched first, as they were.
    pub fn with_replaced_sources(&self, replacements: &[PathBuf]) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        let mut folders: Vec<OsString> = Vec::new();
        for (&index, replacement) in self.sources.iter().zip(replacements) {
            if self.arguments[index] == *replacement {
                continue;
            }
            let mut flag = OsString::from("-I");
            flag.push(folder_of(Path::new(&self.arguments[index])));
            if !folders.contains(&flag) {
                folders.push(flag);
            }
            arguments[index] = replacement.clone().into_os_string();
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

fn is_fortran(argument: &OsStr) -> bool {
    let ending = Path::new(argument).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    ending.is_some_and(|ending| FORTRAN_ENDINGS.contains(&ending.as_str()))
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
mod tests {
    use super::*;

    fn command(arguments: &[&str]) -> CompileCommand {
        CompileCommand::new(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn knows_what_a_command_does() {
        let cases: [(&[&str], Stage, usize); 13] = [
            (&["-O2", "a.f90", "b.F90", "-o", "a"], Stage::Link, 2),
            (&["-c", "a.f90", "-o", "b.f90"], Stage::Compile, 1),
            (&["a.o", "b.o", "-o", "a", "-lm"], Stage::Link, 0),
            (&["@objects.rsp", "-o", "a"], Stage::Link, 0),
            (&["-L.", "-lprogram", "-o", "a"], Stage::Link, 0),
            (&["-shared", "a.o", "-o", "a.so"], Stage::Compile, 0),
            (&["-S", "a.for"], Stage::Compile, 1),
            (&["-E", "a.F90"], Stage::Other, 1),
            (&["--version"], Stage::Other, 0),
            (&["-showme:link"], Stage::Other, 0),
            (&["-v"], Stage::Other, 0),
            (&["-I", "a.f90", "-DX=1"], Stage::Other, 0),
            (&[], Stage::Other, 0),
        ];
        for (arguments, stage, sources) in cases {
            let command = command(arguments);
            assert_eq!((command.stage(), command.fortran_sources().len()), (stage, sources), "{arguments:?}");
        }
    }

    #[test]
    fn replaces_sources_and_keeps_their_folders() {
        let command = command(&["-O2", "src/a.f90", "b.f90", "src/c.f90", "-o", "a", "-I", "inc"]);
        let replacements = ["/t/a.f90", "/t/b.f90", "/t/c.f90"].map(PathBuf::from);
        assert_eq!(
            command.with_replaced_sources(&replacements),
            ["-Isrc", "-I.", "-O2", "/t/a.f90", "/t/b.f90", "/t/c.f90", "-o", "a", "-I", "inc"]
        );
    }

    #[test]
    fn what_it_does_not_show_of_macros_stays_open() {
        let known = |arguments: &[&str]| command(arguments).frontend_options().macros.get("A");
        assert_eq!(known(&["-O2", "-fpp", "a.F90"]), Macro::Undefined);
        assert!(matches!(known(&["-DA(x)=x", "a.F90"]), Macro::WithArguments(_)));
        for argument in ["@flags", "-Wp,-DA", "-WF,-DA", "-Xpreprocessor", "-fpp=-DA", "-Qoption,fpp,-DA", "-specs=s"] {
            assert_eq!(known(&[argument, "a.F90"]), Macro::Unknown, "{argument}");
        }
    }

    #[test]
    fn its_flags_name_no_files() {
        let all = ["a.F90", "-I", "inc", "-O2", "-o", "a", "-MF", "a.d", "-o/tmp/a", "b.o", "-DX", "-fopenmp"];
        assert_eq!(command(&all).flags(), ["-I", "inc", "-O2", "-DX", "-fopenmp"]);
    }

    #[test]
    fn the_language_is_what_the_flag_says() {
        let of = |arguments: &[&str]| {
            let command = command(arguments);
            let sources: Vec<String> =
                command.fortran_sources().iter().map(|source| source.display().to_string()).collect();
            (sources.join(" "), command.names_language(), command.preprocesses(Path::new("a.f90")))
        };
        let expected = |sources: &str, names, preprocesses| (sources.to_string(), names, preprocesses);
        assert_eq!(of(&["-x", "f95-cpp-input", "a.f90", "b.txt", "-o", "a"]), expected("a.f90 b.txt", true, true));
        assert_eq!(of(&["-xf95", "a.f90", "-x", "none", "b.o"]), expected("a.f90", false, false));
        assert_eq!(of(&["-cpp", "-x", "none", "a.f90"]), expected("a.f90", false, true));
        assert_eq!(of(&["-x", "c", "a.f90", "-xnone", "b.f90"]), expected("b.f90", false, false));
        assert_eq!(of(&["-xHost", "a.f90"]), expected("a.f90", false, false));
        assert_eq!(of(&["-x", "f95", "@more", "a.f90"]), expected("a.f90", true, false));
        assert!(command(&["-c", "a.f90"]).assembles() && !command(&["-S", "a.f90"]).assembles());
    }

    #[test]
    fn outputs_have_several_forms() {
        for output in [&["-oa"][..], &["-o", "a"], &["-o./a"], &["--output=a"], &["--output", "a"]] {
            let arguments: Vec<&str> = ["-O2", "a.f90"].iter().chain(output).copied().collect();
            let command = command(&arguments);
            assert_eq!((command.flags(), command.fortran_sources().len()), (&["-O2".into()][..], 1), "{output:?}");
        }
        assert_eq!(command(&["-openmp", "a.f90"]).flags(), ["-openmp"]);
    }

    #[test]
    fn follows_the_form_of_the_sources() {
        assert_eq!(command(&["a.f"]).frontend_options().form, SourceForm::Auto);
        assert_eq!(command(&["-ffree-form", "a.f"]).frontend_options().form, SourceForm::Free);
        assert_eq!(command(&["-ffixed-form", "a.f90"]).frontend_options().form, SourceForm::Fixed);
        let options = command(&["-Iinc", "-DA=2", "-D", "B", "-UC", "-I", "more", "a.F"]).frontend_options();
        assert_eq!(options.include_folders, ["inc", "more"].map(PathBuf::from));
        let known = ["A", "B", "C", "D", "_OPENMP", "__GNUC__"].map(|name| options.macros.get(name));
        let defined = |value: &str| Macro::Defined(value.to_string());
        let undefined = Macro::Undefined;
        assert_eq!(
            known,
            [defined("2"), defined("1"), undefined.clone(), undefined.clone(), undefined, Macro::Unknown]
        );
        assert_eq!(command(&["-fopenmp", "a.F"]).frontend_options().macros.get("_OPENMP"), Macro::Unknown);
        assert_eq!(command(&["a.f"]).frontend_options().columns, None);
        assert_eq!(command(&["-ffixed-line-length-132", "a.f"]).frontend_options().columns, Some(132));
        assert_eq!(command(&["-ffixed-line-length-none", "a.f"]).frontend_options().columns, Some(0));
        assert_eq!(command(&["-extend-source", "a.f"]).frontend_options().columns, Some(132));
    }
}
