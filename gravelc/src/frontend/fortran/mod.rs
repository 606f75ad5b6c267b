//! The Fortran front end, for free and fixed source form.
//!
//! ```text
//! bytes --text--> syntax tree and holes --names--> program units, procedures and their scopes
//!       --lower--> symbols and statements of the program
//! ```
//!
//! The syntax tree is an intermediate form: nothing behind this folder sees it. An array reference and a function
//! call look alike in it; the scopes decide. A *hole* is a stretch of the file that the tree does not show (a syntax
//! error, a region that the preprocessor decides); it becomes an opaque statement.

mod lower;
pub mod names;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use self::lower::handed_over::AllHandedOver;
use self::lower::lowering::{Input, LineUse};
use self::lower::operations::Operations;
use self::lower::procedure::lower_procedure;
use self::lower::{
    addresses, anchors, entity_lists, missed_calls, procedure, threads, user_directives, visible_variables,
};
use self::names::association::Scopes;
use self::names::bindings::Extensions;
use self::names::common_blocks::CommonBlocks;
pub use self::names::default_kinds::DefaultKinds;
use self::names::mentioned_procedures::{BesideUnits, mentioned_procedures};
pub use self::names::mpi_stand_ins::{StandInKind, StandIns, mpi_stand_ins};
use self::names::names_in_units::NamesInUnits;
use self::names::scope::Meaning;
use self::names::units::{Source, UnitKind, Units};
use self::names::{declarations, messaging_names, storage_association, structures, submodules, units};
pub use self::text::conditions::{Macro, Macros};
pub use self::text::directives::Sentinel;
use self::text::directives::Unused;
pub use self::text::file_reading::FileReading;
use self::text::includes::{Found, Surroundings};
use self::text::parse::ParsedFile;
pub(super) use self::text::parse::is_readable;
pub use self::text::source_text::LiveStatements;
use self::text::tree::named_children;
use self::text::{expansion, macro_expansion, parse, source_text, syntax_tree};
use super::{FrontendError, FrontendOptions};
use crate::ir::{
    Directive, FileId, Language, MentionedProcedures, Module, Procedure, Program, SourceFile, Span, Structure,
    Submodule,
};
use crate::progress::{self, Phase};

/// The stack of a thread that reads files, in bytes.
const STACK_SIZE: usize = 16 << 20;

/// Lowers the files of one whole program.
pub(super) fn lower(mut files: Vec<SourceFile>, options: &FrontendOptions) -> Result<Program, FrontendError> {
    // Statements are read by recursion to a depth that is bounded; a stack of this size holds it.
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_SIZE).build();
    let pool = pool.map_err(|error| FrontendError::Threads { message: error.to_string() })?;
    let expanding = Found::default();
    let given = files.iter().filter_map(|file| file.path.canonicalize().ok()).collect();
    let expand = |file: &mut SourceFile| expand_in(file, options, &expanding, &given);
    let (refused, left): (Vec<BTreeMap<usize, String>>, Vec<BTreeSet<PathBuf>>) =
        pool.install(|| files.par_iter_mut().map(expand).unzip());
    let found = Found::default();
    let parse = |(file, refused): (&SourceFile, BTreeMap<usize, String>)| {
        let surroundings = Surroundings { refused: Arc::new(refused), ..surroundings_of(&file.path, options, &found) };
        let parsed = parse::parse(&file.text, file.layout, file.is_preprocessed, &surroundings);
        progress::advance();
        parsed
    };
    let parsed = pool.install(|| files.par_iter().zip(refused).map(parse).collect::<Result<Vec<_>, _>>())?;
    for (file, parsed) in files.iter_mut().zip(&parsed) {
        if let Some(lines) = &parsed.lines {
            file.join_lines(&lines.joined);
        }
    }
    let mut left: BTreeSet<PathBuf> = left.into_iter().flatten().collect();
    let mut pending: Vec<&ParsedFile> = parsed.iter().collect();
    while let Some(file) = pending.pop() {
        let inner = file.included.iter().filter(|included| left.insert(included.path.clone()));
        pending.extend(inner.map(|included| &included.file.parsed));
    }
    let (included, read): (BTreeMap<_, _>, BTreeMap<_, _>) =
        expanding.into_texts().into_iter().chain(found.into_texts()).partition(|(path, _)| left.contains(path));
    let lowered = pool.install(|| lower_parsed(&files, &parsed, &included, options));
    let mut unread = lowered.unread;
    unread.sort();
    unread.dedup();
    for (span, why) in unread {
        files[span.file.0].unread.push((span, why));
    }
    let mut program = Program {
        files: files.into(),
        included: included.into(),
        read: read.into(),
        procedures: lowered.procedures.into_iter().map(Arc::new).collect(),
        modules: lowered.modules.into(),
        submodules: lowered.submodules,
        global_names: lowered.global_names,
        indirect_names: lowered.indirect_names,
        mentioned: Arc::new(lowered.mentioned),
        doubtful_names: lowered.doubtful_names,
        library_modules: lowered.library_modules,
        structures: lowered.structures,
        parts_of_values: lowered.parts_of_values,
        messaging_names: Arc::new(lowered.messaging_names),
        directives: lowered.directives,
        naming: Some(Arc::new(lowered.names)),
        ..Program::default()
    };
    program.missed_calls = missed_calls::missed_calls(&program).into();
    Ok(program)
}

