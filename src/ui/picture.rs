//! Graphs for Graphviz and Mermaid. Labels are escaped, whatever they contain.

use super::{clean_line, truncate};

/// The maximum width of a line below the name in a box, in columns; longer lines are cut.
const WIDEST: usize = 48;

/// How an edge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// A thin line.
    Plain,
    /// A thick line.
    Strong,
    /// A dashed line.
    Dashed,
}

/// A box with lines of text in it.
#[derive(Debug)]
struct Node {
    lines: Vec<String>,
    class: &'static str,
}

/// Boxes and the arrows between them.
#[derive(Debug)]
pub(crate) struct Picture {
    name: String,
    nodes: Vec<Node>,
    edges: Vec<(usize, usize, Stroke)>,
    /// The classes, with their colours for Graphviz and Mermaid.
    classes: &'static [(&'static str, &'static str, &'static str)],
}

impl Picture {
    /// An empty picture. Every class of a node must be in `classes`: its name, and its colour as Graphviz and as CSS
    /// name it.
    pub(crate) fn new(name: &str, classes: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        Self { name: name.to_owned(), nodes: Vec::new(), edges: Vec::new(), classes }
    }

    /// Adds a box with a name and further lines, which are cut if they are long. Returns its number.
    pub(crate) fn node(&mut self, name: &str, more: &[&str], class: &'static str) -> usize {
        let mut lines = vec![clean_line(name).into_owned()];
        lines.extend(more.iter().map(|line| truncate(&clean_line(line), WIDEST)));
        self.nodes.push(Node { lines, class });
        self.nodes.len() - 1
    }

    /// Adds an arrow between two boxes by their numbers.
    pub(crate) fn edge(&mut self, from: usize, to: usize, stroke: Stroke) {
        self.edges.push((from, to, stroke));
    }

    /// For Graphviz.
    pub(crate) fn dot(&self) -> String {
        let mut lines = vec![
            format!("digraph \"{}\" {{", quoted(&clean_line(&self.name))),
            "  rankdir=LR;".to_owned(),
            "  node [shape=box, fontname=\"sans-serif\"];".to_owned(),
        ];
        for (n, node) in self.nodes.iter().enumerate() {
            let label = node.lines.iter().map(|line| quoted(line)).collect::<Vec<_>>().join("\\n");
            let colour =
                self.classes.iter().find(|class| class.0 == node.class).map_or("white", |class| class.1);
            lines.push(format!("  n{n} [label=\"{label}\", style=filled, fillcolor={colour}];"));
        }
        for (from, to, stroke) in &self.edges {
            let style = match stroke {
                Stroke::Plain => "",
                Stroke::Strong => " [color=red]",
                Stroke::Dashed => " [style=dashed]",
            };
            lines.push(format!("  n{from} -> n{to}{style};"));
        }
        lines.push("}\n".to_owned());
        lines.join("\n")
    }

    /// For Mermaid.
    pub(crate) fn mermaid(&self) -> String {
        let mut lines = vec!["flowchart LR".to_owned()];
        for (n, node) in self.nodes.iter().enumerate() {
            let label = node.lines.iter().map(|line| entities(line)).collect::<Vec<_>>().join("<br/>");
            lines.push(format!("  n{n}[\"{label}\"]:::{}", node.class));
        }
        for (from, to, stroke) in &self.edges {
            let arrow = match stroke {
                Stroke::Plain => "-->",
                Stroke::Strong => "==>",
                Stroke::Dashed => "-.->",
            };
            lines.push(format!("  n{from} {arrow} n{to}"));
        }
        for (class, _, colour) in self.classes {
            lines.push(format!("  classDef {class} fill:{colour},color:#000"));
        }
        lines.join("\n") + "\n"
    }
}

/// Escapes a text for Graphviz. Within quotes, only these two characters are special.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Mermaid has no escape character: whatever could end a label, or begin markup or an entity, is written as an
/// entity.
fn entities(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | ',' | ':' | '/' | '…') => {
                c.to_string()
            }
            c => format!("#{};", u32::from(c)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_title_can_end_its_label() {
        assert_eq!(entities("a\"]; click n0 \"x\" <b>`"), "a#34;#93;#59; click n0 #34;x#34; #60;b#62;#96;");
        let mut picture = Picture::new("a\"b", &[("plain", "white", "#fff")]);
        let one = picture.node("x\\\"]; n9", &["two\nlines\u{1b}[2J"], "plain");
        let two = picture.node("y", &[], "plain");
        picture.edge(one, two, Stroke::Dashed);
        let dot = picture.dot();
        assert!(dot.starts_with("digraph \"a\\\"b\" {\n"), "{dot}");
        assert!(dot.contains("label=\"x\\\\\\\"]; n9\\ntwo lines\\\\u{1b}[2J\""), "{dot}");
        assert!(dot.contains("  n0 -> n1 [style=dashed];\n"), "{dot}");
        assert_eq!(picture.mermaid().lines().count(), 5);
    }
}
