//! Names and declarations of the variables that the emitted code needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::component_of;
use crate::ir::{
    COMMON_MEMBER, ComponentName, Expression, ExpressionKind, Procedure, ProcedureKind, Program, Shape, StatementId,
    StatementKind, Storage, SymbolId,
};
use crate::plan::{EarlyValue, NewVariable, Step, StepOperation, ValueSource};
use crate::runtime_module;

use super::layout::text_of;
use super::meanings::{FormsIn, Meanings};

/// The longest name of Fortran (section 6.2.2 of Fortran 2018).
const LONGEST_NAME: usize = 63;

/// The program with what the names of new variables depend on.
pub struct Names<'a> {
    /// The program.
    pub program: &'a Program,
    /// The names of variables that several modules have.
    of_several_modules: BTreeSet<&'a str>,
    /// What is written for the program's expressions.
    pub meanings: Meanings,
}

impl<'a> Names<'a> {
    /// Those of `program`.
    pub fn of(program: &'a Program) -> Self {
        let mut first: BTreeMap<&str, &str> = BTreeMap::new();
        let mut of_several_modules = BTreeSet::new();
        for symbol in program.procedures.iter().flat_map(|procedure| &procedure.symbols) {
            let place = symbol.shared_variable().and_then(|place| place.strip_prefix("module:")?.split_once(':'));
            let Some((module, name)) = place else { continue };
            if *first.entry(name).or_insert(module) != module {
                of_several_modules.insert(name);
            }
        }
        Self { program, of_several_modules, meanings: Meanings::default() }
    }
}

