//! The program: its procedures and modules, and what is known of it as a whole.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::{
    Aliases, Block, DeclarationStatement, Dialect, Directive, Expression, FileId, Indivisible, Language, Line, Naming,
    Room, SourceFile, Span, Statement, StatementId, StatementKind, Structure, Symbol, SymbolId, TextParts, Untouchable,
};

/// Index of a [`Procedure`] in [`Program::procedures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProcedureId(pub usize);

/// What a procedure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcedureKind {
    /// The main program.
    Main,
    /// A procedure without a result.
    Subroutine,
    /// A procedure with a result.
    Function,
}

/// The name of a main program that has none in its text: no name of the program can be it.
pub const UNNAMED_MAIN: &str = "main program";

/// Byte offsets, each at the beginning of a line, where the emitter may insert lines of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchors {
    /// Where an import (a Fortran `use`) may be inserted.
    pub imports: usize,
    /// Where declarations may be inserted: behind the last declaration, before the first executable statement.
    pub declarations: usize,
}

/// How a procedure sees the names of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagingNames {
    /// Not at all.
    Unseen,
    /// All of them; they agree with those of this module of MPI.
    All(&'static str),
    /// Some of them, from this module.
    Some(&'static str),
    /// It can't be told.
    Unclear,
}

/// One procedure with its symbols and statements.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// The name, in the spelling that the language compares (Fortran: lower case).
    pub name: String,
    /// What it is.
    pub kind: ProcedureKind,
    /// What it is written in.
    pub language: Language,
    /// From the first to the last byte of the procedure.
    pub span: Span,
    /// The dummy arguments in order.
    pub dummies: Vec<SymbolId>,
    /// Its declaration forbids effects that others can see (Fortran PURE, and ELEMENTAL without IMPURE): it can call nothing of
    /// MPI.
    pub is_pure: bool,
    /// Called with arrays where it has scalars, it runs for each of their elements (Fortran ELEMENTAL).
    pub is_elemental: bool,
    /// The variable that holds a function's result; `None` if there is none, or it is not known.
    pub result: Option<SymbolId>,
    /// Every name that the procedure declares or uses.
    pub symbols: Vec<Symbol>,
    /// Arena of the statements; blocks refer to it.
    pub statements: Vec<Statement>,
    /// The executable statements in order.
    pub body: Block,
    /// Where the emitter may insert.
    pub anchors: Anchors,
    /// How it sees the names of MPI.
    pub messaging_names: MessagingNames,
    /// What is evaluated whenever the procedure begins: the bounds and lengths in its declarations. Where something happens
    /// at its beginning or end that is not known, an opaque expression.
    pub evaluated_at_entry: Vec<Expression>,
    /// Functions of the language, of those that emitted code calls, whose names mean something else here.
    pub redefined_functions: Vec<String>,
    /// Where its text can be taken apart.
    pub text_parts: Result<TextParts, Indivisible>,
    /// The statements that declare its variables, where it calls MPI or procedures: some names may lose their use.
    pub declarations: Vec<DeclarationStatement>,
    /// Variables that the program does not have: each stands for one of its request variables in one of the operations that share
    /// it one after the other. Front ends leave this to the analyses.
    pub separate_requests: BTreeSet<SymbolId>,
    /// Calls of unknown procedures under these names are calls through objects of types that could be extended.
    pub overridable_calls: BTreeMap<String, Overridable>,
    /// Which of its names its calls make one place. Front ends leave this to the analyses.
    pub aliases: Aliases,
    /// Why no site of this procedure may be touched (directives of a threading model, something in its declarations
    /// that the front end can't read, …), with the place; `None` if nothing stands in the way.
    pub untouchable: Option<Untouchable>,
}

/// What a call through an object means if no type that was not given extends the object's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overridable {
    /// This procedure.
    Means(ProcedureId),
    /// One of those that are called beside it (in the other cases of the same statement, by the other operands). Where there
    /// is none it is never reached.
    Beside,
}

