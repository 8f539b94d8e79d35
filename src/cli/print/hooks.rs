//! The hooks of a repository.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::ops::store::{HookChange, HookLines, HookManager, HookState, InstalledHook};
use crate::ui::{Cell, Column, Screen, Table, style};

/// Prints a row for each hook.
pub(in crate::cli) fn states(screen: &mut Screen, states: &[HookState]) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("HOOK"),
        Column::left("STATE"),
        Column::flexible("CALLS"),
        Column::flexible("EARLIER HOOK").spare(),
    ]);
    for state in states {
        let shown = |path: &Option<PathBuf>| path.as_deref().map_or_else(String::new, near);
        let (word, style) = word(state);
        let mut earlier = shown(&state.earlier);
        if let Some(manager) = state.earlier_manager {
            earlier = format!("{earlier} ({manager})");
        }
        table.row([
            Cell::new(state.name, style::ID),
            Cell::new(word, style),
            shown(&state.calls).into(),
            earlier.into(),
        ]);
    }
    table.print(screen)
}

/// Prints what each file needs.
pub(in crate::cli) fn lines(screen: &mut Screen, all: &[HookLines]) -> io::Result<()> {
    for (n, HookLines { manager, file, lines }) in all.iter().enumerate() {
        if n > 0 {
            writeln!(screen)?;
        }
        writeln!(screen, "# {manager}: {file}")?;
        for line in lines {
            writeln!(screen, "{line}")?;
        }
    }
    Ok(())
}

/// Prints what the programs here need to call git-wf, and what to do then.
pub(in crate::cli) fn offered(screen: &mut Screen, all: &[HookLines]) -> io::Result<()> {
    let mut managers: Vec<HookManager> = all.iter().map(|it| it.manager).collect();
    managers.dedup();
    if managers.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = managers.iter().map(|manager| manager.as_str()).collect();
    let names = names.join(" and ");
    writeln!(
        screen,
        "\nTo keep git-wf when {names} writes the hooks again, add these lines, let it install its hooks,"
    )?;
    writeln!(screen, "and run `git wf hooks status`:\n")?;
    lines(screen, all)
}

/// What was just done to the hook, or else its state.
fn word(state: &HookState) -> (String, style::Style) {
    let manager = state.manager.map_or("another program", HookManager::as_str);
    let (word, style) = match (state.change, state.installed) {
        (HookChange::Removed, _) => ("removed", style::PLAIN),
        (HookChange::KeptOthers, _) => ("removed, other lines kept", style::PLAIN),
        (HookChange::GivenBack, _) => ("given back", style::PLAIN),
        (HookChange::LeftAlone, _) => ("foreign, left alone", style::WARN),
        (_, InstalledHook::Current | InstalledHook::Outdated | InstalledHook::Foreign)
            if state.replaced.is_some() =>
        {
            return (format!("replaced by {manager}"), style::WARN);
        }
        (_, InstalledHook::Current) if state.calls.is_none() => ("installed, calls nothing", style::WARN),
        (_, InstalledHook::Current) if state.through.is_some() => {
            return (format!("installed, called by {manager}"), style::GOOD);
        }
        (_, InstalledHook::Configured) => {
            let file = state.through.as_deref().map_or_else(String::new, near);
            return (format!("called by {file}"), style::GOOD);
        }
        (_, InstalledHook::Current) => ("installed", style::GOOD),
        (_, InstalledHook::Outdated) => ("outdated", style::WARN),
        (_, InstalledHook::Absent) => ("not installed", style::DIM),
        (_, InstalledHook::Foreign) => ("foreign", style::WARN),
    };
    (word.to_owned(), style)
}

/// A path relative to the current directory, if it is below it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
