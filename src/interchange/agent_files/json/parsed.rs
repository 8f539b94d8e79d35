//! A parsed JSON file that may have comments.

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::without_bom;
use crate::interchange::agent_files::{Agent, AgentFileFault, JsonReader};

/// A parsed text, without its byte order mark.
pub(super) struct Parsed<'a> {
    pub(super) text: &'a str,
    pub(super) root: Node<'a>,
    pub(super) tokens: Vec<TokenAndRange<'a>>,
}

/// An object or array with its children.
pub(super) struct Container {
    /// Between its brackets.
    pub(super) inner: Range,
    /// Members or elements.
    pub(super) children: Vec<Range>,
    /// Whether it is an array.
    pub(super) is_array: bool,
}

/// Refuses a text that can be edited, but that its reader does not understand.
pub(in crate::interchange::agent_files) fn refuse_unreadable(
    text: &str,
    reader: JsonReader,
    agent: Agent,
) -> Result<(), AgentFileFault> {
    let (has_comments, accepted) = match reader {
        JsonReader::Lenient => return Ok(()),
        JsonReader::WithComments => (true, "no trailing commas"),
        JsonReader::Strict => (false, "neither comments nor trailing commas"),
    };
    let bare = without_bom(text);
    parsed(bare)?;
    let allow = ParseOptions { allow_comments: has_comments, allow_trailing_commas: false, ..lenient() };
    match parse_to_ast(bare, &CollectOptions::default(), &allow) {
        Err(error) => {
            let (line, column) = (error.line_display(), error.column_display());
            Err(syntax_fault(format!("{agent} accepts {accepted} in it: line {line}, column {column}")))
        }
        Ok(_) if reader == JsonReader::Strict && bare != text => {
            Err(syntax_fault(format!("{agent} accepts no byte order mark in it")))
        }
        Ok(_) => Ok(()),
    }
}

fn lenient() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

pub(super) fn parsed(text: &str) -> Result<Parsed<'_>, AgentFileFault> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let found = parse_to_ast(text, &collect, &lenient()).map_err(|error| syntax_fault(error.to_string()))?;
    let root = found.value.ok_or_else(|| syntax_fault("it is empty".into()))?;
    if root.as_object().is_none() {
        return Err(syntax_fault("it is not an object".into()));
    }
    refuse_twice(&root)?;
    Ok(Parsed { text, root, tokens: found.tokens.unwrap_or_default() })
}

fn syntax_fault(why: String) -> AgentFileFault {
    AgentFileFault::Syntax { format: "JSON", why }
}

fn refuse_twice(node: &Node<'_>) -> Result<(), AgentFileFault> {
    match node {
        Node::Object(object) => {
            let mut seen = std::collections::BTreeSet::new();
            for member in &object.properties {
                if !seen.insert(member.name.as_str().to_owned()) {
                    return Err(AgentFileFault::Twice(member.name.as_str().to_owned()));
                }
                refuse_twice(&member.value)?;
            }
            Ok(())
        }
        Node::Array(array) => array.elements.iter().try_for_each(refuse_twice),
        _ => Ok(()),
    }
}

pub(super) fn member<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n ObjectProp<'a>> {
    node.as_object()?.properties.iter().find(|property| property.name.as_str() == key)
}

pub(super) fn container(node: &Node<'_>) -> Option<Container> {
    match node {
        Node::Object(object) => {
            let children = object.properties.iter().map(|member| member.range).collect();
            Some(Container { inner: inner_range(object.range), children, is_array: false })
        }
        Node::Array(array) => {
            let children = array.elements.iter().map(Ranged::range).collect();
            Some(Container { inner: inner_range(array.range), children, is_array: true })
        }
        _ => None,
    }
}

fn inner_range(range: Range) -> Range {
    Range::new(range.start + 1, range.end - 1)
}
