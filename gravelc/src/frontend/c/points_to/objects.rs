//! Objects, and the pointers that lie in them.
//!
//! An object is cut into **cells** by their offset in bytes. All elements of an array are one cell: offsets in it count from its
//! first element, and those of an object that is reached by stepping from its beginning count in its elements. What is stored at an
//! unknown offset may lie in any cell. All of this holds for addresses, whatever the types by which memory is accessed; but a
//! number at an unknown offset is none of the pointers where its type says so (`effective_types`).

use std::collections::BTreeMap;

use super::solver::{Node, Number, Solver, Target, Use};

/// An object: a variable, a place where memory is allocated, a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// All memory of which the program's text does not tell, and all that others get to know.
    pub const OUTSIDE: Self = Self(0);

    /// Its place in a table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a pointer leads to in an object, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Offset {
    /// There.
    At(u64),
    /// There, or at the same place in another element of an array around.
    InElements(u64),
    /// Anywhere in it.
    Anywhere,
}

/// The size of a pointer, in bytes.
const POINTER: u64 = 8;

/// Larger offsets are not told apart.
const LARGEST: u64 = 1 << 40;

/// An array inside of an object, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Array {
    start: u64,
    length: u64,
    element: u64,
}

impl Array {
    fn end(&self) -> u64 {
        self.start + self.length
    }

    fn holds(&self, offset: u64) -> bool {
        (self.start..self.end()).contains(&offset)
    }
}

/// Bytes that are read or stored and are no pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bytes {
    start: u64,
    size: u64,
    is_written: bool,
    has_own_type: bool,
}

/// What is known of an object.
pub struct Object {
    /// Others know where it is.
    pub is_escaped: bool,
    /// Others read and write what lies in it.
    pub is_exposed: bool,
    /// Nobody stores anything in it.
    pub is_constant: bool,
    /// Pointers that are stored at unknown offsets.
    pub somewhere: Node,
    /// All pointers in it.
    pub all: Node,
    cells: BTreeMap<u64, Node>,
    /// No offsets are told apart.
    is_one_cell: bool,
    /// It is a sequence of elements of so many bytes.
    stride: Option<u64>,
    /// Those around others in front of them.
    arrays: Vec<Array>,
    bytes: Vec<Bytes>,
    /// What lies in so many bytes behind an offset is copied to the target.
    copies: Vec<(u64, u64, Target)>,
}

impl Object {
    /// One of which nothing is known yet, with its nodes.
    pub fn new(somewhere: Node, all: Node) -> Self {
        Self {
            is_escaped: false,
            is_exposed: false,
            is_constant: false,
            somewhere,
            all,
            cells: BTreeMap::new(),
            is_one_cell: false,
            stride: None,
            arrays: Vec::new(),
            bytes: Vec::new(),
            copies: Vec::new(),
        }
    }

    /// The offset, counted in the first elements of all arrays; nothing, if it is not told apart from others.
    fn canonical(&self, offset: Offset) -> Option<u64> {
        let (Offset::At(offset) | Offset::InElements(offset)) = offset else { return None };
        if offset >= LARGEST || self.is_one_cell {
            return None;
        }
        let mut at = self.stride.map_or(offset, |stride| offset % stride);
        for array in &self.arrays {
            if array.holds(at) {
                at = array.start + (at - array.start) % array.element;
            }
        }
        Some(at)
    }

    /// Where a pointer leads to that is so many bytes further on.
    pub fn moved(&self, from: Offset, bytes: u64) -> Offset {
        match from {
            Offset::At(offset) => offset.checked_add(bytes).map_or(Offset::Anywhere, Offset::At),
            Offset::InElements(_) => {
                let Some(at) = self.canonical(from) else { return Offset::Anywhere };
                let stays_in =
                    |array: &Array| !array.holds(at) || (at - array.start) % array.element + bytes < array.element;
                match bytes == 0 || self.arrays.iter().all(stays_in) {
                    true => Offset::InElements(at + bytes),
                    false => Offset::Anywhere,
                }
            }
            Offset::Anywhere => Offset::Anywhere,
        }
    }

