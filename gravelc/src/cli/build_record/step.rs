//! One command of a build: what it read, and what it made of that.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cli::runtime::is_called_fortran;
use crate::cli::wrap::compile_command::{CompileCommand, Stage};

/// A file, as it was at the time of the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileThen {
    /// Absolute, as the command names it.
    pub path: PathBuf,
    /// Of its bytes, where somebody was there to take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What an archive holds: name and digest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<(String, String)>,
}

impl FileThen {
    pub fn named(path: PathBuf) -> Self {
        Self { path, sha256: None, members: Vec::new() }
    }
}

/// What became of a file that a command made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// An object, or a library that is linked into something else.
    Part,
    /// An archive: each command adds to it.
    Archive,
    /// A program.
    Program,
}

/// A file that a command made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Product {
    /// The file itself.
    pub file: FileThen,
    /// What it is.
    pub kind: Kind,
    /// The sources that were compiled into it, by their places among those of the step.
    pub sources: Vec<usize>,
    /// The objects and libraries that went into it.
    pub inputs: Vec<FileThen>,
}

/// A command that made something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// Where it was executed.
    pub folder: PathBuf,
    /// The compiler or archiver, as it was called.
    pub tool: String,
    /// Its arguments, with those that came in files.
    pub arguments: Vec<String>,
    /// The sources in Fortran and C.
    pub sources: Vec<FileThen>,
    /// Files that these include, as far as their lines say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub included: Vec<FileThen>,
    /// What it made.
    pub products: Vec<Product>,
}

/// Which programs make something of sources and objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Fortran,
    /// A compiler of other languages, which links Fortran's objects, too.
    Compiler,
    Archiver,
}

/// Names of compilers of other languages, without what stands around them (`x86_64-linux-gnu-gcc-12`).
const COMPILERS: [&str; 17] = [
    "cc", "gcc", "clang", "c++", "g++", "clang++", "icc", "icx", "icpc", "icpx", "mpicc", "mpicxx", "mpic++", "mpiCC",
    "nvc", "nvc++", "ld",
];

/// Endings of objects and libraries.
const OBJECTS: [&str; 6] = ["o", "obj", "lo", "a", "so", "la"];

impl Tool {
    fn of(name: &str) -> Option<Self> {
        let name = Path::new(name).file_name()?.to_str()?;
        let is_archiver = |name: &str| matches!(name, "ar" | "xiar") || name.ends_with("-ar");
        if is_called_fortran(name) {
            return Some(Self::Fortran);
        }
        // As `mpicc.mpich` and `gcc-ar-12`.
        let plain = name.split('.').next().unwrap_or(name);
        let plain = plain.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
        if is_archiver(plain) {
            return Some(Self::Archiver);
        }
        let last = plain.rsplit('-').next().unwrap_or(plain);
        (COMPILERS.contains(&plain) || COMPILERS.contains(&last)).then_some(Self::Compiler)
    }
}

/// Is this the name of a compiler or an archiver?
pub(super) fn is_tool(name: &str) -> bool {
    Tool::of(name).is_some()
}

impl Step {
    /// What the command does in `folder`; `None` for one that makes nothing of which programs are made. Response files have been
    /// read.
    pub fn of(folder: &Path, tool: &str, arguments: &[String]) -> Option<Self> {
        let mut step = Self {
            folder: folder.to_path_buf(),
            tool: tool.to_string(),
            arguments: arguments.to_vec(),
            sources: Vec::new(),
            included: Vec::new(),
            products: Vec::new(),
        };
        match Tool::of(tool) {
            Some(Tool::Archiver) => step.read_archiver(),
            // Whatever else is launched as a compiler shows by its arguments whether it is one.
            _ => step.read_compiler(),
        }
        (!step.products.is_empty()).then_some(step)
    }

    /// The arguments as the operating system takes them.
    pub fn os_arguments(&self) -> Vec<OsString> {
        self.arguments.iter().map(OsString::from).collect()
    }

    /// The tool for who is in another folder: a relative path is one in the folder of the command.
    pub fn tool_in_folder(&self) -> PathBuf {
        match self.tool.contains('/') {
            true => self.folder.join(&self.tool),
            false => PathBuf::from(&self.tool),
        }
    }

