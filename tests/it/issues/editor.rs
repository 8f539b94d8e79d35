//! Issues written in the editor: fields above the text, templates of the repository, and what is not lost.

use serde_json::json;

use crate::support::{Repo, Sandbox, column};

fn with_editor(repo: &Repo, script: &str) -> Repo {
    repo.write("editor", script);
    repo.with_env("GIT_EDITOR", "sh ./editor")
}

#[test]
fn fields_above_the_text_are_set_kept_and_cleared() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let text = "---\npriority: high\ntags: [b, c]\ntype: bug\ndepends_on: ISS-001\n---\nTitle\n\n# Why\n";
    let editor = with_editor(&repo, &format!("printf '%s' '{text}' >\"$1\"\n"));
    let issue = editor.json(&["new", "-e", "--id", "ISS-002", "-t", "a"]);
    assert_eq!((&issue["title"], &issue["context"]), (&json!("Title"), &json!("# Why")));
    assert_eq!((&issue["tags"], &issue["priority"]), (&json!(["b", "c"]), &json!(2)));
    assert_eq!((&issue["issue_type"], &issue["depends_on"]), (&json!("bug"), &json!(["ISS-001"])));
    // The editor starts with what is there.
    let editor = with_editor(
        &repo,
        "cp \"$1\" seen; sed -i -e 's/^tags:.*/tags: d/' -e 's/^type: .*/type:/' \"$1\"\n",
    );
    let issue = editor.json(&["edit", "ISS-002", "-e"]);
    assert!(
        repo.read("seen").starts_with("---\npriority: high\ntype: bug\nassignee:\ntags: b, c\n"),
        "{}",
        repo.read("seen")
    );
    assert_eq!((&issue["tags"], &issue["issue_type"]), (&json!(["d"]), &json!(null)));
    assert_eq!((&issue["depends_on"], &issue["context"]), (&json!(["ISS-001"]), &json!("# Why")));
    repo.with_env("GIT_EDITOR", "true").changes_nothing(&["edit", "ISS-002", "-e"]);
}

#[test]
fn what_cannot_be_read_is_kept_and_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let unreadable = || with_editor(&repo, "printf -- '---\\nprioritty: 1\\n---\\nTitle\\n' >\"$1\"\n");
    let error = unreadable().refused(1, &["new", "-e"]);
    assert_eq!(error["code"], "invalid-text");
    assert!(
        error["message"].as_str().unwrap().contains("line 2") && error.to_string().contains("`priority`"),
        "{error}"
    );
    assert!(error["hint"].as_str().unwrap().contains("EDITMSG-"), "{error}");
    assert!(repo.kept_texts()[0].contains("prioritty"));
    // Others do not overwrite it, whether they are stored or not.
    let kept = repo.kept_texts().len();
    unreadable().refused(1, &["new", "-e"]);
    with_editor(&repo, "printf 'Other\\n' >\"$1\"\n").wf(&["new", "-e"]).ok();
    unreadable().refused(1, &["new", "-e"]);
    assert_eq!(repo.kept_texts().iter().filter(|text| text.contains("prioritty")).count(), 3 * kept);
    // An editor that was left without a change leaves nothing.
    let error = repo.with_env("GIT_EDITOR", "false").refused(1, &["new", "-e"]);
    assert!(!error.to_string().contains("EDITMSG"), "{error}");
    assert_eq!(repo.kept_texts().len(), 3 * kept);
}

#[test]
fn without_an_editor_there_is_no_file() {
    let sandbox = Sandbox::new();
    let repo =
        ["EDITOR", "VISUAL", "GIT_EDITOR"].iter().fold(sandbox.store("a"), |it, name| it.without_env(name));
    repo.issue("ISS-001");
    for args in [&["new", "-e"][..], &["edit", "ISS-001", "-e"], &["plan", "ISS-001", "-e"]] {
        let error = repo.with_env("TERM", "dumb").wf(&[args, &["--json"]].concat()).fails(1).json_error();
        assert!(error.to_string().contains("`-m` and `-F` need no editor"), "{error}");
    }
    let ran = repo.with_env("GIT_EDITOR", "/nowhere/editor").wf(&["new", "-e"]).fails(1);
    assert!(!ran.stderr.contains("EDITMSG"), "{}", ran.stderr);
    assert!(repo.kept_texts().is_empty(), "{:?}", repo.kept_texts());
}

