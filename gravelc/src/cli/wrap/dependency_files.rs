//! The files for make in which a compiler says what a command read (`-MD`, `-MMD`).
//!
//! A build knows the user's sources. The copies that are compiled in their place are gone when make reads these files, and the
//! runtime's module is gravelc's own affair: a file that names one of them would end the next build. So once the compiler has ended,
//! the sources stand in the place of their copies, and the module is taken out.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::compile_command::{CompileCommand, Stage};
use crate::cli::Failure;

/// Options with which the compiler writes such a file beside its output.
const ASKING: [&str; 2] = ["-MD", "-MMD"];

/// Has the files that the command wrote, if it was to write some, name the sources in the place of their `replacements`, with the
/// files whose text was `written_out` in each of these, and nothing in the folder of the runtime's `module`.
///
/// # Errors
/// A file can't be written.
pub(super) fn correct(
    command: &CompileCommand,
    replacements: &[PathBuf],
    written_out: &[Vec<PathBuf>],
    module: Option<&Path>,
) -> Result<(), Failure> {
    let places = places(command);
    if places.is_empty() {
        return Ok(());
    }
    let sources = command.sources();
    let renamed: Vec<(Vec<u8>, Vec<u8>)> = replacements
        .iter()
        .zip(&sources)
        .enumerate()
        .filter(|(_, (replacement, source))| replacement != source)
        .map(|(index, (replacement, source))| {
            let mut files = vec![source.clone()];
            files.extend(written_out.get(index).into_iter().flatten().cloned());
            let mut known = BTreeSet::new();
            files.retain(|file| known.insert(file.clone()));
            let words: Vec<Vec<u8>> = files.iter().map(|file| quoted(file)).collect();
            (quoted(replacement), words.join(&b' '))
        })
        .collect();
    let module = module.map(|folder| quoted(&folder.join("")));
    let meant = |word: &[u8]| -> Option<Vec<u8>> {
        let other = renamed.iter().find(|(written, _)| written == word).map(|(_, source)| source.clone());
        let is_module = module.as_ref().is_some_and(|folder| word.starts_with(folder));
        other.or_else(|| is_module.then(Vec::new))
    };
    // What is no file (a pipe, the terminal) is gone already.
    for place in places.iter().filter(|place| place.is_file()) {
        let Ok(text) = fs::read(place) else { continue };
        let corrected = with_words(&text, meant);
        if corrected != text {
            fs::write(place, corrected)
                .map_err(|error| Failure::input(format!("cannot name the sources in {}: {error}", place.display())))?;
        }
    }
    Ok(())
}

/// Where the command may write such files; none if it is not asked to.
fn places(command: &CompileCommand) -> Vec<PathBuf> {
    let arguments = command.arguments();
    let mut is_asked = false;
    let mut places = Vec::new();
    let mut output = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if let Some(words) = text.strip_prefix("-Wp,") {
            // For the preprocessor `-MD` has the file as its value.
            let words: Vec<&str> = words.split(',').collect();
            let named = words.windows(2).filter(|pair| ASKING.contains(&pair[0]) || pair[0] == "-MF");
            places.extend(named.map(|pair| PathBuf::from(pair[1])));
            is_asked |= words.iter().any(|word| ASKING.contains(word));
        } else if ASKING.contains(&text.as_ref()) {
            is_asked = true;
        } else if text == "-MF" {
            places.extend(rest.next().map(PathBuf::from));
        } else if let Some(file) = text.strip_prefix("-MF") {
            places.push(PathBuf::from(file));
        } else if text == "-o" {
            output = rest.next().map(PathBuf::from);
        } else if let Some(file) = text.strip_prefix("-o").filter(|file| !file.is_empty()) {
            output = Some(PathBuf::from(file));
        }
    }
    if !is_asked {
        return Vec::new();
    }
    for source in command.sources() {
        let own = PathBuf::from(source.file_stem().unwrap_or_default());
        // A command that links names a file after its program and the source, some compilers after either.
        let program = match command.stage() {
            Stage::Link => Some(output.clone().unwrap_or_else(|| PathBuf::from("a"))),
            Stage::Compile | Stage::Other => None,
        };
        places.extend(program.map(|program| {
            let mut name = program.into_os_string();
            name.push("-");
            name.push(&own);
            with_ending(PathBuf::from(name))
        }));
        places.push(with_ending(own));
    }
    places.extend(output.map(|output| output.with_extension("d")));
    places.sort();
    places.dedup();
    places
}

