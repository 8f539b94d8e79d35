//! Keys on the lanes and on an open issue.

use super::{begin, filter};
use crate::board::event::BoardEffect;
use crate::board::layout;
use crate::board::model::{IssueDetail, Model};
use crate::board::overlay::Overlay;
use crate::board::page::IssuePage;
use crate::ui::Key;

/// Handles a key.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<BoardEffect> {
    if let Some(effects) = everywhere(model, key) {
        return effects;
    }
    if model.detail.is_some() {
        detail(model, key);
    } else {
        lanes(model, key);
    }
    vec![]
}

/// Keys that mean the same on the lanes and on an open issue; `None` for any other key.
fn everywhere(model: &mut Model, key: Key) -> Option<Vec<BoardEffect>> {
    Some(match key {
        Key::Char('q') => vec![BoardEffect::Quit],
        Key::Char('?') => {
            model.overlay = Some(Overlay::Help(0));
            vec![]
        }
        Key::Char('/') => {
            model.filter.is_open = true;
            vec![]
        }
        Key::Char('A') => {
            model.filter.all = !model.filter.all;
            model.filtered()
        }
        Key::Char('n') => begin::create(model),
        Key::Char('m') => begin::moves(model),
        Key::Char('p') => begin::priority(model),
        Key::Char('a') => begin::assign(model),
        Key::Char('c') => begin::comment(model),
        Key::Char('b') => begin::bind(model),
        Key::Char('e') => begin::queue(model),
        Key::Char('x') => begin::claim(model),
        Key::Char('r') => begin::review(model),
        Key::Esc if model.detail.is_some() => {
            model.detail = None;
            vec![]
        }
        Key::Esc => filter::clear(model),
        _ => return None,
    })
}

fn lanes(model: &mut Model, key: Key) {
    let page = model.layout().rows.max(1);
    let last = model.lanes.len().saturating_sub(1);
    match key {
        Key::Left | Key::Char('h') | Key::BackTab => model.at = model.at.saturating_sub(1),
        Key::Right | Key::Char('l') | Key::Tab => model.at = (model.at + 1).min(last),
        Key::Enter => open(model),
        key => go(model, key, page),
    }
}

/// Moves the cursor within its lane.
fn go(model: &mut Model, key: Key, page: usize) {
    let Some(lane) = model.lane() else { return };
    let at = lane.cursor;
    lane.go(match key {
        Key::Up | Key::Char('k' | 'K') => at.saturating_sub(1),
        Key::Down | Key::Char('j' | 'J') => at + 1,
        Key::PageUp | Key::Ctrl('b') => at.saturating_sub(page),
        Key::PageDown | Key::Ctrl('f') => at + page,
        Key::Home | Key::Char('g') => 0,
        Key::End | Key::Char('G') => usize::MAX,
        _ => at,
    });
}

/// Opens the selected issue.
pub(super) fn open(model: &mut Model) {
    let card = model.lane().and_then(|lane| lane.current()).map(|card| card.row.clone());
    if let Some(row) = card {
        model.detail = Some(IssueDetail::new(row.id.to_string(), row.title));
    }
}

fn detail(model: &mut Model, key: Key) {
    let area = model.layout().detail.unwrap_or_default();
    let page = usize::from(area.height.saturating_sub(layout::DETAIL_HEAD)).saturating_sub(1).max(1);
    if matches!(key, Key::Char('J' | 'K')) {
        return go(model, key, 1);
    }
    let Some(detail) = &mut model.detail else { return };
    match key {
        Key::Char(digit @ '0'..='9') => {
            if let Some(page) = IssuePage::numbered(digit) {
                detail.turn(page);
            }
        }
        Key::Right | Key::Tab | Key::Char('l') => detail.turn(detail.page.beside(true)),
        Key::Left | Key::BackTab | Key::Char('h') => detail.turn(detail.page.beside(false)),
        Key::Enter => model.detail = None,
        Key::Up | Key::Char('k') => detail.top = detail.top.saturating_sub(1),
        Key::Down | Key::Char('j') => detail.top += 1,
        Key::PageUp | Key::Ctrl('b') => detail.top = detail.top.saturating_sub(page),
        Key::PageDown | Key::Ctrl('f') | Key::Char(' ') => detail.top += page,
        Key::Home | Key::Char('g') => detail.top = 0,
        Key::End | Key::Char('G') => detail.top = usize::MAX,
        _ => {}
    }
}
