//! Inclusion-based points-to sets (Andersen, 1994): which objects may each pointer lead to?
//!
//! A **node** is a place where a pointer may be: a variable, a cell of an object, a value of an expression. Its **targets** are
//! objects with an offset in bytes. Uses of a node (it is read through, stored through, moved, called) work on each of its targets
//! as soon as it is known. Nothing is ever taken back, so that the order does not matter.

use std::collections::{HashMap, HashSet};

use super::objects::{Object, ObjectId, Offset};

/// The number of a place where a pointer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

/// What a pointer may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: Offset,
}

/// What is done with the targets of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// The other node leads so many bytes further on.
    Moved(Node, u64),
    /// The other node leads any number of elements of so many bytes further on or back; of unknown size: anywhere in the object.
    Stepped(Node, Option<u64>),
    /// The other node leads any multiple of so many bytes further on or back, in the whole object.
    MovedByMultiple(Node, u64),
    /// A pointer is read there; it goes to the other node.
    Load(Node),
    /// The pointer at the other node is stored there.
    Store(Node),
    /// A number is read there.
    ReadNumber(Number),
    /// A number is stored there.
    WriteNumber(Number),
    /// What lies there is copied to where the other node leads: so many bytes, or any number.
    CopiedTo(Node, Option<u64>),
    /// What lies there is copied to the target.
    CopiedInto(Target, Option<u64>),
    /// What lies at the target is copied there.
    CopiedFrom(Target, Option<u64>),
    /// An array of so many bytes, in elements of so many bytes, begins there.
    Array(u64, u64),
    /// It is called: the number of the call.
    Called(usize),
    /// Others get to know it.
    Escapes,
    /// Others read and write what lies there.
    Exposed,
}

/// Bytes that are accessed and are no pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    /// How many they are, if that is known.
    pub size: Option<u64>,
    /// They are accessed by a type that no pointer is accessed by (C11 6.5p7).
    pub has_own_type: bool,
}

impl Number {
    /// So many bytes of anything.
    pub fn bytes(size: u64) -> Self {
        Self { size: Some(size), has_own_type: false }
    }
}

/// An argument of a call.
#[derive(Debug, Clone, Copy)]
pub enum Argument {
    /// A number, which leads nowhere.
    Number,
    /// The pointer at this node.
    Pointer(Node),
    /// The structure of so many bytes to which this node leads.
    Structure(Node, Option<u64>),
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Where the result goes: a pointer, or one to the structure that it is.
    pub result: Node,
}

/// A parameter, or a result.
#[derive(Debug, Clone, Copy)]
pub enum Passed {
    /// A pointer or a number, at this node.
    Value(Node),
    /// A structure of so many bytes, in this object.
    Structure(ObjectId, Option<u64>),
}

/// A function of the program.
#[derive(Debug, Clone)]
pub struct Called {
    /// Its parameters.
    pub parameters: Vec<Passed>,
    /// Its result.
    pub result: Option<Passed>,
}

/// More steps than these are not taken: nothing is known then.
const MOST_STEPS: usize = 60_000_000;

/// More offsets in one object are not told apart.
const MOST_OFFSETS: usize = 64;

/// The constraints and what follows from them.
#[derive(Default)]
pub struct Solver {
    targets: Vec<HashSet<Target>>,
    copies: Vec<Vec<Node>>,
    edges: HashSet<(Node, Node)>,
    uses: Vec<Vec<Use>>,
    known_uses: HashSet<(Node, Use)>,
    /// What has been found and not been acted upon.
    queue: Vec<(Node, Target)>,
    pub(super) objects: Vec<Object>,
    calls: Vec<Call>,
    functions: HashMap<ObjectId, Called>,
    steps: usize,
}

impl Solver {
    /// With the memory that is not the program's: see [`ObjectId::OUTSIDE`].
    pub fn new() -> Self {
        let mut solver = Self::default();
        let outside = solver.new_object();
        debug_assert_eq!(outside, ObjectId::OUTSIDE);
        solver
    }

