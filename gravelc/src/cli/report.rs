//! `gravelc report`: a page about what the macros of a Rust program have done.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Exit, Failure, destinations, diagnostics};
use crate::plan::{Decision, Position};
use crate::report::{FunctionReport, Totals, joined, render_html_of_functions};

const EXAMPLES: &str = "\
Examples:
  GRAVEL_REPORT=$PWD/report cargo build
  gravelc report report --html report.html";

/// Make a page of what `#[gravel::overlap]` has written into a folder, function by function
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The folder that `GRAVEL_REPORT` named when the program was built
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write the page to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let paths = files_in(&arguments.folder)?;
    let outputs: Vec<PathBuf> = arguments.html.iter().cloned().collect();
    destinations::check_distinct(&paths, &outputs)?;
    let reports: Result<Vec<FunctionReport>, Failure> = paths.iter().map(|path| read(path)).collect();
    let (program, plan) = joined(reports?);
    let page = render_html_of_functions(&program, &plan);
    match &arguments.html {
        None => diagnostics::write_to_stdout(page.as_bytes())?,
        Some(file) => {
            fs::write(file, page)
                .map_err(|error| Failure::input(format!("cannot write {}: {error}", file.display())))?;
            diagnostics::print_line(&Totals::of(&program, &plan).to_string());
        }
    }
    Ok(Exit::Done)
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cannot = |error| Failure::input(format!("cannot read the folder {}: {error}", folder.display()));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::input(format!("there are no reports in {}", folder.display()))
            .help("`GRAVEL_REPORT=DIR cargo build` writes one for each function that has `#[gravel::overlap]`")),
    }
}

fn read(path: &Path) -> Result<FunctionReport, Failure> {
    let text =
        fs::read_to_string(path).map_err(|error| Failure::input(format!("cannot read {}: {error}", path.display())))?;
    let report: FunctionReport = serde_json::from_str(&text)
        .map_err(|error| Failure::input(format!("{} is no report about a function: {error}", path.display())))?;
    let own = env!("CARGO_PKG_VERSION");
    if report.gravelc_version != own {
        let message =
            format!("{} was written by version {}, and this is {own}", path.display(), report.gravelc_version);
        return Err(Failure::input(message).help("build the program again, into an empty folder"));
    }
    let is_in_range = |statement: usize| statement < report.statements.len();
    let of_decision = |decision: &Decision| {
        let places = decision.steps().iter().map(|step| match step.position {
            Position::Before(id) | Position::Replace(id) | Position::After(id) => id.0,
        });
        places.chain([decision.site.statement.0]).all(is_in_range)
    };
    match report.plan.decisions.iter().all(of_decision) {
        true => Ok(report),
        false => Err(Failure::input(format!("{} names statements that it does not have", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        assert!(files_in(folder.path()).is_err() && files_in(&path).is_err());
        let head =
            format!(r#"{{"gravelc_version":"{}","function":"f","file":"a.rs","text":"x""#, env!("CARGO_PKG_VERSION"));
        let site = r#"{"site":{"file":0,"line":1,"procedure":0,"statement":3,"routine":"send"},"class":null,
            "outcome":{"Kept":{"reason":{"code":"Wildcard","message":"","span":null},"missed":[]}}}"#;
        let plan = |decisions: &str| {
            format!(r#""plan":{{"decisions":[{decisions}],"classes":[],"attachments":[],"assumed":[]}}}}"#)
        };
        for (text, is_right) in [
            (format!(r#"{head},"statements":[[1,1]],{}"#, plan("")), true),
            (format!(r#"{head},"statements":[[1,1]],{}"#, plan(site)), false),
            (format!(r#"{head},"statements":"#), false),
            ("{}".to_owned(), false),
        ] {
            fs::write(&path, &text).expect("writing the file");
            assert_eq!(read(&path).is_ok(), is_right, "{text}");
        }
    }
}
