//! Keeps single writes from drowning the repository in loose objects, as git does after its own.

use std::os::unix::process::CommandExt;
use std::process::Stdio;

use super::repo::Store;

/// Where `gc.auto` is not set. git's own default is 6700: a write of ours makes six small files, which take up some 4 KiB
/// each whatever is in them.
const MOST_OBJECTS: i64 = 3000;
/// git's own default for `gc.autoPackLimit`.
const MOST_PACKS: i64 = 50;

impl Store {
    /// Starts `git maintenance run --auto` once there are too many loose objects or packs, in the background unless git
    /// is told otherwise. Nothing depends on it, so nothing is said where it fails.
    pub(super) fn maintain(&self) {
        let config = self.repo.config_snapshot();
        let is_on = |key: &str| config.boolean(key).unwrap_or(true);
        let most = config.integer("gc.auto").unwrap_or(MOST_OBJECTS);
        if !is_on("maintenance.auto") || !self.is_due(most) {
            return;
        }
        let limit = format!("gc.auto={most}");
        let mut command = self.git().command(["-c", &limit, "maintenance", "run", "--auto", "--quiet"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let detaches = match config.boolean("maintenance.autoDetach") {
            Some(detaches) => detaches,
            None => is_on("gc.autoDetach"),
        };
        // Whether git goes into the background by itself differs from version to version.
        let _ = if detaches {
            // Not for the terminal to interrupt together with this process.
            command.process_group(0).spawn().map(drop)
        } else {
            command.status().map(drop)
        };
    }

    /// Estimates as git does: one of the 256 folders stands for all.
    fn is_due(&self, loose: i64) -> bool {
        let config = self.repo.config_snapshot();
        let objects = self.repo.objects.store_ref().path();
        if loose <= 0 {
            return false;
        }
        let count = |folder: &str, suffix: &str| -> i64 {
            let entries = std::fs::read_dir(objects.join(folder)).into_iter().flatten().flatten();
            let names =
                entries.filter(|entry| entry.file_name().as_encoded_bytes().ends_with(suffix.as_bytes()));
            i64::try_from(names.count()).unwrap_or(i64::MAX)
        };
        let packs = config.integer("gc.autoPackLimit").unwrap_or(MOST_PACKS);
        count("17", "") > (loose + 255) / 256 || (packs > 0 && count("pack", ".pack") > packs)
    }
}
