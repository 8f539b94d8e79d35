//! Random histories of every command that changes the state.

mod outsiders;

use serde_json::{Value, json};

use super::promised::{Promised, said};
use super::random::Random;
use super::replicas::{Replicas, assert_agrees};
use crate::support::{column, plan};

/// So few ids that replicas give the same one to different things, and change the same fields.
const GIVEN: [&str; 4] = ["GH-1", "GH-2", "GH-3", "GH-4"];
const IMPORTED: [&str; 3] = ["zoo-1", "zoo-2", "zoo-3"];
const REF: &str = "refs/wf/main";
const TAGS: [&str; 3] = ["auth", "ui", "slow"];

pub(super) struct History {
    random: Random,
    step: usize,
    promised: Promised,
}

impl History {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), step: 0, promised: Promised::default() }
    }

    /// The common state before the replicas diverge: issues with plans, queued.
    pub(super) fn begin(&mut self, all: &mut Replicas) {
        for id in &GIVEN[..3] {
            self.step += 1;
            all.wf(0, &["new", "as it was", "--id", id, "-t", TAGS[0]]).ok();
            self.promised.issues.push((*id).to_owned());
            let plan = self.way(self.step).to_string();
            all.wf_in(0, &plan, &["solution", "add", id]).ok();
            all.wf(0, &["queue", "add", id]).ok();
        }
        all.meet_all();
    }

    /// Something that a person could do in one of the replicas; sometimes two replicas sync.
    pub(super) fn step(&mut self, all: &mut Replicas) {
        self.step += 1;
        let n = self.random.below(all.len());
        match self.random.below(52) {
            0..=3 => self.register(all, n),
            4..=8 => self.edit(all, n),
            9..=10 => self.comment(all, n),
            11..=13 => self.plan(all, n),
            14 => self.on_issue(all, n, &["bind"], &["--force", "--reason", "so it is"]),
            15 => self.on_issue(all, n, &["plan", "choose", "--none"], &[]),
            16 => self.on_issue(all, n, &["close", "-m", "enough"], &["--force", "--reason", "now"]),
            17 => self.on_issue(all, n, &["reopen"], &[]),
            18 => self.bind_other(all, n),
            19..=21 => self.on_issue(all, n, &["queue", "add"], &[]),
            22 => self.on_issue(all, n, &["queue", "remove"], &["--force", "--reason", "not now"]),
            23 => self.queue(all, n),
            24..=25 => drop(all.may(n, "", &["next"])),
            26 => drop(all.may(n, "", &["next", "--local"])),
            27 => self.on_issue(all, n, &["next"], &[]),
            28 => drop(all.may(n, "", &["done", "-m", "did it", "--force", "--reason", "a test"])),
            29 => self.on_issue(all, n, &["done", "--force", "--reason", "a test"], &[]),
            30 => drop(all.may(n, "", &["fail", "-m", "it broke"])),
            31 => drop(all.may(n, "", &["retry"])),
            32 => self.import(all, n),
            33 => self.commit(all, n),
            34 => self.settle(all, n),
            35..=37 => self.review(all, n),
            38 => self.feedback(all, n),
            39..=42 => self.queue(all, n),
            43 => self.rewrite(all),
            44 => self.odd(all, n),
            45..=46 => self.roadmap(all, n),
            _ => all.meet(n, &mut self.random),
        }
    }

    fn issue(&mut self) -> String {
        if self.random.one_in(4) {
            let known = if self.random.one_in(3) { &IMPORTED[..] } else { &GIVEN[..] };
            return (*self.random.pick(known)).to_owned();
        }
        self.random.pick(&self.promised.issues).clone()
    }

    /// A command on some issue, half of the time with more arguments.
    fn on_issue(&mut self, all: &mut Replicas, n: usize, command: &[&str], more: &[&str]) {
        let issue = self.issue();
        let more = if self.random.one_in(2) { more } else { &[] };
        all.may(n, "", &[command, &[&issue], more].concat());
    }

    fn register(&mut self, all: &mut Replicas, n: usize) {
        let title = format!("title {}", self.step);
        let tag = *self.random.pick(&TAGS);
        let id = *self.random.pick(&GIVEN);
        let given: &[&str] = if self.random.one_in(3) { &[] } else { &["--id", id] };
        let ran = all.may(n, "", &[&["new", &title, "-t", tag], given].concat());
        if ran.code == 0 {
            self.promised.issues.push(ran.line().to_owned());
        }
    }

    fn edit(&mut self, all: &mut Replicas, n: usize) {
        let (issue, other) = (self.issue(), self.issue());
        let text = format!("by step {}", self.step);
        let tag = *self.random.pick(&TAGS);
        let (gone, on, off) =
            (format!("--tag=-{tag}"), format!("--depends-on={other}"), format!("--depends-on=-{other}"));
        let priority = (1 + self.random.below(5)).to_string();
        let status = *self.random.pick(&["registered", "planning", "planned", "paused", "cancelled"]);
        let relation = format!("--relation=relates-to:{other}");
        let changes: [&[&str]; 12] = [
            &["--title", &text],
            &["-m", &text],
            &["-p", &priority],
            &["-t", tag],
            &[&gone],
            &[&on],
            &[&off],
            &["--status", status],
            &["--status", status, "--force", "--reason", "it is so"],
            &["--assignee", tag, "--component", tag],
            &[&relation, "--type", tag, "-p", &priority],
            &["--from-json", "-"],
        ];
        let loose = json!({"extended_context": {"notes": text, "location": tag}, "expected_behavior": text});
        let change = *self.random.pick(&changes);
        all.may(n, &loose.to_string(), &[&["edit", &issue], change].concat());
    }

    fn comment(&mut self, all: &mut Replicas, n: usize) {
        let (issue, body) = (self.issue(), format!("remark {}", self.step));
        if all.may(n, "", &["comment", &issue, "-m", &body]).code == 0 {
            self.promised.comments.push((issue, body));
        }
    }

    /// A plan, sometimes with an id that another replica may give to another plan.
    fn plan(&mut self, all: &mut Replicas, n: usize) {
        let issue = self.issue();
        let place = self.random.below(4);
        let mut plan = self.way(place);
        if self.random.one_in(3) {
            plan["id"] = format!("SOL-{issue}-1").into();
        }
        all.may(n, &plan.to_string(), &["solution", "add", &issue]);
    }

    /// Plans of different replicas share no file, so that they can be executed at once.
    fn way(&self, place: usize) -> Value {
        let text = plan().to_string().replace("src/", &format!("src/{place}/"));
        let mut plan: Value = serde_json::from_str(&text).unwrap();
        plan["description"] = format!("the way of step {}", self.step).into();
        plan
    }

    /// Something about queues, their items and conflicts.
    fn queue(&mut self, all: &mut Replicas, n: usize) {
        let (one, two, three) = (self.issue(), self.issue(), self.issue());
        let (pair, other) = (format!("{one},{two}"), format!("{two},{one}"));
        let all_three = format!("{one},{two},{three}");
        let name = format!("CFT-{}", 1 + self.random.below(4));
        let number = (self.random.below(5) as i64 - 2).to_string();
        let listed = all.json(n, &["queue", "manage", "list", "--all"]);
        let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        let (from, to) = (*self.random.pick(&ids), *self.random.pick(&ids));
        let commands: [&[&str]; 18] = [
            &["manage", "new", "later"],
            &["add", "--all-planned"],
            &["add", &one, "--queue", from],
            &["order", &one, "--before", &two],
            &["order", &one, "--after", &two],
            &["hold", &one, "-m", "not yet"],
            &["release", &one],
            &["overlaps", "--add", "api", "--items", &pair],
            &["overlaps", "--add", "data", "--items", &all_three, "--order", &all_three],
            &["overlaps", "--add", "architecture", "--items", &other, "--resolution", "manual"],
            &["resolve", &name, "--order", &pair],
            &["resolve", &name, "--order", &other, "--resolution", "merge"],
            &["manage", "pause", from],
            &["manage", "activate", from],
            &["manage", "priority", from, &number],
            &["manage", "merge", from, to, "--force", "--reason", "one is enough"],
            &["manage", "archive", from],
            &["graph", from],
        ];
        let command = *self.random.pick(&commands);
        // The same issue twice would be a wrong command line.
        if one != two {
            all.may(n, "", &[&["queue"], command].concat());
        }
    }

    /// A roadmap, or another version of one, which leaves out what the version before had.
    fn roadmap(&mut self, all: &mut Replicas, n: usize) {
        let mut parts: Vec<Value> = Vec::new();
        for k in 1..=3 {
            if k == 3 && parts.is_empty() || self.random.one_in(2) {
                parts.push(json!({"id": format!("T{k}"), "title": format!("part {k}"), "type": "feature",
                    "scope": format!("src/{k}"), "inputs": [], "outputs": [format!("out/{k}")], "depends_on": [],
                    "parallel_group": 1, "convergence": {"criteria": [format!("`x {k}` writes 3 lines")],
                    "verification": "run `x` and count the lines", "definition_of_done": "Accounting reads it"}}));
            }
        }
        let mut document = json!({"tasks": parts});
        for field in ["title", "requirement"] {
            if self.random.one_in(2) {
                document[field] = format!("{field} of step {}", self.step).into();
            }
        }
        let listed = all.json(n, &["roadmap", "list"]);
        let known = listed.as_array().unwrap().first().map(|roadmap| roadmap["id"].as_str().unwrap());
        let other = known.map_or(vec![], |id| vec!["--roadmap", id, "--gone", "keep"]);
        all.may(n, &document.to_string(), &[&["roadmap", "add", "-"], &other[..]].concat());
    }

    fn bind_other(&mut self, all: &mut Replicas, n: usize) {
        let issue = self.issue();
        if let Some(plan) = self.some_plan(all, n, &issue) {
            all.may(n, "", &["bind", &issue, &plan]);
        }
    }

    /// One of the plans that an issue has in this replica.
    fn some_plan(&mut self, all: &mut Replicas, n: usize, issue: &str) -> Option<String> {
        let shown = all.may(n, "", &["--json", "show", issue]);
        if shown.code != 0 {
            return None;
        }
        let plans = shown.json()["solutions"].as_array().unwrap().clone();
        (!plans.is_empty()).then(|| self.random.pick(&plans)["id"].as_str().unwrap().to_owned())
    }

    /// A review of some plan, sometimes of one's own.
    fn review(&mut self, all: &mut Replicas, n: usize) {
        let issue = self.issue();
        let Some(plan) = self.some_plan(all, n, &issue) else { return };
        let score = (self.random.below(11) * 10).to_string();
        let finding = format!("found in step {}", self.step);
        let scores = ["--technical", &score, "--risk", &score, "--completeness", "80", "--finding", &finding];
        let more: &[&str] = match self.random.below(3) {
            0 => &["--force", "--reason", "nobody else is here"],
            1 => &["--verdict", "rejected"],
            _ => &[],
        };
        if all.may(n, "", &[&["solution", "review", &plan][..], &scores, more].concat()).code == 0 {
            self.promised.reviews.push((plan, finding));
        }
    }

    fn feedback(&mut self, all: &mut Replicas, n: usize) {
        let (issue, text) = (self.issue(), format!("clear since step {}", self.step));
        let kind = *self.random.pick(&["failure", "clarification", "rejection"]);
        if all.may(n, "", &["feedback", &issue, &text, "--type", kind]).code == 0 {
            self.promised.feedback.push((issue, text));
        }
    }

    /// The file of another tracker as it was on one of four days.
    fn import(&mut self, all: &mut Replicas, n: usize) {
        let day = 1 + self.random.below(4);
        let mut file = String::new();
        for (k, id) in IMPORTED.iter().enumerate() {
            // Not every record changes every day.
            let changed = day - (day + k) % 2;
            let record = json!({
                "id": id, "title": format!("{id} on day {changed}"), "priority": changed % 5, "issue_type": "task",
                "status": if changed > 2 { "closed" } else { "open" }, "labels": [TAGS[changed % 3], TAGS[(changed + k) % 3]],
                "created_at": "2026-11-01T08:00:00Z", "updated_at": format!("2026-11-2{changed}T08:00:00Z"),
                "comments": [{"id": changed, "issue_id": id, "author": "Ada", "text": format!("day {changed}"),
                    "created_at": format!("2026-11-2{changed}T07:00:00Z")}],
            });
            file.push_str(&format!("{record}\n"));
        }
        all.may(n, &file, &["import", "beads", "-"]);
    }

    /// A commit of the code, which the hooks link to what the worktree executes; sometimes it is amended.
    fn commit(&mut self, all: &mut Replicas, n: usize) {
        let message = format!("work of step {}", self.step);
        all.git(n, &["commit", "--quiet", "--allow-empty", "-m", &message]).ok();
        if self.random.one_in(2) {
            all.git(n, &["commit", "--quiet", "--amend", "--allow-empty", "-m", &message]).ok();
        }
    }

    /// Resolves one of the open conflicts.
    fn settle(&mut self, all: &mut Replicas, n: usize) {
        let open = all.json(n, &["conflicts"]);
        let open = open.as_array().unwrap();
        if !open.is_empty() {
            let one = self.random.pick(open).clone();
            let verb = *self.random.pick(&["take", "keep"]);
            let (record, field) = (one["record"].as_str().unwrap(), one["field"].as_str().unwrap());
            all.may(n, "", &["conflicts", verb, record, field]);
        }
    }

    /// What was acknowledged exists, and everything can be read, with the same content in every replica.
    pub(super) fn assert_kept(&self, all: &mut Replicas) {
        let names = all.git(0, &["ls-tree", "-r", "--name-only", "-z", REF]).ok().stdout;
        for path in &self.promised.odd {
            assert!(names.split('\0').any(|name| name == *path), "{path} is not there");
        }
        let listed = all.json(0, &["list", "--all"]);
        let open = all.json(0, &["conflicts"]);
        for n in 1..all.len() {
            assert_eq!(all.json(n, &["list", "--all"]), listed);
            assert_eq!(all.json(n, &["conflicts"]), open);
        }
        // Those that went on from what they kept agree with one that reads the whole history.
        all.wf(0, &["fsck", "--reindex"]).ok();
        assert_eq!(all.json(0, &["conflicts"]), open);
        for id in column(&all.json(0, &["queue", "manage", "list", "--all"]), "id") {
            let shown = all.json(0, &["queue", "show", &id]);
            assert_eq!(all.json(1, &["queue", "show", &id]), shown);
            for item in shown["items"].as_array().unwrap().iter().filter(|it| it["status"] == "blocked") {
                assert!(!item["blocked_by"].as_array().unwrap().is_empty(), "{item:#}");
            }
        }
        let ids: Vec<&str> = listed.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        for id in &self.promised.issues {
            assert!(ids.contains(&id.as_str()), "{id} was acknowledged and is not there");
        }
        for id in ids {
            let shown = all.json(0, &["show", id]);
            let comments = shown["comments"].as_array().unwrap();
            let bodies: Vec<&str> = comments.iter().map(|it| it["body"].as_str().unwrap()).collect();
            for (_, body) in self.promised.comments.iter().filter(|(issue, _)| issue == id) {
                assert!(bodies.contains(&body.as_str()), "comment `{body}` on {id} is not there");
            }
            let contents = said(&shown["feedback"], "content");
            for (_, text) in self.promised.feedback.iter().filter(|(issue, _)| issue == id) {
                assert!(contents.contains(&format!("\"{text}\"")), "feedback `{text}` on {id} is not there");
            }
            for plan in shown["solutions"].as_array().unwrap() {
                let found = said(&plan["reviews"], "findings").concat();
                for (_, finding) in self.promised.reviews.iter().filter(|(id, _)| plan["id"] == **id) {
                    assert!(found.contains(finding.as_str()), "`{finding}` of {} is not there", plan["id"]);
                }
            }
            assert_agrees(&shown);
        }
    }
}
