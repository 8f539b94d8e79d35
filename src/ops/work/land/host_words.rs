//! What the host says about a pull request becomes feedback.

use super::chosen::ChosenIssue;
use super::pull_request::Forge;
use super::pulled::PullState;
use crate::interchange::github::pulls::{HostRemark, PullRequest};
use crate::model::issue::{Feedback, FeedbackDetail, FeedbackType, Stage};
use crate::model::op::Op;
use crate::model::remedy::RemedyCall;
use crate::ops::issues::existing;
use crate::ops::{Notice, Refusal};
use crate::store::layout;

/// The most bytes of a host's text that are kept.
const MOST_KEPT: usize = 16 * 1024;

/// Something that the host says.
struct HostFeedback {
    kind: FeedbackType,
    stage: Stage,
    words: String,
    /// What tells it from other remarks with the same words; empty if the host gives no id.
    id: String,
}

impl HostFeedback {
    fn comment(words: String, id: String) -> Self {
        Self { kind: FeedbackType::Clarification, stage: Stage::Review, words, id }
    }
}

impl Forge<'_> {
    /// Adds what the host says of a pull request as feedback, or records that it was merged.
    pub(super) fn follow(
        &mut self,
        n: usize,
        issue: &ChosenIssue,
        pull: &PullRequest,
        remarks: &[HostRemark],
    ) -> Result<(), Refusal> {
        if pull.is_merged() {
            self.view[n].state = self.record_merge(issue, pull)?;
            return Ok(());
        }
        if !pull.is_open() {
            self.view[n].state = PullState::Closed;
            let what =
                format!("the pull request of `{}` was closed without a merge: {}", issue.issue, pull.url);
            self.session.notice(
                Notice::warning(what)
                    .remedy(RemedyCall::new(Op::Land, [&issue.issue]).flag("pr"), "opens another"),
            );
            return Ok(());
        }
        let mut told = Vec::new();
        for check in pull.status_check_rollup.iter().filter(|check| check.has_failed()) {
            let words = format!("check `{}` failed on {} {}", check.called(), pull.url, check.page());
            let id = format!("{} {} {}", check.called(), pull.head_ref_oid, check.page());
            told.push(HostFeedback { kind: FeedbackType::Failure, stage: Stage::Execute, words, id });
        }
        for review in &pull.reviews {
            let is_rejection = review.state == "CHANGES_REQUESTED";
            let kind = if is_rejection { FeedbackType::Rejection } else { FeedbackType::Clarification };
            let (who, body) = (&review.author.login, &review.body);
            let words = if !body.trim().is_empty() {
                format!("{who} on {}:\n\n{body}", pull.url)
            } else if is_rejection {
                // The reasons are remarks on lines.
                format!("{who} requests changes on {}", pull.url)
            } else {
                continue;
            };
            told.push(HostFeedback { kind, stage: Stage::Review, words, id: review.id.clone() });
        }
        for comment in pull.comments.iter().filter(|comment| !comment.body.trim().is_empty()) {
            let words = format!("{} on {}:\n\n{}", comment.author.login, pull.url, comment.body);
            told.push(HostFeedback::comment(words, comment.id.clone()));
        }
        for remark in remarks {
            let line = remark.line.map(|line| format!(":{line}")).unwrap_or_default();
            let HostRemark { id, user, body, path, .. } = remark;
            let words = format!("{} on {}, {path}{line}:\n\n{body}", user.login, pull.url);
            told.push(HostFeedback::comment(words, format!("line comment {id}")));
        }
        for told in told {
            if self.give_feedback(issue, &told)? {
                self.view[n].feedback += 1;
            }
        }
        Ok(())
    }

    /// Adds feedback unless the issue has it already.
    fn give_feedback(&self, issue: &ChosenIssue, told: &HostFeedback) -> Result<bool, Refusal> {
        let HostFeedback { kind, stage, words, id } = told;
        let (kind, stage) = (*kind, *stage);
        let mut end = words.len().min(MOST_KEPT);
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        let content = words[..end].trim_end().to_owned();
        let folder = existing(&self.session.store().snapshot()?, &issue.issue)?;
        let is_known = |it: &Feedback| match &it.detail.remark_id {
            Some(known) if !id.is_empty() => known == id,
            _ => it.content == content,
        };
        if folder.feedback.iter().any(is_known) {
            return Ok(false);
        }
        let detail = FeedbackDetail {
            solution_id: Some(issue.solution.clone()),
            remark_id: Some(id.clone()).filter(|id| !id.is_empty()),
            ..FeedbackDetail::default()
        };
        self.session.transact(self.permit, |tx| {
            let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
            let (content, detail) = (content.clone(), detail.clone());
            tx.append(&layout::feedback(&issue.issue), |id| Feedback {
                id,
                kind,
                stage,
                content,
                detail,
                author,
                created_at,
            })?;
            tx.describe(format!("land: {kind} from the pull request of {}", issue.issue));
            Ok(())
        })?;
        Ok(true)
    }
}
