//! Program units and procedures of all files, found in the syntax trees.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::text::syntax_tree::Node;

use super::super::text::parse::ParsedFile;
use super::super::text::tree::{child_of_kind, named_children};
use super::entries::add_entries;
use super::submodules::Submodules;
use crate::ir::UNNAMED_MAIN;
use crate::ir::{FileId, ProcedureId, ProcedureKind, Span};

/// One source file with its parse.
pub struct Source<'t> {
    /// Which file it is.
    pub file: FileId,
    /// Its bytes as they were given.
    pub text: &'t [u8],
    /// Its bytes, with the lines that its preprocessor sees, those of fixed form as free form, tokens in one piece: names are read from here.
    pub original: &'t [u8],
    /// Its parse.
    pub parsed: &'t ParsedFile,
    /// Of an included file, the statement that includes it: what it declares is declared there.
    pub included_at: Option<Span>,
    /// The files that it includes, by the statements that include them.
    pub included: Vec<(Range<usize>, Source<'t>)>,
    /// Of an included file, why it is not expanded, if it holds more than declarations.
    pub refused: Option<&'t str>,
    /// Does a directive of a compiler in it say that an argument may have another type or rank than its dummy argument?
    pub leaves_arguments_unchecked: bool,
}

impl<'t> Source<'t> {
    /// The names that macros have anywhere in the file or in what it includes.
    pub fn macros(&self) -> HashSet<&str> {
        let own = self.parsed.preprocessing.macros.iter().map(String::as_str);
        own.chain(self.included.iter().flat_map(|(_, included)| included.macros())).collect()
    }

    /// The file `file` with the bytes `text`.
    pub fn new(file: FileId, text: &'t [u8], parsed: &'t ParsedFile) -> Self {
        let lines = parsed.lines.as_ref().map_or(text, |lines| lines.text.as_slice());
        let original = parsed.free_form.as_ref().map_or(lines, |form| form.text.as_slice());
        let leaves_arguments_unchecked = UNCHECKED.iter().any(|word| contains_ignoring_case(text, word));
        let mut source = Self {
            file,
            text,
            original,
            parsed,
            included_at: None,
            included: Vec::new(),
            refused: None,
            leaves_arguments_unchecked,
        };
        for included in &parsed.included {
            let mut inner = Self::new(file, &included.file.text, &included.file.parsed);
            inner.refused = included.refused.as_deref();
            inner.set_place(source.span(included.range.clone()));
            source.leaves_arguments_unchecked |= inner.leaves_arguments_unchecked;
            source.included.push((included.range.clone(), inner));
        }
        source
    }

    fn set_place(&mut self, place: Span) {
        self.included_at = Some(place);
        self.included.iter_mut().for_each(|(_, inner)| inner.set_place(place));
    }

    /// The file that the statement at `node` includes, if it was found.
    pub fn included_by(&self, node: Node<'_>) -> Option<&Self> {
        self.included.iter().find(|(range, _)| range.contains(&node.start_byte())).map(|(_, source)| source)
    }

    /// The bytes `range` of this file; those that became `range`, where tokens were moved.
    pub fn span(&self, range: Range<usize>) -> Span {
        if let Some(place) = self.included_at {
            return place;
        }
        match &self.parsed.free_form {
            None => Span { file: self.file, start: range.start, end: range.end },
            Some(form) => {
                let start = form.start_in_file(range.start);
                Span { file: self.file, start, end: form.end_in_file(range.end).max(start) }
            }
        }
    }

    /// The line, counted from 1, of an included file in which what begins at `offset` stands: its text is the body of a
    /// subroutine whose first line is not the file's.
    pub fn line_in_included_file(&self, offset: usize) -> usize {
        let start = self.parsed.free_form.as_ref().map_or(offset, |form| form.start_in_file(offset));
        self.text[..start].iter().filter(|&&byte| byte == b'\n').count()
    }

    /// The bytes of `node`.
    pub fn span_of(&self, node: Node<'_>) -> Span {
        self.span(node.start_byte()..node.end_byte())
    }

    /// The text of `node` in lower case.
    pub fn lower(&self, node: Node<'_>) -> String {
        super::super::text::tree::lower_text(self.original, node)
    }
}

