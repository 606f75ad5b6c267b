//! Trap programs: `traps/<name>.f90` or `.c`, each made so that one careless step of a transformation breaks it.
//!
//! The header of a trap says what would break, and what the report must say about the calls whose lines end with the
//! comment `! trapped` (in C `/* trapped */`). That the transformed program prints what the original prints is checked like for any other
//! program; the report is looked at because a wrong transformation may print the right thing by luck.

use std::path::{Path, PathBuf};

use crate::case::{entries, file_name, read};
use crate::directives::Directives;
use crate::gravelc::Gravelc;
use crate::report::{Report, Site, Status};
use crate::source_language::SourceLanguage;
use crate::stability::transform_stably;
use crate::workspace;

/// The reason of a site that only shares its class with one that is kept.
const CLASS_MEMBER_KEPT: &str = "class-member-kept";

/// What the report must say about the trapped calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// `kept [CODE ...]`: they stay as they are; for one of the reasons, if any are named, or because another member
    /// of their class does.
    Kept {
        /// Codes of reasons.
        reasons: Vec<String>,
    },
    /// `without NAME ...`: these transformations are not applied to them; others may be.
    Without {
        /// Names of transformations.
        transformations: Vec<String>,
    },
    /// `in-place`: they stay as they are, or convert where they stand; nothing of them moves.
    InPlace,
    /// `handled`: they may be transformed, if the program prints the same.
    Handled,
}

impl Expectation {
    /// Reads the value of the directive `expect`.
    ///
    /// # Errors
    ///
    /// A message, if it is none of the three.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().map(str::to_owned);
        let first = words.next();
        let rest: Vec<String> = words.collect();
        match first.as_deref() {
            Some("kept") => Ok(Self::Kept { reasons: rest }),
            Some("without") if !rest.is_empty() => Ok(Self::Without { transformations: rest }),
            Some("in-place") if rest.is_empty() => Ok(Self::InPlace),
            Some("handled") if rest.is_empty() => Ok(Self::Handled),
            _ => Err(format!(
                "`{text}` is no expectation: `kept [CODE ...]`, `without NAME ...`, `in-place` or `handled`"
            )),
        }
    }

    /// Does the report about the trapped calls, at these lines, say what it must?
    ///
    /// # Errors
    ///
    /// What it says instead.
    pub fn check(&self, lines: &[usize], report: &Report) -> Result<(), String> {
        let trapped: Vec<&Site> = report.sites.iter().filter(|site| lines.contains(&site.line)).collect();
        if trapped.is_empty() {
            return Err(format!("the report does not name any of the trapped calls (lines {lines:?})"));
        }
        trapped.into_iter().try_for_each(|site| self.check_site(site))
    }

    fn check_site(&self, site: &Site) -> Result<(), String> {
        let place = format!("{} at line {}", site.call, site.line);
        match self {
            Self::Kept { .. } if site.status == Status::Transformed => Err(format!("{place} is transformed")),
            Self::Kept { reasons } if !reasons.is_empty() => match &site.reason {
                Some(reason) if reason.code == CLASS_MEMBER_KEPT || reasons.contains(&reason.code) => Ok(()),
                Some(reason) => Err(format!("{place} is kept for another reason: {}", reason.code)),
                None => Err(format!("{place} is kept without a reason")),
            },
            Self::Without { transformations } => {
                match site.actions.iter().find(|action| transformations.contains(&action.transformation)) {
                    Some(action) => Err(format!("{place}: {} is applied", action.transformation)),
                    None => Ok(()),
                }
            }
            Self::InPlace => match site.actions.first() {
                Some(action) => Err(format!("{place}: {} is applied", action.transformation)),
                None => Ok(()),
            },
            Self::Kept { .. } | Self::Handled => Ok(()),
        }
    }
}

/// A trap program.
#[derive(Debug, Clone)]
pub struct Trap {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// What the report must say.
    pub expectation: Expectation,
    /// The lines of the trapped calls, from 1.
    pub lines: Vec<usize>,
}

