//! What functions that are not the program's do with pointers: the C library's, MPI's, all others.

use super::expressions::{Kind, Reader};
use super::layout::bytes_of;
use super::objects::ObjectId;
use super::program::is_allocation;
use super::solver::{Argument, Call, Node, Number, Use};
use crate::frontend::c::lower::communication::remembers_no_address;
use crate::frontend::c::lower::formats;
use crate::frontend::c::lower::library::{self, Use as LibraryUse};
use crate::frontend::c::mpi_calls::is_routine_name;
use crate::frontend::c::types::{IntegerType, Type, TypeKind};
use crate::frontend::c::unit::{Conversion, ExpressionId, Operation, SymbolId, integer_value};
use crate::mpi::properties::is_function;

/// Functions that read numbers and texts to which their arguments lead, or store some there, keep nothing and give no pointer back.
const KEEPS_NOTHING: &str = "
    strlen strcmp strncmp strcasecmp strncasecmp strcoll atoi atol atoll atof frexp frexpf modf modff remquo lgamma_r
    time clock clock_gettime gettimeofday nanosleep usleep sleep getrusage times ctime_r asctime_r srand srand48 rand drand48
    lrand48 random srandom ctime localtime gmtime mktime fclose fgets fgetc getc getchar feof ferror fseek ftell rewind remove rename unlink access fopen getenv
    exit strftime difftime gethostname fflush perror puts fputs putchar putc fputc
";

/// Functions that read or store any bytes to which their arguments lead, and keep nothing.
const MOVES_BYTES: &str = "fread fwrite memcmp";

/// Functions that print or read what a text says, with the number of that argument.
const FORMATTED: [(&str, usize); 8] = [
    ("printf", 0),
    ("fprintf", 1),
    ("sprintf", 1),
    ("snprintf", 2),
    ("dprintf", 1),
    ("scanf", 0),
    ("fscanf", 1),
    ("sscanf", 1),
];

/// Conversions of numbers and characters.
const MOVES_NUMBERS: &[u8] = b"diouxXfFeEgGaAcsCS[n%";

/// Functions that read a number in their first argument, and store where it ends in their second one.
const SAYS_WHERE_IT_ENDS: &str = "strtol strtoul strtoll strtoull strtod strtof strtold";

/// Functions that read what `main` was called with.
const READS_OPTIONS: &str = "getopt getopt_long getopt_long_only";

/// Functions that give back their first argument, or a pointer into it, and store nothing but characters or zeros.
const GIVES_FIRST: &str = "memset strchr strrchr strstr memchr strpbrk";

/// Likewise, those that copy a text to it.
const COPIES_TEXT: &str = "strcpy strncpy strcat strncat stpcpy";

/// Likewise, those that copy any bytes of their second argument to it.
const COPIES: &str = "memcpy memmove";

/// Datatypes that fit memory of any type.
const ANY_BYTES: &str = "MPI_BYTE MPI_PACKED MPI_CHAR MPI_SIGNED_CHAR MPI_UNSIGNED_CHAR MPI_INT8_T MPI_UINT8_T";

/// What a pointer leads to, as its type says before it became one to anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// Handles or statuses of MPI, of which there are as many as the call says.
    Handles,
    /// Numbers, which hold no bytes of pointers.
    Numbers,
    /// Characters, which may be bytes of anything.
    Characters,
    /// Anything else.
    Other,
}

fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

