//! Slots: numbers by which places on one machine share what there is only once, such as ports. A slot belongs to a
//! directory as long as that directory exists.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::PreparationError;
use crate::agent::environment::beside_agents;
use crate::git::{Environment, is_local_variable};
use crate::store::Store;

/// The first port, unless `wf.workplace.port` names another.
const FIRST_PORT: u16 = 21_000;
/// How many ports belong to a slot.
const PORTS: u16 = 10;
/// The key with the first port.
const PORT: &str = "wf.workplace.port";
/// The key with the names of variables for what runs in the workplaces of agents.
const PASSED: &str = "wf.workplace.env";
/// The file in the git directory of a worktree that has its variables.
const FILE: &str = "wf/place";
/// The longest name of a database in common systems.
const LONGEST_NAME: usize = 63;

/// What distinguishes a place from others on this machine: `WF_SLOT`, `WF_PORT` and `WF_NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlaceVariables {
    /// The lowest number that no other place has.
    pub(crate) slot: u16,
    /// The first of ten ports that no other place has.
    pub(crate) port: u16,
    /// A name for databases and the like: lower-case letters, digits and underscores.
    pub(crate) name: String,
}

impl PlaceVariables {
    /// Takes the lowest free slot for a directory, which keeps the one that it has.
    pub(super) fn take(store: &Store, place: &Path, label: &str) -> Result<Self, PreparationError> {
        let first = match store.config(PORT) {
            None => FIRST_PORT,
            Some(text) => match text.trim().parse() {
                Ok(port) if port >= 1024 => port,
                _ => return Err(PreparationError::Port(text)),
            },
        };
        let registry = store.environment().state_home().ok_or(PreparationError::NoHome)?.join("git-wf/ports");
        let taken = take(&registry, place, first);
        let slot = taken.map_err(|source| PreparationError::Slots { path: registry, source })?;
        let slot = slot.ok_or(PreparationError::NoPort(first))?;
        Ok(Self { slot, port: first + slot * PORTS, name: name(label) })
    }

    /// The variables of the worktree of `store`; `None` if it was not prepared, or the note cannot be read.
    pub(crate) fn of_worktree(store: &Store) -> Option<Self> {
        Self::noted(&store.git_dir().join(FILE))
    }

    /// The variables noted in a file; `None` if it cannot be read.
    pub(super) fn noted(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let mut words = text.split_ascii_whitespace();
        let (slot, port) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let given = words.next()?;
        (name(given) == given).then(|| Self { slot, port, name: given.to_owned() })
    }

    /// Notes them for later commands in the worktree of `store`.
    pub(super) fn note(&self, store: &Store) -> Result<(), PreparationError> {
        let path = store.git_dir().join(FILE);
        let shared = store.repo().shared_mode();
        let made = path.parent().map_or(Ok(()), |folder| shared.create_folder(folder));
        made.and_then(|()| shared.write(&path, self.line()))
            .map_err(|source| PreparationError::Slots { path, source })
    }

    /// The line that notes them in a file.
    pub(super) fn line(&self) -> String {
        format!("{} {} {}\n", self.slot, self.port, self.name)
    }

    /// The variables of this program with these, for a program that works in the place.
    pub(crate) fn added_to(&self, environment: &Environment) -> Vec<(OsString, OsString)> {
        let given = environment.iter().filter(|(name, _)| !is_local_variable(name));
        given.cloned().chain(self.variables()).collect()
    }

    /// The variables of what runs in the workplace of an agent beside the agent itself, with those of the place: an agent may have
    /// written it, so it sees no more than an agent does, and what `wf.workplace.env` of git config names.
    pub(crate) fn beside_agents(store: &Store, place: Option<&Self>) -> Vec<(OsString, OsString)> {
        let given = store.environment().iter().filter(|(name, _)| !is_local_variable(name));
        let all = beside_agents(given.cloned()).into_iter().chain(Self::named(store));
        all.chain(place.into_iter().flat_map(Self::variables)).collect()
    }

    /// The variables that `wf.workplace.env` of git config names.
    pub(crate) fn named(store: &Store) -> Vec<(OsString, OsString)> {
        let named = store.config_all(PASSED);
        let given = store.environment().iter().filter(|(name, _)| !is_local_variable(name));
        given.filter(|(name, _)| named.iter().any(|known| name == known.trim())).cloned().collect()
    }

