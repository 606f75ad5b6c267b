//! A set of numbers, communicators, datatypes or error handlers: what a variable can hold.

use std::collections::BTreeSet;

use crate::analysis::facts::SiteId;
use crate::ir::ElementType;

/// Where a communicator comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommunicatorSource {
    /// `MPI_COMM_WORLD`.
    World,
    /// `MPI_COMM_SELF`.
    OwnProcess,
    /// Made by this call.
    CreatedAt(SiteId),
}

/// Where a datatype comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatatypeSource {
    /// A predefined one that stands for this type.
    Predefined(ElementType),
    /// Made by this call.
    CreatedAt(SiteId),
}

/// A predefined error handler (MPI 4.0, section 9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorHandler {
    /// `MPI_ERRORS_ARE_FATAL`, which every communicator has that nothing else was set for, and `MPI_ERRORS_ABORT`: an error ends
    /// the program.
    Fatal,
    /// `MPI_ERRORS_RETURN`: the call returns the error's code.
    Return,
}

impl ErrorHandler {
    /// The one with this name, in lower case.
    pub fn predefined(name: &str) -> Option<Self> {
        match name {
            "mpi_errors_are_fatal" | "mpi_errors_abort" => Some(Self::Fatal),
            "mpi_errors_return" => Some(Self::Return),
            _ => None,
        }
    }

    /// Does an error end the program?
    pub fn is_fatal(self) -> bool {
        self == Self::Fatal
    }
}

/// What an expression can have as its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing that a conforming program could use (so far: nothing is stored there).
    Nothing,
    /// One of these numbers, none of them dependent on the process.
    Integers(BTreeSet<i64>),
    /// One of these communicators.
    Communicators(BTreeSet<CommunicatorSource>),
    /// One of these datatypes.
    Datatypes(BTreeSet<DatatypeSource>),
    /// One of these error handlers.
    ErrorHandlers(BTreeSet<ErrorHandler>),
    /// Not known.
    Anything,
}

/// More numbers than these are not kept apart.
pub(super) const MOST_NUMBERS: usize = 16;

impl Value {
    pub(super) fn integer(value: i64) -> Self {
        Value::Integers(BTreeSet::from([value]))
    }

    pub(super) fn communicator(source: CommunicatorSource) -> Self {
        Value::Communicators(BTreeSet::from([source]))
    }

    pub(super) fn datatype(source: DatatypeSource) -> Self {
        Value::Datatypes(BTreeSet::from([source]))
    }

    /// Of the constant of MPI with this name.
    pub(super) fn of_constant(name: &str, element: ElementType) -> Self {
        match name {
            "mpi_comm_world" => Value::communicator(CommunicatorSource::World),
            "mpi_comm_self" => Value::communicator(CommunicatorSource::OwnProcess),
            // No message goes there.
            "mpi_comm_null" => Value::Nothing,
            "mpi_datatype_null" => Value::Nothing,
            // Nobody may set it.
            "mpi_errhandler_null" => Value::Nothing,
            _ if element.bytes.is_some() => Value::datatype(DatatypeSource::Predefined(element)),
            _ => match ErrorHandler::predefined(name) {
                Some(handler) => Value::ErrorHandlers(BTreeSet::from([handler])),
                None => Value::Anything,
            },
        }
    }

    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Value::Nothing, value) | (value, Value::Nothing) => value,
            (Value::Integers(mut one), Value::Integers(other)) => {
                one.extend(other);
                if one.len() > MOST_NUMBERS { Value::Anything } else { Value::Integers(one) }
            }
            (Value::Communicators(mut one), Value::Communicators(other)) => {
                one.extend(other);
                Value::Communicators(one)
            }
            (Value::Datatypes(mut one), Value::Datatypes(other)) => {
                one.extend(other);
                Value::Datatypes(one)
            }
            (Value::ErrorHandlers(mut one), Value::ErrorHandlers(other)) => {
                one.extend(other);
                Value::ErrorHandlers(one)
            }
            (Value::Integers(numbers), Value::Datatypes(handles))
            | (Value::Datatypes(handles), Value::Integers(numbers))
                if numbers.iter().all(is_no_datatype) =>
            {
                Value::Datatypes(handles)
            }
            (Value::Integers(numbers), Value::Communicators(mut sources))
            | (Value::Communicators(mut sources), Value::Integers(numbers))
                if numbers.iter().all(|&number| matches!(number, 0 | -1)) =>
            {
                // "Not made yet", as of datatypes. To Open MPI 0 is a communicator.
                sources.extend(numbers.contains(&0).then_some(CommunicatorSource::World));
                Value::Communicators(sources)
            }
            _ => Value::Anything,
        }
    }

    /// The number, if it is only one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integers(values) if values.len() == 1 => values.first().copied(),
            _ => None,
        }
    }
}

/// Can no message of a correct program be of the datatype with this handle? Programs say "not made yet" by 0 or -1, which they
/// look for before they make it. To Open MPI 0 is MPI_DATATYPE_NULL, and MPICH has no handle 0, as its handles say in their
/// upper bits what they are; of -1 both know that it is none (Open MPI's count from 0, and the bits are not a datatype's).
/// Other numbers may well be datatypes of some MPI. Of communicators that is true of -1 only: 0 is MPI_COMM_WORLD to Open MPI, so
/// that a program that passes it works there, and to MPICH none.
pub(in crate::analysis) fn is_no_datatype(number: &i64) -> bool {
    matches!(number, 0 | -1)
}