impl Procedure {
    /// What is asked about its language.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.language.dialect()
    }

    /// The symbol behind `id`.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0]
    }

    /// The variable that holds this one if it is a component of an object, else itself.
    pub fn holder_of(&self, id: SymbolId) -> SymbolId {
        self.symbol(id).holder().unwrap_or(id)
    }

    /// Does the name of the variable mean it at the statement? Inside of blocks with names of their own it may mean something
    /// else, or mean it only there.
    pub fn can_name(&self, id: SymbolId, at: StatementId) -> bool {
        let symbol = self.symbol(id);
        if symbol.has_shifting_name {
            return false;
        }
        let first = symbol.first_name();
        let around = std::iter::successors(self.statement(at).parent, |&inner| self.statement(inner).parent);
        for statement in around {
            if symbol.scope == Some(statement) {
                return true;
            }
            if let StatementKind::Scope(scope) = &self.statement(statement).kind
                && scope.names.iter().any(|name| name == first)
            {
                return false;
            }
        }
        symbol.scope.is_none()
    }

    /// Does a block around the statement give the name a meaning of its own?
    pub fn hides(&self, name: &str, at: StatementId) -> bool {
        let mut around = std::iter::successors(self.statement(at).parent, |&inner| self.statement(inner).parent);
        around.any(|statement| match &self.statement(statement).kind {
            StatementKind::Scope(scope) => scope.names.iter().any(|hidden| hidden == name),
            _ => false,
        })
    }

    /// The statement behind `id`.
    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.statements[id.0]
    }

    /// The block that holds a statement, and the statement's index in it.
    ///
    /// # Panics
    /// If the front end built a statement whose parent does not hold it.
    pub fn siblings(&self, id: StatementId) -> (&Block, usize) {
        let blocks = match self.statement(id).parent {
            Some(parent) => self.statement(parent).kind.blocks(),
            None => vec![&self.body],
        };
        blocks
            .into_iter()
            .find_map(|block| block.iter().position(|&sibling| sibling == id).map(|index| (block, index)))
            .expect("a statement lies in a block of its parent")
    }

    /// Every statement that the body holds, in the order of the source. The arena may hold more: what a front end gave up
    /// is inside an opaque statement.
    pub fn statements_in_order(&self) -> Vec<StatementId> {
        let mut found = self.body.clone();
        self.add_descendants(&mut found);
        found.sort_by_key(|&id| (self.statement(id).span.start, id));
        found
    }

    /// Could other statements be put right before the statement and right behind it, as far as that depends on its lines?
    pub fn has_room_around(&self, id: StatementId) -> bool {
        match self.statement(id).room {
            Room::OwnLines | Room::Governed => true,
            Room::SharedLine => !self.dialect().lines_matter(),
            Room::Inside | Room::Expression(_) | Room::Elsewhere => false,
        }
    }

    /// What keeps all calls of MPI in it as they are.
    pub fn keeps_calls(&self) -> Option<&Untouchable> {
        self.untouchable.as_ref().filter(|found| !found.cause.lets_calls_change())
    }

    /// Can something else take the statement's place, with more evaluated right before it and right behind it?
    pub fn can_be_replaced(&self, id: StatementId) -> bool {
        self.has_room_around(id) || self.is_expression(id)
    }

    /// Is the statement a call in an expression?
    pub fn is_expression(&self, id: StatementId) -> bool {
        matches!(self.statement(id).room, Room::Expression(_))
    }

    /// Does a macro make the statement, or does it stand in a file that is included?
    pub fn is_spelled_elsewhere(&self, id: StatementId) -> bool {
        self.statement(id).room == Room::Elsewhere
    }

    /// The statement and everything it contains, parents first.
    pub fn with_descendants(&self, id: StatementId) -> Vec<StatementId> {
        let mut found = vec![id];
        self.add_descendants(&mut found);
        found
    }

    /// Is there a statement with this property among the statement and all that it contains?
    pub fn holds(&self, id: StatementId, property: &mut dyn FnMut(StatementId) -> bool) -> bool {
        let mut found = property(id);
        self.statement(id)
            .kind
            .for_each_block(|block| found = found || block.iter().any(|&it| self.holds(it, property)));
        found
    }

    /// Adds what the statements contain, parents first.
    fn add_descendants(&self, found: &mut Vec<StatementId>) {
        let mut next = 0;
        while next < found.len() {
            self.statement(found[next]).kind.for_each_block(|block| found.extend(block));
            next += 1;
        }
    }

    /// The symbol called `name` (in the spelling that the language compares) outside of blocks with names of their own.
    pub fn find_symbol(&self, name: &str) -> Option<SymbolId> {
        let is_it = |symbol: &Symbol| symbol.scope.is_none() && !symbol.renamed && symbol.name == name;
        self.symbols.iter().position(is_it).map(SymbolId)
    }
}

/// A unit that holds variables for others (a Fortran module).
#[derive(Debug, Clone)]
pub struct Module {
    /// The name, in the spelling that the language compares (Fortran: lower case).
    pub name: String,
    /// From its first to its last byte.
    pub span: Span,
    /// Where the emitter may insert.
    pub anchors: Anchors,
    /// Its variables that other units can import.
    pub public_variables: BTreeSet<String>,
    /// The statements that declare variables which only the module can name; what others can is without mentions.
    pub declarations: Vec<DeclarationStatement>,
    /// It declares names that begin like those of the emitted code.
    pub has_our_names: bool,
}

