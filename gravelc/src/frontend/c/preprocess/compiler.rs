//! What a compiler says about itself: its macros, search path, dialect and what it has.
//!
//! The compiler preprocesses small texts with the flags of the build (`-E`, as GNU's and LLVM's compilers and MPI's wrappers of
//! them understand it). Its answers are kept for the process.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::configuration::{AnswersQuestions, Configuration, Folder};
use super::dialect::Dialect;
use super::macros::Builtin;

/// Questions that are asked in one go.
const QUESTIONS: &str = include_str!("questions.txt");
/// The text that is asked about. MPI's wrappers take `-` for no file at all and leave out their flags.
const INPUT: &str = "/dev/stdin";
/// The beginning of the lines that answer.
const MARK: &str = "gravel_answer";

/// A C compiler with the flags of a build.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compiler {
    /// The command.
    pub program: OsString,
    /// All flags with which the sources are compiled; those that concern neither macros nor headers are passed over.
    pub flags: Vec<OsString>,
}

/// Why a compiler could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompilerError {
    /// It could not be run.
    NotRun {
        /// The command.
        program: String,
        /// What the system said.
        error: String,
    },
    /// It failed.
    Failed {
        /// The command.
        program: String,
        /// The last line of what it said.
        said: String,
    },
    /// It answered what is not understood.
    NotUnderstood {
        /// The command.
        program: String,
        /// What was looked for.
        missing: Missing,
    },
}

/// A part of an answer that was not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// `#define` lines.
    Macros,
    /// The list of folders.
    SearchPath,
    /// The lines of the text that was preprocessed.
    Text,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Macros => "its macros (-dM -E)",
            Self::SearchPath => "where it looks for headers (-E -v)",
            Self::Text => "what becomes of a small text (-E)",
        })
    }
}

impl fmt::Display for CompilerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun { program, error } => write!(f, "cannot run {program}: {error}"),
            Self::Failed { program, said } => write!(f, "{program} fails to preprocess: {said}"),
            Self::NotUnderstood { program, missing } => write!(f, "{program} does not say {missing}"),
        }
    }
}

impl std::error::Error for CompilerError {}

/// The flags of a build, as far as they concern preprocessing.
#[derive(Debug, Default)]
struct Sorted {
    /// Those that change macros and dialect.
    plain: Vec<OsString>,
    /// Those that add folders.
    folders: Vec<OsString>,
    /// Folders that are given as the system's.
    system: Vec<PathBuf>,
    /// Files of `-include`.
    forced: Vec<Vec<u8>>,
    /// Names of `-U`.
    undefined: Vec<String>,
}

/// Flags with a value in the next argument that does not concern preprocessing.
const WITH_VALUE: &[&str] =
    &["-o", "-MF", "-MT", "-MQ", "-x", "-L", "-l", "-T", "-Xlinker", "-Xassembler", "-u", "-z", "-e"];
/// Flags that add a folder.
const FOLDERS: &[&str] =
    &["-I", "-isystem", "-iquote", "-idirafter", "-isysroot", "-iprefix", "-iwithprefix", "--sysroot"];
/// Beginnings of flags that may change what a text becomes.
const PLAIN: &[&str] = &[
    "-D",
    "-U",
    "-std",
    "-ansi",
    "-f",
    "-m",
    "-O",
    "-g3",
    "-pthread",
    "-trigraphs",
    "-undef",
    "-nostdinc",
    "-Wp,",
    "--std",
    "-target",
    "--target",
    "-B",
    "-Xclang",
    "-specs",
    "-imacros",
    "-q",
    "-no",
    "--gcc-toolchain",
];

