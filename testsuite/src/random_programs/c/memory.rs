//! Where the arrays and scalars of a program stand in C, and in which form.

use std::collections::{BTreeMap, BTreeSet};

use super::counters::{CounterType, counters};
use super::style::{Matrices, Storage, Style};
use crate::random_programs::program::{
    Allocation, Array, ArrayId, DatatypeId, Element, Home, ProcedureKind, Program, RESULTS, ScalarId, Statement,
};
use crate::random_programs::used_names::Used;

/// Where a variable stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a function, or it is a parameter.
    Local,
    /// In a function, but static.
    Static,
    /// Outside of all functions.
    File,
    /// In the object of the main unit.
    Object,
    /// In the object outside of all functions.
    FileObject,
    /// In the structure of what units share.
    Shared,
}

/// In which form an array stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `double a[N]`, one dimension
    Vector,
    /// `double a[M][N]`
    Nested,
    /// `double a[M * N]`, two dimensions
    Flat,
    /// `double **a`
    Table,
}

/// An array in C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Holding {
    pub place: Place,
    pub form: Form,
    pub is_allocated: bool,
    /// It is a row of an array: which one, and which row.
    pub row: Option<(usize, usize)>,
}

/// An array whose rows are arrays of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    pub place: Place,
    pub element: Element,
    pub rows: usize,
    pub width: usize,
}

/// Where everything stands.
#[derive(Debug)]
pub(super) struct Memory {
    pub holdings: Vec<Holding>,
    pub rows: Vec<Rows>,
    /// Scalars that loops have for themselves.
    pub counters: BTreeMap<ScalarId, CounterType>,
    scalars: Vec<Place>,
    datatypes: Vec<Place>,
    used: Used,
}

impl Memory {
    pub(super) fn of(program: &Program, style: &Style) -> Self {
        let used = Used::anywhere(program);
        let counters = counters(program, style);
        let inside = seen_inside(program);
        let mut holdings: Vec<Holding> =
            (0..program.arrays.len()).map(|id| holding(program, style, &inside.arrays, id)).collect();
        let rows = if style.rows { make_rows(program, &used.arrays, &mut holdings) } else { Vec::new() };
        let scalars = (0..program.scalars.len()).map(|id| scalar_place(program, style, &inside, id)).collect();
        let datatypes = (0..program.datatypes.len()).map(|id| datatype_place(program, &inside, id)).collect();
        Self { holdings, rows, counters, scalars, datatypes, used }
    }

    /// Is there anything that names the array?
    pub(super) fn is_used(&self, array: ArrayId) -> bool {
        self.used.arrays.contains(&array)
    }

    pub(super) fn is_scalar_used(&self, scalar: ScalarId) -> bool {
        self.used.scalars.contains(&scalar)
    }

    pub(super) fn scalar(&self, scalar: ScalarId) -> Place {
        self.scalars[scalar]
    }

    pub(super) fn datatype(&self, datatype: DatatypeId) -> Place {
        self.datatypes[datatype]
    }
}

/// The names that functions use which stand inside the main unit in other languages.
fn seen_inside(program: &Program) -> Used {
    let mut seen = Used::default();
    for procedure in program.procedures.iter().filter(|procedure| procedure.kind == ProcedureKind::Internal) {
        let used = Used::of(&procedure.body);
        seen.arrays.extend(used.arrays);
        seen.scalars.extend(used.scalars);
        seen.datatypes.extend(used.datatypes);
    }
    // What shares memory stands together.
    for (id, array) in program.arrays.iter().enumerate() {
        if let Home::Over(base, _) = array.home
            && (seen.arrays.contains(&id) || seen.arrays.contains(&base))
        {
            seen.arrays.insert(base);
        }
    }
    for (id, array) in program.arrays.iter().enumerate() {
        if matches!(array.home, Home::Over(base, _) if seen.arrays.contains(&base)) {
            seen.arrays.insert(id);
        }
    }
    seen
}

fn is_under_another(program: &Program, id: ArrayId) -> bool {
    program.arrays.iter().any(|other| matches!(other.home, Home::Over(base, _) if base == id))
}

