//! `gravelc explain`: the page about a reason code.

use std::fmt::Write as _;

use super::{Exit, Failure, diagnostics};
use crate::plan::{DIRECTIVES, ReasonCode};

const EXAMPLES: &str = "\
Examples:
  gravelc explain wildcard
  gravelc explain directives    what comments in the source can ask for
  gravelc explain --list";

/// Print what a reason code of the report means, with an example and what you can do
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The code, as the report shows it in brackets, or `directives`
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,
    /// List all codes, each with one sentence
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let text = match &arguments.code {
        Some(code) if code.trim().eq_ignore_ascii_case("directives") => DIRECTIVES.to_owned(),
        Some(code) => find(code)?.explanation().to_owned(),
        None => list(),
    };
    diagnostics::write_to_stdout(text.as_bytes())?;
    Ok(Exit::Done)
}

/// The reason called `code`; brackets around it, as the report prints them, are allowed.
fn find(code: &str) -> Result<ReasonCode, Failure> {
    let name = code.trim().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    ReasonCode::find(&name).ok_or_else(|| {
        let codes: Vec<&str> = ReasonCode::ALL.iter().map(|reason| reason.code()).collect();
        let near = similar::get_close_matches(name.as_str(), &codes, 3, 0.5);
        let help = if near.is_empty() {
            "`gravelc explain --list` shows all codes".to_owned()
        } else {
            format!("did you mean `{}`? `gravelc explain --list` shows all codes", near.join("`, `"))
        };
        Failure::input(format!("there is no reason code `{code}`")).help(help)
    })
}

fn list() -> String {
    let width = ReasonCode::ALL.iter().map(|reason| reason.code().len()).max().unwrap_or(0);
    let mut text = String::new();
    for reason in ReasonCode::ALL {
        writeln!(text, "{:width$}  {}", reason.code(), reason.summary()).expect("writing to a String cannot fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_parts() {
        for reason in ReasonCode::ALL {
            let (code, page) = (reason.code(), reason.explanation());
            assert_eq!(page.lines().next(), Some(format!("# {code}").as_str()), "title of {code}");
            let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
            assert_eq!(headings, ["## Example", "## What you can do"], "headings of {code}");

            let (meaning, rest) = page.split_once("## Example").expect("the heading was seen");
            let (example, advice) = rest.split_once("## What you can do").expect("the heading was seen");
            assert!(meaning.len() > 150, "{code} says too little about what it means");
            assert_eq!(example.matches("```").count(), 2, "{code} has one fenced example");
            let is_code = ["```fortran\n", "```c\n", "```rust\n"].iter().any(|fence| example.contains(fence));
            assert!(is_code, "the example of {code} is a program");
            assert!(advice.trim().len() > 40, "{code} says too little about what to do");
            assert!(page.ends_with('\n') && !page.ends_with("\n\n"), "{code} ends with one line feed");
        }
    }

    #[test]
    fn the_list_has_one_short_sentence_for_each_code() {
        let list = list();
        assert_eq!(list.lines().count(), ReasonCode::ALL.len());
        for (line, reason) in list.lines().zip(ReasonCode::ALL) {
            assert!(line.starts_with(reason.code()), "{line}");
            assert!(line.ends_with('.') && line.len() <= 120, "{} characters: {line}", line.len());
        }
    }

    #[test]
    fn pages_speak_only_of_codes_that_exist() {
        for reason in ReasonCode::ALL {
            for part in reason.explanation().split("gravelc explain ").skip(1) {
                let code: String = part.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
                let is_page = ReasonCode::find(&code).is_some() || code == "directives";
                assert!(is_page, "{} names `{code}`", reason.code());
            }
        }
    }

    #[test]
    fn an_unknown_code_brings_suggestions() {
        assert_eq!(find("[wildcard]").ok(), Some(ReasonCode::Wildcard));
        let failure = find("wildcart").expect_err("it is misspelt");
        assert!(failure.help_text().is_some_and(|help| help.contains("`wildcard`")));
        let failure = find("xyzzy").expect_err("it is nonsense");
        assert!(failure.help_text().is_some_and(|help| help.contains("--list")));
    }
}
