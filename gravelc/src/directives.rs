//! What users ask for in their source (`gravelc explain directives`): read, checked, and looked up by the planner.

use std::collections::BTreeMap;

use crate::analysis::facts::SiteId;
use crate::ir::{
    AssertedIndependence, Callee, Directive, DirectivePlace, Operation, Participation, ProcedureId, Program, Span,
    StatementId, StatementKind, SymbolClass, SymbolId,
};
use crate::plan::Transformation;

/// The names of the directives.
const NAMES: [&str; 4] = ["skip", "tile", "independent", "no-alias"];
/// Tiles must be multiples of this many iterations: vectorised loops then give the same results bit for bit.
const VECTOR_MULTIPLE: u32 = 64;

/// Why a directive can't be obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectiveError {
    /// The text that is wrong.
    pub span: Span,
    /// What is wrong with it.
    pub message: String,
    /// What could stand there instead, where a word is not known.
    pub known: Vec<&'static str>,
    /// The word that is not known.
    pub word: Option<String>,
}

/// What is asked for, by statement. The spans are those of the directives.
#[derive(Debug, Default)]
pub struct Directives {
    left: BTreeMap<SiteId, Span>,
    skipped: BTreeMap<(SiteId, Transformation), Span>,
    tiles: BTreeMap<(ProcedureId, StatementId), (u32, Span)>,
    independent: BTreeMap<(ProcedureId, StatementId), (AssertedIndependence, Span)>,
    apart: Vec<(ProcedureId, SymbolId, Span)>,
}

impl Directives {
    /// The directive that leaves the site with MPI.
    pub fn leaving(&self, site: SiteId) -> Option<Span> {
        self.left.get(&site).copied()
    }

    /// The directive that forbids the transformation at the site.
    pub fn skipping(&self, site: SiteId, transformation: Transformation) -> Option<Span> {
        self.skipped.get(&(site, transformation)).copied()
    }

    /// How many iterations a tile of the loop shall have, and the directive that says so.
    pub fn tile(&self, procedure: ProcedureId, loop_statement: StatementId) -> Option<(u32, Span)> {
        self.tiles.get(&(procedure, loop_statement)).copied()
    }

    /// The directive that asserts something about the order of the loop's iterations.
    pub fn asserting_independence(&self, procedure: ProcedureId, loop_statement: StatementId) -> Option<Span> {
        self.independent.get(&(procedure, loop_statement)).map(|(_, span)| *span)
    }

    /// Which loops are asserted to have iterations whose order does not matter, and as far as which variables are
    /// concerned.
    pub fn independent_loops(&self) -> impl Iterator<Item = (ProcedureId, StatementId, &AssertedIndependence, Span)> {
        self.independent.iter().map(|(&(procedure, statement), (what, span))| (procedure, statement, what, *span))
    }

    /// The variables that are asserted to share memory with no other one, with their directives.
    pub fn variables_apart(&self) -> impl Iterator<Item = (ProcedureId, SymbolId, Span)> {
        self.apart.iter().copied()
    }
}

/// The directives of a program, and the errors in them. A program that calls the runtime itself has been transformed: its
/// directives have been obeyed, and what they were about has changed its place.
pub fn read(program: &Program) -> (Directives, Vec<DirectiveError>) {
    let mut directives = Directives::default();
    let mut errors = Vec::new();
    if !program.directives.is_empty() && !calls_runtime(program) {
        for directive in &program.directives {
            if let Err(error) = directives.add(program, directive) {
                errors.push(error);
            }
        }
    }
    (directives, errors)
}

fn calls_runtime(program: &Program) -> bool {
    let mut statements = program.procedures.iter().flat_map(|procedure| &procedure.statements);
    statements.any(|statement| {
        matches!(&statement.kind, StatementKind::Call { callee: Callee::Unknown(name), .. } if name.starts_with("gravel_"))
    })
}