    /// Them as variables of a program.
    pub(crate) fn variables(&self) -> [(OsString, OsString); 3] {
        [
            ("WF_SLOT", self.slot.to_string()),
            ("WF_PORT", self.port.to_string()),
            ("WF_NAME", self.name.clone()),
        ]
        .map(|(name, value)| (name.into(), value.into()))
    }
}

/// The lowest slot whose ports no other existing directory has; `None` if all are taken. The registry has a file for
/// each first port in use, which names the directory.
fn take(registry: &Path, place: &Path, first: u16) -> io::Result<Option<u16>> {
    fs::create_dir_all(registry)?;
    let lock = File::create(registry.join("lock"))?;
    lock.lock()?;
    let mut taken: Vec<u16> = Vec::new();
    for entry in fs::read_dir(registry)? {
        let path = entry?.path();
        let Some(port) = path.file_name().and_then(|name| name.to_str()?.parse::<u16>().ok()) else {
            continue;
        };
        let owner = PathBuf::from(OsString::from_vec(fs::read(&path)?));
        if owner == place && port >= first && (port - first).is_multiple_of(PORTS) {
            return Ok(Some((port - first) / PORTS));
        }
        if owner == place || !owner.is_dir() {
            fs::remove_file(&path)?;
        } else {
            taken.push(port);
        }
    }
    let slots = 0..=(u16::MAX - first - (PORTS - 1)) / PORTS;
    let Some(slot) =
        slots.into_iter().find(|slot| taken.iter().all(|port| port.abs_diff(first + slot * PORTS) >= PORTS))
    else {
        return Ok(None);
    };
    fs::write(registry.join((first + slot * PORTS).to_string()), place.as_os_str().as_bytes())?;
    Ok(Some(slot))
}

/// A name for a database: `wf_gh_12_7k3m2pq9` for `SOL-GH-12-7k3m2pq9`. A long one keeps its end, which is unique.
fn name(label: &str) -> String {
    let label = label.strip_prefix("SOL-").or(label.strip_prefix("wf_")).unwrap_or(label);
    let plain: String =
        label.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let excess = (plain.len() + "wf_".len()).saturating_sub(LONGEST_NAME);
    format!("wf_{}", &plain[excess..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_different_ports_and_give_them_back() {
        let folder = tempfile::tempdir().unwrap();
        let registry = folder.path().join("ports");
        let place = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (one, two) = (place("one"), place("two"));
        assert_eq!(take(&registry, &one, 21_000).unwrap(), Some(0));
        assert_eq!(take(&registry, &two, 21_000).unwrap(), Some(1));
        assert_eq!(take(&registry, &one, 21_000).unwrap(), Some(0), "a place keeps its slot");
        // The ports of this slot would overlap with both.
        assert_eq!(take(&registry, &place("three"), 21_005).unwrap(), Some(2));
        fs::remove_dir(&one).unwrap();
        assert_eq!(take(&registry, &place("four"), 21_000).unwrap(), Some(0));
    }

    #[test]
    fn the_last_slot_ends_at_the_last_port() {
        let folder = tempfile::tempdir().unwrap();
        let registry = folder.path().join("ports");
        fs::create_dir_all(folder.path().join("one")).unwrap();
        assert_eq!(take(&registry, &folder.path().join("one"), 65_526).unwrap(), Some(0));
        fs::create_dir_all(folder.path().join("two")).unwrap();
        assert_eq!(take(&registry, &folder.path().join("two"), 65_526).unwrap(), None);
    }

    #[test]
    fn a_name_is_fit_for_a_database() {
        assert_eq!(name("SOL-GH-12-7k3m2pq9"), "wf_gh_12_7k3m2pq9");
        assert_eq!(name("wf_gh_12_7k3m2pq9"), "wf_gh_12_7k3m2pq9");
        let long = name(&format!("SOL-{}-7k3m2pq9", "x.Y-".repeat(20)));
        assert_eq!(long.len(), LONGEST_NAME);
        assert!(long.starts_with("wf_") && long.ends_with("_7k3m2pq9"), "{long}");
        assert_eq!(name(&long), long);
    }
}