/// What compilers call the directive with which an argument's type and rank need not be those of its dummy argument.
const UNCHECKED: [&[u8]; 2] = [b"no_arg_check", b"ignore_tkr"];

fn contains_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// Index of a unit in [`Units::list`].
pub type UnitIndex = usize;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A procedure or the main program.
    Procedure(ProcedureKind),
    /// A module.
    Module,
    /// A submodule.
    Submodule,
    /// BLOCK DATA.
    BlockData,
    /// The interface body of a separate module procedure, which is no unit of the program.
    Interface,
}

/// A program unit or a procedure.
pub struct Unit<'t> {
    /// Index of its file.
    pub source: usize,
    /// What it is.
    pub kind: UnitKind,
    /// Its name in lower case.
    pub name: String,
    /// Its node.
    pub node: Node<'t>,
    /// The unit that contains it.
    pub host: Option<UnitIndex>,
    /// The procedure that it becomes.
    pub procedure: Option<ProcedureId>,
    /// The procedure in which it is an ENTRY statement ([`super::entries`]).
    pub entry_of: Option<UnitIndex>,
    /// Its first statement; none for a main program without a PROGRAM statement.
    pub header: Option<Node<'t>>,
    /// Everything between the first statement and CONTAINS or END.
    pub parts: Vec<Node<'t>>,
    /// Where the parts end: the CONTAINS or the END statement.
    pub parts_end: usize,
}

/// All units.
#[derive(Default)]
pub struct Units<'t> {
    /// In the order of the source, hosts before what they contain.
    pub list: Vec<Unit<'t>>,
    /// Procedures by their id.
    pub of_procedure: Vec<UnitIndex>,
    /// Modules by name; `None` where two have the same name.
    pub modules: HashMap<String, Option<UnitIndex>>,
    /// External procedures by name; `None` where two have the same name.
    pub externals: HashMap<String, Option<ProcedureId>>,
    /// How submodules and the procedures in them belong to modules.
    pub submodules: Submodules,
}

impl<'t> Units<'t> {
    /// The units that `index` itself contains, in order.
    pub fn inside(&self, index: UnitIndex) -> impl Iterator<Item = (UnitIndex, &Unit<'t>)> {
        let (source, end) = (self.list[index].source, self.list[index].node.end_byte());
        let behind = self.list.iter().enumerate().skip(index + 1);
        behind
            .take_while(move |(_, unit)| unit.source == source && unit.node.start_byte() < end)
            .filter(move |(_, unit)| unit.host == Some(index))
    }
}

impl Units<'_> {
    /// The unit whose first statement declares the arguments of a procedure: itself, or for `module procedure s` the interface
    /// body.
    pub fn declaring(&self, index: UnitIndex) -> UnitIndex {
        let is_without = self.list[index].node.kind() == "module_procedure";
        self.submodules.interface_of(index).filter(|_| is_without).unwrap_or(index)
    }

    /// The words in front of SUBROUTINE or FUNCTION in the statement that declares a procedure, in lower case; none if there is no
    /// such statement. Those of an entry are its procedure's.
    pub fn prefixes(&self, sources: &[Source<'_>], index: UnitIndex) -> Vec<String> {
        let unit = &self.list[self.declaring(self.list[index].entry_of.unwrap_or(index))];
        unit.header.map_or(Vec::new(), |header| prefixes_in(&sources[unit.source], header))
    }

    /// The names of the dummy arguments of `index` in order, in lower case.
    pub fn dummy_names(&self, sources: &[Source<'_>], index: UnitIndex) -> Vec<String> {
        let unit = &self.list[self.declaring(index)];
        let parameters = unit.header.and_then(|header| child_of_kind(header, "parameters"));
        let source = &sources[unit.source];
        parameters.map_or(Vec::new(), |list| named_children(list).into_iter().map(|name| source.lower(name)).collect())
    }
}

/// The words in front of SUBROUTINE or FUNCTION in the statement `header`, in lower case.
pub(super) fn prefixes_in(source: &Source<'_>, header: Node<'_>) -> Vec<String> {
    let header = source.lower(header);
    let words: Vec<&str> = header.split(|it: char| !it.is_alphanumeric() && it != '_').collect();
    let end = words.iter().position(|&word| word == "subroutine" || word == "function").unwrap_or_default();
    words[..end].iter().map(|&word| word.to_owned()).collect()
}

/// Finds the units of `sources`.
pub fn collect<'t>(sources: &[Source<'t>]) -> Units<'t> {
    let mut units = Units::default();
    for (index, source) in sources.iter().enumerate() {
        collect_below(source, index, source.parsed.tree.root_node(), None, &mut units, 0);
    }
    for (index, unit) in units.list.iter().enumerate() {
        match unit.kind {
            UnitKind::Module => {
                let unique = if units.modules.contains_key(&unit.name) { None } else { Some(index) };
                units.modules.insert(unit.name.clone(), unique);
            }
            UnitKind::Procedure(ProcedureKind::Subroutine | ProcedureKind::Function) if unit.host.is_none() => {
                let unique = if units.externals.contains_key(&unit.name) { None } else { unit.procedure };
                units.externals.insert(unit.name.clone(), unique);
            }
            _ => {}
        }
    }
    units.submodules = Submodules::connect(sources, &mut units);
    units
}

