//! The signatures of the audit log.

use std::io::{self, Write};

use crate::gate::signatures::Vouching;
use crate::ops::trail::Signatures;
use crate::ui::{Cell, Column, Screen, Table, clean_line, count, style};

/// What vouches for a commit, in a few words.
fn said(vouching: Vouching) -> &'static str {
    match vouching {
        Vouching::Good => "good",
        Vouching::Unsigned => "unsigned",
        Vouching::Purged => "unsigned since a purge",
        Vouching::Bad => "bad",
        Vouching::UnknownKey => "unknown key",
        Vouching::Expired => "expired",
        Vouching::Revoked => "revoked key",
        Vouching::Unchecked => "not checked",
        Vouching::Recomputed => "merge recomputed",
        Vouching::Differs => "not the merge of its parents",
        Vouching::Root => "root",
    }
}

fn look(vouching: Vouching) -> style::Style {
    match vouching {
        Vouching::Good => style::GOOD,
        Vouching::Recomputed | Vouching::Root => style::DIM,
        Vouching::Bad | Vouching::Differs | Vouching::Revoked => style::BAD,
        Vouching::Unsigned
        | Vouching::Purged
        | Vouching::UnknownKey
        | Vouching::Expired
        | Vouching::Unchecked => style::WARN,
    }
}

/// A count in words: `2 merges recomputed`.
fn counted(vouching: Vouching, n: usize) -> String {
    match (vouching, n) {
        (Vouching::Recomputed, 2..) => format!("{n} merges recomputed"),
        _ => format!("{n} {}", said(vouching)),
    }
}

/// What vouches for each commit.
pub(in crate::cli) fn signatures(screen: &mut Screen, answer: &Signatures) -> io::Result<()> {
    let painter = screen.painter();
    let counts: Vec<String> = answer.counts.iter().map(|(it, n)| counted(*it, *n)).collect();
    let range = painter.paint(style::HEADING, &clean_line(&answer.range));
    let sum = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    writeln!(screen, "{range}: {}{sum}\n", count(answer.commit_count, "commit"))?;
    let mut table = Table::new([
        Column::left("COMMIT"),
        Column::left("SIGNATURE"),
        Column::flexible("SIGNER"),
        Column::flexible("AUTHOR").spare(),
        Column::flexible("WHAT"),
    ]);
    for commit in &answer.commits {
        let signer = commit.signer.as_deref().or(commit.key.as_deref()).unwrap_or_default();
        table.row([
            Cell::new(commit.hash.short(), style::WARN),
            Cell::new(said(commit.vouching), look(commit.vouching)),
            Cell::from(signer),
            Cell::from(commit.author.as_str()),
            Cell::from(commit.subject.as_str()),
        ]);
    }
    table.print(screen)
}
