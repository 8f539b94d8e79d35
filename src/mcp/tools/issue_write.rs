//! Writing issues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::listed::ListedIssue;
use super::{Call, Tool};
use crate::mcp::bounds;
use crate::model::remedy::RemedyCall as Suggested;
use crate::model::{Code, Comment, IssueStatus, Op, Other, StatusChange, typed};
use crate::ops::issues::{
    self, Close, ClosedAs, Edit, IssueInput, IssueView, NewFields, NewIssue, Reopen, SeenFields,
};
use crate::ops::{Answer, Done, Refusal};

pub(super) struct IssueWrite;

/// What to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What to do. A new issue needs a title.
    action: Action,
    /// The issue, unless you create one.
    issue: Option<String>,
    /// For `create` and `edit`: the new values.
    #[serde(default, deserialize_with = "typed::any_or_none")]
    #[schemars(with = "Option<IssueInput>")]
    fields: Option<Value>,
    /// For `edit`: registered, planning, planned, paused or cancelled.
    #[schemars(with = "Option<String>")]
    status: Option<IssueStatus>,
    /// The comment, in Markdown; or why you close or reopen it.
    text: Option<String>,
}

/// What is done with an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Action {
    Create,
    Edit,
    Close,
    Reopen,
    Comment,
}

/// The issue after the change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ChangedIssue {
    /// Whether anything changed.
    changed: bool,
    /// The issue.
    issue: ListedIssue,
    /// The comment that was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<Comment>,
}

impl Action {
    fn op(self) -> Op {
        match self {
            Self::Create => Op::New,
            Self::Edit => Op::Edit,
            Self::Close => Op::Close,
            Self::Reopen => Op::Reopen,
            Self::Comment => Op::Comment,
        }
    }

    fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

impl Tool for IssueWrite {
    const NAME: &'static str = "issue_write";
    const TITLE: &'static str = "Write an issue";
    const ABOUT: &'static str = "Create, edit, comment on, close or reopen an issue. Create one for a problem outside of your task, with the \
        relation `discovered-from:ID`.";
    const PERFORMS: &'static [Op] = &[Op::New, Op::Edit, Op::Comment, Op::Close, Op::Reopen];
    const OBJECTS: &'static [&'static str] = &["fields"];
    const IS_DESTRUCTIVE: bool = true;
    const IS_IDEMPOTENT: bool = false;
    type Input = Input;
    type Output = ChangedIssue;

    fn restrict(schema: &mut Map<String, Value>, may: &dyn Fn(Op) -> bool) {
        let actions = schema.get_mut("properties").and_then(|all| all.get_mut("action"));
        if let Some(Value::Array(words)) = actions.and_then(|action| action.get_mut("enum")) {
            words.retain(|word| word.as_str().and_then(Action::named).is_none_or(|action| may(action.op())));
        }
    }

    fn call(call: &Call<'_>, input: Input) -> Answer<ChangedIssue> {
        let session = call.session;
        let Input { action, issue, fields, status, text } = input;
        for (name, is_given, actions) in [
            ("fields", fields.is_some(), &[Action::Create, Action::Edit][..]),
            ("status", status.is_some(), &[Action::Edit]),
            ("text", text.is_some(), &[Action::Comment, Action::Close, Action::Reopen]),
            ("issue", issue.is_some(), &[Action::Edit, Action::Close, Action::Reopen, Action::Comment]),
        ] {
            if is_given && !actions.contains(&action) {
                return Err(Refusal::usage(format!("`{name}` is not for this action")).hint("leave it out"));
            }
        }
        if let Some(fields) = &fields {
            refuse_owned(&IssueInput::owned(fields), issue.as_deref())?;
            bounds::refuse_cut(fields, "fields", issue.as_deref())?;
        }
        let json = fields.map(|fields| IssueInput::parse(&fields.to_string(), "`fields`")).transpose()?;
        let fields = NewFields { json, ..NewFields::default() };
        if action == Action::Create {
            let input = NewIssue { id: None, title: None, text: None, fields };
            return Ok(written(call, issues::new(session, input)?));
        }
        let issue = issue.ok_or_else(|| {
            Refusal::usage("this action needs `issue`")
                .remedy(Suggested::from(Other::List), "lists the open ones")
        })?;
        let done = match action {
            Action::Create | Action::Edit => {
                let (status, seen) = (status.map(StatusChange::To), SeenFields::default());
                issues::edit(
                    session,
                    Edit { issue, title: None, text: None, status, fields, seen, force: None },
                )?
            }
            Action::Close => issues::close(
                session,
                Close { issue, closed_as: ClosedAs::Completed, original: None, reason: text, force: None },
            )?,
            Action::Reopen => issues::reopen(session, Reopen { issue, reason: text, force: None })?,
            Action::Comment => {
                let done = issues::comment(session, &issue, &text.unwrap_or_default())?;
                let (id, comment) = (done.view.issue, done.view.comment);
                session.notice_all(done.notices);
                let done = issues::answer(session, &id, done.commit)?;
                return Ok(
                    written(call, done).map(|written| ChangedIssue { comment: Some(comment), ..written })
                );
            }
        };
        Ok(written(call, done))
    }
}

/// Refuses fields that only operations set, which would have no effect.
fn refuse_owned(owned: &[&str], issue: Option<&str>) -> Result<(), Refusal> {
    if owned.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = owned.iter().map(|name| format!("`{name}`")).collect();
    let refusal = Refusal::new(
        Code::InvalidArguments,
        format!(
            "`fields` cannot set {}: git-wf sets {}",
            names.join(", "),
            if names.len() == 1 { "it" } else { "them" }
        ),
    )
    .hint("leave them out of `fields`");
    if !owned.iter().any(|name| ["status", "closed_at", "close_reason"].contains(name)) {
        return Err(refusal);
    }
    let Some(issue) = issue else { return Err(refusal) };
    Err(refusal
        .remedy(Suggested::new(Op::Close, [issue]), "closes the issue")
        .remedy(Suggested::new(Op::Reopen, [issue]), "reopens it")
        .hint("or give `status` beside `fields`: registered, planning, planned, paused or cancelled"))
}

fn written(call: &Call<'_>, done: Done<IssueView>) -> Done<ChangedIssue> {
    let Done { view, commit, notices } = done;
    call.session.notice_all(notices);
    let written = ChangedIssue { changed: commit.is_some(), issue: ListedIssue::new(&view), comment: None };
    call.session.done(written, commit)
}
