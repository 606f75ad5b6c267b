//! The report for editors and code hosts: SARIF 2.1.0 (OASIS standard, "Static Analysis Results Interchange Format").
//!
//! The rules are the reason codes, with their pages as help texts, and the transformations. What was applied is a result
//! of kind `pass`, what was not applied at a transformed site is `informational`, and a site that stays as it is is a
//! `note` (the only ones that code hosts count). What stands in the way is a related location. Source that could not be
//! read is a notification of the run.

use std::collections::BTreeMap;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde::Serialize;

use super::json::class_number;
use crate::ir::{MissedCall, Program, Span};
use crate::plan::{
    Decision, Missed, Outcome, Plan, Position, Reason, ReasonCode, Site, Step, StepOperation, Transformation,
};

/// What need not be escaped in the path of a URI (RFC 3986, 2.3); a colon could end a scheme.
const ESCAPED_IN_PATHS: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The rule of a call that became a call of the runtime without having moved: the others of its class gain something.
const CONVERTED: &str = "converted";

/// The report about `plan` for `program` as a SARIF log that ends with a line feed.
///
/// Paths that were given relative stay relative: code hosts take them as relative to the repository's root. Columns count
/// characters, of which a byte that is not UTF-8 is one.
///
/// # Errors
///
/// Only if the serializer fails, which its data gives no cause for: a bug.
pub fn render_sarif(program: &Program, plan: &Plan) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(&log(program, plan))?;
    text.push('\n');
    Ok(text)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Text,
    help: Help,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
    locations: Vec<Location>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    properties: Properties,
}

/// What SARIF has no field for.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    call: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    match_class: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transformation: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
    snippet: Text,
}

fn log(program: &Program, plan: &Plan) -> Log {
    let rules = Rules::new();
    let report = SarifReport { program, rules: &rules };
    let results = plan.decisions.iter().flat_map(|decision| report.results(decision)).collect();
    let unread = program.files.iter().flat_map(|file| &file.unread).map(|(span, why)| Notification {
        level: "warning",
        message: Text { text: format!("source that could not be read, and is taken to do anything: {why}") },
        locations: vec![report.location(*span)],
    });
    let asserted = plan.asserted.iter().map(|assertion| Notification {
        level: "note",
        message: Text { text: format!("asserted by a directive, and not proven: {}", assertion.text) },
        locations: vec![report.location(assertion.span)],
    });
    let believed = plan.believed.iter().map(|belief| Notification {
        level: "note",
        message: Text { text: format!("believed, and not proven: {}", belief.text) },
        locations: vec![report.location(belief.span)],
    });
    let opened = plan.openings.iter().map(|opening| Notification {
        level: "note",
        message: Text { text: format!("leads out of the given files: {}", opening.why) },
        locations: opening.places.first().map(|span| report.location(*span)).into_iter().collect(),
    });
    let missed = MissedCall::describe(&program.missed_calls).map(|text| Notification {
        level: "warning",
        message: Text { text },
        locations: Vec::new(),
    });
    let rounding =
        plan.rounding_text().map(|text| Notification { level: "note", message: Text { text }, locations: Vec::new() });
    let invocation = Invocation {
        execution_successful: true,
        tool_execution_notifications: unread
            .chain(asserted)
            .chain(believed)
            .chain(opened)
            .chain(missed)
            .chain(rounding)
            .collect(),
    };
    Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            invocations: [invocation],
            column_kind: "unicodeCodePoints",
            results,
            tool: Tool {
                driver: Driver { name: "gravelc", semantic_version: env!("CARGO_PKG_VERSION"), rules: rules.list },
            },
        }],
    }
}

/// The rules, and where each is in their list.
struct Rules {
    list: Vec<Rule>,
    indices: BTreeMap<&'static str, usize>,
}

impl Rules {
    fn new() -> Self {
        let reasons = ReasonCode::ALL.iter().map(|reason| {
            let page = reason.explanation();
            rule(reason.code(), "note", &reason.summary(), page)
        });
        let applied = Transformation::ALL.iter().map(|transformation| {
            let text = transformation.summary();
            rule(transformation.name(), "none", text, &format!("# {}\n\n{text}\n", transformation.name()))
        });
        let text =
            "The call became a call of the runtime, in its place: other calls of its match class gain something.";
        let converted = rule(CONVERTED, "none", text, &format!("# {CONVERTED}\n\n{text}\n"));
        let list: Vec<Rule> = reasons.chain(applied).chain([converted]).collect();
        let indices = list.iter().enumerate().map(|(index, rule)| (rule.id, index)).collect();
        Self { list, indices }
    }
}

