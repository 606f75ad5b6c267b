//! The names of a procedure: objects, what pointers lead to, constants.
//!
//! A pointer is a scalar of no known type. What it leads to is a name of its own (`*p`) with the storage of a pointer, as long as
//! every change of the pointer shows in the function: it is a local variable or a parameter whose address is not taken. Memory
//! that is reached in any other way is a part of what stands for all of it.

use super::lowering::Lowering;
use super::types::{element_of, is_scalar, lengths_of, shape_of};
use crate::frontend::c::types::{Qualifiers, TypeKind, size_of};
use crate::frontend::c::unit::{self, ExpressionId, Linkage, SymbolKind};
use crate::ir::{
    ArrayDimension, ElementType, Expression, ExpressionKind, Place, Shape, Storage, Symbol, SymbolClass, SymbolId,
    TypeCategory,
};
use crate::mpi::{constants, datatypes};

/// Memory behind longer expressions is not named by them.
const LONGEST_NAME: usize = 24;

/// The constants of MPI by their names in C.
const CONSTANTS: &str = "MPI_";

impl Lowering<'_> {
    /// How the unit spells a name.
    pub fn spelling(&self, id: unit::SymbolId) -> &str {
        self.unit.symbol(id).name.map_or("", |name| self.unit.names.text(name))
    }

    /// The constant of MPI (in lower case) that a symbol is.
    pub fn messaging_constant(&self, id: unit::SymbolId) -> Option<String> {
        let name = self.spelling(id);
        let is_value = matches!(self.unit.symbol(id).kind, SymbolKind::Object | SymbolKind::Enumerator(_));
        let lower = name.to_ascii_lowercase();
        let is_one =
            is_value && self.unit.is_stand_in(id) && name.starts_with(CONSTANTS) && constants::is_known(&lower);
        is_one.then_some(lower)
    }

    /// The procedure's name for a constant of MPI (in lower case).
    pub fn constant_symbol(&mut self, name: String) -> SymbolId {
        if let Some(&known) = self.constants.get(&name) {
            return known;
        }
        let mut symbol = Symbol::messaging_constant(&name);
        if let Some(element) = datatypes::predefined(&name) {
            symbol.element = element;
        }
        self.constants.insert(name, SymbolId(self.symbols.len()));
        self.new_symbol(symbol)
    }

    /// Adds a symbol.
    pub fn new_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() - 1)
    }

    /// The procedure's name for a symbol of the unit.
    pub fn symbol(&mut self, id: unit::SymbolId) -> SymbolId {
        if let Some(&known) = self.by_symbol.get(&id) {
            return known;
        }
        if let Some(name) = self.messaging_constant(id) {
            return self.constant_symbol(name);
        }
        let made = self.made_symbol(id);
        let number = self.new_symbol(made);
        self.by_symbol.insert(id, number);
        number
    }

    fn made_symbol(&self, id: unit::SymbolId) -> Symbol {
        let declared = self.unit.symbol(id);
        let types = &self.unit.types;
        let name = self.spelling(id).to_owned();
        let span = self.span(&declared.range);
        let plain = Symbol { declaration: Some(span), ..Symbol::messaging_constant(&name) };
        match declared.kind {
            SymbolKind::Function => return Symbol { class: SymbolClass::Procedure, ..plain },
            SymbolKind::Enumerator(value) => {
                let value = value.and_then(|value| i64::try_from(value).ok());
                let element = ElementType { category: TypeCategory::Integer, bytes: Some(4) };
                return Symbol { class: SymbolClass::Constant(value), element, ..plain };
            }
            SymbolKind::Typedef => return Symbol { class: SymbolClass::Unknown, ..plain },
            SymbolKind::Object | SymbolKind::Parameter => {}
        }
        let has = |qualifier| declared.ty.qualifiers.has(qualifier);
        let is_taken = self.input.taken.contains(&id);
        let (storage, target) = match (declared.linkage, declared.storage) {
            (Linkage::External, _) => (Storage::Global(Place::External { name: name.as_str().into() }), true),
            (Linkage::Internal, _) => {
                let file = span.file.0;
                (Storage::Global(Place::OfFile { file, name: name.as_str().into() }), is_taken)
            }
            (Linkage::None, unit::Storage::Automatic) => (Storage::Local, is_taken),
            // Of a thread's variables each thread has its own: they are taken for the program's.
            (Linkage::None, _) => (Storage::Static, is_taken),
        };
        // Its memory may have another name.
        let is_known = types.reason(declared.ty.id).is_none() && !self.unit.has_second_name(id);
        Symbol {
            class: if is_known { SymbolClass::Variable } else { SymbolClass::Unknown },
            element: element_of(types, declared.ty),
            shape: shape_of(&lengths_of(types, declared.ty), span),
            storage,
            target,
            objects: self.input.points.variable(id).cloned(),
            volatile: has(Qualifiers::VOLATILE) || has(Qualifiers::ATOMIC),
            initialised: declared.storage != unit::Storage::Automatic && !self.is_empty_handle(id),
            scope: self.scopes.get(&id).copied(),
            has_shifting_name: self.input.replaced.contains(name.as_str()),
            ..plain
        }
    }

    /// Is it a variable of this file for handles of MPI, in which there are none yet? The zeros that it begins with are no handles.
    fn is_empty_handle(&self, id: unit::SymbolId) -> bool {
        let declared = self.unit.symbol(id);
        self.holds_handles(id) && declared.linkage != Linkage::External && declared.initialiser.is_none()
    }

    /// Is it a handle of MPI, or an array of handles?
    pub fn holds_handles(&self, id: unit::SymbolId) -> bool {
        let types = &self.unit.types;
        let mut ty = self.unit.symbol(id).ty;
        while let TypeKind::Array { element, .. } = types.kind(ty.id) {
            ty = element;
        }
        matches!(types.kind(ty.id), TypeKind::Opaque(_))
    }

    /// The name for what a pointer leads to, if all changes of the pointer show in the function.
    pub fn pointee(&mut self, id: unit::SymbolId) -> Option<SymbolId> {
        if let Some(&known) = self.pointees.get(&id) {
            return Some(known);
        }
        let declared = self.unit.symbol(id);
        let types = &self.unit.types;
        let to = types.pointee(declared.ty.id)?;
        let is_object = size_of(types, to).is_some() && !matches!(types.kind(to.id), TypeKind::Function(_));
        let is_volatile = declared.ty.qualifiers.has(Qualifiers::VOLATILE) || to.qualifiers.has(Qualifiers::VOLATILE);
        let is_followed = self.is_private(id) && !is_volatile && is_object;
        if !is_followed {
            return None;
        }
        let pointer = self.symbol(id);
        let span = self.span(&declared.range);
        let mut dimensions = match shape_of(&lengths_of(types, to), span) {
            Shape::Array(dimensions) => dimensions,
            Shape::Scalar => Vec::new(),
        };
        let first = Expression::new(ExpressionKind::Integer(0), span);
        dimensions.push(ArrayDimension { lower: Some(first), upper: None });
        let of_pointer = &self.symbols[pointer.0];
        let name = format!("*{}", of_pointer.name);
        let symbol = Symbol {
            class: SymbolClass::Variable,
            element: element_of(types, to),
            shape: Shape::Array(dimensions),
            storage: Storage::Pointer,
            target: true,
            objects: self.input.points.behind_variable(id).cloned(),
            scope: of_pointer.scope,
            has_shifting_name: of_pointer.has_shifting_name,
            declaration: of_pointer.declaration,
            ..Symbol::messaging_constant(&name)
        };
        let number = self.new_symbol(symbol);
        self.pointees.insert(id, number);
        Some(number)
    }

    /// Is it a variable of numbers, or a pointer, that only statements of this function which name it read and write?
    pub fn is_private(&self, id: unit::SymbolId) -> bool {
        let declared = self.unit.symbol(id);
        let is_variable = matches!(declared.kind, SymbolKind::Object | SymbolKind::Parameter);
        let qualifiers = declared.ty.qualifiers;
        is_variable
            && declared.linkage == Linkage::None
            && declared.storage == unit::Storage::Automatic
            && !self.input.taken.contains(&id)
            && !qualifiers.has(Qualifiers::VOLATILE)
            && !qualifiers.has(Qualifiers::ATOMIC)
            && is_scalar(&self.unit.types, declared.ty)
    }

    /// How C names what the pointer leads to, where that is short: `*g->left`.
    fn dereferenced(&self, pointer: ExpressionId) -> String {
        let range = &self.unit.expression(pointer).range;
        let text = String::from_utf8_lossy(&self.input.text[range.start as usize..range.end as usize]);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.len() <= LONGEST_NAME { format!("*{words}") } else { "*".to_owned() }
    }

    /// What stands for memory that the pointer leads to, if it is known in which objects that is.
    pub fn memory_behind(&mut self, pointer: ExpressionId) -> Option<SymbolId> {
        let objects = self.input.points.behind(pointer)?.clone();
        let key: Vec<u32> = objects.numbers().collect();
        if let Some(known) = self.in_objects.get(&key) {
            return Some(*known);
        }
        let symbol = Symbol {
            class: SymbolClass::Variable,
            storage: Storage::Pointer,
            target: true,
            objects: Some(objects),
            ..Symbol::messaging_constant(&self.dereferenced(pointer))
        };
        let number = self.new_symbol(symbol);
        self.in_objects.insert(key, number);
        Some(number)
    }

    /// What stands for all memory that pointers lead to.
    pub fn anywhere(&mut self) -> SymbolId {
        if let Some(known) = self.anywhere {
            return known;
        }
        let symbol = Symbol {
            class: SymbolClass::Variable,
            storage: Storage::Pointer,
            target: true,
            ..Symbol::messaging_constant("*")
        };
        let number = self.new_symbol(symbol);
        self.anywhere = Some(number);
        number
    }
}
