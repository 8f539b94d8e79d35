//! Reads bugs and identities of git-bug from their refs. Each commit of a bug has a tree with a pack of operations
//! (`ops`), the version of the format (`version-4`) and Lamport clocks (`create-clock-1`, `edit-clock-7`) as the names
//! of its entries. What comes from a remote is checked as git-bug checks it, except for signatures.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use bstr::ByteSlice;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{FORMAT, issue_id};
use crate::git::{GitError, Kind, ObjectId, Repository, bounded, trees};
use crate::interchange::lines::Unreadable;
use crate::interchange::tracker::{Each, FoundRecord, Records, RefusedRecord};
use crate::model::{hex, strict};

/// The version of git-bug's format that this reads.
const VERSION: u64 = 4;
/// The most commits of a bug or an identity.
const MOST_COMMITS: usize = 100_000;
/// The largest pack of operations, and the largest version of an identity.
const LARGEST: u64 = 16 << 20;
/// The farthest that a clock may jump; git-bug treats anything more as an attack.
const FARTHEST: u64 = 1_000_000;
const DOING: &str = "cannot read a bug";
/// What is said of an object that cannot be read.
const LOST: &str = "is missing or damaged";

/// The bugs under some refs of a repository.
pub(crate) struct Bugs<'a> {
    repo: &'a Repository,
    /// The ids of the bugs, with their newest commits.
    bugs: Vec<(String, ObjectId)>,
    identities: HashMap<String, ObjectId>,
    /// The identities that were read.
    known: HashMap<String, Value>,
}

impl<'a> Bugs<'a> {
    /// The bugs of a repository, or as it fetched them from `remote`.
    pub(crate) fn new(repo: &'a Repository, remote: Option<&str>) -> Result<Self, GitError> {
        let place = remote.map_or_else(|| "refs/".to_owned(), |remote| format!("refs/remotes/{remote}/"));
        let (bugs, identities) =
            (under(&place, repo, "bugs")?, under(&place, repo, "identities")?.into_iter().collect());
        Ok(Self { repo, bugs, identities, known: HashMap::new() })
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.bugs.is_empty()
    }

    /// The record of a bug, or why it cannot be read.
    fn record(&mut self, bug: &str, tip: ObjectId) -> Result<Value, String> {
        let mut packs = packs(self.repo, tip)?;
        // git-bug's order, which is the same in every clone.
        packs.sort_by(|one, two| (one.edited, &one.id).cmp(&(two.edited, &two.id)));
        let mut operations = Vec::new();
        for pack in packs {
            let author = self.identity(&pack.author)?;
            operations.extend(
                pack.operations.into_iter().map(|(id, op)| json!({"id": id, "author": author, "op": op})),
            );
        }
        match operations.first().and_then(|first| first["id"].as_str()) {
            Some(id) if id == bug => {}
            Some(id) => return Err(format!("its ref is named `{bug}`, but its first operation is `{id}`")),
            None => return Err("it has no operations".into()),
        }
        let mut record = Map::new();
        record.insert(FORMAT.into(), VERSION.into());
        record.insert("id".into(), bug.into());
        record.insert("operations".into(), operations.into());
        Ok(Value::Object(record))
    }

    /// Name, e-mail address and login of an identity as it is now. A missing one is only its id.
    fn identity(&mut self, id: &str) -> Result<Value, String> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let mut person = json!({"id": id});
        if let Some(tip) = self.identities.get(id) {
            let blob =
                file(self.repo, *tip, "version")?.ok_or_else(|| format!("the identity `{id}` is damaged"))?;
            let version = json(&blob).map_err(|error| format!("the identity `{id}` is damaged: {error}"))?;
            for name in ["name", "email", "login"] {
                if let Some(text) = version[name].as_str().filter(|text| !text.is_empty()) {
                    person[name] = text.into();
                }
            }
        }
        self.known.insert(id.to_owned(), person.clone());
        Ok(person)
    }
}

fn under(place: &str, repo: &Repository, kind: &str) -> Result<Vec<(String, ObjectId)>, GitError> {
    let prefix = format!("{place}{kind}/");
    let refs = repo.refs_under(&prefix)?;
    Ok(refs.into_iter().map(|(name, id)| (name[prefix.len()..].to_owned(), id)).collect())
}

impl Records for Bugs<'_> {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        let bugs = self.bugs.clone();
        Ok(Box::new(bugs.into_iter().zip(1..).map(|((bug, tip), number)| {
            Ok(FoundRecord {
                unit: "bug".into(),
                number,
                record: self
                    .record(&bug, tip)
                    .map_err(|reason| RefusedRecord::fault(Some(issue_id(&bug)), reason)),
            })
        })))
    }
}

/// The operations of one commit.
struct Pack {
    /// The digest of its bytes, which decides between packs with the same clock.
    id: String,
    edited: u64,
    author: String,
    /// Each with its id: the digest of its bytes.
    operations: Vec<(String, Value)>,
}

