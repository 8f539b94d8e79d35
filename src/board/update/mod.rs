//! What an event does to the board: a pure function from a model and an event to effects, without store or clock.

mod begin;
mod fill;
mod filter;
mod keys;
mod mouse;

use super::event::{Answered, BoardEffect, BoardEvent, RefusedText};
use super::model::Model;
use super::overlay::{Overlay, OverlayNote, Sent};
use super::read::ReadRequest;
use crate::ui::{Input, Key};

/// Handles an event.
pub(super) fn update(model: &mut Model, event: BoardEvent) -> Vec<BoardEffect> {
    let mut effects = match event {
        BoardEvent::Input(input) => input_of(model, input),
        BoardEvent::Moved => model.moved(),
        BoardEvent::Lanes(number, Ok(view)) => {
            model.take_lanes(number, view);
            vec![]
        }
        BoardEvent::Lanes(number, Err(refused)) => {
            if model.lanes_failed(number) {
                note(model, "the board cannot be read", &refused);
            }
            vec![]
        }
        BoardEvent::Page(number, page) => {
            let lines = page.unwrap_or_else(|refused| {
                let words = refused.lines();
                words
                    .iter()
                    .map(|line| crate::ui::captured::StyledLine::new(crate::ui::style::WARN, line))
                    .collect()
            });
            model.take_page(number, lines);
            vec![]
        }
        BoardEvent::Plans(issue, choosing, Ok(plans)) => begin::chosen_from(model, &issue, choosing, plans),
        BoardEvent::Plans(issue, _, Err(refused)) => {
            model.busy = None;
            note(model, &format!("the plans of {issue} cannot be read"), &refused);
            vec![]
        }
        BoardEvent::Progress(doing, done, total) => {
            model.progress = Some(match total {
                Some(total) => format!("{doing} {done} of {total}"),
                None => format!("{doing} {done}"),
            });
            vec![]
        }
        BoardEvent::Done(_, Ok(answered)) => {
            model.busy = None;
            let issue = answered.issue.clone();
            succeeded(model, answered);
            model.ask_lanes_about(Some(issue))
        }
        BoardEvent::Done(deed, Err(refused)) => {
            model.busy = None;
            refused_of(model, &deed.words(), refused);
            vec![]
        }
        BoardEvent::Edited(edited) => {
            fill::edited(model, edited);
            vec![]
        }
    };
    effects.extend(model.settle());
    effects
}

/// Closes the menu or form of a successful action. Warnings stay open until they are dismissed.
fn succeeded(model: &mut Model, answered: Answered) {
    if model.overlay.as_mut().and_then(Overlay::sent).is_some_and(|sent| sent.is_awaited) {
        model.overlay = None;
    }
    if !answered.notices.is_empty() && model.overlay.is_none() {
        model.overlay = Some(Overlay::Note(OverlayNote::new(answered.message.clone(), answered.notices)));
    }
    model.said = Some(answered.message);
}

/// Shows a refusal in the menu or form that it answers. Another one that is open by now is left alone.
fn refused_of(model: &mut Model, words: &str, refused: RefusedText) {
    match model.overlay.as_mut().map(Overlay::sent) {
        Some(Some(sent)) if sent.is_awaited => *sent = Sent { is_awaited: false, refusal: Some(refused) },
        Some(Some(_)) => model.said = Some(format!("{words} was refused: {}", refused.message)),
        _ => note(model, &format!("{words} was refused"), &refused),
    }
}

fn note(model: &mut Model, title: &str, refused: &RefusedText) {
    model.overlay = Some(Overlay::Note(OverlayNote::new(title, refused.lines())));
}

fn input_of(model: &mut Model, input: Input) -> Vec<BoardEffect> {
    if !matches!(input, Input::Size(..)) {
        model.said = None;
    }
    match input {
        Input::Size(columns, rows) => {
            model.size = (columns, rows);
            // The terminal may show something else, for example after it was suspended.
            vec![BoardEffect::Redraw]
        }
        Input::Key(Key::Ctrl('c')) => vec![BoardEffect::Quit],
        Input::Key(Key::Ctrl('z')) => vec![BoardEffect::Suspend],
        Input::Key(Key::Ctrl('l')) => {
            let mut effects = model.moved();
            effects.push(BoardEffect::Redraw);
            effects
        }
        Input::Key(key) if model.overlay.is_some() => fill::key(model, key),
        Input::Key(key) if model.filter.is_open => filter::key(model, key),
        Input::Key(key) => keys::key(model, key),
        Input::Paste(text) => fill::paste(model, &text),
        Input::Mouse(button, x, y) => mouse::mouse(model, button, x, y),
    }
}

/// Requests the plans of an issue.
fn ask_plans(issue: String, choosing: super::overlay::Choosing) -> Vec<BoardEffect> {
    vec![BoardEffect::Read(ReadRequest::Plans(issue, choosing))]
}
