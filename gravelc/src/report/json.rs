//! The report for tools: one JSON document.
//!
//! The names and the meaning of the fields are an interface: fields may be added, none is renamed or removed. A field
//! that has no value is `null`, never left out. Lines count from 1; paths are as the user gave them.

use serde::Serialize;

use crate::ir::{Program, Span};
use crate::plan::{Assertion, ClassId, Decision, MatchClass, Missed, Outcome, Plan, Reason, Site};

/// The whole report.
#[derive(Debug, Serialize)]
pub struct JsonReport {
    /// The version of gravelc that wrote it.
    pub gravelc_version: &'static str,
    /// The communication sites, in source order.
    pub sites: Vec<JsonSite>,
    /// The match classes.
    pub classes: Vec<JsonClass>,
    /// What could not be read.
    pub unread: Vec<JsonUnread>,
    /// What directives assert and nothing has proven.
    pub asserted: Vec<JsonAssertion>,
    /// What is believed of calls that were not given: which names of the procedures that they may reach are different memory.
    pub believed: Vec<JsonAssertion>,
    /// What leads out of the given files, so that others could call their procedures and set their variables.
    pub openings: Vec<JsonOpening>,
    /// Procedures and modules that were not given and keep out of communication as `--closed` says, each as a phrase.
    pub assumed: Vec<String>,
    /// Calls of MPI in the text that were not understood, and are no sites.
    pub missed_calls: Vec<JsonMember>,
    /// The flag of the build with which results agree up to rounding only, if there is one.
    pub rounding: Option<String>,
}

/// A call of MPI and what happens to it.
#[derive(Debug, Serialize)]
pub struct JsonSite {
    /// The file.
    pub file: String,
    /// The line at which the call begins.
    pub line: usize,
    /// The routine, in lower case.
    pub call: String,
    /// `transformed` or `kept`.
    pub status: &'static str,
    /// What was gained; empty for a kept site.
    pub actions: Vec<JsonAction>,
    /// What could not be applied; empty for a kept site.
    pub missed: Vec<JsonMissed>,
    /// How the data travels; `null` for a kept site.
    pub protocol: Option<&'static str>,
    /// Why it is kept; `null` for a transformed site.
    pub reason: Option<JsonReason>,
    /// The `id` of its match class; `null` where it takes part in none.
    pub class: Option<usize>,
}

/// Something gained at a site.
#[derive(Debug, Serialize)]
pub struct JsonAction {
    /// The name of the transformation.
    pub transformation: &'static str,
    /// What it did, as a phrase.
    pub text: String,
}

/// A transformation that could not be applied.
#[derive(Debug, Serialize)]
pub struct JsonMissed {
    /// The name of the transformation.
    pub transformation: &'static str,
    /// Why.
    #[serde(flatten)]
    pub reason: JsonReason,
}

/// Why something was left alone.
#[derive(Debug, Serialize)]
pub struct JsonReason {
    /// The code that `gravelc explain` knows.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// The file of what stands in the way; `null` if it has no single place.
    pub file: Option<String>,
    /// The line of what stands in the way; `null` if it has no single place.
    pub line: Option<usize>,
}

/// Sends and receives that could match one another.
#[derive(Debug, Serialize)]
pub struct JsonClass {
    /// Its number, from 1.
    pub id: usize,
    /// What its members have in common, for people.
    pub description: String,
    /// `transformed` or `kept`.
    pub status: &'static str,
    /// The sites.
    pub members: Vec<JsonMember>,
    /// Why it is kept; `null` for a transformed class.
    pub reason: Option<JsonReason>,
}

/// A site of a match class.
#[derive(Debug, Serialize)]
pub struct JsonMember {
    /// The file.
    pub file: String,
    /// The line at which the call begins.
    pub line: usize,
    /// The routine, in lower case.
    pub call: String,
}

/// Source text that could not be read; gravelc assumes the worst of it.
#[derive(Debug, Serialize)]
pub struct JsonUnread {
    /// The file.
    pub file: String,
    /// The line at which it begins.
    pub line: usize,
    /// Why it could not be read.
    pub message: String,
}

/// Something that a directive asserts.
#[derive(Debug, Serialize)]
pub struct JsonAssertion {
    /// The file.
    pub file: String,
    /// The line of the directive, or of the procedure.
    pub line: usize,
    /// What it says.
    pub text: String,
}

/// Something that leads out of the given files.
#[derive(Debug, Serialize)]
pub struct JsonOpening {
    /// What it is.
    pub message: String,
    /// Where it is, in source order; empty if it is something that the files lack.
    pub places: Vec<JsonPlace>,
}

/// A line of the source.
#[derive(Debug, Serialize)]
pub struct JsonPlace {
    /// The file.
    pub file: String,
    /// The line.
    pub line: usize,
}

