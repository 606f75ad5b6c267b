//! Interfaces to procedures in C: BIND(C) and binding labels (Fortran 2018, 18.10.2).
//!
//! The name in such an interface says nothing about where the procedure is: its label could be that of a procedure among
//! the files, or that of a function of MPI. Where it is certainly neither, the procedure is somebody else's.

use std::collections::HashSet;

use super::super::text::syntax_tree::Node;

use super::super::text::tree::{child_of_kind, named_children};
use super::association::Scopes;
use super::scope::Meaning;
use super::units::{Source, Unit, UnitKind, Units};

/// What a procedure is called for the linker. Where two are compared, what differs in case alone counts as the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BindingLabel {
    /// This, as it is spelled.
    Known(String),
    /// Something that an expression or a macro says.
    Unknown,
}

/// The label of the procedure `name` (in lower case) by the BIND(C) of its first statement, if there is one.
pub(super) fn binding_label(source: &Source<'_>, header: Node<'_>, name: &str) -> Option<BindingLabel> {
    let binding = child_of_kind(header, "language_binding")?;
    let Some(argument) = child_of_kind(binding, "keyword_argument") else {
        return Some(BindingLabel::Known(name.to_string()));
    };
    let literal = named_children(argument).into_iter().find(|part| part.kind() == "string_literal");
    let text = literal.map(|literal| String::from_utf8_lossy(&source.original[literal.byte_range()]).into_owned());
    let label = text.and_then(|text| {
        let inside = text.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?.trim().to_string();
        (!inside.is_empty()).then_some(inside)
    });
    Some(label.map_or(BindingLabel::Unknown, BindingLabel::Known))
}

/// Tells the interfaces to procedures that are certainly not among the files.
pub(super) fn find_foreign_procedures(sources: &[Source<'_>], units: &Units<'_>, scopes: &mut Scopes<'_>) {
    let given = GivenLabels::of(sources, units);
    for entity in scopes.list.iter_mut().flatten().flat_map(|scope| scope.entities.values_mut()) {
        if entity.meaning == Meaning::SomeProcedure
            && let Some(BindingLabel::Known(label)) = &entity.binding_label
            && !given.may_have(&label.to_ascii_lowercase())
        {
            entity.meaning = Meaning::Foreign;
        }
    }
}

/// The labels that the given procedures have or may have, in lower case.
struct GivenLabels {
    /// Those that BIND(C) gives.
    known: HashSet<String>,
    /// A label is not known.
    any: bool,
    /// The names of the others, to which compilers add underscores; those of module procedures behind their module's.
    names: HashSet<String>,
}

impl GivenLabels {
    fn of(sources: &[Source<'_>], units: &Units<'_>) -> Self {
        let mut given = Self { known: HashSet::new(), any: false, names: HashSet::new() };
        for unit in &units.list {
            if !matches!(unit.kind, UnitKind::Procedure(_)) {
                continue;
            }
            let declaring = unit.header.filter(|_| unit.node.kind() != "module_procedure");
            match declaring.map(|header| binding_label(&sources[unit.source], header, &unit.name)) {
                Some(Some(BindingLabel::Known(label))) => drop(given.known.insert(label.to_ascii_lowercase())),
                Some(Some(BindingLabel::Unknown)) => given.any = true,
                _ => drop(given.names.insert(name_for_linkers(unit, units))),
            }
        }
        given
    }

    /// Could this be the label of a given procedure, or of a function of MPI or of the runtime?
    fn may_have(&self, label: &str) -> bool {
        let is_messaging = ["mpi_", "pmpi_", "gravel_"].iter().any(|prefix| label.starts_with(prefix));
        self.any
            || is_messaging
            || self.known.contains(label)
            || self.names.contains(label.trim_matches('_'))
            // Compilers put the module before the name of a module procedure.
            || label.starts_with("__")
            || label.starts_with("_q")
            || label.contains('$')
            || label.contains("_mod_")
            || label.contains("_mp_")
    }
}

/// The name of a procedure without BIND(C) as compilers give it to linkers, apart from what they put before it and behind it,
/// and, between a module and its procedures, instead of one underscore.
fn name_for_linkers(unit: &Unit<'_>, units: &Units<'_>) -> String {
    let module = unit.host.map(|host| &units.list[host]).filter(|host| host.kind == UnitKind::Module);
    module.map_or_else(|| unit.name.clone(), |module| format!("{}_{}", module.name, unit.name))
}
