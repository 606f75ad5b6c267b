//! The random programs that every run of the suite begins with, however fast the machine is: together they reach every
//! transformation, every way across procedures, and every reason that random programs can meet.
//!
//! What a seed makes changes with the generator, and what becomes of a program with gravelc. Then a new list is
//! searched: programs are translated, which takes a moment, and not run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use super::batch::Workshop;
use super::counts::{all_goals, certain_goals, goals_by_program};
use super::generator::generate;
use super::program::Program;
use crate::workspace;

/// Programs in a file.
pub const TOGETHER: usize = 16;
/// What writes a new list.
pub const REFRESH: &str = "cargo suite --only random --refresh-seeds";
/// The number of the first program that is looked at.
const FIRST: u64 = 1_000_000;
/// So many different programs reach each goal where so many were found: a small change leaves one of them.
const WANTED: usize = 2;
/// Programs that are looked at for a second one that reaches a goal, and for a first one that goes a rare way.
const MANY: u64 = 1_000;
/// Programs that are looked at for a first one.
const MOST: u64 = 20_000;
/// How often the list is mended where programs come out otherwise in other company.
const MOST_ROUNDS: usize = 20;

/// What programs reach, by their seeds.
pub type Reached = BTreeMap<u64, BTreeSet<String>>;

/// Where the list is.
pub fn path() -> PathBuf {
    workspace::package().join("random/seeds.txt")
}

/// The list: the seeds, and what is said of each of them.
///
/// # Errors
/// It can't be read, or a line does not begin with a number.
pub fn read() -> Result<Reached, String> {
    let path = path();
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    parse(&text).map_err(|line| {
        format!("{}: `{line}` does not begin with a number; `{REFRESH}` writes it anew", path.display())
    })
}

fn parse(text: &str) -> Result<Reached, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (number, goals) = line.split_once(' ').unwrap_or((line, ""));
        let goals = goals.split(", ").map(str::trim).filter(|goal| !goal.is_empty());
        Some((number.parse().ok()?, goals.map(str::to_owned).collect()))
    };
    lines.map(|line| entry(line).ok_or_else(|| line.to_owned())).collect()
}