/// The packs of all commits of a bug.
fn packs(repo: &Repository, tip: ObjectId) -> Result<Vec<Pack>, String> {
    let mut parents: Vec<(ObjectId, Vec<ObjectId>)> = Vec::new();
    let (mut open, mut seen) = (VecDeque::from([tip]), HashSet::from([tip]));
    while let Some(id) = open.pop_front() {
        if parents.len() == MOST_COMMITS {
            return Err(format!("it has more than {MOST_COMMITS} commits"));
        }
        let commit = repo.commit(id).map_err(|_| format!("commit {id} {LOST}"))?;
        let of: Vec<ObjectId> = commit.parents().collect();
        open.extend(of.iter().filter(|parent| seen.insert(**parent)));
        parents.push((id, of));
    }
    if parents.iter().filter(|(_, of)| of.is_empty()).count() != 1 {
        return Err("its history has several roots".into());
    }
    let mut clocks: BTreeMap<ObjectId, u64> = BTreeMap::new();
    let mut packs = Vec::with_capacity(parents.len());
    for (id, of) in &parents {
        let pack = pack(repo, *id, of.is_empty()).map_err(|why| format!("commit {id}: {why}"))?;
        if of.len() > 1 && !pack.operations.is_empty() {
            return Err(format!("commit {id}: a merge has operations"));
        }
        clocks.insert(*id, pack.edited);
        packs.push(pack);
    }
    for (id, of) in &parents {
        for parent in of {
            let (before, after) = (clocks[parent], clocks[id]);
            if before >= after {
                return Err(format!("commit {id}: its clock is not later than that of its parent"));
            }
            if of.len() == 1 && after - before > FARTHEST {
                return Err(format!("commit {id}: its clock jumps from {before} to {after}"));
            }
        }
    }
    Ok(packs)
}

/// The pack as git-bug stores it.
#[derive(Deserialize)]
struct Stored<'a> {
    author: Author,
    #[serde(borrow, default)]
    ops: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Author {
    id: String,
}

fn pack(repo: &Repository, commit: ObjectId, is_first: bool) -> Result<Pack, String> {
    let folder = folder(repo, commit)?;
    let number = |prefix: &str| {
        let mut found =
            folder.entries.iter().filter_map(|entry| entry.filename.to_str().ok()?.strip_prefix(prefix));
        found
            .next()
            .map(|digits| digits.parse::<u64>().map_err(|_| format!("`{prefix}{digits}` is not a number")))
    };
    match number("version-").transpose()? {
        Some(VERSION) => {}
        Some(other) => {
            return Err(format!(
                "it has version {other} of git-bug's format; only version {VERSION} can be read"
            ));
        }
        None => return Err("it has no version".into()),
    }
    let edited =
        number("edit-clock-").transpose()?.filter(|clock| *clock > 0).ok_or("it has no edit clock")?;
    if is_first && number("create-clock-").transpose()?.unwrap_or_default() == 0 {
        return Err("it has no creation clock".into());
    }
    let data = file(repo, commit, "ops")?.ok_or("it has no operations")?;
    let stored: Stored<'_> = serde_json::from_slice(&data)
        .map_err(|error| format!("its operations: {}", strict::json_fault(&error)))?;
    let operations = stored
        .ops
        .unwrap_or_default()
        .into_iter()
        .map(|raw| -> Result<(String, Value), String> {
            let value = json(raw.get().as_bytes()).map_err(|why| format!("an operation: {why}"))?;
            Ok((hex(&Sha256::digest(raw.get().as_bytes())), value))
        })
        .collect::<Result<_, _>>()?;
    Ok(Pack { id: hex(&Sha256::digest(&data)), edited, author: stored.author.id, operations })
}

/// The tree of a commit.
fn folder(repo: &Repository, commit: ObjectId) -> Result<trees::TreeEntries, String> {
    let tree = repo.tree_of(commit).map_err(|_| format!("it {LOST}"))?;
    let folder = trees::read(repo, tree).map_err(|_| format!("its tree {LOST}"))?;
    folder.ok_or_else(|| format!("its tree {LOST}"))
}

/// A file in the tree of a commit.
fn file(repo: &Repository, commit: ObjectId, name: &str) -> Result<Option<Vec<u8>>, String> {
    let folder = folder(repo, commit)?;
    let Some(entry) = folder.get(name.into()) else { return Ok(None) };
    let found =
        bounded::find(repo, entry.oid, Kind::Blob, LARGEST, DOING).map_err(|_| format!("`{name}` {LOST}"))?;
    let blob = found.ok_or_else(|| format!("`{name}` is not a file of at most {} MiB", LARGEST >> 20))?;
    Ok(Some(blob.data.clone()))
}

/// JSON, or what is wrong with it.
fn json(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    strict::parse_text(text).map_err(|fault| strict::strict_fault(&fault))
}
