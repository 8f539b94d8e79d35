//! Turns an issue of GitHub into one here. Pure. A record is what `gh issue list --json` writes, or what the REST API
//! answers: the same members, in `camelCase` or in `snake_case`.

mod absent;
mod comment;
mod completed;
mod elsewhere;
mod gh;
mod links;
mod members;
mod pages;
pub(crate) mod pulls;
pub(crate) mod sent;

use serde_json::{Map, Value};

pub(crate) use comment::completion;
pub(crate) use gh::{GhError, comment_on, issues_of};
pub(crate) use pages::IssuePages;

use super::comment::{self as from_source, SourceComment};
use super::fields::{Fields, odd_label};
use super::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Comment, Issue, IssueId, Source, StoredStatus, Time};
use crate::rules::limits;

/// GitHub.
pub(crate) static GITHUB: Tracker = Tracker {
    name: "GitHub",
    is_own: |record| record.get("number").and_then(number).is_some() && record.get("title").is_some(),
    read,
    completed: Some(completed::from),
    union: None,
    is_elsewhere: Some(elsewhere::is_elsewhere),
    foreign: None,
    kept: members::kept,
    follows_plans: false,
    is_dated_by_file: false,
    hint: "give the JSON that `gh issue list --json …` or `gh api --paginate …/issues` wrote",
};

/// The account that GitHub shows for one that was deleted.
const GHOST: &str = "ghost";
/// How `gh` begins the login of an author who is not a user. After it comes the name, or nothing for a deleted account.
const APP: &str = "app/";
/// The author of an issue whose record does not say.
const UNKNOWN: &str = "unknown";
/// Whether a record is a pull request: lists of the REST API say so, and in lists of pull requests only the address does.
fn is_pull_request(map: &Map<String, Value>, number: u64) -> bool {
    let ends = [format!("/pull/{number}"), format!("/pulls/{number}")];
    let mut pages = ["url", "html_url"].into_iter().filter_map(|name| map.get(name)?.as_str());
    map.get("pull_request").is_some_and(|pull_request| !pull_request.is_null())
        || pages.any(|page| ends.iter().any(|end| page.ends_with(end)))
}

/// The issue that `record` becomes.
fn read(record: &Value) -> Result<Arrival, RefusedRecord> {
    let Value::Object(map) = record else {
        return Err(RefusedRecord::fault(None, "it is not an object"));
    };
    let number = match map.get("number") {
        None | Some(Value::Null) => return Err(RefusedRecord::fault(None, "it has no `number`")),
        Some(given) => number(given).ok_or_else(|| {
            RefusedRecord::fault(None, format!("its `number` is `{given}`, not a whole number from 1 on"))
        })?,
    };
    let given = format!("GH-{number}");
    if is_pull_request(map, number) {
        return Err(RefusedRecord::other(Some(given.clone()), "pull request"));
    }
    if map.get("body").and_then(Value::as_str).and_then(sent::marked).is_some() {
        return Err(RefusedRecord::other(Some(given), "issue that was made from here"));
    }
    let id = IssueId::parse(&given).map_err(|error| refused(&given, &error.to_string()))?;
    let mut fields = Fields::new(map);
    let title = fields.title().ok_or_else(|| refused(&given, "it has no `title`"))?;
    let born = fields.either_time("createdAt", "created_at");
    let born = born.ok_or_else(|| refused(&given, "it does not say when it was created"))?;
    let updated = fields.either_time("updatedAt", "updated_at");
    let changed = updated.map_or(born, |at| at.max(born));
    let mut issue = Issue::new(id, author(map).into(), born, title);
    issue.source = Some(Source::Github);
    issue.context = fields.text("body");
    let page = fields.either("html_url", "url");
    issue.source_url = page.filter(|text| limits::web_address(text).is_ok());
    let kind = ["issueType", "type"].iter().find_map(|name| map.get(*name)?.get("name")?.as_str());
    issue.issue_type = kind.map(str::to_lowercase);
    fields.state(&mut issue);
    let changed = match issue.closed_at {
        Some(closed) if updated.is_none() => closed.max(changed),
        _ => changed,
    };
    fields.labels(&mut issue);
    fields.first_assignee(&mut issue);
    fields.blockers_and_parent(&mut issue);
    let comments = fields.comments(changed);
    let unplaced = members::unplaced(map).map(|(name, _)| format!("`{name}` has no field here").into());
    fields.kept.extend(unplaced);
    let record = fields.record();
    let Fields { notes, kept, .. } = fields;
    let silent = absent::silent(map);
    Ok(Arrival { comments, notes, kept, silent, ..Arrival::new(issue, record, changed) })
}

