//! What `kernel.toml` says about a kernel.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;

use crate::case::{entries, file_name, read};
use crate::workspace;

/// How large a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A moment: for tests.
    Tiny,
    /// About a second.
    Small,
    /// Seconds: for measurements.
    Medium,
    /// Minutes.
    Large,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Small, Self::Medium, Self::Large];
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        })
    }
}

/// What makes a kernel solve a problem of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSettings {
    /// Arguments of the program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Macros, `NAME=VALUE`, with which it is compiled.
    #[serde(default)]
    pub define: Vec<String>,
    /// Folders, relative to the kernel's, with files that it includes.
    #[serde(default)]
    pub include: Vec<String>,
    /// Files, relative to its folder, that lie in the working folder when it runs.
    #[serde(default)]
    pub inputs: Vec<String>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The name of its folder.
    #[serde(skip)]
    pub name: String,
    /// Its folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// What it is, in one line.
    pub description: String,
    /// Its sources, in the order in which they are compiled: the whole program.
    pub files: Vec<String>,
    /// The numbers of ranks on which it runs.
    pub ranks: Vec<usize>,
    /// At least so many of its sites must be transformed.
    #[serde(default)]
    pub transformed: usize,
    /// Has it nothing to transform, so that it must come out as it is?
    #[serde(default)]
    pub untouched: bool,
    /// Its problems.
    pub classes: BTreeMap<Class, ClassSettings>,
}

impl Kernel {
    /// All of them, sorted by name.
    ///
    /// # Errors
    ///
    /// A message with the path, if a folder can't be read or a description is wrong.
    pub fn all() -> Result<Vec<Self>, String> {
        entries(&workspace::package().join("kernels"))?
            .iter()
            .filter(|path| path.is_dir())
            .map(|folder| Self::read(folder))
            .collect()
    }

    /// The one in this folder.
    ///
    /// # Errors
    ///
    /// A message with the path, if its description can't be read or is wrong.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("kernel.toml");
        let wrong = |problem: String| format!("{}: {problem}", path.display());
        let text = String::from_utf8(read(&path)?).map_err(|error| wrong(error.to_string()))?;
        let mut kernel = Self::parse(&text).map_err(wrong)?;
        if let Some(file) = kernel.missing_file(folder) {
            return Err(wrong(format!("{file} is not there")));
        }
        kernel.name = file_name(folder);
        folder.clone_into(&mut kernel.folder);
        Ok(kernel)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let kernel: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if kernel.files.is_empty() {
            return Err("it has no files".to_owned());
        }
        if kernel.ranks.is_empty() || kernel.ranks.contains(&0) {
            return Err("it does not say on how many ranks it runs".to_owned());
        }
        if kernel.untouched && kernel.transformed > 0 {
            return Err("it can't be both untouched and transformed".to_owned());
        }
        if let Some(class) = Class::ALL.iter().find(|class| !kernel.classes.contains_key(class)) {
            return Err(format!("it has no class {class}"));
        }
        Ok(kernel)
    }

    fn missing_file(&self, folder: &Path) -> Option<&String> {
        let of_classes = self.classes.values().flat_map(|settings| settings.include.iter().chain(&settings.inputs));
        self.files.iter().chain(of_classes).find(|name| !folder.join(name).exists())
    }

    /// What makes it solve a problem of this class.
    pub fn settings(&self, class: Class) -> &ClassSettings {
        // `parse` has seen that each class is there.
        &self.classes[&class]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        description = "nothing"
        files = ["a.f", "b.f90"]
        ranks = [1, 4]
        [classes]
        tiny = { arguments = ["1"] }
        small = { define = ["N=2"] }
        medium = { include = ["sizes/medium"], inputs = ["inputs/medium/a.in"] }
        large = {}
    "#;

    #[test]
    fn reads_a_description() {
        let kernel = Kernel::parse(GOOD).expect("it is right");
        assert_eq!(kernel.files, ["a.f", "b.f90"]);
        assert_eq!(kernel.settings(Class::Tiny).arguments, ["1"]);
        assert_eq!(kernel.settings(Class::Medium).include, ["sizes/medium"]);
        assert!(!kernel.untouched);
    }

    #[test]
    fn refuses_what_is_incomplete_or_misspelt() {
        for (from, to, complaint) in [
            ("large = {}", "", "no class large"),
            ("ranks = [1, 4]", "ranks = []", "ranks"),
            ("[\"a.f\", \"b.f90\"]", "[]", "no files"),
            ("ranks", "rank = [3]\nranks", "rank"),
            ("define", "defines", "defines"),
            ("ranks", "untouched = true\ntransformed = 2\nranks", "both"),
        ] {
            let message = Kernel::parse(&GOOD.replacen(from, to, 1)).expect_err(to);
            assert!(message.contains(complaint), "{to}: {message}");
        }
    }

    #[test]
    fn all_kernels_are_described() {
        let kernels = Kernel::all().expect("all can be read");
        assert!(kernels.iter().any(|kernel| kernel.untouched), "a control is among them");
        for kernel in kernels {
            // The suite's sample runs those that come out unchanged on four ranks alone.
            assert!(kernel.ranks.contains(&1) && kernel.ranks.contains(&4), "{}", kernel.name);
        }
    }
}
