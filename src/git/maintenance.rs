//! Runs `git maintenance` when loose objects pile up, as git does after its own writes, and keeps large packs fast to
//! open.

use crate::git::Config;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::{Args, Git, Repository, multi_index};

/// The default for `gc.auto`. git's own is 6700, but a write of this program makes six small files, each of which
/// takes about 4 KiB on disk.
const MOST_OBJECTS: i64 = 3000;
/// git's own default for `gc.autoPackLimit`.
const MOST_PACKS: i64 = 50;
const LONGEST_GC: Duration = Duration::from_secs(12 * 60 * 60);

/// A pack whose index has this many bytes (about 75,000 objects) takes longer to open than most commands run, since
/// every entry is checked. Opening a multi-pack-index, which git maintains, does not take longer as it grows.
const LARGE_INDEX: u64 = 2 * 1024 * 1024;

/// The packs of a repository.
#[derive(Default)]
struct Packs {
    count: i64,
    /// When the newest large index was written.
    large: Option<SystemTime>,
    /// When the multi-pack-index was written.
    multi: Option<SystemTime>,
}

/// Whether a `git gc` seems to be running. git itself considers one older than twelve hours dead.
pub(super) fn collects_garbage(repo: &Repository) -> bool {
    let begun = repo.common_dir().join("gc.pid").metadata().and_then(|file| file.modified());
    begun.is_ok_and(|begun| begun.elapsed().is_ok_and(|age| age < LONGEST_GC))
}

impl Repository {
    /// Starts `git maintenance run --auto` if there are too many loose objects or packs; in the background unless git
    /// is configured otherwise. Nothing depends on it, so failures are ignored.
    pub(crate) fn maintain(&self, git: &Git) {
        let config = self.config();
        let most = config.integer("gc.auto").unwrap_or(MOST_OBJECTS);
        if !is_on(&config, "maintenance.auto") || most <= 0 {
            return;
        }
        let packs = self.packs();
        let most_packs = config.integer("gc.autoPackLimit").unwrap_or(MOST_PACKS);
        let command =
            if self.loose_in("17") > (most + 255) / 256 || (most_packs > 0 && packs.count > most_packs) {
                let args = Args::new(&["maintenance", "run", "--auto", "--quiet"]);
                git.command(args.set("gc.auto", most))
            } else if packs.multi.is_some()
                && multi_index::is_stale(self.objects_dir())
                && !collects_garbage(self)
            {
                // git would keep the name of the lost pack; without the file it finds everything.
                let _ = std::fs::remove_file(self.pack_folder().join(multi_index::NAME));
                return;
            } else if packs.large > packs.multi
                && is_on(&config, "core.multiPackIndex")
                && !collects_garbage(self)
            {
                git.command(&["multi-pack-index", "write", "--no-progress"])
            } else {
                return;
            };
        let detaches = match config.boolean("maintenance.autoDetach") {
            Some(detaches) => detaches,
            None => is_on(&config, "gc.autoDetach"),
        };
        run(command, detaches);
    }

    /// The number of loose objects in one of the 256 directories, which stands for all of them, as in git.
    fn loose_in(&self, folder: &str) -> i64 {
        let folder = self.objects_dir().join(folder);
        let count = std::fs::read_dir(folder).into_iter().flatten().flatten().count();
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    fn pack_folder(&self) -> PathBuf {
        self.objects_dir().join("pack")
    }

    fn packs(&self) -> Packs {
        let mut packs = Packs::default();
        for entry in std::fs::read_dir(self.pack_folder()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            if name.ends_with(b".pack") {
                packs.count += 1;
            } else if name == multi_index::NAME.as_bytes() {
                packs.multi = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            } else if name.ends_with(b".idx")
                && let Ok(metadata) = entry.metadata()
                && metadata.len() >= LARGE_INDEX
            {
                packs.large = packs.large.max(metadata.modified().ok());
            }
        }
        packs
    }
}

fn is_on(config: &Config<'_>, key: &str) -> bool {
    config.boolean(key).unwrap_or(true)
}

fn run(mut command: Command, detaches: bool) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Whether git itself goes into the background depends on its version.
    let _ = if detaches {
        // Ctrl-C in the terminal must not interrupt it together with this process.
        command.process_group(0).spawn().map(drop)
    } else {
        command.status().map(drop)
    };
}
