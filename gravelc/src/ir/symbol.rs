//! Names of a procedure: what they stand for, their type, shape and storage.

use serde::{Deserialize, Serialize};

use std::sync::Arc;

use super::{ComponentName, ComponentPath, Expression, MemoryObjects, Place, Polynomial, Span, StatementId};

/// Index of a [`Symbol`] in the `symbols` of its procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SymbolId(pub usize);

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolClass {
    /// A variable.
    Variable,
    /// A named constant, with its value where it is an integer that the front end could evaluate.
    Constant(Option<i64>),
    /// A constant of MPI, such as `mpi_comm_world`; the name is in lower case.
    MessagingConstant,
    /// A procedure (also a name that can only be one).
    Procedure,
    /// The front end does not know: any use of it is an opaque expression.
    Unknown,
}

/// The broad kind of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeCategory {
    /// Integers.
    Integer,
    /// Floating-point numbers.
    Real,
    /// Complex numbers.
    Complex,
    /// Truth values.
    Logical,
    /// Characters.
    Character,
    /// A structure.
    Derived,
    /// Anything else, or not known.
    Unknown,
}

/// The type of a scalar or of an array's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementType {
    /// The broad kind.
    pub category: TypeCategory,
    /// Size of one element in bytes when no compiler flag changes default kinds; `None` when not known.
    pub bytes: Option<u32>,
}

/// One dimension of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayDimension {
    /// The lower bound; `None` when it is not known before the program runs (allocatable, pointer).
    pub lower: Option<Expression>,
    /// The upper bound; `None` when it is not known (assumed size, assumed shape, allocatable, pointer).
    pub upper: Option<Expression>,
}

/// The bounds of one dimension of an array, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest subscript.
    pub lower: Option<Polynomial>,
    /// The largest subscript.
    pub upper: Option<Polynomial>,
}

impl Bounds {
    /// The number of subscripts.
    pub fn extent(&self) -> Option<Polynomial> {
        self.upper.as_ref()?.checked_subtract(self.lower.as_ref()?)?.checked_add(&Polynomial::constant(1))
    }
}

/// The shape of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A single value.
    Scalar,
    /// An array whose first subscript varies fastest in memory. The elements are contiguous unless the symbol's storage
    /// is [`Storage::Pointer`] or [`Symbol::may_be_strided`] is set.
    Array(Vec<ArrayDimension>),
}

/// Where a variable lives, which decides who else can reach it and when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Storage {
    /// Lives as long as the program and is visible only in its procedure (a main program's variables, SAVE).
    Static,
    /// Lives until its procedure returns (automatic arrays included).
    Local,
    /// A dummy argument: the caller's memory.
    Dummy,
    /// Visible to other procedures: COMMON, a module's variable, host association.
    Global(Place),
    /// Allocated and freed by the program (a Fortran ALLOCATABLE).
    Allocatable,
    /// A pointer: may be any target.
    Pointer,
    /// A component of another variable of the procedure, at a fixed place in it and without a pointer on the way. What
    /// touches the holder touches all of its components, but those are apart from one another.
    Component {
        /// The object.
        holder: SymbolId,
        /// The component, of all objects of the type that declares it.
        name: ComponentName,
        /// The way from the object to it.
        path: Arc<ComponentPath>,
        /// It is allocated and freed by the program.
        allocatable: bool,
    },
}

/// The numbers that a variable has before the first statement runs, or that a constant array has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialValues {
    /// The lower bound and the number of elements of each dimension; empty for a scalar.
    pub bounds: Vec<(i64, i64)>,
    /// The elements in their order in memory; `None` where it is not known.
    pub elements: Vec<Option<i64>>,
}

impl InitialValues {
    /// Of a variable with these bounds, before anything says its values.
    pub fn unknown(bounds: Vec<(i64, i64)>) -> Option<Self> {
        let mut count: i64 = 1;
        for &(_, extent) in &bounds {
            count = count.checked_mul(extent.max(0))?;
        }
        let count = usize::try_from(count).ok().filter(|&count| count <= MOST_ELEMENTS)?;
        Some(Self { bounds, elements: vec![None; count] })
    }

    /// The position of the element with these subscripts; `None` if there is none.
    pub fn position(&self, subscripts: &[i64]) -> Option<usize> {
        if subscripts.len() != self.bounds.len() {
            return None;
        }
        let (mut position, mut stride) = (0_i64, 1_i64);
        for (&subscript, &(lower, extent)) in subscripts.iter().zip(&self.bounds) {
            let offset = subscript.checked_sub(lower).filter(|offset| (0..extent).contains(offset))?;
            position = position.checked_add(offset.checked_mul(stride)?)?;
            stride = stride.checked_mul(extent)?;
        }
        usize::try_from(position).ok().filter(|&position| position < self.elements.len())
    }

