//! `list` and `status`.

use crate::support::{Repo, Sandbox, column, plan_on};

/// One issue of every status; the more work was done, the later: `R`egistered, `P`lanned, …
fn one_of_each(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        for id in ["C-1", "F-1", "E-1"] {
            repo.queued(id, &format!("src/{id}.rs"));
        }
        repo.wf(&["next", "C-1"]).ok();
        repo.done();
        repo.wf(&["next", "F-1"]).ok();
        repo.wf(&["fail", "-m", "no"]).ok();
        repo.wf(&["next", "E-1"]).ok();
        repo.queued("Q-1", "src/q.rs");
        repo.planned("P-1", &plan_on("src/p.rs"));
        for (id, args) in [
            ("R-1", &[][..]),
            ("X-1", &["--status", "cancelled"]),
            ("W-1", &["--status", "paused"]),
            ("N-1", &["--status", "planning"]),
        ] {
            repo.issue(id);
            if !args.is_empty() {
                repo.wf(&[&["edit", id], args].concat()).ok();
            }
        }
        repo.issue("Z-1");
        repo.wf(&["close", "Z-1"]).ok();
        repo
    })
}

#[test]
fn an_agent_that_lists_everything_is_told_how_to_read_less() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = |n: usize| {
        let at = "2026-01-01T00:00:00Z";
        format!(
            "{{\"id\":\"bd-{n}\",\"title\":\"T{n}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n"
        )
    };
    repo.wf_in((0..101).map(one).collect::<String>(), &["import", "beads", "-"]).ok();
    let agent = repo.with_env("CLAUDECODE", "1");
    let all = agent.wf(&["list", "--fields", "id"]).ok();
    assert_eq!(all.stdout.lines().count(), 101);
    assert!(
        all.stderr.contains("101 issues; `git wf list --limit 20` lists the first ones"),
        "{}",
        all.stderr
    );
    let some = agent.wf(&["list", "--limit", "20"]).ok().stderr;
    assert!(some.contains("20 of 101 issues; `--offset 20` shows the next ones"), "{some}");
    // A person's script is told nothing, and gets the same.
    let script = repo.wf(&["list", "--fields", "id"]).ok();
    assert_eq!((script.stdout, script.stderr.as_str()), (all.stdout, ""));
}

#[test]
fn what_is_over_is_left_out_unless_asked_for() {
    let sandbox = Sandbox::new();
    let repo = one_of_each(&sandbox);
    let ids =
        |args: &[&str]| column(&repo.json(&[&["list", "--sort", "status"], args].concat()), "id").join(" ");
    assert_eq!(ids(&[]), "R-1 N-1 P-1 Q-1 E-1 F-1 W-1");
    assert_eq!(ids(&["--all"]), "R-1 N-1 P-1 Q-1 E-1 C-1 F-1 W-1 X-1 Z-1");
    for (asked, found) in [
        ("registered", "R-1"),
        ("pending", "R-1"),
        ("planning", "N-1"),
        ("planned", "P-1"),
        ("queued", "Q-1"),
        ("executing", "E-1"),
        ("in-progress", "E-1"),
        ("completed", "C-1"),
        ("resolved", "C-1"),
        ("failed", "F-1"),
        ("paused", "W-1"),
        ("cancelled", "X-1"),
        ("closed", "Z-1"),
        ("closed,failed", "F-1 Z-1"),
    ] {
        assert_eq!(ids(&["--status", asked]), found, "{asked}");
    }
    let error = repo.refused(2, &["list", "--status", "lost"]);
    assert!(error["message"].as_str().unwrap().contains("registered, planning, planned"), "{error}");
    let home = repo.json(&["status"]);
    assert_eq!(home["issues"].as_object().unwrap().len(), 10);
    assert_eq!(home["issues"]["queued"], 1);
    assert_eq!(home["execution"]["issue_id"], "E-1");
    assert_eq!(home["tip"], repo.tip().unwrap());
    assert_eq!(repo.json(&["status", "Q-1"])["status"], "queued");
}

