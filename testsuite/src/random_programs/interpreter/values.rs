//! The memory and the expressions of an interpreted program.

use super::*;

impl<'p> Process<'p> {
    pub(super) fn set(&mut self, scalar: ScalarId, value: f64) -> Result<(), Invalid> {
        if self.frozen.contains(&scalar) {
            return Err("a scalar that must not change is changed");
        }
        self.scalars[scalar] = Some(value);
        Ok(())
    }

    pub(super) fn array(&self, array: ArrayId) -> &'p Array {
        &self.program.arrays[array]
    }

    /// The memory in which an array begins.
    pub(super) fn base(&self, array: ArrayId) -> Result<Binding, Invalid> {
        match self.array(array).home {
            Home::Over(root, offset) => Ok(Binding { root, offset }),
            Home::Argument(..) => self.bindings[array].ok_or("an argument is not bound"),
            _ => Ok(Binding { root: array, offset: 0 }),
        }
    }

    pub(super) fn end_of(&self, array: ArrayId) -> Result<usize, Invalid> {
        Ok(self.base(array)?.offset + self.array(array).length)
    }

    pub(super) fn locate_start(&self, array: ArrayId, index: &Index) -> Result<(ArrayId, usize), Invalid> {
        if index.is_empty() {
            self.check_alias(array)?;
            let Binding { root, offset } = self.base(array)?;
            return Ok((root, offset));
        }
        self.locate(array, index)
    }

    pub(super) fn locate(&self, array: ArrayId, index: &Index) -> Result<(ArrayId, usize), Invalid> {
        match index.as_slice() {
            [one] => self.locate_at(array, &[self.integer(one)?]),
            [one, two] => self.locate_at(array, &[self.integer(one)?, self.integer(two)?]),
            _ => Err("an array has one or two dimensions"),
        }
    }

    pub(super) fn locate_at(&self, array: ArrayId, subscripts: &[i64]) -> Result<(ArrayId, usize), Invalid> {
        self.check_alias(array)?;
        let found = self.array(array);
        let (row, column) = match (subscripts, found.is_matrix()) {
            ([row], false) => (*row, 1),
            ([row, column], true) => (*row, *column),
            _ => return Err("another number of dimensions"),
        };
        let rows = i64::try_from(found.rows).map_err(|_| "too large")?;
        let columns = i64::try_from(found.length).map_err(|_| "too large")? / rows;
        let row = row - found.first;
        if !(0..rows).contains(&row) || !(1..=columns).contains(&column) {
            return Err("a subscript is out of bounds");
        }
        let Binding { root, offset } = self.base(array)?;
        Ok((root, offset + usize::try_from(row + (column - 1) * rows).unwrap_or(0)))
    }

    /// While an array is an argument, its memory has no other name.
    pub(super) fn check_alias(&self, array: ArrayId) -> Result<(), Invalid> {
        if matches!(self.array(array).home, Home::Argument(..)) {
            return Ok(());
        }
        let root = self.base(array)?.root;
        let is_argument = self.bindings.iter().flatten().any(|binding| binding.root == root);
        if is_argument { Err("an argument is used by another name") } else { Ok(()) }
    }

    pub(super) fn load(&self, root: ArrayId, place: usize) -> Result<f64, Invalid> {
        let is_here = |pending: &Pending| pending.root == root && pending.places.contains(place);
        if self.pending.iter().any(|pending| pending.is_receive && is_here(pending)) {
            return Err("a pending buffer is read");
        }
        self.memory[root][place].ok_or("an element has no value")
    }

    pub(super) fn store(&mut self, array: ArrayId, root: ArrayId, place: usize, value: f64) -> Result<(), Invalid> {
        if self.pending.iter().any(|pending| pending.root == root && pending.places.contains(place)) {
            return Err("a pending buffer is written");
        }
        let value = match self.array(array).element {
            Element::Single => f64::from(value as f32),
            Element::Double | Element::Integer => value,
        };
        if !value.is_finite() {
            return Err("a number is not finite");
        }
        self.memory[root][place] = Some(value);
        Ok(())
    }

    /// A number that is the same in every file.
    pub(super) fn integer(&self, expression: &Expression) -> Result<i64, Invalid> {
        let value = self.integer_or_name(expression)?;
        if is_name(value) { Err("a tag or nobody's rank is used as a number") } else { Ok(value) }
    }

    /// A tag, counted from [`TAGS`].
    pub(super) fn tag(&self, expression: &Expression) -> Result<i64, Invalid> {
        let value = self.integer_or_name(expression)?;
        if value >= TAGS { Ok(value) } else { Err("a number is used as a tag") }
    }

    /// A number, or what stands for a tag or nobody.
    pub(super) fn integer_or_name(&self, expression: &Expression) -> Result<i64, Invalid> {
        let value = match expression {
            Expression::Literal(value) => *value,
            Expression::Tag(tag) => return Ok(TAGS + tag),
            Expression::Scalar(scalar) => self.scalars[*scalar].ok_or("a scalar has no value")? as i64,
            Expression::Rank => self.rank as i64,
            Expression::Ranks => self.ranks as i64,
            Expression::NoProcess => return Ok(NO_PROCESS),
            Expression::Element(array, index) => {
                let (root, place) = self.locate(*array, index)?;
                self.load(root, place)? as i64
            }
            Expression::Binary(left, operator, right) => {
                let (left, right) = (self.integer(left)?, self.integer(right)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Modulo => left.checked_rem(right).ok_or("a division by zero")?,
                }
            }
        };
        if is_name(value) || (-MOST..=MOST).contains(&value) { Ok(value) } else { Err("an integer is too large") }
    }

    pub(super) fn value(&self, value: &Value) -> Result<f64, Invalid> {
        let number = match value {
            Value::Eighths(eighths) => f64::from(*eighths) / 8.0,
            Value::Scalar(scalar) if self.program.scalars[*scalar].is_integer => {
                self.integer(&Expression::Scalar(*scalar))? as f64
            }
            Value::Scalar(scalar) => self.scalars[*scalar].ok_or("a scalar has no value")?,
            Value::Integer(expression) => self.integer(expression)? as f64,
            Value::Element(array, index) => {
                let (root, place) = self.locate(*array, index)?;
                self.load(root, place)?
            }
            Value::Binary(left, operator, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Modulo => return Err("a remainder of floating-point numbers"),
                }
            }
            Value::Largest(left, right) => self.value(left)?.max(self.value(right)?),
            Value::Absolute(inner) => self.value(inner)?.abs(),
        };
        if number.is_finite() { Ok(number) } else { Err("a number is not finite") }
    }

    pub(super) fn holds(&self, condition: &Condition) -> Result<bool, Invalid> {
        let (left, right) = (self.integer_or_name(&condition.left)?, self.integer_or_name(&condition.right)?);
        if left.max(right) >= TAGS {
            return Err("a tag is compared");
        }
        let is_number = left != NO_PROCESS && right != NO_PROCESS;
        match condition.relation {
            Relation::Equal => Ok(left == right),
            Relation::Different => Ok(left != right),
            Relation::Less if is_number => Ok(left < right),
            Relation::NotLess if is_number => Ok(left >= right),
            Relation::Less | Relation::NotLess => Err("nobody has no place among the ranks"),
        }
    }
}

/// Does it stand for a tag or for nobody, instead of being a number?
fn is_name(value: i64) -> bool {
    value == NO_PROCESS || value >= TAGS
}
