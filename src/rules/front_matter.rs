//! Fields above a text in Markdown, between two lines of `---`: a small part of YAML, as templates of issues use it.

use super::TextFault;

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontField<'a> {
    /// Its line, counted from 1.
    pub(crate) line: usize,
    /// Its name, as written.
    pub(crate) name: &'a str,
    /// Its value, without quotes; lines of a list are separated by commas.
    pub(crate) value: String,
}

impl FrontField<'_> {
    /// The members of a list: `a, b`, `[a, "b"]`, or one in each line.
    pub(crate) fn list(&self) -> Vec<String> {
        let inner =
            self.value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&self.value);
        inner.split(',').map(unquoted).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }
}

/// The fields, and the text below them. A text that does not begin with `---` has no fields.
///
/// # Errors
/// The first line that is not a field.
pub(crate) fn split(text: &str) -> Result<(Vec<FrontField<'_>>, &str), TextFault> {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return Ok((vec![], text));
    };
    let mut fields: Vec<FrontField<'_>> = Vec::new();
    let mut at = text.len() - rest.len();
    for (n, line) in rest.split_inclusive('\n').enumerate() {
        at += line.len();
        let line = line.trim_end();
        if line == "---" {
            return Ok((fields, &text[at..]));
        }
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if let (Some(item), Some(last)) = (line.trim_start().strip_prefix("- "), fields.last_mut()) {
            if !last.value.is_empty() {
                last.value.push_str(", ");
            }
            last.value.push_str(unquoted(item));
            continue;
        }
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| !name.contains(' ')) else {
            return Err(text_fault(n, format!("`{line}` is not a field, such as `tags: a, b`")));
        };
        fields.push(FrontField { line: n + 2, name, value: unquoted(value).to_owned() });
    }
    Err(TextFault {
        line: 1,
        what: "the fields begin with a line `---`, but no second `---` ends them".into(),
    })
}

fn text_fault(n: usize, what: String) -> TextFault {
    TextFault { line: n + 2, what }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    between_quotes(text, '"').or_else(|| between_quotes(text, '\'')).unwrap_or(text)
}

fn between_quotes(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_template_are_read() {
        let text = "---\nname: Bug report\nabout: \"Something: broken\"\nlabels: [bug, 'needs triage']\n\
            assignees:\n  - ada\n  - bo\n# a comment\n---\n\n**Steps**\n";
        let (fields, body) = split(text).unwrap();
        let of = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(of("about").value, "Something: broken");
        assert_eq!(of("labels").list(), ["bug", "needs triage"]);
        assert_eq!((of("assignees").list(), of("assignees").line), (vec!["ada".into(), "bo".into()], 5));
        assert_eq!(body, "\n**Steps**\n");
        assert_eq!(split("Title\n---\n").unwrap(), (vec![], "Title\n---\n"));
    }

    #[test]
    fn what_is_not_a_field_is_named_by_its_line() {
        assert_eq!(split("---\ntags: a\nwhat is this\n---\n").unwrap_err().line, 3);
        assert_eq!(split("---\ntags: a\n").unwrap_err().line, 1);
    }
}
