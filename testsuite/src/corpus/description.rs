//! What a description file says about a code. docs/src/corpus.md explains it to users.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A code outside the repository.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The name of the file, without its ending.
    #[serde(skip)]
    pub name: String,
    /// The folder of the code; relative to that of the description.
    pub source: PathBuf,
    /// The shell command that builds it in its folder: `$FC` is the compiler, `$RANKS` the number of ranks.
    pub build: Option<String>,
    /// Instead of a command: its files, the whole program.
    #[serde(default)]
    pub files: Vec<String>,
    /// Instead of a command: a compilation database, or what make printed.
    pub record: Option<String>,
    /// The program that the build links, as a path in the folder.
    pub program: Option<String>,
    /// Arguments of `gravelc plan` and `transform`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The numbers of ranks on which it runs.
    #[serde(default)]
    pub ranks: Vec<usize>,
    /// The shell command that runs it in its folder; `$RUN` starts the program.
    #[serde(default = "run_alone")]
    pub run: String,
    /// Lines of standard output that hold one of these texts are not compared: times and dates.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Files that it writes, and that are compared.
    #[serde(default)]
    pub outputs: Vec<String>,
    /// How many minutes a build or a run may take.
    #[serde(default = "minutes")]
    pub minutes: u64,
}

fn run_alone() -> String {
    "$RUN".to_owned()
}

fn minutes() -> u64 {
    20
}

impl Description {
    /// Those in the folder, by name.
    ///
    /// # Errors
    ///
    /// A message with the path, if a file can't be read or is no description, or if there is none.
    pub fn all(folder: &Path) -> Result<Vec<Self>, String> {
        let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()
            .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
        files.sort();
        if files.is_empty() {
            return Err(format!("there is no description (*.toml) in {}", folder.display()));
        }
        files.iter().map(|file| Self::read(file)).collect()
    }

    fn read(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let text = fs::read_to_string(file).map_err(|error| format!("cannot read {shown}: {error}"))?;
        let mut description: Self = toml::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
        description.name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        description.source = file.parent().unwrap_or(Path::new("")).join(&description.source);
        if !description.source.is_dir() {
            return Err(format!("{shown}: there is no folder {}", description.source.display()));
        }
        let ways = [description.build.is_some(), !description.files.is_empty(), description.record.is_some()];
        match ways.into_iter().filter(|given| *given).count() {
            1 => {}
            0 => return Err(format!("{shown}: one of `build`, `files` and `record` must say what the program is")),
            _ => return Err(format!("{shown}: only one of `build`, `files` and `record` can say what the program is")),
        }
        if description.build.is_some() && description.program.is_none() {
            return Err(format!("{shown}: `program` must say what the build links"));
        }
        if description.build.is_some() && description.ranks.is_empty() {
            return Err(format!("{shown}: `ranks` must say on how many ranks it runs"));
        }
        Ok(description)
    }

    /// Is a program built for each number of ranks?
    pub fn is_built_for_ranks(&self) -> bool {
        let texts = [self.build.as_deref(), self.program.as_deref()];
        texts.into_iter().flatten().any(|text| text.contains("$RANKS"))
    }

    /// The path of the program for so many ranks.
    pub fn program_for(&self, ranks: usize) -> String {
        self.program.as_deref().unwrap_or_default().replace("$RANKS", &ranks.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Description, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let file = folder.path().join("code.toml");
        fs::write(&file, text).map_err(|error| error.to_string())?;
        Description::read(&file)
    }

    #[test]
    fn a_description_says_what_the_program_is() {
        let found =
            read("source = '.'\nbuild = 'make'\nprogram = 'bin/x.$RANKS'\nranks = [2, 4]\n").expect("it is one");
        assert_eq!((found.name.as_str(), found.run.as_str(), found.minutes), ("code", "$RUN", 20));
        assert!(found.is_built_for_ranks());
        assert_eq!(found.program_for(4), "bin/x.4");
        for (text, says) in [
            ("source = '.'\n", "one of"),
            ("source = '.'\nfiles = ['a.f90']\nrecord = 'log'\n", "only one of"),
            ("source = '.'\nbuild = 'make'\nranks = [2]\n", "`program`"),
            ("source = '.'\nbuild = 'make'\nprogram = 'x'\n", "`ranks`"),
            ("source = 'none'\nfiles = ['a.f90']\n", "no folder"),
            ("source = '.'\nfile = 'a.f90'\n", "unknown field"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(says), "{message}");
        }
    }
}