fn rule(id: &'static str, level: &'static str, sentence: &str, page: &str) -> Rule {
    Rule {
        id,
        short_description: Text { text: sentence.to_owned() },
        help: Help { text: page.to_owned(), markdown: page.to_owned() },
        default_configuration: Configuration { level },
    }
}

struct SarifReport<'a> {
    program: &'a Program,
    rules: &'a Rules,
}

impl SarifReport<'_> {
    /// One result for each transformation that was or was not applied; one where there is none of either.
    fn results(&self, decision: &Decision) -> Vec<SarifResult> {
        let site = &decision.site;
        let class = decision.class.map(class_number);
        let properties =
            Properties { call: site.routine.clone(), match_class: class, protocol: None, transformation: None };
        match &decision.outcome {
            Outcome::Kept { reason, missed } => {
                let message = format!("{} stays with MPI: {}", site.routine, reason.message);
                let places = self.in_the_way(reason);
                let kept = self.result(site, reason.code.code(), "fail", message, places, properties.clone());
                std::iter::once(kept).chain(self.missed(site, missed, &properties)).collect()
            }
            Outcome::Transformed { protocol, actions, missed, .. } => {
                let properties = Properties { protocol: Some(protocol.name()), ..properties };
                let mut results = Vec::new();
                for action in actions {
                    let name = action.transformation.name();
                    let message = format!("{} is {}", site.routine, action.text);
                    let properties = Properties { transformation: Some(name), ..properties.clone() };
                    let places = self.places(decision, action.transformation);
                    results.push(self.result(site, name, "pass", message, places, properties));
                }
                results.extend(self.missed(site, missed, &properties));
                if actions.is_empty() {
                    let message = format!("{} becomes a call of the runtime, in its place", site.routine);
                    results.insert(0, self.result(site, CONVERTED, "pass", message, Vec::new(), properties));
                }
                results
            }
        }
    }

    /// One result for each transformation that was tried in vain.
    fn missed(&self, site: &Site, missed: &[Missed], properties: &Properties) -> impl Iterator<Item = SarifResult> {
        missed.iter().map(|Missed { transformation, reason }| {
            let name = transformation.name();
            let message = format!("{} does not apply to {}: {}", name, site.routine, reason.message);
            let properties = Properties { transformation: Some(name), ..properties.clone() };
            self.result(site, reason.code.code(), "informational", message, self.in_the_way(reason), properties)
        })
    }

    fn result(
        &self,
        site: &Site,
        rule_id: &'static str,
        kind: &'static str,
        message: String,
        mut related_locations: Vec<Location>,
        properties: Properties,
    ) -> SarifResult {
        for (index, location) in related_locations.iter_mut().enumerate() {
            location.id = Some(index + 1);
        }
        let procedure = self.program.procedure(site.procedure);
        let mut location = self.location(procedure.statement(site.statement).span);
        location.logical_locations = vec![LogicalLocation { name: procedure.name.clone(), kind: "function" }];
        SarifResult {
            rule_id,
            rule_index: self.rules.indices.get(rule_id).copied().unwrap_or_default(),
            kind,
            // Only results of kind `fail` have a level (SARIF 2.1.0, 3.27.10).
            level: if kind == "fail" { "note" } else { "none" },
            message: Text { text: message },
            locations: [location],
            related_locations,
            properties,
        }
    }

    /// The text that stands in the way.
    fn in_the_way(&self, reason: &Reason) -> Vec<Location> {
        reason.span.map(|span| self.told(span, "this is in the way")).into_iter().collect()
    }

    /// Where what a transformation has moved is now.
    fn places(&self, decision: &Decision, transformation: Transformation) -> Vec<Location> {
        let place = |step: &Step, text: &str| {
            let (Position::Before(statement) | Position::Replace(statement) | Position::After(statement)) =
                step.position;
            // It may be in a procedure that calls the site's.
            self.told(self.program.procedure(step.procedure).statement(statement).span, text)
        };
        let moved = decision.steps().iter().filter_map(|step| {
            let text = match (transformation, &step.operation, step.position) {
                (
                    Transformation::HoistReceive,
                    StepOperation::PostReceive { .. } | StepOperation::PostReceiveOfCallee { .. },
                    Position::Before(_),
                ) => "posted before this",
                (Transformation::SinkWait, StepOperation::Wait { .. }, Position::After(_)) => "waited for after this",
                (Transformation::StripMineProducer, StepOperation::StripMine(_), _) => "cut into tiles",
                _ => return None,
            };
            Some(place(step, text))
        });
        moved.collect()
    }

    fn told(&self, span: Span, text: &str) -> Location {
        Location { message: Some(Text { text: text.to_owned() }), ..self.location(span) }
    }

    fn location(&self, span: Span) -> Location {
        let file = self.program.file(span.file);
        let end = span.end.min(file.text.len());
        let start = span.start.min(end);
        let column = |offset: usize| {
            let before = &file.text[file.line_start(offset)..offset];
            1 + String::from_utf8_lossy(before).chars().count()
        };
        let region = Region {
            start_line: file.line_of(start),
            start_column: column(start),
            end_line: file.line_of(end),
            end_column: column(end),
            snippet: Text { text: String::from_utf8_lossy(&file.text[start..end]).into_owned() },
        };
        let artifact_location = ArtifactLocation { uri: uri_of(file.path_of(start)) };
        let physical_location = PhysicalLocation { artifact_location, region };
        Location { id: None, physical_location, logical_locations: Vec::new(), message: None }
    }
}