fn refused(given: &str, reason: &str) -> RefusedRecord {
    RefusedRecord::fault(Some(given.to_owned()), reason)
}

/// The number of an issue; some programs write it as a text.
fn number(given: &Value) -> Option<u64> {
    given
        .as_u64()
        .or_else(|| {
            given
                .as_str()
                .filter(|text| !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|text| text.parse().ok())
        })
        .filter(|number| *number > 0)
}

/// The logins of those who are assigned.
fn assignees(map: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let all = map.get("assignees").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|person| person.get("login")?.as_str()).filter(|login| !login.is_empty())
}

/// The login of who opened the issue.
fn author(map: &Map<String, Value>) -> &str {
    let names = ["author", "user"];
    let nobody = if names.iter().any(|name| map.contains_key(*name)) { GHOST } else { UNKNOWN };
    names.iter().find_map(|name| login(map.get(*name)?)).unwrap_or(nobody)
}

/// A member has one name in what `gh` writes, and another in what the REST API answers.
impl Fields<'_> {
    /// The text of the first of these members that has one.
    fn either(&mut self, one: &str, other: &str) -> Option<String> {
        self.text(one).or_else(|| self.text(other))
    }

    fn either_time(&mut self, one: &str, other: &str) -> Option<Time> {
        self.time(one).or_else(|| self.time(other))
    }

    fn state(&mut self, issue: &mut Issue) {
        if !self.text("state").is_some_and(|state| state.eq_ignore_ascii_case("closed")) {
            return;
        }
        let reason = self.either("stateReason", "state_reason");
        let reason = reason.map(|text| text.to_ascii_lowercase().replace('_', " "));
        let is_given_up = matches!(reason.as_deref(), Some("not planned" | "duplicate"));
        issue.status = if is_given_up { StoredStatus::Cancelled } else { StoredStatus::Closed };
        issue.close_reason = reason;
        issue.closed_at = self.either_time("closedAt", "closed_at");
    }

    fn labels(&mut self, issue: &mut Issue) {
        for label in self.list("labels") {
            let name = label.as_str().or_else(|| label.get("name")?.as_str());
            match name.map(|name| limits::label(name.trim()).map_err(|_| odd_label(name))) {
                Some(Ok(name)) => {
                    issue.tags.insert(name.to_owned());
                }
                Some(Err(note)) => self.note(note),
                None => self.note("a label has no name; `show ID --imported` shows it".into()),
            }
        }
    }

    /// Takes the first of several assignees, since an issue has only one here.
    fn first_assignee(&mut self, issue: &mut Issue) {
        let mut all = assignees(self.map);
        issue.assignee = all.next().map(str::to_owned);
        if all.next().is_some() {
            self.kept.insert("only the first of several `assignees` has a field here".into());
        }
    }

    /// The comments of an issue that last changed at `changed`.
    fn comments(&mut self, changed: Time) -> Vec<Comment> {
        let given = self.map.get("comments");
        if given.and_then(Value::as_u64).is_some_and(|count| count > 0) {
            self.kept.insert("its comments are not in the source, only their number".into());
        }
        let mut comments: Vec<Comment> = Vec::new();
        for given in given.and_then(Value::as_array).into_iter().flatten() {
            let created_at = either_text(given, ["createdAt", "created_at"]).and_then(Time::parse);
            let (Some(body), Some(created_at)) = (either_text(given, ["body", "body"]), created_at) else {
                self.note("a comment has no text or no time; `show ID --imported` shows it".into());
                continue;
            };
            if sent::marked(body).is_some() {
                self.kept.insert("comments that were sent from here".into());
                continue;
            }
            let author = ["author", "user"].iter().find_map(|name| login(given.get(*name)?)).unwrap_or(GHOST);
            let is_unedited = given.get("includesCreatedEdit") == Some(&Value::Bool(false));
            let edited = either_text(given, ["updatedAt", "updated_at"]).and_then(Time::parse);
            let changed = edited.or(is_unedited.then_some(created_at)).unwrap_or(changed);
            let said = SourceComment {
                id: comment_id(given),
                body: body.to_owned(),
                author: author.into(),
                created_at,
            };
            from_source::add(&mut comments, changed, said);
        }
        comments
    }
}

