//! Values on their way from store to store, until nothing new comes to any variable.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::facts::Facts;
use crate::ir::{Expression, Program};

use super::stores::{Source, Stores, Target};
use super::{Cell, CommunicatorSource, DatatypeSource, ErrorHandler, Value, Values};

/// By the variable: those that something is stored to that is computed from it.
pub(super) type Readers = BTreeMap<Cell, BTreeSet<Cell>>;

impl Values {
    /// What is stored to each variable.
    pub(super) fn flows<'p>(&mut self, facts: &Facts<'p>) -> BTreeMap<Cell, Vec<Source<'p>>> {
        let program = facts.program;
        let stores = Stores::of(facts);
        self.lost_structures.clone_from(stores.lost_structures());
        let mut flows: BTreeMap<Cell, Vec<Source<'p>>> = BTreeMap::new();
        for (target, sources) in stores.into_sources() {
            let cell = match target {
                Target::Variable(procedure, symbol) => self.cell(program, procedure, symbol),
                Target::Component(component) => self.component_cell(program, &component),
            };
            if let Some(cell) = cell {
                flows.entry(cell).or_default().extend(sources);
            }
        }
        flows
    }

    /// Which variables are computed from each variable.
    pub(super) fn readers(&self, program: &Program, flows: &BTreeMap<Cell, Vec<Source>>) -> Readers {
        let mut readers = Readers::new();
        for (cell, sources) in flows {
            for source in sources {
                let (procedure, expressions) = match source {
                    Source::Expression(procedure, expression) | Source::Elements(procedure, expression) => {
                        (*procedure, vec![*expression])
                    }
                    Source::Counted(procedure, counted) => {
                        let bounds = [&counted.lower, &counted.upper].into_iter().chain(&counted.step);
                        (*procedure, bounds.collect())
                    }
                    Source::Dummy(procedure, dummy) => {
                        let read = self.cell(program, *procedure, *dummy);
                        if let Some(read) = read {
                            readers.entry(read).or_default().insert(cell.clone());
                        }
                        continue;
                    }
                    _ => continue,
                };
                let parts: Vec<&Expression> = expressions.into_iter().flat_map(Expression::walk).collect();
                let read = parts.iter().flat_map(|part| {
                    // The object with the component, too.
                    let named = part.designated().and_then(|symbol| self.cell(program, procedure, symbol));
                    [named, self.cell_of_part(program, procedure, part)]
                });
                let read: BTreeSet<Cell> = read.flatten().collect();
                for one in read {
                    readers.entry(one).or_default().insert(cell.clone());
                }
            }
        }
        readers
    }

    /// Works out what each variable holds, from what it is known to hold on: in rounds, each in the order of the variables,
    /// and of those only where something that they are computed from has changed.
    pub(super) fn hold(&mut self, program: &Program, flows: &BTreeMap<Cell, Vec<Source>>, readers: &Readers) {
        let mut pending: BTreeSet<&Cell> = flows.keys().collect();
        let mut next_round: BTreeSet<&Cell> = BTreeSet::new();
        loop {
            while let Some(cell) = pending.pop_first() {
                let sources = &flows[cell];
                let before = self.held.get(cell).cloned().unwrap_or(Value::Nothing);
                let mut after = before.clone();
                for source in sources {
                    // Nothing is more general.
                    if after == Value::Anything {
                        break;
                    }
                    after = after.join(self.of_source(program, source));
                    if after == Value::Anything {
                        self.note_cause(program, cell, source);
                    }
                }
                if after != before {
                    self.held.insert(cell.clone(), after);
                    for reader in readers.get(cell).into_iter().flatten() {
                        if reader > cell {
                            pending.insert(reader)
                        } else {
                            next_round.insert(reader)
                        };
                    }
                }
            }
            // Every change makes some value more general, which happens a bounded number of times to each.
            if next_round.is_empty() {
                return;
            }
            std::mem::swap(&mut pending, &mut next_round);
        }
    }

    pub(super) fn of_source(&self, program: &Program, source: &Source) -> Value {
        match source {
            Source::Expression(procedure, expression) => self.of_expression(program, *procedure, expression),
            Source::Elements(procedure, expression) => self.of_elements_from(program, *procedure, expression),
            Source::Created(site) => Value::communicator(CommunicatorSource::CreatedAt(*site)),
            Source::CreatedDatatype(site) => Value::datatype(DatatypeSource::CreatedAt(*site)),
            Source::Dummy(procedure, dummy) => self.of_symbol(program, *procedure, *dummy),
            Source::Number(value) => Value::integer(*value),
            Source::Constant(name, element) => Value::of_constant(name, *element),
            // To whoever asks what becomes of errors it is MPI's own one that ends the program.
            Source::EndingHandler => Value::ErrorHandlers(BTreeSet::from([ErrorHandler::Fatal])),
            Source::Null => Value::Nothing,
            Source::Counted(..) | Source::Rank | Source::Envelope | Source::Lost(_) => Value::Anything,
            // See `Values::hold`.
            Source::Kept(_) => Value::Nothing,
        }
    }
}
