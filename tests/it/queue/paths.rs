//! However plans write a path, one file is given to one executor at a time.

use serde_json::{Value, json};

use super::{item_of, reasons};
use crate::support::{Repo, Sandbox, column, plan_on};

/// `src/new.ts` as planners write it, and directories that contain it.
const SAME: &[&str] = &[
    "./src/new.ts",
    "src//new.ts",
    "src/./new.ts",
    "src/new.ts/",
    "src",
    "src/",
    "./src/.",
    ".//src/new.ts",
    "src/new.ts:12",
    "src/new.ts:12-20",
    "src/new.ts:12:5",
    "./src/new.ts#L12-L20",
];

#[test]
fn a_path_that_is_written_otherwise_waits_for_the_same_file() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-0", "src/new.ts");
    for (n, path) in SAME.iter().enumerate() {
        repo.queued(&format!("A-{}", n + 1), path);
    }
    for (n, path) in ["src/new.tsx", "src2/new.ts", "src/News.ts", "lib/src/new.ts"].iter().enumerate() {
        repo.queued(&format!("B-{}", n + 1), path);
    }
    repo.wf(&["next", "A-0"]).ok();
    for (n, path) in SAME.iter().enumerate() {
        let item = item_of(&repo, &format!("A-{}", n + 1));
        assert_eq!(item["status"], "pending", "{path}");
        assert!(reasons(&item).contains("shares `src/new.ts` with `SOL-A-0-"), "{path}: {}", reasons(&item));
    }
    for n in 1..=4 {
        assert_eq!(item_of(&repo, &format!("B-{n}"))["status"], "ready", "B-{n}");
    }
    // An item that is named is refused, too.
    let refused = repo.worktree("b", "b").refused(3, &["next", "A-5"]);
    assert!(refused["details"][0].as_str().unwrap().contains("shares `src/new.ts`"), "{refused}");
}

#[test]
fn groups_conflicts_and_files_touched_go_by_the_normal_path() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plans: Vec<String> =
        [("A-1", "src//a.ts"), ("A-2", "src/b.ts"), ("A-3", "./src"), ("A-4", "doc/a.md")]
            .iter()
            .map(|(id, path)| repo.queued(id, path))
            .collect();
    assert_eq!(item_of(&repo, "A-1")["files_touched"], json!(["src/a.ts"]));
    let group = |id: &str| item_of(&repo, id)["execution_group"].as_str().unwrap().to_owned();
    assert_eq!([group("A-1"), group("A-2"), group("A-3")], ["S1", "S1", "S1"]);
    assert_eq!(group("A-4"), "P1");
    let found = repo.json(&["queue", "overlaps"]);
    assert_eq!(column(&found, "file"), ["src"]);
    assert_eq!(found[0]["solutions"], json!(plans[..3]));
    // The two files do not conflict with each other: there is no edge between them.
    let edges = repo.json(&["queue", "graph"]);
    let edges: Vec<(&str, &str)> = edges["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()))
        .collect();
    assert_eq!(edges, [(&*plans[0], &*plans[2]), (&*plans[1], &*plans[2])]);
    // Declared over the same files, it replaces the conflict that was found.
    let all = ["queue", "overlaps", "--add", "file", "--path", "./src/", "--items", "A-1,A-2,A-3"];
    assert_eq!(repo.json(&all)[0]["file"], "src");
    assert_eq!(column(&repo.json(&["queue", "overlaps"]), "id"), ["CFT-1"]);
    let glob = ["queue", "overlaps", "--add", "file", "--path", "src/*", "--items", "A-1,A-2"];
    assert_eq!(repo.refused(1, &glob)["code"], "invalid-conflict");
}

#[test]
fn what_creates_a_file_comes_before_what_extends_its_folder() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut extends = plan_on("./src/");
    extends["tasks"][0]["action"] = json!("Modify");
    repo.planned("A-1", &extends);
    repo.planned("A-2", &plan_on("src//made.ts"));
    repo.wf(&["queue", "add", "A-1", "A-2"]).ok();
    assert_eq!(super::order_of(&repo, &[]), ["A-2", "A-1"]);
}