fn with_ending(name: PathBuf) -> PathBuf {
    let mut name = OsString::from(name);
    name.push(".d");
    PathBuf::from(name)
}

/// The path as compilers write it into a rule: a backslash in front of blanks (and of backslashes in front of these) and of
/// number signs, dollar signs twice.
fn quoted(path: &Path) -> Vec<u8> {
    let mut written = Vec::new();
    let mut backslashes = 0;
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b' ' | b'\t' => {
                written.extend(std::iter::repeat_n(b'\\', backslashes));
                written.push(b'\\');
            }
            b'$' => written.push(b'$'),
            b'#' => written.push(b'\\'),
            _ => {}
        }
        backslashes = if byte == b'\\' { backslashes + 1 } else { 0 };
        written.push(byte);
    }
    written
}

/// The rules with each word for which `meant` knows another one replaced by that; a rule for nothing goes.
fn with_words(text: &[u8], meant: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut written = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let end = end_of_word(text, position);
        let word = &text[position..end];
        // A rule without what it depends on, or the last of several targets.
        let target = word.strip_suffix(b":");
        match (meant(word), target.and_then(&meant)) {
            (Some(other), _) => written.extend(other),
            (None, Some(other)) if other.is_empty() => {}
            (None, Some(other)) => {
                written.extend(other);
                written.push(b':');
            }
            (None, None) => written.extend(word),
        }
        position = end;
        if let Some(&blank) = text.get(position).filter(|_| word.is_empty()) {
            written.push(blank);
            position += 1;
        }
    }
    written
}

/// Where the word ends that begins here: in front of a blank, or of a line that goes on.
fn end_of_word(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(byte) = text.get(end) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => break,
            b'\\' if matches!(text.get(end + 1), Some(b' ' | b'\t' | b'#' | b'\\')) => end += 2,
            _ => end += 1,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(arguments: &[&str]) -> CompileCommand {
        CompileCommand::new(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_file_has_the_name_that_the_command_gives_it() {
        let of = |arguments: &[&str]| -> Vec<String> {
            places(&command(arguments)).iter().map(|place| place.display().to_string()).collect()
        };
        assert_eq!(of(&["-c", "src/a.F90", "-o", "obj/a.o"]), [""; 0]);
        assert_eq!(of(&["-MD", "-c", "src/a.F90"]), ["a.d"]);
        assert_eq!(of(&["-MMD", "-c", "src/a.F90", "-o", "obj/b.o"]), ["a.d", "obj/b.d"]);
        assert_eq!(of(&["-MD", "-MF", "x.dep", "-MT", "y", "-c", "a.F90", "-oz.o"]), ["a.d", "x.dep", "z.d"]);
        assert_eq!(of(&["-Wp,-MMD,x.dep,-MT,y", "-c", "a.F90"]), ["a.d", "x.dep"]);
        assert_eq!(
            of(&["-MD", "-MFx.dep", "a.F90", "b.F90", "-o", "p"]),
            ["a.d", "b.d", "p-a.d", "p-b.d", "p.d", "x.dep"]
        );
    }

    #[test]
    fn words_are_replaced_as_a_whole() {
        let meant = |word: &[u8]| match word {
            b"/t/a.f90" => Some(b"a\\ b.f90".to_vec()),
            b"/m/gravel.mod" => Some(Vec::new()),
            _ => None,
        };
        let rules =
            b"a.o: /t/a.f90 \\\n /t/a.f90.inc /m/gravel.mod x/t/a.f90 \\\n c\\ d.inc\n/t/a.f90:\n/m/gravel.mod:\nx:\n";
        let expected = "a.o: a\\ b.f90 \\\n /t/a.f90.inc  x/t/a.f90 \\\n c\\ d.inc\na\\ b.f90:\n\nx:\n";
        assert_eq!(String::from_utf8(with_words(rules, meant)).unwrap(), expected);
        assert_eq!(quoted(Path::new("a b\\ c#$d")), b"a\\ b\\\\\\ c\\#$$d");
        assert_eq!(end_of_word(b"a\\ b\\#c d", 0), 7);
    }
}
