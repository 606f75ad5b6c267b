//! Statements that stand together become procedures of their own: real programs have their exchange in one procedure, their
//! computation in others, and callers that know of both. What a procedure does not see it is handed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::*;

/// The variables that statements use.
#[derive(Default)]
struct Names {
    arrays: BTreeSet<ArrayId>,
    scalars: BTreeSet<ScalarId>,
    requests: BTreeSet<RequestId>,
    datatypes: BTreeSet<DatatypeId>,
}

impl Names {
    fn of<'s>(statements: impl IntoIterator<Item = &'s Statement>) -> Self {
        let mut names = Self::default();
        for statement in statements {
            statement.clone().visit(&mut |part| match part {
                Part::Array(id) => _ = names.arrays.insert(*id),
                Part::Scalar(id) => _ = names.scalars.insert(*id),
                Part::Request(id) => _ = names.requests.insert(*id),
                Part::Datatype(id) => _ = names.datatypes.insert(*id),
                Part::Expression(_) | Part::Value(_) => {}
            });
        }
        names
    }
}

/// The names by which a procedure knows what it is handed.
#[derive(Default)]
struct Renamed {
    arrays: BTreeMap<ArrayId, ArrayId>,
    scalars: BTreeMap<ScalarId, ScalarId>,
    requests: BTreeMap<RequestId, RequestId>,
    datatypes: BTreeMap<DatatypeId, DatatypeId>,
    /// Numbers and tags that are handed over.
    expressions: Vec<(Expression, ScalarId)>,
}

impl Renamed {
    fn apply(&self, statements: &mut [Statement]) {
        fn rename(names: &BTreeMap<usize, usize>, id: &mut usize) {
            *id = names.get(id).copied().unwrap_or(*id);
        }
        statements.iter_mut().for_each(|statement| {
            statement.visit(&mut |part| match part {
                Part::Array(id) => rename(&self.arrays, id),
                Part::Scalar(id) => rename(&self.scalars, id),
                Part::Request(id) => rename(&self.requests, id),
                Part::Datatype(id) => rename(&self.datatypes, id),
                Part::Expression(expression) => {
                    if let Some((_, dummy)) = self.expressions.iter().find(|(handed, _)| handed == expression) {
                        *expression = Expression::Scalar(*dummy);
                    }
                }
                Part::Value(_) => {}
            });
        });
    }
}

/// A procedure that is being made.
struct NewProcedure {
    id: ProcedureId,
    kind: ProcedureKind,
    renamed: Renamed,
    /// What its call hands over.
    arguments: Arguments,
}

impl Generator {
    /// Makes procedures of parts of the program, again of parts of these, and calls some of them twice, as long as the
    /// program stays correct.
    pub(super) fn outline_parts(&mut self) {
        let most = if self.extent > 1000 { 5 } else { 10 };
        let attempts = if self.chance(50) { self.random.usize(2..most) } else { 0 };
        for _ in 0..attempts {
            let before = self.program.clone();
            if self.outline_part().is_none() || seems_correct(&self.program).is_err() {
                self.program = before;
                continue;
            }
            let before = self.program.clone();
            if self.chance(25) {
                self.call_again();
            }
            if self.chance(12) {
                self.return_early();
            }
            if self.program != before && seems_correct(&self.program).is_err() {
                self.program = before;
            }
        }
    }

    /// Puts statements that stand together into a new procedure, and its call in their place.
    fn outline_part(&mut self) -> Option<()> {
        // What shows the results stays where it is.
        let checks = self.program.body.split_off(self.program.body.len() - self.checks);
        let number = self.place_for_outlining()?;
        let unit = self.program.unit_of(number)?;
        let width = self.random.usize(1..7);
        let extent = self.random.usize(0..100);
        let (mut range, statements) = self.program.edit_statement(number, |block, at| {
            let range = match extent {
                0..60 => with_completions(block, run_around(block, at)),
                60..75 => run_around(block, at),
                _ => at..(at + width).min(block.len()),
            };
            (range.clone(), block[range].to_vec())
        })?;
        let is_exchange = statements.iter().any(communicates);
        let mut calls = vec![self.as_procedure(unit, statements)?];
        if is_exchange && self.chance(40) {
            calls.insert(0, self.idle_part(unit, Vec::new())?);
        }
        if is_exchange && self.chance(60) {
            let mut rest = Vec::new();
            if self.chance(50) {
                let next = self.program.edit_statement(number, |block, _| block.get(range.end).cloned())?;
                rest.extend(next.filter(|next| !communicates(next)));
                range.end += rest.len();
            }
            calls.push(self.idle_part(unit, rest)?);
        }
        self.program.edit_statement(number, |block, _| block.splice(range, calls).for_each(drop))?;
        self.program.body.extend(checks);
        Some(())
    }

