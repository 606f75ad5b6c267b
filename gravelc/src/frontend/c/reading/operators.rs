//! Typed nodes for the operators (C11 6.5).

use crate::frontend::c::types::{
    ArrayLength, FloatType, FunctionType, IntegerType, Qualifiers, Reason, Type, TypeKind, are_compatible, composite,
    size_of,
};
use crate::frontend::c::unit::{BinaryOperator, Category, ExpressionId, Operation, Span, UnaryOperator, Unit};

impl Unit {
    /// `left operator right`
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        use BinaryOperator as B;
        let (left, right) = (self.value(left), self.value(right));
        if self.is_vector(left) || self.is_vector(right) {
            return self.vector_operation(operator, left, right, range);
        }
        match operator {
            B::And | B::Or => self.truth_operation(operator, left, right, range),
            B::ShiftLeft | B::ShiftRight => {
                let (left, right) = (self.promoted(left), self.promoted(right));
                let ty = self.type_of(left);
                if !self.is_integer(left) || !self.is_integer(right) {
                    return self.add_unknown(Reason::BadOperands, vec![left, right], range);
                }
                self.add_value(Operation::Binary(operator, left, right), ty, range)
            }
            B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual => {
                self.comparison(operator, left, right, range)
            }
            B::Add | B::Subtract if self.is_pointer(left) || self.is_pointer(right) => {
                self.pointer_arithmetic(operator, left, right, range)
            }
            B::Multiply | B::Divide | B::Add | B::Subtract => match self.balanced(left, right) {
                Ok((left, right, ty)) => self.add_value(Operation::Binary(operator, left, right), ty, range),
                Err(operands) => self.add_unknown(Reason::BadOperands, operands, range),
            },
            B::Remainder | B::BitAnd | B::BitXor | B::BitOr => match self.balanced(left, right) {
                Ok((left, right, ty)) if self.types.as_integer(ty.id).is_some() => {
                    self.add_value(Operation::Binary(operator, left, right), ty, range)
                }
                Ok((left, right, _)) => self.add_unknown(Reason::BadOperands, vec![left, right], range),
                Err(operands) => self.add_unknown(Reason::BadOperands, operands, range),
            },
        }
    }

    fn is_vector(&self, id: ExpressionId) -> bool {
        matches!(self.kind_of(id), TypeKind::Vector { .. })
    }

    fn is_pointer(&self, id: ExpressionId) -> bool {
        matches!(self.kind_of(id), TypeKind::Pointer(_))
    }

    fn is_opaque(&self, id: ExpressionId) -> bool {
        matches!(self.kind_of(id), TypeKind::Opaque(_))
    }

    /// The one type of two operands of which one at least is opaque: whatever it is, the other one is converted to it.
    fn opaque_type(&self, left: ExpressionId, right: ExpressionId) -> Option<Type> {
        let is_scalar = self.is_scalar(self.type_of(left)) && self.is_scalar(self.type_of(right));
        let first = if self.is_opaque(left) { left } else { right };
        (is_scalar && self.is_opaque(first)).then(|| self.type_of(first).unqualified())
    }

    fn is_integer(&self, id: ExpressionId) -> bool {
        self.types.as_integer(self.type_of(id).id).is_some()
    }

    fn truth_operation(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        let known = |unit: &Self, id| unit.is_scalar(unit.type_of(id));
        if !known(self, left) || !known(self, right) {
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        }
        let ty = self.types.int();
        self.add_value(Operation::Binary(operator, left, right), ty, range)
    }

    fn comparison(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        let ty = self.types.int();
        if matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual)
            && let Some(common) = self.opaque_type(left, right)
        {
            let (left, right) = (self.convert(left, common), self.convert(right, common));
            return self.add_value(Operation::Binary(operator, left, right), ty, range);
        }
        let (left, right) = match (self.is_pointer(left), self.is_pointer(right)) {
            (false, false) => match self.balanced(left, right) {
                // Complex values have no order.
                Ok((left, right, ty))
                    if matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual)
                        || !matches!(self.types.kind(ty.id), TypeKind::Complex(_)) =>
                {
                    (left, right)
                }
                Ok((left, right, _)) => return self.add_unknown(Reason::BadOperands, vec![left, right], range),
                Err(operands) => return self.add_unknown(Reason::BadOperands, operands, range),
            },
            (true, true) => {
                let to = self.common_pointer(left, right);
                (self.convert(left, to), self.convert(right, to))
            }
            (true, false) if self.is_integer(right) => (left, self.convert(right, self.type_of(left))),
            (false, true) if self.is_integer(left) => (self.convert(left, self.type_of(right)), right),
            _ => return self.add_unknown(Reason::BadOperands, vec![left, right], range),
        };
        self.add_value(Operation::Binary(operator, left, right), ty, range)
    }

    /// The type of two pointers in a comparison or a conditional expression (C11 6.5.15p6).
    fn common_pointer(&mut self, left: ExpressionId, right: ExpressionId) -> Type {
        let (one, other) = (self.type_of(left), self.type_of(right));
        if self.is_null_constant(left) && !self.is_null_constant(right) {
            return other;
        }
        if self.is_null_constant(right) {
            return one;
        }
        let (Some(to), Some(other_to)) = (self.types.pointee(one.id), self.types.pointee(other.id)) else { return one };
        let qualifiers = to.qualifiers | other_to.qualifiers;
        let is_void = |unit: &Self, ty: Type| unit.types.kind(ty.id) == TypeKind::Void;
        let common = if are_compatible(&self.types, to.id, other_to.id) {
            composite(&mut self.types, to, other_to)
        } else if is_void(self, to) {
            to
        } else if is_void(self, other_to) {
            other_to
        } else {
            self.types.of(TypeKind::Void)
        };
        self.types.pointer(common.and(qualifiers))
    }

    fn pointer_arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        let is_difference = operator == BinaryOperator::Subtract;
        match (self.is_pointer(left), self.is_pointer(right)) {
            (true, true) if is_difference => {
                let ty = self.types.difference_type();
                self.add_value(Operation::Binary(operator, left, right), ty, range)
            }
            (true, false) if self.is_integer(right) => {
                let right = self.promoted(right);
                let ty = self.type_of(left);
                self.add_value(Operation::Binary(operator, left, right), ty, range)
            }
            (false, true) if self.is_integer(left) && !is_difference => {
                let left = self.promoted(left);
                let ty = self.type_of(right);
                self.add_value(Operation::Binary(operator, left, right), ty, range)
            }
            _ => self.add_unknown(Reason::BadOperands, vec![left, right], range),
        }
    }

    /// Operations on vectors go element by element; a scalar stands for all elements.
    fn vector_operation(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        use BinaryOperator as B;
        let ty = self.type_of(if self.is_vector(left) { left } else { right });
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        let TypeKind::Vector { element, bytes } = self.types.kind(ty.id) else {
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        };
        let is_comparison =
            matches!(operator, B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual);
        let ty = match size_of(&self.types, element.into()) {
            Some(size) if is_comparison => {
                let signed = [IntegerType::SignedChar, IntegerType::Short, IntegerType::Int, IntegerType::Long];
                let signed = signed.into_iter().find(|integer| integer.size() == size).unwrap_or(IntegerType::Int128);
                let signed = if self.types.as_integer(element) == Some(IntegerType::LongLong) {
                    IntegerType::LongLong
                } else {
                    signed
                };
                let element = self.types.integer(signed).id;
                self.types.of(TypeKind::Vector { element, bytes })
            }
            _ => ty,
        };
        if matches!(operator, B::And | B::Or) {
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        }
        self.add_value(Operation::Binary(operator, left, right), ty, range)
    }

    /// `operator operand`
    pub(super) fn unary(&mut self, operator: UnaryOperator, operand: ExpressionId, range: Span) -> ExpressionId {
        if matches!(operator, UnaryOperator::Real | UnaryOperator::Imaginary) {
            return self.complex_part(operator, operand, range);
        }
        let operand = self.promoted(operand);
        let kind = self.kind_of(operand);
        let ty = match (operator, kind) {
            (UnaryOperator::Not, _) if self.is_scalar(self.type_of(operand)) => self.types.int(),
            (UnaryOperator::Plus | UnaryOperator::Minus, TypeKind::Float(_)) => self.type_of(operand),
            (
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement,
                TypeKind::Integer(_) | TypeKind::Complex(_) | TypeKind::Vector { .. },
            ) => self.type_of(operand),
            _ => return self.add_unknown(Reason::BadOperands, vec![operand], range),
        };
        self.add_value(Operation::Unary(operator, operand), ty, range)
    }

    /// `__real__ e` and `__imag__ e`: lvalues, if `e` is one.
    fn complex_part(&mut self, operator: UnaryOperator, operand: ExpressionId, range: Span) -> ExpressionId {
        let ty = self.type_of(operand);
        let part = match self.types.kind(ty.id) {
            TypeKind::Complex(float) => self.types.of(TypeKind::Float(float)).and(ty.qualifiers),
            TypeKind::Float(_) | TypeKind::Integer(_) | TypeKind::Enum(_) => {
                let operand = self.value(operand);
                let ty = self.type_of(operand);
                return self.add_value(Operation::Unary(operator, operand), ty, range);
            }
            _ => return self.add_unknown(Reason::BadOperands, vec![operand], range),
        };
        let category = self.expression(operand).category;
        self.add(Operation::Unary(operator, operand), part, category, range)
    }

    /// `*operand`
    pub(super) fn dereference(&mut self, operand: ExpressionId, range: Span) -> ExpressionId {
        let operand = self.value(operand);
        match self.types.pointee(self.type_of(operand).id) {
            Some(to) => self.add(Operation::Dereference(operand), to, Category::Object, range),
            None => self.add_unknown(Reason::BadOperands, vec![operand], range),
        }
    }

    /// `&operand`
    pub(super) fn address(&mut self, operand: ExpressionId, range: Span) -> ExpressionId {
        let ty = self.type_of(operand);
        let has_address = self.expression(operand).category == Category::Object
            || matches!(self.types.kind(ty.id), TypeKind::Array { .. });
        if !has_address || self.types.reason(ty.id).is_some() {
            return self.add_unknown(Reason::BadOperands, vec![operand], range);
        }
        let pointer = self.types.pointer(ty);
        self.add_value(Operation::AddressOf(operand), pointer, range)
    }

    /// `base[index]`
    pub(super) fn subscript(&mut self, base: ExpressionId, index: ExpressionId, range: Span) -> ExpressionId {
        if let TypeKind::Vector { element, .. } = self.kind_of(base) {
            let qualifiers = self.type_of(base).qualifiers;
            let category = self.expression(base).category;
            let index = self.promoted(index);
            let ty = Type { id: element, qualifiers };
            return self.add(Operation::Subscript { pointer: base, index, is_swapped: false }, ty, category, range);
        }
        let (base, index) = (self.value(base), self.value(index));
        let is_swapped = !self.is_pointer(base) && self.is_pointer(index);
        let (pointer, index) = if is_swapped { (index, base) } else { (base, index) };
        match self.types.pointee(self.type_of(pointer).id) {
            Some(to) if self.is_integer(index) && !matches!(self.types.kind(to.id), TypeKind::Function(_)) => {
                let index = self.promoted(index);
                self.add(Operation::Subscript { pointer, index, is_swapped }, to, Category::Object, range)
            }
            _ => self.add_unknown(Reason::BadOperands, vec![base, index], range),
        }
    }

    /// `base.name`; of `p->name` the base is `*p`.
    pub(super) fn member(&mut self, base: ExpressionId, path: Vec<u32>, is_arrow: bool, range: Span) -> ExpressionId {
        let mut ty = self.type_of(base);
        let mut category = self.expression(base).category;
        for step in &path {
            let member = self.types.as_record(ty.id).and_then(|id| self.types.record(id).members.get(*step as usize));
            let Some(member) = member else { return self.add_unknown(Reason::NoSuchMember, vec![base], range) };
            if let Some(width) = member.bit_width {
                category = Category::BitField(width);
            }
            let qualifiers = ty.qualifiers.without(Qualifiers::ATOMIC);
            ty = self.types.qualified(member.ty, qualifiers);
        }
        self.add(Operation::Member { base, path, is_arrow }, ty, category, range)
    }

    /// `left = right`
    pub(super) fn assignment(&mut self, left: ExpressionId, right: ExpressionId, range: Span) -> ExpressionId {
        let ty = self.type_of(left).unqualified();
        let is_lvalue = self.expression(left).category != Category::Value;
        if !is_lvalue
            || matches!(self.types.kind(ty.id), TypeKind::Array { .. } | TypeKind::Function(_) | TypeKind::Void)
        {
            let right = self.value(right);
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        }
        let right = self.convert(right, ty);
        self.add_value(Operation::Assign { left, right }, self.types.plain(ty.id).into(), range)
    }

    /// `left operator= right`
    pub(super) fn compound_assignment(
        &mut self,
        operator: BinaryOperator,
        left: ExpressionId,
        right: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        use BinaryOperator as B;
        let ty = Type::from(self.types.plain(self.type_of(left).id));
        if self.expression(left).category == Category::Value {
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        }
        let read = self.value(left);
        let right = self.value(right);
        let (right, computation) = if self.is_vector(read) {
            (self.convert(right, ty), ty)
        } else if self.is_pointer(read) {
            if !matches!(operator, B::Add | B::Subtract) || !self.is_integer(right) {
                return self.add_unknown(Reason::BadOperands, vec![left, right], range);
            }
            (self.promoted(right), ty)
        } else if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            let read = self.promoted(read);
            (self.promoted(right), self.type_of(read))
        } else {
            match self.balanced(read, right) {
                Ok((_, right, computation)) => (right, computation),
                Err(operands) => return self.add_unknown(Reason::BadOperands, operands, range),
            }
        };
        let needs_integer =
            matches!(operator, B::ShiftLeft | B::ShiftRight | B::Remainder | B::BitAnd | B::BitOr | B::BitXor);
        let is_wrong = needs_integer
            && !self.is_vector(right)
            && (!self.is_integer(right) || self.types.as_integer(computation.id).is_none());
        if is_wrong
            || self.types.reason(computation.id).is_some()
            || self.types.reason(self.type_of(right).id).is_some()
        {
            return self.add_unknown(Reason::BadOperands, vec![left, right], range);
        }
        self.add_value(Operation::AssignOperation { operator, left, right, computation }, ty, range)
    }

    /// `++operand` and its like.
    pub(super) fn step(
        &mut self,
        operand: ExpressionId,
        is_increment: bool,
        is_postfix: bool,
        range: Span,
    ) -> ExpressionId {
        let ty = Type::from(self.types.plain(self.type_of(operand).id));
        let is_lvalue = self.expression(operand).category != Category::Value;
        if !is_lvalue || !self.is_scalar(ty) || self.is_opaque(operand) {
            return self.add_unknown(Reason::BadOperands, vec![operand], range);
        }
        self.add_value(Operation::Step { operand, is_increment, is_postfix }, ty, range)
    }

    /// `condition ? then : otherwise`
    pub(super) fn conditional(
        &mut self,
        condition: ExpressionId,
        then: Option<ExpressionId>,
        otherwise: ExpressionId,
        range: Span,
    ) -> ExpressionId {
        let condition = self.value(condition);
        let first = self.value(then.unwrap_or(condition));
        let second = self.value(otherwise);
        let operands =
            |first, second| if then.is_some() { vec![condition, first, second] } else { vec![condition, second] };
        let (one, other) = (self.kind_of(first), self.kind_of(second));
        let unknown = |kind| matches!(kind, TypeKind::Unknown(_));
        if unknown(one) || unknown(other) || !self.is_scalar(self.type_of(condition)) {
            return self.add_unknown(Reason::BadOperands, operands(first, second), range);
        }
        let ty = match (one, other) {
            (TypeKind::Void, _) | (_, TypeKind::Void) => self.types.of(TypeKind::Void),
            (TypeKind::Opaque(_), _) | (_, TypeKind::Opaque(_)) => match self.opaque_type(first, second) {
                Some(ty) => ty,
                None => return self.add_unknown(Reason::BadOperands, operands(first, second), range),
            },
            (TypeKind::Pointer(_), TypeKind::Pointer(_)) => self.common_pointer(first, second),
            (TypeKind::Pointer(_), _) if self.is_integer(second) => self.type_of(first),
            (_, TypeKind::Pointer(_)) if self.is_integer(first) => self.type_of(second),
            (TypeKind::Record(_) | TypeKind::Vector { .. }, _) if self.type_of(first) == self.type_of(second) => {
                self.type_of(first)
            }
            _ => {
                let (promoted, other) = (self.promoted(first), self.promoted(second));
                match self.common_type(promoted, other) {
                    Some(ty) => ty,
                    None => return self.add_unknown(Reason::BadOperands, operands(promoted, other), range),
                }
            }
        };
        let is_void = self.types.kind(ty.id) == TypeKind::Void;
        let convert = |unit: &mut Self, id| {
            if is_void && unit.kind_of(id) == TypeKind::Void { id } else { unit.promoted_to(id, ty) }
        };
        let otherwise = convert(self, second);
        let then = then.map(|_| convert(self, first));
        self.add_value(Operation::Conditional { condition, then, otherwise }, ty.unqualified(), range)
    }

    fn promoted_to(&mut self, id: ExpressionId, ty: Type) -> ExpressionId {
        let id = if self.types.as_integer(ty.id).is_some() { self.promoted(id) } else { id };
        self.convert(id, ty)
    }

    /// `callee(arguments)`
    pub(super) fn call(&mut self, callee: ExpressionId, arguments: Vec<ExpressionId>, range: Span) -> ExpressionId {
        let callee = self.value(callee);
        let to = self.types.pointee(self.type_of(callee).id);
        let function = to.and_then(|to| self.types.as_function(to.id)).cloned();
        let Some(function) = function else {
            let operands = [callee].into_iter().chain(arguments).collect();
            return self.add_unknown(Reason::NotCallable, operands, range);
        };
        let arguments = self.converted_arguments(&function, arguments);
        let ty = self.types.plain(function.result.id).into();
        self.add_value(Operation::Call { callee, arguments }, ty, range)
    }

    fn converted_arguments(&mut self, function: &FunctionType, arguments: Vec<ExpressionId>) -> Vec<ExpressionId> {
        let mut parameters = function.parameters.iter().filter(|_| function.has_prototype);
        let converted = arguments.into_iter().map(|argument| match parameters.next() {
            Some(parameter) => self.convert(argument, *parameter),
            None => self.promoted_argument(argument),
        });
        converted.collect()
    }

    /// The type of a string literal of so many characters, the terminating null included.
    pub(super) fn string_type(&mut self, element: IntegerType, length: u64) -> Type {
        let element = self.types.integer(element);
        self.types.array(element, ArrayLength::Constant(length))
    }

    /// The type of an imaginary constant.
    pub(super) fn complex_type(&mut self, float: FloatType) -> Type {
        self.types.of(TypeKind::Complex(float))
    }
}