impl Directives {
    fn add(&mut self, program: &Program, directive: &Directive) -> Result<(), DirectiveError> {
        let words = Words::split(directive)?;
        if !NAMES.contains(&words.name.as_str()) {
            let message = match words.name.as_str() {
                "" => "the directive has no name".to_owned(),
                name => format!("there is no directive `{name}`"),
            };
            return Err(unknown(words.name_span, message, &words.name, NAMES.to_vec()));
        }
        let (procedure, statement) = match directive.place {
            DirectivePlace::Before { procedure, statement } => (procedure, statement),
            DirectivePlace::Beside => {
                return Err(wrong(directive.span, "a directive stands on a line of its own, before its statement"));
            }
            DirectivePlace::BeforeNothing => {
                return Err(wrong(directive.span, "no executable statement follows that the directive could be about"));
            }
        };
        match words.name.as_str() {
            "skip" => self.add_skip(program, directive, &words, procedure, statement),
            "independent" => self.add_independent(program, directive, &words, procedure, statement),
            "no-alias" => self.add_no_alias(program, directive, &words, procedure, statement),
            _ => self.add_tile(program, directive, &words, procedure, statement),
        }
    }

    fn add_skip(
        &mut self,
        program: &Program,
        directive: &Directive,
        words: &Words,
        procedure: ProcedureId,
        statement: StatementId,
    ) -> Result<(), DirectiveError> {
        let body = program.procedure(procedure);
        let inside = body.with_descendants(statement).into_iter();
        let sites: Vec<SiteId> = inside
            .filter(|&id| is_site(&body.statement(id).kind))
            .map(|statement| SiteId { procedure, statement })
            .collect();
        if sites.is_empty() {
            let line = program.line_named(body.statement(statement).span);
            let message = format!("the statement at line {line} holds no communication that could be skipped");
            return Err(wrong(directive.span, message));
        }
        let Some(arguments) = &words.arguments else {
            self.left.extend(sites.into_iter().map(|site| (site, directive.span)));
            return Ok(());
        };
        for (argument, span) in arguments {
            let Some(transformation) = Transformation::ALL.into_iter().find(|known| known.name() == argument) else {
                let known = Transformation::ALL.iter().map(|known| known.name()).collect();
                return Err(unknown(*span, format!("there is no transformation `{argument}`"), argument, known));
            };
            self.skipped.extend(sites.iter().map(|&site| ((site, transformation), directive.span)));
        }
        Ok(())
    }

    fn add_tile(
        &mut self,
        program: &Program,
        directive: &Directive,
        words: &Words,
        procedure: ProcedureId,
        statement: StatementId,
    ) -> Result<(), DirectiveError> {
        let [(argument, span)] = words.arguments.as_deref().unwrap_or_default() else {
            return Err(wrong(
                directive.span,
                "`tile` takes one number: how many iterations a tile has, as in `tile(4096)`",
            ));
        };
        let iterations = argument.parse::<u32>().ok().filter(|&found| i32::try_from(found).is_ok());
        let iterations = iterations.filter(|&found| found > 0 && found % VECTOR_MULTIPLE == 0).ok_or_else(|| {
            let message =
                format!("a tile has a multiple of {VECTOR_MULTIPLE} iterations, so that results stay the same");
            wrong(*span, message)
        })?;
        let found = program.procedure(procedure).statement(statement);
        if !matches!(found.kind, StatementKind::Loop(_)) {
            let message =
                format!("`tile` stands before a counted loop, not before line {}", program.line_named(found.span));
            return Err(wrong(directive.span, message));
        }
        self.tiles.insert((procedure, statement), (iterations, directive.span));
        Ok(())
    }

