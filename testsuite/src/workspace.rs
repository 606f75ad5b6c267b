//! Where things are in the repository.

use std::io;
use std::path::{Path, PathBuf};

/// The root folder of the repository.
pub fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

/// The folder of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo builds, and the profile with which the running program was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildFolder {
    /// The target directory.
    pub target: PathBuf,
    /// The folder of the profile in it: `debug`, `release`.
    pub profile: String,
}

impl BuildFolder {
    /// The folder that the running program comes from: a binary lies in `target/PROFILE`, a test in
    /// `target/PROFILE/deps`.
    ///
    /// # Errors
    ///
    /// If the system does not tell the path of the running program, or it does not lie in such a folder.
    pub fn of_this_program() -> io::Result<Self> {
        let program = std::env::current_exe()?;
        Self::of(&program).ok_or_else(|| {
            io::Error::other(format!(
                "{} does not lie in a target directory of cargo: start it with cargo",
                program.display()
            ))
        })
    }

    fn of(program: &Path) -> Option<Self> {
        let folder = program.parent()?;
        let folder = if folder.ends_with("deps") { folder.parent()? } else { folder };
        Some(Self { target: folder.parent()?.to_owned(), profile: folder.file_name()?.to_str()?.to_owned() })
    }

    /// The folder that holds the programs.
    pub fn programs(&self) -> PathBuf {
        self.target.join(&self.profile)
    }

    /// A folder for what tests leave behind, so that a failure can be looked at.
    pub fn scratch(&self, purpose: &str) -> PathBuf {
        self.target.join("testsuite").join(purpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_build_folder_of_programs_and_tests() {
        let expected = BuildFolder { target: "/t".into(), profile: "release".into() };
        assert_eq!(BuildFolder::of(Path::new("/t/release/suite")), Some(expected.clone()));
        assert_eq!(BuildFolder::of(Path::new("/t/release/deps/golden-0123")), Some(expected));
        assert_eq!(BuildFolder::of(Path::new("suite")), None);
    }
}