#[test]
fn filters_and_orders() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, title, priority, tags) in [
        ("B-1", "beta", "low", &["x"][..]),
        ("C-1", "Alpha", "critical", &["x", "y"]),
        ("A-1", "gamma", "low", &["y"]),
    ] {
        let tags: Vec<&str> = tags.iter().flat_map(|tag| ["-t", tag]).collect();
        repo.wf(&[&["new", title, "--id", id, "-p", priority], &tags[..]].concat()).ok();
    }
    repo.wf(&["edit", "B-1", "--assignee", "Bo"]).ok();
    let ids = |args: &[&str]| column(&repo.json(&[&["list"], args].concat()), "id").join(" ");
    assert_eq!(ids(&[]), "C-1 B-1 A-1", "the most urgent first, then the oldest");
    assert_eq!(ids(&["--sort", "created"]), "A-1 C-1 B-1");
    assert_eq!(ids(&["--sort", "updated"]), "B-1 A-1 C-1");
    assert_eq!(ids(&["--sort", "id"]), "A-1 B-1 C-1");
    assert_eq!(ids(&["--sort", "title"]), "C-1 B-1 A-1");
    assert_eq!(ids(&["--limit", "2"]), "C-1 B-1");
    assert_eq!(ids(&["-n", "0"]), "");
    assert_eq!(ids(&["--tag", "x"]), "C-1 B-1");
    assert_eq!(ids(&["--tag", "x", "--tag", "y"]), "C-1");
    assert_eq!(ids(&["--priority", "4"]), "B-1 A-1");
    assert_eq!(ids(&["--priority", "critical,high"]), "C-1");
    assert_eq!(ids(&["--assignee", "Bo"]), "B-1");
    repo.refused(2, &["list", "--sort", "mood"]);
    repo.refused(2, &["list", "--limit", "-1"]);
    let table = repo.wf(&["list"]).ok().stdout;
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["ID", "PRIORITY", "STATUS", "TITLE", "TAGS"]);
    assert_eq!(lines[1], ["C-1", "critical", "registered", "Alpha", "x,y"]);
    assert_eq!(lines.len(), 4, "nothing below the table when piped");
}

#[test]
fn a_saved_query_can_name_another() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, tag) in [("A-1", "x"), ("A-2", "x"), ("A-3", "y")] {
        repo.wf(&["new", "--id", id, "-t", tag, id]).ok();
    }
    for (name, options) in [
        ("x", "--tag x"),
        ("first", "@x -n 1"),
        ("round", "--tag x @about"),
        ("about", "@round"),
        ("lost", "@nothing"),
        ("own", "@own"),
        ("bob", "--assignee @bob-by-name"),
        ("at", "--tag @x"),
    ] {
        repo.git(&["config", &format!("wf.query.{name}"), options]).ok();
    }
    let ids = |args: &[&str]| column(&repo.json(&[&["list"], args].concat()), "id").join(" ");
    assert_eq!(ids(&["@first"]), "A-1");
    assert_eq!(ids(&["@x", "@first"]), "A-1");
    assert_eq!(ids(&["@bob"]), "", "that is a value");
    // So is one that a saved query happens to have as its name.
    repo.wf(&["edit", "A-3", "--tag", "@x"]).ok();
    for args in [&["--tag", "@x"][..], &["-at", "@x"], &["@at"]] {
        assert_eq!(ids(args), "A-3", "{args:?}");
    }
    let refused = repo.wf(&["list", "--", "@x"]).fails(2).stderr;
    assert!(refused.contains("`@x` cannot be expanded here"), "{refused}");
    for (name, message) in [
        ("@round", "`@round` refers to itself"),
        ("@own", "`@own` refers to itself"),
        ("@lost", "no saved query is called `@nothing`"),
    ] {
        let error = repo.refused(2, &["list", name]);
        assert!(error["message"].as_str().unwrap().contains(message), "{name}: {error}");
    }
    let error = repo.refused(2, &["comment", "--where", "@round", "text"]);
    assert!(error["message"].as_str().unwrap().contains("`@round` refers to itself"), "{error}");
    let changed = repo.json(&["comment", "--where", "@x --priority 3", "--yes", "text"]);
    assert_eq!(changed["issues"].as_array().map(Vec::len), Some(2), "{changed}");
}

#[test]
fn a_saved_query_is_found_behind_options_of_the_whole_program() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, tag) in [("A-1", "x"), ("A-2", "y")] {
        repo.wf(&["new", "--id", id, "-t", tag, id]).ok();
    }
    repo.git(&["config", "wf.query.X", "--tag x"]).ok();
    for args in [
        &["--date", "iso", "list", "@x"][..],
        &["--color=never", "-q", "list", "-p", "medium", "@X"],
        &["--json", "--color", "never", "list", "@x"],
    ] {
        let shown = repo.wf(args).ok().stdout;
        assert!(shown.contains("A-1") && !shown.contains("A-2"), "{args:?}: {shown}");
    }
}
