//! Finding issues.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::listed::IssueFields;
use super::{Call, Tool};
use crate::index::SortOrder;
use crate::model::{Code, IssueId, IssueStatus, Op, Priority};
use crate::ops::fields::FieldNames;
use crate::ops::issues::{self, IssueView, List, Total, existing};
use crate::ops::{Answer, Refusal, Session};

pub(super) struct Find;

/// The default number of issues per page.
const USUAL: usize = 20;
/// The most issues of a page.
const MOST: usize = 100;
/// Issues that match a query are ranked up to this number.
const RANKED: usize = 500;
/// The default fields.
const BRIEF: [&str; 6] = ["id", "title", "status", "priority", "tags", "bound_solution_id"];

/// Which issues to find; an issue must match everything that is given, such as all tags. What a field is for is said there
/// only if its name does not say it: clients put all of it into the context of every session.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Input {
    /// Words in any text; AND, OR, NOT, "phrases", prefixes*, `title: word`.
    query: Option<String>,
    status: Vec<IssueStatus>,
    tags: Vec<String>,
    /// Priorities: 1 (critical) to 5 (trivial).
    priority: Vec<Priority>,
    components: Vec<String>,
    assignee: Option<String>,
    /// Part of their name or address.
    author: Option<String>,
    /// The wave of a roadmap.
    wave: Option<u64>,
    /// Created at this time or later: 2026-11-21, "2 weeks ago".
    since: Option<String>,
    until: Option<String>,
    /// Ended at this time or later.
    closed_since: Option<String>,
    closed_until: Option<String>,
    has_plan: bool,
    /// Only issues whose plan can be claimed now.
    ready: bool,
    /// Completed ones that are not on the target branch.
    unlanded: bool,
    /// Also completed, closed and cancelled issues.
    all: bool,
    /// The order (default: relevance, else priority).
    sort: Option<SortOrder>,
    /// Fields to show (default: the most important).
    fields: Vec<String>,
    /// At most this many (default 20, up to 100).
    #[schemars(range(min = 1, max = MOST))]
    limit: Option<usize>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
}

/// A page of issues.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FoundIssues {
    /// How many issues match, on all pages.
    total: usize,
    /// The issues of this page, with the fields that were asked for.
    issues: Vec<IssueFields>,
    /// Give it as `cursor` to get the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for Find {
    const NAME: &'static str = "find";
    const TITLE: &'static str = "Find issues";
    const ABOUT: &'static str =
        "Find issues by words and filters, a page at a time: open issues, unless a filter asks for others.";
    const PERFORMS: &'static [Op] = &[];
    type Input = Input;
    type Output = FoundIssues;

    fn call(call: &Call<'_>, input: Input) -> Answer<FoundIssues> {
        let session = call.session;
        let skipped = input.cursor.as_deref().map_or(Ok(0), offset)?;
        let limit = input.limit.unwrap_or(USUAL).min(MOST);
        if limit == 0 {
            return Err(Refusal::new(Code::InvalidArguments, "`limit` is 0")
                .hint("give 1 to 100, or leave it out; every page has the `total`"));
        }
        let fields = input.fields.clone();
        let query = if input.sort.is_none() { input.query.clone() } else { None };
        let list = input.list(skipped, limit)?;
        let (total, views) = match query {
            Some(query) => ranked(session, &query, list, skipped, limit)?,
            None => in_order(session, &list)?,
        };
        let shown = skipped + views.len();
        let fields = if fields.is_empty() { BRIEF.map(str::to_owned).to_vec() } else { fields };
        let fields = FieldNames::among(&fields, &issues::fields_of_listed())?;
        let issues = views.iter().map(|view| IssueFields(fields.pick(view))).collect();
        let next_cursor = (shown < total).then(|| shown.to_string());
        Ok(session.done(FoundIssues { total, issues, next_cursor }, None))
    }
}

impl Input {
    /// The list that is asked for: each argument is an option of `list`.
    fn list(self, offset: usize, limit: usize) -> Result<List, Refusal> {
        let texts = [
            ("author", self.author),
            ("wave", self.wave.map(|wave| wave.to_string())),
            ("since", self.since),
            ("until", self.until),
            ("closed-since", self.closed_since),
            ("closed-until", self.closed_until),
            ("search", self.query),
        ];
        let lists = [
            ("tag", self.tags),
            ("component", self.components),
            ("assignee", self.assignee.into_iter().collect()),
            ("priority", self.priority.iter().map(|priority| priority.name().to_owned()).collect()),
            ("status", self.status.iter().map(ToString::to_string).collect()),
        ];
        let flags = [
            ("has-plan", self.has_plan),
            ("ready", self.ready),
            ("unlanded", self.unlanded),
            ("all", self.all),
        ];
        let flags =
            flags.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (name, vec![String::new()]));
        let texts = texts.into_iter().map(|(name, text)| (name, text.into_iter().collect()));
        let given: Vec<(&str, Vec<String>)> = flags.chain(texts).chain(lists).collect();
        let mut list = List::default();
        for option in issues::LIST_OPTIONS.iter() {
            let of_option = given.iter().filter(|(name, _)| *name == option.long);
            let values = of_option.flat_map(|(_, values)| values);
            // Models give an empty text for what they leave out.
            let mut values = values.filter(|value| !option.takes_value() || !value.trim().is_empty());
            values.try_for_each(|value| list.add(option, value))?;
        }
        let sort = self.sort.unwrap_or(SortOrder::Priority);
        Ok(List { sort, offset, limit: Some(limit), ..list })
    }
}

fn offset(cursor: &str) -> Result<usize, Refusal> {
    cursor.parse().map_err(|_| {
        Refusal::new(Code::InvalidCursor, format!("`{cursor}` is not a cursor of `find`"))
            .hint("give the `next_cursor` of the page before, or leave it out for the first page")
    })
}

/// A page in the order of the list.
fn in_order(session: &Session, list: &List) -> Result<(usize, Vec<IssueView>), Refusal> {
    let mut views = Vec::new();
    let total = issues::list::<Refusal>(session, list, |view| {
        views.push(view);
        Ok(())
    })?;
    // A page that is not full is the last one.
    let total = match total {
        Some(Total::Exactly(total)) => total,
        Some(Total::MoreThan(_)) => issues::count(session, list)?.view.count,
        None if views.is_empty() => issues::count(session, list)?.view.count,
        None => list.offset + views.len(),
    };
    Ok((total, views))
}

/// A page of the issues that match a query, the best first; those that are not ranked come last.
fn ranked(
    session: &Session,
    query: &str,
    list: List,
    skipped: usize,
    limit: usize,
) -> Result<(usize, Vec<IssueView>), Refusal> {
    let done = issues::search(session, query, RANKED)?;
    let ranks: HashMap<IssueId, usize> =
        done.view.hits.into_iter().enumerate().map(|(rank, hit)| (hit.id, rank)).collect();
    let all = List { offset: 0, limit: None, ..list };
    let done = issues::rows(session, &all)?;
    let mut ids: Vec<IssueId> = done.view.rows.into_iter().map(|row| row.id).collect();
    ids.sort_by_key(|id| ranks.get(id).copied().unwrap_or(usize::MAX));
    let snapshot = session.store().snapshot()?;
    let views = ids.iter().skip(skipped).take(limit).map(|id| Ok(IssueView::new(&existing(&snapshot, id)?)));
    Ok((ids.len(), views.collect::<Result<_, Refusal>>()?))
}
