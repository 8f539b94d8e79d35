//! Which agent made a commit: the one that was at work when a hook linked it, or when it was authored.

use std::collections::HashMap;

use super::ExecutionFolder;
use crate::model::{AgentSession, CommitHash, Event, LinkedBy, MadeBy, Person, Time};

/// What is known about the making of a commit.
#[derive(Debug, Clone, Copy)]
struct Linked<'a> {
    at: Time,
    /// Where in the log a hook linked it.
    place: Option<usize>,
    author: &'a Person,
}

impl ExecutionFolder {
    /// The sessions of agents that worked on it, in the order of the log.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &AgentSession> {
        self.session_entries().map(|(_, _, session)| session)
    }

    /// The sessions, each with its place in the log and who recorded it.
    fn session_entries(&self) -> impl Iterator<Item = (usize, &Person, &AgentSession)> {
        self.log.iter().enumerate().filter_map(|(place, entry)| match &entry.event {
            Event::Session(session) => Some((place, &entry.actor, session)),
            _ => None,
        })
    }

    /// The sessions, each with its end: that of the execution for an agent that claimed the work itself. `None` while
    /// it continues.
    pub(crate) fn sessions_with_ends(&self) -> impl Iterator<Item = (&AgentSession, Option<Time>)> {
        let over = self.over_at();
        self.sessions().map(move |session| (session, session.own_end().or(over)))
    }

    /// When it ended, or was set aside.
    fn over_at(&self) -> Option<Time> {
        self.finished_at().or_else(|| self.aside_entry().map(|(entry, _)| entry.at))
    }

    /// Where in the log it ended, or was set aside.
    fn ended_in(&self) -> Option<usize> {
        let aside = self.aside_entry().map(|(entry, _)| entry);
        self.log.iter().position(|entry| {
            matches!(entry.event, Event::End(_)) || aside.is_some_and(|aside| std::ptr::eq(aside, entry))
        })
    }

    /// The agents that made the linked commits, by the hash of the commit and by its earlier hashes from before it
    /// was rewritten.
    pub(crate) fn agents_by_hash(&self) -> HashMap<CommitHash, MadeBy> {
        let mut agents = HashMap::new();
        if self.sessions().next().is_none() {
            return agents;
        }
        let linked_at = self.linked_at();
        for commit in self.commits() {
            let hashes: Vec<CommitHash> =
                commit.rewritten_from.into_iter().chain([commit.link.hash]).collect();
            // A rewritten commit is still the work of the agent that first made it.
            let first = hashes.iter().filter_map(|hash| linked_at.get(hash)).min_by_key(|linked| linked.at);
            let Some(session) = first.and_then(|linked| self.session_of(linked)) else { continue };
            agents.extend(hashes.into_iter().map(|hash| (hash, MadeBy::from(session))));
        }
        agents
    }

    /// When each commit was linked: for the first time, or since it was last unlinked.
    fn linked_at(&self) -> HashMap<&CommitHash, Linked<'_>> {
        let mut linked = HashMap::new();
        for (place, entry) in self.log.iter().enumerate() {
            match &entry.event {
                Event::Commit(link) => {
                    // A hook links a commit when it is made; everything else links it later.
                    let (at, place) = match link.linked_by {
                        LinkedBy::Hook => (entry.at, Some(place)),
                        _ => (link.authored_at, None),
                    };
                    let made = Linked { at, place, author: &link.author };
                    linked.entry(&link.hash).or_insert(made);
                }
                Event::Unlink(unlink) => {
                    linked.remove(&unlink.hash);
                }
                _ => {}
            }
        }
        linked
    }

    /// The session in which a commit was made. If there are several, the one that started last.
    fn session_of(&self, linked: &Linked<'_>) -> Option<&AgentSession> {
        let sessions = self.session_entries().filter(|(place, actor, session)| match session.own_end() {
            Some(end) => starts_by(session, linked.at) && linked.at <= end,
            None => self.covers(*place, actor, session, linked),
        });
        sessions.max_by_key(|(place, _, session)| (session.started_at, *place)).map(|(_, _, session)| session)
    }

    /// Whether a commit was made in a session that lasts until the execution ends. The order of the log is certain;
    /// clocks are not. For a commit that no hook linked there is only its date, so its author counts too.
    fn covers(&self, start: usize, actor: &Person, session: &AgentSession, linked: &Linked<'_>) -> bool {
        match linked.place {
            Some(place) => start < place && self.ended_in().is_none_or(|end| place < end),
            None => {
                linked.author.identity() == actor.identity()
                    && starts_by(session, linked.at)
                    && self.over_at().is_none_or(|over| linked.at <= over)
            }
        }
    }
}

