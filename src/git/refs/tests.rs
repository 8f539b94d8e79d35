use super::*;

/// All texts of at most `most` of these pieces.
fn texts(most: usize) -> Vec<String> {
    const PIECES: &[&str] = &[
        "a", ".", "/", "@", "{", "-", "\\", "^", "~", ":", "*", "?", "[", " ", "\n", "\u{7f}", "\u{e9}",
        ".lock", "HEAD",
    ];
    let longer = |text: &String| PIECES.iter().map(|piece| format!("{text}{piece}")).collect::<Vec<_>>();
    let mut found = vec![String::new()];
    let mut last = found.clone();
    for _ in 0..most {
        last = last.iter().flat_map(longer).collect();
        found.extend(last.iter().cloned());
    }
    found
}

#[test]
fn a_branch_is_what_is_a_ref_below_that_of_branches() {
    for text in texts(3) {
        let name = format!("refs/heads/{text}");
        assert_eq!(Branch::parse(&name).is_some(), is_ref_name(&name), "{text:?}");
    }
}

/// As `git pack-refs` does for a moment, and whoever deletes a ref for longer.
#[test]
fn a_ref_that_is_gone_is_not_where_it_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let who = ["GIT_AUTHOR", "GIT_COMMITTER"].map(|who| {
            [("NAME", "a"), ("EMAIL", "a@example.org")].map(|it| (format!("{who}_{}", it.0), it.1))
        });
        git.args(args)
            .current_dir(folder.path())
            .envs(who.into_iter().flatten())
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        ObjectId::from_hex(output.stdout.trim_ascii()).ok()
    };
    git(&["init", "--quiet", "."]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
    let one = git(&["rev-parse", "HEAD"]).unwrap();
    git(&["commit", "--quiet", "--allow-empty", "-m", "two"]);
    let two = git(&["rev-parse", "HEAD"]).unwrap();
    let repo = Repository::open_isolated(&folder.path().join(".git"));
    let name = "refs/wf/main";
    let moved = |expected: Option<ObjectId>, new: ObjectId| {
        let by = Signature { name: "a".into(), email: "a".into(), time: gix::date::Time::new(0, 0) };
        let update = RefUpdate { name, expected, new, message: "test".into(), by };
        repo.move_ref(update, || Ok::<_, GitError>(())).unwrap()
    };
    assert!(!moved(Some(one), two));
    assert_eq!(repo.read_ref(name).unwrap(), None);
    assert!(moved(None, one));
    git(&["pack-refs", "--all"]);
    assert_eq!(repo.read_ref(name).unwrap(), Some(one));
    assert!(!moved(Some(two), one) && moved(Some(one), two));
    assert_eq!(repo.read_ref(name).unwrap(), Some(two));
}