    /// A new place for a pointer.
    pub fn new_node(&mut self) -> Node {
        let node = Node(u32::try_from(self.targets.len()).unwrap_or(u32::MAX));
        self.targets.push(HashSet::new());
        self.copies.push(Vec::new());
        self.uses.push(Vec::new());
        node
    }

    /// A new object.
    pub fn new_object(&mut self) -> ObjectId {
        let id = ObjectId(u32::try_from(self.objects.len()).unwrap_or(u32::MAX));
        let (somewhere, all) = (self.new_node(), self.new_node());
        self.objects.push(Object::new(somewhere, all));
        self.add_copy(somewhere, all);
        id
    }

    /// The object is a function.
    pub fn is_function(&mut self, object: ObjectId, function: Called) {
        self.functions.insert(object, function);
    }

    /// The node may lead to the beginning of the object.
    pub fn add_object(&mut self, node: Node, object: ObjectId) {
        let offset = if object == ObjectId::OUTSIDE { Offset::Anywhere } else { Offset::At(0) };
        self.add_target(node, Target { object, offset });
    }

    fn add_target(&mut self, node: Node, target: Target) {
        let known = &mut self.targets[node.0 as usize];
        // A pointer that is moved again and again.
        let is_much =
            |known: &HashSet<Target>| known.iter().filter(|it| it.object == target.object).count() >= MOST_OFFSETS;
        let target = match known.len() >= MOST_OFFSETS && !known.contains(&target) && is_much(known) {
            true => Target { offset: Offset::Anywhere, ..target },
            false => target,
        };
        if known.insert(target) {
            self.queue.push((node, target));
        }
    }

    /// Whatever is at `from` may be at `to`.
    pub fn add_copy(&mut self, from: Node, to: Node) {
        if from != to && self.edges.insert((from, to)) {
            self.copies[from.0 as usize].push(to);
            let known: Vec<Target> = self.targets[from.0 as usize].iter().copied().collect();
            known.into_iter().for_each(|target| self.add_target(to, target));
        }
    }

    /// Something is done with what the node leads to.
    pub fn add_use(&mut self, node: Node, done: Use) {
        if !self.known_uses.insert((node, done)) {
            return;
        }
        self.uses[node.0 as usize].push(done);
        let known: Vec<Target> = self.targets[node.0 as usize].iter().copied().collect();
        known.into_iter().for_each(|target| self.apply(done, target));
    }

    /// A call of what the node leads to.
    pub fn add_call(&mut self, callee: Node, call: Call) {
        self.calls.push(call);
        self.add_use(callee, Use::Called(self.calls.len() - 1));
    }

