//! The statements that gravelc sees in a preprocessed file are those that gfortran's preprocessor leaves of it.

mod macros;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gravelc::frontend::{FrontendOptions, LiveStatements, Macro, Macros, live_statements};

use crate::command::CommandLine;
use crate::damaged_programs::corpus;
use crate::damaged_programs::damage::{damaged, spliced};
use crate::process::{self, Ending};
use crate::side_by_side::check_each;
use crate::tally::Tally;

/// The compiler whose preprocessor decides.
const COMPILER: &str = "gfortran";
/// How long it may take, on a machine that is busy.
const LIMIT: Duration = Duration::from_secs(60);
/// Programs between two looks at the time.
const TOGETHER: u64 = 128;
/// Of many damaged files one in so many at least must be compared: others have conditions that are not decided, or are refused.
const LEAST_COMPARED: usize = 4;
/// For so many damaged programs there is one text of macros.
const PROGRAMS_PER_TEXT: u64 = 4;

/// How many damaged programs, and which.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The number of the first one.
    pub seed: u64,
    /// How many.
    pub programs: u64,
    /// None begins when so much time is over.
    pub limit: Duration,
}

/// What comes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The statements are the same.
    Same,
    /// The compiler refuses it, or it has a condition that is not decided.
    NotCompared,
}

impl Comparison {
    /// Compares all programs of the corpus as they are, then damaged ones, in this folder.
    pub fn run(&self, folder: &Path, tally: &mut Tally) {
        let (corpus, macros) = match (corpus::all(), macros_of_compiler(folder)) {
            (Ok(corpus), Ok(macros)) => (corpus, macros),
            (Err(message), _) | (_, Err(message)) => return tally.fail("preprocessing", message),
        };
        let [same, other] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        check_each(&corpus, tally, |program, tally| {
            let place = folder.join(program.name.replace('/', "-"));
            // What the others include.
            for (name, text) in program.files.iter().filter(|(name, _)| name.ends_with(".h")) {
                if let Err(message) = write(&place.join(name), text) {
                    tally.fail(&format!("{}: {name}", program.name), message);
                }
            }
            for (name, text) in &program.files {
                // Without what it includes the compiler refuses a file; the corpus holds sources and headers alone.
                let is_preprocessed = (name.ends_with(".F") || name.ends_with(".F90")) && has_included(text, program);
                match compare(&place, name, text, &macros) {
                    Ok(Outcome::NotCompared) if is_preprocessed => {
                        tally.fail(&format!("{}: {name}", program.name), "its conditions are not decided");
                    }
                    result => tally.check(&format!("{}: {name}", program.name), result.map(|_| ())),
                }
            }
            let _ = fs::remove_dir_all(place);
        });
        let began = Instant::now();
        let end = self.seed + self.programs;
        let mut next = self.seed;
        while next < end && began.elapsed() < self.limit {
            let numbers: Vec<u64> = (next..end.min(next + TOGETHER)).collect();
            check_each(&numbers, tally, |&number, tally| {
                let place = folder.join(number.to_string());
                let mut failed = false;
                for (name, text) in &spliced(number, &damaged(number, &corpus)).files {
                    let result = compare(&place, name, text, &macros);
                    match &result {
                        Ok(Outcome::Same) => drop(same.fetch_add(1, Ordering::Relaxed)),
                        Ok(Outcome::NotCompared) => drop(other.fetch_add(1, Ordering::Relaxed)),
                        Err(_) => failed = true,
                    }
                    let name = format!("damaged program {number}, {name} in {}", place.display());
                    tally.check(&name, result.map(|_| ()));
                }
                if !failed {
                    let _ = fs::remove_dir_all(place);
                }
            });
            next += numbers.len() as u64;
        }
        let [same, other] = [same, other].map(AtomicUsize::into_inner);
        println!("    {same} damaged files compared, {other} refused by {COMPILER} or not decided");
        tally.skip("preprocessing: the time was over", usize::try_from(end - next).unwrap_or(usize::MAX));
        self.compare_macros(folder, &macros, tally);
        if self.programs >= TOGETHER && same * LEAST_COMPARED < same + other {
            tally.fail("preprocessing", format!("only {same} damaged files could be compared"));
        }
    }
}

impl Comparison {
    /// Compares texts that are made of macros.
    fn compare_macros(&self, folder: &Path, known: &Macros, tally: &mut Tally) {
        let numbers: Vec<u64> = (self.seed..self.seed + self.programs / PROGRAMS_PER_TEXT).collect();
        let [same, other] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        check_each(&numbers, tally, |&number, tally| {
            let place = folder.join(format!("macros-{number}"));
            let result = compare(&place, "macros.F90", &macros::text(number), known);
            let counter = if matches!(result, Ok(Outcome::Same)) { &same } else { &other };
            counter.fetch_add(1, Ordering::Relaxed);
            if result.is_ok() {
                let _ = fs::remove_dir_all(&place);
            }
            tally.check(&format!("text of macros {number} in {}", place.display()), result.map(|_| ()));
        });
        let [same, other] = [same, other].map(AtomicUsize::into_inner);
        println!("    {same} texts of macros compared, {other} refused by {COMPILER}");
    }
}

/// Is all that the text includes among the program's files?
fn has_included(text: &[u8], program: &corpus::Program) -> bool {
    let text = String::from_utf8_lossy(text);
    let mut included = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.split('"').next());
    included.all(|name| program.files.iter().any(|(known, _)| known == name))
}

