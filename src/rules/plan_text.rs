//! A plan as people write it, without JSON: a line, an approach, and tasks with steps and criteria.

use serde_json::{Value, json};

use crate::model::nearest;
use crate::model::plan_schema::ACTIONS;

/// A task as someone writes it down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TaskText {
    /// What it does, in one line.
    pub(crate) title: String,
    /// The action (default: the first word of the title if it is one, else Implement).
    pub(crate) action: Option<String>,
    /// The files that it touches.
    pub(crate) files: Vec<String>,
    /// The tasks that come first: T1, T2.
    pub(crate) after: Vec<String>,
    /// What to do, step by step (default: the title).
    pub(crate) steps: Vec<String>,
    /// What holds once it is done (default: the title).
    pub(crate) criteria: Vec<String>,
    /// How to see that the criteria hold.
    pub(crate) verify: Vec<String>,
    /// Commands that must pass.
    pub(crate) tests: Vec<String>,
}

/// A plan as someone writes it down.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanText {
    /// What it does, in one line.
    pub(crate) description: String,
    /// How and why, in Markdown.
    pub(crate) approach: String,
    /// Risk, impact and complexity: low, medium or high.
    pub(crate) ratings: Vec<(&'static str, String)>,
    /// Its tasks in order.
    pub(crate) tasks: Vec<TaskText>,
}

/// What cannot be read, and in which line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(crate) struct TextFault {
    /// Counted from 1.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) what: String,
}

const RATINGS: [&str; 3] = ["risk", "impact", "complexity"];

/// The names of the fields of a task, as in the text.
const FIELDS: [&str; 7] = ["action", "files", "after", "steps", "done when", "verify", "test"];

/// What to fill in for an issue with this title.
pub(crate) fn template(title: &str) -> String {
    format!(
        "{title}\n\nrisk: low\nimpact: low\ncomplexity: low\n\n\
         ## \nfiles: \nsteps:\n- \n- \ndone when:\n- \nverify: \ntest: \n"
    )
}

/// What the template means.
pub(crate) const HELP: &str = "The first line says what the plan does. Text below it is the approach.\n\
    Each `## TITLE` begins a task: T1, T2, ... Its fields:\n\
    \u{20} files: paths, separated by commas       after: tasks that come first, such as T1\n\
    \u{20} steps: what to do, one `- ` line each    done when: what holds then, one `- ` line each\n\
    \u{20} verify: how to see that it holds         test: a command that must pass\n\
    \u{20} action: Create, Modify, Fix, Test, ... (default: the first word of the title)\n\
    Fields that are left empty are left out.";

/// What happens to the template if it is left as it is.
pub(crate) const UNCHANGED: &str = "An empty or unchanged text adds no plan.";

/// What happens to a text that already is a plan.
pub(crate) const AS_IT_STANDS: &str = "The plan is added as it stands; delete everything to add none.";

