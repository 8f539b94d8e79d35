//! Commits that work everywhere except on a host that checks objects; their history could never be pushed there.

use serde_json::json;

use super::raw;
use crate::support::{REF, Repo, Sandbox};

const NUL: (&str, &str, &str) = ("1795226400", "a\0b", "it has a NUL byte");
const EARLY: (&str, &str, &str) = ("-86400", "early", "it is dated before 1970");

fn clones(is_gated: bool) -> (Sandbox, Repo, Repo) {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    if is_gated {
        origin.wf(&["hooks", "install", "--server"]).ok();
    }
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    (sandbox, ada, bea)
}

fn commit(repo: &Repo, date: &str, message: &str) -> String {
    let tree = repo.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    let who = format!("Bea <bea@example.org> {date} +0000");
    let parent = repo.tip().unwrap();
    let text = format!("tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{message}\n");
    raw(repo, "commit", text)
}

#[test]
fn the_gate_refuses_them() {
    let (_sandbox, _ada, bea) = clones(true);
    for (date, message, why) in [EARLY, NUL] {
        let commit = commit(&bea, date, message);
        let ran = bea.git(&["push", "origin", &format!("{commit}:{REF}")]).fails(1);
        assert!(ran.stderr.contains(why) && ran.stderr.contains(&commit), "{}", ran.stderr);
    }
}

#[test]
fn sync_and_fsck_name_them() {
    for (date, message, why) in [EARLY, NUL] {
        let (_sandbox, ada, bea) = clones(false);
        let commit = commit(&bea, date, message);
        bea.git(&["push", "--quiet", "origin", &format!("{commit}:{REF}")]).ok();
        let told = ada.wf(&["sync", "--json"]).ok().json();
        let named = &told["rewritten"][0];
        assert_eq!((&named["path"], &named["commit"]), (&json!(REF), &json!(commit)), "{told:#}");
        assert_eq!(named["author"], "Bea <bea@example.org>");
        assert!(named["what"].as_str().unwrap().contains(why), "{told:#}");
        assert!(told["warnings"].to_string().contains(why), "{told:#}");
        let found = ada.wf(&["fsck", "--json"]).fails(1).json();
        assert_eq!(found[0]["commit"], commit, "{found:#}");
        let what = found[0]["what"].as_str().unwrap();
        assert!(what.contains("Bea <bea@example.org>") && what.contains(why), "{found:#}");
        assert_eq!(ada.wf(&["sync", "--json"]).ok().json()["rewritten"], json!([]));
    }
}