    /// Its arguments, understood.
    pub fn command(&self) -> CompileCommand {
        CompileCommand::of(OsStr::new(&self.tool), &self.os_arguments())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        plain(&self.folder.join(path))
    }

    /// `ar rcs libx.a a.o b.o`
    fn read_archiver(&mut self) {
        let mut arguments = self.arguments.iter().filter(|argument| !argument.starts_with("--"));
        let Some(operation) = arguments.next() else { return };
        let operation = operation.trim_start_matches('-');
        if !operation.starts_with(|c: char| c.is_ascii_alphabetic()) || !operation.contains(['r', 'q']) {
            return;
        }
        // The place before or behind which the members go.
        let mut arguments = arguments.skip(usize::from(operation.contains(['a', 'b', 'i'])));
        let Some(archive) = arguments.next() else { return };
        let inputs = arguments.map(|member| FileThen::named(self.absolute(Path::new(member)))).collect();
        let file = FileThen::named(self.absolute(Path::new(archive)));
        self.products.push(Product { file, kind: Kind::Archive, sources: Vec::new(), inputs });
    }

    fn read_compiler(&mut self) {
        let command = self.command();
        if command.stage() == Stage::Other {
            return;
        }
        self.sources = command.sources().iter().map(|source| FileThen::named(self.absolute(source))).collect();
        let objects = command.other_inputs().iter().filter(|input| is_object(input));
        let mut inputs: Vec<FileThen> = objects.map(|input| FileThen::named(self.absolute(input))).collect();
        inputs.extend(libraries(command.flags()).map(|name| FileThen::named(self.absolute(&name))));
        let output = command.output().map(|output| self.absolute(output));
        let all: Vec<usize> = (0..self.sources.len()).collect();
        let product = |path: PathBuf, kind: Kind, sources: Vec<usize>, inputs: Vec<FileThen>| Product {
            file: FileThen::named(path),
            kind,
            sources,
            inputs,
        };
        let is_combined = command.stage() == Stage::Link || !command.stops_before_link();
        if is_combined {
            let kind = if command.stage() == Stage::Link { Kind::Program } else { Kind::Part };
            let path = output.unwrap_or_else(|| self.absolute(Path::new("a.out")));
            self.products.push(product(path, kind, all, inputs));
            return;
        }
        let others = command.other_inputs().iter().filter(|input| !is_object(input));
        let compiled: Vec<(PathBuf, Vec<usize>)> = command
            .sources()
            .into_iter()
            .enumerate()
            .map(|(index, source)| (source, vec![index]))
            .chain(others.map(|other| (other.clone(), Vec::new())))
            .collect();
        if let (Some(path), [(_, sources)]) = (output, compiled.as_slice()) {
            self.products.push(product(path, Kind::Part, sources.clone(), Vec::new()));
            return;
        }
        for (source, sources) in compiled {
            let object = PathBuf::from(source.file_name().unwrap_or_default()).with_extension("o");
            self.products.push(product(self.absolute(&object), Kind::Part, sources, Vec::new()));
        }
    }
}

/// Where the libraries may be that `-L` and `-l` name, in the order of the search.
fn libraries(flags: &[OsString]) -> impl Iterator<Item = PathBuf> {
    let mut folders = Vec::new();
    let mut names = Vec::new();
    let mut flags = flags.iter().map(|flag| flag.to_string_lossy());
    while let Some(flag) = flags.next() {
        let mut value = |prefix: &str| {
            let value = flag.strip_prefix(prefix)?;
            if value.is_empty() { flags.next().map(|next| next.into_owned()) } else { Some(value.to_string()) }
        };
        if let Some(folder) = value("-L") {
            folders.push(PathBuf::from(folder));
        } else if let Some(name) = value("-l") {
            names.push(name);
        }
    }
    names.into_iter().flat_map(move |name| {
        let at =
            |ending: &str| folders.iter().map(|folder| folder.join(format!("lib{name}.{ending}"))).collect::<Vec<_>>();
        [at("so"), at("a")].concat()
    })
}

/// Is it, by its name, an object or a library?
fn is_object(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // `libx.so.1.2`
    name.contains(".so.") || path.extension().is_some_and(|ending| OBJECTS.iter().any(|object| ending == *object))
}

/// The path without `.` and `..`. What links lead to is not asked: the files may be gone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}
