//! The index agrees with the tree, in whatever way it was updated.

use std::collections::BTreeSet;

use serde_json::Value;

use super::history::History;
use super::replicas::Replicas;
use crate::support::Repo;

const SEEDS: std::ops::Range<u64> = 100..101;
const LONG: std::ops::Range<u64> = 100..150;
const STEPS: usize = 60;

#[test]
fn the_index_answers_as_a_new_one_and_as_the_tree() {
    let seeds = if std::env::var_os("WF_LONG").is_some() { LONG } else { SEEDS };
    for seed in seeds {
        Replicas::new().watched(seed, |all| {
            let mut history = History::new(seed);
            for n in 0..all.len() {
                all.wf(n, &["hooks", "install"]).ok();
                all.git(n, &["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
            }
            history.begin(all);
            for step in 0..STEPS {
                history.step(all);
                // A few queries now and then, so that the parts of the index are behind by different numbers of
                // commits.
                let n = step % all.len();
                let repo = all.at(n);
                match step % 4 {
                    0 => drop(repo.wf(&["list"]).ok()),
                    1 => drop(repo.wf(&["search", "title"]).ok()),
                    2 => drop(repo.wf(&["log"]).ok()),
                    _ => {}
                }
                if step % 30 == 29 {
                    let repo = all.at(n);
                    let known = answers(&repo);
                    compare_with_tree(&repo, &known);
                    std::fs::remove_file(repo.path().join(".git/wf/index.db")).unwrap();
                    assert_same(&known, &answers(&repo), "a new index");
                    if step + 1 == STEPS {
                        assert_same(&known, &in_memory(&repo), "an index in memory");
                    }
                }
            }
        });
    }
}

/// The answers of a program that cannot keep an index on disk.
fn in_memory(repo: &Repo) -> Answers {
    let lock = repo.path().join(".git/wf/index.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let answers = answers(&repo.without_env("HOME"));
    std::fs::remove_dir(&lock).unwrap();
    answers
}

type Answers = Vec<(String, Value)>;

#[track_caller]
fn assert_same(one: &Answers, two: &Answers, whose: &str) {
    for ((question, known), (_, other)) in one.iter().zip(two) {
        assert_eq!(known, other, "`{question}` of {whose}");
    }
}

/// Every kind of query, for everything that can be queried.
fn answers(repo: &Repo) -> Answers {
    let mut answers = Answers::new();
    let mut ask = |args: &[&str]| -> Value {
        let ran = repo.wf(&[args, &["--json"]].concat());
        let answer = if ran.code == 0 { ran.json() } else { ran.json_error() };
        answers.push((args.join(" "), answer.clone()));
        answer
    };
    let all = ask(&["list", "--all", "--sort", "id"]);
    for sort in ["priority", "created", "updated", "status", "title", "closed"] {
        ask(&["list", "--sort", sort]);
        ask(&["list", "--all", "--sort", sort, "--limit", "2", "--offset", "1"]);
    }
    for filter in filters() {
        ask(&[&["list", "--all"], filter].concat());
        ask(&[&["list", "--count"], filter].concat());
    }
    for text in ["title", "way NOT remark", "\"the way\" OR day", "title: step", "work", "(", "zzz"] {
        ask(&["search", text, "-n", "5"]);
        ask(&["list", "--search", text]);
    }
    ask(&["log"]);
    ask(&["conflicts"]);
    ask(&[]);
    for issue in all.as_array().unwrap() {
        let id = issue["id"].as_str().unwrap();
        ask(&["log", id]);
        ask(&["show", &id[..id.len() - 1]]);
        let shown = ask(&["show", id]);
        for it in shown["solutions"].as_array().unwrap().iter().chain(shown["executions"].as_array().unwrap())
        {
            ask(&["log", it["id"].as_str().unwrap()]);
            for commit in it["commits"].as_array().into_iter().flatten() {
                ask(&["trace", commit["hash"].as_str().unwrap()]);
            }
        }
    }
    for queue in ask(&["queue", "manage", "list"]).as_array().unwrap() {
        ask(&["log", queue["id"].as_str().unwrap()]);
    }
    answers
}

fn filters() -> [&'static [&'static str]; 20] {
    [
        &["--status", "registered,planned"],
        &["--status", "queued"],
        &["--tag", "auth"],
        &["--tag", "auth", "--tag", "ui"],
        &["--priority", "1,2"],
        &["--assignee", "slow"],
        &["--component", "ui"],
        &["--author", "ADA@"],
        &["--author", "e"],
        &["--wave", "1"],
        &["--since", "2026-11-20"],
        &["--until", "2026-11-20"],
        &["--closed-since", "2026-11-21"],
        &["--closed-until", "2026-11-21", "--tag", "auth"],
        &["--has-plan"],
        &["--ready"],
        &["--unblocked"],
        &["--waiting", "--tag", "auth"],
        &["--tag", "auth", "--has-plan", "--priority", "3,4,5"],
        &["--until", "2026-11-22T02:00:00Z", "--author", "bea", "--status", "planned,queued,executing"],
    ]
}

/// The same answers, derived from what `show` reads in the tree.
#[track_caller]
fn compare_with_tree(repo: &Repo, known: &Answers) {
    let listed = repo.git(&["ls-tree", "-r", "--name-only", "refs/wf/main", "issues/"]).ok();
    let ids: BTreeSet<&str> = listed
        .stdout
        .lines()
        .filter_map(|path| path.strip_suffix("/issue.json"))
        .map(|path| path.rsplit_once('/').unwrap().1)
        .collect();
    let mut issues: Vec<Value> = Vec::new();
    for id in &ids {
        let mut shown = repo.json(&["show", id]);
        let logs = ["comments", "feedback", "explorations", "solutions", "executions", "overrides"];
        for embedded in logs.into_iter().chain(["children", "dependents", "warnings"]) {
            shown.as_object_mut().unwrap().remove(embedded);
        }
        issues.push(shown);
    }
    let answer = |question: &str| &known.iter().find(|(asked, _)| asked == question).unwrap().1;
    assert_eq!(answer("list --all --sort id"), &Value::from(issues.clone()));
    let (ready, waiting) = (ready(repo), waiting(&issues));
    for filter in filters() {
        let mut found: Vec<&Value> =
            issues.iter().filter(|it| fits(it, filter, [&ready, &waiting])).collect();
        found.sort_by_key(|it| (it["priority"].as_u64(), text(it, "created_at"), text(it, "id")));
        let question = format!("list --all {}", filter.join(" "));
        assert_eq!(answer(&question).as_array().unwrap().iter().collect::<Vec<_>>(), found, "{question}");
        let is_open = |it: &&&Value| {
            filter.iter().any(|it| *it == "--status" || it.starts_with("--closed"))
                || !["completed", "closed", "cancelled"].contains(&text(it, "status"))
        };
        let question = format!("list --count {}", filter.join(" "));
        assert_eq!(answer(&question)["count"], found.iter().filter(is_open).count(), "{question}");
    }
    // git has other rules for showing a merge.
    let no_merges = repo.git(&["rev-list", "--no-merges", "refs/wf/main"]).ok();
    let no_merges: BTreeSet<String> = no_merges.stdout.lines().map(str::to_owned).collect();
    let commits = repo.git(&["rev-list", "--count", "refs/wf/main"]).ok().line().parse::<usize>().unwrap();
    assert_eq!(answer("log").as_array().unwrap().len(), commits);
    for id in ids {
        let folder = listed.stdout.lines().find(|path| path.contains(&format!("/{id}/"))).unwrap();
        let folder = folder.split('/').take(3).collect::<Vec<_>>().join("/");
        let items: Vec<String> = repo
            .git(&["ls-tree", "-r", "--name-only", "refs/wf/main", "queues/"])
            .ok()
            .stdout
            .lines()
            .filter(|path| path.contains(&format!("/SOL-{id}-")))
            .map(str::to_owned)
            .collect();
        let mut args =
            vec!["log", "--format=%H", "--full-history", "--no-merges", "refs/wf/main", "--", &folder];
        args.extend(items.iter().map(String::as_str));
        let of_git: BTreeSet<String> = repo.git(&args).ok().stdout.lines().map(str::to_owned).collect();
        let ours = answer(&format!("log {id}")).as_array().unwrap();
        let ours = ours.iter().map(|step| text(step, "commit").to_owned());
        let ours: BTreeSet<String> = ours.filter(|commit| no_merges.contains(commit)).collect();
        assert_eq!(ours, of_git, "log {id}");
    }
}

fn ready(repo: &Repo) -> BTreeSet<String> {
    let mut ready = BTreeSet::new();
    for queue in repo.json(&["queue", "manage", "list"]).as_array().unwrap() {
        let queue = repo.json(&["queue", "show", text(queue, "id")]);
        let items = queue["items"].as_array().unwrap().iter().filter(|it| it["status"] == "ready");
        ready.extend(items.map(|it| text(it, "issue_id").to_owned()));
    }
    ready
}

/// The issues that depend on one that is missing, or neither completed nor closed.
fn waiting(issues: &[Value]) -> BTreeSet<String> {
    let is_over = |it: &&Value| ["completed", "closed"].contains(&text(it, "status"));
    let over: BTreeSet<&str> = issues.iter().filter(is_over).map(|it| text(it, "id")).collect();
    let waits = |it: &&Value| {
        let mut needed = it["depends_on"].as_array().into_iter().flatten();
        needed.any(|id| !over.contains(id.as_str().unwrap()))
    };
    issues.iter().filter(waits).map(|it| text(it, "id").to_owned()).collect()
}

fn fits(issue: &Value, filter: &[&str], [ready, waiting]: [&BTreeSet<String>; 2]) -> bool {
    let is_unqueued = ["registered", "planning", "planned"].contains(&text(issue, "status"));
    let has = |field: &str, value: &str| {
        issue[field].as_array().into_iter().flatten().any(|it| it.as_str() == Some(value))
    };
    let mut filter = filter.iter();
    while let Some(name) = filter.next() {
        let mut value = || *filter.next().unwrap();
        let holds = match *name {
            "--status" => value().split(',').any(|it| it == text(issue, "status")),
            "--tag" => has("tags", value()),
            "--priority" => {
                value().split(',').any(|it| it.parse() == Ok(issue["priority"].as_u64().unwrap()))
            }
            "--assignee" => issue["assignee"].as_str() == Some(value()),
            "--component" => has("affected_components", value()),
            "--author" => text(issue, "author").to_lowercase().contains(&value().to_lowercase()),
            "--wave" => issue["wave"].as_u64() == value().parse().ok(),
            "--since" => text(issue, "created_at") >= value(),
            "--until" => {
                let until = value();
                text(issue, "created_at")[..until.len().min(19)] <= until[..until.len().min(19)]
            }
            "--closed-since" => closed_at(issue).is_some_and(|at| at >= value()),
            "--closed-until" => {
                let until = value();
                closed_at(issue).is_some_and(|at| &at[..until.len().min(19)] <= until)
            }
            "--has-plan" => issue["solution_count"].as_u64() > Some(0),
            "--unblocked" => is_unqueued && !waiting.contains(text(issue, "id")),
            "--waiting" => is_unqueued && waiting.contains(text(issue, "id")),
            "--ready" => ready.contains(text(issue, "id")),
            other => panic!("{other}"),
        };
        if !holds {
            return false;
        }
    }
    true
}

/// When it was completed or closed, if it still is.
fn closed_at(issue: &Value) -> Option<&str> {
    let is_over = ["completed", "closed", "cancelled"].contains(&text(issue, "status"));
    ["completed_at", "closed_at"].iter().find_map(|name| issue[*name].as_str()).filter(|_| is_over)
}

#[track_caller]
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}
