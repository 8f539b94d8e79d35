//! The mouse: a click selects, a second one opens, a card can be dragged to another lane, the wheel scrolls.

use super::{begin, fill, keys};
use crate::board::event::BoardEffect;
use crate::board::model::Model;
use crate::board::overlay::Overlay;
use crate::board::page::IssuePage;
use crate::board::{layout, view};
use crate::ui::Button;

/// Lines that one step of the wheel scrolls.
const TURN: usize = 3;

/// Handles the mouse at a screen position.
pub(super) fn mouse(model: &mut Model, button: Button, x: u16, y: u16) -> Vec<BoardEffect> {
    if model.overlay.is_some() {
        return in_front(model, button, x, y);
    }
    let layout = model.layout();
    if layout.detail.is_some_and(|area| area.contains((x, y).into())) {
        on_detail(model, button, x, y);
        return vec![];
    }
    match button {
        Button::Down if layout.top.contains((x, y).into()) => {
            model.filter.is_open = true;
            vec![]
        }
        Button::Down => {
            model.filter.is_open = false;
            let Some((lane, row)) = layout.lane_at(x, y) else { return vec![] };
            let was = (model.at, model.lanes.get(model.at).map(|it| it.cursor));
            model.at = lane;
            if let (Some(row), Some(it)) = (row, model.lane())
                && it.top + row < it.total
            {
                let place = it.top + row;
                it.go(place);
                model.held = model.selected();
                if was == (lane, Some(place)) {
                    keys::open(model);
                }
            }
            vec![]
        }
        Button::Up => {
            let Some((issue, from)) = model.held.take() else { return vec![] };
            let to = layout.lane_at(x, y).and_then(|(n, _)| model.lanes.get(n)).map(|lane| lane.status);
            match to.filter(|to| *to != from) {
                Some(to) => begin::move_to(model, &issue, from, to),
                None => vec![],
            }
        }
        Button::WheelUp | Button::WheelDown => {
            if let Some((n, _)) = layout.lane_at(x, y)
                && let Some(lane) = model.lanes.get_mut(n)
            {
                let at = lane.cursor;
                lane.go(if button == Button::WheelUp { at.saturating_sub(1) } else { at + 1 });
            }
            vec![]
        }
    }
}

fn on_detail(model: &mut Model, button: Button, x: u16, y: u16) {
    let Some(area) = model.layout().detail else { return };
    let Some(detail) = &mut model.detail else { return };
    match button {
        Button::WheelUp => detail.top = detail.top.saturating_sub(TURN),
        Button::WheelDown => detail.top += TURN,
        Button::Down if y + 1 == area.y + layout::DETAIL_HEAD => {
            if let Some(page) = view::page_at(detail.page, usize::from(x - area.x)) {
                let page: IssuePage = page;
                detail.turn(page);
            }
        }
        Button::Down | Button::Up => {}
    }
    model.held = None;
}

fn in_front(model: &mut Model, button: Button, x: u16, y: u16) -> Vec<BoardEffect> {
    let places = view::places(model);
    match (&mut model.overlay, button) {
        (Some(Overlay::Menu(menu)), Button::Down) => {
            if let Some(at) = places.iter().position(|area| area.contains((x, y).into())) {
                menu.at = at;
                return fill::choose(model);
            }
        }
        (Some(Overlay::Form(form)), Button::Down) => {
            if let Some(at) = places.iter().position(|area| area.contains((x, y).into())) {
                form.at = at;
            }
        }
        (Some(Overlay::Help(top)), Button::WheelDown) => *top += 1,
        (Some(Overlay::Help(top)), Button::WheelUp) => *top = top.saturating_sub(1),
        (Some(Overlay::Note(note)), Button::WheelDown) => note.top += 1,
        (Some(Overlay::Note(note)), Button::WheelUp) => note.top = note.top.saturating_sub(1),
        _ => {}
    }
    vec![]
}