/// A unit that extends a module (a Fortran submodule): what it holds sees all that the module has, and may not import it.
#[derive(Debug, Clone)]
pub struct Submodule {
    /// From its first to its last byte.
    pub span: Span,
    /// The module, if all that lies between the two is given.
    pub module: Option<String>,
}

/// Which procedures of a program its text names. Every reference to a procedure names it, but for those through generic names,
/// objects, arguments and pointers, which the statements say.
#[derive(Debug, Clone, Default)]
pub struct MentionedProcedures {
    /// Those that stand in the text of each procedure, imports left out, with where they stand: in the order of the procedures.
    pub by_procedures: Vec<BTreeSet<(ProcedureId, Span)>>,
    /// Those that stand elsewhere (in the declarations of modules, in the definitions of types, in what is included, in lines
    /// for compilers and preprocessors), and those that others can call by names that only they see.
    pub elsewhere: BTreeSet<ProcedureId>,
    /// The names by which the text of one language may mean procedures of others, as
    /// [`for_linkers`](super::called_name::for_linkers) compares them; `None` if it may mean any.
    pub for_others: Option<BTreeSet<String>>,
}

/// A call of one of MPI's routines that stands in the text and was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedCall {
    /// The routine, in lower case.
    pub routine: String,
    /// The file that has it, given or included.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl MissedCall {
    /// How many there are, and where the first ones stand, as a sentence; nothing if there are none.
    pub fn describe(calls: &[MissedCall]) -> Option<String> {
        const SHOWN: usize = 3;
        if calls.is_empty() {
            return None;
        }
        let place = |call: &MissedCall| format!("`{}` at {}:{}", call.routine, call.path.display(), call.line);
        let shown: Vec<String> = calls.iter().take(SHOWN).map(place).collect();
        let more = match calls.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let shown = shown.join(", ");
        Some(match calls.len() {
            1 => format!("one call of MPI in the text was not understood, and is no site: {shown}"),
            count => format!("{count} calls of MPI in the text were not understood, and are no sites: {shown}{more}"),
        })
    }
}

/// A whole program, as far as it was given.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The files in the order in which they were given.
    pub files: Arc<Vec<SourceFile>>,
    /// The procedures of all files. A copy of the program shares them with it, until one is [changed](Self::procedure_mut).
    pub procedures: Vec<Arc<Procedure>>,
    /// The modules in which declarations can be inserted.
    pub modules: Arc<Vec<Module>>,
    /// The units that extend modules (Fortran submodules).
    pub submodules: Vec<Submodule>,
    /// What the files include, as far as it was found and is not expanded in them: the text by path. Nothing is written there.
    pub included: Arc<BTreeMap<PathBuf, Vec<u8>>>,
    /// What else was read of files that are named in lines that include them: the text by path. It is expanded in the files, or
    /// not compiled.
    pub read: Arc<BTreeMap<PathBuf, Vec<u8>>>,
    /// The other names that no second unit of the program may have (Fortran: of modules and COMMON blocks), in the
    /// spelling that the language compares, each with a place that uses it.
    pub global_names: Vec<(String, Span)>,
    /// Names under which calls reach procedures that the front end can't tell (Fortran: of dummy procedures, procedure
    /// pointers and generic interfaces): a procedure of the program can be among them.
    pub indirect_names: BTreeSet<String>,
    /// Every reference through an object, an argument or a pointer names the procedures of the program that it may call.
    pub names_all_references: bool,
    /// Which of its procedures are named where.
    pub mentioned: Arc<MentionedProcedures>,
    /// Names of procedures that are called where something that was not given, or could not be read, may say what they mean.
    pub doubtful_names: BTreeSet<String>,
    /// The procedures of its languages that tell linkers the names they have in the text, by these: `None` where another definition may
    /// take the place of the given one.
    pub link_names: BTreeMap<String, Option<ProcedureId>>,
    /// Modules that it uses, that were not given, and that belong to libraries: known ones, or as the user says.
    pub library_modules: BTreeSet<String>,
    /// The types with components that it defines, by their names (in the spelling that the language compares).
    pub structures: BTreeMap<String, Structure>,
    /// The components that it names of objects which are values of expressions and no variables, whatever their types.
    pub parts_of_values: BTreeSet<String>,
    /// Where the text of the files names what is MPI's, by name, in statements and elsewhere than only to import it.
    pub messaging_names: Arc<BTreeMap<String, Vec<Span>>>,
    /// Calls of MPI's routines in the text that none of its statements stands for.
    pub missed_calls: Arc<[MissedCall]>,
    /// What users ask for in the source, in its order.
    pub directives: Vec<Directive>,
    /// It is a part of a program (a function that a macro is given) whose other parts are unknown. Its messages meet those of others,
    /// which all are the runtime's, and each call converts by itself.
    pub is_part: bool,
    /// The user asserts that nothing outside of messages (a file, say) tells in which order processes receive and send what is
    /// independent.
    pub is_unordered: bool,
    /// What names could mean in its procedures; `None` where that is not known.
    pub naming: Option<Arc<dyn Naming>>,
    /// The names of the procedures, once they are asked for; from then on no procedure comes or changes its name.
    pub(crate) procedure_names: OnceLock<HashSet<String>>,
    /// Which names that are called mean procedures of another language, once that is asked for (`analysis::program`).
    pub(crate) defined_elsewhere: OnceLock<BTreeMap<String, bool>>,
}

