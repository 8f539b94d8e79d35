//! A generated history of two clones and a forge: commits, amends, squashes, rebases, picks, reverts and merges. Every
//! recorded link is then deleted, and `relink` must restore what the trailers and the patch ids can know.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{REF, Repo, Sandbox, is_long};

/// A pseudo-random sequence that is the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

struct World {
    sandbox: Sandbox,
    clones: [Repo; 2],
    /// Has no hooks and no store, like a forge.
    forge: Repo,
    dice: Dice,
    made: usize,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let server = sandbox.bare("server.git");
        let first = sandbox.clone(&server, "one");
        first.git(&["commit", "-q", "--allow-empty", "-m", "first"]).ok();
        first.git(&["push", "-q", "origin", "main"]).ok();
        first.wf(&["init"]).ok();
        first.wf(&["sync"]).ok();
        let second = sandbox.clone(&server, "two");
        second.wf(&["init"]).ok();
        let forge = sandbox.clone(&server, "forge");
        for clone in [&first, &second] {
            clone.wf(&["hooks", "install"]).ok();
            clone.git(&["config", "pull.ff", "only"]).ok();
        }
        Self { sandbox, clones: [first, second], forge, dice: Dice(0x5eed), made: 0 }
    }

    fn file(&mut self) -> String {
        self.made += 1;
        format!("files/{:04}", self.made)
    }

    /// One plan from its claim to `done`, on its own branch; returns the branch.
    fn execute(&mut self, who: usize, round: usize) -> String {
        let repo = self.clones[who].clone();
        let issue = format!("ISS-{who}-{round}");
        let branch = format!("work/{issue}");
        repo.git(&["fetch", "-q"]).ok();
        repo.git(&["switch", "-q", "--no-track", "-c", &branch, "origin/main"]).ok();
        repo.queued(&issue, &format!("of/{issue}"));
        repo.wf(&["next", &issue]).ok();
        for n in 0..7 {
            let file = self.file();
            repo.commit(&file, "1\n", &format!("{issue}: step {n}"));
            match self.dice.roll(9) {
                0 => {
                    repo.write(&file, "2\n");
                    repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]).ok();
                }
                1 => {
                    repo.write(&file, "2\n");
                    repo.git(&["commit", "-q", "-a", "--fixup", "HEAD"]).ok();
                    let silent = repo.with_env("GIT_SEQUENCE_EDITOR", "true");
                    silent.git(&["rebase", "-q", "-i", "--autosquash", "HEAD~2"]).ok();
                }
                2 => {
                    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
                }
                3 => {
                    repo.git(&["reset", "-q", "--soft", "HEAD~1"]).ok();
                    repo.git(&["commit", "-q", "-m", &format!("{issue}: once more")]).ok();
                }
                4 => {
                    repo.git(&["rebase", "-q", "origin/main"]).ok();
                }
                5 => {
                    repo.git(&["commit", "-q", "--no-verify", "--allow-empty", "-m", "in a hurry"]).ok();
                }
                6 => {
                    let release = format!("release/{issue}-{n}");
                    repo.git(&["switch", "-q", "--no-track", "-c", &release, "origin/main"]).ok();
                    repo.git(&["cherry-pick", &branch]).ok();
                    repo.git(&["switch", "-q", &branch]).ok();
                }
                7 => {
                    repo.git(&["merge", "-q", "--no-edit", "origin/main"]).ok();
                }
                _ => {}
            }
        }
        repo.done();
        let ours = ["refs/heads/work/*:refs/heads/work/*", "refs/heads/release/*:refs/heads/release/*"];
        repo.git(&[&["push", "-q", "origin"][..], &ours].concat()).ok();
        branch
    }

    /// The forge merges a branch into `main`, in one of the ways that forges have.
    fn integrate(&mut self, branch: &str) {
        let forge = self.forge.clone();
        forge.git(&["fetch", "-q"]).ok();
        let theirs = format!("origin/{branch}");
        match self.dice.roll(4) {
            0 => {
                forge.git(&["merge", "-q", "--no-ff", "--no-edit", &theirs]).ok();
            }
            1 => {
                forge.git(&["merge", "-q", "--squash", &theirs]).ok();
                forge.git(&["commit", "-q", "--allow-empty", "--no-edit"]).ok();
            }
            2 => {
                forge.git(&["merge", "-q", "--squash", &theirs]).ok();
                forge.git(&["commit", "-q", "--allow-empty", "-m", "Squashed (#12)"]).ok();
            }
            _ => {
                let range = format!("main..{theirs}");
                let mail = forge.git(&["format-patch", "--stdout", "--no-merges", &range]).ok().stdout;
                if !mail.is_empty() {
                    forge.git_in(mail, &["am", "-q", "--empty=drop", "--3way"]).ok();
                }
            }
        }
        forge.git(&["push", "-q", "origin", "main"]).ok();
    }
}