impl Reader<'_, '_> {
    /// A call of a function that the program does not define.
    pub fn read_outside_call(&mut self, id: ExpressionId, function: SymbolId, arguments: &[ExpressionId]) {
        let result = self.result(id);
        let Some(name) = self.unit.name_in_library(function).map(str::to_owned) else {
            let name = self.unit.symbol(function).name.map_or("", |name| self.unit.names.text(name));
            match library::is_of_linear_algebra(name, self.program.is_whole) {
                true => self.program.solver.add_object(result, ObjectId::OUTSIDE),
                false => self.give_all_away(arguments, result),
            }
            return;
        };
        if is_routine_name(&name) {
            return self.read_messaging(&name, arguments, result);
        }
        if is_allocation(&name) {
            return self.read_allocation(&name, arguments, result);
        }
        if has(COPIES, &name) {
            if let [to, from, size] = *arguments
                && let (Some(to), Some(from)) = (self.value(to), self.value(from))
            {
                let size = integer_value(self.unit, size).and_then(|size| u64::try_from(size).ok());
                self.program.solver.add_use(from, Use::CopiedTo(to, size));
                self.give_back(to, result);
            }
        } else if has(GIVES_FIRST, &name) || has(COPIES_TEXT, &name) {
            if has(COPIES_TEXT, &name) {
                self.store_bytes(arguments);
            }
            if let Some(first) = arguments.first().and_then(|first| self.value(*first)) {
                self.give_back(first, result);
            }
        } else if has(KEEPS_NOTHING, &name) {
            self.store_bytes(arguments);
            // `fgets` gives the text back, and others what is theirs.
            let pointers: Vec<Node> = arguments.iter().filter_map(|argument| self.value(*argument)).collect();
            pointers.into_iter().for_each(|pointer| self.give_back(pointer, result));
            self.program.solver.add_object(result, ObjectId::OUTSIDE);
        } else if let Some((_, format)) = FORMATTED.iter().find(|(known, _)| *known == name) {
            self.store_bytes(arguments);
            if self.moves_addresses(arguments.get(*format)) {
                self.give_all_away(arguments.get(format + 1..).unwrap_or_default(), result);
            }
        } else if has(MOVES_BYTES, &name) {
            self.move_bytes(&name, arguments);
        } else if has(SAYS_WHERE_IT_ENDS, &name)
            && let [text, end, ..] = *arguments
        {
            if let (Some(text), Some(end)) = (self.value(text), self.value(end)) {
                let inside = self.derived(text, |node| Use::Stepped(node, None));
                self.program.solver.add_use(end, Use::Store(inside));
                self.program.solver.add_use(end, Use::Store(text));
            }
        } else if has(READS_OPTIONS, &name)
            && let [_, texts, ..] = *arguments
        {
            self.expose(texts);
        } else if library::called_back(&name).is_some() {
            self.read_calling_back(&name, arguments, result);
        } else if name == "assert" {
            // What it shows is its text.
        } else if !matches!(library::known(&name), Some(LibraryUse::Value | LibraryUse::Frees | LibraryUse::Ends)) {
            self.give_all_away(arguments, result);
        }
    }

    /// The result is the pointer, or one into the same object.
    fn give_back(&mut self, pointer: Node, result: Node) {
        self.program.solver.add_use(pointer, Use::Stepped(result, None));
        self.program.solver.add_copy(pointer, result);
    }

    fn give_all_away(&mut self, arguments: &[ExpressionId], result: Node) {
        for argument in arguments {
            if let Some(node) = self.value(*argument) {
                let is_structure = Kind::of(&self.unit.types, self.unit.type_of(*argument)) == Kind::Structure;
                let done = if is_structure { Use::Exposed } else { Use::Escapes };
                self.program.solver.add_use(node, done);
            }
        }
        self.program.solver.add_object(result, ObjectId::OUTSIDE);
    }

    fn read_allocation(&mut self, name: &str, arguments: &[ExpressionId], result: Node) {
        let object = self.program.solver.new_object();
        let fresh = self.pointer_to(object);
        match name {
            "posix_memalign" | "MPI_Alloc_mem" => {
                let place = if name == "MPI_Alloc_mem" { arguments.last() } else { arguments.first() };
                if let Some(place) = place.and_then(|place| self.value(*place)) {
                    self.program.solver.add_use(place, Use::Store(fresh));
                }
            }
            _ => {
                self.program.solver.add_object(result, object);
                // What has another size may be what it was.
                if let "realloc" | "reallocarray" = name
                    && let Some(old) = arguments.first().and_then(|first| self.value(*first))
                {
                    self.program.solver.add_use(old, Use::CopiedTo(fresh, None));
                    self.program.solver.add_copy(old, result);
                }
            }
        }
    }