/// A plan as a text that [`parse`] reads back.
pub(crate) fn written(plan: &PlanText) -> String {
    let mut text = one_line(&plan.description);
    if text.starts_with('#') || is_reserved(&text) {
        // A heading of the first level is neither a task nor a rating.
        text.insert_str(0, "# ");
    }
    text.push('\n');
    if !plan.approach.is_empty() {
        text.push('\n');
    }
    for line in plan.approach.lines() {
        // Markdown means the same with a blank in front.
        let indent = if is_reserved(line.trim_start_matches(' ')) { " " } else { "" };
        text.push_str(&format!("{indent}{line}\n"));
    }
    text.push('\n');
    for name in RATINGS {
        let value = plan.ratings.iter().find(|(rating, _)| *rating == name).map_or("", |(_, value)| value);
        text.push_str(format!("{name}: {}", one_line(value)).trim_end());
        text.push('\n');
    }
    for task in &plan.tasks {
        text.push_str(&format!("\n## {}\n", one_line(&task.title)));
        let action = task.action.as_ref().map(|action| format!("action: {action}\n"));
        text.push_str(&action.unwrap_or_default());
        let after =
            if task.after.is_empty() { String::new() } else { format!("after: {}\n", task.after.join(", ")) };
        text.push_str(&after);
        for (name, all) in [
            ("files", &task.files),
            ("steps", &task.steps),
            ("done when", &task.criteria),
            ("verify", &task.verify),
            ("test", &task.tests),
        ] {
            text.push_str(&format!("{name}:\n"));
            // The text has a line for each.
            all.iter().for_each(|entry| text.push_str(&format!("- {}\n", one_line(entry))));
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.lines().collect::<Vec<_>>().join(" ")
}

/// The title of the task that a line begins.
fn task_title(line: &str) -> Option<&str> {
    line.strip_prefix("##").filter(|rest| !rest.starts_with('#'))
}

/// The rating in a line that is not indented.
fn rating(line: &str) -> Option<(&'static str, &str)> {
    let (name, value) = line.split_once(':')?;
    let name = RATINGS.into_iter().find(|rating| name.trim_end().eq_ignore_ascii_case(rating))?;
    Some((name, value.trim()))
}

/// Whether a line in front of the tasks is not part of the approach.
fn is_reserved(line: &str) -> bool {
    task_title(line).is_some() || rating(line).is_some()
}

/// Reads a plan.
///
/// # Errors
/// The first line that means nothing, or what is missing.
pub(crate) fn parse(text: &str) -> Result<PlanText, TextFault> {
    let mut plan = PlanText::default();
    let mut approach: Vec<&str> = Vec::new();
    // The field whose list continues.
    let mut open: Option<&'static str> = None;
    for (n, line) in text.lines().enumerate() {
        if let Some(title) = task_title(line) {
            plan.tasks.push(TaskText { title: title.trim().to_owned(), ..TaskText::default() });
            open = None;
            continue;
        }
        match plan.tasks.last_mut() {
            None => plan.read_head(line, &mut approach),
            Some(task) => task.read(line, &mut open).map_err(|what| TextFault { line: n + 1, what })?,
        }
    }
    approach.join("\n").trim().clone_into(&mut plan.approach);
    // A task of the template that nobody filled in.
    plan.tasks.retain(|task| *task != TaskText::default());
    let last = text.lines().count().max(1);
    if let Some(task) = plan.tasks.iter().position(|task| task.title.is_empty()) {
        return Err(TextFault { line: last, what: format!("task T{} has no title after `##`", task + 1) });
    }
    if plan.tasks.is_empty() {
        return Err(TextFault {
            line: last,
            what: "the plan has no task: a line `## TITLE` begins one".into(),
        });
    }
    Ok(plan)
}

impl PlanText {
    /// Reads a line in front of the tasks.
    fn read_head<'a>(&mut self, line: &'a str, approach: &mut Vec<&'a str>) {
        match rating(line) {
            Some((_, "")) => {}
            Some((name, value)) => self.ratings.push((name, value.to_owned())),
            None if self.description.is_empty() => {
                line.trim_start_matches('#').trim().clone_into(&mut self.description);
            }
            // A blank in front says that such a line is part of the approach.
            None if is_reserved(line.trim_start_matches(' ')) => {
                approach.push(line.strip_prefix(' ').unwrap_or(line));
            }
            None => approach.push(line),
        }
    }
}

impl TaskText {
    /// Reads a line below the title; `open` is the field whose list continues.
    ///
    /// # Errors
    /// What is wrong with the line.
    fn read(&mut self, line: &str, open: &mut Option<&'static str>) -> Result<(), String> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if let Some(item) = line.trim_start().strip_prefix('-') {
            push(self.list(open.unwrap_or("steps")), item);
            return Ok(());
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(format!("`{}` is neither a field nor a `- ` line", line.trim()));
        };
        let (name, value) = (name.trim().to_lowercase(), value.trim());
        let Some(name) = FIELDS.into_iter().find(|field| *field == name) else {
            let near = nearest(&name, FIELDS).map(|nearest| format!("; did you mean `{nearest}:`?"));
            let near = near.unwrap_or_else(|| format!("; the fields are {}", FIELDS.join(", ")));
            return Err(format!("a task has no field `{name}:`{near}"));
        };
        *open = Some(name).filter(|name| !matches!(*name, "action" | "after"));
        match name {
            "action" => self.action = Some(value.to_owned()).filter(|text| !text.is_empty()),
            "files" | "after" => value.split(',').for_each(|one| push(self.list(name), one)),
            _ => push(self.list(name), value),
        }
        Ok(())
    }

    /// The list of a field.
    fn list(&mut self, field: &str) -> &mut Vec<String> {
        match field {
            "after" => &mut self.after,
            "done when" => &mut self.criteria,
            "files" => &mut self.files,
            "test" => &mut self.tests,
            "verify" => &mut self.verify,
            _ => &mut self.steps,
        }
    }
}

fn push(list: &mut Vec<String>, item: &str) {
    let item = item.trim();
    if !item.is_empty() {
        list.push(item.to_owned());
    }
}

impl PlanText {
    /// The plan in the form that planners write. The checks of plans decide whether it is one.
    pub(crate) fn plan(&self) -> Value {
        let mut plan = json!({ "description": self.description });
        if !self.approach.is_empty() {
            plan["approach"] = json!(self.approach);
        }
        plan["tasks"] = self.tasks.iter().enumerate().map(|(n, task)| task.task(n + 1)).collect();
        for (name, value) in &self.ratings {
            plan["analysis"][*name] = json!(value.to_lowercase());
        }
        plan
    }
}