/// Expands what `file` includes, and says why the files of other lines are not, by where the lines begin, and which files it
/// includes all the same. The files at the paths `given` are read by themselves.
fn expand_in(
    file: &mut SourceFile,
    options: &FrontendOptions,
    found: &Found,
    given: &BTreeSet<PathBuf>,
) -> (BTreeMap<usize, String>, BTreeSet<PathBuf>) {
    let surroundings = surroundings_of(&file.path, options, found);
    let Some(expanded) = expansion::expanded(file, &surroundings, given) else { return Default::default() };
    if !expanded.expansions.is_empty() {
        file.expand(expanded.text, expanded.expansions);
    }
    (expanded.refused, expanded.left)
}

/// What the parsed files hold.
struct Lowered {
    procedures: Vec<Procedure>,
    /// With room for declarations.
    modules: Vec<Module>,
    submodules: Vec<Submodule>,
    /// Of modules, submodules, block data units and COMMON blocks.
    global_names: Vec<(String, Span)>,
    /// Under which procedures are called that can't be told.
    indirect_names: BTreeSet<String>,
    /// Where procedures are named.
    mentioned: MentionedProcedures,
    /// Of procedures that are called, and that may come from something that is not known.
    doubtful_names: BTreeSet<String>,
    /// Modules of libraries that it uses.
    library_modules: BTreeSet<String>,
    /// Types with components.
    structures: BTreeMap<String, Structure>,
    /// The components that are named of objects which are values of expressions.
    parts_of_values: BTreeSet<String>,
    /// Where the text names what is MPI's.
    messaging_names: BTreeMap<String, Vec<Span>>,
    /// What users ask for.
    directives: Vec<Directive>,
    /// Which names mean something where.
    names: NamesInUnits,
    /// What could not be read, and why.
    unread: Vec<(Span, String)>,
}