#[test]
fn a_name_with_brackets_is_a_path_and_no_pattern() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    let existing = "app/[id]/page.tsx";
    for file in [existing, "{{name}}/x.py"] {
        repo.write(file, "one\n");
    }
    repo.git(&["add", "-A"]).ok();
    repo.git(&["commit", "-qm", "start"]).ok();
    for file in [existing, "{{name}}/x.py"] {
        let mut plan = plan_on(file);
        plan["tasks"][0]["action"] = json!("Modify");
        let checked = repo.wf_in(plan.to_string(), &["solution", "check", "-", "--json"]).ok().json();
        let rules = column(&checked["findings"], "rule");
        assert!(rules.iter().all(|rule| rule != "path" && rule != "unknown-file"), "{checked:#}");
    }
    // As a pattern, the first would match the second, but not itself.
    let (named, matched) = ("app/[id]/new.tsx", "app/i/new.tsx");
    repo.planned("A-1", &plan_on(named));
    repo.planned("A-2", &plan_on(matched));
    repo.planned("A-3", &plan_on("./app/[id]"));
    repo.wf(&["queue", "add", "A-1", "A-2", "A-3"]).ok();
    assert_eq!(column(&repo.json(&["queue", "overlaps"]), "file"), ["app/[id]"]);
    repo.wf(&["next", "A-1"]).ok();
    repo.write(named, "two\n");
    repo.write(matched, "two\n");
    let error = repo.refused(1, &["done"]);
    assert_eq!(error["details"], json!([format!("{named} is in the plan but not committed")]));
    repo.git(&["add", "-A"]).ok();
    repo.git(&["commit", "-qm", "work"]).ok();
    let why = repo.json(&["why", named]);
    assert_eq!(column(&why["spans"][0]["origins"], "issue_id"), ["A-1"], "{why:#}");
}

#[test]
fn what_is_no_path_of_one_file_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    for (path, why) in [
        ("src/*.ts", "pattern"),
        ("src/new.?s", "pattern"),
        ("app/[id]/*.ts", "pattern"),
        ("src/{a,b}.ts", "pattern"),
        (".", "root"),
        ("./", "root"),
        ("", "root"),
        ("..", "`..`"),
        ("src/../x", "`..`"),
        (".git", "`.git`"),
        ("sub/.Git/hooks", "`.git`"),
        ("/src/new.ts", "relative"),
        ("C:/new.ts", "relative"),
        ("src\\new.ts", "without `\\`"),
        ("src/\u{1b}new.ts", "control"),
        ("src/a.ts, src/b.ts", "one path; give each file an entry of its own"),
        ("src/a.ts and src/b.ts", "one path"),
        ("src/a.ts src/b.ts", "one path"),
        ("src/a.ts (new)", "a remark on it belongs in `change`"),
        ("src/a.ts new file", "a remark on it belongs in `change`"),
        ("src/a.ts:handler", "what changes in it belongs in `target`"),
        ("`src/a.ts`", "quotation marks"),
    ] {
        for (list, field) in [("modification_points", "file"), ("files", "path")] {
            let mut plan = plan_on("src/a.ts");
            plan["tasks"][0][list] = json!([{field: path}]);
            let error = repo.refused_in(plan.to_string(), 1, &["solution", "add", "A-1"]);
            let line = error["details"][0].as_str().unwrap();
            let place = format!("tasks[0].{list}[0].{field}: expected ");
            let found = format!("; found {}", json!(path));
            assert!(line.starts_with(&place) && line.ends_with(&found) && line.contains(why), "{line}");
            let checked = repo.wf_in(plan.to_string(), &["solution", "check", "-", "--json"]).fails(1).json();
            let finding: &Value = &checked["findings"][0];
            assert!(
                finding["remedy"].as_str().unwrap().contains("the directory that holds them"),
                "{finding}"
            );
        }
    }
}

#[test]
fn lines_behind_a_path_are_kept_as_they_were_given() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("A-1", &plan_on("src/new.ts:12-20"));
    let shown = repo.json(&["solution", "show", &plan]);
    assert_eq!(shown["tasks"][0]["modification_points"][0]["file"], "src/new.ts:12-20");
    assert_eq!(shown["files_touched"], json!(["src/new.ts"]));
}

