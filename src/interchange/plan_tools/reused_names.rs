//! Which issue a plan is, if its tool gives a name out again once a plan is archived: the first plan of a name has the id of
//! that name, whenever it is imported, and any other plan of the name gets an id of its own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::PlanFiles;
use super::record::PlanRecord;
use crate::interchange::tracker::RefusedRecord;
use crate::model::{IssueId, Uid, digest};

/// The member of a record with the id of its issue, if that does not follow from its name.
const ISSUE: &str = "issue";
/// The member of a record with the ids of other plans that do not follow from their names.
const OTHERS: &str = "others";

/// A tool that gives names out again.
pub(crate) struct ReusedNames {
    /// With what the ids of its issues begin.
    pub(super) prefix: &'static str,
    /// Whether a plan says itself which issue it is.
    pub(super) is_named: fn(&PlanRecord<'_>) -> bool,
    /// What tells a plan from others of its name, in its id.
    pub(super) more: fn(&PlanRecord<'_>) -> Option<String>,
    /// Whether it is archived, so that its name is free.
    pub(super) is_archived: fn(&Value) -> bool,
    /// When it had its name, as a text that can be compared; empty if that is not known.
    pub(super) since: fn(&Value) -> &str,
    /// How sure it is that a record that was imported earlier is about the same plan as a new one.
    pub(super) likeness: fn(&Value, &Value) -> Likeness,
}

/// How sure it is that two records are about one plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// They are about two plans.
    Other,
    /// Nothing speaks against it.
    Possible,
    /// They have the same name and content.
    Same,
}

impl ReusedNames {
    /// Gives each plan the id that it has here. `known`: the issues with the id of a name, and with ids that begin with it, which
    /// were imported from this tool, with their records.
    pub(crate) fn settle(&self, files: &mut PlanFiles, known: impl Fn(&IssueId) -> Vec<(IssueId, Value)>) {
        let mut by_name: BTreeMap<IssueId, Vec<&mut Value>> = BTreeMap::new();
        for record in files.records_mut() {
            if let Some(id) = self.short(record) {
                by_name.entry(id).or_default().push(record);
            }
        }
        let mut renamed = serde_json::Map::new();
        for (id, mut plans) in by_name {
            // The oldest one comes first: it had the name when there was no other. A name is free only once its plan is archived.
            plans.sort_by_key(|plan| {
                (!(self.is_archived)(plan), (self.since)(plan).to_owned(), self.long(plan))
            });
            let known = known(&id);
            let mut taken: BTreeSet<IssueId> = known.iter().map(|known| known.0.clone()).collect();
            let mut owned = self.owned(&id, &known, &plans);
            for (place, plan) in plans.into_iter().enumerate() {
                let own = owned.remove(&place).or_else(|| self.free(&id, plan, &taken));
                let Some(own) = own else { continue };
                taken.insert(own.clone());
                if own == id {
                    continue;
                }
                if !(self.is_archived)(plan) {
                    renamed.insert(id.to_string(), own.as_str().into());
                }
                plan[ISSUE] = own.as_str().into();
            }
        }
        if !renamed.is_empty() {
            for record in files.records_mut().filter(|record| !(self.is_archived)(record)) {
                record[OTHERS] = json!(renamed);
            }
        }
    }

    /// The issues that plans were imported as earlier, by the places of the plans. If it cannot be told which plan an issue is, it
    /// is an archived one: a name is free for another plan only then.
    fn owned(
        &self,
        id: &IssueId,
        known: &[(IssueId, Value)],
        plans: &[&mut Value],
    ) -> BTreeMap<usize, IssueId> {
        let mut pairs = Vec::new();
        for (n, (issue, earlier)) in known.iter().enumerate() {
            for (place, plan) in plans.iter().enumerate() {
                let likeness = (self.likeness)(earlier, plan);
                let is_of_name = issue == id || earlier["name"] == plan["name"];
                if likeness != Likeness::Other && is_of_name {
                    pairs.push((likeness, (self.is_archived)(plan), Reverse(place), Reverse(n)));
                }
            }
        }
        pairs.sort();
        let (mut owned, mut settled) = (BTreeMap::new(), BTreeSet::new());
        for (_, _, Reverse(place), Reverse(n)) in pairs.into_iter().rev() {
            if !owned.contains_key(&place) && settled.insert(n) {
                owned.insert(place, known[n].0.clone());
            }
        }
        owned
    }

    /// An id for a plan that was not imported yet: that of its name, else with what tells it from others, else also with a
    /// number that follows from its files.
    fn free(&self, id: &IssueId, plan: &Value, taken: &BTreeSet<IssueId>) -> Option<IssueId> {
        if !taken.contains(id) {
            return Some(id.clone());
        }
        let long = self.long(plan)?;
        if !taken.contains(&long) {
            return Some(long);
        }
        let files = digest::canonical(&plan["files"]);
        let number = Uid::from_content(&[(self.since)(plan).as_bytes(), files.as_bytes()]);
        IssueId::parse(&format!("{long}-{number}")).ok()
    }

