//! Arrays in memory: from declared bounds and subscripts to regions.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ir::{
    Bounds, Dimension, Expression, ExpressionKind, Extent, Interval, Lmad, Polynomial, Procedure, Region, Shape,
    Storage, Subscript, Symbol, SymbolId,
};

use super::super::algebra::symbolic::{evaluate, polynomial_of};
use super::effects::Footprint;

/// How the elements of an array lie in memory. The polynomials hold everywhere in the procedure, those of
/// [bounds that were found](crate::ir::Symbol::found_bounds) wherever the array may be used.
#[derive(Debug)]
pub struct Layout {
    /// The bounds of each dimension.
    pub bounds: Vec<Bounds>,
    /// The subscripts of the element at offset 0, and the distance between neighbours of each dimension in elements;
    /// `None` if they are not known.
    linear: Option<Vec<(Polynomial, Polynomial)>>,
    /// The element at offset 0 is the array's first.
    begins_at_zero: bool,
}

/// The layouts of the variables of one procedure.
pub struct Layouts<'a> {
    /// The procedure.
    pub procedure: &'a Procedure,
    /// What the procedure's statements may write.
    writes: OnceCell<Footprint>,
    known: RefCell<BTreeMap<SymbolId, Rc<Layout>>>,
}

impl Layout {
    /// The distance between neighbours of each dimension, in elements, of an array whose first element has offset 0.
    pub fn strides(&self) -> Option<Vec<Polynomial>> {
        let linear = self.linear.as_ref().filter(|_| self.begins_at_zero)?;
        Some(linear.iter().map(|(_, stride)| stride.clone()).collect())
    }
}

impl<'a> Layouts<'a> {
    /// Nothing is worked out yet.
    pub fn new(procedure: &'a Procedure) -> Self {
        Self { procedure, writes: OnceCell::new(), known: RefCell::default() }
    }

    /// The layout of a variable.
    pub fn layout(&self, symbol: SymbolId) -> Rc<Layout> {
        if let Some(layout) = self.known.borrow().get(&symbol) {
            return Rc::clone(layout);
        }
        let layout = Rc::new(self.work_out(symbol));
        self.known.borrow_mut().insert(symbol, Rc::clone(&layout));
        layout
    }

    /// The layout where variables have the values that `value_of` gives.
    pub fn layout_where(&self, id: SymbolId, value_of: &dyn Fn(SymbolId) -> Option<Polynomial>) -> Rc<Layout> {
        let layout = self.layout(id);
        let symbol = self.procedure.symbol(id);
        if symbol.found_bounds.is_empty() {
            return layout;
        }
        let replaced = |bound: &Option<Polynomial>| bound.as_ref()?.checked_replace(value_of);
        let bounds = symbol.found_bounds.iter();
        let bounds = bounds.map(|it| Bounds { lower: replaced(&it.lower), upper: replaced(&it.upper) }).collect();
        // The origin is the same everywhere, known or not.
        let has_unknown_origin = !layout.begins_at_zero && layout.linear.is_some();
        Rc::new(self.laid_out(symbol, bounds, has_unknown_origin))
    }

    fn work_out(&self, id: SymbolId) -> Layout {
        let symbol = self.procedure.symbol(id);
        let bounds: Vec<Bounds> = match &symbol.shape {
            _ if !symbol.found_bounds.is_empty() => symbol.found_bounds.clone(),
            Shape::Scalar => Vec::new(),
            Shape::Array(dimensions) => dimensions
                .iter()
                .map(|dimension| Bounds {
                    lower: self.declared(id, dimension.lower.as_ref()),
                    upper: self.declared(id, dimension.upper.as_ref()),
                })
                .collect(),
        };
        let has_unknown_origin = bounds.len() == 1 && bounds[0].lower.is_none();
        self.laid_out(symbol, bounds, has_unknown_origin)
    }

    fn laid_out(&self, symbol: &Symbol, bounds: Vec<Bounds>, has_unknown_origin: bool) -> Layout {
        if symbol.may_lie_apart() && !bounds.is_empty() {
            return Layout { bounds, linear: None, begins_at_zero: false };
        }
        let linear = if has_unknown_origin {
            // Any fixed origin will do as long as one and the same variable is looked at (see `Lmad`).
            Some(vec![(Polynomial::default(), Polynomial::constant(1))])
        } else {
            strides(&bounds)
        };
        Layout { bounds, linear, begins_at_zero: !has_unknown_origin }
    }

