//! Clones end in the same state, in whatever order they sync, and then make no more commits.

use serde_json::json;

use super::*;

#[test]
fn different_fields_of_one_issue_and_separate_issues() {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    let ran = two.ada.wf(&["sync"]).ok();
    assert_eq!(ran.stdout, "synced with origin: fetched 0 commits, pushed 1\n");
    assert_eq!(tracking(&two.ada), two.ada.tip());
    assert_eq!(two.bea.wf(&["sync"]).ok().stdout, "synced with origin: fetched 1 commit, pushed 0\n");

    edit(&two.ada, "ISS-001", "title", "from ada", 10);
    create(&two.ada, "ISS-002", 11);
    edit(&two.bea, "ISS-001", "priority", 1, 12);
    create(&two.bea, "GH-7", 13);
    two.ada.wf(&["sync"]).ok();
    let ran = two.bea.wf(&["sync", "--json"]).ok();
    let tip = two.bea.tip();
    assert_eq!(
        ran.json(),
        json!({
            "remote": "origin", "fetched": true, "merged": "merge", "restored": [], "refused": [], "rewritten": [],
            "rewound": false, "pushed": true, "waited_seconds": 0, "incoming": 2, "outgoing": 3, "tip": tip
        })
    );
    assert_eq!(two.ada.wf(&["sync"]).ok().stdout, "synced with origin: fetched 3 commits, pushed 0\n");
    two.assert_one_state();
    let merged = two.ada.stored_json(&file("ISS-001"));
    assert_eq!((&merged["title"], &merged["priority"]), (&json!("from ada"), &json!(1)));
    two.ada.stored_json(&file("ISS-002"));
    two.ada.stored_json(&file("GH-7"));

    for repo in [&two.ada, &two.bea, &two.ada] {
        assert_eq!(repo.wf(&["sync"]).ok().stdout, "origin: up to date\n");
    }
    assert_eq!(two.ada.tip(), tip);
}

#[test]
fn a_terminal_shows_the_progress_of_a_transfer_and_nothing_else_does() {
    let two = Two::new();
    // git reports the objects that it receives only from about a hundred on.
    let line =
        |n| format!("{{\"id\": \"bd-{n}\", \"title\": \"t\", \"created_at\": \"2026-01-01T08:00:00Z\"}}\n");
    let issues: String = (0..100).map(line).collect();
    two.ada.wf_in(&issues, &["import", "beads", "-"]).ok();
    let (code, shown) = two.ada.on_terminal("", &["push"]);
    assert!(code == 0 && shown.contains("pushing objects "), "{shown:?}");
    assert!(!shown.contains("Writing objects"), "the words of git: {shown:?}");
    let (code, shown) = two.bea.on_terminal("", &["pull"]);
    assert!(code == 0 && shown.contains("fetching objects "), "{shown:?}");
    create(&two.bea, "ISS-002", 2);
    let pushed = two.bea.wf(&["push"]).ok();
    assert_eq!(pushed.stderr, "");
}

#[test]
fn clones_that_import_the_same_file_end_in_one_head_by_pull_and_push() {
    let two = Two::new();
    let file = "{\"id\": \"bd-1\", \"title\": \"t\", \"status\": \"open\", \"priority\": 2, \"issue_type\": \"task\", \
                \"created_at\": \"2026-01-01T08:00:00Z\", \"updated_at\": \"2026-01-02T08:00:00Z\", \"created_by\": \"Ada\"}\n";
    for repo in [&two.ada, &two.bea] {
        repo.wf_in(file, &["import", "beads", "-"]).ok();
    }
    let tree = |repo: &Repo| repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    assert_eq!(tree(&two.ada), tree(&two.bea));
    assert_ne!(two.ada.tip(), two.bea.tip());
    assert_eq!(two.ada.wf(&["push", "--json"]).ok().json()["pushed"], true);
    // A pull of the same state makes no merge, however often.
    let before = two.bea.tip();
    for _ in 0..2 {
        assert_eq!(two.bea.wf(&["pull", "--json"]).ok().json()["merged"], "none");
    }
    assert_eq!(two.bea.tip(), before);
    let pushed = two.bea.wf(&["push", "--json"]).ok().json();
    assert_eq!(
        (&pushed["pushed"], &pushed["merged"], &pushed["outgoing"]),
        (&json!(true), &json!("merge"), &json!(2))
    );
    assert_eq!(two.ada.wf(&["pull", "--json"]).ok().json()["merged"], "fast-forward");
    for repo in [&two.ada, &two.bea] {
        assert_eq!(repo.wf(&["push", "--json"]).ok().json()["pushed"], false);
        assert_eq!(repo.wf(&["pull", "--json"]).ok().json()["merged"], "none");
    }
    two.assert_one_state();
    // Commits that the remote has and we do not are left for the next pull.
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["push"]).ok();
    create(&two.bea, "ISS-002", 2);
    assert_eq!(two.bea.wf(&["push", "--json"]).fails(1).json_error()["code"], "behind");
}

