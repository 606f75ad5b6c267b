//! Which sources a program was made from: from its link through libraries and objects to what was compiled into them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::step::{FileThen, Kind, Product, Step};
use super::{BuildRecord, archive};
use crate::cli::Failure;
use crate::cli::digest::sha256_of;

/// How many names a message has room for.
const NAMES_SHOWN: usize = 12;

/// How many objects a note has room for.
const OBJECTS_SHOWN: usize = 4;

/// A source, with the commands that compiled it: more than one where the program holds it several times.
#[derive(Debug)]
pub(in crate::cli) struct Compiled<'r> {
    /// Where it is, without links.
    pub path: PathBuf,
    /// In the order of the build.
    pub(super) steps: Vec<&'r Step>,
}

impl Compiled<'_> {
    /// Is it in C?
    pub(super) fn is_c(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "c")
    }
}

/// The sources of a program, in the order in which they were compiled.
#[derive(Debug)]
pub(in crate::cli) struct ProgramSources<'r> {
    /// The sources.
    pub sources: Vec<Compiled<'r>>,
    /// What the user should know of them.
    pub notes: Vec<String>,
}

/// A product by its step and its place there.
type Place = (usize, usize);
/// A source by its step and its place there.
type SourcePlace = (usize, usize);

/// The products of a record by what they can be found by.
struct Products<'r> {
    record: &'r BuildRecord,
    by_path: HashMap<&'r Path, Vec<Place>>,
    by_digest: HashMap<&'r str, Vec<Place>>,
}

/// What a product was made from.
#[derive(Default)]
struct Origin {
    sources: BTreeSet<SourcePlace>,
    seen: BTreeSet<Place>,
    /// Objects that no command of the record made.
    unknown: BTreeSet<PathBuf>,
}

impl<'r> Products<'r> {
    fn of(record: &'r BuildRecord) -> Self {
        let mut by_path: HashMap<&Path, Vec<Place>> = HashMap::new();
        let mut by_digest: HashMap<&str, Vec<Place>> = HashMap::new();
        for (step, index, product) in record.products() {
            by_path.entry(&product.file.path).or_default().push((step, index));
            if let Some(digest) = &product.file.sha256 {
                by_digest.entry(digest).or_default().push((step, index));
            }
        }
        Self { record, by_path, by_digest }
    }

    fn product(&self, (step, index): Place) -> &'r Product {
        &self.record.steps[step].products[index]
    }

    /// The last of these places that comes before `step`.
    fn last_before(&self, places: Option<&Vec<Place>>, step: usize) -> Option<Place> {
        let is_before = |place: &&Place| !self.record.is_ordered || place.0 < step;
        places?.iter().rfind(is_before).copied()
    }

    /// What the product at `place` was made from.
    fn trace(&self, place: Place, origin: &mut Origin) {
        let mut pending = vec![place];
        while let Some(place) = pending.pop() {
            if !origin.seen.insert(place) {
                continue;
            }
            let product = self.product(place);
            origin.sources.extend(product.sources.iter().map(|&source| (place.0, source)));
            for input in &product.inputs {
                let found = self.makers(input, place.0);
                let is_object = input.path.extension().is_some_and(|ending| ending == "o" || ending == "obj");
                if found.is_empty() && is_object {
                    origin.unknown.insert(input.path.clone());
                }
                pending.extend(found);
            }
        }
    }

    /// The products that `input` of a step is, or consists of.
    fn makers(&self, input: &FileThen, step: usize) -> Vec<Place> {
        if !input.members.is_empty() {
            // What was in it then counts, however it came there.
            let members = input.members.iter();
            let by_digest = members.filter_map(|(_, digest)| self.last_before(self.by_digest.get(&**digest), step));
            let found: Vec<Place> = by_digest.collect();
            if !found.is_empty() {
                return found;
            }
        }
        let at_path = self.by_path.get(input.path.as_path());
        if let Some(place) = self.last_before(at_path, step) {
            if self.product(place).kind == Kind::Archive {
                let before = at_path.into_iter().flatten().filter(|place| !self.record.is_ordered || place.0 < step);
                return before.copied().collect();
            }
            let made = &self.product(place).file.sha256;
            // Somebody else may have put another file there.
            if made.is_none() || input.sha256.is_none() || *made == input.sha256 {
                return vec![place];
            }
        }
        if let Some(digest) = &input.sha256 {
            return self.last_before(self.by_digest.get(&**digest), step).into_iter().collect();
        }
        // Nobody saw how the archive was made: the names that it holds now.
        let members = archive::members(&input.path);
        members.iter().filter_map(|(name, _)| self.only_object(name, step)).collect()
    }

    /// The only object of this name that was made before `step`.
    fn only_object(&self, name: &str, step: usize) -> Option<Place> {
        let named = self.by_path.iter().filter(|(path, _)| path.file_name().is_some_and(|file| file == name));
        let mut found = named.filter_map(|(_, places)| self.last_before(Some(places), step));
        found.next().filter(|_| found.next().is_none())
    }
}

