//! All units of a program: who is who, and what could not be read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address_taken::address_taken;
use super::calls::called_back;
use super::configuration::configuration_of;
use super::formats::gives_memory_to_streams;
use super::lowering::Input;
use super::names_for_others::names_for_others;
use super::places::Places;
use super::procedure::{Lowered, lower_function};
use super::reading_check::differences;
use super::reductions::{plain_reductions, reduction_made};
use super::runtime_header;
use super::signals::{handler_installed, quiet_handlers};
use super::unread::parts_of;
use crate::frontend::c::compiler_command::CompilerCommand;
use crate::frontend::c::mpi_calls::MpiUses;
use crate::frontend::c::points_to::{Assumptions, OfUnit, PointsTo};
use crate::frontend::c::preprocess::{self, Configuration, Disk, ProblemKind};
use crate::frontend::c::translation_unit::TranslationUnit;
use crate::frontend::c::unit::{self, ExpressionId, Linkage, Operation, SymbolKind, Unit};
use crate::frontend::{FrontendError, FrontendOptions};
use crate::ir::{
    FileId, MentionedProcedures, MissedCall, Procedure, ProcedureId, Program, SourceFile, Span, StatementKind,
    Untouchable, UntouchableCause,
};
use crate::mpi::properties::is_function;

/// The stack of the thread that reads and lowers, in bytes: statements and expressions are followed by recursion.
const STACK_SIZE: usize = 256 << 20;

/// The files of C among those of a program.
pub struct Given<'f> {
    /// Each with its number in the program.
    pub files: &'f mut [(FileId, SourceFile)],
    /// How many procedures the program has in other languages.
    pub others: usize,
}

/// Lowers the files, of which the names of procedures begin behind those of other languages. Files come back with what could not
/// be read in them.
///
/// # Errors
/// The compiler that the user names for a file can't be asked, or has a flag with which C means something else.
pub fn lower(given: Given<'_>, options: &FrontendOptions) -> Result<Program, FrontendError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        let lowered = thread.spawn_scoped(scope, || lower_here(given, options));
        match lowered.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(program)) => program,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => Err(FrontendError::Threads { message: error.to_string() }),
        }
    })
}

/// A unit with the number of its file.
struct Read {
    file: FileId,
    unit: TranslationUnit,
}

fn lower_here(given: Given<'_>, options: &FrontendOptions) -> Result<Program, FrontendError> {
    let Given { files, others } = given;
    let mut read: Vec<Read> = Vec::new();
    let differences = differences(files, options);
    for ((id, file), difference) in files.iter_mut().zip(differences) {
        let configuration = configuration_of(&file.path, options)?;
        if let Some(difference) = difference {
            file.unread.push(difference);
            continue;
        }
        match read_unit(&file.path, &file.text, &configuration) {
            Some(unit) => read.push(Read { file: *id, unit }),
            None => {
                let span = Span { file: *id, start: 0, end: file.text.len() };
                file.unread.push((span, "the compiler's target is not known".to_owned()));
            }
        }
    }
    let is_all = read.len() == files.len();
    let mut program = lower_units(&read, others, is_all, options);
    for read in &read {
        let Some((_, file)) = files.iter_mut().find(|(id, _)| *id == read.file) else { continue };
        let places = Places::of(&read.unit.expansion, read.file, file.text.len());
        let unread = unread_in(&read.unit, &places);
        file.unread.extend(unread);
        file.mark_compounds(places.compounds());
        program.missed_calls = missed_calls(&program, read, &places, file).into();
    }
    program.read = Arc::new(headers_of(&read));
    Ok(program)
}

/// The program's own headers.
fn headers_of(read: &[Read]) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = read.iter().flat_map(|read| read.unit.expansion.unit().files.iter().skip(1));
    let own = files.filter(|file| !file.is_system);
    own.map(|file| (file.path.clone(), file.text.to_vec())).collect()
}

/// Reads a file; nothing, if the compiler's target is not known.
fn read_unit(path: &Path, text: &[u8], configuration: &Configuration) -> Option<TranslationUnit> {
    TranslationUnit::read(path, text.to_vec(), configuration, &Disk).ok()
}

