//! Which entries of a tool's list are done, by the plan as it was claimed: the list may have changed since, and a task of the
//! plan may stand for several of its entries.

use std::collections::{BTreeMap, BTreeSet};

use super::written::{Progress, Stage};

/// A task of the imported plan, as it was claimed.
#[derive(Debug)]
pub(crate) struct ClaimedTask {
    pub(crate) id: String,
    /// The entries that it was made of.
    pub(crate) titles: BTreeSet<String>,
    /// Whether it was made of several entries, so that a commit does not show which of them is done.
    pub(crate) is_joined: bool,
    /// Whether a commit is linked to it.
    pub(crate) has_work: bool,
    /// Whether all of its criteria were accepted.
    pub(crate) is_accepted: bool,
}

/// A box or a subtask, as it was last imported.
pub(super) struct ListEntry<'a> {
    /// Its task in the plan.
    pub(super) id: &'a str,
    /// Its number in the list, if it has one: `1.1`, `T001`.
    pub(super) number: Option<&'a str>,
    pub(super) title: &'a str,
}

/// Whether an entry is to be marked as done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    No,
    /// It was done with the rest: unless it was put off or given up there.
    WithRest,
    /// It was done itself.
    Done,
}

impl ClaimedTask {
    /// Whether everything that it stands for is done, whatever is left of the plan.
    pub(crate) fn is_done(&self) -> bool {
        self.is_accepted || self.has_work && !self.is_joined
    }

    /// The number of an entry with this title.
    fn number<'a>(&'a self, title: &'a str) -> Option<&'a str> {
        number_of(title).or(if self.is_joined { None } else { Some(&self.id) })
    }
}

impl Progress {
    /// What to do with each entry of a list, and the tasks that are done and of which the list has no entry any more.
    pub(super) fn marks(&self, entries: &[ListEntry<'_>]) -> (Vec<Mark>, Vec<String>) {
        let tasks = self.claimed_tasks(entries);
        let mut marks = Vec::new();
        for task in &tasks {
            marks.push(match task {
                Some(task) if task.is_done() => Mark::Done,
                // What was added since the plan was claimed is not done with it.
                None if !self.claimed.is_empty() => Mark::No,
                _ if self.stage == Stage::Done => Mark::WithRest,
                _ => Mark::No,
            });
        }
        let found: BTreeSet<&str> = tasks.iter().flatten().map(|task| task.id.as_str()).collect();
        let missing = self.claimed.iter().filter(|task| self.stage == Stage::Done || task.is_done());
        let missing = missing.filter(|task| !found.contains(task.id.as_str()));
        (marks, missing.map(|task| task.id.clone()).collect())
    }

    /// The claimed task of each entry: the one with its title, else with its words, whatever its number, else with its number
    /// and at least half of its words. `None` if there is none, or if it cannot be told.
    fn claimed_tasks(&self, entries: &[ListEntry<'_>]) -> Vec<Option<&ClaimedTask>> {
        let claimed = ClaimedTitles::new(&self.claimed);
        let listed = ListedTitles::new(entries);
        entries.iter().map(|entry| claimed.find(entry, &listed)).collect()
    }
}

/// The claimed tasks by what their entries were called.
struct ClaimedTitles<'a> {
    all: &'a [ClaimedTask],
    titled: BTreeMap<&'a str, Vec<&'a ClaimedTask>>,
    /// By the words without the number.
    worded: BTreeMap<Vec<String>, Vec<&'a ClaimedTask>>,
    numbered: BTreeMap<&'a str, Vec<(&'a ClaimedTask, &'a str)>>,
}

/// What the entries of a list are called now.
#[derive(Default)]
struct ListedTitles<'a> {
    /// The tasks in the plan of those with a title.
    titled: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// How many there are with these words, and with a number.
    worded: BTreeMap<Vec<String>, usize>,
    numbered: BTreeMap<&'a str, usize>,
}

impl<'a> ListedTitles<'a> {
    fn new(entries: &'a [ListEntry<'a>]) -> Self {
        let mut listed = Self::default();
        for entry in entries {
            listed.titled.entry(entry.title).or_default().insert(entry.id);
            *listed.worded.entry(words(entry.title)).or_default() += 1;
            if let Some(number) = entry.number {
                *listed.numbered.entry(number).or_default() += 1;
            }
        }
        listed
    }
}

impl<'a> ClaimedTitles<'a> {
    fn new(claimed: &'a [ClaimedTask]) -> Self {
        let (titled, worded, numbered) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut titles = Self { all: claimed, titled, worded, numbered };
        for task in claimed {
            for title in task.titles.iter().map(String::as_str) {
                titles.titled.entry(title).or_default().push(task);
                titles.worded.entry(words(title)).or_default().push(task);
                if let Some(number) = task.number(title) {
                    titles.numbered.entry(number).or_default().push((task, title));
                }
            }
        }
        titles
    }