/// Two clones, each with a copy of the other's head as its remote `other`, so that both merge and neither sees the
/// other's merge.
struct Apart {
    two: Two,
    copies: [Repo; 2],
}

impl Apart {
    fn new() -> Self {
        let two = Two::new();
        let copies = ["of-ada.git", "of-bea.git"].map(|name| two.sandbox.bare(name));
        for (repo, other) in [(&two.ada, &copies[1]), (&two.bea, &copies[0])] {
            repo.git(&["remote", "add", "other", other.path().to_str().unwrap()]).ok();
        }
        Self { two, copies }
    }

    fn copy_heads(&self) {
        for (repo, copy) in [&self.two.ada, &self.two.bea].into_iter().zip(&self.copies) {
            repo.git(&["push", "--quiet", copy.path().to_str().unwrap(), REF]).ok();
        }
    }

    fn merge_both(&self) {
        for repo in [&self.two.ada, &self.two.bea] {
            assert_eq!(repo.wf(&["pull", "other", "--json"]).ok().json()["merged"], "merge");
        }
    }
}

#[test]
fn two_clones_that_merge_the_same_heads_make_the_same_commit() {
    let apart = Apart::new();
    let Apart { two, .. } = &apart;
    create(&two.ada, "ISS-001", 1);
    create(&two.bea, "ISS-002", 2);
    apart.copy_heads();
    apart.merge_both();
    assert_eq!(two.ada.tip(), two.bea.tip());
    let signed = two.ada.git(&["log", "-1", "--format=%an <%ae> %ad %cn", "--date=format:%Y", REF]).ok();
    assert_eq!(signed.line(), "git-wf <git-wf@localhost> 2026 git-wf");
}

#[test]
fn criss_cross_merges_converge_and_stop() {
    let apart = Apart::new();
    let Apart { two, .. } = &apart;
    for round in 0..3 {
        create(&two.ada, &format!("A-{round}"), 20 + round);
        create(&two.bea, &format!("B-{round}"), 30 + round);
        apart.copy_heads();
        // Writes after the copy make the two merges differ: both copies are merge bases of the two.
        create(&two.ada, &format!("A-{round}-late"), 40 + round);
        create(&two.bea, &format!("B-{round}-late"), 50 + round);
        apart.merge_both();
        assert_ne!(two.ada.tip(), two.bea.tip());
    }
    two.ada.git(&["fetch", "--quiet", two.bea.path().to_str().unwrap(), REF]).ok();
    let bases = two.ada.git(&["merge-base", "--all", REF, "FETCH_HEAD"]).ok();
    assert_eq!(bases.stdout.lines().count(), 2);

    for repo in [&two.ada, &two.bea, &two.ada] {
        let ran = repo.wf(&["sync", "--json"]).ok().json();
        assert_eq!(ran["restored"], json!([]));
    }
    two.assert_one_state();
    let tip = two.ada.tip();
    for repo in [&two.bea, &two.ada] {
        assert_eq!(repo.wf(&["sync"]).ok().stdout, "origin: up to date\n");
    }
    apart.copy_heads();
    assert_eq!(two.ada.wf(&["sync", "other"]).ok().stdout, "other: up to date\n");
    assert_eq!(two.ada.tip(), tip);
    for round in 0..3 {
        for id in
            [format!("A-{round}"), format!("B-{round}"), format!("A-{round}-late"), format!("B-{round}-late")]
        {
            two.ada.stored_json(&file(&id));
        }
    }
}

#[test]
fn a_ring_of_peers_that_only_pull_stops_making_commits() {
    let sandbox = Sandbox::new();
    let ring = ["a", "b", "c"].map(|name| sandbox.repo(name));
    for (n, repo) in ring.iter().enumerate() {
        repo.git(&["remote", "add", "next", ring[(n + 1) % 3].path().to_str().unwrap()]).ok();
        repo.wf(&["init"]).ok();
        create(repo, &format!("ISS-{n}"), n as u32);
    }
    let round = || ring.each_ref().map(|repo| repo.wf(&["pull", "--json"]).ok().json()["merged"].clone());
    for _ in 0..4 {
        round();
    }
    let tips = ring.each_ref().map(Repo::tip);
    assert_eq!(round(), ["none", "none", "none"].map(serde_json::Value::from));
    assert_eq!(ring.each_ref().map(Repo::tip), tips);
    let trees = ring.each_ref().map(|repo| repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().stdout);
    assert!(trees[0] == trees[1] && trees[1] == trees[2], "{trees:?}");
}

#[test]
fn heads_with_one_tree_get_a_common_one_where_a_push_needs_it() {
    let two = Two::new();
    let tree = two.ada.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok();
    two.ada.plumb_tree(tree.line());
    two.ada.wf(&["sync"]).ok();
    two.bea.plumb_tree(tree.line());
    assert_eq!(two.bea.wf(&["pull"]).ok().stdout, "origin: nothing new\n");
    let ran = two.bea.wf(&["sync", "--json"]).ok().json();
    assert_eq!((&ran["merged"], &ran["pushed"]), (&json!("merge"), &json!(true)));
    two.ada.wf(&["sync"]).ok();
    two.assert_one_state();
}

