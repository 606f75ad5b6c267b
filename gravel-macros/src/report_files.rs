//! `GRAVEL_REPORT=DIR cargo build`: a file for each function, of which `gravelc report` makes a page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use gravelc::plan::{Plan, Reason, ReasonCode, Transformation};
use gravelc::report::FunctionReport;

use crate::emit::Moved;
use crate::frontend::Lowered;
use crate::moves::Half;

/// The folder that the environment asks for.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("GRAVEL_REPORT").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

/// Writes what was done to a function. What can't be written is said, and changes nothing else.
pub fn write(folder: &Path, function: &syn::ItemFn, lowered: &Lowered, plan: &Plan, moved: &[Moved]) {
    let span = function.sig.ident.span();
    // An editor's server knows no file, and asks for no report.
    let Some(path) = span.local_file() else { return };
    if let Err(why) = write_file(folder, &path, lowered, plan, moved) {
        eprintln!("{}: GRAVEL_REPORT: {why}", path.display());
    }
}

fn write_file(folder: &Path, path: &Path, lowered: &Lowered, plan: &Plan, moved: &[Moved]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read the file: {error}"))?;
    let report = report_of(path, text, lowered, plan, moved);
    let json = serde_json::to_string_pretty(&report).map_err(|error| format!("cannot write the report: {error}"))?;
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let file = folder.join(format!("{}.json", name_of(path, &report.function)));
    std::fs::write(&file, json).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The plan, less what did not fit into regions.
fn report_of(path: &Path, text: String, lowered: &Lowered, plan: &Plan, moved: &[Moved]) -> FunctionReport {
    let mut report = FunctionReport::new(path.to_owned(), text, &lowered.program, plan);
    for Moved { node, halves } in moved {
        let mut gained: BTreeSet<Transformation> = halves.iter().flat_map(Half::gained).collect();
        if !gained.is_empty() {
            gained.insert(Transformation::DecomposeAlltoall);
        }
        let stopped = halves.iter().find_map(|half| half.stopped.as_ref());
        let reason = stopped.map(|why| Reason::everywhere(why.code, why.text.clone()));
        report.keep_less(node.id.0, &gained, reason.as_ref());
    }
    for call in &lowered.unlowered {
        let code = ReasonCode::find(call.code).unwrap_or(ReasonCode::UnsupportedOperation);
        let message = call.message();
        report.add_kept(call.span.start().line, &call.name, Reason::everywhere(code, message));
    }
    report
}

/// A name for the report that no other one of this build has: functions of several blocks may have one name.
fn name_of(path: &Path, function: &str) -> String {
    static NAMES: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    let path: String = path.to_string_lossy().chars().map(letter).collect();
    let name = format!("{}-{function}", path.trim_matches('-'));
    let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    match *count {
        1 => name,
        number => format!("{name}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_have_names_of_their_own() {
        let path = Path::new("src/a b.rs");
        assert_eq!(name_of(path, "step"), "src-a-b-rs-step");
        assert_eq!(name_of(path, "step"), "src-a-b-rs-step-2");
    }
}
