//! Which files of a project are tests, which configure how tests run, and which are the code.

use std::collections::BTreeSet;

use self::named::{CONFIGURATIONS, named_files};
use self::patterns::{BUILDS, FRAMEWORKS, LOCKS, PROGRAMS, RUNNERS, STANDARD, TESTS};
use self::scripts::{line_scripts, path_in, shell_lines, words};
use super::{Glob, test_settings};
use crate::model::Plan;

mod named;
mod patterns;
mod scripts;

/// At most this many scripts are read for others that they run.
const MOST_SCRIPTS: usize = 200;
/// Where the commands of a project are looked for that scripts and targets run.
const TOP_MANIFESTS: &[&str] = &["package.json", "Makefile", "makefile", "GNUmakefile"];

/// What a file is to the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileRole {
    /// A test, or what tests read: fixtures, snapshots.
    Test,
    /// It configures how tests run, or stands in for a runner.
    Runner,
    /// It has settings of tests besides others.
    Manifest(ManifestKind),
    /// The versions of dependencies.
    Lock,
    /// Anything else.
    Code,
}

/// The form of a file that has settings of tests besides others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ManifestKind {
    /// `Cargo.toml`
    Cargo,
    /// `pyproject.toml`
    Pyproject,
    /// `package.json` or `composer.json`
    Scripts,
    /// `setup.cfg`
    SetupCfg,
    /// A makefile.
    Make,
    /// `pom.xml`, or a build file of Gradle or .NET.
    Build,
    /// `tsconfig.json`, `jsconfig.json`, or one of several.
    TypeScript,
}

/// The files of a project, by what they are to the tests of a plan.
#[derive(Debug)]
pub(crate) struct TestFiles {
    tests: Vec<Glob>,
    excluded: Vec<Glob>,
    runners: Vec<Glob>,
    locks: Vec<Glob>,
    builds: Vec<Glob>,
    /// Scripts whose exit code is that of a command of the plan.
    verdicts: BTreeSet<String>,
    /// Scripts that those run in turn.
    called: BTreeSet<String>,
    /// Files that the configuration of a runner names.
    loaded: BTreeSet<String>,
    /// Directories that a command puts on `PATH`.
    on_path: BTreeSet<String>,
    /// Files that the plan creates or changes.
    planned: BTreeSet<String>,
    /// The words of all commands.
    words: BTreeSet<String>,
    /// The names, as paths.
    named: BTreeSet<String>,
}

impl TestFiles {
    /// `own` are further patterns of tests; after a `!`, of files that are none. `plans` are those whose commands run.
    pub(crate) fn new(own: &[String], plans: &[&Plan], commands: &[&str]) -> Self {
        let excluded = own.iter().filter_map(|pattern| pattern.strip_prefix('!'));
        let more = own.iter().filter(|pattern| !pattern.starts_with('!')).map(|pattern| Glob::new(pattern));
        let planned = plans.iter().flat_map(|plan| &plan.tasks).flat_map(crate::model::plan::Task::places);
        let mut files = Self {
            tests: globs(TESTS).into_iter().chain(more).collect(),
            excluded: excluded.map(Glob::new).collect(),
            runners: globs(RUNNERS),
            locks: globs(LOCKS),
            builds: globs(BUILDS),
            verdicts: BTreeSet::new(),
            called: BTreeSet::new(),
            loaded: BTreeSet::new(),
            on_path: BTreeSet::new(),
            planned: planned.filter_map(|place| path_in("", place.path)).collect(),
            words: commands.iter().flat_map(|command| words(command)).collect(),
            named: BTreeSet::new(),
        };
        for command in commands {
            let found = line_scripts(command, "");
            files.verdicts.extend(found.verdicts);
            files.named.extend(found.words);
            files.on_path.extend(found.on_path);
        }
        files
    }

