//! A text that someone writes in the editor.

use std::path::{Path, PathBuf};

use super::ask;
use crate::cli::Failure;
use crate::model::Code;
use crate::ops::{Refusal, Session};
use crate::rules::limits;
use crate::store::Store;
use crate::ui;

/// Everything from this line on is help, as below the scissors of `git commit`. So a text can have lines that begin with
/// `#`, as headings do in Markdown.
const SCISSORS: &str = "# ------------------------ >8 ------------------------";

/// A text for the store, and how to change it if it was written in the editor.
pub(crate) struct EditedText {
    text: String,
    editor: Option<Editor>,
}

/// The editor with the file in which a text was written.
struct Editor {
    /// What starts it, for a shell.
    command: String,
    path: PathBuf,
    help: String,
}

const NO_EDITOR: &str = "`-m` and `-F` need no editor";

impl EditedText {
    /// A text from the command line.
    pub(crate) fn given(text: String) -> Self {
        Self { text, editor: None }
    }

    /// Hands the text to `store`. If that fails, nothing that was written in the editor is lost: the editor opens again
    /// if someone is there to mend it; else the file stays, and the error names it.
    pub(crate) fn stored<T, E: Into<Failure>>(
        self,
        mut store: impl FnMut(String) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let Self { mut text, editor } = self;
        loop {
            let stored =
                limits::text(&text).map_err(Failure::from).and_then(|text| store(text).map_err(E::into));
            let Some(editor) = &editor else { return stored };
            match stored {
                Ok(stored) => {
                    // The text is in the store; without the file, nobody mistakes it for unsaved work.
                    let _ = std::fs::remove_file(&editor.path);
                    return Ok(stored);
                }
                Err(failure) if text.is_empty() => {
                    let _ = std::fs::remove_file(&editor.path);
                    return Err(failure);
                }
                Err(failure) => {
                    let place = format!("what you wrote is in `{}`", editor.path.display());
                    if !ui::can_ask() {
                        return Err(failure.hint(place));
                    }
                    // It shows the message as at the end of a command.
                    failure.report(false, &[]);
                    let question =
                        format!("what you wrote is in {}; edit it again? [Y/n] ", editor.path.display());
                    if !ask::agrees(&question, true)? {
                        return Err(failure.hint(place));
                    }
                    text = editor.open(&text, false)?;
                }
            }
        }
    }
}

/// Opens git's editor on `text`, with `help` below it. Returns the text above the help.
pub(crate) fn edit(session: &Session, text: &str, help: &str) -> Result<EditedText, Failure> {
    // Without an editor, no file is made.
    let command = session.store().git().editor().map_err(|error| Failure::from(error).hint(NO_EDITOR))?;
    let path = new_file(session.store())?;
    let editor = Editor { command, path, help: help.to_owned() };
    let text = editor.open(text, true)?;
    Ok(EditedText { text, editor: Some(editor) })
}

/// Like [`edit`], for a template that someone fills in: if it was left as it is, nothing is made of it.
///
/// # Errors
/// `empty`: nothing was filled in.
pub(crate) fn fill_in(session: &Session, template: &str, help: &str) -> Result<EditedText, Failure> {
    let written = edit(session, template, help)?;
    // Blanks at the ends of lines are not kept.
    if written.text == above_the_help(template) {
        if let Some(editor) = &written.editor {
            let _ = std::fs::remove_file(&editor.path);
        }
        return Err(Refusal::new(Code::Empty, "the text is unchanged, so nothing was created")
            .hint("fill it in above the line with the scissors, and save it")
            .into());
    }
    Ok(written)
}

/// Opens git's editor on `text`, with `help` below it, and returns what was saved. On an error, the file stays if
/// someone wrote anything.
///
/// # Errors
/// The editor failed, or its text is not UTF-8.
pub(crate) fn text_of(session: &Session, text: &str, help: &str) -> Result<String, Failure> {
    let written = edit(session, text, help)?;
    if let Some(editor) = &written.editor {
        let _ = std::fs::remove_file(&editor.path);
    }
    Ok(written.text)
}

/// A file of its own for each text: other editors may be open, and texts that could not be stored are kept.
fn new_file(store: &Store) -> Result<PathBuf, Refusal> {
    let folder = &store.git_dir().join("wf");
    create_in(folder, store).map_err(|error| {
        Refusal::new(
            Code::Editor,
            format!("cannot create a file for the editor in `{}`: {error}", folder.display()),
        )
        .hint(NO_EDITOR)
    })
}

fn create_in(folder: &Path, store: &Store) -> std::io::Result<PathBuf> {
    store.repo().shared_mode().create_folder(folder)?;
    let file = tempfile::Builder::new().prefix("EDITMSG-").suffix(".md").tempfile_in(folder)?;
    Ok(file.into_temp_path().keep()?)
}

impl Editor {
    /// Lets someone change a text. If it `is_new` and the editor fails before it changed anything, no file is left.
    fn open(&self, text: &str, is_new: bool) -> Result<String, Failure> {
        let (editor, path) = (&self.command, &self.path);
        let failed = |error: std::io::Error| {
            Refusal::new(Code::Editor, format!("cannot edit `{}`: {error}", path.display()))
                .command("git var GIT_EDITOR", "shows the editor")
                .hint(NO_EDITOR)
        };
        let not_begun = |error| {
            if is_new {
                let _ = std::fs::remove_file(path);
            }
            failed(error)
        };
        let about = "Everything from this line on is ignored.";
        let help: String =
            [about].into_iter().chain(self.help.lines()).map(|line| format!("# {line}\n")).collect();
        let given = format!("{text}\n\n{SCISSORS}\n{help}");
        std::fs::write(path, &given).map_err(not_begun)?;
        let status = std::process::Command::new("sh")
            .args(["-c", &format!("{editor} \"$@\""), editor])
            .arg(path)
            .status()
            .map_err(not_begun)?;
        let written = std::fs::read(path).map_err(failed)?;
        if !status.success() {
            let what = format!("the editor `{editor}` failed: {status}");
            if is_new && written == given.as_bytes() {
                let _ = std::fs::remove_file(path);
                return Err(Refusal::new(Code::Editor, what)
                    .command("git var GIT_EDITOR", "shows the editor")
                    .into());
            }
            return Err(Refusal::new(Code::Editor, what)
                .hint(format!("what you wrote is in `{}`", path.display()))
                .into());
        }
        let written = String::from_utf8(written).map_err(|_| {
            Refusal::new(Code::InvalidUtf8, format!("`{}` is not UTF-8", path.display()))
                .hint("set the editor to write UTF-8; what you wrote is in that file")
        })?;
        Ok(above_the_help(&written))
    }
}

/// What was written above the help, without blanks at the ends of lines.
pub(super) fn above_the_help(written: &str) -> String {
    let text: Vec<&str> = written.lines().take_while(|line| *line != SCISSORS).map(str::trim_end).collect();
    text.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_above_the_scissors_is_the_text() {
        let written = format!("\n# Heading  \n\ntext\n\n{SCISSORS}\n# help\nmore\n");
        assert_eq!(above_the_help(&written), "# Heading\n\ntext");
        assert_eq!(above_the_help("no help\n"), "no help");
        assert_eq!(above_the_help(SCISSORS), "");
    }
}