    fn find(&self, entry: &ListEntry<'_>, listed: &ListedTitles<'_>) -> Option<&'a ClaimedTask> {
        if entry.title.is_empty() {
            return self.all.iter().find(|task| task.id == entry.id);
        }
        if let Some(same) = self.titled.get(entry.title) {
            let now = &listed.titled[entry.title];
            if let ([only], 1) = (&same[..], now.len()) {
                return Some(only);
            }
            // Of several with one title, each is known only if none was added, moved or removed.
            let before: BTreeSet<&str> = same.iter().map(|task| task.id.as_str()).collect();
            return if before == *now { same.iter().find(|task| task.id == entry.id).copied() } else { None };
        }
        let own = words(entry.title);
        if let Some(same) = self.worded.get(&own) {
            return if let ([only], 1) = (&same[..], listed.worded[&own]) { Some(only) } else { None };
        }
        let number = entry.number.filter(|number| listed.numbered[number] == 1)?;
        match self.numbered.get(number).map(Vec::as_slice) {
            Some([(task, title)])
                if !listed.worded.contains_key(&words(title)) && is_reworded(title, entry.title) =>
            {
                Some(task)
            }
            _ => None,
        }
    }
}

/// The number with which the text of a box begins.
pub(super) fn number_of(text: &str) -> Option<&str> {
    let first = text.split_whitespace().next()?.trim_matches(['*', '[', ']', ':', '.']);
    let digits = first.strip_prefix('T').unwrap_or(first);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
    (is_number && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')).then_some(first)
}

/// The words of a box, without its number and marks such as `[P]`.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().skip(usize::from(number_of(text).is_some()));
    words
        .filter(|word| !(word.starts_with('[') && word.ends_with(']')))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Whether two texts with one number are the same task in other words: at least half of the words are the same.
pub(super) fn is_reworded(old: &str, new: &str) -> bool {
    let (before, now): (BTreeSet<_>, BTreeSet<_>) =
        (words(old).into_iter().collect(), words(new).into_iter().collect());
    before.intersection(&now).count() * 2 >= before.len().max(now.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IssueId;

    fn claimed(id: &str, titles: &[&str], has_work: bool) -> ClaimedTask {
        let is_joined = titles.len() > 1;
        let titles = titles.iter().map(|&title| title.to_owned()).collect();
        ClaimedTask { id: id.into(), titles, is_joined, has_work, is_accepted: false }
    }

    fn marks(stage: Stage, claimed: Vec<ClaimedTask>, now: &[(&str, &str)]) -> (Vec<Mark>, Vec<String>) {
        let mut entries = Vec::new();
        for (id, title) in now {
            entries.push(ListEntry { id, number: number_of(title), title });
        }
        Progress { issue: IssueId::parse("OS-a").unwrap(), stage, claimed }.marks(&entries)
    }

    #[test]
    fn work_counts_for_the_entry_that_was_claimed_and_not_for_its_place() {
        let plan = || vec![claimed("T1", &["1.1 Wash the bowl"], true), claimed("T2", &["1.2 Test"], false)];
        for (now, expected) in [
            // One was added above.
            (
                vec![("T1", "1.0 Ask legal"), ("T2", "1.1 Wash the bowl"), ("T3", "1.2 Test")],
                vec![Mark::No, Mark::Done, Mark::No],
            ),
            // The list was numbered again.
            (vec![("T1", "1.1 Wash the cup"), ("T2", "1.2 Wash the bowl")], vec![Mark::No, Mark::Done]),
            (vec![("T1", "Ask"), ("T2", "1.1 Scrub the bowl")], vec![Mark::No, Mark::Done]),
            (vec![("T1", "1.1 Order hay"), ("T2", "1.2 Test")], vec![Mark::No, Mark::No]),
        ] {
            assert_eq!(marks(Stage::Working, plan(), &now).0, expected, "{now:?}");
        }
        assert_eq!(marks(Stage::Working, plan(), &[("T1", "1.2 Test")]).1, ["T1"]);
    }

    #[test]
    fn of_equal_titles_only_those_that_stayed_are_known() {
        let plan = || vec![claimed("T1", &["same"], true), claimed("T2", &["same"], false)];
        let same = [("T1", "same"), ("T2", "same")];
        assert_eq!(marks(Stage::Working, plan(), &same).0, [Mark::Done, Mark::No]);
        let moved = [("T1", "new"), ("T2", "same"), ("T3", "same")];
        assert_eq!(marks(Stage::Working, plan(), &moved), (vec![Mark::No; 3], vec!["T1".to_owned()]));
    }

    #[test]
    fn a_task_of_several_entries_is_done_once_it_was_accepted_or_the_issue_is_over() {
        let now = [("T1", "a"), ("T1", "b"), ("T1", "added")];
        let joined = |is_accepted| vec![ClaimedTask { is_accepted, ..claimed("T1", &["a", "b"], true) }];
        assert_eq!(marks(Stage::Working, joined(false), &now).0, [Mark::No; 3]);
        assert_eq!(marks(Stage::Working, joined(true), &now).0, [Mark::Done, Mark::Done, Mark::No]);
        assert_eq!(marks(Stage::Done, joined(false), &now).0, [Mark::WithRest, Mark::WithRest, Mark::No]);
        // Nobody executed the imported plan: the issue was closed, or another plan was completed.
        assert_eq!(marks(Stage::Done, vec![], &now).0, [Mark::WithRest; 3]);
    }
}
