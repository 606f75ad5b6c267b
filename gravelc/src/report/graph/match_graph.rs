//! The match graph: the members of each match class, and which of them could meet.

use std::collections::BTreeSet;

use super::graphviz::Dot;
use super::statement_label;
use crate::analysis::facts::{Facts, SiteId};
use crate::analysis::messages::match_graph::match_graph;
use crate::ir::Direction;
use crate::plan::{Plan, Site};

pub(super) fn draw(facts: &Facts, plan: &Plan) -> String {
    let mut dot = Dot::new("matches", "LR");
    for (index, class) in plan.classes.iter().enumerate() {
        let number = index + 1;
        let (status, color) = match &class.kept {
            None => ("transformed".to_owned(), "darkgreen"),
            Some(reason) => (format!("kept [{}]", reason.code.code()), "firebrick"),
        };
        dot.begin_cluster(&number.to_string(), &format!("class {number}: {}\n{status}", class.description), color);
        for member in &class.members {
            let path = member.path(facts.program).display();
            let procedure = &facts.procedure(member.procedure).name;
            let text = statement_label(facts.program, member.procedure, member.statement);
            dot.node(&name_of(site_id(member)), &format!("{path} ({procedure})\n{text}"), &shape_of(facts, member));
        }
        dot.end();
    }
    // What is counted elsewhere, or never runs, is in no class.
    let members: BTreeSet<SiteId> = plan.classes.iter().flat_map(|class| &class.members).map(site_id).collect();
    let mut graph = match_graph(facts);
    for edges in [&mut graph.messages, &mut graph.unknown, &mut graph.completions] {
        edges.retain(|(one, other)| members.contains(one) && members.contains(other));
    }
    for &(send, receive) in &graph.messages {
        dot.edge(&name_of(send), &name_of(receive), "", &[("color", "black")]);
    }
    for &(unknown, other) in &graph.unknown {
        dot.edge(&name_of(unknown), &name_of(other), "?", &[("style", "dashed"), ("dir", "none"), ("color", "gray40")]);
    }
    for &(post, wait) in &graph.completions {
        dot.edge(&name_of(post), &name_of(wait), "completed by", &[("style", "dotted"), ("color", "gray40")]);
    }
    dot.finish()
}

fn site_id(site: &Site) -> SiteId {
    SiteId { procedure: site.procedure, statement: site.statement }
}

fn name_of(site: SiteId) -> String {
    format!("p{}s{}", site.procedure.0, site.statement.0)
}

/// Sends, receives, calls that do both, waits, and what is no call of MPI differ in colour.
fn shape_of(facts: &Facts, site: &Site) -> Vec<(&'static str, &'static str)> {
    let Some(communication) = facts.communication(site_id(site)) else { return vec![("fillcolor", "mistyrose")] };
    match (communication.goes(Direction::Sent), communication.goes(Direction::Received)) {
        (true, true) => vec![("fillcolor", "lavender")],
        (true, false) => vec![("fillcolor", "lightyellow")],
        (false, true) => vec![("fillcolor", "lightcyan")],
        (false, false) => vec![("fillcolor", "gray95")],
    }
}