    fn add_independent(
        &mut self,
        program: &Program,
        directive: &Directive,
        words: &Words,
        procedure: ProcedureId,
        statement: StatementId,
    ) -> Result<(), DirectiveError> {
        let found = program.procedure(procedure).statement(statement);
        if !matches!(found.kind, StatementKind::Loop(_)) {
            let line = program.line_named(found.span);
            let message = format!("`independent` stands before a counted loop, not before line {line}");
            return Err(wrong(directive.span, message));
        }
        let asserted = match &words.arguments {
            None => AssertedIndependence::Whole,
            Some(names) => {
                let variables = names.iter().map(|(name, span)| variable(program, (procedure, statement), name, *span));
                AssertedIndependence::By(variables.collect::<Result<_, _>>()?)
            }
        };
        self.independent.insert((procedure, statement), (asserted, directive.span));
        Ok(())
    }

    fn add_no_alias(
        &mut self,
        program: &Program,
        directive: &Directive,
        words: &Words,
        procedure: ProcedureId,
        statement: StatementId,
    ) -> Result<(), DirectiveError> {
        let Some(names) = &words.arguments else {
            let message = "`no-alias` names variables that share no memory with others, as in `no-alias(u, v)`";
            return Err(wrong(directive.span, message));
        };
        for (name, span) in names {
            let found = variable(program, (procedure, statement), name, *span)?;
            if program.procedure(procedure).symbol(found).overlay.is_some() {
                let message = format!("`{name}` shares memory with another variable, as its declarations say");
                return Err(wrong(*span, message));
            }
            self.apart.push((procedure, found, directive.span));
        }
        Ok(())
    }
}

/// Does the statement take part in point-to-point communication?
/// Is it a call of MPI that the report has an entry for?
pub fn is_site(kind: &StatementKind) -> bool {
    let StatementKind::Communication(found) = kind else { return false };
    let may_take_part = matches!(
        &found.operation,
        Operation::Other {
            participation: Participation::May { .. }
                | Participation::AllToAll { .. }
                | Participation::Probes { .. }
                | Participation::ReceivesMatched(_)
                | Participation::UsesRequest { .. },
            ..
        }
    );
    found.messages().next().is_some() || found.request().is_some() || may_take_part
}

/// The variable that has this name before the statement.
fn variable(
    program: &Program,
    (procedure, before): (ProcedureId, StatementId),
    name: &str,
    span: Span,
) -> Result<SymbolId, DirectiveError> {
    let body = program.procedure(procedure);
    let is_it = |&id: &SymbolId| {
        let symbol = body.symbol(id);
        symbol.class == SymbolClass::Variable && symbol.name == name && body.can_name(id, before)
    };
    (0..body.symbols.len())
        .map(SymbolId)
        .find(is_it)
        .ok_or_else(|| wrong(span, format!("`{}` uses no variable `{name}`", body.name)))
}

fn wrong(span: Span, message: impl Into<String>) -> DirectiveError {
    DirectiveError { span, message: message.into(), known: Vec::new(), word: None }
}

fn unknown(span: Span, message: String, word: &str, known: Vec<&'static str>) -> DirectiveError {
    DirectiveError { span, message, known, word: Some(word.to_owned()) }
}

/// `name` or `name(argument, ...)`, in lower case.
struct Words {
    name: String,
    name_span: Span,
    arguments: Option<Vec<(String, Span)>>,
}

impl Words {
    fn split(directive: &Directive) -> Result<Self, DirectiveError> {
        let text = &directive.text;
        // Where a text is not UTF-8 its bytes are more than those of the file: no span may leave the directive.
        let span = |start: usize, end: usize| {
            let limit = directive.span.end;
            let at = |offset: usize| (directive.span.start + offset).min(limit);
            Span { start: at(start), end: at(end), ..directive.span }
        };
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_');
        let name_end = text.find(|character| !is_word(character)).unwrap_or(text.len());
        let name = text[..name_end].to_lowercase();
        let name_span = span(0, name_end.max(text.chars().next().map_or(0, char::len_utf8)));
        let rest = text[name_end..].trim_start();
        if rest.is_empty() {
            return Ok(Self { name, name_span, arguments: None });
        }
        let rest_start = text.len() - rest.len();
        let inside = rest.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
        let Some(inside) = inside.filter(|inside| !inside.contains(['(', ')'])) else {
            let message = format!("`{rest}` is not expected here: a directive is `name` or `name(argument, ...)`");
            return Err(wrong(span(rest_start, text.len()), message));
        };
        let mut arguments = Vec::new();
        let mut start = rest_start + 1;
        for argument in inside.split(',') {
            let blanks = argument.len() - argument.trim_start().len();
            let word = argument.trim();
            if word.is_empty() {
                return Err(wrong(span(rest_start, text.len()), "an argument is missing between the parentheses"));
            }
            arguments.push((word.to_lowercase(), span(start + blanks, start + blanks + word.len())));
            start += argument.len() + 1;
        }
        Ok(Self { name, name_span, arguments: Some(arguments) })
    }
}