impl Sorted {
    fn of(flags: &[OsString]) -> Self {
        let mut sorted = Self::default();
        let mut rest = flags.iter();
        while let Some(flag) = rest.next() {
            let bytes = flag.as_bytes();
            // A value is a part of the flag or the next argument.
            let mut value = |name: &str| -> Option<OsString> {
                let value = bytes.strip_prefix(name.as_bytes())?;
                let value = value.strip_prefix(b"=").filter(|_| name.starts_with("--")).unwrap_or(value);
                if value.is_empty() { rest.next().cloned() } else { Some(OsStr::from_bytes(value).to_os_string()) }
            };
            if let Some(name) =
                FOLDERS.iter().filter(|name| bytes.starts_with(name.as_bytes())).max_by_key(|name| name.len())
            {
                let Some(folder) = value(name) else { continue };
                if matches!(*name, "-isystem" | "-idirafter") {
                    sorted.system.push(PathBuf::from(&folder));
                }
                sorted.folders.extend([OsString::from(name), folder]);
            } else if bytes.starts_with(b"-include") {
                sorted.forced.extend(value("-include").map(OsString::into_vec));
            } else if WITH_VALUE.iter().any(|name| bytes == name.as_bytes()) {
                rest.next();
            } else if bytes.starts_with(b"-U") || bytes.starts_with(b"-D") {
                let name = if bytes.starts_with(b"-U") { "-U" } else { "-D" };
                let Some(value) = value(name) else { continue };
                if name == "-U" {
                    sorted.undefined.push(value.to_string_lossy().into_owned());
                }
                sorted.plain.extend([OsString::from(name), value]);
            } else if bytes == b"-Xclang" || bytes == b"-target" || bytes == b"-imacros" {
                sorted.plain.push(flag.clone());
                sorted.plain.extend(rest.next().cloned());
            } else if PLAIN.iter().any(|name| bytes.starts_with(name.as_bytes())) && !writes_files(bytes) {
                sorted.plain.push(flag.clone());
            }
        }
        sorted
    }
}

/// Does a flag for the preprocessor ask for a list of headers?
fn writes_files(flag: &[u8]) -> bool {
    flag.starts_with(b"-Wp,") && flag.windows(2).any(|window| window == b"-M")
}

impl Compiler {
    /// A compiler with these flags.
    pub fn new(program: impl Into<OsString>, flags: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { program: program.into(), flags: flags.into_iter().map(Into::into).collect() }
    }

    /// What it says about itself. It is asked once in a process, in the folder where the process runs.
    ///
    /// # Errors
    ///
    /// If it can't be run, fails, or answers what is not understood.
    pub fn configuration(&self) -> Result<Configuration, CompilerError> {
        static KNOWN: OnceLock<Mutex<HashMap<Compiler, Configuration>>> = OnceLock::new();
        let known = KNOWN.get_or_init(Mutex::default);
        if let Some(found) = known.lock().unwrap_or_else(PoisonError::into_inner).get(self) {
            return Ok(found.clone());
        }
        let found = self.ask()?;
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(self.clone(), found.clone());
        Ok(found)
    }