    /// Bytes go to a file or come from one, or are compared: those of one object of the argument's type, or any.
    fn move_bytes(&mut self, name: &str, arguments: &[ExpressionId]) {
        let (memory, sizes) = match (name, arguments) {
            ("memcmp", [one, other, size]) => (vec![*one, *other], vec![*size]),
            (_, [memory, size, count, _]) => (vec![*memory], vec![*size, *count]),
            _ => return arguments.iter().for_each(|argument| self.expose(*argument)),
        };
        let constants = sizes.iter().map(|size| u64::try_from(integer_value(self.unit, *size)?).ok());
        let size =
            constants.collect::<Option<Vec<u64>>>().and_then(|sizes| sizes.into_iter().try_fold(1, u64::checked_mul));
        for argument in memory {
            let of = self.type_behind(argument).and_then(|ty| bytes_of(&self.unit.types, ty));
            let Some(node) = self.value(argument) else { continue };
            let done = match size.filter(|size| Some(*size) == of) {
                Some(size) if name == "fread" => Use::WriteNumber(Number::bytes(size)),
                Some(size) => Use::ReadNumber(Number::bytes(size)),
                None => Use::Exposed,
            };
            self.program.solver.add_use(node, done);
        }
    }

    /// Others read and write what the argument leads to.
    fn expose(&mut self, argument: ExpressionId) {
        if let Some(node) = self.value(argument) {
            self.program.solver.add_use(node, Use::Exposed);
        }
    }

    /// `qsort`, `bsearch`: elements of the array are handed to a function, and change places.
    fn read_calling_back(&mut self, name: &str, arguments: &[ExpressionId], result: Node) {
        let parts = match *arguments {
            [array, _, size, function] if name == "qsort" => Some((None, array, size, function)),
            [key, array, _, size, function] if name == "bsearch" => Some((Some(key), array, size, function)),
            _ => None,
        };
        let nodes = parts.and_then(|(key, array, size, function)| {
            let key = key.map(|key| self.value(key));
            Some((key, self.value(array)?, integer_value(self.unit, size), self.value(function)?))
        });
        let Some((key, array, size, function)) = nodes else { return self.give_all_away(arguments, result) };
        let size = size.and_then(|size| u64::try_from(size).ok());
        let element = self.derived(array, |node| Use::Stepped(node, size));
        self.program.solver.add_copy(array, element);
        let handed = |node: Option<Node>| node.map_or(Argument::Number, Argument::Pointer);
        let handed = match key {
            Some(key) => vec![handed(key), Argument::Pointer(element)],
            None => vec![Argument::Pointer(element); 2],
        };
        match key {
            Some(_) => self.program.solver.add_copy(element, result),
            None => self.program.solver.add_use(element, Use::CopiedTo(element, size)),
        }
        let found = self.program.solver.new_node();
        self.program.solver.add_call(function, Call { arguments: handed, result: found });
    }

    /// May a call print an address, which somebody could read again, or read one? Where its format says `%p`, or is not there.
    fn moves_addresses(&self, format: Option<&ExpressionId>) -> bool {
        let text = self.program.texts_of_units[self.context.unit];
        let format = format.and_then(|format| formats::literal(self.unit, text, *format));
        let letters = format.and_then(|format| formats::conversions(&format));
        letters.is_none_or(|letters| !letters.iter().all(|letter| MOVES_NUMBERS.contains(letter)))
    }

    /// Numbers and characters to which the arguments lead are read, or stored there; nothing is remembered.
    fn store_bytes(&mut self, arguments: &[ExpressionId]) {
        for argument in arguments {
            let Some(node) = self.value(*argument) else { continue };
            match self.behind(*argument) {
                Behind::Handles | Behind::Numbers => {}
                // A text ends with the array that holds it.
                Behind::Characters => {
                    self.program.solver.add_use(node, Use::ReadNumber(Number::bytes(1)));
                    self.program.solver.add_use(node, Use::WriteNumber(Number::bytes(1)));
                }
                Behind::Other => self.program.solver.add_use(node, Use::Escapes),
            }
        }
    }

