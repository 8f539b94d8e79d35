//! Links and submodules where files of records belong, and the names that git reads.

use std::collections::BTreeSet;

use super::*;

/// A path at which an entry of a log could be.
fn place() -> String {
    format!("{}/comments/20261121T100000000Z-00000-0hfxqw582e0cv9bakm5phczz7x.json", folder("ISS-001"))
}

/// Puts an entry of this mode at [`place`], and another title of an issue under its old stamp.
fn push_odd(world: &World, mode: &str, id: &str, title: Option<&str>) {
    let tree = world.origin.tree_from(REF, |index| {
        index.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{}", place())]).ok();
        if let Some(title) = title {
            let mut record = world.origin.stored_json(&file("ISS-002"));
            record["title"] = title.into();
            let blob = index.blob(format!("{record:#}\n"));
            index.git(&["update-index", "--cacheinfo", &format!("100644,{blob},{}", file("ISS-002"))]).ok();
        }
    });
    world.origin.plumb_tree(&tree);
}

#[test]
fn whatever_is_at_the_path_of_an_entry_a_pull_checks_what_came_in() {
    for mode in ["160000", "120000", "100755"] {
        let world = World::new();
        // Objects of other repositories are in no clone; others must exist.
        let [one, two] = if mode == "160000" {
            ["a", "b"].map(|digit| digit.repeat(40))
        } else {
            ["x", "y"].map(|text| world.origin.blob(text))
        };
        push_odd(&world, mode, &one, None);
        world.ada.wf(&["pull"]).ok();
        world.ada.wf(&["comment", "ISS-001", "-m", "mine"]).ok();
        push_odd(&world, mode, &two, Some("another title"));
        let ran = world.ada.wf(&["pull", "--json"]).ok();
        let told = &ran.json()["rewritten"];
        assert!(told.to_string().contains("changed `title` without changing its stamp"), "{mode}: {told}");
        world.ada.wf(&["sync"]).ok();
        assert_eq!(world.ada.wf(&["sync", "--json"]).ok().json()["merged"], "none", "{mode}");
        for args in [&["log", "-p"][..], &["audit"], &["conflicts"], &["undo"], &["export", "jsonl"]] {
            let ran = world.ada.wf(args);
            assert!(!ran.stderr.contains("could not be found"), "{mode} {args:?}: {}", ran.stderr);
        }
        world.assert_usable();
    }
}

/// Names made from what git reads: short names of Windows, names in other cases, with endings that NTFS ignores, with
/// characters that HFS+ ignores, after a backslash.
fn names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for start in [
        "", "g", "gi", "gi7eba", "gi7eb", "gi7", "gi7d29", "gi7d2", "gi7ec", "git", "gitmod", "GITATT",
        "gitign",
    ] {
        for number in
            ["", "0", "1", "2", "4", "5", "10", "12", "01", "123", "1234", "12345", "123456", "1234567"]
        {
            names.insert(format!("{start}~{number}"));
            names.insert(format!("{start}~{number}x"));
        }
    }
    let plain = [
        ".git",
        ".gitmodules",
        ".GitAttributes",
        ".gitx",
        "git~1",
        "gi7eba~1",
        "~1234567",
        "gitmod~4",
        "gitmod~5",
    ];
    for name in plain {
        for end in ["", " ", ".", ". .", ":", ":x", " :x", ".x", " x", "\u{200c}", "\u{feff}x"] {
            names.insert(format!("{name}{end}"));
        }
        names.insert(format!("x\\{name}"));
        names.insert(format!("x\\{name}x"));
        names.insert(name.replacen('g', "g\u{200d}", 1));
        names.insert(name.replacen('i', "\u{130}", 1));
    }
    names
}

#[test]
fn the_names_that_cannot_be_kept_are_those_that_git_reads() {
    let world = World::new();
    let target = world.ada.blob("x");
    let names: Vec<String> = names().into_iter().collect();
    let mut trees = Vec::new();
    for name in &names {
        trees.push(raw_tree(&world.ada, &[entry("120000", name, &target)]));
    }
    let said = world.ada.git(&["fsck", "--strict", "--no-dangling"]);
    let said = said.stdout.clone() + &said.stderr;
    let of_git = |tree: &str| {
        said.lines().any(|line| {
            let what = ["hasDotgit", "gitmodulesSymlink", "gitattributesSymlink"];
            line.contains(tree) && what.iter().any(|what| line.contains(what))
        })
    };
    let folders: Vec<Entry> =
        trees.iter().enumerate().map(|(n, tree)| entry("40000", format!("n{n:04}"), tree)).collect();
    let zoo = raw_tree(&world.ada, &folders);
    let tree = changed(&world.ada, Some(&format!("{REF}^{{tree}}")), &[], &|entries| {
        entries.push(entry("40000", "zoo", &zoo));
        sort(entries);
    });
    commit(&world.ada, &tree);
    let found = world.ada.wf(&["fsck", "--json", "--verbose"]).fails(1).json();
    let named: BTreeSet<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["severity"] == "error")
        .filter_map(|it| it["path"].as_str()?.strip_prefix("zoo/n")?.get(..4))
        .collect();
    let mut refused = 0;
    for (n, (name, tree)) in names.iter().zip(&trees).enumerate() {
        let is_refused = named.contains(format!("{n:04}").as_str());
        // git looks for `.gitattributes` at the start of a name only.
        let is_hidden_attributes = name.starts_with("x\\.GitA");
        assert!(is_refused == of_git(tree) || is_hidden_attributes, "{name:?}: {is_refused}");
        refused += usize::from(is_refused);
    }
    assert!(refused > 60 && refused < names.len() - 60, "{refused} of {}", names.len());
    world.ada.wf(&["fsck", "--repair"]).ok();
    assert_git_likes(&world.sandbox, &world.ada);
}