    /// What it makes of a file with its flags (`-E`).
    ///
    /// # Errors
    ///
    /// If it can't be run or refuses the file.
    pub fn preprocessed(&self, path: &Path) -> Result<Vec<u8>, CompilerError> {
        let sorted = Sorted::of(&self.flags);
        let mut arguments = [sorted.plain, sorted.folders].concat();
        for name in sorted.forced {
            arguments.extend([OsString::from("-include"), OsString::from_vec(name)]);
        }
        arguments.extend(["-w", "-E"].map(OsString::from));
        arguments.push(path.as_os_str().to_os_string());
        self.run(&arguments, b"", false).map(|(output, _)| output)
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// Runs it; its output and what it says.
    fn run(
        &self,
        arguments: &[OsString],
        input: &[u8],
        without_paths: bool,
    ) -> Result<(Vec<u8>, Vec<u8>), CompilerError> {
        let not_run = |error: std::io::Error| CompilerError::NotRun { program: self.name(), error: error.to_string() };
        let mut command = Command::new(&self.program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // What it says is read.
        command.env("LC_ALL", "C").env_remove("DEPENDENCIES_OUTPUT").env_remove("SUNPRO_DEPENDENCIES");
        if without_paths {
            command.env_remove("CPATH");
        }
        let mut child = command.spawn().map_err(not_run)?;
        let mut stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            scope.spawn(move || {
                // One that ends before it has read all says so by its exit code.
                if let Some(stdin) = &mut stdin {
                    let _ = stdin.write_all(input);
                }
                drop(stdin);
            });
            child.wait_with_output()
        });
        let output = output.map_err(not_run)?;
        if output.status.success() {
            return Ok((output.stdout, output.stderr));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let errors = said.lines().filter(|line| line.contains("error:"));
        let said = errors.chain(said.lines().rev()).map(str::trim).find(|line| !line.is_empty());
        Err(CompilerError::Failed { program: self.name(), said: said.unwrap_or("nothing").to_string() })
    }

    fn ask(&self) -> Result<Configuration, CompilerError> {
        let not_understood = |missing| CompilerError::NotUnderstood { program: self.name(), missing };
        let sorted = Sorted::of(&self.flags);
        let with = |more: &[&str], folders: &[OsString]| -> Vec<OsString> {
            let more = more.iter().map(OsString::from);
            sorted.plain.iter().chain(folders).cloned().chain(more).collect()
        };
        let (macros, _) = self.run(&with(&["-w", "-dM", "-E", "-xc", INPUT], &sorted.folders), b"\n", false)?;
        let (text, said) =
            self.run(&with(&["-w", "-E", "-v", "-xc", INPUT], &sorted.folders), probe().as_bytes(), false)?;
        let (_, own) = self.run(&with(&["-w", "-E", "-v", "-xc", INPUT], &[]), b"\n", true)?;
        let predefined: Vec<&[u8]> =
            macros.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"#define ")).collect();
        if predefined.is_empty() {
            return Err(not_understood(Missing::Macros));
        }
        let (quoted, angled) = search_path(&said).ok_or_else(|| not_understood(Missing::SearchPath))?;
        let (_, mut system) = search_path(&own).ok_or_else(|| not_understood(Missing::SearchPath))?;
        system.extend(sorted.system);
        let answers = Answers::of(&text).ok_or_else(|| not_understood(Missing::Text))?;
        let is_defined = |name: &str| {
            let line = format!("#define {name} ");
            predefined.iter().any(|found| found.starts_with(line.as_bytes()))
        };
        let mut dialect = answers.dialect();
        dialect.unsigned_char = is_defined("__CHAR_UNSIGNED__");
        dialect.unsigned_wide = is_defined("__WCHAR_UNSIGNED__");
        let quote_folders = quoted.len();
        let folders = quoted.into_iter().chain(angled).map(|path| {
            let is_system = system.contains(&path);
            Folder { path, is_system }
        });
        Ok(Configuration {
            dialect,
            folders: folders.collect(),
            quote_folders,
            predefined: predefined.join(&b'\n'),
            undefined: sorted.undefined,
            forced: sorted.forced,
            questions: answers.builtins(),
            compiler: Arc::new(Asked { compiler: self.clone(), known: Mutex::new(answers.questions()) }),
            ..Configuration::default()
        })
    }
}

/// The text that shows what the compiler does.
fn probe() -> String {
    let mut text = String::from(concat!(
        "#define gravel_one 1\n#define gravel_list(a, ...) , ## __VA_ARGS__\n#define gravel_only(...) , ## __VA_ARGS__\n",
        "#define gravel_opt(...) __VA_OPT__(gravel_there)\n#define u gravel_u\n#define R gravel_R\n",
        "gravel_answer trigraphs ??(\ngravel_answer line_comments //**/ no\n",
        "gravel_answer dollars gravel_one$\n",
        "gravel_answer unicode_strings u\"x\"\ngravel_answer raw_strings R\"(x)\"\n",
        "gravel_answer swallows_before_empty [gravel_list(1,)]\ngravel_answer swallows_without_others [gravel_only()]\n",
        "gravel_answer va_opt gravel_opt(1)\n",
        "#define gravel_line(a) __LINE__\ngravel_answer lines __LINE__ gravel_line(\n)\n",
        "gravel_answer binary_exponents 1p+gravel_one\n",
        "#if 1 == 1\n%:define gravel_digraph 1\n#endif\ngravel_answer digraphs gravel_digraph\n",
        "#if true\ngravel_answer true_is_one 1\n#endif\n",
        "gravel_answer digit_separators 1'0 gravel_one'\n",
        "#undef u\n#undef R\n#pragma omp parallel num_threads(gravel_one)\n",
    ));
    for (name, _) in Builtin::QUESTIONS.iter() {
        text.push_str(&format!("#ifdef {name}\n{MARK} has \"{name}\"\n#endif\n"));
    }
    for question in questions() {
        let name = question.split('(').next().unwrap_or_default();
        text.push_str(&format!("#ifdef {name}\n#if {question}\n{MARK} value \"{question}\"\n#endif\n#endif\n"));
    }
    text
}

fn questions() -> impl Iterator<Item = &'static str> {
    let lines = QUESTIONS.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

/// The lines of the text that came back.
struct Answers {
    lines: Vec<String>,
}

