//! Shortcuts for how most tests start, and checks that apply to every answer.

use serde_json::{Value, json};

use super::{Ran, Repo, plan};

/// A plan with one task that touches `file` and nothing else.
pub(crate) fn plan_on(file: &str) -> Value {
    let mut plan = plan();
    plan["tasks"].as_array_mut().unwrap().truncate(1);
    plan["tasks"][0]["scope"] = json!(file);
    plan["tasks"][0]["modification_points"] = json!([{"file": file, "target": "all", "change": "all"}]);
    plan
}

impl Repo {
    /// Runs a command with `--json`; returns its one document.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        self.json_in("", args)
    }

    /// The same, with input on stdin.
    #[track_caller]
    pub(crate) fn json_in(&self, stdin: impl AsRef<[u8]>, args: &[&str]) -> Value {
        let ran = self.wf_in(stdin, &[args, &["--json"]].concat()).ok();
        // An array has no place for warnings.
        let is_warning = |line: &&str| line.starts_with(r#"{"warnings":"#);
        assert_eq!(ran.stderr.lines().filter(|line| !is_warning(line)).count(), 0, "{}", ran.stderr);
        ran.json()
    }

    /// Runs a command that must be refused, with one line about what is wrong and one about what to do, nothing on
    /// stdout, and the ref unchanged. Returns `error` of its JSON form.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, args: &[&str]) -> Value {
        self.refused_in("", code, args)
    }

    /// The same, with input on stdin.
    #[track_caller]
    pub(crate) fn refused_in(&self, stdin: impl AsRef<[u8]>, code: i32, args: &[&str]) -> Value {
        let tip = self.tip();
        let stdin = stdin.as_ref();
        let ran = self.wf_in(stdin, &[args, &["--json"]].concat()).fails(code);
        let error = ran.json_error();
        assert_eq!(ran.stdout, "", "stdout of a refusal");
        assert_eq!(self.tip(), tip, "a refused command moved the ref");
        assert!(error["code"].is_string() && error["message"].is_string(), "{error}");
        if code == 1 {
            let ran = self.wf_in(stdin, args).fails(code);
            let lines: Vec<&str> = ran.stderr.lines().collect();
            assert!(lines[0].starts_with("error: "), "{}", ran.stderr);
            assert!(lines.last().unwrap().starts_with("hint: "), "{}", ran.stderr);
            assert_eq!(lines.iter().filter(|line| !line.starts_with("  ")).count(), 2, "{}", ran.stderr);
            assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error}");
        }
        error
    }

    /// Runs a command that must change nothing: exit 0 and no commit.
    #[track_caller]
    pub(crate) fn changes_nothing(&self, args: &[&str]) -> Ran {
        let tip = self.tip();
        let ran = self.wf(args).ok();
        assert_eq!(self.tip(), tip, "`{}` made a commit", args.join(" "));
        ran
    }

    /// An issue with this id, titled after it.
    #[track_caller]
    pub(crate) fn issue(&self, id: &str) {
        self.wf(&["new", "--id", id, &format!("About {id}")]).ok();
    }

    /// An issue with a bound plan; returns the plan's id.
    #[track_caller]
    pub(crate) fn planned(&self, id: &str, plan: &Value) -> String {
        self.issue(id);
        self.wf_in(plan.to_string(), &["solution", "add", id]).ok().line().to_owned()
    }

    /// An issue whose plan touches `file` and waits in a queue; returns the plan's id.
    #[track_caller]
    pub(crate) fn queued(&self, id: &str, file: &str) -> String {
        let solution = self.planned(id, &plan_on(file));
        self.wf(&["queue", "add", id]).ok();
        solution
    }

    /// Completes this worktree's execution, with an override if no work was done: most tests are about something
    /// else.
    #[track_caller]
    pub(crate) fn done(&self) -> Ran {
        let ran = self.wf(&["done"]);
        if ran.code == 1 && ran.stderr.contains("error: no commit ") {
            return self.wf(&["done", "--force", "--reason", "a test"]).ok();
        }
        ran.ok()
    }

    /// The status of an issue according to `show`.
    #[track_caller]
    pub(crate) fn status(&self, id: &str) -> String {
        self.json(&["show", id])["status"].as_str().unwrap().to_owned()
    }

    /// The items of the first active queue, as `(item, status)`.
    #[track_caller]
    pub(crate) fn items(&self) -> Vec<(String, String)> {
        let queue = self.json(&["queue", "show"]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        queue["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (text(&it["item_id"]), text(&it["status"])))
            .collect()
    }
}

/// The values of one field, in order.
pub(crate) fn column(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|it| it[field].as_str().unwrap().to_owned()).collect()
}

/// Why an item waits, and the remedies as commands, in one text.
#[track_caller]
pub(crate) fn reasons(item: &Value) -> String {
    let words = |it: &Value| it.as_str().unwrap().to_owned();
    let spelled = |it: &Value| {
        let values: Vec<String> = it["values"].as_array().unwrap().iter().map(words).collect();
        let options = it["options"].as_array().into_iter().flatten();
        let options: String = options
            .map(|it| format!(" --{} {}", words(&it["name"]), it["value"].as_str().unwrap_or_default()))
            .collect();
        format!("; git wf {}{options} {}", words(&it["operation"]), values.join(" ")).trim_end().to_owned()
    };
    let one = |it: &Value| {
        let remedies = it["remedies"].as_array().into_iter().flatten();
        let calls = remedies.filter(|it| it["operation"].is_string()).map(spelled);
        format!("{}{}", words(&it["reason"]), calls.collect::<String>())
    };
    item["blocked_by"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join("; ")
}
