//! Which entity a name means: local declarations, USE association, MPI, host association.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::super::text::conditions::Number;
use super::default_kinds::DefaultKinds;
use super::link_names::LinkNames;
use super::scope::{DeclaredType, DerivedType, Entity, Scope};
use super::standard_modules::{self, StandardName, is_standard};
use super::units::{UnitIndex, Units};
use crate::frontend::FrontendOptions;
use crate::ir::{FileId, MessagingNames, ProcedureId, TypeCategory};
use crate::known_libraries::{is_known_module, may_export, names_are_known};

/// USE chains that are longer than this are taken for cycles.
pub(super) const MAX_CHAIN: usize = 32;

/// All scopes, by unit, and how they are connected.
pub struct Scopes<'t> {
    /// The scope of each unit; `None` until it has been read.
    pub list: Vec<Option<Scope<'t>>>,
    /// The scopes of BLOCK constructs by the file and the place where they begin.
    pub blocks: HashMap<(usize, usize), Scope<'t>>,
    /// Modules by name; `None` where two have the same name.
    pub modules: HashMap<String, Option<UnitIndex>>,
    /// External procedures by name; `None` where two have the same name.
    pub externals: HashMap<String, Option<ProcedureId>>,
    /// Procedures that calls of MPI may call, though they have other names.
    pub link_names: LinkNames,
    /// Macros that stand for numbers in all files, as the text spells them.
    pub numbers: BTreeMap<String, Number>,
    /// Macros of each file that stand for other constants of numbers.
    pub constants: HashMap<FileId, BTreeMap<String, Number>>,
    /// Some statement names a routine of MPI otherwise than to call it.
    pub messaging_is_handed_over: bool,
    /// Modules that were not given belong to libraries ([`crate::frontend::FrontendOptions`]).
    pub libraries_keep_to_themselves: bool,
    /// How long reals are in each unit that name no kind.
    pub default_kinds: Vec<DefaultKinds>,
    /// Do the local variables of each unit keep their values from one run of their procedure to the next?
    pub saves_locals: Vec<bool>,
}

/// What a name means in some scope.
#[derive(Debug, Clone)]
pub enum Found<'a, 't> {
    /// An entity of a unit of the program.
    Entity {
        /// The unit that declares it.
        unit: UnitIndex,
        /// The entity.
        entity: &'a Entity<'t>,
    },
    /// A name of a module that comes with the compiler or a library.
    Standard(StandardName),
    /// What this module of a library has under this name.
    Library {
        /// The module.
        module: String,
        /// The name there.
        name: String,
        /// A USE names it; else only nothing else declares it, unless its first letter does.
        is_listed: bool,
    },
    /// It may be something that was not given; the text says what.
    Unknown(String),
    /// No declaration.
    Nothing,
}

/// What modules have answered during one search, and (`None`) what they are being asked: chains of USE meet again, and to
/// follow each of them would double the time at every module.
type Answers<'a, 'n, 't> = HashMap<(UnitIndex, &'n str), Option<Found<'a, 't>>>;

/// What the name of a type means in some scope.
enum FoundType<'s> {
    /// This type of the program, which the unit defines.
    Type(UnitIndex, &'s DerivedType),
    /// It may be one that was not given, or could not be read.
    Unknown,
    /// No type of the program.
    Nothing,
}

impl<'t> Scopes<'t> {
    /// Scopes that are still to be read.
    ///
    /// # Panics
    ///
    /// Where `of_sources` does not say how each source is read.
    pub fn new(units: &Units<'t>, options: &FrontendOptions, of_sources: &[&FrontendOptions]) -> Self {
        Self {
            libraries_keep_to_themselves: options.libraries_keep_to_themselves,
            default_kinds: units.list.iter().map(|unit| of_sources[unit.source].default_kinds).collect(),
            saves_locals: units.list.iter().map(|unit| of_sources[unit.source].saves_locals).collect(),
            list: units.list.iter().map(|_| None).collect(),
            blocks: HashMap::new(),
            messaging_is_handed_over: false,
            numbers: BTreeMap::new(),
            constants: HashMap::new(),
            modules: units.modules.clone(),
            externals: units.externals.clone(),
            link_names: LinkNames::default(),
        }
    }

    /// What the macro that a file names so stands for, if that is a number.
    pub fn macro_number(&self, file: FileId, word: &str) -> Option<&Number> {
        self.numbers.get(word).or_else(|| self.constants.get(&file)?.get(word))
    }

