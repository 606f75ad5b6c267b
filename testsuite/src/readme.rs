//! Does README.md speak the truth? Its commands and links must exist, and the Fortran that it shows must be a part of
//! the ring example or of its transformation, word for word.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::case::read;
use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::process;
use crate::workspace;

const HELP_LIMIT: Duration = Duration::from_secs(60);

/// Subcommands of cargo that need no alias.
const CARGO_SUBCOMMANDS: [&str; 4] = ["build", "test", "run", "install"];

/// Programs that README.md may name besides cargo and gravelc.
const OTHER_PROGRAMS: [&str; 6] = ["mpirun", "mpif90", "make", "cmake", "cd", "git"];

/// Checks README.md of the repository.
///
/// # Errors
///
/// All that is wrong, a line each.
pub fn check(gravelc: &Gravelc) -> Result<(), String> {
    let path = workspace::root().join("README.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut problems: Vec<String> = links(&text)
        .filter(|link| !workspace::root().join(link).exists())
        .map(|link| format!("the link {link} leads nowhere"))
        .collect();
    let commands = commands(&text);
    if commands.is_empty() {
        problems.push("there is no command in a block of `sh`".to_owned());
    }
    problems.extend(
        commands
            .iter()
            .filter_map(|command| check_command(gravelc, command).err().map(|e| format!("`{command}`: {e}"))),
    );
    problems.extend(check_listings(gravelc, &text)?);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// What the README shows of the ring must be what is there.
fn check_listings(gravelc: &Gravelc, text: &str) -> Result<Vec<String>, String> {
    let source = workspace::root().join("examples/ring/ring.f90");
    let scratch = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let transformed = gravelc.transform(&source, scratch.path())?.output;
    let texts = [read(&source)?, read(&transformed)?].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(blocks(text, "fortran")
        .filter(|block| !texts.iter().any(|text| text.contains(block.as_str())))
        .map(|block| {
            let first = block.lines().next().unwrap_or_default().trim();
            format!("the listing that begins with `{first}` is neither in the ring example nor in its transformation")
        })
        .collect())
}

/// The relative targets of Markdown links, without the part behind `#`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|link| link.split('#').next().unwrap_or(link))
        .filter(|link| !link.is_empty() && !link.contains("://"))
}

/// The texts of the fenced blocks of a language.
fn blocks(text: &str, language: &str) -> impl Iterator<Item = String> {
    let opening = format!("```{language}");
    let mut lines = text.lines();
    std::iter::from_fn(move || {
        lines.find(|line| line.trim() == opening)?;
        let inside = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```"));
        Some(inside.map(|line| format!("{line}\n")).collect())
    })
}

/// The lines of the blocks of `sh`, without comments.
fn commands(text: &str) -> Vec<String> {
    blocks(text, "sh")
        .flat_map(|block| {
            let lines = block.lines().map(|line| line.split(" #").next().unwrap_or(line).trim());
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

fn check_command(gravelc: &Gravelc, command: &str) -> Result<(), String> {
    // What stands in `$(...)` is a command, too.
    if let Some((before, rest)) = command.split_once("$(") {
        let (inner, after) = rest.split_once(')').ok_or("a `$(` has no end")?;
        check_command(gravelc, inner)?;
        return check_command(gravelc, &format!("{before}{after}"));
    }
    let mut words = command.split_whitespace().skip_while(|word| sets_variable(word));
    match words.next() {
        Some("cargo") => {
            let subcommand = words.next().unwrap_or_default();
            if CARGO_SUBCOMMANDS.contains(&subcommand) || alias_exists(workspace::root(), subcommand)? {
                Ok(())
            } else {
                Err(format!("cargo {subcommand} is no alias of this repository"))
            }
        }
        Some("gravelc") => {
            let subcommand = words.next().unwrap_or_default();
            check_options(gravelc.command().arg(subcommand), &format!("gravelc {subcommand}"), words)
        }
        Some(program @ "gravel-run") => check_options(gravelc.beside(program), program, words),
        Some(program) if OTHER_PROGRAMS.contains(&program) => Ok(()),
        Some(program) if program.starts_with("./") || program.starts_with("target/") => Ok(()),
        Some(program) => Err(format!("{program} is no program that this check knows")),
        None => Ok(()),
    }
}

fn alias_exists(root: &Path, name: &str) -> Result<bool, String> {
    let path = root.join(".cargo/config.toml");
    let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(text.lines().any(|line| line.split('=').next().is_some_and(|key| key.trim() == name)))
}

/// Does the word set a variable of the environment for what follows?
fn sets_variable(word: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// The command must have a help page, and the page must know the options.
fn check_options<'a>(command: CommandLine, name: &str, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let help = process::run(&command.arg("--help"), HELP_LIMIT).map_err(|error| error.to_string())?;
    if !help.succeeded() {
        return Err(format!("there is no {name}"));
    }
    let help = help.stdout_text();
    let options = words.take_while(|word| *word != "--").filter(|word| word.starts_with('-'));
    for option in options.map(|word| word.split('=').next().unwrap_or(word)) {
        if !help.split(|c: char| c.is_whitespace() || c == ',' || c == '[').any(|word| word == option) {
            return Err(format!("{name} has no option {option}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "See [the rules](ARCHITECTURE.md#rules), [a page](https://example.org/x) and [here](#below).\n\
        ```sh\ncargo demo   # shows it\n# a comment\n\n./ring\n```\n```fortran\ncall x\n```\n";

    #[test]
    fn finds_commands_in_shell_blocks_only() {
        assert_eq!(commands(TEXT), ["cargo demo", "./ring"]);
    }

    #[test]
    fn variables_may_stand_in_front_of_commands() {
        assert!(sets_variable("LD_PRELOAD=x.so") && sets_variable("A_1="));
        assert!(!sets_variable("--report=text") && !sets_variable("make") && !sets_variable("cc=x"));
    }

    #[test]
    fn takes_blocks_as_they_are() {
        let text = "```sh\nx\n```\n```fortran\n  a\n\n  b\n```\n";
        assert_eq!(blocks(text, "fortran").collect::<Vec<_>>(), ["  a\n\n  b\n"]);
    }

    #[test]
    fn finds_relative_links_only() {
        assert_eq!(links(TEXT).collect::<Vec<_>>(), ["ARCHITECTURE.md"]);
    }

    #[test]
    fn knows_the_aliases_of_the_repository() {
        assert_eq!(alias_exists(workspace::root(), "suite"), Ok(true));
        assert_eq!(alias_exists(workspace::root(), "sweet"), Ok(false));
    }
}
