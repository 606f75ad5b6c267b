//! What the text of a procedure names: of its arguments, and besides.
//!
//! That is more than it reads, as far as can be told what it reads: the shape of an array that is only handed on is among it.

use std::collections::BTreeSet;

use crate::ir::{
    Callee, Expression, ExpressionKind, Procedure, ProcedureId, Program, Shape, StatementKind, Storage, Symbol,
    SymbolClass, SymbolId,
};

/// Objects that are handed on are followed through so many calls.
const MOST_CALLS: usize = 4;

/// A component of an object that is handed to a procedure.
#[derive(Debug, Clone)]
pub struct Component {
    /// The components that lead from the object to it, itself the last.
    pub members: Vec<String>,
    /// The procedure's symbol for it.
    pub symbol: Symbol,
}

impl Component {
    /// The component that the symbol is, if it is one.
    pub fn of(procedure: &Procedure, symbol: SymbolId) -> Option<Self> {
        let symbol = procedure.symbol(symbol);
        let object = procedure.symbol(symbol.holder()?);
        let path = symbol.path().filter(|path| path.object == object.name)?;
        Some(Self { members: path.members.clone(), symbol: symbol.clone() })
    }

    /// What the procedure calls as it would call this component of its variable `object`.
    pub fn named_in(&self, procedure: &Procedure, object: SymbolId) -> Option<SymbolId> {
        let object = procedure.symbol(object);
        let is_it = |symbol: &Symbol| {
            symbol.scope.is_none()
                && !symbol.renamed
                && symbol.path().is_some_and(|path| path.object == object.name && path.members == self.members)
        };
        procedure.symbols.iter().position(is_it).map(SymbolId)
    }

    /// The procedure's symbol for it in its variable `object`. Two types of one line may have components of one name.
    pub fn of_object(&self, procedure: &Procedure, object: SymbolId) -> Option<SymbolId> {
        let found = self.named_in(procedure, object)?;
        match (&procedure.symbol(found).storage, &self.symbol.storage) {
            (Storage::Component { holder, name, .. }, Storage::Component { name: other, .. }) => {
                (*holder == object && name == other).then_some(found)
            }
            _ => None,
        }
    }
}

/// What a procedure, with what it calls, names of one of its dummy arguments.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    /// All of it.
    pub whole: bool,
    /// These components.
    pub components: Vec<Component>,
}

/// What the procedure names of each of its dummy arguments.
pub fn looked_at(program: &Program, id: ProcedureId) -> Vec<Looked> {
    looked_at_by(program, id, 0)
}

fn looked_at_by(program: &Program, id: ProcedureId, depth: usize) -> Vec<Looked> {
    let procedure = program.procedure(id);
    let mut looked = vec![Looked::default(); procedure.dummies.len()];
    let mut pending = declared(procedure);
    let mut calls: Vec<(ProcedureId, &[Expression])> = Vec::new();
    for statement in &procedure.statements {
        match &statement.kind {
            StatementKind::Call { callee: Callee::Procedure(callee), arguments } => calls.push((*callee, arguments)),
            kind => pending.extend(kind.expressions()),
        }
    }
    loop {
        while let Some((callee, arguments)) = calls.pop() {
            let inner = if depth < MOST_CALLS { looked_at_by(program, callee, depth + 1) } else { Vec::new() };
            for (index, argument) in arguments.iter().enumerate() {
                let dummy = match argument.kind {
                    ExpressionKind::Symbol(symbol) => procedure.dummies.iter().position(|&dummy| dummy == symbol),
                    _ => None,
                };
                match (dummy, inner.get(index)) {
                    (Some(dummy), Some(found)) if !found.whole && !found.components.is_empty() => {
                        looked[dummy].components.extend(found.components.iter().cloned());
                    }
                    _ => pending.push(argument),
                }
            }
        }
        let Some(part) = pending.pop() else { return looked };
        if let ExpressionKind::Call { callee: Callee::Procedure(callee), arguments } = &part.kind {
            calls.push((*callee, arguments));
            continue;
        }
        pending.extend(part.children());
        let Some(symbol) = part.designated() else { continue };
        let holder = procedure.holder_of(symbol);
        let Some(dummy) = procedure.dummies.iter().position(|&dummy| dummy == holder) else { continue };
        match Component::of(procedure, symbol) {
            Some(component) => looked[dummy].components.push(component),
            None => looked[dummy].whole = true,
        }
    }
}

/// The variables that stand in the procedure's statements, or are looked at when it begins.
pub fn mentioned(procedure: &Procedure) -> BTreeSet<SymbolId> {
    let expressions = procedure.statements.iter().flat_map(|statement| statement.kind.expressions());
    let parts = expressions.chain(declared(procedure)).flat_map(Expression::walk);
    let is_variable = |id: &SymbolId| procedure.symbol(*id).class == SymbolClass::Variable;
    parts.filter_map(Expression::designated).filter(is_variable).collect()
}

/// The expressions in the declarations: what is evaluated when the procedure begins, and bounds.
fn declared(procedure: &Procedure) -> Vec<&Expression> {
    let bounds = procedure.symbols.iter().flat_map(|symbol| match &symbol.shape {
        Shape::Scalar => Vec::new(),
        Shape::Array(dimensions) => {
            dimensions.iter().flat_map(|dimension| [&dimension.lower, &dimension.upper]).flatten().collect()
        }
    });
    procedure.evaluated_at_entry.iter().chain(bounds).collect()
}