    /// Draws all conclusions; says whether it came to an end.
    pub fn solve(&mut self) -> bool {
        while let Some((node, target)) = self.queue.pop() {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return false;
            }
            for index in 0..self.copies[node.0 as usize].len() {
                let to = self.copies[node.0 as usize][index];
                self.add_target(to, target);
            }
            for index in 0..self.uses[node.0 as usize].len() {
                let done = self.uses[node.0 as usize][index];
                self.apply(done, target);
            }
        }
        true
    }

    /// The objects that the node may lead to.
    pub fn objects_behind(&self, node: Node) -> HashSet<ObjectId> {
        self.targets[node.0 as usize].iter().map(|target| target.object).collect()
    }

    /// The objects to which pointers in the object may lead.
    pub fn objects_in(&self, object: ObjectId) -> HashSet<ObjectId> {
        self.objects_behind(self.objects[object.index()].all)
    }

    fn apply(&mut self, done: Use, target: Target) {
        let is_outside = target.object == ObjectId::OUTSIDE;
        match done {
            Use::Moved(to, bytes) => {
                let moved = self.moved(target, bytes);
                self.add_target(to, moved);
            }
            Use::Stepped(to, size) => {
                let offset = self.stepped(target, size);
                self.add_target(to, Target { offset, ..target });
            }
            Use::MovedByMultiple(to, bytes) => {
                let offset = self.moved_by_multiple(target, bytes);
                self.add_target(to, Target { offset, ..target });
            }
            Use::Load(to) if is_outside => self.add_object(to, ObjectId::OUTSIDE),
            Use::Load(to) => {
                let from = self.read_at(target);
                self.add_copy(from, to);
            }
            Use::Store(from) if is_outside => self.add_use(from, Use::Escapes),
            Use::Store(from) => {
                let to = self.written_at(target);
                self.add_copy(from, to);
            }
            Use::ReadNumber(_) | Use::WriteNumber(_) | Use::Array(..) | Use::Exposed if is_outside => {}
            Use::ReadNumber(number) => self.see_number(target, number, false),
            Use::WriteNumber(number) => self.see_number(target, number, true),
            Use::Array(length, element) => self.add_array(target, length, element),
            Use::CopiedTo(to, size) => self.add_use(to, Use::CopiedFrom(target, size)),
            Use::CopiedInto(to, size) => self.copy_contents(target, to, size),
            Use::CopiedFrom(from, size) => self.copy_contents(from, target, size),
            Use::Called(call) => self.bind(call, target.object),
            Use::Escapes => self.escape(target.object),
            Use::Exposed => self.expose(target.object),
        }
    }

    /// Others get to know the object: they read and write it, and call it.
    pub fn escape(&mut self, object: ObjectId) {
        if object == ObjectId::OUTSIDE || std::mem::replace(&mut self.objects[object.index()].is_escaped, true) {
            return;
        }
        self.expose(object);
        if let Some(function) = self.functions.get(&object).cloned() {
            function.parameters.into_iter().for_each(|parameter| self.give_outside(parameter));
            match function.result {
                Some(Passed::Value(node)) => self.add_use(node, Use::Escapes),
                Some(Passed::Structure(object, _)) => self.expose(object),
                None => {}
            }
        }
    }

    /// Others read and write what lies in the object.
    pub fn expose(&mut self, object: ObjectId) {
        if object == ObjectId::OUTSIDE || std::mem::replace(&mut self.objects[object.index()].is_exposed, true) {
            return;
        }
        let Object { somewhere, all, is_constant, .. } = self.objects[object.index()];
        if is_constant {
            return;
        }
        self.add_object(somewhere, ObjectId::OUTSIDE);
        self.add_use(all, Use::Escapes);
    }

    fn give_outside(&mut self, parameter: Passed) {
        match parameter {
            Passed::Value(node) => self.add_object(node, ObjectId::OUTSIDE),
            Passed::Structure(object, _) => self.expose(object),
        }
    }

    fn bind(&mut self, call: usize, callee: ObjectId) {
        let Call { arguments, result } = self.calls[call].clone();
        let give_away = |solver: &mut Self, argument: Argument| match argument {
            Argument::Number => {}
            Argument::Pointer(node) => solver.add_use(node, Use::Escapes),
            Argument::Structure(node, _) => solver.add_use(node, Use::Exposed),
        };
        let Some(function) = self.functions.get(&callee).cloned() else {
            if callee == ObjectId::OUTSIDE {
                arguments.into_iter().for_each(|argument| give_away(self, argument));
                self.add_object(result, ObjectId::OUTSIDE);
            }
            return;
        };
        let mut parameters = function.parameters.iter();
        for argument in arguments {
            match (argument, parameters.next()) {
                // Where no prototype converts it, a number may be a pointer.
                (Argument::Number, Some(parameter @ Passed::Value(_))) => self.give_outside(*parameter),
                (Argument::Pointer(from), Some(Passed::Value(to))) => self.add_copy(from, *to),
                (Argument::Structure(from, size), Some(Passed::Structure(object, _))) => {
                    let to = Target { object: *object, offset: Offset::At(0) };
                    self.add_use(from, Use::CopiedInto(to, size));
                }
                // The call and the function do not fit.
                (argument, parameter) => {
                    give_away(self, argument);
                    parameter.into_iter().for_each(|parameter| self.give_outside(*parameter));
                }
            }
        }
        parameters.for_each(|parameter| self.give_outside(*parameter));
        match function.result {
            Some(Passed::Value(from)) => self.add_copy(from, result),
            Some(Passed::Structure(object, _)) => self.add_object(result, object),
            None => {}
        }
    }
}