fn lower_units(read: &[Read], others: usize, is_all: bool, options: &FrontendOptions) -> Program {
    let mut external: HashMap<String, Option<ProcedureId>> = HashMap::new();
    let mut own: Vec<HashMap<unit::SymbolId, ProcedureId>> = Vec::new();
    let mut next = others;
    for Read { unit: TranslationUnit { unit, .. }, .. } in read {
        let mut of_unit = HashMap::new();
        for function in unit.functions.iter().filter(|function| !function.is_nested) {
            let id = ProcedureId(next);
            next += 1;
            let symbol = unit.symbol(function.symbol);
            let is_certain =
                !symbol.attributes.is_weak && !symbol.attributes.is_alias && symbol.assembler_name.is_none();
            let name = symbol.name.map_or("", |name| unit.names.text(name)).to_owned();
            if symbol.linkage == Linkage::External {
                let entry = external.entry(name).or_insert(is_certain.then_some(id));
                *entry = entry.filter(|known| *known == id);
            }
            of_unit.insert(function.symbol, id);
        }
        own.push(of_unit);
    }
    for (read, of_unit) in read.iter().zip(&mut own) {
        // What another definition may replace is nobody certain.
        let unit = &read.unit.unit;
        of_unit.retain(|symbol, id| {
            let symbol = unit.symbol(*symbol);
            let name = symbol.name.map_or("", |name| unit.names.text(name));
            symbol.linkage != Linkage::External || external.get(name) == Some(&Some(*id))
        });
    }
    let units: Vec<&Unit> = read.iter().map(|read| &read.unit.unit).collect();
    let texts: Vec<&[u8]> = read.iter().map(|read| read.unit.expansion.text()).collect();
    let paths = read.iter().map(|read| &read.unit.expansion.unit().file(preprocess::FileId::MAIN).path);
    let mut compilers = paths.filter_map(|path| options.of(path).c_compiler.as_ref());
    let keeps_types = !compilers.any(CompilerCommand::accesses_by_any_type);
    let points_to = PointsTo::of(&units, &texts, Assumptions { is_whole: others == 0 && is_all, keeps_types });
    let mut called: Vec<HashMap<ExpressionId, Vec<ProcedureId>>> =
        (0..units.len()).map(|number| procedures_called(units[number], points_to.unit(number), &own)).collect();
    let streams_have_memory = units.iter().any(|unit| gives_memory_to_streams(unit));
    let quiet_handlers = if streams_have_memory { HashSet::new() } else { quiet_handlers(&units, &own) };
    let plain_reductions = if streams_have_memory { HashSet::new() } else { plain_reductions(&units, &own) };
    let mut program = Program::default();
    let mut mentioned = MentionedProcedures { for_others: Some(BTreeSet::new()), ..MentionedProcedures::default() };
    for (number, (Read { file, unit: whole }, own)) in read.iter().zip(own).enumerate() {
        let unit = &whole.unit;
        let length = whole.expansion.unit().file(preprocess::FileId::MAIN).text.len();
        let places = Places::of(&whole.expansion, *file, length);
        let path = &whole.expansion.unit().file(preprocess::FileId::MAIN).path;
        let includes_behind = runtime_header::behind_mpi(whole.expansion.unit());
        let threads = threads_of(whole, &places, options.of(path));
        let left_alone = threads
            .or_else(|| hidden_header(whole, &places, includes_behind))
            .or_else(|| name_of_runtime(whole, &places));
        let text = whole.expansion.text();
        let taken = address_taken(unit);
        let points = points_to.unit(number);
        let (external, called) = (&external, std::mem::take(&mut called[number]));
        let (quiet_handlers, plain_reductions) = (&quiet_handlers, &plain_reductions);
        let input = Input {
            unit,
            text,
            places,
            own,
            external,
            points,
            called,
            is_in_c_alone: others == 0 && is_all,
            quiet_handlers,
            plain_reductions,
            streams_have_memory,
            replaced: names_replaced(whole),
            taken,
            includes_behind,
            left_alone,
        };
        mentioned.elsewhere.extend(named_elsewhere(unit, &input));
        let for_others = mentioned.for_others.take().zip(names_for_others(unit, text));
        mentioned.for_others = for_others.map(|(known, more)| known.into_iter().chain(more).collect());
        for function in unit.functions.iter().filter(|function| !function.is_nested) {
            let Lowered { procedure, indirect_names, named } = lower_function(&input, function);
            program.procedures.push(Arc::new(procedure));
            program.indirect_names.extend(indirect_names);
            mentioned.by_procedures.push(named);
        }
    }
    program.doubtful_names = external.iter().filter(|(_, id)| id.is_none()).map(|(name, _)| name.clone()).collect();
    program.link_names = external.into_iter().collect();
    program.mentioned = Arc::new(mentioned);
    program
}

/// The names in the program that are macros without parameters somewhere in the unit: `#define k 8` below a variable `k`.
fn names_replaced(whole: &TranslationUnit) -> HashSet<&str> {
    let read = whole.expansion.unit();
    read.replaced.iter().filter_map(|name| std::str::from_utf8(read.symbols.spelling(*name)).ok()).collect()
}

