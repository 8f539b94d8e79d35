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
            self.record_merge(issue, pull)?;
            self.view[n].state = PullState::Merged;
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
            let words = format!("check `{}` failed on {} {}", check.called(), pull.url, check.details_url);
            told.push((FeedbackType::Failure, Stage::Execute, words));
        }
        for review in &pull.reviews {
            let kind = if review.state == "CHANGES_REQUESTED" {
                FeedbackType::Rejection
            } else {
                FeedbackType::Clarification
            };
            if !review.body.trim().is_empty() {
                let words = format!("{} on {}:\n\n{}", review.author.login, pull.url, review.body);
                told.push((kind, Stage::Review, words));
            }
        }
        for comment in pull.comments.iter().filter(|comment| !comment.body.trim().is_empty()) {
            let words = format!("{} on {}:\n\n{}", comment.author.login, pull.url, comment.body);
            told.push((FeedbackType::Clarification, Stage::Review, words));
        }
        for remark in remarks {
            let line = remark.line.map(|line| format!(":{line}")).unwrap_or_default();
            let HostRemark { user, body, path, .. } = remark;
            let words = format!("{} on {}, {path}{line}:\n\n{body}", user.login, pull.url);
            told.push((FeedbackType::Clarification, Stage::Review, words));
        }
        for (kind, stage, words) in told {
            if self.give_feedback(issue, kind, stage, &words)? {
                self.view[n].feedback += 1;
            }
        }
        Ok(())
    }

    /// Adds feedback unless the issue has it already.
    fn give_feedback(
        &self,
        issue: &ChosenIssue,
        kind: FeedbackType,
        stage: Stage,
        words: &str,
    ) -> Result<bool, Refusal> {
        let mut end = words.len().min(MOST_KEPT);
        while !words.is_char_boundary(end) {
            end -= 1;
        }
        let content = words[..end].trim_end().to_owned();
        let folder = existing(&self.session.store().snapshot()?, &issue.issue)?;
        if folder.feedback.iter().any(|it| it.content == content) {
            return Ok(false);
        }
        let detail =
            FeedbackDetail { solution_id: Some(issue.solution.clone()), ..FeedbackDetail::default() };
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
