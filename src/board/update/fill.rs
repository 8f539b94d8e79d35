//! Keys in the help, menus, forms and notes.

use super::begin;
use crate::board::act::{BoardAct, Deed, Review};
use crate::board::event::{BoardEffect, RefusedText};
use crate::board::model::Model;
use crate::board::overlay::{Overlay, OverlayForm, Purpose};
use crate::model::{Score, SolutionId, Verdict};
use crate::ui::Key;

/// Handles a key while something covers the lanes.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<BoardEffect> {
    if key == Key::Esc {
        model.overlay = None;
        return vec![];
    }
    match &mut model.overlay {
        Some(Overlay::Help(top)) => {
            match key {
                Key::Char('q' | '?') | Key::Enter => model.overlay = None,
                key => scroll(top, key),
            }
            vec![]
        }
        Some(Overlay::Note(note)) => {
            match key {
                Key::Char('q') | Key::Enter => model.overlay = None,
                key => scroll(&mut note.top, key),
            }
            vec![]
        }
        Some(Overlay::Menu(_)) => menu_key(model, key),
        Some(Overlay::Form(form)) => {
            let last = form.fields.len().saturating_sub(1);
            match key {
                Key::Enter => return submit(model),
                Key::Ctrl('o') => return in_editor(form),
                Key::Tab => form.at = if form.at == last { 0 } else { form.at + 1 },
                Key::BackTab => form.at = form.at.checked_sub(1).unwrap_or(last),
                key => {
                    let is_taken = form.fields.get_mut(form.at).is_some_and(|field| field.1.key(key));
                    match key {
                        Key::Up if !is_taken => form.at = form.at.saturating_sub(1),
                        Key::Down if !is_taken => form.at = (form.at + 1).min(last),
                        _ => {}
                    }
                }
            }
            vec![]
        }
        None => vec![],
    }
}

fn menu_key(model: &mut Model, key: Key) -> Vec<BoardEffect> {
    let Some(Overlay::Menu(menu)) = &mut model.overlay else { return vec![] };
    let last = menu.entries.len().saturating_sub(1);
    match key {
        Key::Up | Key::Char('k') | Key::BackTab => menu.at = menu.at.saturating_sub(1),
        Key::Down | Key::Char('j') | Key::Tab => menu.at = (menu.at + 1).min(last),
        Key::Home | Key::Char('g') => menu.at = 0,
        Key::End | Key::Char('G') => menu.at = last,
        Key::Char('q') => model.overlay = None,
        Key::Enter => return choose(model),
        Key::Char(digit @ '1'..='9') => {
            let at = digit as usize - '1' as usize;
            if at <= last {
                menu.at = at;
                return choose(model);
            }
        }
        _ => {}
    }
    vec![]
}

fn scroll(top: &mut usize, key: Key) {
    *top = match key {
        Key::Up | Key::Char('k') => top.saturating_sub(1),
        Key::Down | Key::Char('j') => top.saturating_add(1),
        Key::PageUp => top.saturating_sub(10),
        Key::PageDown | Key::Char(' ') => top.saturating_add(10),
        Key::Home | Key::Char('g') => 0,
        _ => *top,
    };
}

/// Carries out the selected entry.
pub(super) fn choose(model: &mut Model) -> Vec<BoardEffect> {
    let Some(Overlay::Menu(menu)) = &model.overlay else { return vec![] };
    match menu.entries.get(menu.at) {
        Some((_, choice)) => {
            let choice = choice.clone();
            begin::follow(model, choice)
        }
        None => vec![],
    }
}

/// Requests the user's editor for the selected field, if that can have several lines, else for the first that can.
fn in_editor(form: &mut OverlayForm) -> Vec<BoardEffect> {
    for at in std::iter::once(form.at).chain(0..form.fields.len()) {
        if let Some((_, editor)) = form.fields.get(at).filter(|(_, editor)| editor.is_long()) {
            form.at = at;
            return vec![BoardEffect::Edit(editor.text().to_owned())];
        }
    }
    vec![]
}