/// The procedures that the unit's calls through pointers may call.
fn procedures_called(
    unit: &Unit,
    points: &OfUnit,
    own: &[HashMap<unit::SymbolId, ProcedureId>],
) -> HashMap<ExpressionId, Vec<ProcedureId>> {
    let callees = unit.expressions.iter().filter_map(|expression| match &expression.operation {
        Operation::Call { callee, arguments } => {
            let handed = called_back(unit, *callee, arguments);
            let handed = handed.or_else(|| handler_installed(unit, *callee, arguments));
            Some(handed.or_else(|| reduction_made(unit, *callee, arguments)).unwrap_or(*callee))
        }
        _ => None,
    });
    let known = callees.filter_map(|callee| {
        let functions = points.called(callee)?.iter();
        let procedures = functions.map(|(number, symbol)| own[*number].get(symbol).copied());
        Some((callee, procedures.collect::<Option<Vec<ProcedureId>>>()?))
    });
    known.collect()
}

/// The procedures that run by themselves, or that the initialisers of objects name.
fn named_elsewhere(unit: &Unit, input: &Input<'_>) -> BTreeSet<ProcedureId> {
    let mut found = BTreeSet::new();
    let procedure = |symbol: &unit::SymbolId| {
        let name = unit.symbol(*symbol).name.map_or("", |name| unit.names.text(name));
        input.own.get(symbol).copied().or_else(|| input.external.get(name).copied().flatten())
    };
    for symbol in (0..unit.symbols.len()).map(unit::SymbolId::next) {
        let declared = unit.symbol(symbol);
        if declared.attributes.runs_by_itself || declared.attributes.has_cleanup {
            found.extend(procedure(&symbol));
        }
        let items = declared.initialiser.iter().flat_map(|initialiser| &initialiser.items);
        let values: Vec<unit::ExpressionId> = items.map(|item| item.value).collect();
        for part in parts_of(unit, &values) {
            if let Operation::Symbol(named) = &unit.expression(part).operation
                && unit.symbol(*named).kind == SymbolKind::Function
            {
                found.extend(procedure(named));
            }
        }
    }
    let is_uncertain = !unit.holes.is_empty() || !unit.assembler.is_empty();
    if is_uncertain {
        found.extend(input.own.values());
        found.extend(input.external.values().flatten());
    }
    found
}

/// What makes several threads run a unit's functions.
fn threads_of(whole: &TranslationUnit, places: &Places<'_>, options: &FrontendOptions) -> Option<Untouchable> {
    if options.ignores_directives() {
        return None;
    }
    let text = whole.expansion.text();
    let pragma = whole.unit.pragmas.iter().find(|pragma| {
        let text = String::from_utf8_lossy(&text[pragma.range.clone()]);
        text.split_whitespace().any(|word| word == "omp" || word == "acc")
    })?;
    let range = u32::try_from(pragma.range.start).ok()?..u32::try_from(pragma.range.end).ok()?;
    let text = "a directive of OpenMP or OpenACC".to_owned();
    Some(Untouchable { span: places.span(&range), cause: UntouchableCause::Threads, text })
}

/// What of the program would replace names of the runtime's header.
fn hidden_header(whole: &TranslationUnit, places: &Places<'_>, behind: Option<usize>) -> Option<Untouchable> {
    let (name, place) = runtime_header::macro_in_the_way(whole.expansion.unit(), behind)?;
    let place = place.map(|place| places.of_place(place))?;
    let text =
        format!("`{name}` is a macro in front of `mpi.h`, and a name in `gravel.h`, which would stand behind it");
    Some(Untouchable { span: place, cause: UntouchableCause::Replaced, text })
}

/// What of the program has a name of the emitted code: a macro, or something that is seen in the whole file.
fn name_of_runtime(whole: &TranslationUnit, places: &Places<'_>) -> Option<Untouchable> {
    let unit = &whole.unit;
    let spelled = |id: unit::SymbolId| unit.symbol(id).name.map_or("", |name| unit.names.text(name));
    let is_seen = |id: &unit::SymbolId| {
        let symbol = unit.symbol(*id);
        symbol.linkage != Linkage::None || matches!(symbol.kind, SymbolKind::Typedef | SymbolKind::Enumerator(_))
    };
    let is_one = |id: &unit::SymbolId| runtime_header::is_of_runtime(spelled(*id)) && !unit.is_stand_in(*id);
    let mut seen = (0..unit.symbols.len()).map(unit::SymbolId::next).filter(is_one).filter(is_seen);
    let of_macro = || runtime_header::macro_of_runtime(whole.expansion.unit());
    let (name, span) = match seen.next() {
        Some(id) => (spelled(id).to_owned(), places.span(&unit.symbol(id).range)),
        None => of_macro().map(|(name, place)| (name, places.of_place(place)))?,
    };
    let text = format!("`{name}` is a name of the program, and the emitted code has names that begin so");
    Some(Untouchable { span, cause: UntouchableCause::Replaced, text })
}