/// Brings every branch of both clones and of the forge to each clone, and syncs the store.
fn share(world: &World) {
    for (n, clone) in world.clones.iter().enumerate() {
        clone.git(&["switch", "-q", "--detach"]).ok();
        for other in [&world.clones[1 - n], &world.forge] {
            let from = other.path().to_str().unwrap();
            clone.git(&["fetch", "-q", from, "+refs/heads/*:refs/heads/*"]).ok();
        }
    }
    for n in [0, 1, 0] {
        world.clones[n].wf(&["sync"]).ok();
    }
    assert_eq!(world.clones[0].tip(), world.clones[1].tip());
}

/// The linked commits of each execution.
fn links(repo: &Repo) -> BTreeMap<String, BTreeSet<String>> {
    let mut links = BTreeMap::new();
    for issue in repo.json(&["list", "--all"]).as_array().unwrap() {
        for execution in repo.json(&["show", issue["id"].as_str().unwrap()])["executions"].as_array().unwrap()
        {
            let commits = execution["commits"].as_array().unwrap();
            let hashes: Vec<String> =
                commits.iter().map(|it| it["hash"].as_str().unwrap().to_owned()).collect();
            let set: BTreeSet<String> = hashes.iter().cloned().collect();
            assert_eq!(set.len(), hashes.len(), "a commit is linked twice");
            links.insert(execution["solution_id"].as_str().unwrap().to_owned(), set);
        }
    }
    links
}

/// What git and a reader of messages can know: each commit of a branch, with the plans that its message names.
fn named(repo: &Repo) -> BTreeMap<String, BTreeSet<String>> {
    let log = repo.git(&["log", "--branches", "--format=%H%n%B%x00"]).ok().stdout;
    let mut named = BTreeMap::new();
    for entry in log.split('\0') {
        let Some((hash, message)) = entry.trim_start().split_once('\n') else { continue };
        let plans = message.lines().filter_map(|line| line.trim().strip_prefix("Wf-Solution: "));
        named.insert(hash.to_owned(), plans.map(str::to_owned).collect());
    }
    named
}

/// git's patch id of each commit of a branch that is not a merge.
fn patches(repo: &Repo) -> BTreeMap<String, String> {
    let log =
        repo.git(&["log", "--branches", "-p", "--no-merges", "--full-index", "--format=commit %H"]).ok();
    let ids = repo.git_in(log.stdout, &["patch-id", "--stable"]).ok().stdout;
    ids.lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(id, hash)| (hash.to_owned(), id.to_owned()))
        .collect()
}

/// The patch id that each completed execution recorded, by plan.
fn recorded(repo: &Repo) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for path in repo.store_paths().iter().filter(|path| path.contains("/log/")) {
        let entry = repo.stored_json(path);
        if let Some(id) = entry["patch_id"].as_str() {
            let claim = format!("{}/execution.json", path.split("/log/").next().unwrap());
            let plan = repo.stored_json(&claim)["solution_id"].as_str().unwrap().to_owned();
            found.insert(plan, id.to_owned());
        }
    }
    found
}