/// A program that the build linked.
struct Program<'r> {
    path: &'r Path,
    /// Where it was linked.
    folder: &'r Path,
    origin: Origin,
}

impl BuildRecord {
    fn products(&self) -> impl Iterator<Item = (usize, usize, &Product)> {
        let steps = self.steps.iter().enumerate();
        steps.flat_map(|(step, made)| {
            made.products.iter().enumerate().map(move |(index, product)| (step, index, product))
        })
    }

    /// The sources of the program that is called so, or of the only one that was linked; of all that was compiled, where nothing
    /// says what was linked.
    ///
    /// # Errors
    /// There is no such program, or there are several; a source is gone.
    pub fn sources_of(&self, name: Option<&str>) -> Result<ProgramSources<'_>, Failure> {
        let programs = self.programs();
        let shown = |programs: &[&Program<'_>]| {
            let names: Vec<String> =
                programs.iter().take(NAMES_SHOWN).map(|program| program.path.display().to_string()).collect();
            let more = programs.len().saturating_sub(NAMES_SHOWN);
            if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
        };
        let Some(name) = name else {
            let there: Vec<&Program<'_>> = programs.iter().filter(|program| self.is_there(program)).collect();
            return match there.as_slice() {
                [] if programs.is_empty() => self.everything(),
                [] => Err(self.gone(&programs)),
                [program] => self.sources(program),
                several => Err(self
                    .failure(&format!("this build links {} programs: {}", several.len(), shown(several)))
                    .help("say which one is meant: --program NAME")),
            };
        };
        let named: Vec<&Program<'_>> = programs.iter().filter(|program| program.path.ends_with(name)).collect();
        match named.as_slice() {
            [program] => self.sources(program),
            [] if programs.is_empty() => Err(self
                .failure(&format!("nothing says what `{name}` is linked from"))
                .help("without --program, all files that it compiles are taken to be the program; `gravelc wrap --record` and the output of make show links")),
            [] => Err(self
                .failure(&format!("no program `{name}` is linked from Fortran or C"))
                .help(format!("it links {}", shown(&programs.iter().collect::<Vec<_>>())))),
            several => Err(self
                .failure(&format!("`{name}` could be any of {}", shown(several)))
                .help("name its folder, too: --program FOLDER/NAME")),
        }
    }

    /// The programs that were linked from sources that gravelc reads, each as it was linked last.
    fn programs(&self) -> Vec<Program<'_>> {
        let products = Products::of(self);
        let mut last: BTreeMap<&Path, Place> = BTreeMap::new();
        for (step, index, product) in self.products().filter(|(_, _, product)| product.kind == Kind::Program) {
            last.insert(&product.file.path, (step, index));
        }
        let mut programs = Vec::new();
        for (path, place) in last {
            let mut origin = Origin::default();
            products.trace(place, &mut origin);
            if !origin.sources.is_empty() {
                programs.push(Program { path, folder: &self.steps[place.0].folder, origin });
            }
        }
        programs
    }

    /// No program has all its sources any more, or has them yet: a database says what a build will do, and sources that it will
    /// generate are not there before.
    fn gone(&self, programs: &[Program<'_>]) -> Failure {
        let of_users = programs.iter().filter(|program| program.folder.is_dir());
        let missing = of_users.flat_map(|program| {
            let paths = program.origin.sources.iter().map(|&(step, source)| &self.steps[step].sources[source].path);
            paths.filter(|path| !path.is_file() && !is_for_trial(path)).map(|path| (program.path, path))
        });
        let message = match missing.into_iter().next() {
            Some((program, path)) => {
                format!("{} is not there, from which {} is made", path.display(), program.display())
            }
            None => "the sources of all programs that it links are gone".to_owned(),
        };
        self.failure(&message).help("build it once, and keep what the build generates (for make: .SECONDARY)")
    }

    /// Is it a program of the user's? The sources of those with which `configure`, CMake and Meson try what a compiler can, or their
    /// folders, are gone afterwards, but for one that each of the latter keeps.
    fn is_there(&self, program: &Program<'_>) -> bool {
        let mut paths = program.origin.sources.iter().map(|&(step, source)| &self.steps[step].sources[source].path);
        program.folder.is_dir() && paths.all(|path| path.is_file() && !is_for_trial(path))
    }

    fn sources(&self, program: &Program<'_>) -> Result<ProgramSources<'_>, Failure> {
        let mut found = self.compiled(&program.origin.sources);
        if let Some(path) = found.gone.first() {
            return Err(self
                .failure(&format!(
                    "{} was made from {}, which is not there any more",
                    program.path.display(),
                    path.display()
                ))
                .help("keep what the build generates (for make: .SECONDARY), and build again"));
        }
        let unknown: Vec<String> = program.origin.unknown.iter().map(|path| path.display().to_string()).collect();
        if !unknown.is_empty() {
            let (named, others) = unknown.split_at(unknown.len().min(OBJECTS_SHOWN));
            let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            found.program.notes.push(format!(
                "{} holds objects whose sources the build does not show: {}{more}",
                program.path.display(),
                named.join(", ")
            ));
        }
        Ok(found.program)
    }

    /// All that was compiled and is there, where no command links it.
    fn everything(&self) -> Result<ProgramSources<'_>, Failure> {
        // An object that was made again counts as it was made last.
        let mut last: HashMap<&Path, Place> = HashMap::new();
        for (step, index, product) in self.products() {
            last.insert(&product.file.path, (step, index));
        }
        let places: BTreeSet<Place> = last.into_values().collect();
        let sources = places.into_iter().flat_map(|(step, index)| {
            self.steps[step].products[index].sources.iter().map(move |&source| (step, source))
        });
        let sources = sources.filter(|&(step, source)| {
            let step = &self.steps[step];
            step.folder.is_dir() && !is_for_trial(&step.sources[source].path)
        });
        let mut found = self.compiled(&sources.collect());
        if found.program.sources.is_empty() {
            return Err(match found.gone.first() {
                Some(path) => self.failure(&format!("{} and all else that was compiled is gone", path.display())),
                None => self.failure("no command compiles Fortran or C"),
            });
        }
        if let Some(path) = found.gone.first() {
            found.program.notes.push(format!(
                "{} of the sources that were compiled are not there any more, such as {}",
                found.gone.len(),
                path.display()
            ));
        }
        Ok(found.program)
    }

    fn compiled(&self, sources: &BTreeSet<SourcePlace>) -> Found<'_> {
        let mut found = Found { program: ProgramSources { sources: Vec::new(), notes: Vec::new() }, gone: Vec::new() };
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        let mut changed = BTreeSet::new();
        for &(step, source) in sources {
            let step = &self.steps[step];
            let file = &step.sources[source];
            let Ok(identity) = file.path.canonicalize() else {
                found.gone.push(file.path.clone());
                continue;
            };
            let all = &mut found.program.sources;
            let place = *known.entry(identity).or_insert_with(|| {
                all.push(Compiled { path: in_its_folder(&file.path), steps: Vec::new() });
                all.len() - 1
            });
            all[place].steps.push(step);
            let read = std::iter::once(file).chain(&step.included);
            changed.extend(read.filter(|file| has_changed(file)).map(|file| file.path.display().to_string()));
        }
        if let Some(first) = changed.first() {
            let more = changed.len() - 1;
            let more = if more > 0 { format!(" and {more} more files have") } else { " has".to_string() };
            found
                .program
                .notes
                .push(format!("{first}{more} changed since the build was recorded: it is read as it is now"));
        }
        found
    }
}

