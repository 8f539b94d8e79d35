//! A list of tasks in Markdown as the plan of an issue. A reader says which boxes are tasks and what each says of its order; how
//! they become a plan, and where they are ticked, is the same for all.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::boxes::{self, TaskBox};
use super::draft::{self, Draft, DraftTask};
use super::record::{PlanRecord, RecordedIssue, filled};
use super::written::{ListedBox, ListedBoxes};
use crate::interchange::tracker::Arrival;
use crate::model::plan_schema::MOST_TASKS;
use crate::model::{IssueId, StoredStatus, Time};

/// At most this many files of a task are listed.
const MOST_FILES: usize = 1000;

/// A box that is a task of its tool.
pub(super) struct ListedTask<'a> {
    pub(super) listed: TaskBox<'a>,
    /// Its id in the plan: `T1`.
    pub(super) id: String,
    pub(super) title: &'a str,
    /// What it belongs to, if it says so itself; else that is its group.
    pub(super) story: Option<&'a str>,
    /// What it comes after as it stands in the list.
    pub(super) order: TaskOrder,
    /// The tasks that it says it depends on, if it says anything of the kind.
    pub(super) named: Option<Vec<String>>,
}

/// What a task comes after.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskOrder {
    /// All tasks of the group before: in its own group, it can be done beside others.
    Group,
    /// Those before it in its group: the last one that could not be done beside others, and all after that.
    Previous,
}

/// The tasks of a list, in order.
pub(super) struct TaskList<'a> {
    /// The text with the list.
    text: &'a str,
    tasks: Vec<ListedTask<'a>>,
    /// How many of them each task of the plan has.
    sizes: Vec<usize>,
    /// Where each of them is, by its id: the first one of that id.
    places: BTreeMap<String, usize>,
}

impl<'a> TaskList<'a> {
    /// One task of the plan for each; if there are more than a plan has, one for each group, or phase, or several phases.
    pub(super) fn new(text: &'a str, tasks: Vec<ListedTask<'a>>) -> Self {
        let sizes = sizes(&tasks);
        let mut places = BTreeMap::new();
        for (place, task) in tasks.iter().enumerate() {
            places.entry(task.id.clone()).or_insert(place);
        }
        Self { text, tasks, sizes, places }
    }

    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there are tasks, and all of them are ticked.
    fn is_done(&self) -> bool {
        !self.tasks.is_empty() && self.tasks.iter().all(|task| task.listed.is_done)
    }

    /// The tasks of the plan. The last one is done if the criteria hold.
    fn plan_tasks(&self, criteria: &[String]) -> Vec<DraftTask> {
        let parts = self.parts();
        let ids: Vec<&str> = parts.iter().map(|part| self.tasks[part.start].id.as_str()).collect();
        let mut made = Vec::new();
        for (part, after) in parts.iter().zip(self.parts_before(&parts)) {
            let id = ids[made.len()];
            let depends_on =
                after.into_iter().filter(|n| *n != made.len()).map(|n| ids[n].to_owned()).collect();
            let more = if part.end == self.tasks.len() { criteria } else { &[] };
            made.push(plan_task(&self.tasks[part.clone()], id, depends_on, more));
        }
        made
    }

    /// The tasks of the list that each task of the plan has.
    fn parts(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let mut parts = Vec::new();
        for size in &self.sizes {
            parts.push(start..start + size);
            start += size;
        }
        parts
    }

