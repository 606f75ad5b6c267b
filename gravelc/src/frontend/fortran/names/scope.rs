//! What the declarations of one program unit or procedure say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::super::text::syntax_tree::Node;

use super::super::text::unclear::Unclear;
use super::bindings::{Binding, PassedObject};
use super::default_kinds::DefaultKinds;
use super::language_bindings::BindingLabel;
use super::units::UnitIndex;
use crate::ir::{ElementType, InitialComponent, InitialValues, ProcedureId, Span, TypeCategory, UntouchableCause};
use crate::known_libraries::system::is_of_c;

/// The type of an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredType {
    /// Category and size.
    pub element: ElementType,
    /// Name of the derived type.
    pub derived: Option<String>,
    /// The dynamic type may be another one (CLASS).
    pub polymorphic: bool,
    /// The specification in lower case, without blanks.
    pub spelling: Option<String>,
}

impl DeclaredType {
    /// An intrinsic type.
    pub fn intrinsic(category: TypeCategory, bytes: Option<u32>) -> Self {
        Self { element: ElementType { category, bytes }, derived: None, polymorphic: false, spelling: None }
    }

    /// A type of which nothing is known.
    pub fn unknown() -> Self {
        Self::intrinsic(TypeCategory::Unknown, None)
    }
}

/// One dimension as it is declared.
#[derive(Debug, Clone, Copy)]
pub enum DeclaredDimension<'t> {
    /// `upper` or `lower:upper`.
    Explicit {
        /// The lower bound, 1 if left out.
        lower: Option<Node<'t>>,
        /// The upper bound.
        upper: Node<'t>,
    },
    /// `:` or `lower:`: assumed or deferred shape.
    Open {
        /// The lower bound, where there is one.
        lower: Option<Node<'t>>,
    },
    /// `*` or `lower:*`.
    AssumedSize {
        /// The lower bound, 1 if left out.
        lower: Option<Node<'t>>,
    },
    /// Bounds from an included file, as far as they are constants.
    Evaluated {
        /// The lower bound.
        lower: Option<i64>,
        /// The upper bound.
        upper: Option<i64>,
    },
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A variable.
    Variable,
    /// A named constant, with its value where it is an integer that could be evaluated.
    Constant(Option<i64>),
    /// A procedure that is in the program.
    Procedure(ProcedureId),
    /// An external procedure (EXTERNAL, an interface body).
    External,
    /// Some procedure: a dummy procedure, a procedure pointer, a generic name, a binding to another language.
    SomeProcedure,
    /// A procedure in another language that is certainly not among the files.
    Foreign,
}

/// Attributes of an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attributes {
    /// ALLOCATABLE.
    pub allocatable: bool,
    /// POINTER.
    pub pointer: bool,
    /// TARGET.
    pub target: bool,
    /// VOLATILE.
    pub volatile: bool,
    /// SAVE, or implied by an initial value.
    pub save: bool,
    /// It has an initial value.
    pub initialised: bool,
    /// This is NULL().
    pub initially_null: bool,
    /// VALUE.
    pub value: bool,
    /// CONTIGUOUS.
    pub contiguous: bool,
    /// INTRINSIC.
    pub intrinsic: bool,
    /// INTENT(OUT).
    pub intent_out: bool,
    /// INTENT(IN).
    pub intent_in: bool,
    /// A dummy argument.
    pub dummy: bool,
    /// OPTIONAL.
    pub optional: bool,
}

impl Attributes {
    /// Notes an initial value, which implies SAVE.
    pub fn initialise(&mut self) {
        self.save = true;
        self.initialised = true;
    }
}