/// While one text is in the editor, someone writes another in the same repository.
#[test]
fn two_editors_do_not_share_a_file() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    let before = repo.json(&["show", "ISS-001"]);
    let outer = "GIT_EDITOR='sed -i s/^priority:.*/priority:critical/' git wf edit ISS-002 -e && \
        sed -i s/^priority:.*/priority:low/ \"$1\"\n";
    let ran = with_editor(&repo, outer).wf(&["edit", "ISS-001", "-e"]).ok();
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    let [first, second] = ["ISS-001", "ISS-002"].map(|id| repo.json(&["show", id]));
    assert_eq!((&first["priority"], &second["priority"]), (&json!(4), &json!(1)));
    assert_eq!((&first["title"], &first["context"]), (&before["title"], &before["context"]));
    assert_eq!(repo.kept_texts(), [""; 0]);
}

#[test]
fn on_a_terminal_the_editor_opens_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    // The first time it writes nonsense; the second time it mends what it finds.
    let script = "if [ -e again ]; then sed -i s/prioritty/priority/ \"$1\"; else\n\
        printf -- '---\\nprioritty: 1\\n---\\nTitle\\n' >\"$1\"; touch again; fi\n";
    let (code, shown) = with_editor(&repo, script).on_terminal("\n", &["new", "-e", "--id", "ISS-007"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("did you mean `priority`") && shown.contains("edit it again? [Y/n]"), "{shown}");
    assert_eq!(repo.json(&["show", "ISS-007"])["priority"], 1);
    assert_eq!(repo.kept_texts(), [""; 0]);
}

#[test]
fn no_template_is_read_through_a_link() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("notes.md"), "A secret\n").unwrap();
    std::fs::create_dir(repo.path().join(".wf")).unwrap();
    std::os::unix::fs::symlink(&outside, repo.path().join(".wf/templates")).unwrap();
    let error = repo.with_env("GIT_EDITOR", "true").refused(1, &["new", "--template", "notes"]);
    assert!(!error.to_string().contains("secret"), "{error}");
    assert_eq!(error["code"], "not-found", "{error}");
}

#[test]
fn templates_of_the_repository_are_filled_in() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.write(
        ".github/ISSUE_TEMPLATE/bug_report.md",
        "---\nname: Bug report\nabout: Something is broken\nlabels: bug, triage\n---\n\n**Steps**\n",
    );
    repo.write(".wf/templates/idea.md", "What for?\n");
    let form = "name: Crash\nlabels: [crash]\nbody:\n  - type: textarea\n    attributes: {label: What happened?, \
        value: It crashed.}\n";
    repo.write(".github/ISSUE_TEMPLATE/crash.yml", form);
    repo.write(".github/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: false\n");
    // Left as it is, nothing is made of it.
    let error = repo.with_env("GIT_EDITOR", "true").refused(1, &["new", "--template", "idea"]);
    assert_eq!(error["code"], "empty");
    assert_eq!(repo.json(&["list"]), json!([]));
    let editor = with_editor(
        &repo,
        "cp \"$1\" seen; sed -i -e '0,/^---$/!{0,/^---$/s/^---$/---\\nIt broke/}' \"$1\"\n",
    );
    let issue = editor.json(&["new", "--template", "bug report"]);
    assert_eq!((&issue["title"], &issue["tags"]), (&json!("It broke"), &json!(["bug", "triage"])));
    assert_eq!(issue["context"], "**Steps**");
    assert!(
        repo.read("seen").contains("Templates (--template NAME): idea, bug_report, crash"),
        "{}",
        repo.read("seen")
    );
    let odd = ".github/ISSUE_TEMPLATE/odd.yml";
    repo.write(odd, "body: *nothing\n");
    let ran = editor.wf(&["new", "--template", "crash", "--id", "ISS-002"]).ok();
    assert_eq!(ran.stderr.matches(&format!("`{odd}` is not a template")).count(), 1, "{}", ran.stderr);
    std::fs::remove_file(repo.path().join(odd)).unwrap();
    let issue = repo.json(&["show", "ISS-002"]);
    assert_eq!(
        (&issue["tags"], &issue["context"]),
        (&json!(["crash"]), &json!("### What happened?\n\nIt crashed."))
    );
    repo.wf(&["close", "ISS-002", "-m", "tried"]).ok();
    let error = repo.refused(1, &["new", "--template", "bugreport"]);
    assert!(error["hint"].as_str().unwrap().contains("did you mean `bug_report`?"), "{error}");
    assert_eq!(column(&repo.json(&["list"]), "title"), ["It broke"]);
}