#[test]
fn clones_that_sync_at_once_lose_nothing() {
    const CLONES: usize = 4;
    const ROUNDS: u32 = 3;
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let clones: Vec<Repo> = (0..CLONES).map(|n| sandbox.clone(&origin, &format!("clone-{n}"))).collect();
    std::thread::scope(|scope| {
        for (n, clone) in clones.iter().enumerate() {
            scope.spawn(move || {
                clone.wf(&["init"]).ok();
                for round in 0..ROUNDS {
                    create(clone, &format!("ISS-{n}-{round}"), round);
                    clone.wf(&["sync"]).ok();
                }
            });
        }
    });
    for clone in &clones {
        clone.wf(&["sync"]).ok();
        assert_eq!(clone.tip(), origin.tip());
    }
    for n in 0..CLONES {
        for round in 0..ROUNDS {
            clones[0].stored_json(&file(&format!("ISS-{n}-{round}")));
        }
    }
    origin.git(&["fsck", "--strict"]).ok();
}

#[test]
fn the_store_may_be_a_branch() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let branch = "refs/heads/wf/main";
    let clones = ["ada", "bea"].map(|name| {
        let repo = sandbox.clone(&origin, name);
        repo.git(&["config", "wf.ref", branch]).ok();
        // A plain fetch from a remote without the branch is not an error.
        repo.wf(&["init"]).ok();
        repo.git(&["fetch", "--quiet"]).ok();
        repo.wf(&["sync"]).ok();
        repo
    });
    let [ada, bea] = &clones;
    let at = |repo: &Repo, name: &str| repo.git(&["rev-parse", name]).ok().stdout;
    let tree = ada.git(&["rev-parse", &format!("{branch}^{{tree}}")]).ok();
    let commit = ada.git(&["commit-tree", tree.line(), "-p", branch, "-m", "by hand"]).ok();
    ada.git(&["update-ref", branch, commit.line()]).ok();
    assert_eq!(ada.wf(&["sync"]).ok().stdout, "synced with origin: fetched 0 commits, pushed 1\n");
    bea.git(&["fetch", "--quiet"]).ok();
    assert_eq!(at(bea, "refs/wf-remotes/origin/heads/wf/main"), commit.stdout);
    assert_eq!(bea.wf(&["sync"]).ok().stdout, "synced with origin: fetched 1 commit, pushed 0\n");
    assert_eq!(at(bea, branch), at(&origin, branch));
}

#[test]
fn a_partial_clone_fetches_what_it_left_on_the_remote() {
    let two = Two::new();
    two.origin.git(&["config", "uploadpack.allowFilter", "true"]).ok();
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    let url = format!("file://{}", two.origin.path().display());
    let here = two.bea.path().parent().unwrap().join("part");
    two.bea.git(&["clone", "--quiet", "--filter=blob:none", &url, here.to_str().unwrap()]).ok();
    let part = two.sandbox.at("part");
    part.wf(&["init"]).ok();
    edit(&two.ada, "ISS-001", "title", "from ada", 5);
    two.ada.wf(&["sync"]).ok();
    // The commits and trees are fetched, but not their blobs.
    part.git(&["fetch", "--quiet"]).ok();
    create(&part, "ISS-002", 6);
    edit(&part, "ISS-001", "priority", 2, 7);
    part.wf(&["sync"]).ok();
    let merged = part.stored_json(&file("ISS-001"));
    assert_eq!((&merged["title"], &merged["priority"]), (&json!("from ada"), &json!(2)));
    assert_eq!(part.tip(), two.origin.tip());
}

#[test]
fn what_a_partial_clone_lacks_of_its_own_ref_is_no_damage_and_can_be_fetched() {
    let two = Two::new();
    two.origin.git(&["config", "uploadpack.allowFilter", "true"]).ok();
    create(&two.ada, "ISS-001", 1);
    two.ada.wf(&["sync"]).ok();
    let url = format!("file://{}", two.origin.path().display());
    for filter in ["blob:none", "tree:0"] {
        let here = two.bea.path().parent().unwrap().join(filter);
        let filtered = format!("--filter={filter}");
        two.bea.git(&["clone", "--quiet", &filtered, &url, here.to_str().unwrap()]).ok();
        let part = two.sandbox.at(filter);
        part.git(&["fetch", "--quiet", "origin", &format!("{REF}:{REF}")]).ok();
        let ran = part.wf(&["list"]).fails(1);
        assert!(ran.stderr.contains("could not be found"), "{}", ran.stderr);
        assert!(ran.stderr.contains("`git fetch --refetch --no-filter REMOTE REF`"), "{}", ran.stderr);
        part.git(&["fetch", "--quiet", "--refetch", "--no-filter", "origin", REF]).ok();
        assert!(part.wf(&["list"]).ok().stdout.contains("ISS-001"));
        part.wf(&["fsck"]).ok();
    }
}