    /// For each part, the numbers of those that it comes after.
    fn parts_before(&self, parts: &[Range<usize>]) -> Vec<BTreeSet<usize>> {
        let part_of = |place: usize| parts.partition_point(|part| part.end <= place);
        let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); parts.len()];
        // The group before that of a task, and where its own begins.
        let (mut before, mut first) = (0..0, 0);
        for (place, task) in self.tasks.iter().enumerate() {
            if place > 0 && !self.tasks[place - 1].listed.is_in_group_of(&task.listed) {
                before = first..place;
                first = place;
            }
            let own = &mut after[part_of(place)];
            let named = task.named.as_deref().unwrap_or_default();
            own.extend(named.iter().filter_map(|id| self.places.get(id)).map(|other| part_of(*other)));
            // What a task says itself replaces its order in the group, not that of the groups.
            if named.is_empty() && task.order == TaskOrder::Previous && first < place {
                let before = &self.tasks[first..place];
                let last = before.iter().rposition(|task| task.order == TaskOrder::Previous);
                own.extend((first + last.unwrap_or_default()..place).map(part_of));
            } else if !before.is_empty() {
                own.extend(part_of(before.start)..=part_of(before.end - 1));
            }
        }
        after
    }

    /// What the plan does not say of its list, in words.
    fn remarks(&self) -> BTreeSet<Cow<'static, str>> {
        let mut said: BTreeSet<Cow<'static, str>> = BTreeSet::new();
        if !self.is_done() && self.tasks.iter().any(|task| task.listed.is_done) {
            said.insert("which tasks are ticked there".into());
        }
        if self.sizes.len() < self.tasks.len() {
            said.insert(
                "single boxes: as there are many, those of a group became the steps of one task".into(),
            );
        }
        if self.tasks.iter().any(|task| task.listed.is_hidden) {
            said.insert("that a task is in a comment; it counts like any other".into());
        }
        for task in &self.tasks {
            if let Some(mark) = task.listed.other_mark(self.text) {
                said.insert(format!("the mark `[{mark}]` of a task, which counts as open").into());
            }
            if let Some(named) = &task.named {
                if named.is_empty() {
                    said.insert(
                        "`(depends on …)` that names no task, so that the order of the list counts".into(),
                    );
                }
                let unknown = named.iter().filter(|id| !self.places.contains_key(*id));
                said.extend(
                    unknown.map(|id| format!("`(depends on {id})`, which the list does not have").into()),
                );
            }
        }
        for mark in boxes::uncounted(self.text) {
            said.insert(format!("the mark `[{mark}]`, which makes no task").into());
        }
        said
    }

    /// The boxes with the tasks of the plan, in the file at the first of these places that exists.
    pub(super) fn boxes(&self, places: Vec<String>) -> ListedBoxes {
        let mut all = Vec::new();
        for (task, id) in self.tasks.iter().zip(self.own_ids()) {
            all.push(ListedBox { line: task.listed.text.to_owned(), title: task.title.to_owned(), id });
        }
        ListedBoxes { places, all }
    }

    /// For each task, the id of the task of the plan that it is in: that of the first one there.
    fn own_ids(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for &size in &self.sizes {
            let id = self.tasks[ids.len()].id.clone();
            ids.extend(std::iter::repeat_n(id, size));
        }
        ids
    }
}

/// An issue whose plan is a list of tasks.
pub(super) struct ListedIssue<'a> {
    pub(super) title: &'a str,
    pub(super) created: Option<Time>,
    /// The day on which it was archived, empty if that is not known: then it is closed, whatever is ticked.
    pub(super) archived: Option<&'a str>,
    /// What the plan does, if the tool says so apart from the title.
    pub(super) summary: Option<&'a str>,
    pub(super) approach: &'a str,
    pub(super) context: &'a str,
    /// When it is done.
    pub(super) criteria: Vec<String>,
    pub(super) list: TaskList<'a>,
    /// Other files with tasks of it, which are not in the list.
    pub(super) other_lists: Vec<OtherList<'a>>,
}

/// A file with tasks that are not in the plan.
pub(super) struct OtherList<'a> {
    name: &'a str,
    has_open: bool,
}

impl<'a> OtherList<'a> {
    /// Those with boxes among the files of a record that end with `own`, which is the list itself.
    pub(super) fn all(given: &PlanRecord<'a>, own: &'a str) -> Vec<Self> {
        let mut found = Vec::new();
        for (name, text) in given.files(own) {
            let all = boxes::boxes(text);
            if name != own && !all.is_empty() {
                found.push(Self { name, has_open: all.iter().any(|task| !task.is_done) });
            }
        }
        found
    }
}

impl ListedIssue<'_> {
    /// The issue with its plan, as they arrive.
    pub(super) fn arrival(self, given: &PlanRecord<'_>, id: IssueId) -> Arrival {
        let is_done = self.list.is_done() && !self.other_lists.iter().any(|other| other.has_open);
        let plan = (!self.list.text.trim().is_empty()).then(|| Draft {
            description: self.summary.unwrap_or(self.title).to_owned(),
            approach: filled(self.approach),
            tasks: self.list.plan_tasks(&self.criteria),
        });
        let is_closed = is_done || self.archived.is_some();
        let status = if is_closed { StoredStatus::Closed } else { StoredStatus::Registered };
        let said = RecordedIssue { title: self.title, author: None, created: self.created, status, plan };
        let mut arrival = given.arrival(id, said);
        arrival.issue.close_reason = match self.archived {
            Some("") => Some("archived".to_owned()),
            Some(day) => Some(format!("archived on {day}")),
            None => is_done.then(|| "all tasks are ticked".to_owned()),
        };
        arrival.issue.context = filled(self.context);
        arrival.issue.expected_behavior = filled(&self.criteria.join("\n"));
        arrival.kept.extend(self.list.remarks());
        for OtherList { name, .. } in self.other_lists {
            arrival.lasting.push(format!("the tasks in `{name}` are not in its plan"));
        }
        arrival
    }
}

