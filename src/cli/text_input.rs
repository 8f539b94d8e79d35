//! Longer texts: from `-m`, a file, stdin, or the user's editor.

use super::issue_fields::some;
use super::{Context, Failure, read_text};
use crate::store::Store;

/// A title is one line that people can read in a list.
const LONGEST_TITLE: usize = 500;
/// Texts beyond this are data, not descriptions. What a record may hold beside its other fields, the store says.
const LONGEST_TEXT: usize = 16 * 1024 * 1024;

/// Where the text of an issue or a comment comes from.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct TextArgs {
    /// The text; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    pub(crate) message: Vec<String>,
    /// Read the text from a file (`-` for stdin)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "message")]
    pub(crate) file: Option<String>,
    /// Write it in your editor
    #[arg(short, long)]
    pub(crate) edit: bool,
}

impl TextArgs {
    /// The text as given by flags, before any editor; none where there was none.
    pub(crate) fn given(&self) -> Result<Option<String>, Failure> {
        let text = match &self.file {
            Some(path) => Some(read_text(path)?),
            None if self.message.is_empty() => None,
            None => Some(self.message.join("\n\n")),
        };
        text.map(|text| checked(&text)).transpose()
    }

    /// The same, or the last argument.
    pub(crate) fn given_or(&self, last: Option<&str>) -> Result<Option<String>, Failure> {
        let last = last.map(checked).transpose()?;
        match (last, self.given()?) {
            (Some(_), Some(_)) => Err(Failure::usage("the text is given twice")
                .hint("`-m TEXT`, `-F FILE`, or the text as the last argument")),
            (last, given) => Ok(last.or(given)),
        }
    }
}

/// What somebody has to say: by `-m`, of which each is a paragraph, or as the last argument. None where it is empty.
pub(crate) fn said(message: &[String], last: Option<&str>) -> Result<Option<String>, Failure> {
    if last.is_some() && !message.is_empty() {
        return Err(
            Failure::usage("the text is given twice").hint("`-m TEXT`, or the text as the last argument")
        );
    }
    let text = last.map_or_else(|| message.join("\n\n"), str::to_owned);
    Ok(some(checked(&text)?.trim().to_owned()))
}

/// Which of two optional arguments, an item and then a text, a lone one is: no item has a blank in its name or is JSON.
pub(crate) fn item_and_text(item: Option<String>, text: Option<String>) -> (Option<String>, Option<String>) {
    match (item, text) {
        (Some(lone), None) if is_text(&lone) => (None, Some(lone)),
        both => both,
    }
}

/// Whether an argument can be nothing but a text.
pub(crate) fn is_text(argument: &str) -> bool {
    argument.contains(char::is_whitespace) || argument.starts_with('{')
}

/// A text without blanks at its end, and not too long.
pub(crate) fn checked(text: &str) -> Result<String, Failure> {
    if text.len() > LONGEST_TEXT {
        return Err(Failure::new(
            "too-long",
            format!("the text has {} bytes, and {LONGEST_TEXT} are allowed", text.len()),
        )
        .hint("attach large data as a file of the repository and name it here"));
    }
    Ok(text.trim_end().to_owned())
}

/// A title: one line, not empty, not too long.
pub(crate) fn title(text: &str) -> Result<String, Failure> {
    let title = text.trim();
    if title.is_empty() {
        return Err(
            Failure::new("empty-title", "the title is empty").hint("say in one line what is wrong or wanted")
        );
    }
    let length = title.chars().count();
    if length > LONGEST_TITLE {
        return Err(Failure::new(
            "too-long",
            format!("the title has {length} characters, and {LONGEST_TITLE} are allowed"),
        )
        .hint("put the rest into the description: -m TEXT or -F FILE"));
    }
    if title.chars().any(char::is_control) {
        return Err(Failure::new(
            "invalid-title",
            "the title has a line break or another control character in it",
        )
        .hint("put what follows the first line into the description: -m TEXT or -F FILE"));
    }
    Ok(title.to_owned())
}

/// Opens git's editor on `text` with `help` below it as comment lines; what comes back has no comment lines.
pub(crate) fn edit(store: &Store, context: &Context, text: &str, help: &str) -> Result<String, Failure> {
    let _ = context;
    let git = store.git();
    let editor = String::from_utf8_lossy(&git.run(&["var", "GIT_EDITOR"])?).trim().to_owned();
    let folder = store.git_dir().join("wf");
    let path = folder.join("EDITMSG.md");
    let failed = |error: std::io::Error| {
        Failure::new("editor", format!("cannot edit `{}`: {error}", path.display()))
            .hint("`git var GIT_EDITOR` shows the editor; -m or -F need none")
    };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let commented = git.run_with(&["stripspace", "--comment-lines"], help.as_bytes())?;
    std::fs::write(&path, [text.as_bytes(), b"\n", &commented].concat()).map_err(failed)?;
    let status = std::process::Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), &editor])
        .arg(&path)
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(Failure::new("editor", format!("the editor `{editor}` failed: {status}"))
            .hint(format!("what you wrote is in `{}`", path.display())));
    }
    let written = std::fs::read(&path).map_err(failed)?;
    let stripped = git.run_with(&["stripspace", "--strip-comments"], &written)?;
    let text = String::from_utf8(stripped).map_err(|_| {
        Failure::new("invalid-utf8", format!("`{}` is not UTF-8", path.display()))
            .hint("set the editor to write UTF-8; what you wrote is in that file")
    })?;
    // The text goes into the store; a copy left behind would be taken for something.
    let _ = std::fs::remove_file(&path);
    checked(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_once_in_either_way() {
        let told = |message: &[&str], last| {
            said(&message.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), last).ok().flatten()
        };
        assert_eq!(told(&["one", "two"], None).as_deref(), Some("one\n\ntwo"));
        assert_eq!(told(&[], Some(" one ")).as_deref(), Some("one"));
        assert_eq!(told(&[" "], None), None);
        assert_eq!(told(&[], None), None);
        assert!(said(&["one".into()], Some("two")).is_err());
    }

    #[test]
    fn a_lone_argument_is_an_item_where_it_can_be_one() {
        let both = |item: &str| item_and_text(Some(item.into()), None);
        for item in ["S-1", "QUE-20261121-7k3m2pq9:S-1", "broken"] {
            assert_eq!(both(item), (Some(item.into()), None));
        }
        for text in ["no disk left", r#"{"message":"x"}"#] {
            assert_eq!(both(text), (None, Some(text.into())));
        }
        let two = item_and_text(Some("S-1".into()), Some("x".into()));
        assert_eq!(two, (Some("S-1".into()), Some("x".into())));
    }
}
