//! What others do to the tree of the ref, without this program.

use serde_json::{Value, json};

use super::super::replicas::{MADE_UP, Replicas};
use super::{History, REF};

impl History {
    /// Something that another program might leave in the tree: a symbolic link, a submodule, an executable file, an
    /// odd name, an odd mode; also at the path of an entry that nobody wrote.
    pub(super) fn odd(&mut self, all: &mut Replicas, n: usize) {
        let (head, step) = (all.tip(n), self.step);
        let text = format!("data <<E\nstep {step}\nE");
        let entry = self.entry_path(all, n);
        let (path, change) = match self.random.below(9) {
            5 => ("wf.json", format!("M 120000 inline {entry}\n{text}")),
            6 => ("wf.json", format!("M 160000 {head} {entry}")),
            7 => ("wf.json", format!("M 100755 inline {entry}\n{text}")),
            8 => ("wf.json", format!("M 100644 inline {entry}/inner\n{text}")),
            0 => ("zoo/link", format!("M 120000 inline zoo/link\n{text}")),
            1 => ("zoo/module", format!("M 160000 {head} zoo/module")),
            2 => ("zoo/tool", format!("M 100755 inline zoo/tool\n{text}")),
            3 => ("zoo/a\\b", format!("M 100644 inline zoo/a\\b\n{text}")),
            _ => {
                let files = all.git(n, &["ls-tree", "-r", REF]).ok().stdout;
                let files: Vec<&str> = files
                    .lines()
                    .filter(|line| line.contains("issues/") && line.contains(" blob "))
                    .collect();
                let (about, path) = self.random.pick(&files).split_once('\t').unwrap();
                let id = about.split(' ').nth(2).unwrap();
                ("wf.json", format!("M 100755 {id} {path}"))
            }
        };
        let stream = format!(
            "commit {REF}\ncommitter E <e@example.org> 1795226400 +0000\ndata 1\nx\nfrom {head}\n{change}\n\n"
        );
        all.at(n).git_in(&stream, &["fast-import", "--quiet"]).ok();
        self.promised.odd.push(path);
    }

    /// A path in some log of an issue, at which clones put different things.
    fn entry_path(&mut self, all: &mut Replicas, n: usize) -> String {
        let files = all.git(n, &["ls-tree", "-r", "--name-only", REF, "issues/"]).ok().stdout;
        let issues: Vec<&str> = files.lines().filter_map(|path| path.strip_suffix("/issue.json")).collect();
        let (issue, log) = (*self.random.pick(&issues), *self.random.pick(&["comments", "feedback"]));
        let digit = self.random.below(2);
        format!("{issue}/{log}/20261121T10000000{digit}Z-00000-{MADE_UP}.json")
    }

    /// Someone with push access changes a record that is written once, but keeps its name: another text, another
    /// author, another kind of entry.
    pub(super) fn rewrite(&mut self, all: &mut Replicas) {
        let hub = all.hub(self.random.below(2));
        let Some(head) = hub.tip() else { return };
        let listed = hub.git(&["ls-tree", "-r", "--name-only", REF]).ok().stdout;
        let is_once = |path: &&str| {
            (path.contains("/20") || path.ends_with("/execution.json")) && !path.contains(MADE_UP)
        };
        let once: Vec<&str> = listed.lines().filter(is_once).collect();
        if once.is_empty() {
            return;
        }
        let path = *self.random.pick(&once);
        let Ok(mut record) = serde_json::from_str::<Value>(&hub.stored(path)) else { return };
        let changes = [
            json!({"actor": "Eve <eve@example.org>", "author": "Eve <eve@example.org>"}),
            json!({"body": "zzz", "content": "zzz", "verdict": "approved", "branch": "refs/heads/eve"}),
            json!({"type": "renew", "lease_expires_at": "2999-01-01T00:00:00.000Z"}),
        ];
        let change = self.random.pick(&changes).as_object().unwrap().clone();
        record.as_object_mut().unwrap().extend(change);
        let text = format!("{record:#}\n");
        let stream = format!(
            "commit {REF}\ncommitter E <e@example.org> 1795226400 +0000\ndata 1\nx\nfrom {head}\nM 100644 inline {path}\ndata {}\n{text}\n",
            text.len()
        );
        hub.git_in(&stream, &["fast-import", "--quiet"]).ok();
    }
}
