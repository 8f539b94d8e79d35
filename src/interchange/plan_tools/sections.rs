//! The sections of a Markdown file, and the fields above it.

use super::boxes::Example;
use crate::rules::{Node, yaml};

/// A heading: its level, and its text.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let text = line[level..].strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
    (1..=6).contains(&level).then_some((level, text))
}

/// A section: its heading, and what is below it up to the next heading that is not deeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) level: usize,
    pub(super) title: &'a str,
    pub(super) body: &'a str,
    /// Where the body begins.
    pub(super) at: usize,
}

/// All sections, in order. What looks like a heading in a code block or in a comment is none. A line below a text makes no
/// heading of it: people write `---` there to separate parts.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts: Vec<(usize, usize, &str, usize)> = Vec::new();
    let examples = Example::all(text);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some((level, title)) = heading(line)
            && Example::at(&examples, at).is_none()
        {
            starts.push((at, level, title, at + line.len()));
        }
        at += line.len();
    }
    let spans: Vec<_> = starts
        .iter()
        .enumerate()
        .map(|(n, start)| {
            (
                start.1,
                start.3
                    ..starts[n + 1..].iter().find(|next| next.1 <= start.1).map_or(text.len(), |next| next.0),
            )
        })
        .collect();
    let titles = starts.iter().map(|start| start.2);
    titles
        .zip(spans)
        .map(|(title, (level, span))| {
            let at = span.end - text[span.clone()].trim_start().len();
            Section { level, title, body: text[span].trim(), at }
        })
        .collect()
}

/// The section of the first heading with this text, in any case; `None` if there is none, or nothing below it.
pub(super) fn section<'a>(text: &'a str, title: &str) -> Option<Section<'a>> {
    let found = sections(text).into_iter().find(|section| section.title.eq_ignore_ascii_case(title))?;
    (!found.body.is_empty()).then_some(found)
}

/// What is below the first heading with this text, as [`section`] finds it.
pub(super) fn below<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    section(text, title).map(|section| section.body)
}

/// The fields between two lines of `---` above a text, and the text below.
///
/// # Errors
/// In words, if there is no second line, or what is between them is not YAML.
pub(super) fn front_matter(text: &str) -> Result<(Node, &str), String> {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Ok((Node::Map(vec![]), text));
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let node = yaml::read(&rest[..at])?;
            return Ok((node, &rest[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the fields begin with a line `---`, but no second `---` ends them".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_one_of_its_level_begins() {
        let text = "# A\none\n## B\ntwo\n```\n# no\n```\n### C\nthree\n## D\n";
        let all = sections(text);
        let said: Vec<_> = all.iter().map(|section| (section.level, section.title, section.body)).collect();
        assert_eq!(said[1], (2, "B", "two\n```\n# no\n```\n### C\nthree"));
        assert_eq!((said.len(), said[2]), (4, (3, "C", "three")));
        assert_eq!((below(text, "c"), below(text, "D"), below(text, "E")), (Some("three"), None, None));
    }

    #[test]
    fn fields_stand_above_the_text() {
        let (node, rest) = front_matter("---\nid: A-1\nlist:\n  - x\n---\ntext\n").unwrap();
        assert_eq!((node.text("id"), rest), ("A-1", "text\n"));
        assert_eq!(front_matter("text").unwrap().1, "text");
        assert!(front_matter("---\nid: 1\n").is_err());
    }
}
