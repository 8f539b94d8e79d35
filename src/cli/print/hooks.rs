//! The hooks of a repository.

use std::io;
use std::path::{Path, PathBuf};

use crate::ops::store::{HookChange, HookState, InstalledHook};
use crate::ui::{Cell, Column, Screen, Table, style};

/// Prints a row for each hook.
pub(in crate::cli) fn states(screen: &mut Screen, states: &[HookState]) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("HOOK"),
        Column::left("STATE"),
        Column::flexible("CALLS"),
        Column::flexible("REPLACED HOOK").spare(),
    ]);
    for state in states {
        let shown = |path: &Option<PathBuf>| path.as_deref().map_or_else(String::new, near);
        let (word, style) = word(state);
        table.row([
            Cell::new(state.name, style::ID),
            Cell::new(word, style),
            shown(&state.calls).into(),
            shown(&state.earlier).into(),
        ]);
    }
    table.print(screen)
}

/// What was just done to the hook, or else its state.
fn word(state: &HookState) -> (&'static str, style::Style) {
    match (state.change, state.installed) {
        (HookChange::Removed, _) => ("removed", style::PLAIN),
        (HookChange::GivenBack, _) => ("given back", style::PLAIN),
        (HookChange::LeftAlone, _) => ("foreign, left alone", style::WARN),
        (_, InstalledHook::Current) if state.calls.is_none() => ("installed, calls nothing", style::WARN),
        (_, InstalledHook::Current) => ("installed", style::GOOD),
        (_, InstalledHook::Outdated) => ("outdated", style::WARN),
        (_, InstalledHook::Absent) => ("not installed", style::DIM),
        (_, InstalledHook::Foreign) => ("foreign", style::WARN),
    }
}

/// A path relative to the current directory, if it is below it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