/// Searches a new list, and writes it.
///
/// # Errors
/// Some goal is not reached by thousands of programs, gravelc refuses one, or the list can't be written.
pub fn refresh(workshop: &Workshop) -> Result<PathBuf, String> {
    // What goes a rare way goes on doing so, perhaps.
    let old: Vec<u64> = read().map(|list| list.into_keys().collect()).unwrap_or_default();
    let known = reached_by(workshop, &old)?;
    let list = search(known, &|seeds| reached_by(workshop, seeds))?;
    let path = path();
    let written =
        fs::create_dir_all(workspace::package().join("random")).and_then(|()| fs::write(&path, text_of(&list)));
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn text_of(list: &Reached) -> String {
    let mut text = format!(
        "# The random programs that every run of the suite begins with: the seed of each, and what it is there for.\n\
         # Written by `{REFRESH}`.\n"
    );
    for (seed, goals) in list {
        let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
        text.push_str(&format!("{seed} {}\n", goals.join(", ")));
    }
    text
}

/// What the programs with these seeds reach, in files of so many as the suite makes of them.
fn reached_by(workshop: &Workshop, seeds: &[u64]) -> Result<Reached, String> {
    let mut reached = Reached::new();
    for seeds in seeds.chunks(TOGETHER) {
        let programs: Vec<Program> = seeds.iter().map(|&seed| generate(seed)).collect();
        let outcome = workshop.examine(&programs.iter().collect::<Vec<_>>())?;
        for (&seed, goals) in seeds.iter().zip(goals_by_program(&outcome, programs.len())) {
            reached.insert(seed, goals);
        }
    }
    Ok(reached)
}

/// A short list of seeds that reaches everything, with what each of them adds to those before it.
fn search(mut known: Reached, reached_by: &dyn Fn(&[u64]) -> Result<Reached, String>) -> Result<Reached, String> {
    let goals = all_goals();
    let certain = certain_goals();
    let mut times: BTreeMap<String, usize> = all_goals().into_iter().map(|goal| (goal, 0)).collect();
    known.values().flatten().for_each(|goal| *times.entry(goal.clone()).or_default() += 1);
    let mut next = FIRST;
    loop {
        let seen = next - FIRST;
        let fewest = |goals: &[String]| goals.iter().map(|goal| times[goal]).min().unwrap_or(WANTED);
        if fewest(&goals) >= WANTED || fewest(&certain) > 0 && seen >= MANY || seen >= MOST {
            break;
        }
        let seeds: Vec<u64> = (next..next + TOGETHER as u64).filter(|seed| !known.contains_key(seed)).collect();
        let reached = reached_by(&seeds)?;
        reached.values().flatten().for_each(|goal| *times.entry(goal.clone()).or_default() += 1);
        known.extend(reached);
        next += TOGETHER as u64;
    }
    let never: Vec<&str> = certain.iter().filter(|goal| count(&known, goal) == 0).map(String::as_str).collect();
    if !never.is_empty() {
        return Err(format!(
            "none of {MOST} random programs reaches {}: the generator has to make such programs again, or it is no longer a \
             goal (testsuite/src/random_programs/counts.rs)",
            never.join(", ")
        ));
    }
    let mut list = cover(&goals, &known);
    for _ in 0..MOST_ROUNDS {
        let seeds: Vec<u64> = list.keys().copied().collect();
        let together = reached_by(&seeds)?;
        if goals.iter().all(|goal| count(&together, goal) > 0 || count(&known, goal) == 0) {
            return Ok(list);
        }
        // In this company they reach less: others have to be found for that.
        known.extend(together);
        list = cover(&goals, &known);
    }
    Err("random programs reach other goals whenever they are put together otherwise".to_owned())
}

/// How many of the programs reach the goal.
fn count(known: &Reached, goal: &str) -> usize {
    known.values().filter(|goals| goals.contains(goal)).count()
}

/// Takes the program that adds most until each goal is reached by so many as are wanted, or as there are.
fn cover(goals: &[String], known: &Reached) -> Reached {
    let mut wanted: BTreeMap<&str, usize> =
        goals.iter().map(|goal| (goal.as_str(), count(known, goal).min(WANTED))).collect();
    let mut list = Reached::new();
    loop {
        let is_wanted = |goal: &&String| wanted.get(goal.as_str()).is_some_and(|&left| left > 0);
        let adds = |seed: &u64| known[seed].iter().filter(is_wanted).count();
        let left = known.keys().filter(|seed| !list.contains_key(*seed));
        let Some((&best, _)) =
            left.map(|seed| (seed, adds(seed))).rev().max_by_key(|&(_, added)| added).filter(|it| it.1 > 0)
        else {
            return list;
        };
        let added: BTreeSet<String> = known[&best].iter().filter(is_wanted).cloned().collect();
        for goal in &added {
            if let Some(left) = wanted.get_mut(goal.as_str()) {
                *left -= 1;
            }
        }
        list.insert(best, added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs of which every seventh reaches a goal, the first goals more often; in company of 0 modulo 5 they reach nothing.
    fn made_up(seeds: &[u64]) -> Result<Reached, String> {
        let goals = all_goals();
        let reached = |&seed: &u64| {
            let number = usize::try_from(seed - FIRST).unwrap_or(usize::MAX);
            let is_alone = seeds.len() < TOGETHER || seeds.windows(2).all(|pair| pair[1] == pair[0] + 1);
            let own =
                (number % 7 == 0 && (is_alone || number % 5 > 0)).then(|| goals[number / 7 % goals.len()].clone());
            (seed, own.into_iter().chain(number.is_multiple_of(3).then(|| goals[0].clone())).collect())
        };
        Ok(seeds.iter().map(reached).collect())
    }

    #[test]
    fn a_list_reaches_everything_in_its_own_company() {
        let list = search(Reached::new(), &made_up).unwrap();
        let seeds: Vec<u64> = list.keys().copied().collect();
        let reached = made_up(&seeds).unwrap();
        assert!(all_goals().iter().all(|goal| count(&reached, goal) > 0));
        assert!(seeds.len() <= 2 * all_goals().len());
        assert_eq!(parse(&text_of(&list)), Ok(list));
    }

    #[test]
    fn a_goal_that_nothing_reaches_is_named() {
        let goal = certain_goals().pop().unwrap();
        let without = |seeds: &[u64]| {
            let mut reached = made_up(seeds)?;
            reached.values_mut().for_each(|goals| goals.retain(|it| *it != goal));
            Ok(reached)
        };
        assert!(search(Reached::new(), &without).unwrap_err().contains(&goal));
    }

    #[test]
    fn a_line_without_a_number_is_shown() {
        let goals = ["a".to_owned(), "b \"c\"".to_owned()].into();
        assert_eq!(parse("# none\n12 a, b \"c\"\n\n13\n"), Ok([(12, goals), (13, BTreeSet::new())].into()));
        assert_eq!(parse("12 a\nhoist 13\n"), Err("hoist 13".to_owned()));
    }

    #[test]
    fn the_list_can_be_read() {
        assert!(read().is_ok_and(|seeds| !seeds.is_empty()));
    }
}