/// A name with what is declared about it.
#[derive(Debug, Clone)]
pub struct Entity<'t> {
    /// The name in lower case.
    pub name: String,
    /// Where it is declared.
    pub declaration: Option<Range<usize>>,
    /// What it stands for.
    pub meaning: Meaning,
    /// Its type; `None` until something says it.
    pub declared_type: Option<DeclaredType>,
    /// Its dimensions; empty for a scalar.
    pub dimensions: Vec<DeclaredDimension<'t>>,
    /// `dimension(..)`: any rank.
    pub assumed_rank: bool,
    /// Its attributes.
    pub attributes: Attributes,
    /// The numbers that declarations and DATA statements give it before the program starts, and those of a constant
    /// array; also of what is no integer, where they are numbers without a fraction.
    pub initial_values: Option<InitialValues>,
    /// The constant of MPI that its declaration gives a scalar as its value.
    pub initial_constant: Option<String>,
    /// The constant of MPI that it is another name for, by a PARAMETER.
    pub stands_for: Option<String>,
    /// The value of a constant that is logical and no array, where it could be evaluated.
    pub truth: Option<bool>,
    /// Of a procedure in another language: what the linker calls it.
    pub binding_label: Option<BindingLabel>,
    /// Of a generic name: the procedures behind it that this scope lists.
    pub specifics: Option<Vec<String>>,
    /// The COMMON block that holds it.
    pub common: Option<String>,
    /// Entities of this scope with the same number share memory (EQUIVALENCE).
    pub overlay: Option<usize>,
    /// The interface body that declares it instead of this scope: its dimensions stand there.
    pub adopted_from: Option<UnitIndex>,
}

impl Entity<'_> {
    /// An undeclared name.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            declaration: None,
            meaning: Meaning::Variable,
            declared_type: None,
            dimensions: Vec::new(),
            binding_label: None,
            assumed_rank: false,
            attributes: Attributes::default(),
            initial_values: None,
            initial_constant: None,
            stands_for: None,
            truth: None,
            specifics: None,
            common: None,
            overlay: None,
            adopted_from: None,
        }
    }

    /// The function of C or POSIX that an interface declares, if it is one that is known.
    pub fn function_of_system(&self) -> Option<&str> {
        match &self.binding_label {
            Some(BindingLabel::Known(label)) if is_of_c(label) => Some(label),
            _ => None,
        }
    }

    /// Its type, as far as it is known.
    pub fn element(&self) -> ElementType {
        self.declared_type
            .as_ref()
            .map_or(ElementType { category: TypeCategory::Unknown, bytes: None }, |declared| declared.element)
    }

    /// Is it a dummy array of any rank that is there, whatever the procedure does?
    pub fn is_plain_of_any_rank(&self) -> bool {
        let attributes = self.attributes;
        self.assumed_rank && attributes.dummy && !attributes.pointer && !attributes.allocatable
    }
}

/// A USE statement.
#[derive(Debug, Clone)]
pub struct UseClause {
    /// The module's name.
    pub module: String,
    /// ONLY was given.
    pub only: bool,
    /// Local names with the module's names: of an ONLY list all of them, else the renamed ones.
    pub names: Vec<(String, String)>,
}

/// A component of a derived type.
#[derive(Debug, Clone)]
pub struct Component {
    /// POINTER, or a procedure pointer.
    pub pointer: bool,
    /// How procedures are called through it, if it is a procedure pointer.
    pub procedure: Option<ProcedureComponent>,
    /// Its type.
    pub declared_type: DeclaredType,
    /// ALLOCATABLE.
    pub allocatable: bool,
    /// The bounds of each dimension, as far as they are constant; empty for a scalar.
    pub dimensions: Vec<(Option<i64>, Option<i64>)>,
    /// What its definition gives it as its value.
    pub initial: Option<InitialComponent>,
    /// Whether its own declaration makes it PUBLIC or PRIVATE.
    pub is_public: Option<bool>,
}

/// A component that is a procedure pointer.
#[derive(Debug, Clone)]
pub struct ProcedureComponent {
    /// Where the object goes in references through it.
    pub passed: PassedObject,
    /// The name of its interface, as the unit of the type calls it.
    pub interface: Option<String>,
}

impl Component {
    /// The number of its elements; 1 for a scalar, `None` where it is not constant.
    pub fn length(&self) -> Option<i64> {
        self.dimensions.iter().try_fold(1_i64, |length, &(lower, upper)| {
            let extent = upper?.checked_sub(lower?)?.checked_add(1)?;
            length.checked_mul(extent.max(0))
        })
    }
}

