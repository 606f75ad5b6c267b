//! Scopes: what a name means at a place (C11 6.2.1, 6.2.3).

use crate::frontend::c::tokens::Name;
use crate::frontend::c::types::{EnumId, RecordId};
use crate::frontend::c::unit::SymbolId;

/// What a tag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// A structure or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
}

/// What a name means, and at which depth that was declared.
#[derive(Debug, Clone, Copy)]
struct Binding<T> {
    what: T,
    depth: usize,
}

/// What was bound before: restored where a scope ends.
#[derive(Clone)]
enum Hidden {
    Symbol(Name, Option<Binding<SymbolId>>),
    Tag(Name, Option<Binding<Tag>>),
}

/// The scopes around a place: that of the file has depth 0.
#[derive(Clone, Default)]
pub struct Scopes {
    symbols: Vec<Option<Binding<SymbolId>>>,
    tags: Vec<Option<Binding<Tag>>>,
    hidden: Vec<Hidden>,
    starts: Vec<usize>,
}

fn bind<T: Copy>(table: &mut Vec<Option<Binding<T>>>, name: Name, binding: Option<Binding<T>>) -> Option<Binding<T>> {
    if table.len() <= name.index() {
        table.resize(name.index() + 1, None);
    }
    std::mem::replace(&mut table[name.index()], binding)
}

impl Scopes {
    /// How many scopes there are around, that of the file not counted.
    pub fn depth(&self) -> usize {
        self.starts.len()
    }

    /// A scope begins.
    pub fn enter(&mut self) {
        self.starts.push(self.hidden.len());
    }

    /// Scopes end until there are no more than so many.
    pub fn leave_to(&mut self, depth: usize) {
        while self.starts.len() > depth {
            let start = self.starts.pop().unwrap_or(0);
            for hidden in self.hidden.drain(start..).rev() {
                match hidden {
                    Hidden::Symbol(name, before) => {
                        bind(&mut self.symbols, name, before);
                    }
                    Hidden::Tag(name, before) => {
                        bind(&mut self.tags, name, before);
                    }
                }
            }
        }
    }

    /// From here on the name means the symbol.
    pub fn declare(&mut self, name: Name, symbol: SymbolId) {
        let binding = Binding { what: symbol, depth: self.depth() };
        let before = bind(&mut self.symbols, name, Some(binding));
        if self.depth() > 0 {
            self.hidden.push(Hidden::Symbol(name, before));
        }
    }

    /// From here on the tag means this.
    pub fn declare_tag(&mut self, name: Name, tag: Tag) {
        let binding = Binding { what: tag, depth: self.depth() };
        let before = bind(&mut self.tags, name, Some(binding));
        if self.depth() > 0 {
            self.hidden.push(Hidden::Tag(name, before));
        }
    }

    /// How many names have been bound in the scopes around.
    pub fn bindings(&self) -> usize {
        self.hidden.len()
    }

    /// Since there were so many bindings, have only names without a meaning been bound, and only to symbols for which `is_plain` holds?
    pub fn only_add_since(&self, bindings: usize, is_plain: impl Fn(SymbolId) -> bool) -> bool {
        self.hidden.iter().skip(bindings).all(|hidden| match hidden {
            Hidden::Symbol(name, None) => self.symbol(*name).is_some_and(&is_plain),
            Hidden::Symbol(_, Some(_)) | Hidden::Tag(..) => false,
        })
    }

    /// The symbols that the names have at file scope are those with these new numbers, or none.
    pub fn renumber(&mut self, mut number: impl FnMut(usize, SymbolId) -> Option<SymbolId>) {
        for (name, binding) in self.symbols.iter_mut().enumerate() {
            let what = binding.and_then(|binding| number(name, binding.what));
            *binding = what.map(|what| Binding { what, depth: 0 });
        }
    }

    /// The numbers of the names whose tags are declared at file scope.
    pub fn tag_names(&self) -> impl Iterator<Item = usize> {
        self.tags.iter().enumerate().filter(|(_, tag)| tag.is_some()).map(|(name, _)| name)
    }

    /// Tags of names that are not to be kept are not declared any more.
    pub fn retain_tags(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        for (name, tag) in self.tags.iter_mut().enumerate() {
            if !is_kept(name) {
                *tag = None;
            }
        }
    }

    /// What the name means.
    pub fn symbol(&self, name: Name) -> Option<SymbolId> {
        Some((*self.symbols.get(name.index())?)?.what)
    }

    /// What the name means, if the innermost scope declares it.
    pub fn symbol_here(&self, name: Name) -> Option<SymbolId> {
        let binding = (*self.symbols.get(name.index())?)?;
        (binding.depth == self.depth()).then_some(binding.what)
    }

    /// What the tag means.
    pub fn tag(&self, name: Name) -> Option<Tag> {
        Some((*self.tags.get(name.index())?)?.what)
    }

    /// What the tag means, if the innermost scope declares it.
    pub fn tag_here(&self, name: Name) -> Option<Tag> {
        let binding = (*self.tags.get(name.index())?)?;
        (binding.depth == self.depth()).then_some(binding.what)
    }
}
