//! A command as data: it can be run, and shown in the words in which a person would repeat it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// A program with its arguments, environment and folder.
#[derive(Debug, Clone)]
pub struct CommandLine {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

impl CommandLine {
    /// A command without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), environment: Vec::new(), folder: None }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With more arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// With the variables of another command, too.
    #[must_use]
    pub fn env_of(mut self, other: &Self) -> Self {
        self.environment.extend(other.environment.iter().cloned());
        self
    }

    /// The words of the command as a line for a shell, without its variables and its folder.
    pub fn words(&self) -> String {
        Self { environment: Vec::new(), ..self.clone() }.to_string()
    }

    /// Run in this folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The folder it runs in, if one was given.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The command for the standard library. Variables `GRAVEL_*` of the caller are not passed on: what is tested
    /// must not depend on them.
    pub(crate) fn to_std(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GRAVEL_") {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

impl fmt::Display for CommandLine {
    /// The command as a line for a shell, without its folder.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}={} ", quoted(OsStr::new(value)))?;
        }
        f.write_str(&quoted(&self.program))?;
        for argument in &self.arguments {
            write!(f, " {}", quoted(argument))?;
        }
        Ok(())
    }
}

/// A word as a shell takes it literally.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_shown_as_a_shell_would_take_it() {
        let command = CommandLine::new("mpif90").args(["-O2", "it's.f90", ""]).env("A", "x y");
        assert_eq!(command.to_string(), r"A='x y' mpif90 -O2 'it'\''s.f90' ''");
    }
}
