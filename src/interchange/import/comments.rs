//! Writes the comments of a source. A comment is identified by its id there and by when it was written. A new text is an
//! edit of it, stamped with the time of change in the source, so that it wins over earlier edits made here, and loses to
//! later ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::interchange::tracker::Arrival;
use crate::model::{Comment, EntryId, OnceSchema, REDACTED, Stamp, Time, count, entry_at, entry_bytes};
use crate::rules::folder::thread;
use crate::store::{ReadState, Redactions, StoreError, Tx, layout};

/// How many comments were written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Comments {
    /// Comments that were not here.
    pub(super) new: u64,
    /// The comments that have another text now.
    pub(super) edited: u64,
}

/// Adds the comments that are missing, and the texts that changed. If the record `is_lesser` than one with the same time
/// of change, that one's texts are kept.
pub(super) fn write(tx: &mut Tx<'_>, arrival: &Arrival, is_lesser: bool) -> Result<Comments, StoreError> {
    if arrival.comments.is_empty() {
        return Ok(Comments::default());
    }
    let folder = layout::comments(&arrival.issue.id);
    let hidden = Redactions::load(tx, &layout::issue_folder(&arrival.issue.id))?;
    let mut here = sound(tx, &folder)?;
    let (written, count) = news(&mut here, &arrival.comments, is_lesser, &|id: &EntryId| {
        hidden.is_about(&layout::entry(&folder, id))
    });
    for entry in written {
        tx.write(layout::entry(&folder, &entry.id), entry_bytes(&entry))?;
    }
    Ok(count)
}

/// The entries to add to those that are `here`, and adds them. An entry is written once, so an existing one stays as it
/// is. What is hidden stays hidden.
fn news(
    here: &mut Vec<Comment>,
    arrived: &[Comment],
    is_lesser: bool,
    is_hidden: &dyn Fn(&EntryId) -> bool,
) -> (Vec<Comment>, Comments) {
    let mut count = Comments::default();
    let mut written = Vec::new();
    let all = Arrived::new(arrived);
    // The entries here, by the ids that the arrival has for them.
    let mut known: BTreeMap<&EntryId, EntryId> = BTreeMap::new();
    for comment in arrived {
        if is_hidden(&comment.id) {
            continue;
        }
        let edits = comment.edits.as_ref().map(|id| known.get(id).unwrap_or(id).clone());
        let is_here = here.iter().any(|other| other.id == comment.id);
        let entry = match version_of(here, comment, edits.as_ref(), &all) {
            None if is_here => continue,
            Some(last)
                if same_text(&last.body, &comment.body)
                    || is_lesser
                    || last.body == REDACTED
                    || is_hidden(&last.id)
                    // Otherwise an undo withdrew or changed it.
                    || (is_here && all.ids.contains(&last.id)) =>
            {
                known.insert(&comment.id, last.id.clone());
                continue;
            }
            Some(last) => {
                count.edited += 1;
                edit(here, last, comment)
            }
            None => {
                count.new += 1;
                at(&comment.id.stamp(), Comment { edits, ..comment.clone() })
            }
        };
        known.insert(&comment.id, entry.id.clone());
        let place = here.partition_point(|other| other.id < entry.id);
        here.insert(place, entry.clone());
        written.push(entry);
    }
    (written, count)
}

/// The entries that are what they were written as, in order.
fn sound(tx: &Tx<'_>, folder: &str) -> Result<Vec<Comment>, StoreError> {
    let mut found = Vec::new();
    for name in tx.names(folder)? {
        let Some(Ok(id)) = name.strip_suffix(".json").map(EntryId::parse) else { continue };
        let Some(bytes) = tx.file(&layout::entry(folder, &id))? else { continue };
        if layout::entry_file(OnceSchema::new::<Comment>(), Some(id.as_str()), &bytes).is_ok() {
            found.extend(serde_json::from_slice::<Comment>(&bytes));
        }
    }
    Ok(found)
}