/// The definition of a derived type.
#[derive(Debug, Clone)]
pub struct DerivedType {
    /// Its name where it is defined.
    pub name: String,
    /// From its first to its last byte.
    pub span: Span,
    /// Why its objects may be seen as something else (see [`crate::ir::Definition`]).
    pub other_views: Option<&'static str>,
    /// Its components are PRIVATE unless they say otherwise.
    pub private_components: bool,
    /// Its components.
    pub components: HashMap<String, Component>,
    /// The procedures that are bound to it.
    pub bindings: HashMap<String, Binding>,
    /// The generic names for some of them, with the names of these.
    pub generics: HashMap<String, Vec<String>>,
    /// The type that it extends.
    pub parent: Option<String>,
    /// A component has an initial value.
    pub initialised: bool,
}

/// A Cray pointer with its pointee.
#[derive(Debug, Clone)]
pub struct CrayPointer {
    /// The integer that holds an address.
    pub pointer: String,
    /// The variable that is there.
    pub pointee: String,
    /// The statement that says so.
    pub place: Range<usize>,
}

/// The typing of names that are not declared: one entry per letter, `None` under IMPLICIT NONE.
pub(super) type ImplicitTyping = [Option<DeclaredType>; 26];

/// The declarations of one unit.
pub struct Scope<'t> {
    /// The unit.
    pub unit: UnitIndex,
    /// The unit whose names are visible here too.
    pub host: Option<UnitIndex>,
    /// The declared names.
    pub entities: HashMap<String, Entity<'t>>,
    /// The names in the order of their first mention.
    pub order: Vec<String>,
    /// The modules that are used.
    pub uses: Vec<UseClause>,
    /// `mpif.h` is included.
    pub includes_mpif: bool,
    /// The typing of undeclared names.
    pub implicit: ImplicitTyping,
    /// Derived types.
    pub types: HashMap<String, DerivedType>,
    /// The members of COMMON blocks in their order, by the block's key.
    pub blocks: BTreeMap<String, Vec<String>>,
    /// Cray pointers.
    pub cray_pointers: Vec<CrayPointer>,
    /// NAMELIST groups.
    pub namelists: HashMap<String, Vec<String>>,
    /// Names are private unless listed.
    pub private_by_default: bool,
    /// Names that are declared public.
    pub public: HashSet<String>,
    /// Names that are declared private.
    pub private: HashSet<String>,
    /// A SAVE statement without a list.
    pub saves_all: bool,
    /// Names that constructs (ASSOCIATE, BLOCK, SELECT TYPE) among the statements give to something.
    pub construct_names: HashSet<String>,
    /// Why these declarations are not the whole truth, with the place.
    pub incomplete: Option<Unclear>,
    /// What could not be read is text of which no other names than these are declared, or declared otherwise; `None` where anything
    /// may be.
    pub unread_names: Option<HashSet<String>>,
    /// Why the procedure must not be touched although every name is known, with the place.
    pub obstacle: Option<Unclear>,
    /// Operators, assignments or finalisers are defined here.
    pub defines_operations: bool,
    /// Finalisers are.
    pub defines_finalisers: bool,
    /// Procedures that read or write objects are.
    pub defines_input_output: bool,
    /// The operations that interface blocks define, each with one of its procedures.
    pub operations: Vec<(String, String)>,
    /// The operations that types bind to procedures.
    pub bound_operations: HashSet<String>,
    /// Finalisers, and procedures behind the input and output of objects.
    pub procedures_of_objects: Vec<String>,
    /// What pointers to procedures, also in objects, are associated with from the beginning: names of procedures.
    pub procedure_targets: Vec<String>,
    /// The dummy arguments of interface bodies, by the names that these declare; none of them where two differ.
    pub interface_dummies: HashMap<String, Vec<String>>,
    /// Names in the values that variables, constants and components have from the beginning, where these are made of others:
    /// of procedures, where objects with pointers to procedures are.
    pub names_in_values: BTreeSet<String>,
}