#[test]
fn a_plan_that_names_no_file_is_stored_with_a_warning() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("A-1");
    let mut plan = plan_on("src/a.ts");
    plan["tasks"][0].as_object_mut().unwrap().remove("modification_points").unwrap();
    let added = repo.json_in(plan.to_string(), &["solution", "add", "A-1"]);
    assert!(
        added["warnings"][0]
            .as_str()
            .unwrap()
            .contains("names no file, so overlap with other plans goes unnoticed"),
        "{added}"
    );
    assert_eq!(added["findings"][0]["rule"], "no-files");
    let checked = repo.wf(&["solution", "check", "A-1"]).ok().stdout;
    assert!(checked.contains("files or modification_points in one of the tasks"), "{checked}");
    // A message to someone touches no file.
    plan["tasks"][0]["action"] = json!("Notify");
    repo.issue("A-2");
    let added = repo.json_in(plan.to_string(), &["solution", "add", "A-2"]);
    assert_eq!((&added["findings"], added.get("warnings")), (&json!([]), None));
}

/// A plan that was stored by an older program, or by another one.
fn stored(repo: &Repo, id: &str, path: &str) {
    repo.planned(id, &plan_on("src/placeholder.ts"));
    let place = repo
        .store_paths()
        .into_iter()
        .find(|it| it.contains(&format!("/{id}/")) && it.ends_with("/solution.json"));
    let place = place.unwrap();
    let text = repo.stored(&place).replace("src/placeholder.ts", path);
    repo.plumb(&[(&place, &text)]);
    repo.wf(&["queue", "add", id]).ok();
}

#[test]
fn a_stored_pattern_overlaps_everything() {
    for path in ["src/*.ts", "../up", "/abs/new.ts", ".git/config", "C:/x", "."] {
        let sandbox = Sandbox::new();
        let repo = sandbox.store("a");
        stored(&repo, "A-1", path);
        repo.queued("A-2", "doc/unrelated.md");
        assert_eq!(item_of(&repo, "A-1")["files_touched"], json!(["."]), "{path}");
        assert_eq!(column(&repo.json(&["queue", "overlaps"]), "file"), ["."]);
        repo.wf(&["next", "A-1"]).ok();
        assert!(reasons(&item_of(&repo, "A-2")).contains("shares `doc/unrelated.md`"), "{path}");
        repo.wf(&["show", "A-1"]).ok();
        repo.wf(&["audit"]).ok();
        assert!(repo.wf(&["fsck"]).fails(1).stdout.contains("modification_points[0].file"));
    }
}

#[test]
fn a_file_in_another_spelling_is_not_handed_out_twice() {
    for (one, two) in
        [("src/New.ts", "src/new.ts"), ("docs/caf\u{e9}.md", "docs/cafe\u{301}.md"), ("SRC", "src/x.ts")]
    {
        let sandbox = Sandbox::new();
        let repo = sandbox.store("a");
        repo.queued("ISS-001", one);
        repo.queued("ISS-002", two);
        repo.wf(&["next"]).ok();
        let items = repo.items();
        assert_eq!(items[1].1, "pending", "{one} {two}: {items:?}");
        let tree = repo.worktree("tree", "second");
        tree.wf(&["next"]).fails(3);
    }
}

#[test]
fn a_path_through_a_symbolic_link_is_named_with_the_file_that_is_meant() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("dir/x.ts", "x\n", "a file");
    for (link, target) in [("link", "dir"), ("dir/y.ts", "x.ts"), ("out", "/etc")] {
        std::os::unix::fs::symlink(target, repo.path().join(link)).unwrap();
        repo.git(&["add", link]).ok();
    }
    repo.git(&["commit", "-q", "-m", "links"]).ok();
    let found = |path: &str| {
        let mut plan = plan_on(path);
        plan["tasks"][0]["action"] = json!("Modify");
        repo.write("plan.json", plan.to_string());
        let checked = repo.wf(&["solution", "check", "plan.json"]).ok();
        checked.stdout.lines().filter(|line| line.contains("symbolic")).map(str::to_owned).collect::<Vec<_>>()
    };
    for (path, to) in [
        ("link/x.ts", "`dir/x.ts`, where the symbolic link `link` leads"),
        ("dir/y.ts", "`dir/x.ts`, where the symbolic link `dir/y.ts` leads"),
        ("out/passwd", "the symbolic link `out` leads out of it"),
    ] {
        let lines = found(path);
        assert!(lines.len() == 1 && lines[0].contains(to), "{path}: {lines:?}");
    }
    assert_eq!(found("dir/x.ts"), [""; 0]);
}