    /// So many bytes from there on, counted in first elements: what reaches the next one lies at the beginning of the first, too.
    fn counted(&self, start: u64, size: u64) -> (u64, u64) {
        let (mut first, mut end) = (start, start.saturating_add(size));
        for array in self.arrays.iter().filter(|array| array.holds(start)) {
            if end > start - (start - array.start) % array.element + array.element {
                first = first.min(array.start);
                end = end.max(array.start + array.element);
            }
        }
        match self.stride {
            Some(stride) if end > stride => (0, stride),
            _ => (first, end - first),
        }
    }

    /// Are so many bytes from there on told apart as they are: does each array end among them, or hold them in one element?
    fn holds_in_one(&self, start: u64, size: u64) -> bool {
        let Some(end) = start.checked_add(size) else { return false };
        let is_whole = |array: &Array| {
            let is_apart = array.end() <= start || end <= array.start;
            let is_inside = start <= array.start && array.end() <= end;
            let is_in_one = array.holds(start) && (start - array.start) % array.element + size <= array.element;
            is_apart || is_inside || is_in_one
        };
        self.stride.is_none_or(|stride| end <= stride) && self.arrays.iter().all(is_whole)
    }

    /// Does the array fit among the others: each is apart from it, or inside of one element of the other?
    fn takes(&self, new: Array) -> bool {
        let is_inside = |inner: &Array, outer: &Array| {
            inner.start >= outer.start && (inner.start - outer.start) + inner.length <= outer.element
        };
        let fits = |other: &Array| {
            new.end() <= other.start || other.end() <= new.start || is_inside(&new, other) || is_inside(other, &new)
        };
        self.arrays.iter().all(fits) && self.stride.is_none_or(|stride| new.end() <= stride)
    }
}