/// By what the comments of a source are known.
#[derive(Default)]
struct Arrived<'a> {
    ids: BTreeSet<&'a EntryId>,
    source_ids: BTreeSet<&'a str>,
    /// How many there are of each time.
    times: BTreeMap<Time, usize>,
}

impl<'a> Arrived<'a> {
    fn new(comments: &'a [Comment]) -> Self {
        let mut all = Self::default();
        for comment in comments {
            all.ids.insert(&comment.id);
            all.source_ids.extend(comment.source_id.as_deref());
            *all.times.entry(comment.created_at).or_default() += 1;
        }
        all
    }

    /// Whether an entry is that of one of them.
    fn has(&self, comment: &Comment) -> bool {
        self.ids.contains(&comment.id)
            || comment.source_id.as_deref().is_some_and(|id| self.source_ids.contains(id))
    }
}

/// What the source last said of a comment, as far as it is known here. A source may number its comments again, and an
/// entry of an earlier version of this program has no number: then it is known by its text, or by its author.
fn version_of<'a>(
    here: &'a [Comment],
    comment: &Comment,
    edits: Option<&EntryId>,
    all: &Arrived<'_>,
) -> Option<&'a Comment> {
    let by_id =
        here.iter().rev().find(|other| other.source_id.is_some() && other.identity() == comment.identity());
    let by_text = || {
        here.iter()
            .rev()
            .filter(|other| is_free(comment, all, other))
            .find(|other| same_text(&other.body, &comment.body) && other.edits.as_ref() == edits)
    };
    by_id.or_else(by_text).or_else(|| {
        let is_alone = all.times.get(&comment.created_at) == Some(&1);
        if is_alone {
            here.iter().filter(|other| is_free(comment, all, other)).find(|other| {
                other.source_id.is_none()
                    && other.author == comment.author
                    && edits.is_none()
                    && other.edits.is_none()
            })
        } else {
            None
        }
    })
}

/// Two people can say the same at the same time.
fn is_free(comment: &Comment, all: &Arrived<'_>, other: &&Comment) -> bool {
    other.created_at == comment.created_at && !all.has(other)
}

/// Whether two texts differ in nothing but how their lines end: sources are not careful with that.
fn same_text(one: &str, other: &str) -> bool {
    one == other || one.trim_end().lines().eq(other.trim_end().lines())
}

/// The new text of a comment, after everything that the source said before.
fn edit(here: &[Comment], last: &Comment, comment: &Comment) -> Comment {
    let (read, said) = (comment.id.stamp(), last.id.stamp());
    let stamp = if read.entry_place() > said.entry_place() {
        read
    } else {
        Stamp::import(said.time().plus_millis(1))
    };
    let place = stamp.entry_place();
    let versions = thread(here, &last.id);
    let edits = versions
        .iter()
        .rev()
        .find(|version| version.id.stamp().entry_place() < place)
        .map(|version| version.id.clone());
    at(&stamp, Comment { edits, ..comment.clone() })
}

fn at(stamp: &Stamp, comment: Comment) -> Comment {
    entry_at(stamp, |id| Comment { id, ..comment })
}