fn holding(program: &Program, style: &Style, inside: &BTreeSet<ArrayId>, id: ArrayId) -> Holding {
    let array = &program.arrays[id];
    let is_shared = is_under_another(program, id);
    let is_member = program.style.objects && id != RESULTS && !is_shared;
    let place = match array.home {
        Home::Argument(..) | Home::Procedure(_) => Place::Local,
        _ if id == RESULTS => Place::Local,
        Home::Module if is_member => Place::FileObject,
        Home::Module => Place::File,
        Home::Common if style.shared_structure => Place::Shared,
        Home::Common => Place::File,
        Home::Main if is_member => Place::Object,
        Home::Main | Home::Saved | Home::Over(..) if inside.contains(&id) => Place::File,
        Home::Over(..) => Place::Local,
        Home::Saved => Place::Static,
        Home::Main => match style.storage {
            Storage::Automatic => Place::Local,
            Storage::Static => Place::Static,
            Storage::File => Place::File,
        },
    };
    let is_allocated = program.style.allocation != Allocation::Declared
        && id != RESULTS
        && matches!(array.home, Home::Main | Home::Saved | Home::Module)
        && !is_shared;
    let form = match style.matrices {
        _ if !array.is_matrix() => Form::Vector,
        Matrices::Nested => Form::Nested,
        Matrices::Tables if is_allocated && array.element == Element::Double => Form::Table,
        Matrices::Tables | Matrices::Flat => Form::Flat,
    };
    Holding { place, form, is_allocated, row: None }
}

/// Puts vectors of one type, two at a time, into arrays of rows.
fn make_rows(program: &Program, used: &BTreeSet<ArrayId>, holdings: &mut [Holding]) -> Vec<Rows> {
    let mut rows: Vec<Rows> = Vec::new();
    for (id, array) in program.arrays.iter().enumerate() {
        let holding = &mut holdings[id];
        let is_fit = id != RESULTS
            && used.contains(&id)
            && matches!(array.home, Home::Main | Home::Saved | Home::Module)
            && matches!(holding.place, Place::Local | Place::Static | Place::File)
            && holding.form == Form::Vector
            && !holding.is_allocated
            && !is_under_another(program, id);
        if !is_fit {
            continue;
        }
        let joins = |other: &Rows| other.rows < 2 && other.place == holding.place && other.element == array.element;
        let number = rows.iter().position(joins).unwrap_or_else(|| {
            rows.push(Rows { place: holding.place, element: array.element, rows: 0, width: 0 });
            rows.len() - 1
        });
        let group = &mut rows[number];
        holding.row = Some((number, group.rows));
        group.rows += 1;
        group.width = group.width.max(array.length);
    }
    rows
}

fn scalar_place(program: &Program, style: &Style, inside: &Used, id: ScalarId) -> Place {
    let counts = |statement: &Statement| matches!(statement, Statement::Loop { variable, .. } if *variable == id);
    let is_member = program.style.objects && !program.any(&counts);
    match program.scalars[id].home {
        Home::Module if is_member => Place::FileObject,
        Home::Common if style.shared_structure => Place::Shared,
        Home::Module | Home::Common => Place::File,
        Home::Main if is_member => Place::Object,
        Home::Main | Home::Saved | Home::Over(..) if inside.scalars.contains(&id) => Place::File,
        Home::Main | Home::Saved | Home::Over(..) | Home::Argument(..) | Home::Procedure(_) => Place::Local,
    }
}

fn datatype_place(program: &Program, inside: &Used, id: DatatypeId) -> Place {
    match program.datatypes[id].home {
        Home::Argument(..) | Home::Procedure(_) => Place::Local,
        Home::Module | Home::Common => Place::File,
        Home::Main | Home::Saved | Home::Over(..) if inside.datatypes.contains(&id) => Place::File,
        Home::Main | Home::Saved | Home::Over(..) => Place::Local,
    }
}

impl Array {
    /// How many columns it has; one, if it has one dimension.
    pub(super) fn columns(&self) -> usize {
        self.length / self.rows
    }
}