impl Trap {
    /// All of them, sorted by name. Files without an expectation (companions of others) are none.
    ///
    /// # Errors
    ///
    /// A message with the path, if a file can't be read or its header is wrong.
    pub fn all() -> Result<Vec<Self>, String> {
        let mut traps = Vec::new();
        for file in entries(&workspace::package().join("traps"))? {
            let source = read(&file)?;
            let language = SourceLanguage::of(&file);
            let wrong = |problem: String| format!("{}: {problem}", file.display());
            let directives = Directives::of_source(&source, language).map_err(|error| wrong(error.to_string()))?;
            let Some(expectation) = directives.expectation else { continue };
            let expectation = Expectation::parse(&expectation).map_err(wrong)?;
            let lines = marked_lines(&source, language.mark_of_traps());
            if lines.is_empty() {
                return Err(wrong(format!("no call is marked with `{}`", language.mark_of_traps())));
            }
            let name = file_name(&file.with_extension(""));
            traps.push(Self { name, file, expectation, lines });
        }
        Ok(traps)
    }

    /// Transforms the trap into a folder and looks at the report.
    ///
    /// # Errors
    ///
    /// What the report says instead of what it must.
    pub fn check(&self, gravelc: &Gravelc, destination: &Path) -> Result<Report, String> {
        let report = transform_stably(gravelc, &self.file, destination)?.report;
        self.expectation.check(&self.lines, &report)?;
        Ok(report)
    }
}

fn marked_lines(source: &[u8], mark: &str) -> Vec<usize> {
    let source = String::from_utf8_lossy(source);
    source.lines().enumerate().filter(|(_, line)| line.trim_end().ends_with(mark)).map(|(index, _)| index + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let text = r#"{"gravelc_version": "1", "classes": [], "unread": [], "sites": [
            {"file": "a", "line": 3, "call": "mpi_send", "status": "transformed", "reason": null, "class": 1,
             "actions": [{"transformation": "sink-wait", "text": "waited for at line 9"}]},
            {"file": "a", "line": 5, "call": "mpi_recv", "status": "kept", "class": 2, "actions": [],
             "reason": {"code": "wildcard", "message": "from anybody", "file": null, "line": null}}]}"#;
        serde_json::from_str(text).expect("it is a report")
    }

    fn check(expectation: &str, lines: &[usize]) -> Result<(), String> {
        Expectation::parse(expectation).expect("it is an expectation").check(lines, &report())
    }

    #[test]
    fn kept_means_not_transformed_and_for_that_reason() {
        assert_eq!(check("kept", &[5]), Ok(()));
        assert_eq!(check("kept any-tag wildcard", &[5]), Ok(()));
        assert!(check("kept any-tag", &[5]).is_err_and(|message| message.contains("wildcard")));
        assert!(check("kept", &[3, 5]).is_err_and(|message| message.contains("mpi_send at line 3")));
    }

    #[test]
    fn without_names_what_must_not_be_done() {
        assert_eq!(check("without strip-mine-producer", &[3, 5]), Ok(()));
        assert!(check("without hoist-receive sink-wait", &[3]).is_err_and(|message| message.contains("sink-wait")));
    }

    #[test]
    fn in_place_means_that_nothing_moves() {
        assert_eq!(check("in-place", &[5]), Ok(()));
        assert!(check("in-place", &[3]).is_err_and(|message| message.contains("sink-wait")));
    }

    #[test]
    fn a_report_that_does_not_know_the_calls_proves_nothing() {
        assert!(check("handled", &[4]).is_err());
        assert_eq!(check("handled", &[3, 4]), Ok(()));
    }

    #[test]
    fn other_expectations_are_refused() {
        for text in ["", "fine", "without", "in-place only", "handled somehow"] {
            assert!(Expectation::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn finds_the_marked_lines() {
        assert_eq!(marked_lines(b"a\ncall x ! trapped \n! trapped calls\nb\xff ! trapped", "! trapped"), [2, 4]);
    }
}
