//! `export csv`: the rows of `list` as a table for spreadsheets.

use crate::support::Sandbox;

#[test]
fn a_table_has_what_list_has_and_no_formula() {
    let repo = Sandbox::new().store("a");
    repo.wf(&["new", "--id", "ISS-1", "=1+1", "-m", "One,\n\"two\"", "--tag", "a,b"]).ok();
    repo.wf(&["new", "--id", "ISS-2", "Closed"]).ok();
    repo.wf(&["close", "ISS-2", "-m", "no need"]).ok();
    let all = repo.wf(&["export", "csv", "--all"]).ok().stdout;
    assert_eq!(all.matches("\r\n").count(), 3, "{all}");
    assert!(all.starts_with("id,title,status,priority,type,assignee,author,tags,"), "{all}");
    assert!(all.contains("\r\nISS-1,'=1+1,registered,medium,,,"), "{all}");
    assert!(all.contains(",\"a, b\",") && all.contains("\"One,\n\"\"two\"\"\"\r\n"), "{all}");
    let told = repo.json(&["export", "csv", "-o", "out.csv"]);
    assert_eq!(told["issues"], 1);
    assert!(!repo.read("out.csv").contains("ISS-2"));
    repo.wf(&["--json", "export", "csv"]).fails(2);
}

#[test]
fn without_a_store_nothing_is_written_and_a_directory_is_no_file() {
    let sandbox = Sandbox::new();
    let bare = sandbox.repo("bare");
    assert_eq!(bare.wf(&["export", "csv"]).fails(1).stdout, "");
    let repo = sandbox.store("a");
    assert_eq!(repo.wf(&["export", "csv", "--since", "some day"]).fails(2).stdout, "");
    assert_eq!(repo.wf(&["export", "csv"]).ok().stdout.lines().count(), 1, "no issues have a head, too");
    let error = repo.refused(1, &["export", "csv", "-o", "."]);
    assert_eq!(error["message"], "cannot write `.`: it is a directory");
}
