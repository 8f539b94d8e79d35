//! The single table of the checks of a roadmap.

use crate::rules::Rule;
use crate::rules::plan_check::{PlanSeverity, rules};

rules! {
    TYPE = Error "type": "each known field has its JSON type",
        "give each field the type that the schema roadmap-document states";
    TITLE = Error "title": "the title, the goal of the assessment or the requirement says in one line what the roadmap is for",
        "give the roadmap a title";
    FORM = Error "form": "a roadmap has either layers or tasks",
        "give layers for a progressive roadmap, tasks for a direct one";
    LAYERS = Error "layers": "2 to 4 layers, L0, L1 and so on, in this order",
        "merge or split layers, and number them from L0";
    TASKS = Error "tasks": "1 to 200 tasks, each with an id of its own: T1, T2 and so on",
        "number the tasks from T1; split a larger roadmap into several";
    TEXT = Error "text": "each layer or task has a goal or title, a name or type on one line, a scope and a definition of done",
        "say it in a few words";
    LENGTH = Error "length": "a text has at most 4,000 characters, a name at most 50",
        "put the rest into codebase_context, or into a file";
    DEPENDS_ON = Error "depends-on": "depends_on names other layers or tasks of this roadmap, and L0 depends on nothing",
        "name layers or tasks of this roadmap";
    CYCLE = Error "cycle": "no layer or task depends on itself, directly or through others",
        "remove one of the dependencies";
    WAVE = Error "wave": "a layer or task comes in a later wave than everything that it depends on",
        "put it into a later group, or leave the dependency out";
    SCOPE = Error "scope": "every feature is in the scope of exactly one layer, and in no layer that excludes it",
        "keep it in only one of the layers";
    PATH = Error "path": "a path starts at the top of the repository, stays inside it, and is not in .git",
        "give the path from the top of the repository, or describe the place in words";
    GROUP = Error "group": "tasks of one group touch different files and have different outputs",
        "put one of them into a later group that depends on the other";
    INPUT = Error "input": "an input is an output of a task that it depends on, or a path that exists in the checked-out commit",
        "depend on the task that makes it, or name an existing path";
    VAGUE = Error "vague-criterion": "there is at least one criterion, and each names something that can be checked",
        "name a number, a command and its result, or what to see and where";
    VERIFICATION = Error "verification": "verification says how to check the criteria: with a test command such as `npm test`, or in a sentence of at least ten columns",
        "say which command to run or where to look, and what the result should be";
    DONE = Error "definition-of-done": "the definition of done is in business terms, without compilers and test programs",
        "say what the requester will then be able to do";
    LIFECYCLE = Error "lifecycle": "each of the lifecycle_requirements is a word from its list",
        "use the closest word";
}