impl Answers {
    fn of(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let lines = text.lines().map(str::trim);
        let lines: Vec<String> =
            lines.filter(|line| line.starts_with(MARK) || line.starts_with('#')).map(String::from).collect();
        lines.iter().any(|line| line.starts_with(MARK)).then_some(Self { lines })
    }

    /// What came of a line.
    fn line(&self, name: &str) -> &str {
        let beginning = format!("{MARK} {name}");
        self.lines.iter().find_map(|line| line.strip_prefix(&beginning)).map_or("", str::trim)
    }

    fn dialect(&self) -> Dialect {
        let lines: Vec<&str> = self.line("lines").split_whitespace().collect();
        let squeezed = |name: &str| self.line(name).replace(' ', "");
        Dialect {
            trigraphs: self.line("trigraphs") == "[",
            line_comments: self.line("line_comments").is_empty(),
            digraphs: self.line("digraphs") == "1",
            dollars: squeezed("dollars") == "gravel_one$",
            unicode_strings: squeezed("unicode_strings") == "u\"x\"",
            raw_strings: squeezed("raw_strings") == "R\"(x)\"",
            binary_exponents: squeezed("binary_exponents") == "1p+gravel_one",
            digit_separators: squeezed("digit_separators") == "1'01'",
            va_opt: self.line("va_opt") == "gravel_there",
            swallows_before_empty: squeezed("swallows_before_empty") == "[]",
            swallows_without_others: squeezed("swallows_without_others") == "[]",
            expands_openmp: self.lines.iter().any(|line| line.replace(' ', "") == "#pragmaompparallelnum_threads(1)"),
            line_of_end: matches!(lines.as_slice(), [first, second] if first != second),
            unsigned_char: false,
            unsigned_wide: false,
            true_is_one: self.line("true_is_one") == "1",
        }
    }

    /// The built-in macros with an argument.
    fn builtins(&self) -> Vec<String> {
        let beginning = format!("{MARK} has ");
        self.lines
            .iter()
            .filter_map(|line| line.strip_prefix(&beginning))
            .map(|name| name.trim().trim_matches('"').to_string())
            .collect()
    }

    /// The answers to [`QUESTIONS`], where they can be told: of those that hold only that they do.
    fn questions(&self) -> HashMap<String, String> {
        let beginning = format!("{MARK} value ");
        let holding: Vec<String> = self
            .lines
            .iter()
            .filter_map(|line| line.strip_prefix(&beginning))
            .map(|line| line.replace([' ', '"'], ""))
            .collect();
        questions()
            .map(|question| (question.to_string(), u8::from(holding.iter().any(|found| found == question)).to_string()))
            .collect()
    }
}

/// The folders of `#include "…"` and of `#include <…>`, as `-v` lists them.
fn search_path(said: &[u8]) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut lists = (Vec::new(), Vec::new());
    let mut place = 0;
    for line in said.split(|byte| *byte == b'\n') {
        if line.starts_with(b"#include \"...\"") {
            place = 1;
        } else if line.starts_with(b"#include <...>") {
            place = 2;
        } else if line.starts_with(b"End of search list") {
            return Some(lists);
        } else if let Some(folder) = line.strip_prefix(b" ").filter(|_| place > 0)
            && !folder.ends_with(b" (framework directory)")
        {
            let list = if place == 1 { &mut lists.0 } else { &mut lists.1 };
            list.push(PathBuf::from(OsStr::from_bytes(folder)));
        }
    }
    None
}

/// A compiler that is asked what it has, once for each question.
struct Asked {
    compiler: Compiler,
    known: Mutex<HashMap<String, String>>,
}

impl AnswersQuestions for Asked {
    fn answer(&self, question: &str) -> String {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(question) {
            return known.clone();
        }
        let text = format!("{MARK} {question}\n");
        let mut arguments = Sorted::of(&self.compiler.flags).plain;
        arguments.extend(["-w", "-E", "-xc", INPUT].map(OsString::from));
        let output =
            self.compiler.run(&arguments, text.as_bytes(), false).map(|(output, _)| output).unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let line = output.lines().find_map(|line| line.strip_prefix(MARK)).unwrap_or_default();
        let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        let value = Some(line.trim()).filter(|text| is_number(text)).unwrap_or("0").to_string();
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(question.to_string(), value.clone());
        value
    }
}