/// The name of a new variable.
pub fn name_of(names: &Names, procedure: &Procedure, variable: NewVariable) -> String {
    match variable {
        NewVariable::ReceiveRequest(number) => format!("gravel_r{number}"),
        NewVariable::EarlyRequest { procedure, number } => {
            format!("gravel_r{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::LateRequest { procedure, number } => {
            format!("gravel_w{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::CallersRequest { procedure, number } => {
            format!("gravel_c{number}_{}", names.program.procedure(procedure).name)
        }
        NewVariable::AwaitedRequest(number) => format!("gravel_w{number}"),
        NewVariable::SendRequest(number) => format!("gravel_s{number}"),
        NewVariable::Transfer(number) => format!("gravel_t{number}"),
        NewVariable::TileStart(number) => format!("gravel_lo{number}"),
        NewVariable::TileEnd(number) => format!("gravel_hi{number}"),
        NewVariable::TileStep(number) => format!("gravel_step{number}"),
        NewVariable::LoopPart(number) => format!("gravel_part{number}"),
        NewVariable::EarlyValue { symbol, number } => {
            format!("gravel_early{number}_{}", procedure.symbol(symbol).name)
        }
        NewVariable::RequestOf(symbol) | NewVariable::HandedRequest { symbol, .. } => {
            name_of_request(names, procedure, symbol)
        }
        // What leads to the object is written with it.
        NewVariable::RequestInObject(statement) => {
            let component = request_at(procedure, statement).and_then(|request| component_of(procedure, request));
            name_in_type(component.map_or("", |component| component.name.as_str()))
        }
    }
}

/// The component that stands for the requests in `component` of an object. Nothing else there has such a name.
pub fn name_in_type(component: &str) -> String {
    format!("gravel_{component}")
}

/// The request that a call names, or an assignment makes null.
pub fn request_at(procedure: &Procedure, statement: StatementId) -> Option<&Expression> {
    match &procedure.statement(statement).kind {
        StatementKind::Communication(communication) => communication.request(),
        StatementKind::Assign { target, .. } => Some(target),
        _ => None,
    }
}

/// The components of objects for whose requests the steps of a procedure need another one.
pub fn components_with_shadows(procedure: &Procedure, steps: &[&Step]) -> BTreeSet<ComponentName> {
    let used = steps.iter().flat_map(|step| variables_of(&step.operation));
    used.filter_map(|variable| match variable {
        NewVariable::RequestInObject(statement) => component_of(procedure, request_at(procedure, statement)?).cloned(),
        _ => None,
    })
    .collect()
}

fn name_of_request(names: &Names, procedure: &Procedure, symbol: SymbolId) -> String {
    if let Some((module, original)) = module_variable(procedure, symbol) {
        return name_in_module(names, module, original);
    }
    let variable = procedure.symbol(symbol);
    let name = format!("gravel_{}", variable.name);
    // Several blocks may have variables of one name.
    if is_taken(&name) || variable.scope.is_some() { format!("gravel_own{}", symbol.0) } else { name }
}

/// The shadow of a module's variable has one name for all procedures. Where another module has a variable of that name, which
/// may have a shadow as well, it is one that no other module has: whoever sees both may see both shadows.
fn name_in_module(names: &Names, module: &str, original: &str) -> String {
    if names.of_several_modules.contains(original) {
        let index = names.program.modules.iter().take_while(|known| known.name != module).count();
        return format!("gravel_own{index}_{original}");
    }
    let name = format!("gravel_{original}");
    if is_taken(&name) { format!("gravel_own_{original}") } else { name }
}

/// Is the name one that the emitted code needs for something else, or too long?
fn is_taken(name: &str) -> bool {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_one_of_ours =
        ["gravel_r", "gravel_s", "gravel_t", "gravel_w", "gravel_lo", "gravel_hi", "gravel_step", "gravel_part"]
            .contains(&stem)
            && stem != name;
    // Those of requests that procedures hand each other, and of early values: `gravel_r1_get`, `gravel_early1_next`.
    let is_numbered = ["gravel_r", "gravel_w", "gravel_c", "gravel_early"]
        .iter()
        .filter_map(|start| name.strip_prefix(start))
        .any(|rest| {
            let behind = rest.trim_start_matches(|character: char| character.is_ascii_digit());
            behind.starts_with('_') && behind != rest
        });
    is_one_of_ours || is_numbered || runtime_module::exports(name) || name.len() > LONGEST_NAME
}

/// Module and name there of a variable of a module.
fn module_variable(procedure: &Procedure, symbol: SymbolId) -> Option<(&str, &str)> {
    procedure.symbol(symbol).storage.shared_variable()?.strip_prefix("module:")?.split_once(':')
}

/// The COMMON block in which the shadow of a member of a COMMON block lives, or of a request that is handed down.
fn common_block_of(program: &Program, procedure: &Procedure, variable: NewVariable) -> Option<String> {
    let symbol = match variable {
        NewVariable::RequestOf(symbol) => symbol,
        NewVariable::HandedRequest { owner, variable, .. } => {
            let owner = program.procedure(owner);
            return Some(shadow_block(&owner.name, &owner.symbol(variable).name));
        }
        // No block of another shadow begins with a digit behind the underscore.
        NewVariable::EarlyRequest { procedure, number } => {
            let is_of_module = program.module_around(procedure).is_some();
            return (!is_of_module).then(|| format!("gravel_{number}_{}", program.procedure(procedure).name));
        }
        NewVariable::LateRequest { procedure, number } => {
            let is_of_module = program.module_around(procedure).is_some();
            return (!is_of_module).then(|| format!("gravel_{number}w_{}", program.procedure(procedure).name));
        }
        NewVariable::CallersRequest { procedure, number } => {
            let is_of_module = program.module_around(procedure).is_some();
            return (!is_of_module).then(|| format!("gravel_{number}c_{}", program.procedure(procedure).name));
        }
        _ => return None,
    };
    let member = procedure.symbol(symbol).storage.shared_variable()?.strip_prefix(COMMON_MEMBER)?;
    let (block, position) = member.rsplit_once(':')?;
    Some(shadow_block(block, position))
}

fn shadow_block(block: &str, position: &str) -> String {
    let name = block.trim_matches('/');
    format!("gravel_{}_{position}", if name.is_empty() { "blank" } else { name })
}

/// A shadow that a module has to declare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleShadow {
    /// The module.
    pub module: String,
    /// The shadow's name.
    pub name: String,
    /// As its declaration names it.
    pub declared: String,
    /// It is null before the program starts.
    pub is_null_at_first: bool,
}

/// The shadows that the steps of a procedure use of modules.
pub fn module_shadows(names: &Names, procedure: &Procedure, steps: &[&Step]) -> BTreeSet<ModuleShadow> {
    let used = steps.iter().flat_map(|step| variables_of(&step.operation));
    used.filter_map(|variable| {
        let (module, name) = match variable {
            NewVariable::RequestOf(symbol) => {
                let (module, original) = module_variable(procedure, symbol)?;
                (module.to_string(), name_in_module(names, module, original))
            }
            NewVariable::EarlyRequest { procedure: owner, .. }
            | NewVariable::LateRequest { procedure: owner, .. }
            | NewVariable::CallersRequest { procedure: owner, .. } => {
                (names.program.module_around(owner)?.name.clone(), name_of(names, procedure, variable))
            }
            _ => return None,
        };
        let is_null_at_first = matches!(variable, NewVariable::CallersRequest { .. });
        Some(ModuleShadow { module, name, declared: declared(names, procedure, variable), is_null_at_first })
    })
    .collect()
}

/// The declarations of everything that the steps use, with a comment above; none if they use nothing new.
pub fn declarations(names: &Names, procedure: &Procedure, steps: &[&Step]) -> Vec<String> {
    let used: BTreeSet<NewVariable> = steps.iter().flat_map(|step| variables_of(&step.operation)).collect();
    let is_of_module = |variable: &NewVariable| match variable {
        NewVariable::RequestOf(symbol) => module_variable(procedure, *symbol).is_some(),
        NewVariable::EarlyRequest { procedure, .. }
        | NewVariable::LateRequest { procedure, .. }
        | NewVariable::CallersRequest { procedure, .. } => names.program.module_around(*procedure).is_some(),
        _ => false,
    };
    let named = |wanted: &dyn Fn(&NewVariable) -> bool| -> Vec<String> {
        used.iter()
            .filter(|variable| wanted(variable) && !is_of_module(variable))
            .map(|&variable| declared(names, procedure, variable))
            .collect()
    };
    // What is null before the program starts has a shadow that is, and what is saved from call to call, too: a value from the
    // beginning saves it, also below a SAVE statement for all variables, which permits no other SAVE.
    let is_null_at_first = |symbol: SymbolId| {
        let variable = procedure.symbol(symbol);
        let is_saved = procedure.kind != ProcedureKind::Main && variable.storage == Storage::Static;
        is_saved || variable.initial_constant.as_ref().is_some_and(|(name, _)| name == "mpi_request_null")
    };
    let requests = named(&|variable| match *variable {
        NewVariable::ReceiveRequest(_)
        | NewVariable::EarlyRequest { .. }
        | NewVariable::LateRequest { .. }
        | NewVariable::CallersRequest { .. }
        | NewVariable::AwaitedRequest(_)
        | NewVariable::SendRequest(_)
        | NewVariable::HandedRequest { .. } => true,
        NewVariable::RequestOf(symbol) => !is_null_at_first(symbol),
        _ => false,
    });
    let null_at_first = named(&|variable| matches!(*variable, NewVariable::RequestOf(it) if is_null_at_first(it)));
    let null_at_first = null_at_first.into_iter().map(|name| format!("{name} = gravel_request_null")).collect();
    let transfers = named(&|variable| matches!(variable, NewVariable::Transfer(_)));
    let tiles = named(&|variable| {
        matches!(
            variable,
            NewVariable::TileStart(_) | NewVariable::TileEnd(_) | NewVariable::TileStep(_) | NewVariable::LoopPart(_)
        )
    });
    let early = named(&|variable| matches!(variable, NewVariable::EarlyValue { .. }));
    let integers = [tiles, early].concat();
    let mut lines = Vec::new();
    for (kind, names) in [
        ("integer(gravel_request_kind)", requests),
        ("integer(gravel_request_kind)", null_at_first),
        ("integer(gravel_transfer_kind)", transfers),
        ("integer", integers),
    ] {
        if !names.is_empty() {
            lines.push(format!("{kind} :: {}", names.join(", ")));
        }
    }
    for &variable in &used {
        if let Some(block) = common_block_of(names.program, procedure, variable) {
            lines.push(format!("common /{block}/ {}", name_of(names, procedure, variable)));
        }
    }
    lines
}

/// The variable as its declaration names it: the shadow of an array has the bounds that the program writes for it, or those
/// of the array that is handed down.
fn declared(names: &Names, procedure: &Procedure, variable: NewVariable) -> String {
    let name = name_of(names, procedure, variable);
    let symbol = match variable {
        NewVariable::RequestOf(symbol) => symbol,
        NewVariable::HandedRequest { bounds: Some([1, upper]), .. } => return format!("{name}({upper})"),
        NewVariable::HandedRequest { bounds: Some([lower, upper]), .. } => return format!("{name}({lower}:{upper})"),
        _ => return name,
    };
    let Shape::Array(dimensions) = &procedure.symbol(symbol).shape else {
        return name;
    };
    // A constant may stand in another file, where its name means something else.
    let text = |bound: &Expression| match bound.kind {
        ExpressionKind::Integer(value) => value.to_string(),
        _ => {
            let text = text_of(names.program.file(bound.span.file), bound.span);
            let form = FormsIn { program: names.program, procedure, given: &|_| None }.form(bound);
            let own = names.program.procedures().find(|(_, other)| other.span == procedure.span);
            own.into_iter().for_each(|(id, _)| names.meanings.note(id, &text, form.clone()));
            text
        }
    };
    let bounds: Vec<String> = dimensions
        .iter()
        .map(|dimension| match (&dimension.lower, &dimension.upper) {
            (Some(lower), Some(upper)) if lower.kind == ExpressionKind::Integer(1) => text(upper),
            (Some(lower), Some(upper)) => format!("{}:{}", text(lower), text(upper)),
            _ => ":".to_string(),
        })
        .collect();
    format!("{name}({})", bounds.join(", "))
}

fn variables_of(operation: &StepOperation) -> Vec<NewVariable> {
    match operation {
        StepOperation::PostReceive { request, .. }
        | StepOperation::PostReceiveOfCallee { request, .. }
        | StepOperation::PostSend { request, .. }
        | StepOperation::ClearRequest { request }
        | StepOperation::Prepare { request, .. }
        | StepOperation::Start { request, .. }
        | StepOperation::Release { request, .. }
        | StepOperation::Complete { requests: request, .. }
        | StepOperation::KeepActive { request }
        | StepOperation::Wait { request, .. } => vec![request.variable],
        StepOperation::HandOverRequest { from, to, .. } => vec![from.variable, to.variable],
        StepOperation::WaitAll { requests, .. }
        | StepOperation::StartAll { requests, .. }
        | StepOperation::ClearRequestsToo { requests } => vec![*requests],
        StepOperation::OpenTransfer { transfer, .. } | StepOperation::ClearTransfer { transfer } => {
            vec![*transfer]
        }
        StepOperation::SendFin { transfer, request, .. } => vec![*transfer, request.variable],
        StepOperation::ComputeEarly(computation) => {
            let of_value = |value: &EarlyValue| match value.source {
                ValueSource::Variable(variable) => Some(variable),
                ValueSource::RightSide(_) => None,
            };
            computation.values.iter().filter_map(of_value).collect()
        }
        StepOperation::StripMine(strip_mine) => {
            [vec![strip_mine.transfer], variables_of_loop(strip_mine.tiled.number)].concat()
        }
        StepOperation::WaitInTiles(wait) => [variables_of(&wait.wait), variables_of_loop(wait.tiled.number)].concat(),
        StepOperation::SplitLoop { number, wait, .. } => {
            let own = [NewVariable::TileStart, NewVariable::TileEnd, NewVariable::LoopPart].map(|new| new(*number));
            [variables_of(wait), own.to_vec()].concat()
        }
        StepOperation::Initialize
        | StepOperation::Finalize
        | StepOperation::Attach
        | StepOperation::StoreSuccess
        | StepOperation::DropStore
        | StepOperation::DropPack { .. } => Vec::new(),
        StepOperation::SynchroniseBuffer { .. } => Vec::new(),
    }
}

/// The variables of the loop around a loop.
fn variables_of_loop(number: usize) -> Vec<NewVariable> {
    vec![NewVariable::TileStart(number), NewVariable::TileEnd(number), NewVariable::TileStep(number)]
}