    /// Work that touches no message, and then these statements; mostly in a procedure.
    fn idle_part(&mut self, unit: Option<ProcedureId>, rest: Vec<Statement>) -> Option<Statement> {
        let mut statements = self.idle_work(None);
        statements.extend(rest);
        match statements.len() {
            1 if self.chance(40) => statements.pop(),
            _ => self.as_procedure(unit, statements),
        }
    }

    /// The number of a statement; mostly of one close to a call of MPI.
    fn place_for_outlining(&mut self) -> Option<usize> {
        let size = self.program.size();
        let is_close = |program: &mut Program, number: usize| {
            program.edit_statement(number, |block, _| block.iter().any(communicates)) == Some(true)
        };
        let close: Vec<usize> = (0..size).filter(|&number| is_close(&mut self.program, number)).collect();
        if !close.is_empty() && self.chance(85) {
            return Some(self.pick(&close));
        }
        (size > 0).then(|| self.random.usize(0..size))
    }

    /// Makes a procedure of statements of a unit; gives its call.
    fn as_procedure(&mut self, unit: Option<ProcedureId>, mut statements: Vec<Statement>) -> Option<Statement> {
        let kind = self.kind_called_by(unit);
        let id = self.new_procedure(kind);
        let mut new = NewProcedure { id, kind, renamed: Renamed::default(), arguments: Arguments::default() };
        let names = Names::of(&statements);
        self.hand_arrays(&mut new, &names, &statements);
        self.hand_scalars(&mut new, &names, &statements)?;
        self.hand_numbers(&mut new, &statements);
        self.hand_requests(&mut new, &names, &statements);
        self.hand_datatypes(&mut new, &names);
        new.renamed.apply(&mut statements);
        self.program.procedures[id].body = statements;
        Some(Statement::Call(id, new.arguments))
    }

    fn hand_arrays(&mut self, new: &mut NewProcedure, names: &Names, statements: &[Statement]) {
        for &array in &names.arrays {
            if !sees(new.kind, self.program.arrays[array].home) || self.chance(35) {
                let is_whole = statements.iter().any(|statement| statement.any(&|inner| uses_whole(inner, array)));
                let (dummy, handed) = self.handed_array((new.id, new.arguments.arrays.len()), array, is_whole);
                new.renamed.arrays.insert(array, dummy);
                new.arguments.arrays.push(handed);
            }
        }
    }

    /// Nothing, if the procedure can't have what it uses.
    fn hand_scalars(&mut self, new: &mut NewProcedure, names: &Names, statements: &[Statement]) -> Option<()> {
        for &scalar in &names.scalars {
            let Scalar { is_integer, home } = self.program.scalars[scalar];
            let is_visible = sees(new.kind, home);
            let is_counting = statements.iter().any(|statement| statement.any(&|inner| counts_with(inner, scalar)));
            if is_counting {
                if !is_visible || self.chance(30) {
                    new.renamed.scalars.insert(scalar, self.integer(Home::Procedure(new.id)));
                }
                continue;
            }
            let is_set = statements.iter().any(|statement| statement.any(&|inner| sets(inner, scalar)));
            if !is_set && is_integer && (!is_visible || self.chance(30)) {
                let dummy = self.integer(Home::Argument(new.id, new.arguments.integers.len()));
                new.renamed.scalars.insert(scalar, dummy);
                new.arguments.integers.push(Expression::Scalar(scalar));
            } else if !is_visible {
                // It moves to where everybody sees it.
                self.program.scalars[scalar].home =
                    (home == Home::Main).then(|| self.pick(&[Home::Module, Home::Common]))?;
            }
        }
        Some(())
    }

    fn hand_numbers(&mut self, new: &mut NewProcedure, statements: &[Statement]) {
        for number in handed_numbers(statements) {
            if self.chance(20) {
                let dummy = self.integer(Home::Argument(new.id, new.arguments.integers.len()));
                new.arguments.integers.push(number.clone());
                new.renamed.expressions.push((number, dummy));
            }
        }
    }