fn lower_parsed(
    files: &[SourceFile],
    parsed: &[ParsedFile],
    included: &BTreeMap<PathBuf, Vec<u8>>,
    options: &FrontendOptions,
) -> Lowered {
    let of_files: Vec<&FrontendOptions> = files.iter().map(|file| options.of(&file.path)).collect();
    // What a directive makes parallel in one file calls what stands in others, also in C.
    let in_all = |is_comment: fn(&FrontendOptions) -> bool| {
        files.iter().zip(&of_files).all(|(file, options)| match file.language {
            Language::Fortran => is_comment(options),
            _ => options.ignores_directives(),
        })
    };
    let without = Unused {
        openmp: in_all(|options| options.macros.without_openmp),
        openacc: in_all(|options| options.macros.without_openacc),
        cuda: in_all(|options| options.macros.get("_CUDA") == Macro::Undefined),
    };
    let sources: Vec<Source<'_>> = files
        .iter()
        .zip(parsed)
        .enumerate()
        .map(|(index, (file, parsed))| Source::new(FileId(index), &file.text, parsed))
        .collect();
    let units = units::collect(&sources);
    let scopes = declarations::read_scopes(&sources, &units, options, &of_files);
    let entities = || scopes.list.iter().flatten().flat_map(|scope| scope.entities.values());
    let input = Input {
        sources: &sources,
        units: &units,
        scopes: &scopes,
        extensions: &Extensions::of(&sources, &scopes),
        statements_on_line: &sources.iter().map(LineUse::new).collect::<Vec<_>>(),
        operations: &Operations::of(&scopes),
        defines_operations: scopes.list.iter().flatten().any(|scope| scope.defines_operations),
        defines_finalisers: scopes.list.iter().flatten().any(|scope| scope.defines_finalisers),
        defines_input_output: scopes.list.iter().flatten().any(|scope| scope.defines_input_output),
        common_blocks: &CommonBlocks::of(&sources, &units, &scopes),
        macros: &sources.iter().flat_map(|source| source.parsed.preprocessing.macros.iter().cloned()).collect(),
        without,
        all_handed_over: None,
        initialised_blocks: &entities()
            .filter(|entity| entity.attributes.initialised)
            .filter_map(|entity| entity.common.clone())
            .collect(),
    };
    let mut unread: Vec<(Span, String)> = sources.iter().flat_map(|source| unread_in(source, &units)).collect();
    let mut procedures = Vec::with_capacity(units.of_procedure.len());
    let mut indirect_names = BTreeSet::new();
    let mut doubtful_names = BTreeSet::new();
    let mut constructed: BTreeMap<String, Span> = BTreeMap::new();
    let mut parts_of_values = BTreeSet::new();
    for lowered in lower_procedures(&input) {
        procedures.push(lowered.procedure);
        unread.extend(lowered.unread);
        indirect_names.extend(lowered.indirect_names);
        doubtful_names.extend(lowered.doubtful_names);
        parts_of_values.extend(lowered.parts_of_values);
        for (name, span) in lowered.constructed {
            constructed.entry(name).or_insert(span);
        }
    }
    threads::mark_threaded(files, &mut procedures, &indirect_names, without);
    let beside = BesideUnits { files, included, known: &macros_of(&of_files) };
    let mentioned = mentioned_procedures(&sources, &units, &scopes, &beside);
    let names = NamesInUnits::of(&sources, input.macros, &units, &scopes);
    visible_variables::lend_to_callers(&mut procedures, &units, &scopes, &names);
    if scopes.list.iter().flatten().any(|scope| !scope.cray_pointers.is_empty()) {
        addresses::take_addresses(&mut procedures);
    }
    let directives = sources.iter().flat_map(|source| user_directives::directives_of(source, &procedures)).collect();
    let global_names = global_names(&sources, &units, &scopes);
    let modules = modules(&sources, &units, &scopes);
    let submodules = submodules::in_program(&sources, &units);
    let mut structures = structures::structures(&scopes);
    for (name, structure) in &mut structures {
        structure.constructed = constructed.remove(name);
    }
    let library_modules = scopes.library_modules();
    Lowered {
        procedures,
        modules,
        submodules,
        global_names,
        indirect_names,
        mentioned,
        doubtful_names,
        library_modules,
        structures,
        parts_of_values,
        messaging_names: messaging_names::messaging_names(&sources, without.openmp),
        directives,
        names,
        unread,
    }
}

/// What is known of macros in the files, once each.
fn macros_of<'o>(of_files: &[&'o FrontendOptions]) -> Vec<&'o Macros> {
    let mut known = HashSet::new();
    let macros = of_files.iter().map(|options| &options.macros);
    macros.filter(|&macros| known.insert(std::ptr::from_ref(macros))).collect()
}

/// All procedures in their order.
fn lower_procedures(input: &Input<'_, '_>) -> Vec<procedure::Lowered> {
    let units = input.units;
    progress::begin(Phase::Procedures, units.of_procedure.len());
    let lower = |input: &Input<'_, '_>, unit: usize| match units.list[unit].kind {
        UnitKind::Procedure(kind) => {
            let lowered = lower_procedure(input, unit, kind);
            progress::advance();
            Some(lowered)
        }
        _ => None,
    };
    let mut lowered: Vec<_> = units.of_procedure.par_iter().filter_map(|&unit| lower(input, unit)).collect();
    // What references through dummy procedures and pointers may call is known only now.
    if lowered.iter().any(|lowered| lowered.calls_indirectly) {
        let all_handed_over = AllHandedOver::of(&lowered, input.scopes);
        let input = Input { all_handed_over: Some(&all_handed_over), ..*input };
        let again = lowered.par_iter_mut().zip(&units.of_procedure).filter(|(lowered, _)| lowered.calls_indirectly);
        again.for_each(|(lowered, &unit)| {
            if let Some(with_targets) = lower(&input, unit) {
                *lowered = with_targets;
            }
        });
    }
    lowered
}

