//! Types with components that the program defines.

use std::collections::{BTreeMap, BTreeSet};

use super::{ElementType, Span};

/// A component of all objects of a type, and of all elements of arrays of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComponentName {
    /// The type that declares it, in the spelling that the language compares (Fortran: lower case).
    pub structure: String,
    /// The component.
    pub name: String,
}

/// A type with components. Types of the same name in different scopes count as one that has the components of all of
/// them: a type may be defined again wherever it is used (Fortran 2018, 7.5.2.4).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Structure {
    /// Its own components by their names; inherited ones are those of its parents.
    pub components: BTreeMap<String, Component>,
    /// The types that it extends.
    pub parents: BTreeSet<String>,
    /// Some object of the type has a value from its own declaration, shares memory with other variables or is VOLATILE.
    pub is_hidden: bool,
    /// Where it is defined.
    pub definitions: Vec<Definition>,
    /// Where the program makes a value of the type by listing those of its components.
    pub constructed: Option<Span>,
}

/// The definition of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// From its first to its last byte.
    pub span: Span,
    /// Why its objects may hold more than its components say, or be seen as something else: the end of a sentence.
    pub other_views: Option<&'static str>,
}

/// What is known of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Its type, or that of its elements; unknown where a pointer leads to it, and where definitions differ.
    pub element: ElementType,
    /// The same as it is declared, that of what a pointer leads to, too; unknown where definitions differ.
    pub declared: ElementType,
    /// The types with components that it may be of.
    pub structures: BTreeSet<String>,
    /// The number of its elements; 1 for a scalar, `None` where it is not constant.
    pub length: Option<i64>,
    /// The object holds a pointer to it.
    pub is_pointer: bool,
    /// The program allocates and frees it.
    pub is_allocatable: bool,
    /// It can hold requests: it is of integers, or of MPI's own type for them.
    pub may_hold_requests: bool,
    /// The bounds of its dimensions, as far as they are constant; empty for a scalar.
    pub bounds: Vec<(Option<i64>, Option<i64>)>,
    /// Whether its declaration says that other units may name it; `None` where it says nothing about that.
    pub is_public: Option<bool>,
    /// Only the unit that defines the type may name it.
    pub is_private: bool,
    /// What every object has there from the beginning.
    pub initial: Vec<InitialComponent>,
}

impl Component {
    /// Is its memory never part of the object, which only says where it is? What runs on behind such a component, or lies
    /// in the gaps between its elements, is nothing of the object.
    pub fn lies_elsewhere(&self) -> bool {
        self.is_pointer || self.is_allocatable
    }
}

/// What the definition of a type gives a component as its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InitialComponent {
    /// This number.
    Number(i64),
    /// This constant of MPI, with the type of a predefined datatype.
    Constant(String, ElementType),
    /// A pointer that leads nowhere.
    Null,
    /// Something else.
    Unknown,
}
