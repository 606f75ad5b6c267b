//! Text in the DOT language of Graphviz (<https://graphviz.org/doc/info/lang.html>).

use std::fmt::Write as _;

/// A directed graph on its way into text.
pub(super) struct Dot {
    text: String,
    depth: usize,
    edges: usize,
}

/// With more edges than this, a graph is drawn by fewer rounds and with straight edges: otherwise it takes minutes.
const MANY_EDGES: usize = 300;

impl Dot {
    /// A graph whose ranks go `direction` (`LR` or `TB`).
    pub fn new(name: &str, direction: &str) -> Self {
        let mut dot = Self { text: String::new(), depth: 0, edges: 0 };
        dot.line(&format!("digraph {} {{", quoted(name)));
        dot.depth = 1;
        // Without the newer way to rank, boxes in boxes and edges that go back are more than Graphviz 2.43 can place.
        dot.line(&format!("rankdir={direction}; newrank=true;"));
        dot.line("node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"monospace\", fontsize=10];");
        dot.line("edge [fontname=\"monospace\", fontsize=9];");
        dot
    }

    /// Begins a box around the nodes that follow, until [`Dot::end`].
    pub fn begin_cluster(&mut self, name: &str, label: &str, color: &str) {
        self.line(&format!("subgraph {} {{", quoted(&format!("cluster_{name}"))));
        self.depth += 1;
        self.line(&format!("label={}; color={}; fontname=\"monospace\"; fontsize=11;", quoted(label), quoted(color)));
    }

    /// Ends the innermost box.
    pub fn end(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A node with attributes besides its label.
    pub fn node(&mut self, name: &str, label: &str, attributes: &[(&str, &str)]) {
        self.line(&format!("{} [{}];", quoted(name), attribute_list(label, attributes)));
    }

    /// An edge with attributes besides its label.
    pub fn edge(&mut self, from: &str, to: &str, label: &str, attributes: &[(&str, &str)]) {
        self.edges += 1;
        self.line(&format!("{} -> {} [{}];", quoted(from), quoted(to), attribute_list(label, attributes)));
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        if self.edges > MANY_EDGES {
            self.line("nslimit=0.1; nslimit1=0.1; mclimit=0.1; splines=line;");
        }
        self.text.push_str("}\n");
        self.text
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{:indent$}{line}", "", indent = 2 * self.depth).expect("writing to a String cannot fail");
    }
}

fn attribute_list(label: &str, attributes: &[(&str, &str)]) -> String {
    let others = attributes.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
    [format!("label={}", quoted(label))].into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// A string of the language: backslashes and quotes escaped, line feeds as `\n`, other control characters as blanks.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            other if other.is_control() => quoted.push(' '),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_string() {
        assert_eq!(quoted("print *, \"a\\\"\tb\nc"), r#""print *, \"a\\\" b\nc""#);
    }
}