struct Found<'r> {
    program: ProgramSources<'r>,
    /// Sources that are not there any more.
    gone: Vec<PathBuf>,
}

/// Is it a source with which CMake or Meson tries the compiler, and which it keeps?
fn is_for_trial(path: &Path) -> bool {
    let names: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    let identity = names.iter().position(|name| name.starts_with("CompilerId"));
    let is_of_cmake = identity.is_some_and(|place| names[..place].iter().any(|name| name == "CMakeFiles"));
    is_of_cmake || names.iter().any(|name| name == "meson-private")
}

fn has_changed(file: &FileThen) -> bool {
    let Some(then) = &file.sha256 else { return false };
    fs::read(&file.path).is_ok_and(|now| sha256_of(&now) != *then)
}

/// The file in the folder where the build has it: beside a link, not beside the file that it leads to, compilers look for what it
/// includes.
fn in_its_folder(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_path_buf(), |(folder, name)| folder.join(name))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_source_stays_where_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        for name in ["source", "build"] {
            fs::create_dir(root.join(name)).expect("it can be made");
        }
        fs::write(root.join("source/a.c"), "").expect("it can be written");
        let link = root.join("build/a.c");
        std::os::unix::fs::symlink(root.join("source/a.c"), &link).expect("it can be made");
        std::os::unix::fs::symlink(root.join("build"), root.join("other")).expect("it can be made");
        assert_eq!(in_its_folder(&link), link);
        assert_eq!(in_its_folder(&root.join("other/a.c")), link, "links to folders are followed");
    }
}