/// Whether a session had started. git keeps whole seconds.
fn starts_by(session: &AgentSession, at: Time) -> bool {
    session.started_at.millis() / 1000 <= at.millis() / 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{
        Aside, AsideReason, CommitLink, End, ExecutionStatus, LogEntry, Rewrite, SessionProtocol, Unlink,
    };
    use crate::rules::test_claim::claim;

    fn time(seconds: i64) -> Time {
        Time::from_seconds(seconds).unwrap()
    }

    fn session(agent: &str, from: i64, to: i64) -> Event {
        Event::Session(AgentSession {
            agent: agent.into(),
            model: None,
            protocol: SessionProtocol::Plain,
            session_id: None,
            started_at: time(from),
            ended_at: Some(time(to)),
            tokens: None,
            cost: None,
            transcript_sha256: None,
            summary: None,
        })
    }

    fn link(hash: &str) -> Event {
        Event::Commit(CommitLink {
            hash: hash.into(),
            task_id: None,
            other_task_ids: vec![],
            subject: "s".into(),
            author: "a".into(),
            authored_at: time(0),
            files: vec![],
            linked_by: LinkedBy::Hook,
            reverts: vec![],
            tree: None,
        })
    }

    fn folder(events: Vec<(i64, Event)>) -> ExecutionFolder {
        let id = entry_id("20261121T021405123Z-00000");
        let entry = |(at, event)| LogEntry { id: id.clone(), event, actor: "a".into(), at: time(at) };
        ExecutionFolder { execution: claim("EXR-ISS-1-a", 1), log: events.into_iter().map(entry).collect() }
    }

    fn agents(events: Vec<(i64, Event)>) -> Vec<(String, String)> {
        let found = folder(events).agents_by_hash();
        let mut found: Vec<_> =
            found.into_iter().map(|(hash, by)| (hash.to_string()[..1].to_owned(), by.agent)).collect();
        found.sort();
        found
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(hash, agent)| ((*hash).to_owned(), (*agent).to_owned())).collect()
    }

    #[test]
    fn a_commit_belongs_to_the_session_in_which_it_was_linked() {
        let log = vec![
            (15, link("a")),
            (20, session("first", 10, 20)),
            (25, link("b")),
            (35, link("c")),
            (40, session("second", 30, 40)),
            (41, link("d")),
        ];
        assert_eq!(agents(log), pairs(&[("a", "first"), ("c", "second")]));
        assert_eq!(agents(vec![(15, link("a"))]), pairs(&[]));
    }

    #[test]
    fn a_commit_that_was_linked_later_belongs_to_the_session_in_which_it_was_authored() {
        let relinked = |authored_at| match link("a") {
            Event::Commit(link) => Event::Commit(CommitLink {
                linked_by: LinkedBy::Relink,
                authored_at: time(authored_at),
                ..link
            }),
            other => other,
        };
        let log = |authored_at| vec![(20, session("first", 10, 20)), (99, relinked(authored_at))];
        assert_eq!(agents(log(15)), pairs(&[("a", "first")]));
        assert_eq!(agents(log(25)), pairs(&[]));
    }

    #[test]
    fn the_session_of_an_agent_that_claimed_the_work_lasts_until_the_execution_ends() {
        let claimed = |agent: &str, at, ended_at| match session(agent, at, at) {
            Event::Session(session) => {
                Event::Session(AgentSession { protocol: SessionProtocol::Mcp, ended_at, ..session })
            }
            other => other,
        };
        let end = || {
            Event::End(End {
                status: ExecutionStatus::Completed,
                result: None,
                failure: None,
                patch_id: None,
                forced: None,
                onto: None,
            })
        };
        let aside = Event::Aside(Aside {
            status: ExecutionStatus::Executing,
            reason: AsideReason::Release,
            forced: None,
        });
        let log = |over: Option<Event>| {
            let begun = vec![(10, claimed("first", 10, None)), (15, link("a"))];
            begun.into_iter().chain(over.map(|end| (20, end))).chain([(25, link("b"))]).collect::<Vec<_>>()
        };
        assert_eq!(agents(log(None)), pairs(&[("a", "first"), ("b", "first")]));
        assert_eq!(agents(log(Some(end()))), pairs(&[("a", "first")]));
        assert_eq!(agents(log(Some(aside))), pairs(&[("a", "first")]));
        // Earlier versions recorded an end that was none.
        let old = vec![(10, claimed("first", 10, Some(time(10)))), (15, link("a"))];
        assert_eq!(agents(old), pairs(&[("a", "first")]));
        // An agent that continues with the work of another made what follows.
        let two = vec![
            (10, claimed("first", 10, None)),
            (15, link("a")),
            (20, claimed("second", 20, None)),
            (25, link("b")),
        ];
        assert_eq!(agents(two), pairs(&[("a", "first"), ("b", "second")]));
        // The log has an order where the clock has none.
        let same_second = vec![
            (10, claimed("first", 10, None)),
            (10, link("a")),
            (10, claimed("second", 10, None)),
            (10, link("b")),
        ];
        assert_eq!(agents(same_second), pairs(&[("a", "first"), ("b", "second")]));
        // Without a hook, only the commits of the person who claimed the work are the agent's.
        let by = |hash: &str, author: &str| match link(hash) {
            Event::Commit(link) => Event::Commit(CommitLink {
                linked_by: LinkedBy::Relink,
                author: author.into(),
                authored_at: time(15),
                ..link
            }),
            other => other,
        };
        let relinked = vec![(10, claimed("first", 10, None)), (20, by("a", "a")), (20, by("b", "bob"))];
        assert_eq!(agents(relinked), pairs(&[("a", "first")]));
        let over = folder(vec![(10, claimed("first", 10, None)), (20, end())]);
        assert_eq!(over.sessions_with_ends().next().unwrap().1, Some(time(20)));
    }

    #[test]
    fn of_two_sessions_at_once_the_later_one_made_it() {
        let log = vec![(15, link("a")), (20, session("inner", 14, 20)), (30, session("outer", 10, 30))];
        assert_eq!(agents(log), pairs(&[("a", "inner")]));
    }

    #[test]
    fn a_rewritten_commit_stays_with_its_author_and_one_linked_again_does_not() {
        let rewrite = Event::Rewrite(Rewrite { old: "a".into(), new: "b".into(), tree: None });
        let log = vec![(15, link("a")), (20, session("first", 10, 20)), (50, rewrite)];
        assert_eq!(agents(log), pairs(&[("a", "first"), ("b", "first")]));
        let unlink = Event::Unlink(Unlink { hash: "a".into() });
        let log = vec![(15, link("a")), (20, session("first", 10, 20)), (50, unlink), (60, link("a"))];
        assert_eq!(agents(log), pairs(&[]));
    }
}
