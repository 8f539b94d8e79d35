//! A call that is given up while it waits for a remote, or for other processes that ask it.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::Client;
use crate::support::{Repo, Sandbox};

/// A clone with two worktrees and two items. The first push to its remote says so through the pipe `started`, and waits for
/// a line from the pipe `gate`.
struct World {
    sandbox: Sandbox,
    hub: Repo,
    clone: Repo,
    trees: [Repo; 2],
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let hub = sandbox.bare("hub");
        let clone = sandbox.clone(&hub, "clone");
        clone.commit("a.txt", "a\n", "Begin");
        clone.wf(&["init"]).ok();
        clone.queued("ISS-001", "src/1.rs");
        clone.queued("ISS-002", "src/2.rs");
        clone.wf(&["sync"]).ok();
        let trees = [clone.worktree("one", "one"), clone.worktree("two", "two")];
        clone.sh(&["-c", "mkfifo ../started ../gate"]).ok();
        let at = sandbox.root().display();
        let path = hub.path().join("hooks/pre-receive");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let once = format!("touch '{at}/open'; echo >'{at}/started'; read line <'{at}/gate'");
        std::fs::write(&path, format!("#!/bin/sh\n[ -e '{at}/open' ] || {{ {once}; }}\n")).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { sandbox, hub, clone, trees }
    }

    /// Waits until the first push is held up.
    fn started(&self) {
        std::fs::read(self.sandbox.root().join("started")).unwrap();
    }

    fn open(&self) {
        std::fs::write(self.sandbox.root().join("gate"), "go\n").unwrap();
    }

    fn tickets(&self) -> usize {
        let folder = self.clone.path().join(".git/wf/turnstile/origin%2Fmain");
        let names = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
        names.filter(|it| it.to_str().unwrap().parse::<u64>().is_ok()).count()
    }

    /// The claims that the remote has.
    fn claims(&self) -> usize {
        let log = self.hub.git(&["log", "--format=%s", "--grep=^execution: claim", "refs/wf/main"]).ok();
        log.stdout.lines().count()
    }
}

fn claim(client: &mut Client) -> u64 {
    client.request("tools/call", json!({"name": "claim", "arguments": {}}))
}

fn cancel(client: &mut Client, id: u64) {
    client.tell("notifications/cancelled", json!({"requestId": id}));
}

#[test]
fn a_call_that_waits_for_its_turn_leaves_the_line() {
    let world = World::new();
    let [mut first, mut second] = [0, 1].map(|n| Client::of(&world.trees[n], &[]));
    let asked = claim(&mut first);
    world.started();
    let asked_for = json!({"name": "claim", "arguments": {}, "_meta": {"progressToken": "t"}});
    let waiting = second.request("tools/call", asked_for);
    while world.tickets() < 2 {
        std::thread::yield_now();
    }
    let told = second.notified("notifications/progress");
    assert!(
        told["message"].as_str().unwrap().starts_with("waiting for another process of this clone"),
        "{told}"
    );
    cancel(&mut second, waiting);
    assert_eq!(second.ask("ping", json!({})), json!({}));
    assert_eq!(second.close(), 0);
    assert_eq!(world.tickets(), 1);
    world.open();
    assert_eq!(first.answer(asked)["isError"], json!(false));
    assert_eq!((world.tickets(), world.claims()), (0, 1));
    assert_eq!(world.trees[1].json(&["next"])["issue_id"], "ISS-002");
}

#[test]
fn a_push_that_ends_soon_after_is_kept() {
    let world = World::new();
    let mut client = Client::of(&world.trees[0], &[]);
    let asked = claim(&mut client);
    world.started();
    cancel(&mut client, asked);
    assert_eq!(client.ask("ping", json!({})), json!({}));
    world.open();
    assert_eq!(client.close(), 0);
    assert_eq!(world.claims(), 1);
    let again = world.trees[0].json(&["next"]);
    assert_eq!((&again["issue_id"], &again["attempt"]), (&json!("ISS-001"), &json!(1)));
    assert_eq!((world.claims(), world.tickets()), (1, 0));
}

#[test]
fn a_push_that_hangs_is_ended_and_what_became_of_it_is_found_out_later() {
    let world = World::new();
    let mut client = Client::of(&world.trees[0], &[]);
    let asked = claim(&mut client);
    world.started();
    cancel(&mut client, asked);
    assert_eq!(client.close(), 0);
    assert_eq!((world.claims(), world.tickets()), (0, 0));
    let again = world.trees[0].json(&["next"]);
    assert_eq!((&again["issue_id"], &again["attempt"]), (&json!("ISS-001"), &json!(1)));
    assert_eq!(world.trees[1].json(&["next"])["issue_id"], "ISS-002");
    assert_eq!((world.claims(), world.hub.tip()), (2, world.clone.tip()));
}