impl JsonReport {
    /// The report about `plan` for `program`.
    pub fn new(program: &Program, plan: &Plan) -> Self {
        let unread = program.files.iter().flat_map(|file| &file.unread).map(|(span, message)| JsonUnread {
            file: path_of(program, *span),
            line: program.line(*span),
            message: message.clone(),
        });
        let assertion = |assertion: &Assertion| JsonAssertion {
            file: path_of(program, assertion.span),
            line: program.line(assertion.span),
            text: assertion.text.clone(),
        };
        let missed_calls = program.missed_calls.iter().map(|call| JsonMember {
            file: call.path.display().to_string(),
            line: call.line,
            call: call.routine.clone(),
        });
        let place = |span: &Span| JsonPlace { file: path_of(program, *span), line: program.line(*span) };
        let openings = plan.openings.iter().map(|opening| JsonOpening {
            message: opening.why.clone(),
            places: opening.places.iter().map(place).collect(),
        });
        Self {
            gravelc_version: env!("CARGO_PKG_VERSION"),
            sites: plan.decisions.iter().map(|decision| json_site(program, decision)).collect(),
            classes: plan.classes.iter().enumerate().map(|(index, class)| json_class(program, index, class)).collect(),
            unread: unread.collect(),
            asserted: plan.asserted.iter().map(assertion).collect(),
            believed: plan.believed.iter().map(assertion).collect(),
            openings: openings.collect(),
            assumed: plan.assumed.clone(),
            missed_calls: missed_calls.collect(),
            rounding: plan.rounding.clone(),
        }
    }
}

/// The report about `plan` for `program` as JSON text that ends with a line feed.
///
/// # Errors
///
/// Only if the serializer fails, which its data gives no cause for: a bug.
pub fn render_json(program: &Program, plan: &Plan) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&JsonReport::new(program, plan))?;
    text.push('\n');
    Ok(text)
}

fn json_site(program: &Program, decision: &Decision) -> JsonSite {
    let JsonMember { file, line, call } = json_member(program, &decision.site);
    let class = decision.class.map(class_number);
    match &decision.outcome {
        Outcome::Transformed { protocol, actions, missed, .. } => JsonSite {
            file,
            line,
            call,
            status: "transformed",
            actions: actions
                .iter()
                .map(|action| JsonAction { transformation: action.transformation.name(), text: action.text.clone() })
                .collect(),
            missed: missed.iter().map(|missed| json_missed(program, missed)).collect(),
            protocol: Some(protocol.name()),
            reason: None,
            class,
        },
        Outcome::Kept { reason, missed } => JsonSite {
            file,
            line,
            call,
            status: "kept",
            actions: Vec::new(),
            missed: missed.iter().map(|missed| json_missed(program, missed)).collect(),
            protocol: None,
            reason: Some(json_reason(program, reason)),
            class,
        },
    }
}

fn json_class(program: &Program, index: usize, class: &MatchClass) -> JsonClass {
    JsonClass {
        id: class_number(ClassId(index)),
        description: class.description.clone(),
        status: if class.kept.is_some() { "kept" } else { "transformed" },
        members: class.members.iter().map(|site| json_member(program, site)).collect(),
        reason: class.kept.as_ref().map(|reason| json_reason(program, reason)),
    }
}

fn json_member(program: &Program, site: &Site) -> JsonMember {
    JsonMember { file: site.path(program).display().to_string(), line: site.line, call: site.routine.clone() }
}

fn json_missed(program: &Program, missed: &Missed) -> JsonMissed {
    JsonMissed { transformation: missed.transformation.name(), reason: json_reason(program, &missed.reason) }
}

fn json_reason(program: &Program, reason: &Reason) -> JsonReason {
    JsonReason {
        code: reason.code.code(),
        message: reason.message.clone(),
        file: reason.span.map(|span| path_of(program, span)),
        line: reason.span.map(|span| program.line(span)),
    }
}

fn path_of(program: &Program, span: Span) -> String {
    program.path_of(span).display().to_string()
}

/// The number of a class in every report.
pub(super) fn class_number(class: ClassId) -> usize {
    class.0 + 1
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn is_what_tools_rely_on() {
        let (program, plan) = fixture::program_and_plan();
        let text = render_json(&program, &plan).expect("the fixture can be serialized");
        let expected = include_str!("testdata/report.json").replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        assert_eq!(text, expected);
    }

    #[test]
    fn of_nothing_has_all_its_fields() {
        let text = render_json(&Program::default(), &Plan::default()).expect("an empty plan can be serialized");
        let value: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
        for field in ["sites", "classes", "unread", "asserted", "believed", "openings", "assumed"] {
            assert_eq!(value[field], serde_json::json!([]), "{field}");
        }
    }
}