/// The modules in which declarations can be inserted: those whose own could be read.
fn modules(sources: &[Source<'_>], units: &Units<'_>, scopes: &Scopes<'_>) -> Vec<Module> {
    // Submodules see what is private.
    let is_extended = units.list.iter().any(|unit| unit.kind == UnitKind::Submodule);
    let known = units.list.iter().zip(&scopes.list).filter(|(unit, _)| unit.kind == UnitKind::Module);
    let found = known.filter_map(|(unit, scope)| {
        let scope = scope.as_ref().filter(|scope| scope.incomplete.is_none() && scope.obstacle.is_none())?;
        let source = &sources[unit.source];
        let anchors = anchors::anchors_of(source, unit, unit.parts_end)?;
        let has_our_names = scope.entities.keys().any(|name| name.starts_with("gravel"));
        let variables = scope.entities.values().filter(|entity| entity.meaning == Meaning::Variable);
        let public = variables.filter(|entity| scope.is_public(&entity.name)).map(|entity| entity.name.clone());
        let (name, public_variables) = (unit.name.clone(), public.collect());
        let is_hidden = |name: &str| !is_extended && !scope.is_public(name);
        let declarations = match scope.private_by_default || !scope.private.is_empty() {
            true => entity_lists::declarations_of_module(source, unit, &is_hidden),
            false => Vec::new(),
        };
        let span = source.span_of(unit.node);
        Some(Module { name, span, anchors, public_variables, declarations, has_our_names })
    });
    found.collect()
}

/// The names of units that are no procedures, and of COMMON blocks.
fn global_names(sources: &[Source<'_>], units: &Units<'_>, scopes: &Scopes<'_>) -> Vec<(String, Span)> {
    let mut names = Vec::new();
    for (unit, scope) in units.list.iter().zip(&scopes.list) {
        let place = sources[unit.source].span_of(unit.header.unwrap_or(unit.node));
        if !matches!(unit.kind, UnitKind::Procedure(_) | UnitKind::Interface) {
            names.push((unit.name.clone(), place));
        }
        let entities = scope.iter().flat_map(|scope| scope.entities.values());
        let blocks = entities.filter_map(|entity| storage_association::block_name(entity.common.as_deref()?));
        names.extend(blocks.map(|block| (block.to_string(), place)));
    }
    names.sort();
    names.dedup();
    names
}

/// The statements of `file` that are compiled, as far as its conditions are decided, with its macros replaced.
pub(super) fn live_statements(file: &SourceFile, options: &FrontendOptions) -> LiveStatements {
    let found = Found::default();
    let surroundings = surroundings_of(&file.path, options, &found);
    let replaced = macro_expansion::replaced(&file.text, file, &surroundings);
    let text = replaced.as_ref().map_or(&file.text, |replaced| &replaced.text);
    source_text::SourceText::of(text, file.layout, file.is_preprocessed, &surroundings).statements()
}

/// What `file` reads as, with what it includes.
pub(super) fn file_reading(mut file: SourceFile, options: &FrontendOptions) -> FileReading {
    expand_in(&mut file, options, &Found::default(), &BTreeSet::new());
    FileReading::of(&file, &surroundings_of(&file.path, options, &Found::default()))
}

/// What surrounds the file at `path`.
fn surroundings_of(path: &Path, options: &FrontendOptions, found: &Found) -> Surroundings {
    let options = options.of(path);
    let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
    Surroundings {
        folders: std::iter::once(beside).chain(options.include_folders.iter().cloned()).collect(),
        macros: options.macros.clone(),
        compiles_debug_lines: options.compiles_debug_lines,
        depth: 0,
        refused: Arc::default(),
        found: found.clone(),
    }
}

/// What the grammar can't read in `text`, which is read as `file` is: line, from 1, and what is wrong.
pub(super) fn syntax_errors(text: &[u8], file: &SourceFile) -> Result<Vec<(usize, String)>, FrontendError> {
    let line_of = |offset: usize| 1 + text[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count();
    let errors = parse::errors_of(text, file.layout, file.is_preprocessed)?;
    Ok(errors.into_iter().map(|(offset, why)| (line_of(offset), why)).collect())
}

/// Stretches of a file that are in no tree, and what of the tree belongs to no unit.
fn unread_in(source: &Source<'_>, units: &Units<'_>) -> Vec<(Span, String)> {
    let mut unread: Vec<(Span, String)> =
        source.parsed.holes.iter().map(|hole| (source.span(hole.range.clone()), hole.why.clone())).collect();
    let root = source.parsed.tree.root_node();
    let ids: HashSet<usize> = units.list.iter().map(|unit| unit.node.id()).collect();
    for node in named_children(root) {
        match node.kind() {
            _ if ids.contains(&node.id()) => {}
            // An interface block by itself declares nothing for anybody.
            "interface" => {}
            "include_statement" => unread.push((source.span_of(node), "the included file is not read".to_string())),
            _ => unread.push((source.span_of(node), "text outside any procedure that can't be read".to_string())),
        }
    }
    let in_units = |node: &syntax_tree::Node<'_>| {
        units
            .list
            .iter()
            .any(|unit| unit.node.start_byte() <= node.start_byte() && node.end_byte() <= unit.node.end_byte())
    };
    for node in parse::error_nodes(root).into_iter().filter(in_units) {
        unread.push((source.span_of(node), "syntax error".to_string()));
    }
    unread
}
