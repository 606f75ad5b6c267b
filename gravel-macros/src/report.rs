//! What users learn: what was done to each call, or why nothing was.

use gravelc::plan::{Outcome, Plan, Reason, Transformation};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::emit::Moved;
use crate::frontend::tree::{Node, NodeKind};
use crate::frontend::{Lowered, Unlowered};
use crate::moves::Half;

/// What was done to a call.
pub struct Verdict {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What was done, in order: each transformation with what it did.
    pub done: Vec<(Transformation, String)>,
    /// Why not more, or why nothing: the sentence and the reason's code.
    pub missed: Vec<(String, String)>,
    /// What stands in the way, where that is known.
    pub obstacle: Option<Span>,
}

impl Verdict {
    /// The verdict in one line.
    pub fn text(&self) -> String {
        let missed = |(message, code): &(String, String)| format!("{message} [{code}]");
        if self.done.is_empty() {
            let why = self
                .missed
                .first()
                .map_or_else(|| "nothing could be overlapped [nothing-to-overlap]".to_owned(), missed);
            return format!("{}: kept: {why}", self.name);
        }
        let done = self.done.iter().map(|(transformation, text)| match text.is_empty() {
            true => transformation.name().to_owned(),
            false => format!("{} ({text})", transformation.name()),
        });
        format!("{}: {}", self.name, done.collect::<Vec<_>>().join(", "))
    }

    /// What was tried in vain at a call of which something moves.
    pub fn missed_text(&self) -> Option<String> {
        let all = self.missed.iter().map(|(message, code)| format!("{message} [{code}]"));
        let text = all.collect::<Vec<_>>().join("; ");
        (!self.done.is_empty() && !text.is_empty()).then(|| format!("{}: not more: {text}", self.name))
    }
}

/// The verdicts on all calls of a function, in the order of the text.
pub fn verdicts(lowered: &Lowered, plan: &Plan, moved: &[Moved]) -> Vec<Verdict> {
    let mut found: Vec<Verdict> = moved.iter().map(|moved| of_moved(lowered, plan, moved)).collect();
    found.extend(lowered.unlowered.iter().map(of_unlowered));
    found.sort_by_key(|verdict| {
        let start = verdict.span.start();
        (start.line, start.column)
    });
    found
}

fn of_unlowered(unlowered: &Unlowered) -> Verdict {
    let message = unlowered.message();
    Verdict {
        name: unlowered.name.clone(),
        span: unlowered.span,
        done: Vec::new(),
        missed: vec![(message, unlowered.code.to_owned())],
        obstacle: Some(unlowered.why.span),
    }
}

fn of_moved(lowered: &Lowered, plan: &Plan, moved: &Moved) -> Verdict {
    let NodeKind::Call(taken) = &moved.node.kind else { unreachable!("only calls move") };
    let outcome = plan.decisions.iter().find(|decision| decision.site.statement == moved.node.id);
    let outcome = outcome.map(|decision| &decision.outcome);
    let actions = match outcome {
        Some(Outcome::Transformed { actions, .. }) => actions.as_slice(),
        _ => &[],
    };
    let mut done: Vec<(Transformation, String)> = Vec::new();
    let decomposed = actions.iter().find(|action| action.transformation == Transformation::DecomposeAlltoall);
    if let Some(action) = decomposed.filter(|_| moved.halves.iter().any(Half::gains)) {
        done.push((action.transformation, action.text.clone()));
    }
    for transformation in moved.halves.iter().flat_map(|half| half.gained()) {
        let mut texts = actions.iter().filter(|action| action.transformation == transformation);
        let known = done.iter().filter(|(it, _)| *it == transformation).count();
        let text = texts.nth(known).map(|action| action.text.clone()).unwrap_or_default();
        done.push((transformation, text));
    }
    let mut missed: Vec<(String, String)> = moved
        .halves
        .iter()
        .filter_map(|half| half.stopped.clone())
        .map(|why| (why.text, why.code.code().to_owned()))
        .collect();
    let mut obstacle = None;
    let reasons: Vec<&Reason> = match outcome {
        Some(Outcome::Kept { reason, missed }) => missed.iter().map(|missed| &missed.reason).chain([reason]).collect(),
        // Copies are left out in no program of this language: that is no news about this one.
        Some(Outcome::Transformed { missed, .. }) => {
            let news = missed.iter().filter(|missed| missed.transformation != Transformation::DropPack);
            news.map(|missed| &missed.reason).collect()
        }
        None => Vec::new(),
    };
    for reason in reasons {
        let barrier = reason.span.and_then(|span| barrier_at(lowered, span));
        let message = match &barrier {
            Some((place, what)) => {
                obstacle.get_or_insert(*place);
                format!("{} at line {} is in the way", what.trim_end_matches(','), place.start().line)
            }
            None => reason.message.clone(),
        };
        let entry = (message, reason.code.code().to_owned());
        if !missed.contains(&entry) {
            missed.push(entry);
        }
    }
    Verdict { name: taken.call.method.to_string(), span: taken.call.method.span(), done, missed, obstacle }
}

