//! Runs that wait for the user.

use super::attention::AttentionItem;
use crate::model::{Other, Remedies, RemedyCall, RunId};
use crate::ops::work::runs::asking::{OpenQuestion, asking};
use crate::ops::work::runs::view::{InterruptedRun, interrupted};
use crate::ops::{Refusal, Session};

/// Those that were interrupted, and those that ask something. An issue with several plans waits for a choice anyway.
pub(super) fn all(session: &Session) -> Result<Vec<AttentionItem>, Refusal> {
    let mut found: Vec<AttentionItem> = interrupted(session)?.into_iter().map(interrupted_run).collect();
    let asking = asking(session)?.into_iter().filter(|(_, asked)| asked.plans.is_empty());
    found.extend(asking.map(|(run, asked)| asking_run(&run, &asked)));
    Ok(found)
}

fn asking_run(run: &RunId, asked: &OpenQuestion) -> AttentionItem {
    let answer = |word: &str| RemedyCall::new(Other::RunAnswer, [asked.issue_id.as_str(), word]);
    let remedies =
        Remedies::call(answer("retry"), "tries it again").or_call(answer("skip"), "goes on without it");
    let what = format!("{}: {}", asked.issue_id, asked.question);
    AttentionItem::new(run.to_string(), Some(asked.issue_id.clone()), what, remedies.into_vec())
}

fn interrupted_run(run: InterruptedRun) -> AttentionItem {
    let resume = RemedyCall::new(Other::RunResume, [&run.id]);
    let (what, remedy) = match run.over_budget {
        Some(why) => (
            format!("the run stopped: {why}"),
            Remedies::call(resume.option("budget", "AMOUNT"), "continues it with another budget"),
        ),
        None => ("the run was interrupted".to_owned(), Remedies::call(resume, "continues it")),
    };
    AttentionItem::new(run.id.to_string(), None, what, remedy.into_vec())
}
