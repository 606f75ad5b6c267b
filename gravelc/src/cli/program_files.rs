//! Which files are the program, and how each is read: as the user says, or as a build compiled them.

use std::path::{Path, PathBuf};

use super::build_record::{BuildRecord, Flags};
use super::transform::Analysis;
use super::{Failure, diagnostics};
use crate::frontend::FrontendOptions;
use crate::transform::Selection;

/// Where the program is.
#[derive(Debug, clap::Args)]
pub(super) struct ProgramFiles {
    /// The source files: the whole program; with --recorded or --build, those of its files that are meant [default: all that the
    /// build compiled into the program]
    #[arg(value_name = "FILE", required_unless_present_any = ["recorded", "build"])]
    files: Vec<PathBuf>,
    /// Take files, their order and the flags of each from what `gravelc wrap --record DIR` saw of a build
    #[arg(long, value_name = "DIR", conflicts_with = "build")]
    recorded: Option<PathBuf>,
    /// Take files, their order and the flags of each from a compilation database (compile_commands.json), or from what make
    /// printed
    #[arg(long, value_name = "FILE")]
    build: Option<PathBuf>,
    /// The folder where make was started whose output --build names [default: the folder of that file]
    #[arg(long, value_name = "DIR", requires = "build")]
    build_dir: Option<PathBuf>,
    /// Of several programs that the build links, this one
    #[arg(long, value_name = "NAME")]
    program: Option<PathBuf>,
}

/// A program that is to be read.
pub(super) struct ProgramInput {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// How they are read.
    pub options: FrontendOptions,
    /// What is looked for.
    pub selection: Selection,
}

impl ProgramFiles {
    /// The files that the user names.
    pub fn named(&self) -> &[PathBuf] {
        &self.files
    }

    /// The program.
    ///
    /// # Errors
    /// What the build did can't be read, or does not say which files are the program; the compiler can't be asked.
    pub fn input(&self, analysis: &Analysis) -> Result<ProgramInput, Failure> {
        let record = match (&self.recorded, &self.build) {
            (Some(folder), _) => BuildRecord::recorded(folder)?,
            (_, Some(file)) => BuildRecord::of_file(file, self.build_dir.as_deref())?,
            (None, None) => {
                if self.program.is_some() {
                    return Err(
                        Failure::input("--program names a program of a build").help("add --recorded or --build")
                    );
                }
                let options = analysis.frontend_options()?;
                return Ok(ProgramInput { files: self.files.clone(), options, selection: analysis.selection()? });
            }
        };
        if analysis.names_compiler() {
            return Err(Failure::input("--compiler says for all files what the build says of each")
                .help("leave --compiler out; -D, -U and -I count beside the flags of the build"));
        }
        let program = self.program.as_ref().map(|name| name.to_string_lossy().into_owned());
        let found = record.sources_of(program.as_deref())?;
        for line in record.unread() {
            diagnostics::print_note(&format!("this command can't be followed: {line}"), None);
        }
        found.notes.iter().for_each(|note| diagnostics::print_note(note, None));
        let mut flags = Flags::default();
        let mut options = analysis.over(FrontendOptions::default());
        let mut files = Vec::new();
        let is_meant = self.meant(&found.sources.iter().map(|source| source.path.as_path()).collect::<Vec<_>>())?;
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).unwrap_or_default();
        for source in found.sources.iter().filter(|source| is_meant(&source.path)) {
            let path = source.path.strip_prefix(&here).unwrap_or(&source.path).to_path_buf();
            options.of_files.insert(path.clone(), analysis.over(flags.options(source)?));
            files.push(path);
        }
        flags.notes().iter().for_each(|note| diagnostics::print_note(note, None));
        let mut selection = analysis.selection()?;
        selection.rounding = selection.rounding.or(flags.rounding());
        Ok(ProgramInput { files, options, selection })
    }

    /// Which of the sources of the build are meant. Fails where one is named that is not among them.
    fn meant(&self, built: &[&Path]) -> Result<impl Fn(&Path) -> bool + use<>, Failure> {
        let mut named = Vec::new();
        let is_all = self.files.is_empty();
        for file in &self.files {
            let path = file
                .canonicalize()
                .map_err(|error| Failure::input(format!("cannot find {}: {error}", file.display())))?;
            if !built.iter().any(|built| built.canonicalize().is_ok_and(|built| built == path)) {
                return Err(Failure::input(format!("the build compiles no {} into the program", file.display()))
                    .help("name files of the build, or none for all of them"));
            }
            named.push(path);
        }
        let is_named = move |path: &Path| path.canonicalize().is_ok_and(|path| named.contains(&path));
        Ok(move |path: &Path| is_all || is_named(path))
    }
}
