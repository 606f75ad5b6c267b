//! From a function to the program that the middle end sees.
//!
//! What is not understood becomes a barrier: a statement that may read and write everything that it names, and leave. It costs the
//! calls around it, not the function.

pub mod calls;
pub mod expressions;
pub mod forms;
pub mod iterators;
mod loops;
mod messages;
pub mod names;
mod over;
pub mod risks;
mod statements;
mod text;
pub mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::expressions::Obstacle;
use self::names::{Facts, Names, Place};
use self::risks::{Leaf, Risk};
use self::statements::Lowering;
use self::tree::Node;
use crate::arguments::{Arguments, is_overlap};
use gravelc::ir::{
    Aliases, Anchors, FileId, Indivisible, Language, MessagingNames, Procedure, ProcedureKind, Program, SourceFile,
    Span, StatementId, SymbolId,
};
use gravelc::source_layout::SourceLayout;

/// A call that stays as it is because of how it stands in the text.
pub struct Unlowered {
    /// Where.
    pub span: proc_macro2::Span,
    /// Its name.
    pub name: String,
    /// Why.
    pub why: Obstacle,
    /// The code of the reason.
    pub code: &'static str,
}

impl Unlowered {
    /// Why, as a sentence.
    pub fn message(&self) -> String {
        let what = self.why.what.trim_end_matches(',');
        match self.code {
            "other-side-unknown" => format!("{what} is left alone"),
            _ => format!("{what} is not followed"),
        }
    }
}

/// A function as the middle end sees it.
pub struct Lowered {
    /// The program with the one procedure.
    pub program: Program,
    /// Its statements as they stand in the text.
    pub body: Vec<Node>,
    /// What its symbols are in the text.
    pub places: Vec<Place>,
    /// The statements that declare variables: each with its symbols.
    pub declared: BTreeMap<StatementId, Vec<SymbolId>>,
    /// The calls that stay as they are.
    pub unlowered: Vec<Unlowered>,
    /// Calls of methods of numbers, as they are written.
    pub methods: BTreeSet<String>,
    /// What may end the program.
    pub risks: Vec<Risk>,
    /// What the first values of variables are made of.
    pub leaves: BTreeMap<SymbolId, Vec<Leaf>>,
    /// Some statements have the attribute themselves: only those are considered.
    pub has_chosen: bool,
}

/// So often a function is read at most. Each reading finds what the one before could not know: types, by how names are used below.
const READINGS: usize = 12;

/// Lowers a function, or a part of one that is written as a function.
///
/// # Errors
/// A directive that is not understood; [`Ok(None)`](Option::None) if the function has to be left alone as a whole.
pub fn lower(function: &syn::ItemFn, is_part: bool, arguments: &Arguments) -> syn::Result<Option<Lowered>> {
    let mut known = Facts::default();
    for _ in 0..READINGS {
        let mut lowering = Lowering::new(Names::new(known.clone(), is_part), arguments);
        let body = lowering.function(function)?;
        if lowering.names.is_mixed {
            return Ok(None);
        }
        let found = std::mem::take(&mut lowering.names.found);
        if found == known {
            return Ok(Some(finished(lowering, body, function)));
        }
        known = found;
    }
    Ok(None)
}

fn finished(mut lowering: Lowering, body: Vec<Node>, function: &syn::ItemFn) -> Lowered {
    lowering.names.join_overlays();
    let names = lowering.names;
    let span = Span { file: FileId(0), start: 0, end: lowering.text.end() };
    let mut file = SourceFile::new("the function", lowering.text.into_bytes(), SourceLayout::Free);
    file.language = Language::Rust;
    let procedure = Procedure {
        name: function.sig.ident.to_string(),
        // What calls it is not given: it counts as called.
        kind: ProcedureKind::Main,
        language: Language::Rust,
        span,
        dummies: Vec::new(),
        is_pure: false,
        is_elemental: false,
        result: None,
        symbols: names.symbols,
        statements: lowering.statements,
        body: body.iter().flat_map(|node| node.block.clone()).collect(),
        text_parts: Err(Indivisible::by_language(span)),
        anchors: Anchors { imports: 0, declarations: 0 },
        messaging_names: MessagingNames::Unseen,
        evaluated_at_entry: Vec::new(),
        redefined_functions: Vec::new(),
        declarations: Vec::new(),
        separate_requests: BTreeSet::new(),
        overridable_calls: BTreeMap::new(),
        aliases: Aliases::default(),
        untouchable: None,
    };
    let mut program = Program::default();
    program.files = Arc::new(vec![file]);
    program.procedures = vec![Arc::new(procedure)];
    program.is_part = true;
    Lowered {
        program,
        body,
        places: names.places,
        declared: lowering.declared,
        unlowered: lowering.unlowered,
        methods: lowering.methods,
        risks: lowering.risks,
        leaves: lowering.leaves,
        has_chosen: has_chosen(function),
    }
}

/// Does a statement have the attribute, be it one that is not followed?
fn has_chosen(function: &syn::ItemFn) -> bool {
    #[derive(Default)]
    struct Finder(bool);
    impl<'a> syn::visit::Visit<'a> for Finder {
        fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
            self.0 |= is_overlap(attribute);
        }
        fn visit_item(&mut self, _: &'a syn::Item) {}
    }
    let mut finder = Finder::default();
    syn::visit::Visit::visit_block(&mut finder, &function.block);
    finder.0
}