#[cfg(all(test, feature = "fortran"))]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::frontend::{FrontendOptions, parse_text};

    fn program(directives: &str) -> Program {
        let text = format!(
            "program p\n  use mpi\n  real :: a(100)\n  integer :: i, ierr\n  {directives}\n  do i = 1, 100\n    a(i) = 1.0\n\
             end do\n  call mpi_send(a, 100, mpi_real, 0, 1, mpi_comm_world, ierr)\nend program\n"
        );
        parse_text(Path::new("p.f90"), text.into_bytes(), &FrontendOptions::default()).expect("it is text")
    }

    /// The errors as `text that is wrong: message`.
    fn errors(directives: &str) -> Vec<String> {
        let program = program(directives);
        read(&program).1.into_iter().map(|error| format!("{}: {}", program.text(error.span), error.message)).collect()
    }

    #[test]
    fn a_tile_belongs_to_its_loop() {
        let program = program("!$gravel Tile ( 128 )");
        let (directives, errors) = read(&program);
        assert_eq!(errors, []);
        let DirectivePlace::Before { procedure, statement } = program.directives[0].place else { panic!("misplaced") };
        assert_eq!(directives.tile(procedure, statement).map(|(tile, _)| tile), Some(128));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (directive, expected) in [
            ("!$gravel skipp", "skipp: there is no directive `skipp`"),
            ("!$gravel", ": the directive has no name"),
            ("!$gravel (3)", "(: the directive has no name"),
            ("!$gravel skip", "skip: the statement at line 6 holds no communication that could be skipped"),
            ("!$gravel tile", "tile: `tile` takes one number: how many iterations a tile has, as in `tile(4096)`"),
            ("!$gravel tile(64, 64)", "tile(64, 64): `tile` takes one number"),
            ("!$gravel tile(100)", "100: a tile has a multiple of 64 iterations, so that results stay the same"),
            ("!$gravel tile(0)", "0: a tile has a multiple of 64"),
            ("!$gravel tile(99999999999999999999)", "99999999999999999999: a tile has a multiple of 64"),
            ("!$gravel tile(64) now", "(64) now: `(64) now` is not expected here"),
            ("!$gravel tile()", "(): an argument is missing"),
            ("a(1) = 2.0 !$gravel tile(64)", "tile(64): a directive stands on a line of its own"),
            (
                "!$gravel independent\na(1) = 2.0",
                "independent: `independent` stands before a counted loop, not before line 6",
            ),
            ("!$gravel independent(b)", "b: `p` uses no variable `b`"),
            ("!$gravel no-alias", "no-alias: `no-alias` names variables that share no memory with others"),
            ("!$gravel no-alias(a, c)", "c: `p` uses no variable `c`"),
            ("!$gravel tile(64)\na(1) = 2.0", "tile(64): `tile` stands before a counted loop, not before line 6"),
        ] {
            let found = errors(directive);
            assert!(found.len() == 1 && found[0].starts_with(expected), "{directive}: {found:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_no_trouble() {
        let text = b"program p\n!$gravel \xe4\xe4(\xff)\nprint *, 1\nend\n".to_vec();
        let program = parse_text(Path::new("p.f90"), text, &FrontendOptions::default()).expect("it is text");
        assert_eq!(read(&program).1.len(), 1);
    }
}