    /// The number with these subscripts, if it is known.
    pub fn element(&self, subscripts: &[i64]) -> Option<i64> {
        self.elements.get(self.position(subscripts)?).copied().flatten()
    }
}

/// Of larger arrays the elements are not kept.
const MOST_ELEMENTS: usize = 4096;

/// One name of a procedure.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// The name, in the spelling that the language compares (Fortran: lower case).
    pub name: String,
    /// Where it is declared; `None` when it is implicit or imported.
    pub declaration: Option<Span>,
    /// What it stands for.
    pub class: SymbolClass,
    /// The type. Of a constant of MPI that is a predefined, contiguous datatype the type that this stands for.
    pub element: ElementType,
    /// The type as its declaration spells it, in the spelling that the language compares and without blanks; `None` where it
    /// is not declared. Types that are spelled alike stay alike whatever a compiler's flags do to their sizes.
    pub type_spelling: Option<String>,
    /// The type with components that the program defines, where it is of one (see [`super::Program::structures`]).
    pub structure: Option<String>,
    /// The shape.
    pub shape: Shape,
    /// Of an array whose declaration does not say its bounds, those that it has wherever the procedure may use it, over the
    /// values that variables have there; empty where nobody has found any. Front ends leave this to the analyses.
    pub found_bounds: Vec<Bounds>,
    /// Where it lives.
    pub storage: Storage,
    /// The place (see [`Storage::Global`]) of a variable that other procedures see and whose storage does not tell
    /// it: an allocatable one of a module, a request that is handed down as an argument.
    pub place: Option<Place>,
    /// Of a pointer that is associated by nothing but statements that name it, the place of the pointer itself, which is not that of
    /// what it leads to; `None` where other names may stand for it (Fortran: COMMON, dummy arguments), or where it may lead
    /// somewhere before the first statement runs.
    pub pointer_place: Option<Place>,
    /// A pointer may point to it (Fortran TARGET; in C every variable whose address is taken), or procedures inside this
    /// one name it.
    pub target: bool,
    /// It is a target only because the program may hold its address as a number (Cray pointers): for arguments the language's rules for
    /// what is no target hold.
    pub only_addressed: bool,
    /// The place (see [`Storage::Global`]) that it is to the procedures inside this one, which ends with this procedure or
    /// is its caller's; no pointer leads to it then.
    pub place_inside: Option<Place>,
    /// The objects in which its memory may lie, where front ends follow pointers over the whole program.
    pub objects: Option<MemoryObjects>,
    /// Every access has an effect outside the program (VOLATILE).
    pub volatile: bool,
    /// The user asserts that it shares memory with no other variable that the procedure names.
    pub asserted_apart: bool,
    /// The elements may lie apart in memory (assumed shape, pointer).
    pub may_be_strided: bool,
    /// It has a value before the first statement runs (an initialiser in its declaration, DATA).
    pub initialised: bool,
    /// The numbers that it has then, where it is of integers and its declarations say them; those of a constant array.
    pub initial_values: Option<InitialValues>,
    /// The value of a logical constant, where it is known.
    pub truth: Option<bool>,
    /// The constant of MPI that declarations or DATA give it as its value, or to all elements of an array, with the type of a
    /// predefined datatype.
    pub initial_constant: Option<(String, ElementType)>,
    /// A dummy argument that loses its value when the procedure is called (Fortran INTENT(OUT)).
    pub undefined_at_entry: bool,
    /// A dummy argument that the procedure may not change (Fortran INTENT(IN)).
    pub only_read: bool,
    /// The procedure does not name it: a variable of a module that it could import, or does already.
    pub lent: bool,
    /// A constant of MPI that the procedure has another name for (Fortran `use, only: own => mpi_comm_world`).
    pub renamed: bool,
    /// The statement (a [`super::StatementKind::Scope`]) inside which the name means this; `None`: everywhere in the procedure
    /// where no such statement gives it another meaning.
    pub scope: Option<StatementId>,
    /// Its name means something else in other places of the file, in the order of the text (C: a macro that is defined below, or was
    /// above), so that nothing new is written with it.
    pub has_shifting_name: bool,
    /// Symbols with the same number share memory in a way that their names do not show (EQUIVALENCE).
    pub overlay: Option<usize>,
    /// A member of a COMMON block behind which no unit declares another one.
    pub ends_block: bool,
}