/// A note on the comments that the source no longer has. They stay, as everything stays that someone said.
pub(super) fn gone(before: &[Comment], now: &[Comment]) -> Option<String> {
    let gone = before
        .iter()
        .filter(|comment| {
            !now.iter().any(|other| {
                other.created_at == comment.created_at
                    && (other.source_id == comment.source_id
                        || other.body == comment.body
                        || other.author == comment.author)
            })
        })
        .count();
    let stay = if gone == 1 { "stays" } else { "stay" };
    (gone > 0).then(|| format!("the source no longer has {}, which {stay} here", count(gone, "comment")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interchange::comment::{SourceComment, add};

    fn at(second: u64) -> Time {
        Time::from_seconds(i64::try_from(second).unwrap()).unwrap()
    }

    /// The comments of a source at a second: each has a number and a text.
    fn read(second: u64, said: &[(u64, String)]) -> Vec<Comment> {
        let mut comments = Vec::new();
        for (number, body) in said {
            let (id, body) = (Some(number.to_string()), body.clone());
            add(
                &mut comments,
                at(1000 + second),
                SourceComment { id, body, author: "Ada".into(), created_at: at(*number) },
            );
        }
        comments
    }

    fn import(here: &mut Vec<Comment>, comments: &[Comment]) -> Comments {
        news(here, comments, false, &|_| false).1
    }

    fn standing(here: &[Comment]) -> Vec<String> {
        crate::rules::folder::standing_comments(here)
            .iter()
            .map(|standing| standing.comment.body.clone())
            .collect()
    }

    fn one(text: &str) -> Vec<(u64, String)> {
        vec![(1, text.to_owned())]
    }

    #[test]
    fn a_new_text_is_an_edit_of_the_comment() {
        let mut here = Vec::new();
        assert_eq!(import(&mut here, &read(1, &one("a"))), Comments { new: 1, edited: 0 });
        assert_eq!(import(&mut here, &read(2, &one("a"))), Comments::default(), "nothing changed");
        assert_eq!(import(&mut here, &read(3, &one("b"))), Comments { new: 0, edited: 1 });
        assert_eq!(here[1].edits.as_ref(), Some(&here[0].id));
        assert_eq!(import(&mut here, &read(4, &one("a"))), Comments { new: 0, edited: 1 }, "and back");
        assert_eq!(standing(&here), ["a"]);
    }

    #[test]
    fn what_was_written_here_later_stays_and_the_source_is_known_all_the_same() {
        let mut here = Vec::new();
        import(&mut here, &read(1, &one("a")));
        let mine = Comment {
            body: "mine".into(),
            author: "Bea".into(),
            created_at: at(1005),
            edits: Some(here[0].id.clone()),
            source_id: None,
            ..here[0].clone()
        };
        here.push(super::at(&Stamp::import(at(1005)), mine));
        assert_eq!(import(&mut here, &read(3, &one("b"))), Comments { new: 0, edited: 1 });
        assert_eq!(standing(&here), ["mine"], "it was changed there before");
        assert_eq!(
            import(&mut here, &read(9, &one("b"))),
            Comments::default(),
            "something else changed there"
        );
        assert_eq!(standing(&here), ["mine"]);
        assert_eq!(import(&mut here, &read(10, &one("c"))), Comments { new: 0, edited: 1 });
        assert_eq!(standing(&here), ["c"]);
    }

    #[test]
    fn what_an_earlier_program_wrote_is_the_same_comment() {
        let old = |body: &str| {
            let comment = Comment { source_id: None, body: body.into(), ..read(1, &one("a")).remove(0) };
            super::at(&Stamp::import(at(1)), comment)
        };
        let mut here = vec![old("a")];
        assert_eq!(import(&mut here, &read(1, &one("a"))), Comments::default());
        assert_eq!(import(&mut here, &read(2, &one("b"))), Comments { new: 0, edited: 1 });
        assert_eq!((standing(&here), here.len()), (vec!["b".to_owned()], 2));
        assert_eq!(import(&mut here, &read(3, &one("b"))), Comments::default());
    }

    #[test]
    fn a_redacted_comment_stays_hidden_and_a_lesser_record_changes_no_text() {
        let mut here = Vec::new();
        import(&mut here, &read(1, &one("a")));
        let hidden = here[0].id.clone();
        assert_eq!(news(&mut here, &read(2, &one("b")), false, &|id| *id == hidden).1, Comments::default());
        assert_eq!(news(&mut here, &read(2, &one("b")), true, &|_| false).1, Comments::default());
        assert_eq!(standing(&here), ["a"]);
    }

    #[test]
    fn a_comment_with_another_number_is_known_by_its_text() {
        let mut here = Vec::new();
        let with = |id: &str, body: &str| {
            let mut comments = Vec::new();
            let (id, body) = (Some(id.to_owned()), body.to_owned());
            add(&mut comments, at(1000), SourceComment { id, body, author: "Ada".into(), created_at: at(1) });
            comments
        };
        import(&mut here, &with("1", "a"));
        assert_eq!(import(&mut here, &with("9", "a")), Comments::default());
        assert_eq!(here.len(), 1);
    }

    #[test]
    fn no_text_is_lost_or_doubled_if_comments_without_an_id_are_numbered_again() {
        let of = |second: u64, said: &[&str]| {
            let mut comments = Vec::new();
            for body in said {
                let said =
                    SourceComment { id: None, body: (*body).into(), author: "Ada".into(), created_at: at(1) };
                add(&mut comments, at(1000 + second), said);
            }
            comments
        };
        let (mut ada, mut bea) = (Vec::new(), Vec::new());
        import(&mut ada, &of(1, &["b"]));
        // Another one by someone of the same name comes before it.
        import(&mut ada, &of(2, &["a", "b"]));
        assert_eq!(standing(&ada), ["a", "b"]);
        assert_eq!(import(&mut ada, &of(2, &["a", "b"])), Comments::default());
        import(&mut bea, &of(2, &["a", "b"]));
        let mut met: Vec<Comment> = ada.into_iter().chain(bea).collect();
        met.sort_by(|one, two| one.id.cmp(&two.id));
        met.dedup();
        assert_eq!(standing(&met), ["a", "b"]);
    }

    proptest! {
        /// Two clones import a source at whatever dates, and meet: each comment that either read is there once. The next
        /// import of the newest state gives each its newest text, and importing any of them again changes nothing.
        #[test]
        fn two_clones_that_import_at_different_dates_end_alike(
            states in prop::collection::vec(prop::collection::btree_map(0u64..4, 0u8..3, 0..4), 1..6),
            reads in prop::collection::vec((any::<bool>(), any::<bool>()), 6),
        ) {
            let states: Vec<Vec<(u64, String)>> = states
                .into_iter()
                .map(|said| said.into_iter().map(|(number, text)| (number, format!("{number}{text}"))).collect())
                .collect();
            let mut clones = [Vec::new(), Vec::new()];
            for (n, (state, which)) in states.iter().zip(&reads).enumerate() {
                for (clone, does) in clones.iter_mut().zip([which.0, which.1]) {
                    if does {
                        import(clone, &read(n as u64, state));
                        prop_assert_eq!(import(clone, &read(n as u64, state)), Comments::default());
                    }
                }
            }
            let [ada, bea] = clones;
            let mut met: Vec<Comment> = ada;
            met.extend(bea);
            met.sort_by(|one, two| one.id.cmp(&two.id));
            met.dedup();
            let all: BTreeSet<u64> = states
                .iter()
                .zip(&reads)
                .filter(|(_, which)| which.0 || which.1)
                .flat_map(|(state, _)| state.iter().map(|(number, _)| *number))
                .collect();
            prop_assert_eq!(standing(&met).len(), all.len());
            let (last, newest) = states.iter().enumerate().next_back().unwrap();
            import(&mut met, &read(last as u64, newest));
            let shown = standing(&met);
            prop_assert!(newest.iter().all(|(_, text)| shown.contains(text)), "{:?} {:?}", shown, newest);
            prop_assert_eq!(shown.len(), all.union(&newest.iter().map(|(number, _)| *number).collect()).count());
            prop_assert_eq!(import(&mut met, &read(last as u64, newest)), Comments::default());
            let names: BTreeSet<&EntryId> = met.iter().map(|it| &it.id).collect();
            prop_assert_eq!(names.len(), met.len());
        }
    }
}
