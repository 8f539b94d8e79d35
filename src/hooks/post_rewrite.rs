//! `post-rewrite`: after an amend or a rebase, has links follow to the new commits.

use bstr::ByteSlice;

use super::{HookVerdict, rewritten};
use crate::git::ObjectId;
use crate::model::{CommitHash, Detail, Op, Rewrite};
use crate::ops::trail::{RecordRewrite, RewriteKind, record_rewrite};
use crate::ops::{Refusal, Session};
use crate::trail::{progress, rebase};

/// Records what git writes on stdin: lines of `old new`; without any, what git keeps of them. `kind` is `amend` or `rebase`.
///
/// During a rebase git also reports each amend, squash and rewording as an `amend`. These are only noted for its final
/// report, since an aborted rebase changes nothing. If git is not going to make one, they are recorded at once.
pub(crate) fn run(session: &Session, kind: &str, input: &[u8]) -> Result<HookVerdict, Refusal> {
    let store = session.store();
    let kind = RewriteKind::parse(kind).unwrap_or(RewriteKind::Amend);
    if store.tip()?.is_none() {
        return Ok(HookVerdict::Go);
    }
    let is_within_rebase = kind == RewriteKind::Amend && progress::is_rebasing(&store.git_dir());
    let found = if input.is_empty() { rewritten::find(store, kind)? } else { input.to_owned() };
    if found.is_empty() && !is_within_rebase {
        return Ok(HookVerdict::Note(
            Detail::from("the list of rewritten commits did not reach this hook, so links do not follow")
                .remedy(Op::Relink, "finds the new commits"),
        ));
    }
    let rewritten = pairs(&found);
    if rewritten.is_empty() {
        return Ok(HookVerdict::Go);
    }
    if is_within_rebase && rebase::is_reported(&store.git_dir()) {
        rebase::note_amended(store, &rewritten)?;
        return Ok(HookVerdict::Go);
    }
    let first = rewritten.first().map(|pair| pair.old.clone());
    let mut input = RecordRewrite { kind, rewritten };
    let mut done = record_rewrite(session, &input)?;
    if done.view.is_empty()
        && kind == RewriteKind::Amend
        && let Some(first) = first
    {
        // No execution knows the old commit: a program without hooks may have amended it before.
        let earlier = rewritten::earlier_amends(store, &first)?;
        if !earlier.is_empty() {
            input.rewritten.extend(earlier);
            done = record_rewrite(session, &input)?;
        }
    }
    Ok(HookVerdict::about(done.notices))
}

fn pairs(input: &[u8]) -> Vec<Rewrite> {
    let pair = |line: &[u8]| {
        let mut words = line.fields();
        let id = |word: &[u8]| ObjectId::from_hex(word).ok().map(CommitHash::from);
        let (old, new) = (id(words.next()?)?, id(words.next()?)?);
        (old != new).then_some(Rewrite { old, new, tree: None })
    };
    input.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_with_two_different_ids_count() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let input = format!("{a} {b}\n{b} {a} extra words\n{a} {a}\n\n{a}\nnot ids\n{a} {b}x\n");
        let found: Vec<(String, String)> =
            pairs(input.as_bytes()).into_iter().map(|pair| (pair.old.into(), pair.new.into())).collect();
        assert_eq!(found, [(a.clone(), b.clone()), (b, a)]);
    }
}
