//! Reading the bind(c) declarations of a Fortran module: as much of the language as gravel.f90 uses for them.

use std::collections::BTreeMap;

/// What a value is to both languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// No value.
    Nothing,
    /// An integer of so many bits; Fortran has no unsigned ones.
    Integer(u32),
    /// A character.
    Character,
    /// A structure, by its name.
    Structure(String),
    /// The address of something; of anything, if it is not said of what.
    Pointer(Option<Box<Type>>),
}

impl Type {
    /// Whether a Fortran declaration of this type fits the C type.
    pub fn fits(&self, c: &Self) -> bool {
        match (self, c) {
            (Self::Pointer(None), Self::Pointer(_)) | (Self::Pointer(_), Self::Pointer(None)) => true,
            (Self::Pointer(Some(own)), Self::Pointer(Some(other))) => own.fits(other),
            _ => self == c,
        }
    }
}

/// The bind(c) declarations of a module.
#[derive(Debug, Default)]
pub struct Declarations {
    /// Functions and subroutines by their binding labels: results and arguments.
    pub procedures: Vec<(String, Type, Vec<Type>)>,
    /// Derived types: names and types of their components.
    pub types: BTreeMap<String, Vec<(String, Type)>>,
    /// Integer constants of the kind c_int.
    pub constants: BTreeMap<String, String>,
}

impl Declarations {
    /// Reads a module.
    pub fn parse(module: &str) -> Self {
        let mut found = Self::default();
        let mut lines = statements(module).into_iter();
        while let Some(line) = lines.next() {
            if let Some(name) = line.strip_prefix("type, bind(c) :: ") {
                let inside = lines.by_ref().take_while(|line| line != "end type");
                let components = inside.flat_map(|line| declared(&line).into_iter().map(|(name, is, _)| (name, is)));
                found.types.insert(name.to_owned(), components.collect());
            } else if let Some(values) = line.strip_prefix("integer(c_int), parameter :: ") {
                for constant in values.split(", ") {
                    let (name, value) = constant.split_once(" = ").expect("a constant has a value");
                    found.constants.insert(name.to_owned(), value.to_owned());
                }
            } else if line == "interface" {
                let inside: Vec<String> = lines.by_ref().take_while(|line| line != "end interface").collect();
                found.procedures.extend(inside.split_inclusive(|line| line.starts_with("end ")).map(procedure));
            }
        }
        found
    }
}

/// Statements in small letters, without comments and continuations.
fn statements(module: &str) -> Vec<String> {
    let mut statements = Vec::new();
    let mut statement = String::new();
    for line in module.lines() {
        // No string of the declarations holds an exclamation mark.
        let code = line.split('!').next().unwrap_or_default().trim();
        match code.strip_suffix('&') {
            Some(part) => statement.push_str(part),
            None => {
                statement.push_str(code);
                if !statement.is_empty() {
                    statements.push(std::mem::take(&mut statement).to_ascii_lowercase());
                }
            }
        }
    }
    statements
}

fn procedure(lines: &[String]) -> (String, Type, Vec<Type>) {
    let head = lines[0].trim_start_matches("pure ");
    let (kind, rest) = head.split_once(' ').expect("function or subroutine");
    let (name, rest) = rest.split_once('(').expect("arguments in parentheses");
    let (arguments, rest) = rest.split_once(')').expect("arguments in parentheses");
    let label = rest.split_once("name=\"").and_then(|(_, label)| label.split('"').next()).unwrap_or(name);
    assert!(rest.contains("bind(c"), "{name} is not bind(c)");
    let declared: Vec<(String, Type, bool)> = lines[1..].iter().flat_map(|line| declared(line)).collect();
    let find = |name: &str| {
        let found = declared.iter().find(|(declared, ..)| declared == name);
        found.unwrap_or_else(|| panic!("{label}: {name} is not declared")).clone()
    };
    let result = match kind {
        "function" => {
            let name = rest.split_once("result(").and_then(|(_, result)| result.split(')').next()).unwrap_or(name);
            find(name).1
        }
        _ => Type::Nothing,
    };
    let arguments = arguments.split(',').map(str::trim).filter(|name| !name.is_empty());
    let argument = |name: &str| {
        let (_, is, by_value) = find(name);
        if by_value { is } else { Type::Pointer(any(&is)) }
    };
    (label.to_owned(), result, arguments.map(argument).collect())
}

/// What a reference to it points to; nothing if that can be anything.
fn any(is: &Type) -> Option<Box<Type>> {
    (*is != Type::Structure("*".to_owned())).then(|| Box::new(is.clone()))
}

/// The names that a line declares, with their type, and whether they are arguments passed by value.
fn declared(line: &str) -> Vec<(String, Type, bool)> {
    let Some((is, names)) = line.split_once(" :: ") else { return Vec::new() };
    let mut attributes = is.split(", ");
    let is = match attributes.next().expect("a type") {
        "integer(c_int)" => Type::Integer(32),
        "integer(c_int64_t)" => Type::Integer(64),
        "character(kind=c_char)" => Type::Character,
        "type(c_ptr)" | "type(c_funptr)" => Type::Pointer(None),
        // Another module's: nothing is known about it here.
        "type(mpi_status)" => Type::Structure("*".to_owned()),
        other => match other.strip_prefix("type(").and_then(|name| name.strip_suffix(')')) {
            Some(name) => Type::Structure(name.to_owned()),
            None => return Vec::new(),
        },
    };
    let by_value = attributes.any(|attribute| attribute == "value");
    let names = names.split(", ").map(|name| name.split('(').next().unwrap_or(name).to_owned());
    names.map(|name| (name, is.clone(), by_value)).collect()
}

#[test]
fn procedures_types_and_constants_are_found() {
    let text = "
   ! A comment
   type, bind(c) :: pair
      integer(c_int) :: first, second   ! with a comment
      type(c_ptr) :: where
   end type
   integer(c_int), parameter :: one = 1, &
      two = 2
   interface generic
      module procedure a, b
   end interface
   interface
      function f(x, P, any) bind(c, name=\"g\") result(code)
         import :: c_int
         integer(c_int64_t), value :: x
         type(pair), intent(in) :: p
         type(*), dimension(*), intent(in) :: any
         integer(c_int) :: code
      end function

      subroutine h() bind(c)
      end subroutine
   end interface
";
    let found = Declarations::parse(text);
    let pair = Type::Structure("pair".to_owned());
    let arguments = vec![Type::Integer(64), Type::Pointer(Some(Box::new(pair))), Type::Pointer(None)];
    assert_eq!(found.procedures[0], ("g".to_owned(), Type::Integer(32), arguments));
    assert_eq!(found.procedures[1], ("h".to_owned(), Type::Nothing, vec![]));
    assert_eq!(found.types["pair"].len(), 3);
    assert_eq!(found.constants["two"], "2");
}