impl TaskText {
    fn task(&self, number: usize) -> Value {
        let first = self.title.split_whitespace().next().unwrap_or_default();
        let by_title = ACTIONS.iter().find(|action| action.eq_ignore_ascii_case(first));
        let action = self.action.as_deref().or(by_title.copied()).unwrap_or("Implement");
        let mut task = json!({
            "id": format!("T{number}"),
            "title": self.title,
            "action": action,
            "implementation": self.or_title(&self.steps),
            "acceptance": { "criteria": self.or_title(&self.criteria) },
        });
        if !self.files.is_empty() {
            task["files"] = self.files.iter().map(|path| json!({ "path": path })).collect();
        }
        if !self.verify.is_empty() {
            task["acceptance"]["verification"] = json!(self.verify);
        }
        if !self.tests.is_empty() {
            task["test"] = json!({ "commands": self.tests });
        }
        if !self.after.is_empty() {
            task["depends_on"] = self.after.iter().map(|id| json!(id.to_uppercase())).collect();
        }
        task
    }

    fn or_title(&self, list: &[String]) -> Value {
        if list.is_empty() { json!([self.title]) } else { json!(list) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::PlanSetting;
    use crate::rules::plan_check;

    const TEXT: &str = "Limit the requests of a key\n\nA bucket: simple, and fair.\n\nrisk: low\nimpact: Medium\n\
        complexity: low\n\n## Add the bucket\nfiles: src/bucket.rs, src/lib.rs\nsteps:\n- write the type\n\
        - call it\ndone when:\n- the 101st call within one second fails\nverify: run cargo test bucket, 2 tests pass\n\
        test: cargo test bucket\n\n## Describe it\nafter: t1\n- say it in README.md\n- link it\n\
        done when: README.md names the limit of 100\ntest: grep 100 README.md\n";

    #[test]
    fn a_plan_in_words_passes_the_checks() {
        let plan = parse(TEXT).unwrap();
        assert_eq!((plan.tasks.len(), plan.approach.as_str()), (2, "A bucket: simple, and fair."));
        let value = plan.plan();
        assert_eq!(value["tasks"][0]["action"], "Add");
        assert_eq!(value["tasks"][1]["action"], "Implement");
        assert_eq!(value["tasks"][1]["depends_on"], json!(["T1"]));
        assert_eq!(value["analysis"]["impact"], "medium");
        let report = plan_check::examine(&value, PlanSetting::default());
        assert!(report.findings.iter().all(|it| !it.is_error()), "{:?}", report.findings);
        assert!(report.quality.suffices(), "{:?}", report.findings);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let plan = parse(TEXT).unwrap();
        assert_eq!(parse(&written(&plan)).unwrap(), plan);
        let plan = parse("Fix it\n## Fix the race").unwrap();
        assert_eq!(parse(&written(&plan)).unwrap(), plan, "{}", written(&plan));
    }

    #[test]
    fn what_options_can_contain_is_read_back() {
        let lines = [
            "Risk: high, since clocks differ",
            "## Background",
            " ## Background",
            "  impact: none",
            "### Why",
            "#",
            "text",
        ];
        for first in lines {
            for second in lines {
                let approach = format!("{first}\n\n{second}").trim().to_owned();
                let plan = PlanText {
                    description: first.trim().to_owned(),
                    approach,
                    ratings: vec![("risk", "low".into())],
                    tasks: vec![TaskText {
                        title: first.trim().to_owned(),
                        steps: vec![second.trim().to_owned(), "- dash".into(), "done when: later".into()],
                        files: vec!["a: b, c.rs".into()],
                        ..TaskText::default()
                    }],
                };
                assert_eq!(parse(&written(&plan)).as_ref(), Ok(&plan), "{}", written(&plan));
            }
        }
        let title = "Fix it\nRisk: none\n## Other".to_owned();
        let task = TaskText { title: title.clone(), ..TaskText::default() };
        let plan = PlanText { description: title, tasks: vec![task], ..PlanText::default() };
        let read = parse(&written(&plan)).unwrap();
        let line = "Fix it Risk: none ## Other";
        assert_eq!(
            (read.tasks.len(), read.tasks[0].title.as_str(), read.description.as_str()),
            (1, line, line)
        );
    }

    #[test]
    fn a_title_is_enough_for_a_task() {
        let value = parse("Fix it\n## Fix the race").unwrap().plan();
        let task = &value["tasks"][0];
        assert_eq!((&task["action"], &task["implementation"]), (&json!("Fix"), &json!(["Fix the race"])));
        let report = plan_check::examine(&value, PlanSetting::default());
        assert!(report.findings.iter().all(|it| !it.is_error()), "{:?}", report.findings);
        assert!(!report.quality.suffices());
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        for (text, line, said) in [
            ("Plan\n## Task\nstepps: x", 3, "did you mean `steps:`?"),
            ("Plan\n## Task\nwhatever", 3, "neither a field"),
            ("Plan\n## \n- step", 3, "task T1 has no title"),
            ("Plan", 1, "has no task"),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!(fault.line, line, "{text}");
            assert!(fault.what.contains(said), "{fault}");
        }
        // The template as it is has no task.
        assert!(parse(&template("Title")).is_err());
    }
}