/// The barrier at a place of the text that the middle end sees.
fn barrier_at(lowered: &Lowered, span: gravelc::ir::Span) -> Option<(Span, String)> {
    let procedure = lowered.program.procedure(gravelc::ir::ProcedureId(0));
    let mut found = None;
    for node in &lowered.body {
        node.visit(&mut |node: &Node| {
            let begins_here = node.block.iter().any(|&id| procedure.statement(id).span.start == span.start);
            if found.is_none() && begins_here && !node.is_clean() && !matches!(node.kind, NodeKind::Call(_)) {
                found = node.obstacle();
            }
        });
    }
    found
}

/// Warnings at the calls: uses of items that are deprecated, as procedural macros can't warn.
pub fn warnings(verdicts: &[Verdict]) -> TokenStream {
    let all = verdicts.iter().flat_map(|verdict| {
        [Some(verdict.text()), verdict.missed_text()].into_iter().flatten().map(|text| warning(&text, verdict.span))
    });
    quote!(#(#all)*)
}

/// One warning.
pub fn warning(text: &str, span: Span) -> TokenStream {
    let note = format!("gravel: {text}");
    let name = Ident::new("report", span.resolved_at(Span::mixed_site()));
    quote! {
        {
            #[deprecated(note = #note)]
            #[allow(non_upper_case_globals, reason = "the warning shows the name")]
            const report: () = ();
            let _: () = #name;
        }
    }
}

/// Errors at what is in the way of calls that are kept.
pub fn errors(verdicts: &[Verdict]) -> TokenStream {
    let kept = verdicts.iter().filter(|verdict| verdict.done.is_empty());
    let errors = kept.map(|verdict| {
        let line = verdict.span.start().line;
        let text = format!("gravel: the call at line {line} is kept: {}", verdict.text());
        let span = verdict.obstacle.unwrap_or(verdict.span);
        quote_spanned!(span=> ::core::compile_error!(#text);)
    });
    quote!(#(#errors)*)
}

/// What `GRAVEL_EXPLAIN` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explain {
    /// Nothing.
    No,
    /// A line for each call.
    Lines,
    /// The emitted code, too.
    Code,
}

impl Explain {
    /// What the environment asks for.
    pub fn from_environment() -> Self {
        match std::env::var("GRAVEL_EXPLAIN").as_deref() {
            Err(_) | Ok("" | "0") => Self::No,
            Ok("verbose") => Self::Code,
            Ok(_) => Self::Lines,
        }
    }
}

/// The lines for standard error.
pub fn lines(verdicts: &[Verdict]) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let place = format!("{}:{}", verdict.span.file(), verdict.span.start().line);
        text.push_str(&format!("{place}: {}\n", verdict.text()));
        if let Some(missed) = verdict.missed_text() {
            text.push_str(&format!("{place}: {missed}\n"));
        }
    }
    text
}

/// The verdicts on the calls of a function that is left alone as a whole.
pub fn left_alone(function: &syn::ItemFn) -> Vec<Verdict> {
    use syn::visit::Visit;
    let calls = crate::frontend::calls::calls_in(|finder| finder.visit_block(&function.block));
    let why = match function.sig.asyncness {
        Some(_) => "async functions are left alone",
        None => "the function is left alone: its names come from several macros, or it is evaluated by the compiler",
    };
    let verdict = |call: syn::ExprMethodCall| Verdict {
        name: call.method.to_string(),
        span: call.method.span(),
        done: Vec::new(),
        missed: vec![(why.to_owned(), "unsupported-operation".to_owned())],
        obstacle: None,
    };
    calls.into_iter().map(verdict).collect()
}
