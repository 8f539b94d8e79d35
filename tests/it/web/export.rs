//! Pages exported as files.

use std::collections::BTreeMap;
use std::path::Path;

use super::pages::worked;
use crate::support::{Sandbox, plan_on};

fn files(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            files(&path, &format!("{name}/"), found);
        } else {
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The file that a relative link leads to.
fn target(from: &str, link: &str) -> String {
    let mut at: Vec<&str> = from.split('/').collect();
    at.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(at.pop()),
            part => at.push(part),
        }
    }
    at.join("/")
}

#[test]
fn every_link_leads_to_a_file_of_the_export() {
    let sandbox = Sandbox::new();
    let (repo, commit) = worked(&sandbox);
    // Digits alone are a number, and letters alone a word.
    let is_both = |hash: &str| {
        [u8::is_ascii_digit, u8::is_ascii_lowercase].iter().all(|is| hash.bytes().any(|it| is(&it)))
    };
    let short = (9..).map(|length| &commit[..length]).find(|hash| is_both(hash)).unwrap();
    repo.wf_in(plan_on("src/a.rs").to_string(), &["solution", "add", "GH-7"]).ok();
    repo.wf(&["task", "edit", "GH-7", "T1", "--title", "Another title"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "see ISS-404, SOL-ISS-404-1 and ISS-002"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", &"long ".repeat(10_000)]).ok();
    repo.wf(&["comment", "ISS-002", "-m", &format!("as in GH-7, since {short}")]).ok();
    // The directory of this issue's texts has not the name of another issue's page.
    repo.wf(&["new", "--id", "GH-7.html", "Like a page"]).ok();
    repo.wf(&["comment", "GH-7.html", "-m", &"long ".repeat(10_000)]).ok();
    let printed = repo.wf(&["web", "--export", "pages"]).ok();
    assert!(printed.stdout.starts_with("pages/index.html: "), "{}", printed.stdout);
    let mut all = BTreeMap::new();
    files(&repo.path().join("pages"), "", &mut all);
    let mut links = 0;
    for (name, text) in all.iter().filter(|it| it.0.ends_with(".html")) {
        let hrefs = text.split("href=\"").chain(text.split("src=\"")).chain(text.split("action=\"")).skip(1);
        for link in hrefs.filter_map(|rest| rest.split('"').next()) {
            if link.starts_with('<') || link.contains("://") || link.contains('<') || link.starts_with('#') {
                continue;
            }
            let to = target(name, link.split('#').next().unwrap());
            assert!(all.contains_key(&to), "{name} links to {link}, which is no file");
            links += 1;
        }
        assert!(!text.contains("href=\"/"), "{name} has an absolute link");
    }
    assert!(links > 100, "{links}");
    assert!(all.keys().any(|name| name.starts_with("comments/ISS-001/") && name.ends_with(".txt")));
    // The trail is part of it: commits, changes of the store, and files with the reason for their lines.
    assert!(all[&format!("commits/{commit}.html")].contains("href=\"../issues/ISS-001.html\""));
    assert!(all["files/src/a.rs.html"].contains(&format!("href=\"../../commits/{commit}.html\"")));
    assert!(all["files.html"].contains("href=\"files/src/a.rs.html\""));
    assert!(all["history.html"].contains(&format!("href=\"history/{}.html\"", repo.tip().unwrap())));
    let plan = repo.json(&["show", "GH-7"])["solutions"][0]["id"].as_str().unwrap().to_owned();
    assert!(all[&format!("plans/{plan}/diff.html")].contains("Another title"));
    assert!(all["search-index.js"].contains("\"GH-7\",\"Cut words\""));
    // Ids without a known prefix and short hashes are links, too.
    let links = &all["issues/ISS-002.html"];
    assert!(links.contains("href=\"../issues/GH-7.html\">GH-7</a>"), "{links}");
    assert!(links.contains(&format!("href=\"../commits/{commit}.html\">{short}</a>")), "{links}");
}

#[test]
fn a_second_export_writes_only_what_changed() {
    let sandbox = Sandbox::new();
    let (repo, _) = worked(&sandbox);
    let export = || repo.json(&["web", "--export", "pages"]);
    let first = export();
    assert!(first["written"].as_u64() > first["pages"].as_u64(), "{first}");
    sandbox.advance(3_600);
    assert_eq!(export()["written"], 0);
    let mut before = BTreeMap::new();
    files(&repo.path().join("pages"), "", &mut before);
    repo.wf(&["edit", "GH-7", "--title", "Cut <script>alert(1)</script> words"]).ok();
    assert!(export()["written"].as_u64().unwrap() > 0);
    let mut after = BTreeMap::new();
    files(&repo.path().join("pages"), "", &mut after);
    assert_ne!(before["issues/GH-7.html"], after["issues/GH-7.html"]);
    assert_eq!(before["issues/ISS-002.html"], after["issues/ISS-002.html"]);
    for (name, text) in after.iter().filter(|it| it.0.ends_with(".html")) {
        assert!(!text.contains("<script>alert"), "{name}");
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.write("file", "x");
    let error = repo.refused(1, &["web", "--export", "file"]);
    assert_eq!(error["code"], "cannot-write");
    assert!(error["message"].as_str().unwrap().contains("`file`"), "{error}");
}

/// The directory may be one of the project: then whoever commits to it decides what is a link.
#[test]
fn an_export_writes_through_no_link() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let outside = sandbox.root().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "mine").unwrap();
    let docs = repo.path().join("docs");
    std::fs::create_dir(&docs).unwrap();
    for name in ["index.html", "index.new", ".git-wf-new"] {
        std::os::unix::fs::symlink(outside.join("file"), docs.join(name)).unwrap();
    }
    repo.wf(&["web", "--export", "docs"]).ok();
    assert!(std::fs::read_to_string(docs.join("index.html")).unwrap().starts_with("<!DOCTYPE html>"));
    // Nor into a directory.
    std::fs::remove_dir_all(docs.join("issues")).unwrap();
    std::os::unix::fs::symlink(&outside, docs.join("issues")).unwrap();
    let error = repo.refused(1, &["web", "--export", "docs"]);
    assert!(error["message"].as_str().unwrap().contains("`docs/issues/"), "{error}");
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "mine");
    assert_eq!(outside.read_dir().unwrap().count(), 1);
}