impl Storage {
    /// The place of a variable that all procedures which see it see as the same elements: one of a module, or a
    /// member of a COMMON block that is seen alike everywhere.
    pub fn shared_variable(&self) -> Option<&Place> {
        match self {
            Storage::Global(place) if place.is_one_variable() => Some(place),
            _ => None,
        }
    }

    /// The place of a variable that a procedure and those inside it see as the same elements.
    pub fn host_variable(&self) -> Option<&Place> {
        match self {
            Storage::Global(place @ Place::Host { .. }) => Some(place),
            _ => None,
        }
    }

    /// The COMMON block that holds the variable.
    pub fn common_block(&self) -> Option<&str> {
        let Storage::Global(place) = self else { return None };
        place.block()
    }
}

impl Symbol {
    /// Its address is taken: pointers may lead to it.
    pub fn take_address(&mut self) {
        self.target = true;
        self.only_addressed = false;
        self.place_inside = None;
    }

    /// Likewise, but no more than that is known of it.
    pub fn hold_address(&mut self) {
        let is_target = self.target && self.place_inside.is_none() && !self.only_addressed;
        self.take_address();
        self.only_addressed = !is_target;
    }

    /// A scalar without attributes.
    pub fn new(name: impl Into<String>, class: SymbolClass, element: ElementType) -> Self {
        Self {
            name: name.into(),
            declaration: None,
            class,
            element,
            type_spelling: None,
            structure: None,
            shape: Shape::Scalar,
            found_bounds: Vec::new(),
            storage: Storage::Static,
            place: None,
            pointer_place: None,
            target: false,
            only_addressed: false,
            place_inside: None,
            objects: None,
            volatile: false,
            asserted_apart: false,
            may_be_strided: false,
            initialised: false,
            initial_values: None,
            truth: None,
            initial_constant: None,
            undefined_at_entry: false,
            only_read: false,
            lent: false,
            renamed: false,
            scope: None,
            has_shifting_name: false,
            overlay: None,
            ends_block: false,
        }
    }

    /// The constant of MPI with this name (in lower case), which is no datatype.
    pub fn messaging_constant(name: &str) -> Self {
        let element = ElementType { category: TypeCategory::Unknown, bytes: None };
        Self::new(name, SymbolClass::MessagingConstant, element)
    }

    /// Is it a dummy array that has the shape of the actual argument, known or not?
    pub fn assumes_shape(&self) -> bool {
        self.storage == Storage::Dummy && (self.may_be_strided || !self.found_bounds.is_empty())
    }

    /// The place by which other procedures know it (see [`Storage::Global`]).
    pub fn known_place(&self) -> Option<&Place> {
        match &self.storage {
            Storage::Global(own) => Some(own),
            _ => self.place.as_ref(),
        }
    }

    /// Is it at this place (see [`Storage::Global`])?
    pub fn is_at(&self, place: &Place) -> bool {
        self.known_place() == Some(place)
    }

    /// Is it an integer variable without subscripts?
    pub fn is_integer_scalar(&self) -> bool {
        self.class == SymbolClass::Variable
            && self.shape == Shape::Scalar
            && self.element.category == TypeCategory::Integer
    }

    /// The place of a variable that all procedures which see it see as the same elements.
    pub fn shared_variable(&self) -> Option<&Place> {
        self.storage.shared_variable().or(self.place.as_ref())
    }

    /// Of a component of an object the way from there to it.
    pub fn path(&self) -> Option<&ComponentPath> {
        match &self.storage {
            Storage::Component { path, .. } => Some(path),
            _ => None,
        }
    }

    /// What the name begins with in the program's text: of a component of an object the object's.
    pub fn first_name(&self) -> &str {
        self.path().map_or(&self.name, |path| &path.object)
    }

    /// Of a component of an object the object.
    pub fn holder(&self) -> Option<SymbolId> {
        match self.storage {
            Storage::Component { holder, .. } => Some(holder),
            _ => None,
        }
    }

    /// Does the program allocate and free its memory?
    pub fn is_allocatable(&self) -> bool {
        matches!(self.storage, Storage::Allocatable | Storage::Component { allocatable: true, .. })
    }

    /// Can a call that does not name this variable read or write it?
    pub fn is_reachable_from_calls(&self) -> bool {
        self.target || matches!(self.storage, Storage::Global(_) | Storage::Pointer)
    }

    /// May its elements lie apart in memory, as those of a pointer may that is given a section?
    pub fn may_lie_apart(&self) -> bool {
        self.may_be_strided || self.storage == Storage::Pointer && self.objects.is_none()
    }

    /// Number of dimensions; 0 for a scalar.
    pub fn rank(&self) -> usize {
        match &self.shape {
            Shape::Scalar => 0,
            Shape::Array(dimensions) => dimensions.len(),
        }
    }
}