    /// The declarations of `unit`.
    ///
    /// # Panics
    ///
    /// Before they have been read.
    pub fn scope(&self, unit: UnitIndex) -> &Scope<'t> {
        self.list[unit].as_ref().expect("all scopes have been read before procedures are lowered")
    }

    /// How `unit` sees the names of MPI: what it or its hosts include or import as a whole, else what modules bring.
    pub fn messaging_names(&self, unit: UnitIndex) -> MessagingNames {
        let (mut all, mut some) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = HashSet::new();
        // Whether a module makes all public that it sees is not looked at.
        let mut pending = vec![(unit, true)];
        while let Some((unit, is_own)) = pending.pop() {
            let Some(scope) = self.list[unit].as_ref().filter(|_| seen.insert((unit, is_own))) else { continue };
            if scope.includes_mpif {
                // As an import it could not stand beside what is included.
                if is_own {
                    all.insert("mpi")
                } else {
                    some.insert("mpif.h of a module")
                };
            }
            pending.extend(scope.host.map(|host| (host, is_own)));
            for clause in &scope.uses {
                let is_whole = is_own && !clause.only && clause.names.is_empty();
                match (clause.module.as_str(), self.modules.get(&clause.module)) {
                    (_, Some(Some(module))) => pending.push((*module, false)),
                    ("mpi", None) => drop(if is_whole { all.insert("mpi") } else { some.insert("mpi") }),
                    ("mpi_f08", None) => drop(if is_whole { all.insert("mpi_f08") } else { some.insert("mpi_f08") }),
                    (standard, None) if is_standard(standard) || names_are_known(standard) => {}
                    _ => drop(some.insert("a module that is not known")),
                }
            }
        }
        match (all.len(), all.first(), some.len(), some.first()) {
            (0, _, 0, _) => MessagingNames::Unseen,
            (1, Some(module), ..) => MessagingNames::All(module),
            (0, _, 1, Some(module)) if is_standard(module) => MessagingNames::Some(module),
            _ => MessagingNames::Unclear,
        }
    }

    /// The meaning of `name` in `unit`.
    pub fn find(&self, unit: UnitIndex, name: &str) -> Found<'_, 't> {
        match &self.list[unit] {
            Some(scope) => self.find_in(scope, name),
            None => Found::Unknown("modules that use one another".to_string()),
        }
    }

    /// The meaning of `name` in `scope`, which may be still under construction.
    pub fn find_in<'a>(&'a self, scope: &'a Scope<'t>, name: &str) -> Found<'a, 't> {
        if let Some(entity) = scope.entities.get(name) {
            return Found::Entity { unit: scope.unit, entity };
        }
        let used = self.find_used(scope, name, 0, &mut Answers::new());
        let of_host = || scope.host.map_or(Found::Nothing, |host| self.find(host, name));
        match used {
            Found::Nothing => of_host(),
            // Where another one declares it, too, nobody can tell which of them is meant.
            Found::Library { module, name, is_listed: false } => match of_host() {
                Found::Nothing | Found::Library { is_listed: false, .. } => {
                    Found::Library { module, name, is_listed: false }
                }
                Found::Unknown(why) => Found::Unknown(why),
                Found::Entity { .. } | Found::Standard(_) | Found::Library { is_listed: true, .. } => {
                    Found::Unknown(not_given(&module))
                }
            },
            found => found,
        }
    }

    /// The modules of libraries that the program uses.
    pub fn library_modules(&self) -> BTreeSet<String> {
        let used = self.list.iter().flatten().flat_map(|scope| &scope.uses).map(|clause| &clause.module);
        used.filter(|module| self.is_of_library(module)).cloned().collect()
    }

    /// Does the module, which was not given, belong to a library that keeps to itself?
    pub fn is_of_library(&self, module: &str) -> bool {
        (self.libraries_keep_to_themselves || is_known_module(module))
            && !self.modules.contains_key(module)
            && !is_standard(module)
            && !["mpi", "pmpi", "gravel"].iter().any(|prefix| module.starts_with(prefix))
    }

    /// What USE clauses, `mpif.h` and unread declarations say about `name`.
    fn find_used<'a: 'n, 'n>(
        &'a self,
        scope: &'a Scope<'t>,
        name: &'n str,
        depth: usize,
        answers: &mut Answers<'a, 'n, 't>,
    ) -> Found<'a, 't> {
        // What a module of the program declares is no name of MPI, even if MPI has one like it in another language.
        let mut of_messaging = standard_modules::messaging(name).filter(|_| scope.includes_mpif);
        let mut unknown =
            scope.incomplete.as_ref().filter(|_| scope.may_declare_unread(name)).map_or(Found::Nothing, |unclear| {
                Found::Unknown(format!("declarations that can't be read ({})", unclear.why))
            });
        for clause in &scope.uses {
            let listed = clause.names.iter().find(|(local, _)| local == name);
            let original = match listed {
                Some((_, original)) => original.as_str(),
                None if clause.only => continue,
                // A renamed entity is not visible under its own name.
                None if clause.names.iter().any(|(_, original)| original == name) => continue,
                None => name,
            };
            match self.exported((&clause.module, original), depth + 1, answers) {
                Found::Nothing => {}
                Found::Unknown(why) => unknown = Found::Unknown(why),
                Found::Library { module, name, .. } if listed.is_some() => {
                    return Found::Library { module, name, is_listed: true };
                }
                Found::Library { module, name, is_listed: false } => {
                    if matches!(unknown, Found::Nothing) {
                        unknown = Found::Library { module, name, is_listed: false };
                    }
                }
                Found::Standard(standard @ StandardName::Messaging(_)) if listed.is_none() => {
                    of_messaging.get_or_insert(standard);
                }
                found => return found,
            }
        }
        of_messaging.map_or(unknown, Found::Standard)
    }

    /// What other units see as `name` of `module`.
    fn exported<'a: 'n, 'n>(
        &'a self,
        (module, name): (&str, &'n str),
        depth: usize,
        answers: &mut Answers<'a, 'n, 't>,
    ) -> Found<'a, 't> {
        let unknown = |why: &str| Found::Unknown(format!("module `{module}`, which {why}"));
        let unit = match self.modules.get(module) {
            Some(Some(unit)) => *unit,
            Some(None) => return unknown("is given twice"),
            None if is_standard(module) => {
                return standard_modules::find(module, name).map_or(Found::Nothing, Found::Standard);
            }
            None if !may_export(module, name) => return Found::Nothing,
            None if self.is_of_library(module) => {
                let (module, name) = (module.to_string(), name.to_string());
                return Found::Library { module, name, is_listed: false };
            }
            None => return Found::Unknown(not_given(module)),
        };
        let Some(scope) = &self.list[unit] else { return unknown("uses itself") };
        if depth > MAX_CHAIN {
            return unknown("has too long a chain of USE");
        }
        if !scope.is_public(name) {
            return Found::Nothing;
        }
        if let Some(entity) = scope.entities.get(name) {
            return Found::Entity { unit, entity };
        }
        if scope.uses.is_empty() {
            return self.find_used(scope, name, depth, answers);
        }
        match answers.get(&(unit, name)) {
            Some(Some(answer)) => return answer.clone(),
            Some(None) => return unknown("uses itself"),
            None => {}
        }
        answers.insert((unit, name), None);
        let answer = self.find_used(scope, name, depth, answers);
        answers.insert((unit, name), Some(answer.clone()));
        answer
    }

    /// The definition of the derived type `name` as `unit` sees it, with the unit that defines it; `None` where something that
    /// was not given, or could not be read, may define it.
    pub fn find_type(&self, unit: UnitIndex, name: &str) -> Option<(UnitIndex, &DerivedType)> {
        match self.find_type_at(unit, name, 0, &mut HashSet::new()) {
            FoundType::Type(unit, definition) => Some((unit, definition)),
            FoundType::Unknown | FoundType::Nothing => None,
        }
    }

    /// `asked`: the units that have been asked for a name. What one has answered counts already: nothing more comes of it.
    fn find_type_at<'a: 'n, 'n>(
        &'a self,
        unit: UnitIndex,
        name: &'n str,
        depth: usize,
        asked: &mut HashSet<(UnitIndex, &'n str)>,
    ) -> FoundType<'a> {
        let Some(scope) = self.list[unit].as_ref().filter(|_| depth <= MAX_CHAIN) else { return FoundType::Unknown };
        if let Some(definition) = scope.types.get(name) {
            return FoundType::Type(unit, definition);
        }
        if !asked.insert((unit, name)) {
            return FoundType::Nothing;
        }
        let mut may_be_elsewhere = scope.may_declare_unread(name);
        for clause in &scope.uses {
            let listed = clause.names.iter().find(|(local, _)| local == name);
            let original = match listed {
                Some((_, original)) => original.as_str(),
                None if clause.only => continue,
                // What is renamed is not visible under its own name.
                None if clause.names.iter().any(|(_, original)| original == name) => continue,
                None => name,
            };
            match self.modules.get(&clause.module) {
                Some(Some(module)) => {
                    if self.list[*module].as_ref().is_some_and(|scope| !scope.is_public(original)) {
                        continue;
                    }
                    match self.find_type_at(*module, original, depth + 1, asked) {
                        FoundType::Type(unit, definition) => return FoundType::Type(unit, definition),
                        FoundType::Unknown => may_be_elsewhere = true,
                        FoundType::Nothing => {}
                    }
                }
                None if is_standard(&clause.module) || !may_export(&clause.module, original) => {}
                Some(None) | None => may_be_elsewhere = true,
            }
        }
        match scope.host {
            // It would hide the host's.
            _ if may_be_elsewhere => FoundType::Unknown,
            Some(host) => self.find_type_at(host, name, depth + 1, asked),
            None => FoundType::Nothing,
        }
    }

    /// The name that the program's own type with components has where it is defined.
    pub fn structure_of(&self, unit: UnitIndex, declared: &DeclaredType) -> Option<String> {
        let (_, definition) = self.find_type(unit, declared.derived.as_deref()?)?;
        Some(definition.name.clone())
    }

    /// Is `name` MPI's type for requests, as `unit` sees it?
    pub fn is_request_type(&self, unit: UnitIndex, name: &str) -> bool {
        matches!(self.find(unit, name), Found::Standard(StandardName::Messaging(original)) if original == "mpi_request")
    }

    /// Is `name` a derived type of MPI or of an intrinsic module, as `unit` sees it? Those have no pointers in them that
    /// a program could follow.
    pub fn is_standard_type(&self, unit: UnitIndex, name: &str) -> bool {
        match self.find(unit, name) {
            Found::Standard(StandardName::Type | StandardName::Messaging(_)) => true,
            Found::Entity { .. } | Found::Standard(_) | Found::Library { .. } | Found::Unknown(_) | Found::Nothing => {
                false
            }
        }
    }

    /// Are the type, those that it extends and those of its components all given, and is none of them polymorphic?
    pub fn type_is_given(&self, unit: UnitIndex, name: &str) -> bool {
        !self.any_type_within(unit, name, &|definition| {
            definition.components.values().any(|component| component.declared_type.polymorphic)
        })
    }

    /// Can something that a pointer reaches be inside a variable of the derived type `name`?
    pub fn type_has_pointers(&self, unit: UnitIndex, name: &str) -> bool {
        self.any_type_within(unit, name, &|definition| {
            definition.components.values().any(|component| {
                let declared = &component.declared_type;
                component.pointer || declared.polymorphic || declared.element.category == TypeCategory::Unknown
            })
        })
    }

    /// Can a variable of the derived type `name` have a value from the beginning?
    pub fn type_is_initialised(&self, unit: UnitIndex, name: &str) -> bool {
        self.any_type_within(unit, name, &|definition| definition.initialised)
    }

    /// Does `property` hold for the type `name`, the types that it extends or those of its components? Yes for a type
    /// that is not given; no for MPI's types and those of the intrinsic modules.
    fn any_type_within(&self, unit: UnitIndex, name: &str, property: &dyn Fn(&DerivedType) -> bool) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![(unit, name.to_string())];
        while let Some((unit, name)) = pending.pop() {
            if self.is_standard_type(unit, &name) {
                continue;
            }
            let Some((home, definition)) = self.find_type(unit, &name) else { return true };
            if !seen.insert((home, name)) {
                continue;
            }
            if property(definition) {
                return true;
            }
            let inner = definition.components.values().filter_map(|component| component.declared_type.derived.clone());
            pending.extend(inner.chain(definition.parent.clone()).map(|name| (home, name)));
        }
        false
    }

    /// May operators or assignments be visible in `unit` that were not given: through modules that were not given or
    /// declarations that could not be read?
    pub fn sees_unknown_modules(&self, unit: UnitIndex) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![unit];
        while let Some(unit) = pending.pop() {
            if !seen.insert(unit) {
                continue;
            }
            let Some(scope) = &self.list[unit] else { return true };
            if scope.may_declare_anything() {
                return true;
            }
            for clause in &scope.uses {
                match self.modules.get(&clause.module) {
                    Some(Some(module)) => pending.push(*module),
                    Some(None) => return true,
                    None if is_standard(&clause.module) || self.is_of_library(&clause.module) => {}
                    None => return true,
                }
            }
            pending.extend(scope.host);
        }
        false
    }
}

fn not_given(module: &str) -> String {
    format!("module `{module}`, which is not given")
}
