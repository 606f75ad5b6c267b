//! The table of types.

use std::collections::HashMap;
use std::ops::Range;

use super::kinds::{
    ArrayLength, EnumId, Enumeration, Found, FunctionId, FunctionType, Member, Qualifiers, Reason, Record, RecordId,
    RecordKind, Type, TypeId, TypeKind,
};
use super::{IntegerType, Target, lay_out};
use crate::frontend::c::tokens::Name;

/// So deep may types be built of others.
const DEEPEST: u32 = 200;

/// The types of a unit.
#[derive(Clone)]
pub struct Types {
    /// What the ABI decides.
    pub target: Target,
    kinds: Vec<(TypeKind, u32)>,
    numbers: HashMap<TypeKind, TypeId>,
    functions: Vec<FunctionType>,
    function_numbers: HashMap<FunctionType, FunctionId>,
    records: Vec<Record>,
    enumerations: Vec<Enumeration>,
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Types {
    /// An empty table.
    pub fn new(target: Target) -> Self {
        Self {
            target,
            kinds: Vec::new(),
            numbers: HashMap::new(),
            functions: Vec::new(),
            function_numbers: HashMap::new(),
            records: Vec::new(),
            enumerations: Vec::new(),
        }
    }

    /// The number of the type that is so.
    pub fn id(&mut self, kind: TypeKind) -> TypeId {
        if let Some(id) = self.numbers.get(&kind) {
            return *id;
        }
        let depth = 1 + match kind {
            TypeKind::Pointer(of) | TypeKind::Array { element: of, .. } => self.depth(of.id),
            TypeKind::Vector { element: of, .. } | TypeKind::Adjusted { of, .. } => self.depth(of),
            TypeKind::Function(id) => {
                let function = self.function(id);
                let below = function.parameters.iter().chain([&function.result]).map(|ty| self.depth(ty.id));
                below.max().unwrap_or(0)
            }
            _ => 0,
        };
        if depth > DEEPEST {
            return self.id(TypeKind::Unknown(Reason::TooDeep));
        }
        let id = TypeId(number(self.kinds.len()));
        self.kinds.push((kind, depth));
        self.numbers.insert(kind, id);
        id
    }

    fn depth(&self, id: TypeId) -> u32 {
        self.kinds[id.0 as usize].1
    }

    /// The type that is so, without qualifiers.
    pub fn of(&mut self, kind: TypeKind) -> Type {
        self.id(kind).into()
    }

    /// What the type is, with the attributes of typedefs.
    pub fn written(&self, id: TypeId) -> TypeKind {
        self.kinds[id.0 as usize].0
    }

    /// What the type is. Never [`TypeKind::Adjusted`].
    pub fn kind(&self, id: TypeId) -> TypeKind {
        let mut kind = self.written(id);
        while let TypeKind::Adjusted { of, .. } = kind {
            kind = self.written(of);
        }
        kind
    }

    /// The type without the attributes of typedefs.
    pub fn plain(&self, mut id: TypeId) -> TypeId {
        while let TypeKind::Adjusted { of, .. } = self.written(id) {
            id = of;
        }
        id
    }

    /// An integer type.
    pub fn integer(&mut self, integer: IntegerType) -> Type {
        self.of(TypeKind::Integer(integer))
    }

    /// `int`
    pub fn int(&mut self) -> Type {
        self.integer(IntegerType::Int)
    }

    /// `size_t`
    pub fn size_type(&mut self) -> Type {
        self.integer(IntegerType::UnsignedLong)
    }

    /// `ptrdiff_t`
    pub fn difference_type(&mut self) -> Type {
        self.integer(IntegerType::Long)
    }

    /// A pointer to it.
    pub fn pointer(&mut self, to: Type) -> Type {
        self.of(TypeKind::Pointer(to))
    }

    /// A type that is not known.
    pub fn unknown(&mut self, reason: Reason) -> Type {
        self.of(TypeKind::Unknown(reason))
    }

    /// An array of so many.
    pub fn array(&mut self, element: Type, length: ArrayLength) -> Type {
        self.of(TypeKind::Array { element, length })
    }

    /// A function type.
    pub fn function_type(&mut self, function: FunctionType) -> Type {
        let id = match self.function_numbers.get(&function) {
            Some(id) => *id,
            None => {
                let id = FunctionId(number(self.functions.len()));
                self.functions.push(function.clone());
                self.function_numbers.insert(function, id);
                id
            }
        };
        self.of(TypeKind::Function(id))
    }

    /// The function type of this number.
    pub fn function(&self, id: FunctionId) -> &FunctionType {
        &self.functions[id.0 as usize]
    }

    /// The type with these qualifiers, too: those of an array go to its elements.
    pub fn qualified(&mut self, ty: Type, qualifiers: Qualifiers) -> Type {
        if qualifiers == Qualifiers::NONE {
            return ty;
        }
        match self.kind(ty.id) {
            TypeKind::Array { element, length } => {
                let element = self.qualified(element, qualifiers);
                self.array(element, length)
            }
            _ => ty.and(qualifiers),
        }
    }

    /// A structure or union that is not complete yet.
    pub fn new_record(&mut self, kind: RecordKind, tag: Option<Name>, range: Range<u32>) -> RecordId {
        let id = RecordId(number(self.records.len()));
        self.records.push(Record {
            kind,
            tag,
            members: Vec::new(),
            is_complete: false,
            alignment: None,
            pack: None,
            may_alias: false,
            layout: None,
            range,
        });
        id
    }

    /// Gives a structure or union its members, and them their places.
    pub fn complete_record(&mut self, id: RecordId, members: Vec<Member>) {
        let record = &mut self.records[id.0 as usize];
        record.members = members;
        record.is_complete = true;
        let mut record = record.clone();
        record.layout = lay_out(self, &mut record);
        self.records[id.0 as usize] = record;
    }

    /// A structure or union.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// A structure or union whose attributes are being read.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// All structures and unions, in the order of the text.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Forgets where structures, members and enumerations are declared: not in the text that is read.
    pub(in crate::frontend::c) fn forget_places(&mut self) {
        for record in &mut self.records {
            record.range = 0..0;
            record.members.iter_mut().for_each(|member| member.range = 0..0);
        }
        self.enumerations.iter_mut().for_each(|enumeration| enumeration.range = 0..0);
    }

    /// An enumeration that is not complete yet.
    pub fn new_enumeration(&mut self, tag: Option<Name>, range: Range<u32>) -> EnumId {
        let id = EnumId(number(self.enumerations.len()));
        self.enumerations.push(Enumeration { tag, compatible: None, range });
        id
    }

    /// An enumeration.
    pub fn enumeration(&self, id: EnumId) -> &Enumeration {
        &self.enumerations[id.0 as usize]
    }

    /// Gives an enumeration the type of its values.
    pub fn complete_enumeration(&mut self, id: EnumId, compatible: IntegerType) {
        self.enumerations[id.0 as usize].compatible = Some(compatible);
    }

    /// The integer type of its values, if it is an integer type or a complete enumeration.
    pub fn as_integer(&self, id: TypeId) -> Option<IntegerType> {
        match self.kind(id) {
            TypeKind::Integer(integer) => Some(integer),
            TypeKind::Enum(id) => self.enumeration(id).compatible,
            _ => None,
        }
    }

    /// What it points to, if it is a pointer.
    pub fn pointee(&self, id: TypeId) -> Option<Type> {
        match self.kind(id) {
            TypeKind::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The structure or union, if it is one.
    pub fn as_record(&self, id: TypeId) -> Option<RecordId> {
        match self.kind(id) {
            TypeKind::Record(id) => Some(id),
            _ => None,
        }
    }

    /// The function type, if it is one.
    pub fn as_function(&self, id: TypeId) -> Option<&FunctionType> {
        match self.kind(id) {
            TypeKind::Function(id) => Some(self.function(id)),
            _ => None,
        }
    }

    /// Why it is not known, if so.
    pub fn reason(&self, id: TypeId) -> Option<Reason> {
        match self.kind(id) {
            TypeKind::Unknown(reason) => Some(reason),
            _ => None,
        }
    }

    /// Is its size not known before the program runs (a variable-length array, or an array of such)?
    pub fn is_variable(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Array { length: ArrayLength::Variable(_) | ArrayLength::Star, .. } => true,
            TypeKind::Array { element, .. } => self.is_variable(element.id),
            _ => false,
        }
    }

    /// The member of this name, looked for in anonymous members, too.
    pub fn find_member(&self, id: RecordId, name: Name) -> Option<Found> {
        for (index, member) in self.record(id).members.iter().enumerate() {
            let index = number(index);
            if member.name == Some(name) {
                return Some(Found { path: vec![index], bit_offset: member.bit_offset });
            }
            let inside = self.as_record(member.ty.id).filter(|_| member.name.is_none() && member.bit_width.is_none());
            if let Some(mut found) = inside.and_then(|inside| self.find_member(inside, name)) {
                found.path.insert(0, index);
                found.bit_offset = found.bit_offset.saturating_add(member.bit_offset);
                return Some(found);
            }
        }
        None
    }
}
