//! Pictures of programs: what `gravelc graph` writes, Graphviz draws.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::command::CommandLine;
use crate::gravelc::Gravelc;
use crate::setup;

/// How long one graph may take to write; it takes milliseconds.
const GRAPH_LIMIT: Duration = Duration::from_secs(60);

/// How long Graphviz may take for the graphs of one program; it takes seconds at most.
const DRAWING_LIMIT: Duration = Duration::from_secs(120);

/// The kinds of graphs.
const KINDS: [&str; 3] = ["match", "call", "dependence"];

/// Draws all graphs of a program, with its files in `folder`.
///
/// # Errors
///
/// What gravelc or Graphviz says, if one of them fails or Graphviz warns of something.
pub fn draw(gravelc: &Gravelc, source: &Path, folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot write into {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut graphs = String::new();
    for kind in KINDS {
        let command = gravelc.command().args(["graph", "--kind", kind]).arg(source);
        graphs.push_str(&setup::succeed(&command, GRAPH_LIMIT)?.stdout_text());
    }
    let file = folder.join("graphs.dot");
    fs::write(&file, graphs).map_err(failed)?;
    let drawing = CommandLine::new("dot").arg("-Tsvg").arg("-O").arg(&file).in_folder(folder);
    let said = setup::succeed(&drawing, DRAWING_LIMIT)?.stderr_text();
    // Which fonts there are is not the graph's fault.
    let trouble = said.lines().find(|line| !line.to_ascii_lowercase().contains("font") && !line.trim().is_empty());
    trouble.map_or(Ok(()), |line| Err(format!("dot says of {}: {line}", file.display())))
}