/// The macros that the compiler defines itself.
fn macros_of_compiler(folder: &Path) -> Result<Macros, String> {
    let path = folder.join("nothing.F90");
    write(&path, b"\n")?;
    let list = preprocessed(&path, &["-dM"])?.ok_or_else(|| format!("{COMPILER} does not list its macros"))?;
    let list = String::from_utf8_lossy(&list).into_owned();
    let known: BTreeMap<String, Macro> =
        list.lines().filter_map(|line| line.strip_prefix("#define ")).map(Macro::directive).collect();
    Ok(Macros { known, complete: true, lists_those_of_compiler: true, ..Macros::default() })
}

fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// What the compiler's preprocessor makes of the file; nothing if it finds an error, or no end: macros that call one another can
/// keep it for ever.
fn preprocessed(path: &Path, flags: &[&str]) -> Result<Option<Vec<u8>>, String> {
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new("."));
    let command = CommandLine::new(COMPILER).args(["-E", "-cpp", "-w"]).args(flags).arg(name).in_folder(folder);
    let finished = process::run(&command, LIMIT).map_err(|error| error.to_string())?;
    match finished.ending {
        Ending::Exit(0) => Ok(Some(finished.stdout)),
        Ending::Exit(_) | Ending::TimeLimit(_) => Ok(None),
        ending => Err(format!("{COMPILER} on {}: {ending}", path.display())),
    }
}

/// Compares what gravelc sees in a file, whatever its name says, with what the compiler's preprocessor leaves of it.
fn compare(folder: &Path, name: &str, text: &[u8], macros: &Macros) -> Result<Outcome, String> {
    let is_fixed = [".f", ".F", ".for", ".ftn"].iter().any(|ending| name.ends_with(ending));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let path: PathBuf = folder.join(format!("{stem}.{}", if is_fixed { "F" } else { "F90" }));
    let says_lines = |line: &[u8]| {
        let rest = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start).unwrap_or_default();
        rest.first().is_some_and(u8::is_ascii_digit) || rest.starts_with(b"line")
    };
    // One from which parts of the output could not be told apart.
    if text.split(|&byte| byte == b'\n' || byte == b'\r').any(says_lines) {
        return Ok(Outcome::NotCompared);
    }
    write(&path, text)?;
    let options = FrontendOptions { macros: macros.clone(), ..FrontendOptions::default() };
    // What is no text is read by neither.
    let Ok(mut seen) = live_statements(&path, text.to_vec(), &options) else { return Ok(Outcome::NotCompared) };
    seen.statements.iter_mut().flatten().for_each(|token| *token = without_line_ends(token));
    let Some(output) = preprocessed(&path, &[])? else { return Ok(Outcome::NotCompared) };
    let left = without_included(&output, &path.file_name().unwrap_or_default().to_string_lossy());
    let options = FrontendOptions { preprocesses: Some(false), ..FrontendOptions::default() };
    let Ok(mut left) = live_statements(&path, left, &options) else {
        return if seen.statements.is_empty() { Ok(Outcome::Same) } else { Ok(Outcome::NotCompared) };
    };
    left.statements.iter_mut().flatten().for_each(|token| *token = without_line_ends(token));
    if !seen.is_decided {
        return Ok(Outcome::NotCompared);
    }
    first_difference(&seen, &left).map_or(Ok(Outcome::Same), Err)
}

/// A token without the blanks at the ends of its lines, and without empty ones: the preprocessor drops carriage returns, gravelc
/// makes blanks of them; and joined lines leave other empty ones behind.
fn without_line_ends(token: &[u8]) -> Vec<u8> {
    let lines = token.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(&b'\n')
}

/// The lines of the output that come from the file itself: without line markers and what is included.
fn without_included(output: &[u8], name: &str) -> Vec<u8> {
    let own = format!("\"{name}\"").into_bytes();
    let mut is_own = true;
    let mut left = Vec::new();
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        let is_marker = line.strip_prefix(b"# ").and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit);
        if is_marker {
            is_own = line.windows(own.len()).any(|window| window == own);
        } else if is_own {
            left.extend_from_slice(line);
        }
    }
    left
}

/// The first statement that is another one. One that names a macro may have become any one statement.
fn first_difference(seen: &LiveStatements, left: &LiveStatements) -> Option<String> {
    let shown = |statement: Option<&Vec<Vec<u8>>>| {
        statement.map_or("nothing".to_string(), |tokens| String::from_utf8_lossy(&tokens.join(&b' ')).into_owned())
    };
    let count = seen.statements.len().max(left.statements.len());
    (0..count).find_map(|number| {
        let (ours, theirs) = (seen.statements.get(number), left.statements.get(number));
        let is_begun = || match (ours, theirs) {
            (Some(ours), Some(theirs)) => seen.incomplete.contains(&number) && theirs.starts_with(ours),
            _ => false,
        };
        let are_same = ours == theirs || seen.with_macros.contains(&number) && theirs.is_some() || is_begun();
        (!are_same)
            .then(|| format!("statement {number} is `{}` to gravelc, `{}` to {COMPILER}", shown(ours), shown(theirs)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_macros_are_read_as_the_compiler_reads_them() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let known = macros_of_compiler(folder.path()).expect("the compiler lists its macros");
        let mut tally = Tally::default();
        Comparison { seed: 1, programs: 60 * PROGRAMS_PER_TEXT, limit: LIMIT }.compare_macros(
            folder.path(),
            &known,
            &mut tally,
        );
        assert!(tally.is_clean(), "{tally}");
    }
}