    fn hand_requests(&mut self, new: &mut NewProcedure, names: &Names, statements: &[Statement]) {
        for &request in &names.requests {
            let RequestVariable { length, home } = self.program.requests[request];
            let is_of_unit = home == RequestHome::Unit;
            let is_only_here = is_of_unit && !self.is_used_beside(request, statements);
            let is_visible = matches!(home, RequestHome::Module | RequestHome::Common);
            if is_only_here || is_visible && !self.chance(20) {
                continue;
            }
            if is_of_unit && self.chance(40) {
                self.program.requests[request].home = self.pick(&[RequestHome::Module, RequestHome::Common]);
                continue;
            }
            let home = RequestHome::Argument(new.id, new.arguments.requests.len());
            self.program.requests.push(RequestVariable { length, home });
            new.renamed.requests.insert(request, self.program.requests.len() - 1);
            new.arguments.requests.push(HandedRequests { variable: request, part: HandedPart::Whole });
        }
    }

    fn hand_datatypes(&mut self, new: &mut NewProcedure, names: &Names) {
        for &datatype in &names.datatypes {
            if !sees(new.kind, self.program.datatypes[datatype].home) || self.chance(20) {
                let home = Home::Argument(new.id, new.arguments.datatypes.len());
                self.program.datatypes.push(DatatypeVariable { home });
                new.renamed.datatypes.insert(datatype, self.program.datatypes.len() - 1);
                new.arguments.datatypes.push(datatype);
            }
        }
    }

    /// How a new procedure belongs to the program that this unit calls.
    fn kind_called_by(&mut self, unit: Option<ProcedureId>) -> ProcedureKind {
        match unit.map(|procedure| self.program.procedures[procedure].kind) {
            None | Some(ProcedureKind::Internal) => self.procedure_kind(),
            Some(ProcedureKind::Module) => ProcedureKind::Module,
            Some(ProcedureKind::External) => ProcedureKind::External,
        }
    }

    /// An array as an argument: from its beginning on, or, unless it `is_whole`, from a later element. Subscripts mean the
    /// same elements.
    fn handed_array(
        &mut self,
        (procedure, position): (ProcedureId, usize),
        array: ArrayId,
        is_whole: bool,
    ) -> (ArrayId, (ArrayId, Index)) {
        let found = self.program.arrays[array].clone();
        let skips = !is_whole && !found.is_matrix() && self.chance(20);
        let skipped = if skips { self.random.usize(0..found.length.min(4)) } else { 0 };
        let whole = skipped == 0 && self.chance(60);
        let index = if whole { Index::new() } else { self.at(array, literal(skipped), skipped) };
        let length = found.length - skipped;
        self.program.arrays.push(Array {
            home: Home::Argument(procedure, position),
            length,
            rows: if found.is_matrix() { found.rows } else { length },
            first: found.first + skipped as i64,
            ..found
        });
        (self.program.arrays.len() - 1, (array, index))
    }

    /// Is a request used by others than these statements?
    fn is_used_beside(&mut self, request: RequestId, statements: &[Statement]) -> bool {
        let mut uses = 0_i64;
        self.program.visit(&mut |part| uses += i64::from(matches!(part, Part::Request(id) if *id == request)));
        for statement in statements {
            statement.clone().visit(&mut |part| {
                uses -= i64::from(matches!(part, Part::Request(id) if *id == request));
            });
        }
        uses > 0
    }

    /// Calls the newest procedure a second time, perhaps with another array.
    fn call_again(&mut self) {
        let newest = self.program.procedures.len() - 1;
        let calls: Vec<usize> =
            (0..self.program.size()).filter(|&number| self.call_of(number, newest).is_some()).collect();
        let Some(&number) = calls.first() else { return };
        let Some(mut arguments) = self.call_of(number, newest) else { return };
        if !arguments.arrays.is_empty() && self.chance(60) {
            let place = self.random.usize(0..arguments.arrays.len());
            let handed = &self.program.arrays[arguments.arrays[place].0];
            let is_alike = |other: &Array| {
                (other.element, other.first, other.is_matrix()) == (handed.element, handed.first, handed.is_matrix())
                    && (!handed.is_matrix() || other.rows == handed.rows)
            };
            let others: Vec<ArrayId> = (1..self.program.arrays.len())
                .filter(|&other| self.is_seen(other) && is_alike(&self.program.arrays[other]))
                .collect();
            if !others.is_empty() {
                arguments.arrays[place].0 = self.pick(&others);
            }
        }
        let distance = self.random.usize(0..3);
        self.program.edit_statement(number, |block, at| {
            block.insert((at + distance).min(block.len()), Statement::Call(newest, arguments));
        });
    }

    /// What statement number `number` hands over, if it is a call of this procedure.
    fn call_of(&mut self, number: usize, procedure: ProcedureId) -> Option<Arguments> {
        self.program.edit_statement(number, |block, at| match &block[at] {
            Statement::Call(called, arguments) if *called == procedure => Some(arguments.clone()),
            _ => None,
        })?
    }

