//! The datatypes of an interpreted program.

use super::places::Places;
use super::*;

/// Elements of a datatype at most.
const MOST_ELEMENTS: usize = 20_000;

/// A datatype that was made.
#[derive(Debug, Clone)]
pub(super) struct Made {
    element: Element,
    /// Where its elements lie, counted in elements from the buffer on.
    map: Vec<i64>,
    lower: i64,
    upper: i64,
    is_committed: bool,
}

impl Made {
    fn of_element(element: Element) -> Self {
        Self { element, map: vec![0], lower: 0, upper: 1, is_committed: true }
    }

    fn extent(&self) -> i64 {
        self.upper - self.lower
    }

    /// Copies of it, so far behind its place.
    fn at(&self, places: impl Iterator<Item = i64>) -> Result<Self, Invalid> {
        let mut map = Vec::new();
        let mut bounds: Option<(i64, i64)> = None;
        for place in places {
            map.extend(self.map.iter().map(|element| element + place));
            if map.len() > MOST_ELEMENTS {
                return Err("a datatype has too many elements");
            }
            let (lower, upper) = bounds.unwrap_or((i64::MAX, i64::MIN));
            bounds = Some((lower.min(self.lower + place), upper.max(self.upper + place)));
        }
        let (lower, upper) = bounds.ok_or("an empty datatype")?;
        Ok(Self { element: self.element, map, lower, upper, is_committed: false })
    }

    /// Blocks of so many copies, from a place on that is counted in copies or (`unit`) in elements.
    fn blocks(&self, blocks: &[(i64, i64)], unit: i64) -> Result<Self, Invalid> {
        let most = i64::try_from(MOST_ELEMENTS).unwrap_or(i64::MAX);
        if blocks.iter().any(|&(length, place)| !(0..=most).contains(&length) || place.abs() > MOST / 64) {
            return Err("a block has a strange length or place");
        }
        let copies =
            blocks.iter().flat_map(|&(length, place)| (0..length).map(move |copy| place * unit + copy * self.extent()));
        self.at(copies)
    }
}