/// How many tasks of a list each task of its plan has.
fn sizes(tasks: &[ListedTask<'_>]) -> Vec<usize> {
    if tasks.len() <= MOST_TASKS {
        return vec![1; tasks.len()];
    }
    let groups: Vec<usize> = tasks
        .chunk_by(|one, next| one.listed.is_in_group_of(&next.listed))
        .map(<[ListedTask<'_>]>::len)
        .collect();
    if groups.len() <= MOST_TASKS {
        return groups;
    }
    let phases: Vec<usize> = tasks
        .chunk_by(|one, next| one.listed.phase_at == next.listed.phase_at)
        .map(<[ListedTask<'_>]>::len)
        .collect();
    phases.chunks(phases.len().div_ceil(MOST_TASKS)).map(|several| several.iter().sum()).collect()
}

/// The task of a plan for some tasks of a list.
fn plan_task(part: &[ListedTask<'_>], id: &str, depends_on: Vec<String>, more: &[String]) -> DraftTask {
    let titles: Vec<String> =
        part.iter().map(|task| task.title.to_owned()).filter(|title| !title.is_empty()).collect();
    let first = &part[0];
    let groups = part.iter().map(|task| task.listed.group).filter(|group| !group.is_empty());
    let mut groups: Vec<&str> = groups.collect();
    groups.dedup();
    let group = Some(groups.join("; ")).filter(|group| !group.is_empty());
    let own = titles.first().cloned();
    let title = if part.len() > 1 { group.clone().or(own) } else { own };
    let mut below: Vec<&str> = Vec::new();
    for task in part {
        below.extend(&task.listed.below);
    }
    let mut files: Vec<String> = Vec::new();
    let paths = part.iter().flat_map(|task| draft::paths(task.title));
    for path in paths.take(MOST_FILES) {
        if !files.contains(&path) {
            files.push(path);
        }
    }
    let story = if part.len() > 1 { None } else { first.story.map(str::to_owned) };
    DraftTask {
        id: id.to_owned(),
        title: title.unwrap_or_else(|| id.to_owned()),
        scope: story.or(group),
        description: (!below.is_empty()).then(|| below.join("\n")),
        files,
        criteria: titles.iter().chain(more).cloned().collect(),
        steps: titles,
        depends_on,
        ..DraftTask::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interchange::plan_tools::boxes::boxes;

    fn list(text: &str) -> TaskList<'_> {
        let all = boxes(text).into_iter().enumerate();
        TaskList::new(
            text,
            all.map(|(n, listed)| ListedTask {
                id: format!("T{}", n + 1),
                title: listed.text,
                story: None,
                named: listed
                    .text
                    .split_once('>')
                    .map(|(_, on)| on.split_whitespace().map(str::to_owned).collect()),
                order: if listed.text.starts_with('p') { TaskOrder::Group } else { TaskOrder::Previous },
                listed,
            })
            .collect(),
        )
    }

    fn shown(text: &str) -> Vec<String> {
        let all = list(text).plan_tasks(&["end".to_owned()]);
        all.iter()
            .map(|task| format!("{} {} after {}", task.id, task.title, task.depends_on.join(",")))
            .collect()
    }

    #[test]
    fn a_group_comes_after_the_one_before() {
        let text = "## A\n- [ ] a\n- [ ] b\n## B\n- [ ] p\n- [ ] p\n- [ ] c\n- [ ] d\n## A\n- [ ] e>T1\n- [ ] f>T99\n- [ ] g>\n";
        assert_eq!(
            shown(text),
            [
                "T1 a after ",
                "T2 b after T1",
                "T3 p after T1,T2",
                "T4 p after T1,T2",
                "T5 c after T3,T4",
                "T6 d after T5",
                "T7 e>T1 after T1,T3,T4,T5,T6",
                "T8 f>T99 after T3,T4,T5,T6",
                "T9 g> after T8",
            ]
        );
        let remarks: Vec<_> = list(text).remarks().into_iter().collect();
        let said = [
            "`(depends on T99)`, which the list does not have",
            "`(depends on …)` that names no task, so that the order of the list counts",
        ];
        assert_eq!(remarks, said);
        assert_eq!(list(text).plan_tasks(&["end".to_owned()])[8].criteria, ["g>", "end"]);
    }

    #[test]
    fn many_tasks_become_the_steps_of_a_few() {
        let many = "- [ ] a\n".repeat(6);
        let groups = format!("## A\n### One\n{many}### Two\n{many}## B\n- [ ] b>T7\n");
        assert_eq!(shown(&groups), ["T1 One after ", "T7 Two after T1", "T13 b>T7 after T7"]);
        assert_eq!(list(&groups).own_ids()[5..8], ["T1", "T7", "T7"]);
        // Eleven groups in six phases, and fifteen phases.
        let small: String =
            (0..11).map(|n| if n % 2 == 0 { "## P\n### G\n- [ ] a\n" } else { "### G\n- [ ] a\n" }).collect();
        assert_eq!(list(&small).sizes, [2, 2, 2, 2, 2, 1]);
        let phases = "## P\n- [ ] a\n".repeat(15);
        assert_eq!(list(&phases).sizes, [2, 2, 2, 2, 2, 2, 2, 1]);
        // A task that has several groups is called like all of them.
        let named: String = (0..11).map(|n| format!("## G{n}\n- [ ] a\n")).collect();
        assert_eq!(shown(&named)[..2], ["T1 G0; G1 after ", "T3 G2; G3 after T1"]);
        let flat = "- [ ] a\n".repeat(40);
        assert_eq!(list(&flat).sizes, [40]);
    }
}