    /// The newest procedure ends early on some ranks.
    fn return_early(&mut self) {
        let condition = Condition {
            left: self.pick(&[Expression::Rank, Expression::Rank.modulo(2), Expression::Ranks]),
            relation: self.pick(&[Relation::Equal, Relation::NotLess, Relation::Less]),
            right: Expression::Literal(self.random.i64(0..4)),
        };
        if let Some(Procedure { body, .. }) = self.program.procedures.last_mut() {
            let at = self.random.usize(0..=body.len());
            body.insert(at, Statement::Return(condition));
        }
    }
}

/// The statements around one that all call MPI, as it does, or all work.
fn run_around(block: &[Statement], at: usize) -> Range<usize> {
    let is_same = |statement: &&Statement| communicates(statement) == communicates(&block[at]);
    let before = block[..at].iter().rev().take_while(is_same).count();
    at - before..at + block[at..].iter().take_while(is_same).count()
}

/// Statements of a block with those up to where all operations end that they begin, and from where those begin that they
/// end.
fn with_completions(block: &[Statement], range: Range<usize>) -> Range<usize> {
    let requests = Names::of(&block[range.clone()]).requests;
    let is_related = |statement: &Statement| !Names::of([statement]).requests.is_disjoint(&requests);
    let first = block[..range.start].iter().position(is_related).unwrap_or(range.start);
    let last = block[range.end..].iter().rposition(is_related).map_or(range.end, |last| range.end + last + 1);
    if (first, last) == (range.start, range.end) { range } else { with_completions(block, first..last) }
}

/// Do procedures of this kind see variables that live there?
fn sees(kind: ProcedureKind, home: Home) -> bool {
    match home {
        Home::Main | Home::Saved | Home::Over(..) => kind == ProcedureKind::Internal,
        Home::Module | Home::Common => true,
        Home::Procedure(_) | Home::Argument(..) => false,
    }
}

/// Does the statement itself use an array from its first element on without naming that?
fn uses_whole(statement: &Statement, array: ArrayId) -> bool {
    match statement {
        Statement::Communicate(Communication::AllToAll { sent, received, .. }) => [*sent, *received].contains(&array),
        Statement::Communicate(communication) => {
            communication.messages().iter().any(|message| message.array == array && message.index.is_empty())
        }
        Statement::Call(_, arguments) => {
            arguments.arrays.iter().any(|(handed, index)| *handed == array && index.is_empty())
        }
        _ => false,
    }
}

/// Is it a loop that counts with this?
fn counts_with(statement: &Statement, scalar: ScalarId) -> bool {
    matches!(statement, Statement::Loop { variable, .. } if *variable == scalar)
}

/// Does the statement itself give the scalar a value, other than by counting?
fn sets(statement: &Statement, scalar: ScalarId) -> bool {
    match statement {
        Statement::SetInteger(set, _)
        | Statement::SetReal(set, _)
        | Statement::Communicate(
            Communication::Count(set, _) | Communication::Complete(Completion { answer: set, .. }),
        ) => *set == scalar,
        _ => false,
    }
}

/// The tags and the larger numbers in statements, each once.
fn handed_numbers(statements: &[Statement]) -> Vec<Expression> {
    let mut numbers: Vec<Expression> = Vec::new();
    for statement in statements {
        statement.clone().visit(&mut |part| {
            if let Part::Expression(number @ (Expression::Tag(_) | Expression::Literal(10..))) = part
                && !numbers.contains(number)
            {
                numbers.push(number.clone());
            }
        });
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_as_procedures_do_the_same() {
        let mut outlined = [0; 2];
        for seed in 0..24 {
            let mut generator = Generator::new(seed);
            generator.write();
            let Ok(printed) = is_correct(&generator.program) else { continue };
            for _ in 0..8 {
                let before = generator.program.clone();
                let procedures = before.procedures.len();
                let is_correct = match generator.outline_part() {
                    Some(()) => is_correct(&generator.program),
                    None => Err("it has no form"),
                };
                match is_correct {
                    Ok(same) => {
                        assert_eq!(same, printed, "{seed}: {:#?}", generator.program);
                        let exchanges = generator.program.procedures[procedures..]
                            .iter()
                            .any(|procedure| procedure.body.iter().any(communicates));
                        outlined[usize::from(exchanges)] += 1;
                    }
                    Err(_) => generator.program = before,
                }
            }
        }
        assert!(outlined.iter().all(|&count| count > 10), "{outlined:?}");
    }
}
