//! The value of `--report`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::Failure;
use crate::ir::Program;
use crate::plan::Plan;
use crate::report::{render_html, render_json, render_sarif, render_text};
use crate::transform;

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFormat {
    Text,
    Json,
    Sarif,
    Html,
}

/// One `--report FORMAT[=FILE]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub format: ReportFormat,
    /// Where it is written; `None` is standard output.
    pub file: Option<PathBuf>,
}

impl FromStr for ReportRequest {
    type Err = String;

    fn from_str(value: &str) -> Result<Self, String> {
        let (format, file) = match value.split_once('=') {
            Some((format, file)) => (format, Some(file)),
            None => (value, None),
        };
        let format = match format {
            "text" => ReportFormat::Text,
            "json" => ReportFormat::Json,
            "sarif" => ReportFormat::Sarif,
            "html" => ReportFormat::Html,
            _ => return Err("the formats are `text`, `json`, `sarif` and `html`".to_owned()),
        };
        match file {
            Some("") => Err(format!("the file name after `{value}` is missing")),
            file => Ok(Self { format, file: file.map(PathBuf::from) }),
        }
    }
}

impl ReportRequest {
    /// The file, unless it goes to standard output.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The report itself.
    pub fn render(&self, program: &Program, plan: &Plan, colour: bool) -> Result<String, Failure> {
        match self.format {
            ReportFormat::Text => Ok(render_text(program, plan, colour)),
            ReportFormat::Json => render_json(program, plan).map_err(Failure::bug),
            ReportFormat::Html => {
                // It depends on nothing else of what was selected.
                let planned = transform::as_planned(program, !plan.assumed.is_empty());
                Ok(render_html(program, &planned, plan))
            }
            ReportFormat::Sarif => render_sarif(program, plan).map_err(Failure::bug),
        }
    }
}

impl ReportFormat {
    fn name(self) -> &'static str {
        match self {
            ReportFormat::Text => "text",
            ReportFormat::Json => "json",
            ReportFormat::Sarif => "sarif",
            ReportFormat::Html => "html",
        }
    }
}

/// Refuses what would mix a document with other text on standard output.
pub(super) fn check_standard_output(requests: &[ReportRequest], diff: bool) -> Result<(), Failure> {
    let on_stdout = |request: &&ReportRequest| request.file.is_none();
    let writers = requests.iter().filter(on_stdout).count() + usize::from(diff);
    let document = requests.iter().filter(on_stdout).find(|request| request.format != ReportFormat::Text);
    match document {
        Some(ReportRequest { format, .. }) if writers > 1 => {
            let name = format.name();
            Err(Failure::input(format!("`--report {name}` cannot share standard output with other output"))
                .help(format!("write it to a file: `--report {name}=FILE`")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn reads_formats_with_and_without_a_file() {
        assert_eq!("text".parse(), Ok(ReportRequest { format: ReportFormat::Text, file: None }));
        assert_eq!(
            "json=a=b.json".parse(),
            Ok(ReportRequest { format: ReportFormat::Json, file: Some(PathBuf::from("a=b.json")) })
        );
        assert!("xml".parse::<ReportRequest>().is_err());
        assert!("json=".parse::<ReportRequest>().is_err());
    }

    #[test]
    fn json_has_standard_output_for_itself() {
        let text = ReportRequest { format: ReportFormat::Text, file: None };
        let json = ReportRequest { format: ReportFormat::Json, file: None };
        let json_file = ReportRequest { format: ReportFormat::Json, file: Some(PathBuf::from("r.json")) };
        assert!(check_standard_output(from_ref(&json), false).is_ok());
        assert!(check_standard_output(&[text.clone(), json_file], true).is_ok());
        assert!(check_standard_output(from_ref(&json), true).is_err());
        assert!(check_standard_output(&[text.clone(), json], false).is_err());
        let html = ReportRequest { format: ReportFormat::Html, file: None };
        let failure = check_standard_output(&[text, html], false).expect_err("a page is a document, too");
        assert!(failure.help_text().is_some_and(|help| help.contains("html=FILE")));
    }
}