/// What of a unit could not be read, and why.
fn unread_in(whole: &TranslationUnit, places: &Places<'_>) -> Vec<(Span, String)> {
    let read = whole.expansion.unit();
    let mut found: Vec<(Span, String)> = Vec::new();
    for problem in &read.problems {
        let name = problem.name.map(|name| read.symbols.text(name));
        // Of headers of the system it is known what they declare.
        let is_known = problem.kind == ProblemKind::NoSuchFile
            && name.as_deref().is_some_and(crate::frontend::c::stand_ins::stands_for);
        if !is_known {
            let name = name.map_or(String::new(), |name| format!(" (`{name}`)"));
            found.push((places.of_place(problem.place), format!("{}{name}", described(problem.kind))));
        }
    }
    for hole in &whole.unit.holes {
        found.push((places.span(&hole.range), "text that is not C as gravelc reads it".to_owned()));
    }
    for range in &whole.unit.assembler {
        found.push((places.span(range), "assembler outside of functions".to_owned()));
    }
    found
}

fn described(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::OpenComment => "a comment that does not end",
        ProblemKind::NoSuchFile => "a file that is included is nowhere",
        ProblemKind::NoFileName => "`#include` without the name of a file",
        ProblemKind::InvalidDirective => "a directive of a wrong form",
        ProblemKind::InvalidDefinition => "a macro of a wrong form",
        ProblemKind::InvalidCondition => "a condition that can't be evaluated",
        ProblemKind::UnbalancedCondition => "a condition without its beginning or its end",
        ProblemKind::InvalidPaste => "`##` that makes no token",
        ProblemKind::WrongArguments => "a macro with another number of arguments",
        ProblemKind::OpenArguments => "the arguments of a macro do not end",
        ProblemKind::InvalidPragma => "`_Pragma` without a text",
        ProblemKind::ErrorDirective => "`#error` is reached",
        ProblemKind::IncludesTooDeep => "files that include one another without end",
        ProblemKind::NestedTooDeep => "macros or conditions that are nested too deeply",
        ProblemKind::TooLarge => "the text is larger than gravelc reads",
    }
}

/// The calls of MPI that no statement of the program stands for, with those that are known already.
fn missed_calls(program: &Program, read: &Read, places: &Places<'_>, file: &SourceFile) -> Vec<MissedCall> {
    let mut missed = program.missed_calls.to_vec();
    let unit = &read.unit.unit;
    let is_understood = |kind: &StatementKind| matches!(kind, StatementKind::Communication(_) | StatementKind::Stop);
    let statements = program.procedures.iter().flat_map(|procedure: &Arc<Procedure>| &procedure.statements);
    // A statement ends with its call.
    let mut understood: HashMap<(FileId, usize), usize> = HashMap::new();
    for statement in statements.filter(|statement| is_understood(&statement.kind)) {
        *understood.entry((statement.span.file, statement.span.end)).or_default() += 1;
    }
    let uses = MpiUses::of(&read.unit);
    for call in &uses.calls {
        let name = unit.symbol(call.symbol).name.map_or("", |name| unit.names.text(name)).to_ascii_lowercase();
        let text = read.unit.expansion.text();
        let range = super::communication::without_parentheses(unit, text, call.call);
        let span = places.own_span(&range).unwrap_or_else(|| places.span(&range));
        let is_evaluated = call.function.is_some();
        match understood.get_mut(&(span.file, span.end)) {
            Some(count) if *count > 0 => *count -= 1,
            _ if is_function(&name) || !is_evaluated => {}
            // One that the program defines is none of MPI's.
            _ if program.procedures.iter().any(|procedure| procedure.name.eq_ignore_ascii_case(&name)) => {}
            _ => missed.push(MissedCall {
                routine: name,
                path: file.path_of(span.start).to_path_buf(),
                line: file.line_of(span.start),
            }),
        }
    }
    for range in &uses.unread {
        let span = places.span(range);
        let routine = String::from_utf8_lossy(&read.unit.expansion.text()[range.start as usize..range.end as usize]);
        let routine = routine.to_ascii_lowercase();
        missed.push(MissedCall { routine, path: file.path.clone(), line: file.line_of(span.start) });
    }
    missed
}