    /// The id of a plan that alone has its name; `None` if it says itself which issue it is.
    fn short(&self, record: &Value) -> Option<IssueId> {
        let given = PlanRecord::read(record).ok().filter(|given| !(self.is_named)(given))?;
        given.id(self.prefix, given.name).ok()
    }

    /// An id that distinguishes it from others of its name.
    fn long(&self, record: &Value) -> Option<IssueId> {
        let given = PlanRecord::read(record).ok()?;
        let more = (self.more)(&given)?;
        given.id(self.prefix, format!("{}-{more}", given.name).trim_end_matches('-')).ok()
    }
}

impl PlanRecord<'_> {
    /// The id of its issue: the one that an import settled, else that of its name.
    ///
    /// # Errors
    /// If its name cannot be part of an id.
    pub(super) fn settled_id(&self, prefix: &str) -> Result<IssueId, RefusedRecord> {
        let settled = self.text(ISSUE).and_then(|id| IssueId::parse(id).ok());
        match settled.filter(|id| id.as_str().starts_with(prefix)) {
            Some(id) => Ok(id),
            None => self.id(prefix, self.name),
        }
    }

    /// The id of another plan that has this id if its name is its own.
    pub(super) fn settled_other(&self, id: IssueId) -> IssueId {
        let settled = self.member(OTHERS)[id.as_str()].as_str();
        settled.and_then(|other| IssueId::parse(other).ok()).unwrap_or(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: ReusedNames = ReusedNames {
        prefix: "P",
        is_named: |_| false,
        more: |plan| plan.text("day").map(str::to_owned),
        is_archived: |plan| plan["archived"] == true,
        likeness: |earlier, new| {
            if earlier["day"] == new["day"] { Likeness::Same } else { Likeness::Other }
        },
        since: |plan| plan["day"].as_str().unwrap_or_default(),
    };

    fn plan(day: &str, is_archived: bool) -> Value {
        json!({"name": "a", "day": day, "archived": is_archived})
    }

    /// The ids of the plans, given the day of the plan that the issue `P-a` was imported from.
    fn settled(known: Option<&str>, plans: &[(&str, bool)]) -> Vec<String> {
        let mut files = PlanFiles::default();
        for &(day, is_archived) in plans {
            files.add(day.to_owned(), plan(day, is_archived));
        }
        NAMES.settle(&mut files, |id| {
            assert_eq!(id.as_str(), "P-a");
            known.map(|day| (id.clone(), plan(day, false))).into_iter().collect()
        });
        let all = files.records_mut();
        all.map(|record| PlanRecord::read(record).unwrap().settled_id("P").unwrap().to_string()).collect()
    }

    #[test]
    fn the_name_belongs_to_the_first_plan_whenever_it_is_imported() {
        assert_eq!(settled(None, &[("1", true)]), ["P-a"]);
        assert_eq!(settled(None, &[("1", true), ("2", false)]), ["P-a", "P-a-2"]);
        assert_eq!(settled(None, &[("2", true), ("1", true), ("3", false)]), ["P-a-2", "P-a", "P-a-3"]);
    }

    #[test]
    fn an_issue_stays_its_plan_when_that_is_archived_and_its_name_is_given_out_again() {
        assert_eq!(settled(Some("1"), &[("1", true)]), ["P-a"]);
        assert_eq!(settled(Some("1"), &[("1", true), ("2", false)]), ["P-a", "P-a-2"]);
        assert_eq!(settled(Some("2"), &[("1", true), ("2", false)]), ["P-a-1", "P-a"]);
        assert_eq!(settled(Some("3"), &[("1", true), ("2", false)]), ["P-a-1", "P-a-2"]);
    }

    #[test]
    fn a_plan_keeps_the_id_that_it_got_beside_another_one_and_a_day_that_is_taken_gets_a_number() {
        let mut files = PlanFiles::default();
        files.add("1".into(), plan("1", true));
        files.add("2".into(), plan("2", true));
        files.add("3".into(), plan("2", false));
        let [first, second] = ["P-a", "P-a-2"].map(|id| IssueId::parse(id).unwrap());
        NAMES.settle(&mut files, |_| {
            vec![(first.clone(), plan("1", true)), (second.clone(), plan("2", false))]
        });
        let ids: Vec<String> = files
            .records_mut()
            .map(|record| PlanRecord::read(record).unwrap().settled_id("P").unwrap().to_string())
            .collect();
        assert_eq!(ids[..2], ["P-a", "P-a-2"]);
        assert!(ids[2].starts_with("P-a-2-"), "{ids:?}");
    }

    #[test]
    fn references_to_a_name_lead_to_the_plan_that_has_it_there() {
        let mut files = PlanFiles::default();
        files.add("1".into(), plan("1", true));
        files.add("2".into(), plan("2", false));
        NAMES.settle(&mut files, |id| vec![(id.clone(), plan("1", false))]);
        let record = files.records_mut().nth(1).unwrap().clone();
        let other = PlanRecord::read(&record).unwrap().settled_other(IssueId::parse("P-a").unwrap());
        assert_eq!(other.as_str(), "P-a-2");
    }
}