impl Solver {
    fn object(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.index()]
    }

    /// The node of pointers that are read there.
    pub fn read_at(&mut self, target: Target) -> Node {
        match self.cell_at(target) {
            Some(cell) => cell,
            None => self.object(target.object).all,
        }
    }

    /// The node that takes pointers that are stored there.
    pub fn written_at(&mut self, target: Target) -> Node {
        match self.cell_at(target) {
            Some(cell) => cell,
            None => self.object(target.object).somewhere,
        }
    }

    /// The cell there, if it is told apart from others.
    fn cell_at(&mut self, target: Target) -> Option<Node> {
        let object = self.object(target.object);
        let at = object.canonical(target.offset)?;
        if let Some(&known) = object.cells.get(&at) {
            return Some(known);
        }
        let around = object.arrays.iter().filter(|array| array.holds(at)).map(|array| array.element);
        let is_regular = around.chain(object.stride).chain([at]).all(|bytes| bytes % POINTER == 0);
        if !is_regular {
            self.make_one_cell(target.object);
            return None;
        }
        let cell = self.new_node();
        let object = self.object(target.object);
        object.cells.insert(at, cell);
        let (somewhere, all) = (object.somewhere, object.all);
        self.add_copy(somewhere, cell);
        self.add_copy(cell, all);
        self.see_cell(target.object, at, cell);
        Some(cell)
    }

    /// What has been found of the object holds for this cell of it, too.
    fn see_cell(&mut self, id: ObjectId, at: u64, cell: Node) {
        let object = self.object(id);
        let meets = |bytes: &&Bytes| bytes.start < at + POINTER && at < bytes.start + bytes.size;
        let bytes: Vec<Bytes> = object.bytes.iter().filter(meets).copied().collect();
        let copies = object.copies.clone();
        for Bytes { is_written, .. } in bytes {
            self.see_bytes_of(cell, cell, is_written);
        }
        for (start, size, to) in copies {
            let Some(start) = self.object(id).canonical(Offset::At(start)) else { continue };
            if (start..start + size).contains(&at) {
                let to = self.moved(to, at - start);
                let to = self.written_at(to);
                self.add_copy(cell, to);
            }
        }
    }

    /// Bytes that are no pointer were read from, or written over, pointers.
    fn see_bytes_of(&mut self, read: Node, written: Node, is_written: bool) {
        match is_written {
            true => self.add_object(written, ObjectId::OUTSIDE),
            false => self.add_use(read, Use::Escapes),
        }
    }

    /// Bytes that are no pointer are read or stored there. Where that is one of several places, it is none of a pointer if the type
    /// says so.
    pub fn see_number(&mut self, target: Target, number: Number, is_written: bool) {
        let Number { size, has_own_type } = number;
        let object = self.object(target.object);
        if object.is_constant {
            return;
        }
        let (somewhere, all) = (object.somewhere, object.all);
        match (object.canonical(target.offset), size) {
            (Some(start), Some(size)) => {
                let (start, size) = object.counted(start, size);
                let bytes = Bytes { start, size, is_written, has_own_type };
                if object.bytes.contains(&bytes) {
                    return;
                }
                object.bytes.push(bytes);
                let met: Vec<Node> = object
                    .cells
                    .iter()
                    .filter(|&(&at, _)| start < at + POINTER && at < start + size)
                    .map(|(_, &cell)| cell)
                    .collect();
                met.into_iter().for_each(|cell| self.see_bytes_of(cell, cell, is_written));
            }
            _ if has_own_type => {}
            _ => self.see_bytes_of(all, somewhere, is_written),
        }
    }

    /// Offsets in the object are not told apart any more.
    fn make_one_cell(&mut self, id: ObjectId) {
        let object = self.object(id);
        if std::mem::replace(&mut object.is_one_cell, true) {
            return;
        }
        let (somewhere, all) = (object.somewhere, object.all);
        let cells: Vec<Node> = object.cells.values().copied().collect();
        let bytes = std::mem::take(&mut object.bytes);
        let copies = std::mem::take(&mut object.copies);
        cells.into_iter().for_each(|cell| self.add_copy(cell, somewhere));
        let of_any_type = bytes.into_iter().filter(|bytes| !bytes.has_own_type);
        of_any_type.for_each(|bytes| self.see_bytes_of(all, somewhere, bytes.is_written));
        copies.into_iter().for_each(|(_, _, to)| self.copy_all(id, to));
    }

    /// An array begins there.
    pub fn add_array(&mut self, target: Target, length: u64, element: u64) {
        let object = self.object(target.object);
        let Some(start) = object.canonical(target.offset) else { return };
        if element == 0 || length <= element || length >= LARGEST {
            return;
        }
        let new = Array { start, length, element };
        if object.arrays.contains(&new) {
            return;
        }
        if !object.takes(new) {
            return self.make_one_cell(target.object);
        }
        object.arrays.push(new);
        object.arrays.sort_by_key(|array| (std::cmp::Reverse(array.length), array.start));
        self.count_anew(target.object);
    }

    /// Where a pointer leads to that is moved by elements of so many bytes.
    pub fn stepped(&mut self, target: Target, size: Option<u64>) -> Offset {
        if target.object == ObjectId::OUTSIDE {
            return Offset::Anywhere;
        }
        let object = self.object(target.object);
        let (Some(at), Some(size)) = (object.canonical(target.offset), size.filter(|&size| size > 0)) else {
            return Offset::Anywhere;
        };
        let stays_in = |array: &Array| array.holds(at) && size % array.element == 0;
        if object.arrays.iter().any(stays_in) {
            return Offset::InElements(at);
        }
        match object.arrays.iter().any(|array| array.holds(at)) {
            true => Offset::Anywhere,
            false => self.among_elements(target, at, size),
        }
    }

    /// Where a pointer leads to that is moved by any multiple of so many bytes: from one element of the object to another. It may
    /// leave an array inside of one, as a pointer to characters may.
    pub fn moved_by_multiple(&mut self, target: Target, bytes: u64) -> Offset {
        match (target.object, self.object(target.object).canonical(target.offset)) {
            (ObjectId::OUTSIDE, _) | (_, None) => Offset::Anywhere,
            (_, Some(at)) => self.among_elements(target, at, bytes),
        }
    }

    /// The same place in any element of the object, if its elements have so many bytes, or could have.
    fn among_elements(&mut self, target: Target, at: u64, size: u64) -> Offset {
        let object = self.object(target.object);
        match object.stride {
            Some(stride) if size.is_multiple_of(stride) => Offset::InElements(at),
            // The beginning of its elements. What is smaller than a pointer holds none.
            None if at == 0 && size >= POINTER && object.arrays.iter().all(|array| array.end() <= size) => {
                object.stride = Some(size);
                self.count_anew(target.object);
                Offset::InElements(at)
            }
            _ => Offset::Anywhere,
        }
    }

    /// The target that lies so many bytes further on.
    pub fn moved(&self, target: Target, bytes: u64) -> Target {
        let offset = match target.object {
            ObjectId::OUTSIDE => Offset::Anywhere,
            object => self.objects[object.index()].moved(target.offset, bytes),
        };
        Target { offset, ..target }
    }

    /// Cells that have become one are one, since an array was found, or the size of the object's elements.
    fn count_anew(&mut self, id: ObjectId) {
        let old = self.object(id).cells.clone();
        for (at, cell) in old {
            let offset = Offset::At(at);
            if self.object(id).canonical(offset) != Some(at) {
                self.object(id).cells.remove(&at);
                let target = Target { object: id, offset };
                let (read, written) = (self.read_at(target), self.written_at(target));
                self.add_copy(cell, written);
                self.add_copy(read, cell);
            }
        }
        let bytes = std::mem::take(&mut self.object(id).bytes);
        for Bytes { start, size, is_written, has_own_type } in bytes {
            let number = Number { size: Some(size), has_own_type };
            self.see_number(Target { object: id, offset: Offset::At(start) }, number, is_written);
        }
        for (at, cell) in self.cells_of(id) {
            self.see_cell(id, at, cell);
        }
        for (start, size, to) in self.object(id).copies.clone() {
            let object = self.object(id);
            match object.canonical(Offset::At(start)).is_some_and(|start| object.holds_in_one(start, size)) {
                true => self.copy_arrays(id, (start, size), to),
                false => self.copy_all(id, to),
            }
        }
    }

    fn cells_of(&mut self, id: ObjectId) -> Vec<(u64, Node)> {
        self.object(id).cells.iter().map(|(&at, &cell)| (at, cell)).collect()
    }

    /// What lies at one target is copied to the other one.
    pub fn copy_contents(&mut self, from: Target, to: Target, size: Option<u64>) {
        if from.object == ObjectId::OUTSIDE {
            let written = self.object(to.object).somewhere;
            return self.add_object(written, ObjectId::OUTSIDE);
        }
        let object = self.object(from.object);
        let (start, somewhere) = (object.canonical(from.offset), object.somewhere);
        let is_told = start.zip(size).is_some_and(|(start, size)| object.holds_in_one(start, size));
        let is_known = to.object != ObjectId::OUTSIDE && self.object(to.object).canonical(to.offset).is_some();
        match (start, size) {
            (Some(start), Some(size)) if is_known && is_told => {
                let copy = (start, size, to);
                if self.object(from.object).copies.contains(&copy) {
                    return;
                }
                self.object(from.object).copies.push(copy);
                self.copy_arrays(from.object, (start, size), to);
                for (at, cell) in self.cells_of(from.object) {
                    self.see_cell(from.object, at, cell);
                }
                let anywhere = self.object(to.object).somewhere;
                self.add_copy(somewhere, anywhere);
            }
            _ => self.copy_all(from.object, to),
        }
    }

    /// Arrays of the object in so many bytes behind an offset lie at the target, too.
    fn copy_arrays(&mut self, from: ObjectId, (start, size): (u64, u64), to: Target) {
        let Some(start) = self.object(from).canonical(Offset::At(start)) else { return };
        let inside = |array: &&Array| array.start >= start && array.end() <= start + size;
        let arrays: Vec<Array> = self.object(from).arrays.iter().filter(inside).copied().collect();
        for Array { start: at, length, element } in arrays {
            let to = self.moved(to, at - start);
            self.add_array(to, length, element);
        }
    }

    /// Anything in the object is copied to anywhere in the other one.
    fn copy_all(&mut self, from: ObjectId, to: Target) {
        let all = self.object(from).all;
        match to.object {
            ObjectId::OUTSIDE => self.add_use(all, Use::Escapes),
            object => {
                let somewhere = self.object(object).somewhere;
                self.add_copy(all, somewhere);
            }
        }
    }
}
