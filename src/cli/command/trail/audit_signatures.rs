//! `audit --signatures`: who vouches for the audit log itself.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{Context, Exit, Failure, Outcome};
use crate::model::time::Time;
use crate::store::{ObjectId, Store, Vouched, Vouching};
use crate::trail::audit as trail;
use crate::ui::text::{clean_line, count};
use crate::ui::{Cell, Column, Table, style};

/// What `audit --signatures` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Signatures {
    /// What was looked at, as git takes it.
    range: String,
    /// How many commits of the ref that is.
    commit_count: usize,
    /// How many of them nothing sound vouches for: any but `good`, `recomputed` and `root`.
    fault_count: usize,
    /// How many there are of each kind.
    counts: BTreeMap<Vouching, usize>,
    /// What git said about signatures that it could not check.
    #[serde(skip_serializing_if = "Option::is_none")]
    complaint: Option<String>,
    /// The commits, those before others first.
    commits: Vec<SignedCommit>,
}

/// A commit of the ref.
#[derive(Debug, Serialize, JsonSchema)]
struct SignedCommit {
    /// The full object id.
    hash: String,
    /// What vouches for it.
    vouching: Vouching,
    /// Whose signature it bears; none where git does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    /// The key of the signature, as git names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Who says to have made it: `Name <email>`
    author: String,
    /// When.
    at: Time,
    /// What happened.
    subject: String,
}

impl From<Vouched> for SignedCommit {
    fn from(it: Vouched) -> Self {
        Self {
            hash: it.step.commit,
            vouching: it.vouching,
            signer: it.signer,
            key: it.key,
            author: it.step.author,
            at: it.step.at,
            subject: it.step.subject,
        }
    }
}

/// The commits of the ref in `range`; all of them where that is empty.
pub(in crate::cli) fn run(store: &Store, range: &[String], strict: bool, context: &mut Context) -> Outcome {
    store.snapshot()?;
    let words: Vec<&str> = range.iter().map(String::as_str).collect();
    let only: Option<HashSet<ObjectId>> = match words.is_empty() {
        true => None,
        false => Some(trail::ids(store, &words)?.into_iter().collect()),
    };
    let (vouched, complaint) = store.vouched(only.as_ref())?;
    if let Some(only) = &only
        && vouched.len() < only.len()
    {
        let others = count(only.len() - vouched.len(), "commit");
        return Err(Failure::new(
            "not-of-the-ref",
            format!("`{}` names {others} that `{}` does not have", words.join(" "), store.reference()),
        )
        .hint(format!("--signatures looks at commits of the ref, such as {0}~10..{0}", store.reference())));
    }
    let answer = answer(store, &words, vouched, complaint);
    if context.json() {
        context.screen.print_json(&answer)?;
    } else {
        print(&answer, context)?;
    }
    Ok(if strict && answer.fault_count > 0 { Exit::Failed } else { Exit::Done })
}

fn answer(store: &Store, words: &[&str], vouched: Vec<Vouched>, complaint: Option<String>) -> Signatures {
    let mut counts = BTreeMap::new();
    for it in &vouched {
        *counts.entry(it.vouching).or_default() += 1;
    }
    Signatures {
        range: if words.is_empty() { store.reference().to_owned() } else { words.join(" ") },
        commit_count: vouched.len(),
        fault_count: vouched.iter().filter(|it| !it.vouching.is_sound()).count(),
        counts,
        complaint,
        commits: vouched.into_iter().map(SignedCommit::from).collect(),
    }
}

/// In a few words.
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

fn print(answer: &Signatures, context: &mut Context) -> Result<(), Failure> {
    let painter = context.screen.painter();
    let counts: Vec<String> = answer.counts.iter().map(|(it, n)| format!("{n} {}", said(*it))).collect();
    let range = painter.paint(style::HEADING, &clean_line(&answer.range));
    let sum = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    writeln!(context.screen, "{range}: {}{sum}\n", count(answer.commit_count, "commit"))?;
    let mut table = Table::new([
        Column::left("COMMIT"),
        Column::left("SIGNATURE"),
        Column::left("SIGNER"),
        Column::left("AUTHOR"),
        Column::flexible("WHAT"),
    ]);
    for commit in &answer.commits {
        let signer = commit.signer.as_deref().or(commit.key.as_deref()).unwrap_or_default();
        table.row([
            Cell::new(commit.hash.get(..10).unwrap_or(&commit.hash), style::WARN),
            Cell::new(said(commit.vouching), look(commit.vouching)),
            Cell::from(signer),
            Cell::from(commit.author.as_str()),
            Cell::from(commit.subject.as_str()),
        ]);
    }
    table.print(&mut context.screen)?;
    if let Some(purged) = answer.counts.get(&Vouching::Purged) {
        context.warn(&format!(
            "`redact --purge` rewrote this history, and no signature outlives that: {} without one; whoever purged it, \
             or keeps the history as it was, can say whether nothing else was changed",
            count(*purged, "commit")
        ));
    }
    if let Some(complaint) = &answer.complaint {
        context.warn(&format!("git could not check every signature: {}", clean_line(complaint)));
    }
    Ok(())
}