impl Program {
    /// Does the name of a procedure that was not given mean an external one wherever it is called?
    pub fn is_external_name(&self, name: &str) -> bool {
        !self.indirect_names.contains(name) && !self.doubtful_names.contains(name)
    }

    /// Is there a procedure of this name among those that were given?
    pub fn has_procedure_named(&self, name: &str) -> bool {
        let names = || self.procedures.iter().map(|procedure| procedure.name.clone()).collect();
        self.procedure_names.get_or_init(names).contains(name)
    }

    /// The procedure behind `id`.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0]
    }

    /// The procedure behind `id`, to be changed: what shares it keeps the old one.
    pub fn procedure_mut(&mut self, id: ProcedureId) -> &mut Procedure {
        Arc::make_mut(&mut self.procedures[id.0])
    }

    /// The file behind `id`.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0]
    }

    /// The source text of `span`.
    pub fn text(&self, span: Span) -> String {
        self.file(span.file).slice(span)
    }

    /// The 1-based line at which `span` begins, in the file at its [path](Self::path_of).
    pub fn line(&self, span: Span) -> usize {
        self.file(span.file).line_of(span.start)
    }

    /// The line at which `span` begins, in words for people.
    pub fn line_named(&self, span: Span) -> Line {
        self.file(span.file).line_named(span.start)
    }

    /// The path of the file in which `span` begins: of one that is included where that is expanded.
    pub fn path_of(&self, span: Span) -> &Path {
        self.file(span.file).path_of(span.start)
    }

    /// The 1-based line at which `span` begins in the text of its file, expansions included.
    pub fn row(&self, span: Span) -> usize {
        self.file(span.file).row_of(span.start)
    }

    /// The module that holds the procedure, if declarations can be inserted there.
    pub fn module_around(&self, id: ProcedureId) -> Option<&Module> {
        let span = self.procedure(id).span;
        self.modules.iter().find(|module| span.is_within(module.span))
    }

    /// The module around the text that no procedure in it holds, if declarations can be inserted there.
    pub fn module_with(&self, span: Span) -> Option<&Module> {
        self.modules.iter().find(|module| span.is_within(module.span))
    }

    /// The innermost procedure around the text.
    pub fn procedure_with(&self, span: Span) -> Option<ProcedureId> {
        let around = self.procedures().filter(|(_, procedure)| span.is_within(procedure.span));
        around.min_by_key(|(_, procedure)| procedure.span.end - procedure.span.start).map(|(id, _)| id)
    }

    /// The unit around the procedure that extends a module.
    pub fn submodule_around(&self, procedure: &Procedure) -> Option<&Submodule> {
        self.submodules.iter().find(|submodule| procedure.span.is_within(submodule.span))
    }

    /// Does the procedure lie in the module, or in a unit that extends it? Then it sees the module's variables without an
    /// import.
    pub fn is_inside_module(&self, procedure: &Procedure, module: &str) -> bool {
        let is_around = |known: &Module| known.name == module && procedure.span.is_within(known.span);
        self.submodule_around(procedure).is_some_and(|around| around.module.as_deref() == Some(module))
            || self.modules.iter().any(is_around)
    }

    /// All procedures with their ids.
    pub fn procedures(&self) -> impl Iterator<Item = (ProcedureId, &Procedure)> {
        self.procedures.iter().enumerate().map(|(index, procedure)| (ProcedureId(index), &**procedure))
    }
}