/// Makes a state of the store without any entry that links a commit; returns its commit.
fn stripped(repo: &Repo) -> String {
    let index = repo.with_env("GIT_INDEX_FILE", repo.path().join(".git/stripped").to_str().unwrap());
    index.git(&["read-tree", REF]).ok();
    let is_link = |path: &&String| {
        let kind = path.contains("/log/").then(|| repo.stored_json(path)["type"].clone());
        kind.is_some_and(|kind| ["commit", "rewrite", "unlink"].iter().any(|it| kind == *it))
    };
    let paths = repo.store_paths();
    let gone: String = paths.iter().filter(is_link).map(|path| format!("{path}\n")).collect();
    assert!(!gone.is_empty());
    index.git_in(gone, &["update-index", "--force-remove", "--stdin"]).ok();
    let tree = index.git(&["write-tree"]).ok();
    repo.git(&["commit-tree", "-m", "stripped", "-p", REF, tree.line()]).ok().line().to_owned()
}

#[test]
fn deleted_links_are_restored_as_far_as_anybody_can_know() {
    let mut world = World::new();
    let rounds = if is_long() { 22 } else { 2 };
    for round in 0..rounds {
        for who in [0, 1] {
            let branch = world.execute(who, round);
            world.integrate(&branch);
        }
    }
    share(&world);
    let [one, two] = &world.clones;
    let commits: usize = one.git(&["rev-list", "--count", "--branches"]).ok().line().parse().unwrap();
    assert!(!is_long() || commits >= 300, "{commits} commits");
    let before = links(one);
    assert_eq!(links(two), before);
    let (named, patches, recorded) = (named(one), patches(one), recorded(one));

    let bare = stripped(one);
    let pack = one.path().join(".git/objects");
    let alternates = two.path().join(".git/objects/info/alternates");
    std::fs::write(alternates, format!("{}\n", pack.display())).unwrap();
    for clone in [one, two] {
        clone.git(&["update-ref", REF, &bare]).ok();
        assert!(links(clone).values().all(BTreeSet::is_empty));
        clone.wf(&["link", "--find"]).ok();
        assert_eq!(
            clone.json(&["link", "--find"])["links"],
            serde_json::json!([]),
            "nothing is left to be found"
        );
    }
    let after = links(one);
    assert_eq!(links(two), after, "both clones find the same");

    let mut restored = 0;
    for (hash, plans) in &named {
        for plan in plans {
            assert!(after[plan].contains(hash), "{hash} names {plan}");
        }
    }
    let of_trailers = |plan: &str, hash: &str| named.get(hash).is_some_and(|plans| plans.contains(plan));
    for (plan, hashes) in &before {
        for hash in hashes.iter().filter(|hash| of_trailers(plan, hash)) {
            assert!(after[plan].contains(hash));
            restored += 1;
        }
        if let Some(whole) = recorded.get(plan) {
            let silent = patches.iter().filter(|(hash, id)| *id == whole && named[*hash].is_empty());
            for (hash, _) in silent {
                assert!(after.values().any(|links| links.contains(hash)), "{hash} is the whole of {plan}");
            }
        }
    }
    // Nothing is made up: a commit without a trailer makes the same change as a linked one.
    for (plan, hashes) in &after {
        let same: BTreeSet<&String> = hashes
            .iter()
            .filter(|hash| of_trailers(plan, hash))
            .filter_map(|hash| patches.get(hash))
            .chain(recorded.get(plan))
            .collect();
        for hash in hashes.iter().filter(|hash| !of_trailers(plan, hash)) {
            assert!(patches.get(hash).is_some_and(|id| same.contains(id)), "{hash} of {plan}");
        }
    }
    assert!(restored > 0);
    let total: usize = before.values().map(BTreeSet::len).sum();
    println!("{commits} commits, {total} links, {restored} of them by trailers, all restored");
    // Both clones found the same links separately; merged, it is still one link each.
    for clone in [one, two, one] {
        clone.wf(&["sync"]).ok();
    }
    let merged = links(one);
    assert_eq!(links(two), merged);
    for (plan, hashes) in &after {
        assert!(hashes.is_subset(&merged[plan]));
    }
    drop(world.sandbox);
}
