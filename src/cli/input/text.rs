//! Longer texts: from `-m`, a file, stdin, or the user's editor.

use crate::cli::{Failure, read_text};
use crate::model::{IssueId, shell};
use crate::ops::{Refusal, Session, issues};
pub(crate) use crate::rules::limits::text as checked;

use super::editor::{EditedText, edit};

/// Where the text of an issue or a comment comes from.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TextArgs {
    /// The text; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Vec<String>,
    /// Read the text from a file (`-` for stdin)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    pub(crate) file: Option<String>,
    /// Write the text in your editor
    #[arg(short, long)]
    pub(crate) edit: bool,
}

impl TextArgs {
    /// Whether any of the options was given.
    pub(crate) fn is_used(&self) -> bool {
        self.edit || self.file.is_some() || !self.message.is_empty()
    }

    /// The text given by flags, before any editor; `None` if there is none.
    pub(crate) fn flags_text(&self) -> Result<Option<String>, Failure> {
        let text = match &self.file {
            Some(path) => Some(read_text(path)?),
            None if self.message.is_empty() => None,
            None => Some(self.message.join("\n\n")),
        };
        Ok(text.map(|text| checked(&text)).transpose()?)
    }

    /// Like [`Self::flags_text`], or the last argument (`-` for stdin).
    pub(crate) fn given_or(&self, last: Option<&str>) -> Result<Option<String>, Failure> {
        match last {
            None => self.flags_text(),
            Some(_) if self.file.is_some() || !self.message.is_empty() => {
                Err(Refusal::usage("the text is given twice")
                    .hint("use only one of -m TEXT, -F FILE and a last argument")
                    .into())
            }
            Some(last) => Ok(Some(checked(&argument(last)?)?)),
        }
    }

    /// The text of `what`. The editor is used if requested, or if there is no text and `opens` is set.
    pub(crate) fn written(
        &self,
        last: Option<&str>,
        session: &Session,
        opens: bool,
        what: &str,
        help: &str,
    ) -> Result<EditedText, Failure> {
        match self.given_or(last)? {
            Some(text) if !self.edit => Ok(EditedText::given(text)),
            None if !self.edit && !opens => Err(Refusal::usage(format!("{what} has no text"))
                .hint("give it as TEXT, with -m TEXT or -F FILE, or use -e for your editor")
                .into()),
            start => edit(session, &start.unwrap_or_default(), help),
        }
    }
}

impl TextArgs {
    /// The text in place of `old`; the editor starts with that.
    pub(crate) fn rewritten(
        &self,
        last: Option<&str>,
        session: &Session,
        opens: bool,
        old: &str,
        what: &str,
        help: &str,
    ) -> Result<EditedText, Failure> {
        match self.given_or(last)? {
            None if opens => edit(session, old, help),
            Some(text) => Ok(EditedText::given(text)),
            None => Err(Refusal::usage(format!("{what} has no text"))
                .hint("give it as TEXT, or with -m TEXT or -F FILE")
                .into()),
        }
    }
}

/// A text given as an argument; `-` means stdin.
pub(crate) fn argument(text: &str) -> Result<String, Refusal> {
    if text == "-" { read_text(text) } else { Ok(text.to_owned()) }
}

/// Trims one of several comma-separated values: `-t "a, b"` is `-t a,b`.
#[allow(clippy::unnecessary_wraps)] // clap requires a `Result`.
pub(crate) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// A reason or another short text.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct MessageArgs {
    /// The text; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Vec<String>,
    /// Read the text from a file (`-` for stdin)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    pub(crate) file: Option<String>,
}

impl MessageArgs {
    /// Whether any of the options was given.
    pub(crate) fn is_used(&self) -> bool {
        self.file.is_some() || !self.message.is_empty()
    }

    /// The text, or the last argument (`-` for stdin). `None` if it is empty.
    pub(crate) fn said(&self, last: Option<&str>) -> Result<Option<String>, Failure> {
        match &self.file {
            Some(file) => said(&[read_text(file)?], last),
            None => said(&self.message, last),
        }
    }
}

/// The user's text: each `-m` is a paragraph; or the last argument (`-` for stdin). `None` if it is empty.
pub(crate) fn said(message: &[String], last: Option<&str>) -> Result<Option<String>, Failure> {
    if last.is_some() && !message.is_empty() {
        return Err(Refusal::usage("the text is given twice")
            .hint("use either -m TEXT or a last argument")
            .into());
    }
    let text = last.map_or_else(|| Ok(message.join("\n\n")), argument)?;
    Ok(Some(checked(&text)?.trim().to_owned()).filter(|text| !text.is_empty()))
}

/// Whether an argument can only be a text.
pub(crate) fn is_text(argument: &str) -> bool {
    argument == "-" || argument.contains(char::is_whitespace) || argument.starts_with('{')
}

/// A hint that says how items are named.
pub(crate) const ITEM: &str = "an item is S-1, QUE-…:S-1, or the id of a plan or issue";

/// Refuses a second issue id for a command that takes one issue and then a text: the user probably meant both issues.
pub(crate) fn refuse_second_issue(
    session: &Session,
    text: Option<&str>,
    command: &str,
) -> Result<(), Failure> {
    match text {
        Some(id) if is_issue(session, id)? => {
            Err(Refusal::usage(format!("`{command}` takes one issue, but `{id}` is another"))
                .hint(format!("`{command} {id}` for that one; `-m {id}` if it is your text"))
                .into())
        }
        _ => Ok(()),
    }
}

/// Whether an argument is the whole id of an existing issue.
pub(crate) fn is_issue(session: &Session, text: &str) -> Result<bool, Failure> {
    match IssueId::parse(text) {
        Ok(id) => Ok(issues::exists(session, &id)?),
        Err(_) => Ok(false),
    }
}

/// The error for a single word where a text is missing, since the word is read as an item. `needs` starts the
/// message, and `command` ends with the option for a text of one word.
pub(crate) fn lone_word(needs: &str, word: Option<&str>, command: &str) -> Refusal {
    match word {
        Some(word) => Refusal::usage(format!("{needs}, and `{word}` alone is taken for an item"))
            .hint(format!("{}; {ITEM}", if_your_text(word, command))),
        None => Refusal::usage(needs.to_owned()).hint(format!("`{command} TEXT` gives it")),
    }
}

fn if_your_text(word: &str, command: &str) -> String {
    format!("if it is your text: `{command} {}`", shell::word(word))
}

/// Refuses a text for a command that takes only items.
pub(crate) fn refuse_text<'a>(
    items: impl IntoIterator<Item = &'a str>,
    command: &str,
) -> Result<(), Failure> {
    match items.into_iter().find(|value| is_text(value)) {
        Some(text) => Err(Refusal::usage(format!("`{text}` is not an item, and `{command}` takes no text"))
            .hint(format!("{ITEM}; `git wf comment ISSUE TEXT` adds a comment"))
            .into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_once_in_either_way() {
        let joined = |message: &[&str], last| {
            said(&message.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), last).ok().flatten()
        };
        assert_eq!(joined(&["one", "two"], None).as_deref(), Some("one\n\ntwo"));
        assert_eq!(joined(&[], Some(" one ")).as_deref(), Some("one"));
        assert_eq!(joined(&[" "], None), None);
        assert_eq!(joined(&[], None), None);
        assert!(said(&["one".into()], Some("two")).is_err());
    }
}