    /// Adds the scripts that the commands run indirectly, and what the configuration of runners names. `read` returns the text
    /// of a file of the base.
    pub(crate) fn with_called(mut self, mut read: impl FnMut(&str) -> Option<String>) -> Self {
        for path in CONFIGURATIONS {
            if let Some(text) = read(path) {
                self.loaded.extend(named_files(path, &text, &mut read));
            }
        }
        let mut open: Vec<String> = self.verdicts.iter().cloned().collect();
        open.extend(TOP_MANIFESTS.iter().map(|name| (*name).to_owned()));
        let mut seen = BTreeSet::new();
        while let Some(path) = open.pop() {
            if seen.len() >= MOST_SCRIPTS || !seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = read(&path) else { continue };
            let lines = match self.manifest(&path) {
                Some(ManifestKind::Scripts) => test_settings::script_lines(&text, &self),
                Some(ManifestKind::Make) => test_settings::recipe_lines(&text, &self),
                _ => shell_lines(&path, &text),
            };
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for line in lines {
                let both = [line_scripts(&line, ""), line_scripts(&line, folder)];
                for script in both.into_iter().flat_map(|found| found.verdicts) {
                    if !self.planned.contains(&script) && read(&script).is_some() {
                        self.called.insert(script.clone());
                        open.push(script);
                    }
                }
            }
        }
        self
    }

    /// What a file is. `is_new` says that it was not there before the work.
    pub(crate) fn role(&self, path: &str, is_new: bool) -> FileRole {
        if self.excluded.iter().any(|glob| glob.matches(path)) {
            return FileRole::Code;
        }
        let is_runner = self.runners.iter().any(|glob| glob.matches(path)) || self.loaded.contains(path);
        if is_runner || self.is_program(path, is_new) {
            return FileRole::Runner;
        }
        if self.tests.iter().any(|glob| glob.matches(path)) || self.is_script(path, is_new) {
            return FileRole::Test;
        }
        match self.manifest(path) {
            Some(kind) => FileRole::Manifest(kind),
            None if self.locks.iter().any(|glob| glob.matches(path)) => FileRole::Lock,
            None => FileRole::Code,
        }
    }

    fn manifest(&self, path: &str) -> Option<ManifestKind> {
        match path.rsplit('/').next().unwrap_or(path) {
            "Cargo.toml" => Some(ManifestKind::Cargo),
            "pyproject.toml" => Some(ManifestKind::Pyproject),
            "package.json" | "composer.json" => Some(ManifestKind::Scripts),
            "setup.cfg" => Some(ManifestKind::SetupCfg),
            "Makefile" | "makefile" | "GNUmakefile" => Some(ManifestKind::Make),
            name if is_typescript(name) => Some(ManifestKind::TypeScript),
            _ if self.builds.iter().any(|glob| glob.matches(path)) => Some(ManifestKind::Build),
            _ => None,
        }
    }

    /// Whether a file decides how a command ends. Another word of a command can be the program that is tested, which the plan
    /// then names.
    fn is_script(&self, path: &str, is_new: bool) -> bool {
        let is_unplanned = !self.planned.is_empty() && !self.planned.contains(path);
        self.verdicts.contains(path)
            || self.called.contains(path)
            || (!is_new && is_unplanned && self.named.contains(path))
    }

    /// Whether a file would run, or be loaded, in the place of a runner.
    fn is_program(&self, path: &str, is_new: bool) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').next().filter(|first| *first != name);
        let is_module = folder.is_empty() && is_new;
        is_runner(name)
            || self.on_path.contains(folder)
            || first.is_some_and(|first| FRAMEWORKS.contains(&first))
            || (is_module && name.strip_suffix(".py").is_some_and(|stem| STANDARD.contains(&stem)))
    }

    /// Whether a script or a target with this name runs tests: by its name, or because a command names it.
    pub(crate) fn is_test_target(&self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        ["test", "check", "spec", "coverage"].iter().any(|word| lower.contains(word))
            || self.words.contains(name)
    }
}

/// Whether a file of this name says what the compiler of TypeScript checks.
fn is_typescript(name: &str) -> bool {
    let ends = ["tsconfig", "jsconfig"].iter().find_map(|start| name.strip_prefix(start));
    ends.is_some_and(|end| end == ".json" || (end.starts_with('.') && end.ends_with(".json")))
}

fn globs(patterns: &[&str]) -> Vec<Glob> {
    patterns.iter().map(|pattern| Glob::new(pattern)).collect::<Vec<_>>()
}

/// Whether a file of this name would run in the place of a runner.
fn is_runner(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, end)| match end {
        "py" | "js" | "mjs" | "cjs" | "sh" | "cmd" | "bat" | "exe" => stem,
        _ => name,
    });
    // Modules named `node.py` or `make.py` are usual; those that shadow a test framework are not.
    if stem == name { PROGRAMS.contains(&name) } else { FRAMEWORKS.contains(&stem) }
}

#[cfg(test)]
mod tests;
