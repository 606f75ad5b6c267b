//! Modules as gfortran keeps them: compressed text, a list of symbols with their attributes.

use std::collections::BTreeMap;

use testsuite::command::CommandLine;
use testsuite::mpi_flavour::{COMPILE_LIMIT, MpiFlavour};
use testsuite::setup::succeed;

/// What a dummy argument is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    In,
    Out,
    InOut,
    /// The interface does not say.
    Unknown,
}

/// What a dummy argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Of any type.
    Choice,
    Integer,
    Logical,
    Procedure,
    /// Of this type of `mpi_f08`, or an integer in its place.
    Handle(&'static str),
    /// Of a derived type.
    Derived(String),
    /// Another type.
    Other,
    Unknown,
}

impl Kind {
    /// Is it what is asked for, by the interface that it is of?
    pub fn may_be(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Unknown, _) => true,
            (Self::Derived(name), Self::Handle(handle)) => name == handle,
            (Self::Integer, Self::Handle(_)) => true,
            _ => self == wanted,
        }
    }
}

/// A dummy argument.
#[derive(Debug)]
pub struct Dummy {
    /// Its name.
    pub name: String,
    /// Its INTENT.
    pub intent: Intent,
    /// What it is.
    pub kind: Kind,
    /// It may be left out.
    pub is_optional: bool,
}

/// A list, or a word, of the text.
#[derive(Debug)]
enum Item {
    Word(String),
    List(Vec<Item>),
}

impl Item {
    fn word(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::List(_) => "",
        }
    }

    fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            Self::Word(_) => &[],
        }
    }

    fn has(&self, word: &str) -> bool {
        self.list().iter().any(|item| item.word() == word)
    }
}

/// The procedures of a module with their dummy arguments.
pub struct Module {
    procedures: BTreeMap<String, Vec<Dummy>>,
}

impl Module {
    /// Reads a module of an MPI.
    ///
    /// # Errors
    ///
    /// It was not found, or is no module of gfortran's.
    pub fn read(flavour: MpiFlavour, name: &str) -> Result<Self, String> {
        let show = CommandLine::new(flavour.fortran_compiler()).arg("-show");
        let shown = succeed(&show, COMPILE_LIMIT)?.stdout_text();
        let folders = shown.split_whitespace().filter_map(|word| word.strip_prefix("-I"));
        let mut paths = folders.map(|folder| format!("{folder}/{name}.mod"));
        let path = paths.find(|path| std::path::Path::new(path).exists());
        let path = path.ok_or_else(|| format!("no `{name}.mod` in the folders of `{shown}`"))?;
        let unpack = CommandLine::new("gzip").arg("-dc").arg("--suffix=.mod").arg(&path);
        let text = succeed(&unpack, COMPILE_LIMIT)?.stdout_text();
        Self::of(&text).map_err(|why| format!("{path}: {why}"))
    }

    /// The procedures in the order of their names.
    pub fn procedures(&self) -> impl Iterator<Item = (&str, &[Dummy])> {
        self.procedures.iter().map(|(name, dummies)| (name.as_str(), dummies.as_slice()))
    }

    fn of(text: &str) -> Result<Self, String> {
        let (first, text) = text.split_once('\n').ok_or("it is empty")?;
        if !first.starts_with("GFORTRAN module version") {
            return Err(format!("it begins with `{first}`"));
        }
        let lists = items(text)?;
        // A symbol is six items: number, name, module, label, scope and what it is.
        let is_symbols = |list: &&Item| {
            let list = list.list();
            list.len() > 5 && list[0].word().parse::<u32>().is_ok() && !list[5].list().is_empty()
        };
        let symbols: BTreeMap<&str, (&str, &[Item])> = lists
            .iter()
            .filter(is_symbols)
            .flat_map(|list| list.list().chunks_exact(6))
            .map(|symbol| (symbol[0].word(), (symbol[1].word(), symbol[5].list())))
            .collect();
        let mut procedures = BTreeMap::new();
        for (name, body) in symbols.values() {
            // Attributes, components, type, scope of the dummies, next in COMMON, dummies.
            let [attributes, _, _, _, _, dummies, ..] = body else { continue };
            let is_procedure = attributes.list().first().is_some_and(|first| first.word() == "PROCEDURE");
            if is_procedure && !dummies.list().is_empty() && name.to_lowercase().starts_with("mpi_") {
                let dummies = dummies.list().iter().map(|dummy| Self::dummy(&symbols, dummy.word()));
                let dummies = dummies.collect::<Option<Vec<_>>>().ok_or("a dummy argument that it does not have")?;
                procedures.insert(name.to_lowercase(), dummies);
            }
        }
        Ok(Self { procedures })
    }

    fn dummy(symbols: &BTreeMap<&str, (&str, &[Item])>, number: &str) -> Option<Dummy> {
        let &(name, body) = symbols.get(number)?;
        let [attributes, _, of_type, ..] = body else { return None };
        let intent = match attributes.list().get(1)?.word() {
            "IN" => Intent::In,
            "OUT" => Intent::Out,
            "INOUT" => Intent::InOut,
            _ => Intent::Unknown,
        };
        let kind = match of_type.list().first()?.word() {
            _ if attributes.list().first()?.word() == "PROCEDURE" => Kind::Procedure,
            // Older compilers are told by a directive to look at neither type, kind nor rank.
            _ if attributes.list().iter().any(|item| item.word().starts_with("NO_ARG_CHECK")) => Kind::Choice,
            "ASSUMED" => Kind::Choice,
            "INTEGER" => Kind::Integer,
            "LOGICAL" => Kind::Logical,
            "DERIVED" => {
                let (name, _) = symbols.get(of_type.list().get(1)?.word())?;
                Kind::Derived(name.to_lowercase())
            }
            "UNKNOWN" => Kind::Unknown,
            _ => Kind::Other,
        };
        Some(Dummy { name: name.to_lowercase(), intent, kind, is_optional: attributes.has("OPTIONAL") })
    }
}

/// The lists and words of a text; words in apostrophes without these.
fn items(text: &str) -> Result<Vec<Item>, String> {
    let mut open = vec![Vec::new()];
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' => {
                open.push(Vec::new());
                1
            }
            ')' => {
                let list = open.pop().unwrap_or_default();
                open.last_mut().ok_or("a parenthesis too many")?.push(Item::List(list));
                1
            }
            '\'' => {
                let end = rest[1..].find('\'').ok_or("a text does not end")?;
                open.last_mut().ok_or("a parenthesis too many")?.push(Item::Word(rest[1..=end].to_owned()));
                end + 2
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()'".contains(c)).unwrap_or(rest.len());
                open.last_mut().ok_or("a parenthesis too many")?.push(Item::Word(rest[..end].to_owned()));
                end
            }
        };
        rest = rest[length..].trim_start();
    }
    match (open.pop(), open.is_empty()) {
        (Some(items), true) => Ok(items),
        _ => Err("a parenthesis is missing".to_owned()),
    }
}
