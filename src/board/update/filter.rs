//! Editing the filter; the matches change with every key.

use crate::board::editor::Editor;
use crate::board::event::BoardEffect;
use crate::board::model::Model;
use crate::ui::Key;

/// Handles a key while the filter is edited.
pub(super) fn key(model: &mut Model, key: Key) -> Vec<BoardEffect> {
    match key {
        Key::Enter | Key::Down => {
            model.filter.is_open = false;
            vec![]
        }
        Key::Esc => {
            model.filter.is_open = false;
            clear(model)
        }
        key => {
            let before = model.filter.editor.text().to_owned();
            model.filter.editor.key(key);
            if model.filter.editor.text() == before { vec![] } else { model.filtered() }
        }
    }
}

/// Clears the filter.
pub(super) fn clear(model: &mut Model) -> Vec<BoardEffect> {
    if model.filter.editor.text().is_empty() {
        return vec![];
    }
    model.filter.editor = Editor::default();
    model.filtered()
}
