//! Prints wisdom entries.

use std::io::{self, Write};

use crate::model::{Wisdom, WisdomType};
use crate::ops::plans::WisdomView;
use crate::ui::{Cell, Column, Screen, Table, style, time};

/// This much of an id is unambiguous for long.
const UID: usize = 8;

/// A piece of wisdom that was added.
pub(in crate::cli) fn added(screen: &mut Screen, it: &Wisdom) -> io::Result<()> {
    let id = screen.painter().paint(style::ID, &uid(it));
    match &it.answers {
        Some(question) => {
            let question = question.to_string();
            writeln!(screen, "added {id}, a {}, which answers {}", it.kind, short(&question))
        }
        None => writeln!(screen, "added {id}, a {}", it.kind),
    }
}

/// One piece of wisdom per line.
pub(in crate::cli) fn table(screen: &mut Screen, all: &[WisdomView], now: i64) -> io::Result<()> {
    if all.is_empty() {
        return screen.nothing("no entries; `git wf wisdom add TEXT` adds one");
    }
    let mut table = Table::new([
        Column::left("ID"),
        Column::left("TYPE"),
        Column::flexible("TAGS").spare(),
        Column::left("ISSUE").spare(),
        Column::left("WHEN").spare(),
        Column::flexible("TEXT"),
    ]);
    for WisdomView { wisdom: it, answered_by } in all {
        let (word, look) = match it.kind {
            WisdomType::Question if answered_by.is_some() => ("answered", style::DIM),
            WisdomType::Question => (it.kind.as_str(), style::WARN),
            _ => (it.kind.as_str(), style::PLAIN),
        };
        table.row([
            Cell::new(uid(it), style::ID),
            Cell::new(word, look),
            Cell::from(it.tags.join(", ")),
            Cell::new(it.issue_id.as_ref().map_or("", |id| screen.id(id.as_str())), style::ID),
            Cell::from(time::ago(now, it.created_at.millis())),
            Cell::from(it.text.as_str()),
        ]);
    }
    table.print(screen)
}

/// The start of the last part of its id, which names it.
fn uid(it: &Wisdom) -> String {
    short(&it.id.to_string()).to_owned()
}

fn short(id: &str) -> &str {
    let last = id.rsplit('-').next().unwrap_or(id);
    last.get(..UID).unwrap_or(last)
}