impl<'t> Scope<'t> {
    /// A scope without declarations.
    pub fn new(unit: UnitIndex, host: Option<UnitIndex>, implicit: ImplicitTyping) -> Self {
        Self {
            unit,
            host,
            entities: HashMap::new(),
            order: Vec::new(),
            uses: Vec::new(),
            includes_mpif: false,
            implicit,
            types: HashMap::new(),
            blocks: BTreeMap::new(),
            cray_pointers: Vec::new(),
            namelists: HashMap::new(),
            private_by_default: false,
            public: HashSet::new(),
            private: HashSet::new(),
            saves_all: false,
            construct_names: HashSet::new(),
            incomplete: None,
            unread_names: Some(HashSet::new()),
            obstacle: None,
            defines_operations: false,
            defines_finalisers: false,
            defines_input_output: false,
            operations: Vec::new(),
            bound_operations: HashSet::new(),
            procedures_of_objects: Vec::new(),
            procedure_targets: Vec::new(),
            interface_dummies: HashMap::new(),
            names_in_values: BTreeSet::new(),
        }
    }

    /// The entity called `name`, made if it is not there.
    pub fn entity(&mut self, name: &str) -> &mut Entity<'t> {
        if !self.entities.contains_key(name) {
            self.order.push(name.to_string());
        }
        self.entities.entry(name.to_string()).or_insert_with(|| Entity::new(name))
    }

    /// Remembers that something in the declarations could not be read.
    pub fn mark_incomplete(&mut self, range: Range<usize>, why: impl Into<String>) {
        self.mark_incomplete_for(UntouchableCause::Unread, range, why);
    }

    /// Likewise, for another cause.
    pub fn mark_incomplete_for(&mut self, cause: UntouchableCause, range: Range<usize>, why: impl Into<String>) {
        self.incomplete.get_or_insert_with(|| Unclear { range, cause, why: why.into() });
        self.unread_names = None;
    }

    /// Likewise, but what it declares is known to be of these names.
    pub fn mark_unread_names(&mut self, unclear: Unclear, names: Vec<String>) {
        self.incomplete.get_or_insert(unclear);
        if let Some(known) = &mut self.unread_names {
            known.extend(names);
        }
    }

    /// May what could not be read declare the name, or say more of it?
    pub fn may_declare_unread(&self, name: &str) -> bool {
        self.incomplete.is_some() && self.unread_names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// May what could not be read declare what no name of the program tells: operations, generic names, imports?
    pub fn may_declare_anything(&self) -> bool {
        self.incomplete.is_some() && self.unread_names.is_none()
    }

    /// Remembers that the procedure must not be touched.
    pub fn mark_obstacle(&mut self, range: Range<usize>, why: impl Into<String>) {
        self.mark_obstacle_for(UntouchableCause::Unread, range, why);
    }

    /// Likewise, for another cause.
    pub fn mark_obstacle_for(&mut self, cause: UntouchableCause, range: Range<usize>, why: impl Into<String>) {
        if self.obstacle.as_ref().is_none_or(|old| cause.outweighs(old.cause)) {
            self.obstacle = Some(Unclear { range, cause, why: why.into() });
        }
    }

    /// The type of an undeclared name; `None` under IMPLICIT NONE.
    pub fn implicit_type(&self, name: &str) -> Option<DeclaredType> {
        let letter = name.bytes().next()?.to_ascii_lowercase();
        self.implicit.get(usize::from(letter.checked_sub(b'a')?))?.clone()
    }

    /// May other units see `name` through USE?
    pub fn is_public(&self, name: &str) -> bool {
        if self.private_by_default { self.public.contains(name) } else { !self.private.contains(name) }
    }
}

/// Names that begin with I to N are integers, all others reals (Fortran 2018, 8.7).
pub fn default_typing(reals: DefaultKinds) -> ImplicitTyping {
    std::array::from_fn(|letter| {
        let is_integer = (8..=13).contains(&letter);
        Some(match is_integer {
            true => DeclaredType::intrinsic(TypeCategory::Integer, Some(4)),
            false => DeclaredType::intrinsic(TypeCategory::Real, reals.real),
        })
    })
}