    /// The value of a declared bound. It is the one at the procedure's entry, so nothing in the procedure may change its
    /// variables; those of an array from elsewhere are not even the procedure's own.
    fn declared(&self, array: SymbolId, bound: Option<&Expression>) -> Option<Polynomial> {
        let value = polynomial_of(self.procedure, bound?)?;
        let variables = value.variables();
        if variables.is_empty() {
            return Some(value);
        }
        if matches!(self.procedure.symbol(array).storage, Storage::Global(_) | Storage::Static) {
            return None;
        }
        let writes = self.writes.get_or_init(|| Footprint::of_procedure(self.procedure));
        variables.iter().all(|&symbol| !writes.may_write(self.procedure, symbol)).then_some(value)
    }

    /// Does offset 0 of the variable's regions mean its first element?
    pub fn begins_at_zero(&self, symbol: SymbolId) -> bool {
        self.layout(symbol).begins_at_zero
    }

    /// All elements of a variable whose bounds are declared; the second value says that the region is exact.
    pub fn whole(&self, symbol: SymbolId) -> (Region, bool) {
        Self::all_of(symbol, &self.layout(symbol))
    }

    fn all_of(symbol: SymbolId, layout: &Layout) -> (Region, bool) {
        let lmad = layout.linear.as_ref().and_then(|linear| {
            let dimensions = layout
                .bounds
                .iter()
                .zip(linear)
                .map(|(bounds, (_, stride))| Some(Dimension { stride: stride.clone(), count: bounds.extent()? }))
                .collect::<Option<Vec<_>>>()?;
            Some(Lmad { offset: Polynomial::default(), dimensions })
        });
        match lmad {
            Some(lmad) => (Region::elements(symbol, lmad), true),
            None => (Region::whole(symbol), false),
        }
    }

    /// The elements that a variable, an array element or an array section designates; the second value says that the
    /// region is exact: it holds nothing else. `None` if the expression designates nothing, or a part that is not
    /// described.
    pub fn region_of(
        &self,
        expression: &Expression,
        value_of: &dyn Fn(SymbolId) -> Option<Polynomial>,
    ) -> Option<(Region, bool)> {
        let value = |expression: &Expression| evaluate(self.procedure, expression, value_of);
        match &expression.kind {
            ExpressionKind::Symbol(symbol) => Some(Self::all_of(*symbol, &self.layout_where(*symbol, value_of))),
            ExpressionKind::Element { array, subscripts } => {
                let ranges = subscripts.iter().map(|subscript| value(subscript).map(Range::single)).collect();
                Some(Self::section(*array, &self.layout_where(*array, value_of), ranges))
            }
            ExpressionKind::Section { array, subscripts } => {
                let layout = self.layout_where(*array, value_of);
                let no_bounds = Bounds::default();
                let ranges = subscripts
                    .iter()
                    .enumerate()
                    .map(|(index, subscript)| {
                        Range::of(subscript, layout.bounds.get(index).unwrap_or(&no_bounds), &value)
                    })
                    .collect();
                Some(Self::section(*array, &layout, ranges))
            }
            _ => None,
        }
    }

    fn section(array: SymbolId, layout: &Layout, ranges: Vec<Option<Range>>) -> (Region, bool) {
        let mut region = Region::whole(array);
        let mut is_exact = false;
        if ranges.len() == layout.bounds.len() {
            if let Some(lmad) = layout.linear.as_ref().and_then(|linear| linear_section(linear, &ranges)) {
                region.extent = Extent::Elements(lmad);
                is_exact = ranges.iter().flatten().all(|range| range.is_exact);
            }
            region.subscripts = ranges.iter().map(|range| range.as_ref()?.interval()).collect();
        }
        (region, is_exact)
    }
}

/// The bounds of the last dimension of an array, as far as they are known.
pub fn bounds_of_last_dimension(procedure: &Procedure, array: SymbolId) -> Option<Bounds> {
    Layouts::new(procedure).layout(array).bounds.last().cloned()
}