#[test]
fn what_someone_changed_while_the_editor_was_open_is_not_replaced_unseen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Title", "--id", "ISS-001", "-m", "text", "--assignee", "ada"]).ok();
    let program = env!("CARGO_BIN_EXE_git-wf");
    let editing = |theirs: &str, own: &str| {
        with_editor(
            &repo,
            &format!("{program} edit ISS-001 {theirs} >/dev/null && sed -i -e '{own}' \"$1\"\n"),
        )
    };
    // Fields that only one of them changes do not get in each other's way.
    let issue =
        editing("--title Theirs --assignee bea", "s/^text/own text/").json(&["edit", "ISS-001", "-e"]);
    assert_eq!(
        (&issue["title"], &issue["assignee"], &issue["context"]),
        (&json!("Theirs"), &json!("bea"), &json!("own text"))
    );
    let both = editing("-m 'their text'", "s/^own text/other text/");
    let refused = both.wf(&["edit", "ISS-001", "-e"]).fails(1);
    assert!(refused.stderr.contains("someone changed the description of"), "{}", refused.stderr);
    assert_eq!(repo.json(&["show", "ISS-001"])["context"], "their text");
    assert!(repo.kept_texts()[0].contains("other text"));
}

#[test]
fn after_a_refusal_only_the_field_that_it_named_was_seen() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Title", "--id", "ISS-001", "-m", "text", "--assignee", "ada"]).ok();
    let program = env!("CARGO_BIN_EXE_git-wf");
    // Someone else changes everything while the editor is open; the second time, both descriptions are merged.
    let script = format!(
        "if [ -e again ]; then sed -i 's/^own text/their and own text/' \"$1\"; else touch again; \
         {program} edit ISS-001 --title Theirs --assignee bea -p critical -m 'their text' >/dev/null; \
         sed -i 's/^text/own text/' \"$1\"; fi\n"
    );
    let (code, shown) = with_editor(&repo, &script).on_terminal("y\n", &["edit", "ISS-001", "-e"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("someone changed the description of"), "{shown}");
    let issue = repo.json(&["show", "ISS-001"]);
    assert_eq!(
        (&issue["title"], &issue["assignee"], &issue["priority"], &issue["context"]),
        (&json!("Theirs"), &json!("bea"), &json!(1), &json!("their and own text"))
    );
}

#[test]
fn a_text_with_blanks_at_the_ends_of_lines_is_not_an_edit() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Title", "--id", "ISS-001", "-m", "one  \ntwo"]).ok();
    repo.with_env("GIT_EDITOR", "true").changes_nothing(&["edit", "ISS-001", "-e"]);
    let editor = with_editor(&repo, "sed -i 's/^Title/Other/' \"$1\"\n");
    let issue = editor.json(&["edit", "ISS-001", "-e"]);
    assert_eq!((&issue["title"], &issue["context"]), (&json!("Other"), &json!("one  \ntwo")));
}

#[test]
fn the_editor_has_the_last_word_on_fields_of_json() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["new", "Title", "--id", "ISS-001", "-m", "text", "-p", "low"]).ok();
    repo.write("new.json", json!({"title": "Given", "priority": 1, "context": "given"}).to_string());
    let editor =
        with_editor(&repo, "sed -i -e 's/^Given/Title/' -e 's/^priority:.*/priority: low/' \"$1\"\n");
    let issue = editor.json(&["edit", "ISS-001", "-e", "--from-json", "new.json"]);
    assert_eq!(
        (&issue["title"], &issue["priority"], &issue["context"]),
        (&json!("Title"), &json!(4), &json!("given"))
    );
}
