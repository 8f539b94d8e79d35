//! The single table of the checks of a plan, for people, programs and the documentation.

use schemars::JsonSchema;
use serde::Serialize;

/// Whether a finding stops the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanSeverity {
    /// The plan is not stored.
    Error,
    /// The plan is stored, but could be better.
    Warning,
}

impl PlanSeverity {
    /// The word for people.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// A stable word in kebab case.
    pub(crate) name: &'static str,
    /// The severity of its findings.
    pub(crate) severity: PlanSeverity,
    /// What it requires.
    #[cfg_attr(not(test), allow(dead_code))] // Read where the documentation is made.
    pub(crate) asks: &'static str,
    /// What to do about a finding.
    pub(crate) remedy: &'static str,
}

/// The rule by which a plan names files.
pub(crate) const NO_FILES_RULE: &str = "no-files";

macro_rules! rules {
    ($($constant:ident = $severity:ident $name:literal: $asks:literal, $remedy:literal;)+) => {
        $(pub(super) static $constant: Rule =
            Rule { name: $name, severity: PlanSeverity::$severity, asks: $asks, remedy: $remedy };)+

        /// Every rule.
        #[cfg_attr(not(test), allow(dead_code))] // Read where the documentation is made.
        pub(crate) static RULES: &[&Rule] = &[$(&$constant),+];
    };
}

pub(in crate::rules) use rules;

rules! {
    TYPE = Error "type": "each known field has its JSON type; null counts as absent",
        "`schema solution` shows the type of each field";
    DEPTH = Error "depth": "lists and objects are nested at most 90 deep",
        "flatten what is nested, or put it into a string";
    TEXT = Error "text": "the description, and the title of each task, are not empty",
        "say in one line what the plan or the task does";
    IDS = Error "ids": "if given, id and issue_id are ids that belong to the issue of the plan",
        "omit id and issue_id: they are generated";
    DIGEST = Error "digest": "plan_digest, if given, is the digest of the plan",
        "omit plan_digest, or give the plan that it belongs to";
    NO_TASKS = Error "no-tasks": "a plan has tasks",
        "add at least one task";
    TASK_COUNT = Error "task-count": "1 to 10 tasks",
        "split a plan of more tasks into plans of several issues";
    TASK_ID = Error "task-id": "each task has an id of its own: T1, T2 and so on",
        "number the tasks from T1";
    ACTION = Error "action": "each task has an action from the list, in any case",
        "use the closest action";
    STEPS = Error "steps": "each task has implementation steps, none of them empty",
        "list in implementation what to do, step by step";
    CRITERIA = Error "criteria": "each task has criteria in acceptance or convergence, none of them empty",
        "list in acceptance.criteria what must be true when the task is done";
    COMMAND = Error "command": "a test command is one line without control or invisible characters",
        "if it needs several lines, put them into a script, and name the script";
    TEST_CHANGE = Error "test-change": "a test that a task says it changes has a path and a reason",
        "name the test file, and say why it has to change: {\"path\": \"tests/a.py\", \"reason\": \"…\"}";
    PATH = Error "path": "a path names one file or directory of the repository, relative to its root; line numbers may follow",
        "name each file, or the directory that holds them, relative to the repository's root: src/new.ts";
    NO_FILES = Warning "no-files": "a plan with tasks other than Notify names a file in files or modification_points",
        "name the files that the tasks touch; without them, overlap with other plans goes unnoticed";
    LEVEL = Error "level": "risk, impact and complexity are low, medium or high",
        "use the closest word";
    RANGE = Error "range": "score is 0 to 1, coverage_target 0 to 100, estimated_minutes 0 or more",
        "give a number within the bounds";
    PRIORITY = Error "priority": "a priority is 1 (critical) to 5 (trivial), or its name",
        "give a number from 1 to 5, or leave it out";
    COMMIT_TYPE = Error "commit-type": "the type of a commit is one that Conventional Commits defines",
        "use feat, fix, or the closest type";
    DEPENDS_ON = Error "depends-on": "depends_on names tasks of this plan",
        "name tasks of this plan; what another plan must do first belongs to depends_on of the issue";
    CYCLE = Error "cycle": "no task depends on itself, directly or through others",
        "remove one of the dependencies";
    REPLY_FIRST = Error "reply-first": "no task depends on the reply on GitHub (action Notify, scope github), which is sent once all other work is done",
        "remove the dependency";
    REPLY = Warning "reply": "the reply on GitHub is the last task, waits for all others, and has neither a commit nor tests",
        "put it last, let it depend on what no other task depends on, and leave out commit and test";
    FEW_STEPS = Warning "few-steps": "a task has two steps or more",
        "describe each step";
    NO_TEST = Warning "no-test": "a task other than Notify has a test command",
        "list in test.commands the commands that must pass";
    VAGUE = Warning "vague-criterion": "a criterion names something that can be checked",
        "name a number, a command and its result, or what to see and where";
    VERIFICATION = Warning "verification": "a task with criteria says how to check them: with a test command such as `npm test`, or in a sentence of at least ten columns",
        "say which command to run or where to look, and what the result should be";
    TWINS = Warning "twin-paths": "no two paths of a plan differ only in case or in how accents are encoded",
        "write the path as `git ls-files` shows it; plans that name either of them wait for each other";
    SYMLINK = Warning "symbolic-link": "no path leads through a symbolic link of the checked-out commit, and no file to change is one",
        "name the file itself; a plan that names it does not wait for one that names it through a link";
    OWN_SCORE = Warning "own-score": "the planner's own score is 0.8 or more",
        "improve the plan until its planner would execute it, or say in `approach` what is uncertain";
    UNKNOWN_FILE = Warning "unknown-file": "a file to change exists in the checked-out commit",
        "correct the path, or set the file's action to create";
    UNKNOWN_WORD = Warning "unknown-word":
        "strategy_type, effort, conflict_risk and the action of a file are words from their lists, in any case",
        "use the closest word; any other is kept, but has no effect";
    MISSPELT = Warning "misspelt": "no field name is a misspelling of a known name",
        "correct the name; unknown fields are kept, but never read";
    ANALYSIS = Warning "analysis": "risk, impact and complexity are given",
        "rate each in analysis: low, medium or high; a better plan takes the place of a stored one";
}
