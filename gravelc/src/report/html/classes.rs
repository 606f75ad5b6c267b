//! The match classes: who could meet whom, as a picture, and why a class stays with MPI.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::remarks::why;
use super::{Page, anchor_of, badge};
use crate::analysis::facts::SiteId;
use crate::analysis::messages::match_graph::{MatchGraph, match_graph};
use crate::ir::Direction;
use crate::plan::{ClassId, Decision, MatchClass, Outcome, Site};
use crate::report::graph::short_text;
use crate::report::json::class_number;

/// More edges than these are a cloud.
const MAX_EDGES: usize = 150;
const NODE_WIDTH: usize = 330;
const NODE_HEIGHT: usize = 40;
const ROW: usize = 52;
const GAP: usize = 110;
const TOP: usize = 26;

pub(super) fn classes(page: &Page) -> Markup {
    let graph = match_graph(page.facts);
    html! {
        section #classes {
            h2 { "Match classes" }
            p.note {
                "Sends and receives that could meet one another are converted together or not at all. A line joins a send "
                "and a receive whose communicators and tags are not proven different; a dotted line leads to the wait that "
                "completes an operation."
            }
            @for (index, class) in page.plan.classes.iter().enumerate() {
                (one_class(page, &graph, ClassId(index), class))
            }
        }
    }
}

fn one_class(page: &Page, graph: &MatchGraph, id: ClassId, class: &MatchClass) -> Markup {
    let number = class_number(id);
    let decisions: BTreeMap<&Site, &Decision> =
        page.plan.decisions.iter().map(|decision| (&decision.site, decision)).collect();
    html! {
        div class="card" id=(format!("class{number}")) {
            h3 { "Class " (number) ": " (class.description) " " (badge(class.kept.is_none())) }
            @if let Some(reason) = &class.kept { p { (why(page, class.members[0].file, reason)) } }
            (picture(page, graph, class))
            details {
                summary { (class.members.len()) @if class.members.len() == 1 { " member" } @else { " members" } }
                ul {
                    @for member in &class.members {
                        li {
                            (page.place(page.site_span(member))) " " code { (member.routine) }
                            @match decisions.get(member).map(|decision| &decision.outcome) {
                                Some(Outcome::Kept { reason, .. }) => { ": " (why(page, member.file, reason)) }
                                Some(Outcome::Transformed { actions, .. }) => {
                                    @for action in actions { ": " (action.text) }
                                }
                                None => { ": takes part in ways that are not known" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Sends on the left, receives in the middle, waits and all else on the right.
fn picture(page: &Page, graph: &MatchGraph, class: &MatchClass) -> Markup {
    let id_of = |site: &Site| SiteId { procedure: site.procedure, statement: site.statement };
    let mut columns: [Vec<&Site>; 3] = Default::default();
    for member in &class.members {
        let communication = page.facts.communication(id_of(member));
        let goes = |direction| communication.is_some_and(|found| found.goes(direction));
        let (sends, receives) = (goes(Direction::Sent), goes(Direction::Received));
        if sends {
            columns[0].push(member);
        }
        if receives {
            columns[1].push(member);
        }
        if !sends && !receives {
            columns[2].push(member);
        }
    }
    let titles = ["sends", "receives", "waits and others"];
    let shown: Vec<usize> = (0..3).filter(|&column| !columns[column].is_empty()).collect();
    let mut places: [BTreeMap<SiteId, (usize, usize)>; 3] = Default::default();
    for (position, &column) in shown.iter().enumerate() {
        for (row, member) in columns[column].iter().enumerate() {
            places[column].insert(id_of(member), (position * (NODE_WIDTH + GAP), TOP + row * ROW));
        }
    }
    let edges = edges_of(graph, &places);
    let width = shown.len() * (NODE_WIDTH + GAP) - GAP.min(shown.len() * GAP);
    let height = TOP + ROW * columns.iter().map(Vec::len).max().unwrap_or(0);
    html! {
        @if edges.len() > MAX_EDGES {
            p.note { (edges.len()) " pairs could meet: too many to draw as lines." }
        }
        div.scroll {
            svg.matches width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="img"
                aria-label="which members of the class could meet" {
                @if edges.len() <= MAX_EDGES {
                    @for (class, path) in &edges { path class=(class) d=(path) {} }
                }
                @for (position, &column) in shown.iter().enumerate() {
                    text.heading x=(position * (NODE_WIDTH + GAP)) y="14" { (titles[column]) }
                    @for member in &columns[column] {
                        @let (x, y) = places[column][&id_of(member)];
                        (node(page, member, x, y))
                    }
                }
            }
        }
    }
}

fn node(page: &Page, site: &Site, x: usize, y: usize) -> Markup {
    let decision = page.plan.decisions.iter().find(|decision| decision.site == *site);
    let tone = match decision.map(|decision| &decision.outcome) {
        Some(Outcome::Transformed { .. }) => "good",
        Some(Outcome::Kept { .. }) => "kept",
        None => "unread",
    };
    let span = page.site_span(site);
    let place = format!("{}:{} ({})", page.short_path(span), site.line, page.program.procedure(site.procedure).name);
    let text = page.program.text(span);
    html! {
        a href=(if decision.is_some() { format!("#{}", anchor_of(site)) } else { format!("#f{}l{}", site.file.0, site.line) }) {
            g class=(format!("node {tone}")) {
                title { (text) }
                rect x=(x) y=(y) width=(NODE_WIDTH) height=(NODE_HEIGHT) rx="5" {}
                text.where x=(x + 9) y=(y + 15) { (end_of(&place, 48)) }
                text.what x=(x + 9) y=(y + 31) { (shortened(&short_text(&text), 42)) }
            }
        }
    }
}

/// Curves from the right side of one node to the left side of another, each once.
fn edges_of(graph: &MatchGraph, places: &[BTreeMap<SiteId, (usize, usize)>; 3]) -> Vec<(&'static str, String)> {
    let curve = |from: (usize, usize), to: (usize, usize)| {
        let (x1, y1) = (from.0 + NODE_WIDTH, from.1 + NODE_HEIGHT / 2);
        let (x2, y2) = (to.0, to.1 + NODE_HEIGHT / 2);
        let middle = usize::midpoint(x1, x2);
        format!("M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}")
    };
    let mut edges = Vec::new();
    for (send, receive) in &graph.messages {
        if let (Some(&from), Some(&to)) = (places[0].get(send), places[1].get(receive)) {
            edges.push(("edge message", curve(from, to)));
        }
    }
    for (unknown, other) in &graph.unknown {
        if let (Some(&to), Some(&from)) = (places[2].get(unknown), places[1].get(other).or(places[0].get(other))) {
            edges.push(("edge doubtful", curve(from, to)));
        }
    }
    for (post, wait) in &graph.completions {
        if let (Some(&to), Some(&from)) = (places[2].get(wait), places[1].get(post).or(places[0].get(post))) {
            edges.push(("edge completion", curve(from, to)));
        }
    }
    edges
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", text[..cut].trim_end_matches('…')),
        None => text.to_owned(),
    }
}

/// The last characters of a text: of a path they tell most.
fn end_of(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(count - most + 1)).collect()
}
