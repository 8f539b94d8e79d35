//! YAML as a tree of texts: what a form means by `true` or `1` depends on where it is.

use saphyr_parser::{Event, Parser, Span};

/// Deeper trees are refused.
const DEEPEST: usize = 16;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A text, number, boolean or nothing.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Fields, in their order.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A field; `None` if there is none, or this has no fields.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(fields) => fields.iter().find(|field| field.0 == name).map(|field| &field.1),
            _ => None,
        }
    }

    /// The fields with another value of one, which comes last if it is new. Anything else becomes fields.
    pub(crate) fn with(self, name: &str, value: Self) -> Self {
        let Self::Map(mut fields) = self else { return Self::Map(vec![(name.to_owned(), value)]) };
        match fields.iter_mut().find(|field| field.0 == name) {
            Some(field) => field.1 = value,
            None => fields.push((name.to_owned(), value)),
        }
        Self::Map(fields)
    }

    /// The text; empty for a list or fields.
    pub(crate) fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    /// The text of a field; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", Self::as_text)
    }

    /// The members of a list; none for anything else.
    pub(crate) fn members(&self) -> &[Self] {
        match self {
            Self::List(members) => members,
            _ => &[],
        }
    }

    /// The texts of a list, or of a text with commas.
    pub(crate) fn words(&self) -> Vec<String> {
        let all: Vec<&str> = match self {
            Self::List(members) => members.iter().map(Self::as_text).collect(),
            Self::Text(text) => text.split(',').collect(),
            Self::Map(_) => vec![],
        };
        all.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }
}

/// A list or fields that are not complete yet.
enum Open {
    List(Vec<Node>),
    Map(Vec<(String, Node)>, Option<String>),
}

/// Reads the first document.
///
/// # Errors
/// In words, with the line. Aliases are refused: a few lines of them can unfold to gigabytes.
pub(crate) fn read(text: &str) -> Result<Node, String> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| format!("line {}: {}", error.marker().line(), error.info()))?;
        let done = match event {
            Event::Scalar(text, style, ..) => {
                let is_null = style == saphyr_parser::ScalarStyle::Plain && matches!(&*text, "~" | "null");
                Node::Text(if is_null { String::new() } else { text.into_owned() })
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(fault_at(&span, "too many levels"));
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(vec![]));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(vec![], None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(members)) => Node::List(members),
                Some(Open::Map(fields, _)) => Node::Map(fields),
                None => return Err(fault_at(&span, "the end of nothing")),
            },
            Event::Alias(_) => return Err(fault_at(&span, "an alias, which is not supported")),
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => continue,
        };
        match open.last_mut() {
            None => return Ok(done),
            Some(Open::List(members)) => members.push(done),
            Some(Open::Map(fields, name)) => match name.take() {
                None => *name = Some(done.as_text().to_owned()),
                Some(name) => fields.push((name, done)),
            },
        }
    }
    Err("it is empty".into())
}

fn fault_at(span: &Span, what: &str) -> String {
    format!("line {}: {what}", span.start.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_becomes_a_tree_of_texts() {
        let node = read("a: 1\nb: [x, 'true', ~]\nc:\n  - d: |\n      two\n      lines\n").unwrap();
        assert_eq!(node.text("a"), "1");
        assert_eq!(node.get("b").unwrap().words(), ["x", "true"]);
        assert_eq!(node.get("c").unwrap().members()[0].text("d"), "two\nlines\n");
        assert_eq!(read("a, b").unwrap().words(), ["a", "b"]);
    }

    #[test]
    fn what_could_unfold_or_sink_is_refused() {
        assert!(read("a: &x [1]\nb: *x\n").unwrap_err().starts_with("line 2: an alias"));
        assert!(read(&"[".repeat(20)).unwrap_err().contains("too many levels"));
        assert!(read(&"[".repeat(60_000)).is_err());
        assert!(read("").is_err() && read("a: [1\n").is_err());
    }
}
