//! Input from the terminal: keys, pastes, the mouse, and resizing.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// An input event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse, with its column and row.
    Mouse(Button, u16, u16),
    /// The terminal has these columns and rows; what was drawn may be lost.
    Size(u16, u16),
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// A character, in upper case with Shift.
    Char(char),
    /// A character, in lower case, with Ctrl.
    Ctrl(char),
    /// Enter.
    Enter,
    /// Enter with Alt.
    AltEnter,
    /// Escape.
    Esc,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// The key Home.
    Home,
    /// The key End.
    End,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Tab.
    Tab,
    /// Tab with Shift.
    BackTab,
    /// Deletes backwards.
    Backspace,
    /// Deletes forwards.
    Delete,
}

/// What the mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Button {
    /// The left button was pressed.
    Down,
    /// The left button was released.
    Up,
    /// The wheel was turned away from the user.
    WheelUp,
    /// The wheel was turned towards the user.
    WheelDown,
}

impl Input {
    /// `None` for an event that the program does not use.
    pub(super) fn from_event(event: &Event) -> Option<Self> {
        match event {
            Event::Key(key) => Key::from_event(key).map(Self::Key),
            Event::Paste(text) => Some(Self::Paste(text.clone())),
            Event::Mouse(mouse) => {
                Button::from_event(mouse).map(|button| Self::Mouse(button, mouse.column, mouse.row))
            }
            Event::Resize(columns, rows) => Some(Self::Size(*columns, *rows)),
            Event::FocusGained | Event::FocusLost => None,
        }
    }
}

impl Key {
    fn from_event(event: &KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let has = |modifier| event.modifiers.contains(modifier);
        Some(match event.code {
            KeyCode::Char('j') if has(KeyModifiers::CONTROL) => Self::Ctrl('j'),
            KeyCode::Char(c) if has(KeyModifiers::CONTROL) => Self::Ctrl(c.to_ascii_lowercase()),
            KeyCode::Char(_) if has(KeyModifiers::ALT) => return None,
            KeyCode::Char(c) => Self::Char(c),
            KeyCode::Enter if has(KeyModifiers::ALT) => Self::AltEnter,
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Esc,
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            KeyCode::Tab => Self::Tab,
            KeyCode::BackTab => Self::BackTab,
            KeyCode::Backspace => Self::Backspace,
            KeyCode::Delete => Self::Delete,
            _ => return None,
        })
    }
}

impl Button {
    fn from_event(event: &MouseEvent) -> Option<Self> {
        Some(match event.kind {
            MouseEventKind::Down(MouseButton::Left) => Self::Down,
            MouseEventKind::Up(MouseButton::Left) => Self::Up,
            MouseEventKind::ScrollUp => Self::WheelUp,
            MouseEventKind::ScrollDown => Self::WheelDown,
            _ => return None,
        })
    }
}