impl Process<'_> {
    pub(super) fn datatype_call(&mut self, call: &DatatypeCall) -> Result<(), Invalid> {
        match call {
            DatatypeCall::Make(variable, layout, of) => {
                let of = match of {
                    MadeOf::Elements(element) => Made::of_element(*element),
                    MadeOf::Datatype(variable) => self.made(*variable)?.clone(),
                };
                let made = self.laid_out(layout, &of)?;
                let variable = self.changeable(*variable)?;
                self.datatypes[variable] = Some(made);
            }
            DatatypeCall::Commit(variable) => {
                let variable = self.changeable(*variable)?;
                self.datatypes[variable].as_mut().ok_or("a datatype has no value")?.is_committed = true;
            }
            DatatypeCall::Free(variable) => {
                let variable = self.changeable(*variable)?;
                self.datatypes[variable].take().ok_or("a datatype has no value")?;
            }
        }
        Ok(())
    }

    fn laid_out(&self, layout: &Layout, of: &Made) -> Result<Made, Invalid> {
        match layout {
            Layout::Contiguous(count) => of.blocks(&[(self.integer(count)?, 0)], 1),
            Layout::Vector { blocks, length, stride } => self.vector(of, blocks, length, stride, of.extent()),
            Layout::VectorOfBytes { blocks, length, stride, element } => {
                self.check_element_type(of, *element)?;
                self.vector(of, blocks, length, stride, 1)
            }
            Layout::Indexed(blocks) => {
                let blocks = blocks.iter().map(|(length, place)| Ok((self.integer(length)?, self.integer(place)?)));
                of.blocks(&blocks.collect::<Result<Vec<_>, Invalid>>()?, of.extent())
            }
            Layout::IndexedBlocks(length, places) => {
                let length = self.integer(length)?;
                let blocks = places.iter().map(|place| Ok((length, self.integer(place)?)));
                of.blocks(&blocks.collect::<Result<Vec<_>, Invalid>>()?, of.extent())
            }
            Layout::Subarray { sizes, parts, starts } => {
                let numbers = |of: &[Expression; 2]| Ok::<_, Invalid>((self.integer(&of[0])?, self.integer(&of[1])?));
                let ((rows, columns), (height, width), (row, column)) =
                    (numbers(sizes)?, numbers(parts)?, numbers(starts)?);
                let fits = |size: i64, part: i64, start: i64| {
                    size <= MOST / 65_536 && part >= 1 && start >= 0 && start + part <= size
                };
                if !fits(rows, height, row) || !fits(columns, width, column) {
                    return Err("a part lies outside of its array");
                }
                let places: Vec<(i64, i64)> =
                    (column..column + width).map(|column| (height, row + column * rows)).collect();
                let made = of.blocks(&places, of.extent())?;
                Ok(Made { lower: 0, upper: rows * columns * of.extent(), ..made })
            }
            Layout::Resized(extent, element) => {
                self.check_element_type(of, *element)?;
                let extent = self.integer(extent)?;
                if !(1..=MOST / 65_536).contains(&extent) {
                    return Err("a strange extent");
                }
                Ok(Made { lower: 0, upper: extent, is_committed: false, ..of.clone() })
            }
        }
    }

    /// `unit`: elements that the stride counts.
    fn vector(
        &self,
        of: &Made,
        blocks: &Expression,
        length: &Expression,
        stride: &Expression,
        unit: i64,
    ) -> Result<Made, Invalid> {
        let (blocks, length, stride) = (self.integer(blocks)?, self.integer(length)?, self.integer(stride)?);
        if blocks > i64::try_from(MOST_ELEMENTS).unwrap_or(i64::MAX) {
            return Err("a datatype has too many elements");
        }
        let all: Vec<(i64, i64)> = (0..blocks).map(|block| (length, block * stride)).collect();
        of.blocks(&all, unit)
    }

    fn check_element_type(&self, of: &Made, element: Element) -> Result<(), Invalid> {
        if of.element == element { Ok(()) } else { Err("the elements of a datatype have another type") }
    }

    /// The elements that a message is made of that begins at this place of an array, counted from the beginning of its memory.
    pub(super) fn places(
        &self,
        message: &Message,
        (root, from): (ArrayId, usize),
        count: usize,
    ) -> Result<Places, Invalid> {
        let end = self.end_of(message.array)?;
        let Some(datatype) = message.datatype else {
            return match from + count > end {
                true => Err("a message is longer than its array"),
                false => Ok(Places::range(from..from + count)),
            };
        };
        let made = self.made(datatype)?;
        self.check_element_type(made, self.program.arrays[root].element)?;
        if !made.is_committed {
            return Err("a datatype is not committed");
        }
        if count * made.map.len() > MOST_ELEMENTS {
            return Err("a message has too many elements");
        }
        let begin = self.base(message.array)?.offset;
        let mut places = Vec::with_capacity(count * made.map.len());
        for copy in 0..count as i64 {
            for element in &made.map {
                let place = from as i64 + copy * made.extent() + element;
                let place = usize::try_from(place).ok().filter(|place| (begin..end).contains(place));
                places.push(place.ok_or("an element of a message lies outside of its array")?);
            }
        }
        Ok(Places::list(places))
    }

    fn made(&self, variable: DatatypeId) -> Result<&Made, Invalid> {
        self.datatypes[self.datatype_root(variable)?].as_ref().ok_or("a datatype has no value")
    }

    /// The variable that a name stands for.
    pub(super) fn datatype_root(&self, variable: DatatypeId) -> Result<DatatypeId, Invalid> {
        match self.program.datatypes[variable].home {
            Home::Argument(..) => self.datatype_bindings[variable].ok_or("an argument is not bound"),
            _ => Ok(variable),
        }
    }

    /// The variable, if it may be changed here: procedures leave arguments alone, and callers what they have handed over.
    fn changeable(&self, variable: DatatypeId) -> Result<DatatypeId, Invalid> {
        if matches!(self.program.datatypes[variable].home, Home::Argument(..))
            || self.datatype_bindings.contains(&Some(variable))
        {
            return Err("an argument is set");
        }
        Ok(variable)
    }
}