fn either_text<'a>(given: &'a Value, names: [&str; 2]) -> Option<&'a str> {
    names.iter().find_map(|name| given.get(*name)?.as_str())
}

/// The address of a comment, which `gh` and the REST API agree on, or else its id.
fn comment_id(given: &Value) -> Option<String> {
    let address = |name| {
        let address = given.get(name)?.as_str()?;
        address.contains("#issuecomment-").then(|| address.to_owned())
    };
    address("html_url").or_else(|| address("url")).or_else(|| from_source::id_of(given.get("id")?))
}

fn login(person: &Value) -> Option<&str> {
    person.get("login")?.as_str().filter(|login| !["", APP].contains(login))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn gh(more: &Value) -> Value {
        let mut record = json!({
            "number": 7, "title": "Tokens expire", "body": "Too early.", "state": "OPEN", "stateReason": "",
            "labels": [{"id": "x", "name": "bug"}], "assignees": [{"login": "bea"}], "milestone": null,
            "author": {"login": "ada"}, "createdAt": "2026-01-01T08:00:00Z", "updatedAt": "2026-01-02T08:00:00Z",
            "closedAt": null, "comments": [], "url": "https://github.com/zoo/okapi/issues/7"
        });
        for (name, value) in more.as_object().unwrap() {
            record[name] = value.clone();
        }
        record
    }

    #[test]
    fn both_forms_of_an_issue_are_the_same() {
        let comment = json!({"author": {"login": "bea"}, "body": "Hm.", "createdAt": "2026-01-01T09:00:00Z"});
        let one = read(&gh(&json!({"comments": [comment, comment]}))).unwrap();
        let rest = json!({
            "id": 9, "number": 7, "title": "Tokens expire", "body": "Too early.", "state": "open", "state_reason": null,
            "labels": ["bug"], "assignees": [{"login": "bea"}], "user": {"login": "ada"}, "html_url": "https://github.com/zoo/okapi/issues/7",
            "url": "https://api.github.com/repos/zoo/okapi/issues/7", "created_at": "2026-01-01T08:00:00Z",
            "updated_at": "2026-01-02T08:00:00Z", "comments": 1
        });
        let two = read(&rest).unwrap();
        let bare = |issue: &Issue| Issue { imported: None, ..issue.clone() };
        assert_eq!(bare(&one.issue), bare(&two.issue));
        assert_eq!(one.issue.id.as_str(), "GH-7");
        assert_eq!((one.issue.source, one.issue.assignee.as_deref()), (Some(Source::Github), Some("bea")));
        assert_eq!((one.comments.len(), two.comments.len()), (1, 0));
        let said: Vec<&str> = two.kept.iter().map(AsRef::as_ref).collect();
        assert_eq!(said, ["its comments are not in the source, only their number"]);
        assert!(one.kept.is_empty() && one.notes.is_empty());
    }

    #[test]
    fn states_and_their_reasons() {
        for (state, reason, status, said) in [
            ("OPEN", "REOPENED", StoredStatus::Registered, None),
            ("CLOSED", "COMPLETED", StoredStatus::Closed, Some("completed")),
            ("CLOSED", "NOT_PLANNED", StoredStatus::Cancelled, Some("not planned")),
            ("closed", "duplicate", StoredStatus::Cancelled, Some("duplicate")),
            ("closed", "", StoredStatus::Closed, None),
        ] {
            let closed = json!({"state": state, "stateReason": reason, "closedAt": "2026-01-02T07:00:00Z"});
            let issue = read(&gh(&closed)).unwrap().issue;
            assert_eq!((issue.status, issue.close_reason.as_deref()), (status, said), "{state} {reason}");
            assert_eq!(issue.closed_at.is_some(), status != StoredStatus::Registered);
        }
    }

    #[test]
    fn a_number_can_be_a_text() {
        let record = gh(&json!({"number": "4"}));
        assert_eq!(read(&record).unwrap().issue.id.as_str(), "GH-4");
        assert!((GITHUB.is_own)(&record), "a later import knows it again");
    }

    #[test]
    fn an_author_whose_account_was_deleted_is_ghost() {
        let comment =
            |author: &Value| json!({"author": author, "body": "b", "createdAt": "2026-01-01T09:00:00Z"});
        let gone = [json!(null), json!({"login": ""}), json!({"is_bot": true, "login": "app/"})];
        for author in gone {
            let arrival = read(&gh(&json!({"author": author, "comments": [comment(&author)]}))).unwrap();
            assert_eq!((arrival.issue.author.as_str(), arrival.comments[0].author.as_str()), (GHOST, GHOST));
        }
        let of = |record: &Value| read(record).unwrap().issue.author;
        let bot = json!({"is_bot": true, "login": "app/dependabot"});
        assert_eq!(of(&gh(&json!({"author": bot}))), "app/dependabot");
        let mut rest = gh(&json!({"user": null}));
        rest.as_object_mut().unwrap().remove("author");
        assert_eq!(of(&rest), GHOST, "the REST API");
        rest.as_object_mut().unwrap().remove("user");
        assert_eq!(of(&rest), UNKNOWN, "nobody asked");
    }

    #[test]
    fn a_comment_has_one_id_from_gh_and_from_the_rest_api() {
        let of = |comment: Value| {
            let comment = read(&gh(&json!({"comments": [comment]}))).unwrap().comments.remove(0);
            (comment.source_id.unwrap(), comment.id.stamp().time().to_string())
        };
        let page = "https://github.com/zoo/okapi/issues/7#issuecomment-55";
        let (unedited, edited) =
            ("2026-01-01T09:00:00.000Z".to_owned(), "2026-01-02T08:00:00.000Z".to_owned());
        let own = json!({"id": "IC_kw", "url": page, "body": "b", "createdAt": "2026-01-01T09:00:00Z",
            "author": {"login": "ada"}, "includesCreatedEdit": false});
        assert_eq!(of(own.clone()), (page.to_owned(), unedited.clone()));
        let mut again = own;
        again["includesCreatedEdit"] = json!(true);
        assert_eq!(of(again), (page.to_owned(), edited.clone()), "the issue changed last then");
        let rest = json!({"id": 55, "url": "https://api.github.com/x/55", "html_url": page, "body": "b",
            "created_at": "2026-01-01T09:00:00Z", "updated_at": "2026-01-01T09:00:00Z", "user": {"login": "ada"}});
        assert_eq!(of(rest), (page.to_owned(), unedited));
        let bare = json!({"body": "b", "createdAt": "2026-01-01T09:00:00Z", "author": {"login": "ada"}});
        assert_eq!(of(bare), ("ada".to_owned(), edited));
    }

    #[test]
    fn what_has_no_field_is_kept() {
        let record = gh(
            &json!({"milestone": {"title": "1.0"}, "assignees": [{"login": "a"}, {"login": "b"}], "locked": true,
                "reactions": {"url": "x", "total_count": 2}, "sub_issues_summary": {"total": 0}, "closed_by": {"login": "cy"},
                "labels_url": "x", "node_id": "n", "draft": false, "estimate": 3}),
        );
        let arrival = read(&record).unwrap();
        let said: Vec<&str> = arrival.kept.iter().map(AsRef::as_ref).collect();
        assert_eq!(
            said,
            [
                "`closed_by` has no field here",
                "`estimate` has no field here",
                "`locked` has no field here",
                "`milestone` has no field here",
                "`reactions` has no field here",
                "only the first of several `assignees` has a field here"
            ]
        );
        let kept = (GITHUB.kept)(&record);
        assert_eq!(
            Value::from(kept),
            json!({"milestone": "1.0", "assignees": ["a", "b"], "locked": true, "closed_by": "cy",
                "reactions": {"url": "x", "total_count": 2}, "estimate": 3})
        );
    }

    #[test]
    fn what_is_not_an_issue_is_refused() {
        for (record, why, is_fault) in [
            (json!([]), "it is not an object", true),
            (json!({"title": "t"}), "it has no `number`", true),
            (gh(&json!({"number": "4a"})), "its `number` is `\"4a\"`, not a whole number from 1 on", true),
            (gh(&json!({"number": 1.5})), "its `number` is `1.5`, not a whole number from 1 on", true),
            (gh(&json!({"number": 0})), "its `number` is `0`, not a whole number from 1 on", true),
            (gh(&json!({"title": " "})), "it has no `title`", true),
            (gh(&json!({"createdAt": "once"})), "it does not say when it was created", true),
            (gh(&json!({"pull_request": {}})), "pull request", false),
            (gh(&json!({"url": "https://github.com/zoo/okapi/pull/7"})), "pull request", false),
            (gh(&json!({"html_url": "https://host/api/v3/repos/zoo/okapi/pulls/7"})), "pull request", false),
        ] {
            let refused = read(&record).unwrap_err();
            assert_eq!((refused.reason.as_str(), refused.is_fault), (why, is_fault));
        }
    }
}