/// The URI of a path: a relative reference if the path is relative.
fn uri_of(path: &Path) -> String {
    let path = path.strip_prefix(".").unwrap_or(path);
    let escaped = percent_encode(path.as_os_str().as_encoded_bytes(), &ESCAPED_IN_PATHS);
    if path.is_absolute() { format!("file://{escaped}") } else { escaped.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::ir::{ProcedureId, StatementId};

    fn sarif(program: &Program, plan: &Plan) -> serde_json::Value {
        let text = render_sarif(program, plan).expect("the plan can be serialized");
        serde_json::from_str(&text).expect("the report is JSON")
    }

    /// The messages of everything that the standard's schema forbids.
    fn violations(log: &serde_json::Value) -> Vec<String> {
        let mut schema: serde_json::Value =
            serde_json::from_str(include_str!("testdata/sarif-schema-2.1.0.json")).expect("the schema is JSON");
        // Of languages the schema has a pattern with a bracket too many, which not every engine takes for a character.
        for holder in ["run", "toolComponent"] {
            let language = &mut schema["definitions"][holder]["properties"]["language"];
            language.as_object_mut().expect("it is described").remove("pattern");
        }
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    #[test]
    fn is_valid() {
        let (program, plan) = fixture::program_and_plan();
        let mut log = sarif(&program, &plan);
        assert_eq!(violations(&log), Vec::<String>::new());
        assert_eq!(violations(&sarif(&Program::default(), &Plan::default())), Vec::<String>::new());
        // The check can fail.
        log["runs"][0]["results"][0]["kind"] = "nonsense".into();
        assert_eq!(violations(&log).len(), 1);
    }

    #[test]
    fn has_a_result_for_every_decision_with_its_place() {
        let (program, plan) = fixture::program_and_plan();
        let log = sarif(&program, &plan);
        let results = log["runs"][0]["results"].as_array().expect("there are results");
        let short: Vec<String> = results
            .iter()
            .map(|result| {
                let region = &result["locations"][0]["physicalLocation"]["region"];
                let field = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
                format!("{} {} {} {}", field("ruleId"), field("kind"), field("level"), region["startLine"])
            })
            .collect();
        let expected = [
            "hoist-receive pass none 3",
            "sink-wait pass none 3",
            "converted pass none 5",
            "no-producing-loop informational none 5",
            "effect-in-between informational none 5",
            "wildcard fail note 6",
        ];
        assert_eq!(short, expected);
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().expect("a number")).expect("a small one");
            assert_eq!(rules[index]["id"], result["ruleId"]);
        }
        let kept = results.last().expect("there are results");
        let related = &kept["relatedLocations"][0]["physicalLocation"];
        assert_eq!(related["artifactLocation"]["uri"], "src/ring.f90");
        assert_eq!(related["region"]["snippet"]["text"], "mpi_any_source");
        assert_eq!((&related["region"]["startColumn"], &related["region"]["endColumn"]), (&35.into(), &49.into()));
        let unread = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        assert_eq!(unread[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 8);
    }

    #[test]
    fn says_where_results_agree_up_to_rounding_only() {
        let (program, mut plan) = fixture::program_and_plan();
        let said = |plan: &Plan| {
            let log = sarif(&program, plan);
            assert_eq!(violations(&log), Vec::<String>::new());
            let notifications = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].clone();
            let texts = notifications.as_array().expect("there are notifications").iter();
            texts.filter(|it| it["message"]["text"].as_str().is_some_and(|text| text.contains("`-Ofast`"))).count()
        };
        plan.rounding = Some("-Ofast".to_owned());
        assert_eq!(said(&plan), 0, "nothing was transformed");
        plan.attachments.push(Step {
            procedure: ProcedureId(0),
            position: Position::Before(StatementId(0)),
            origin: StatementId(0),
            guard: None,
            operation: StepOperation::Attach,
        });
        assert_eq!(said(&plan), 1);
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri_of(Path::new("./a b/c:d.f90")), "a%20b/c%3Ad.f90");
        assert_eq!(uri_of(Path::new("/home/x/ä.f90")), "file:///home/x/%C3%A4.f90");
    }
}
