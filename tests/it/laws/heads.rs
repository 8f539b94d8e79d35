//! Heads that meet: one commit for one merge, no commits in idle rounds, one winner among equals.

use super::replicas::{HUBS, Replicas};
use crate::support::foreign::{create, edit, file};

#[test]
fn who_merges_where_and_when_does_not_show_in_the_merge() {
    Replicas::new().watched(0, |all| {
        for id in ["GH-1", "GH-2"] {
            all.wf(0, &["new", "by ada", "--id", id, "-t", "auth"]).ok();
        }
        all.wf(1, &["new", "by bea", "--id", "GH-1"]).ok();
        // Settings that would change or break any other commit of hers.
        for (key, value) in
            [("commit.gpgSign", "true"), ("gpg.program", "false"), ("i18n.commitEncoding", "ISO-8859-1")]
        {
            all.git(1, &["config", key, value]).ok();
        }
        all.wf(0, &["push", HUBS[0]]).ok();
        all.wf(1, &["push", HUBS[1]]).ok();
        all.wf(0, &["pull", HUBS[1]]).ok();
        all.wf(1, &["pull", HUBS[0]]).ok();
        assert_eq!(all.tip(0), all.tip(1));
        let parents = all.git(0, &["rev-list", "--parents", "-1", "refs/wf/main"]).ok();
        assert_eq!(parents.stdout.split_whitespace().count(), 3, "{}", parents.stdout);
        all.meet_all();
        all.assert_settled();
    });
}

#[test]
fn a_ring_of_peers_that_have_nothing_new_leaves_off() {
    Replicas::new().watched(0, |all| {
        for n in 0..3 {
            all.wf(n, &["new", "of this one", "--id", &format!("GH-{n}")]).ok();
            all.wf(n, &["new", "of each", "--id", "GH-9", "-t", &format!("t{n}")]).ok();
        }
        all.copy();
        for round in 0.. {
            let before: Vec<String> = (0..all.len()).map(|n| all.tip(n)).collect();
            for n in 0..all.len() {
                let next = all.name((n + 1) % all.len());
                all.wf(n, &["pull", next]).ok();
            }
            if (0..all.len()).all(|n| all.tip(n) == before[n]) {
                break;
            }
            assert!(round < 6, "peers that have nothing new still make commits");
        }
        let tree = all.tree(0);
        assert!((1..all.len()).all(|n| all.tree(n) == tree));
    });
}

#[test]
fn of_writes_with_one_stamp_one_value_stands_in_whatever_order_they_meet() {
    let mut trees = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        Replicas::new().watched(0, |all| {
            all.may_share_stamps = true;
            let repo = all.at(0);
            create(&repo, "GH-1", 1);
            all.meet_all();
            for (n, title) in ["b", "c", "a"].into_iter().enumerate() {
                let repo = all.at(n);
                edit(&repo, "GH-1", "title", title, 7);
                edit(&repo, "GH-1", "priority", 1 + n as u64, 7);
            }
            for n in order {
                all.wf(n, &["sync"]).ok();
            }
            all.meet_all();
            all.assert_settled();
            let issue = all.at(0).stored_json(&file("GH-1"));
            assert_eq!((&issue["title"], &issue["priority"]), (&"c".into(), &3.into()));
            trees.push(all.tree(0));
        });
    }
    assert!(trees.iter().all(|tree| *tree == trees[0]), "{trees:?}");
}

#[test]
fn of_births_in_three_clones_the_latest_stands_and_their_logs_are_joined() {
    Replicas::new().watched(0, |all| {
        for n in 0..3 {
            let title = format!("by {}", all.name(n));
            all.wf(n, &["new", &title, "--id", "GH-1"]).ok();
            all.wf(n, &["comment", "GH-1", "-m", &title]).ok();
        }
        all.meet_all();
        all.assert_settled();
        let shown = all.json(2, &["show", "GH-1"]);
        // Bea's clock is a day ahead.
        assert_eq!(shown["title"], "by bea");
        assert_eq!(shown["comments"].as_array().unwrap().len(), 3);
        let open = all.json(0, &["conflicts"]);
        let titles: Vec<&str> = open
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["other"]["value"]["title"].as_str().unwrap())
            .collect();
        assert_eq!(titles, ["by cem", "by ada"], "in the order of their births");
    });
}
