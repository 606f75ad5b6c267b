//! What is known of the macros of the preprocessor.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Names without an underscore in front that compilers define all the same.
const PLAIN_NAMES_OF_COMPILERS: [&str; 3] = ["unix", "linux", "i386"];

/// Names that preprocessors know without defining them: what they stand for changes from place to place or from day to day,
/// or they are questions. Some preprocessors list them among their macros.
const SPECIAL_NAMES: [&str; 14] = [
    "__FILE__",
    "__LINE__",
    "__DATE__",
    "__TIME__",
    "__TIMESTAMP__",
    "__BASE_FILE__",
    "__FILE_NAME__",
    "__INCLUDE_LEVEL__",
    "__COUNTER__",
    "__STDC__",
    "__VA_ARGS__",
    "__VA_OPT__",
    "_Pragma",
    "__building_module",
];

/// Those of them that stand for texts.
const TEXTS_OF_PLACES: [&str; 6] =
    ["__FILE__", "__DATE__", "__TIME__", "__TIMESTAMP__", "__BASE_FILE__", "__FILE_NAME__"];

/// Beginnings of such names.
const SPECIAL_PREFIXES: [&str; 2] = ["__has_", "__is_"];

/// What a macro with arguments stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FunctionLike {
    /// Their names; none where they can't be read.
    pub parameters: Vec<String>,
    /// What is put in its place, with these names in it.
    pub body: String,
}

impl FunctionLike {
    /// Reads what stands behind the name in a definition: `(a, b) a+b`.
    fn of(text: &str) -> Self {
        let Some((parameters, body)) = text.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            return Self::default();
        };
        let parameters = parameters.split(',').map(|name| name.trim().to_string());
        let parameters = parameters.filter(|name| !name.is_empty()).collect();
        Self { parameters, body: body.trim().to_string() }
    }
}

/// What is known of a macro.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Macro {
    /// It has this value.
    Defined(String),
    /// It is defined and takes arguments.
    WithArguments(FunctionLike),
    /// It is not defined.
    Undefined,
    /// A region that is not decided defines it or not.
    Unknown,
}

impl Macro {
    /// A definition as compilers take it: `NAME`, `NAME=VALUE` or `NAME(ARGUMENTS)=VALUE`.
    pub fn definition(text: &str) -> Option<(String, Self)> {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        let (name, defined) = match name.split_once('(') {
            Some((name, arguments)) if arguments.ends_with(')') => {
                (name, Self::WithArguments(FunctionLike::of(&format!("({arguments}{value}"))))
            }
            _ => (name, Self::Defined(value.to_string())),
        };
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.starts_with(|first: char| !first.is_ascii_digit());
        is_name.then(|| (name.to_string(), defined))
    }

    /// What stands behind `#define`. To preprocessors a name may hold `$` (`#define $OMP !$`).
    pub fn directive(text: &str) -> (String, Self) {
        let name: String = text.chars().take_while(|&c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
        let value = &text[name.len()..];
        let defined = match value.starts_with('(') {
            true => Self::WithArguments(FunctionLike::of(value)),
            false => Self::Defined(value.trim().to_string()),
        };
        (name, defined)
    }
}

/// What is known of all macros.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Macros {
    /// By name.
    pub known: BTreeMap<String, Macro>,
    /// Macros that are not listed are not defined, but for those that the compiler may define itself.
    pub complete: bool,
    /// Those that the compiler defines itself are listed, too.
    pub lists_those_of_compiler: bool,
    /// The program is compiled without OpenMP: its directives are comments.
    pub without_openmp: bool,
    /// The program is compiled without OpenACC: its directives are comments.
    #[serde(default)]
    pub without_openacc: bool,
}

impl Macros {
    /// What is known of `name`.
    pub fn get(&self, name: &str) -> Macro {
        match self.known.get(name) {
            Some(known) => known.clone(),
            None if self.complete && !self.may_be_of_compiler(name) => Macro::Undefined,
            None => Macro::Unknown,
        }
    }

    /// Is it a name such as `__LINE__`, which preprocessors know but which has no value of its own?
    pub fn is_special(name: &str) -> bool {
        SPECIAL_NAMES.contains(&name) || SPECIAL_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Is it a name that stands for a text wherever it is replaced: of a file, or of a day?
    pub fn is_text_of_place(name: &str) -> bool {
        TEXTS_OF_PLACES.contains(&name)
    }

    /// The names that stand for something in every text: places, days.
    pub fn names_of_places() -> impl Iterator<Item = &'static str> {
        TEXTS_OF_PLACES.into_iter().chain(["__LINE__"])
    }

    /// Is it the name that stands for the number of its line?
    pub fn is_line(name: &str) -> bool {
        name == "__LINE__"
    }

    /// May the compiler define `name`, which is not listed?
    fn may_be_of_compiler(&self, name: &str) -> bool {
        if self.lists_those_of_compiler {
            Self::is_special(name)
        } else {
            name.starts_with('_') || PLAIN_NAMES_OF_COMPILERS.contains(&name)
        }
    }

    /// The names that may stand for something else in the text.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.known.iter().filter(|(_, known)| **known != Macro::Undefined).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_read_as_compilers_read_them() {
        let defined = |name: &str, value: &str| Some((name.to_string(), Macro::Defined(value.to_string())));
        assert_eq!(Macro::definition("A"), defined("A", "1"));
        assert_eq!(Macro::definition("A="), defined("A", ""));
        assert_eq!(Macro::definition("A=b=c"), defined("A", "b=c"));
        let with_arguments = |name: &str, parameters: &[&str], body: &str| {
            let parameters = parameters.iter().map(|&parameter| parameter.to_string()).collect();
            (name.to_string(), Macro::WithArguments(FunctionLike { parameters, body: body.to_string() }))
        };
        assert_eq!(Macro::definition("F(x)=x"), Some(with_arguments("F", &["x"], "x")));
        assert_eq!(Macro::definition("F(x)"), Some(with_arguments("F", &["x"], "1")));
        assert_eq!(Macro::definition("A=(1)"), defined("A", "(1)"));
        for wrong in ["", "1A", "A B", "A-B=1", "F(x"] {
            assert_eq!(Macro::definition(wrong), None, "{wrong}");
        }
        assert_eq!(Some(Macro::directive("A (1)")), defined("A", "(1)"));
        assert_eq!(Macro::directive("A(b, c) b (c) "), with_arguments("A", &["b", "c"], "b (c)"));
        assert_eq!(Macro::directive("A()"), with_arguments("A", &[], ""));
    }

    #[test]
    fn names_of_the_compiler_are_known_where_it_lists_them() {
        let mut macros = Macros { complete: true, ..Macros::default() };
        macros.known.insert("__GFORTRAN__".to_string(), Macro::Defined("1".to_string()));
        let known =
            |macros: &Macros| ["__MPI", "linux", "MPI", "__FILE__", "__has_include"].map(|name| macros.get(name));
        assert_eq!(known(&macros), [Macro::Unknown, Macro::Unknown, Macro::Undefined, Macro::Unknown, Macro::Unknown]);
        macros.lists_those_of_compiler = true;
        assert_eq!(
            known(&macros),
            [Macro::Undefined, Macro::Undefined, Macro::Undefined, Macro::Unknown, Macro::Unknown]
        );
        macros.complete = false;
        assert_eq!(macros.get("__MPI"), Macro::Unknown);
        assert_eq!(macros.get("__GFORTRAN__"), Macro::Defined("1".to_string()));
    }
}