/// Takes in what was saved in the editor.
pub(super) fn edited(model: &mut Model, edited: Result<String, RefusedText>) {
    let Some(Overlay::Form(form)) = &mut model.overlay else { return };
    let Some((_, editor)) = form.fields.get_mut(form.at) else { return };
    match edited {
        Ok(text) if editor.replace(&text) => form.sent.refusal = None,
        Ok(_) => {
            let hint = "shorten it, or use `git wf comment ISSUE -F FILE`";
            form.sent.refusal = Some(RefusedText::new("the text is too long for a field of the board", hint));
        }
        Err(refused) => form.sent.refusal = Some(refused),
    }
}

/// Inserts pasted text into the field or the filter. Line breaks in it do not submit the form.
pub(super) fn paste(model: &mut Model, text: &str) -> Vec<BoardEffect> {
    match &mut model.overlay {
        Some(Overlay::Form(form)) => {
            if let Some((_, editor)) = form.fields.get_mut(form.at) {
                editor.insert(text);
            }
            vec![]
        }
        None if model.filter.is_open => {
            model.filter.editor.insert(text);
            model.filtered()
        }
        _ => vec![],
    }
}

fn submit(model: &mut Model) -> Vec<BoardEffect> {
    let Some(Overlay::Form(form)) = &mut model.overlay else { return vec![] };
    match deed(form) {
        Ok(deed) => begin::act(model, deed),
        Err(refused) => {
            form.sent.refusal = Some(refused);
            vec![]
        }
    }
}

/// The action that a form describes, or what is wrong with a field.
fn deed(form: &OverlayForm) -> Result<Deed, RefusedText> {
    let (issue, act) = match &form.purpose {
        Purpose::Create if form.text(0).is_empty() => {
            return Err(RefusedText::new(
                "an issue needs a title",
                "say in one line what is wrong or wanted",
            ));
        }
        Purpose::Create => {
            (String::new(), BoardAct::Create((form.text(0).to_owned(), form.text(1).to_owned())))
        }
        Purpose::Close(issue) => (issue.clone(), BoardAct::Close(filled(form.text(0)))),
        Purpose::Reopen(issue) => (issue.clone(), BoardAct::Reopen(filled(form.text(0)))),
        Purpose::Assign(issue, _) => (issue.clone(), BoardAct::Assign(form.text(0).to_owned())),
        Purpose::Comment(issue) => (issue.clone(), BoardAct::Comment(form.text(0).to_owned())),
        Purpose::Review(plan, digest) => {
            let issue = SolutionId::parse(plan)
                .map_err(|_| RefusedText::new(format!("`{plan}` is not a plan"), "choose another one"))?
                .issue()
                .to_string();
            let verdict = match form.text(3) {
                "" => None,
                word => Some(Verdict::parse(&word.to_lowercase()).ok_or_else(|| {
                    let hint = format!("expected one of {}, or nothing", Verdict::words());
                    RefusedText::new(format!("`{word}` is not a verdict"), hint)
                })?),
            };
            let review = Review {
                plan: plan.clone(),
                digest: digest.clone(),
                verdict,
                scores: [
                    score(form.text(0), "technical")?,
                    score(form.text(1), "risk")?,
                    score(form.text(2), "completeness")?,
                ],
                findings: form.text(4).lines().filter_map(|line| filled(line.trim())).collect(),
            };
            (issue, BoardAct::Review(review))
        }
    };
    Ok(Deed { issue, act })
}

impl OverlayForm {
    /// What was typed into a field, without blanks around it.
    fn text(&self, n: usize) -> &str {
        self.fields.get(n).map_or("", |(_, editor)| editor.text().trim())
    }
}

fn filled(text: &str) -> Option<String> {
    if text.is_empty() { None } else { Some(text.to_owned()) }
}

fn score(text: &str, name: &str) -> Result<Score, RefusedText> {
    text.parse().ok().and_then(Score::new).ok_or_else(|| {
        let hint = "all three scores are needed; Tab goes to the next field";
        RefusedText::new(format!("{name}: a score is a number from 0 to 100"), hint)
    })
}
