//! How lists are shown: short ids, chosen forms, names that nearly exist, and lists with nothing in them.

use crate::support::Sandbox;

#[test]
fn a_form_has_fields_as_in_for_each_ref() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "One", "--id", "ISS-001", "-t", "a", "-t", "b"]).ok();
    let form = "--format=%(id)%09%(title) [%(tags)] 100%%";
    assert_eq!(repo.wf(&["list", form]).ok().stdout, "ISS-001\tOne [a,b] 100%\n");
    assert_eq!(repo.wf(&["show", "ISS-001", "--format=%(title)"]).ok().stdout, "One\n");
    assert_eq!(
        repo.wf(&["log", "-n", "1", "--format=%(subject)"]).ok().stdout,
        "issue: create ISS-001 \"One\"\n"
    );
    assert_eq!(repo.wf(&["queue", "manage", "list", "--format=%(id)"]).ok().stdout, "");
    let said = repo.wf(&["list", "--format=%(titel)"]).fails(1).stderr;
    assert!(said.contains("did you mean `title`?"), "{said}");
    repo.wf(&["list", "--format=%(id"]).fails(2);
}

#[test]
fn what_nearly_exists_is_suggested() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "One", "--id", "ISS-001", "-t", "backend", "--type", "bug"]).ok();
    for args in [&["show", "ISS-01"][..], &["close", "ISS-0001"], &["show", "iss_001"]] {
        let error = repo.refused(1, args);
        assert!(error["hint"].as_str().unwrap().starts_with("did you mean `ISS-001`?"), "{args:?}: {error}");
    }
    let said = |args: &[&str]| repo.wf(args).ok().stderr;
    assert!(
        said(&["list", "-t", "bakend"]).contains("no issue has the tag `bakend`; did you mean `backend`?")
    );
    assert!(said(&["list", "--type", "bgu"]).contains("did you mean `bug`?"));
    assert!(said(&["list", "-t", "zzz"]).contains("no issue has the tag `zzz`\n"));
    assert_eq!(said(&["list", "-t", "backend"]), "");
    assert_eq!(said(&["list", "-q", "-t", "bakend"]), "");
}

#[test]
fn ids_are_short_on_a_terminal_and_whole_in_a_pipe() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let id = repo.wf(&["new", "One"]).ok().line().to_owned();
    let short = &id[13..];
    assert!(repo.wf(&["list"]).ok().stdout.contains(&id));
    let (code, shown) = repo.on_terminal("", &["list"]);
    assert!(code == 0 && shown.contains(short) && !shown.contains(&id), "{shown}");
    let (_, shown) = repo.on_terminal("", &["log", "--oneline"]);
    assert!(shown.contains(&format!("create {short} ")), "{shown}");
    assert_eq!(repo.json(&["show", short])["id"], id.as_str());
}

#[test]
fn an_empty_list_says_so_on_a_terminal_only() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for list in [
        &["list"][..],
        &["lease"],
        &["roadmap", "list"],
        &["queue", "manage", "list"],
        &["solution", "list"],
        &["feedback"],
        &["wisdom"],
        &["run", "list"],
    ] {
        assert_eq!(repo.wf(list).ok().stdout, "", "{list:?}");
        let (code, shown) = repo.on_terminal("", list);
        assert!(code == 0 && shown.contains("no "), "{list:?}: {shown}");
    }
}