/// The origin and the stride of each dimension of a contiguous array in column-major order.
fn strides(bounds: &[Bounds]) -> Option<Vec<(Polynomial, Polynomial)>> {
    let mut stride = Polynomial::constant(1);
    let mut linear = Vec::with_capacity(bounds.len());
    for (index, dimension) in bounds.iter().enumerate() {
        linear.push((dimension.lower.clone()?, stride.clone()));
        if index + 1 < bounds.len() {
            stride = stride.checked_multiply(&dimension.extent()?)?;
        }
    }
    Some(linear)
}

fn linear_section(linear: &[(Polynomial, Polynomial)], ranges: &[Option<Range>]) -> Option<Lmad> {
    let mut offset = Polynomial::default();
    let mut dimensions = Vec::new();
    for ((origin, stride), range) in linear.iter().zip(ranges) {
        let range = range.as_ref()?;
        offset = offset.checked_add(&range.first.checked_subtract(origin)?.checked_multiply(stride)?)?;
        if let Some(count) = &range.count {
            let stride = stride.checked_multiply(&Polynomial::constant(range.step))?;
            dimensions.push(Dimension { stride, count: count.clone() });
        }
    }
    Some(Lmad { offset, dimensions })
}

/// The values of one subscript.
struct Range {
    first: Polynomial,
    /// Number of values; `None` for a single one.
    count: Option<Polynomial>,
    /// Distance between values.
    step: i64,
    /// No value that the subscript doesn't have is in the range.
    is_exact: bool,
}

impl Range {
    fn single(value: Polynomial) -> Self {
        Self { first: value, count: None, step: 1, is_exact: true }
    }

    fn of(subscript: &Subscript, bounds: &Bounds, value: &dyn Fn(&Expression) -> Option<Polynomial>) -> Option<Self> {
        match subscript {
            Subscript::Index(index) => value(index).map(Self::single),
            Subscript::Vector(_) => None,
            Subscript::Range { lower, upper, stride } => {
                let step = match stride {
                    Some(stride) => value(stride)?.as_constant()?,
                    None => 1,
                };
                // Left out, the bounds are the dimension's own ones in this order, whatever the sign of the stride.
                let first = match lower {
                    Some(lower) => value(lower)?,
                    None => bounds.lower.clone()?,
                };
                let last = match upper {
                    Some(upper) => value(upper)?,
                    None => bounds.upper.clone()?,
                };
                let progression = Progression::new(&first, &last, step)?;
                Some(Self {
                    first,
                    count: Some(progression.count),
                    step: progression.step,
                    is_exact: progression.is_exact,
                })
            }
        }
    }

    fn interval(&self) -> Option<Interval> {
        let last = match &self.count {
            None => self.first.clone(),
            Some(count) => {
                let steps = count.checked_subtract(&Polynomial::constant(1))?;
                self.first.checked_add(&steps.checked_multiply(&Polynomial::constant(self.step))?)?
            }
        };
        Some(if self.step > 0 {
            Interval { lower: self.first.clone(), upper: last }
        } else {
            Interval { lower: last, upper: self.first.clone() }
        })
    }
}

/// The values `first, first + step, …` up to a last one, as those of a section's subscript or a loop's variable.
pub(super) struct Progression {
    /// Number of values; there are none where it is not positive.
    pub count: Polynomial,
    /// Distance between values.
    pub step: i64,
    /// No other values are in it.
    pub is_exact: bool,
}

impl Progression {
    /// From `first` to `last` in steps of `step`. Where the number of steps is not known, the progression holds every
    /// value in between as well.
    pub fn new(first: &Polynomial, last: &Polynomial, step: i64) -> Option<Self> {
        if step == 0 {
            return None;
        }
        let one = Polynomial::constant(1);
        let direction = step.signum();
        let distance = if step > 0 { last.checked_subtract(first)? } else { first.checked_subtract(last)? };
        let magnitude = step.checked_abs()?;
        let steps = match distance.as_constant() {
            // A negative distance means no value at all; the quotient has to stay negative.
            Some(distance) => Some(Polynomial::constant(distance.checked_div_euclid(magnitude)?)),
            None => distance.exact_division(magnitude),
        };
        match steps {
            Some(steps) => Some(Self { count: steps.checked_add(&one)?, step, is_exact: true }),
            None => Some(Self { count: distance.checked_add(&one)?, step: direction, is_exact: false }),
        }
    }
}
