//! Where the output goes, and the checks that nothing that is needed is overwritten.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf, absolute};

use super::Failure;

/// The file that the output for each input is written to, in the order of the inputs: `-o FILE` for a single one,
/// `--out-dir DIR` for any number; none if neither was given. `program` has all files of the program.
pub(super) fn destinations(
    inputs: &[PathBuf],
    output: Option<&Path>,
    out_dir: Option<&Path>,
    program: &[PathBuf],
) -> Result<Vec<PathBuf>, Failure> {
    match (output, out_dir) {
        (Some(output), _) if inputs.len() == 1 => Ok(vec![output.to_owned()]),
        (Some(_), _) => {
            Err(Failure::input(format!("`-o` takes the output of one file, but {} were given", inputs.len()))
                .help("use `--out-dir DIR`: each output gets the name of its input"))
        }
        (None, Some(folder)) => {
            let root = shared_folder(program);
            inputs.iter().map(|input| destination_in(folder, input, &root)).collect()
        }
        (None, None) => Ok(Vec::new()),
    }
}

/// The place under `folder` that the input has under `root`: files of one name in two folders stay apart.
fn destination_in(folder: &Path, input: &Path, root: &Path) -> Result<PathBuf, Failure> {
    let name =
        input.file_name().ok_or_else(|| Failure::input(format!("{} is not the name of a file", input.display())))?;
    let inside = folder_of(input);
    Ok(folder.join(inside.strip_prefix(root).unwrap_or(Path::new(""))).join(name))
}

/// The deepest folder that all files are in.
fn shared_folder(files: &[PathBuf]) -> PathBuf {
    let mut folders = files.iter().map(|file| folder_of(file));
    let first = folders.next().unwrap_or_default();
    folders.fold(first, |shared, folder| {
        let both = shared.components().zip(folder.components());
        both.take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
    })
}

/// The folder that a file is in, without links as far as it exists.
fn folder_of(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    folder.canonicalize().or_else(|_| absolute(folder)).unwrap_or_else(|_| folder.to_owned())
}

/// Makes the folders that the outputs go to, as far as they are missing.
pub(super) fn create_folders(outputs: &[PathBuf]) -> Result<(), Failure> {
    outputs.iter().filter_map(|output| output.parent()).try_for_each(|folder| {
        fs::create_dir_all(folder)
            .map_err(|error| Failure::input(format!("cannot make the folder {}: {error}", folder.display())))
    })
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
    let by_identity: HashMap<&Identity, &Path> = inputs.iter().map(|(path, identity)| (identity, *path)).collect();
    for (output, identity) in &outputs {
        if let Some(input) = by_identity.get(identity) {
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
#[derive(Debug, PartialEq, Eq, Hash)]
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
        Identity::New(folder_of(path).join(path.file_name().unwrap_or_default()))
    }
}

fn identities(paths: &[PathBuf]) -> Vec<(&Path, Identity)> {
    paths.iter().map(|path| (path.as_path(), Identity::of(path))).collect()
}

fn first_equal_pair<'a>(files: &[(&'a Path, Identity)]) -> Option<(&'a Path, &'a Path)> {
    let mut known: HashMap<&Identity, &Path> = HashMap::new();
    files.iter().find_map(|(path, identity)| known.insert(identity, path).map(|earlier| (earlier, *path)))
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
    fn outputs_lie_as_their_inputs_do() {
        let out = Some(Path::new("out"));
        let placed = |inputs: &[&str], program: &[&str]| {
            let [inputs, program] = [inputs, program].map(|files| files.iter().map(PathBuf::from).collect::<Vec<_>>());
            destinations(&inputs, None, out, &program).expect("it is possible")
        };
        let at = |files: &[&str]| files.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(placed(&["a/x.f90"], &["a/x.f90"]), at(&["out/x.f90"]));
        assert_eq!(placed(&["a/x.f90", "y.f90"], &["a/x.f90", "y.f90"]), at(&["out/a/x.f90", "out/y.f90"]));
        assert_eq!(
            placed(&["s/a/x.f90", "s/b/x.f90"], &["s/a/x.f90", "s/b/x.f90"]),
            at(&["out/a/x.f90", "out/b/x.f90"])
        );
        assert_eq!(placed(&["s/a/x.f90"], &["s/a/x.f90", "s/b/x.f90"]), at(&["out/a/x.f90"]));
        // Names that begin alike are no folder that is shared.
        assert_eq!(placed(&["ab/x.f90", "ac/x.f90"], &["ab/x.f90", "ac/x.f90"]), at(&["out/ab/x.f90", "out/ac/x.f90"]));

        let inputs = [PathBuf::from("a/x.f90"), PathBuf::from("y.f90")];
        assert!(destinations(&inputs, Some(Path::new("z.f90")), None, &inputs).is_err(), "one output for two inputs");
        assert!(destinations(&inputs, None, None, &inputs).expect("it is possible").is_empty());
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
        let inputs = ["a/x.f90", "b/x.f90"].map(|file| folder.path().join(file));
        let output = folder.path().join("y.f90");
        let failure = check_distinct(&inputs, &[output.clone(), output]).expect_err("they are equal");
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
