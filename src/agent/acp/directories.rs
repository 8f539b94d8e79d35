//! In which directory each command of a line runs, as far as the line shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::place;
use crate::model::SimpleCommand;
use crate::model::shell::line::{Link, UNKNOWN};

/// More possible directories than these are not kept apart.
const MOST: usize = 16;

/// The directories in which a command may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directories {
    /// As a shell names them; absolute.
    known: BTreeSet<PathBuf>,
    /// Whether it may run in others, too.
    is_open: bool,
}

impl Directories {
    pub(super) fn new(root: &Path) -> Self {
        Self { known: BTreeSet::from([root.to_owned()]), is_open: false }
    }

    /// Why a file that is named here may not be used; `None` if it may. A relative name may stand for several files.
    pub(super) fn refusal(&self, root: &Path, file: &Path) -> Option<&'static str> {
        self.known.iter().find_map(|directory| place::refusal_from(root, directory, file))
    }

    /// Whether a relative name may stand for a file anywhere.
    pub(super) fn are_unknown(&self) -> bool {
        self.is_open
    }

    /// The directories after a `cd`, which may also have failed.
    fn or(mut self, other: Self) -> Self {
        self.known.extend(other.known);
        self.is_open |= other.is_open || self.known.len() > MOST;
        self
    }

    /// The directories after a change that succeeded.
    fn moved(&self, change: Change<'_>) -> Self {
        let Change::To(target) = change else { return Self { is_open: true, ..self.clone() } };
        let mut known = BTreeSet::new();
        for directory in &self.known {
            let named = named(directory, Path::new(target));
            // After a link, `..` leads to the directory above either of its names.
            known.extend([place::reached(directory, Path::new(target)), named]);
        }
        Self { known, is_open: self.is_open && Path::new(target).is_relative() }
    }
}

/// A path from a directory as a shell names it, by its words alone.
fn named(directory: &Path, way: &Path) -> PathBuf {
    let mut at = directory.to_owned();
    for part in way.components() {
        match part {
            Component::ParentDir => drop(at.pop()),
            Component::CurDir => {}
            part => at.push(part),
        }
    }
    at
}

/// What is known of one shell or subshell.
#[derive(Debug, Clone)]
struct ShellAt {
    /// Where it is if the last command succeeded.
    after_success: Directories,
    /// Where it may be.
    possible: Directories,
}

/// Follows the commands of a line, in their order.
pub(super) struct Following {
    start: Directories,
    /// By the number of each shell, after the numbers of those that began it.
    shells: BTreeMap<Vec<usize>, ShellAt>,
}

impl Following {
    pub(super) fn new(start: &Directories) -> Self {
        Self { start: start.clone(), shells: BTreeMap::new() }
    }

    /// The directories in which the command runs.
    pub(super) fn at(&mut self, command: &SimpleCommand) -> Directories {
        let shell = self.shell(&command.shell);
        if command.link != Link::Success {
            shell.after_success = shell.possible.clone();
        }
        shell.after_success.clone()
    }

    /// Notes that a program of the command changed the directory, if it did.
    pub(super) fn follow(&mut self, command: &SimpleCommand) {
        let Some(change) = change(&command.words) else { return };
        let shell = self.shell(&command.shell);
        let moved = shell.after_success.moved(change);
        shell.possible = shell.possible.clone().or(moved.clone());
        let is_certain = !command.is_negated && command.link != Link::Pipe;
        shell.after_success = if is_certain { moved } else { shell.possible.clone() };
    }

    fn shell(&mut self, path: &[usize]) -> &mut ShellAt {
        let above = (0..path.len()).rev().find_map(|n| self.shells.get(&path[..n]));
        let begin = above.map_or_else(|| self.start.clone(), |shell| shell.possible.clone());
        self.shells
            .entry(path.to_vec())
            .or_insert_with(|| ShellAt { after_success: begin.clone(), possible: begin })
    }
}

/// A change of the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change<'a> {
    /// To this one.
    To(&'a str),
    /// To one that the line does not show.
    Hidden,
}

/// How a command changes the directory, if it does.
fn change(words: &[String]) -> Option<Change<'_>> {
    let (program, mut arguments) = words.split_first()?;
    match program.as_str() {
        "command" | "builtin" => change(arguments),
        // Its words are a command line of their own.
        "eval" => arguments
            .iter()
            .any(|word| word.contains("cd") || word.contains("pushd"))
            .then_some(Change::Hidden),
        "popd" => Some(Change::Hidden),
        "cd" | "pushd" => {
            while arguments.first().is_some_and(|word| word.len() > 1 && word.starts_with('-')) {
                arguments = &arguments[1..];
            }
            let target = arguments.first().filter(|it| !it.contains(UNKNOWN) && !it.starts_with(['~', '-']));
            Some(target.map_or(Change::Hidden, |target| Change::To(target.as_str())))
        }
        _ => None,
    }
}