    fn read_messaging(&mut self, name: &str, arguments: &[ExpressionId], result: Node) {
        let routine = name.to_ascii_lowercase();
        if is_function(&routine) {
            return;
        }
        // What reduces may be a function of the program, which gets to know the memory.
        let calls_back = !arguments.iter().all(|argument| self.is_predefined(*argument, "MPI_Op", ""));
        if !remembers_no_address(&routine) || calls_back {
            return self.give_all_away(arguments, result);
        }
        let has_plain_types = arguments.iter().all(|argument| self.is_predefined(*argument, "MPI_Datatype", ANY_BYTES));
        for argument in arguments {
            let Some(node) = self.value(*argument) else { continue };
            match self.behind(*argument) {
                Behind::Handles => {}
                // Of the datatype's type (MPI 4.0, section 3.3.1).
                Behind::Numbers if has_plain_types => {}
                _ => self.program.solver.add_use(node, Use::Exposed),
            }
        }
    }

    /// Is an argument that is a handle of this type one of those that MPI predefines, and none of the others? Bytes and characters
    /// may be anything, and an operation that the program makes calls its function.
    fn is_predefined(&self, id: ExpressionId, handle: &str, others: &str) -> bool {
        let TypeKind::Opaque(name) = self.unit.types.kind(self.unit.type_of(id).id) else { return true };
        if self.unit.names.text(name) != handle {
            return true;
        }
        let mut id = id;
        loop {
            match self.unit.expression(id).operation {
                Operation::Convert { operand, .. } => id = operand,
                Operation::Symbol(symbol) => {
                    let name = self.unit.symbol(symbol).name.map_or("", |name| self.unit.names.text(name));
                    return self.unit.is_stand_in(symbol) && !has(others, name);
                }
                _ => return false,
            }
        }
    }

    /// The type of what the pointer leads to, before it became one to anything.
    fn type_behind(&self, id: ExpressionId) -> Option<Type> {
        let types = &self.unit.types;
        let (mut id, mut of) = (id, types.pointee(self.unit.type_of(id).id));
        while let Operation::Convert { conversion, operand, .. } = self.unit.expression(id).operation {
            match conversion {
                Conversion::Pointer | Conversion::Same => id = operand,
                Conversion::Decay => {
                    of = Some(self.unit.type_of(operand));
                    break;
                }
                _ => break,
            }
            // `void *` says nothing.
            let inner = types.pointee(self.unit.type_of(id).id);
            if inner.is_none_or(|inner| !matches!(types.kind(inner.id), TypeKind::Void)) {
                of = inner;
            }
        }
        of
    }

    /// What the pointer leads to.
    fn behind(&self, id: ExpressionId) -> Behind {
        let types = &self.unit.types;
        let Some(of) = self.type_behind(id) else { return Behind::Other };
        let mut ty = of;
        while let TypeKind::Array { element, .. } = types.kind(ty.id) {
            ty = element;
        }
        match types.kind(ty.id) {
            TypeKind::Opaque(_) => Behind::Handles,
            TypeKind::Integer(IntegerType::Char | IntegerType::SignedChar | IntegerType::UnsignedChar) => {
                Behind::Characters
            }
            TypeKind::Record(record) => {
                let first = types.record(record).members.first().and_then(|member| member.name);
                match first.is_some_and(|name| self.unit.names.text(name) == "MPI_SOURCE") {
                    true => Behind::Handles,
                    false if self.holds_numbers(ty) => Behind::Numbers,
                    false => Behind::Other,
                }
            }
            _ if self.holds_numbers(ty) => Behind::Numbers,
            _ => Behind::Other,
        }
    }

    /// Is it a structure of numbers?
    fn holds_numbers(&self, ty: Type) -> bool {
        let types = &self.unit.types;
        match types.kind(ty.id) {
            TypeKind::Integer(_) | TypeKind::Enum(_) | TypeKind::Float(_) | TypeKind::Complex(_) => true,
            TypeKind::Array { element, .. } => self.holds_numbers(element),
            TypeKind::Record(id) => {
                bytes_of(types, ty).is_some()
                    && types.record(id).members.iter().all(|member| self.holds_numbers(member.ty))
            }
            _ => false,
        }
    }
}