/// Deeper than any sane program; error recovery of the parser can nest without bound.
const MAX_DEPTH: usize = 16;

fn collect_below<'t>(
    source: &Source<'t>,
    source_index: usize,
    node: Node<'t>,
    host: Option<UnitIndex>,
    units: &mut Units<'t>,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        return;
    }
    for child in named_children(node) {
        match kind_of(child) {
            Some(kind) => {
                let index = add_unit(source, source_index, child, kind, host, units);
                add_entries(source, index, units);
                if let Some(internal) = child_of_kind(child, "internal_procedures") {
                    collect_below(source, source_index, internal, Some(index), units, depth + 1);
                }
            }
            // Where the grammar lost its way, whole procedures can still be there.
            None if child.is_error() => collect_below(source, source_index, child, host, units, depth + 1),
            None => {}
        }
    }
}

fn kind_of(node: Node<'_>) -> Option<UnitKind> {
    match node.kind() {
        "program" => Some(UnitKind::Procedure(ProcedureKind::Main)),
        "subroutine" => Some(UnitKind::Procedure(ProcedureKind::Subroutine)),
        "function" => Some(UnitKind::Procedure(ProcedureKind::Function)),
        // Whether it is a subroutine or a function is declared elsewhere.
        "module_procedure" => Some(UnitKind::Procedure(ProcedureKind::Subroutine)),
        "module" => Some(UnitKind::Module),
        "submodule" => Some(UnitKind::Submodule),
        "block_data" => Some(UnitKind::BlockData),
        _ => None,
    }
}

/// Adds the unit at `node`, and says where it is.
pub(super) fn add_unit<'t>(
    source: &Source<'t>,
    source_index: usize,
    node: Node<'t>,
    kind: UnitKind,
    host: Option<UnitIndex>,
    units: &mut Units<'t>,
) -> UnitIndex {
    let header_kind = format!("{}_statement", node.kind());
    let mut header = None;
    let mut parts = Vec::new();
    let mut parts_end = node.end_byte();
    for child in named_children(node) {
        let child_kind = child.kind();
        if child_kind == header_kind {
            header = Some(child);
        } else if child_kind == "internal_procedures" || is_end_of_unit(child_kind) {
            parts_end = parts_end.min(child.start_byte());
        } else {
            parts.push(child);
        }
    }
    let name = header.and_then(|header| child_of_kind(header, "name")).map(|name| source.lower(name));
    let procedure = matches!(kind, UnitKind::Procedure(_)).then_some(ProcedureId(units.of_procedure.len()));
    let index = units.list.len();
    if procedure.is_some() {
        units.of_procedure.push(index);
    }
    units.list.push(Unit {
        source: source_index,
        kind,
        name: name.unwrap_or_else(|| UNNAMED_MAIN.to_string()),
        node,
        host,
        procedure,
        entry_of: None,
        header,
        parts,
        parts_end,
    });
    index
}

fn is_end_of_unit(kind: &str) -> bool {
    matches!(
        kind,
        "end_program_statement"
            | "end_subroutine_statement"
            | "end_function_statement"
            | "end_module_procedure_statement"
            | "end_module_statement"
            | "end_submodule_statement"
            | "end_block_data_statement"
    )
}
