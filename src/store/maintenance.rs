//! Keeps single writes from drowning the repository in loose objects, as git does after its own.

use std::process::Stdio;

use super::repo::Store;

/// git's own default for `gc.auto`.
const DEFAULT_LIMIT: i64 = 6700;

impl Store {
    /// Starts `git maintenance run --auto` in the background once there are about `gc.auto` loose objects, estimated as
    /// git does: one of the 256 folders stands for all. Nothing depends on it, so nothing is said where it fails.
    pub(super) fn maintain(&self) {
        let limit = self.config("gc.auto").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_LIMIT);
        if limit <= 0 {
            return;
        }
        let Ok(folder) = std::fs::read_dir(self.common_dir().join("objects/17")) else { return };
        if folder.count() as i64 <= (limit + 255) / 256 {
            return;
        }
        let mut command = self.git().command(["maintenance", "run", "--auto", "--quiet"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // `gc --auto` detaches by itself, so this waits for no packing.
        let _ = command.status();
    }
}
