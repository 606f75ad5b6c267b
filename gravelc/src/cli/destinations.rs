//! Where the output goes, and the checks that nothing that is needed is overwritten.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Failure;

/// The file that the output for each input is written to, in the order of the inputs: `-o FILE` for a single one,
/// `--out-dir DIR` for any number; none if neither was given.
pub(super) fn destinations(
    inputs: &[PathBuf],
    output: Option<&Path>,
    out_dir: Option<&Path>,
) -> Result<Vec<PathBuf>, Failure> {
    match (output, out_dir) {
        (Some(output), _) if inputs.len() == 1 => Ok(vec![output.to_owned()]),
        (Some(_), _) => {
            Err(Failure::input(format!("`-o` takes the output of one file, but {} were given", inputs.len()))
                .help("use `--out-dir DIR`: each output gets the name of its input"))
        }
        (None, Some(folder)) => inputs.iter().map(|input| destination_in(folder, input)).collect(),
        (None, None) => Ok(Vec::new()),
    }
}

fn destination_in(folder: &Path, input: &Path) -> Result<PathBuf, Failure> {
    let name: &OsStr =
        input.file_name().ok_or_else(|| Failure::input(format!("{} is not the name of a file", input.display())))?;
    Ok(folder.join(name))
}

/// Refuses inputs that are the same file, outputs that are, and an output that would replace an input; links to the
/// same file count as the same file. Refuses outputs that are something else than a regular file.
pub(super) fn check_distinct(inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<(), Failure> {
    let inputs = identities(inputs);
    let outputs = identities(outputs);

    if let Some((first, second)) = first_equal_pair(&inputs) {
        return Err(Failure::input(format!("{} and {} are the same file", first.display(), second.display()))
            .help("give every file of the program once"));
    }
    for (output, identity) in &outputs {
        if let Some((input, _)) = inputs.iter().find(|(_, input)| input == identity) {
            let same = if input == output { String::new() } else { format!(" (as {})", input.display()) };
            return Err(Failure::input(format!("{}: the output is also an input{same}", output.display()))
                .note("nothing was written")
                .help("choose another name or folder: gravelc never replaces its input"));
        }
        check_is_replaceable(output)?;
    }
    if let Some((first, second)) = first_equal_pair(&outputs) {
        let message = if first == second {
            format!("two outputs would be written to {}", first.display())
        } else {
            format!("the outputs {} and {} are the same file", first.display(), second.display())
        };
        return Err(Failure::input(message)
            .note("nothing was written")
            .help("give the files other names, or transform them into different folders"));
    }
    Ok(())
}

fn check_is_replaceable(output: &Path) -> Result<(), Failure> {
    match output.metadata() {
        Ok(metadata) if metadata.is_dir() => Err(Failure::input(format!("{} is a folder", output.display()))
            .help("name the output file, or use `--out-dir DIR`")),
        Ok(metadata) if !metadata.is_file() => {
            Err(Failure::input(format!("{} is not a regular file", output.display()))
                .help("name a file to write, or look at the changes with `--diff`"))
        }
        _ => Ok(()),
    }
}

/// What makes two paths the same file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// A file that exists: its device and inode.
    Existing { device: u64, inode: u64 },
    /// A file to come: its folder, as far as it exists without links, and its name.
    New(PathBuf),
}

impl Identity {
    fn of(path: &Path) -> Self {
        if let Ok(metadata) = path.metadata() {
            return Identity::Existing { device: metadata.dev(), inode: metadata.ino() };
        }
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        Identity::New(folder.join(path.file_name().unwrap_or_default()))
    }
}

fn identities(paths: &[PathBuf]) -> Vec<(&Path, Identity)> {
    paths.iter().map(|path| (path.as_path(), Identity::of(path))).collect()
}

fn first_equal_pair<'a>(files: &[(&'a Path, Identity)]) -> Option<(&'a Path, &'a Path)> {
    files.iter().enumerate().find_map(|(index, (path, identity))| {
        files[..index].iter().find(|(_, earlier)| earlier == identity).map(|(earlier, _)| (*earlier, *path))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("it lies in the folder")).expect("a folder can be made");
            fs::write(path, "end\n").expect("a file can be written");
        }
        folder
    }

    #[test]
    fn outputs_get_the_names_of_their_inputs() {
        let inputs = [PathBuf::from("a/x.f90"), PathBuf::from("y.f90")];
        let found = destinations(&inputs, None, Some(Path::new("out"))).expect("it is possible");
        assert_eq!(found, [PathBuf::from("out/x.f90"), PathBuf::from("out/y.f90")]);
        assert!(destinations(&inputs, Some(Path::new("z.f90")), None).is_err(), "one output for two inputs");
        assert!(destinations(&inputs, None, None).expect("it is possible").is_empty());
    }

    #[test]
    fn an_input_is_never_the_output() {
        let folder = folder_with(&["a.f90"]);
        let input = folder.path().join("a.f90");
        let link = folder.path().join("link.f90");
        let hard_link = folder.path().join("hard.f90");
        symlink(&input, &link).expect("a link can be made");
        fs::hard_link(&input, &hard_link).expect("a hard link can be made");
        let detour = folder.path().join("./a.f90");
        for output in [input.clone(), link, hard_link, detour] {
            let failure = check_distinct(std::slice::from_ref(&input), &[output]).expect_err("it is the input");
            assert_eq!(failure.exit_code(), 2);
            assert!(failure.message().contains("also an input"), "{}", failure.message());
        }
        assert!(check_distinct(&[input], &[folder.path().join("b.f90")]).is_ok());
    }

    #[test]
    fn two_outputs_are_never_one_file() {
        let folder = folder_with(&["a/x.f90", "b/x.f90"]);
        let inputs = [folder.path().join("a/x.f90"), folder.path().join("b/x.f90")];
        let outputs = destinations(&inputs, None, Some(folder.path())).expect("it is possible");
        let failure = check_distinct(&inputs, &outputs).expect_err("the names are equal");
        assert!(failure.message().contains("two outputs"), "{}", failure.message());
    }

    #[test]
    fn an_input_is_given_once() {
        let folder = folder_with(&["a.f90"]);
        let inputs = [folder.path().join("a.f90"), folder.path().join("./a.f90")];
        assert!(check_distinct(&inputs, &[]).is_err());
    }

    #[test]
    fn only_regular_files_are_replaced() {
        assert!(check_distinct(&[], &[PathBuf::from("/dev/null")]).is_err());
        assert!(check_distinct(&[], &[std::env::temp_dir()]).is_err());
    }
}
