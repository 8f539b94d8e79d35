//! Which files of a project are tests, which configure how tests run, and which are the code.

use std::collections::BTreeSet;

use super::glob::Glob;
use crate::model::plan::Plan;

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
}

/// Tests, by the usual names of Rust, Python, JavaScript and TypeScript, Go, Java and Kotlin, Ruby, PHP, C#, C and C++, and shell.
const TESTS: &[&str] = &[
    "**/{test,tests,spec,specs,e2e,__tests__,__mocks__,__snapshots__,snapshots,testdata,fixtures,cypress}/**",
    "**/src/{test,it,integrationTest,androidTest}/**",
    "tests.rs",
    "{*_test,*_tests,test_*}.{rs,py,go,rb,php,sh,bash,c,cc,cpp,cxx,js,mjs,cjs,ts}",
    "{test,tests}.{py,rb,sh,bash,js,mjs,cjs,ts}",
    "*.{test,spec}.{js,jsx,mjs,cjs,ts,tsx,mts,cts,vue,sh,bash}",
    "*_spec.rb",
    "*{Test,Tests,IT,Spec}.{java,kt,kts,scala,groovy,php,cs,fs,vb}",
    "*.{Tests,Test}/**",
    "{run-tests,run_tests,run-test,run_test,runtests}",
    "{run-tests,run_tests,run-test,run_test,runtests}.{sh,bash,py,js}",
    "*.{bats,snap,golden,approved,t}",
    "*.approved.*",
    "*.snap.new",
];

/// The configuration of test runners.
const RUNNERS: &[&str] = &[
    // Rust.
    "/.cargo/config.toml",
    "/.cargo/config",
    "/.config/nextest.toml",
    // Python.
    "{conftest,sitecustomize,usercustomize,noxfile}.py",
    "*.pth",
    "{pytest,.pytest,tox}.ini",
    "{pytest,.pytest}.toml",
    ".coveragerc",
    // JavaScript and TypeScript.
    "{jest,vitest,vite,karma,playwright,cypress,ava}.config.*",
    "{jest,vitest}.{setup,preset,workspace}.*",
    "karma.conf.*",
    ".mocharc*",
    ".nycrc*",
    ".taprc",
    ".npmrc",
    // Java, Ruby, PHP, C#, and others.
    "{junit-platform,testng}.{properties,xml}",
    ".rspec",
    "Rakefile",
    "{phpunit,phpunit.dist}.xml",
    "phpunit.xml.dist",
    "*.runsettings",
    "xunit.runner.json",
    "{justfile,Justfile,.justfile}",
    "{Taskfile,taskfile}.{yml,yaml}",
    ".env.test",
    ".env.testing",
];

/// Programs that run tests. A file of the project with such a name would run in their place.
const PROGRAMS: &[&str] = &[
    "ava", "bats", "bun", "cargo", "ctest", "deno", "dotnet", "go", "gradle", "jest", "just", "make",
    "mocha", "mvn", "node", "nose2", "npm", "npx", "nox", "phpunit", "pnpm", "poetry", "prove", "py.test",
    "pytest", "python", "python3", "rake", "rspec", "tap", "tox", "ts-node", "tsx", "unittest", "uv",
    "vitest", "yarn",
];

const LOCKS: &[&str] = &[
    "{Cargo,poetry,uv,Pipfile,yarn,composer,Gemfile,bun}.lock",
    "{package-lock,npm-shrinkwrap,packages.lock}.json",
    "pnpm-lock.yaml",
    "go.sum",
];

/// What runs a script that is named after it.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "ruby", "php", "perl", "deno", "bun",
    "bats", "pytest",
];

/// The files of a project, by what they are to the tests of a plan.
#[derive(Debug)]
pub(crate) struct TestFiles {
    tests: Vec<Glob>,
    excluded: Vec<Glob>,
    runners: Vec<Glob>,
    locks: Vec<Glob>,
    /// Scripts whose exit code is that of a command of the plan.
    verdicts: BTreeSet<String>,
    /// Files that the plan creates or changes.
    planned: BTreeSet<String>,
    /// The words of all commands.
    words: BTreeSet<String>,
}

impl TestFiles {
    /// `own` are further patterns of tests; after a `!`, of files that are none. `plans` are those whose commands run.
    pub(crate) fn new(own: &[String], plans: &[&Plan], commands: &[&str]) -> Self {
        let excluded = own.iter().filter_map(|pattern| pattern.strip_prefix('!'));
        let more = own.iter().filter(|pattern| !pattern.starts_with('!')).map(|pattern| Glob::new(pattern));
        let words = commands.iter().flat_map(|command| words(command));
        let planned = plans.iter().flat_map(|plan| &plan.tasks).flat_map(crate::model::plan::Task::places);
        Self {
            tests: globs(TESTS).into_iter().chain(more).collect(),
            excluded: excluded.map(Glob::new).collect(),
            runners: globs(RUNNERS),
            locks: globs(LOCKS),
            verdicts: commands.iter().flat_map(|command| verdicts(command)).collect(),
            planned: planned.map(|place| plain(place.path)).collect(),
            words: words.collect(),
        }
    }

    /// What a file is. `is_new` says that it was not there before the work.
    pub(crate) fn role(&self, path: &str, is_new: bool) -> FileRole {
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.excluded.iter().any(|glob| glob.matches(path)) {
            return FileRole::Code;
        }
        if self.runners.iter().any(|glob| glob.matches(path)) || is_program(name) {
            return FileRole::Runner;
        }
        if self.tests.iter().any(|glob| glob.matches(path)) {
            return FileRole::Test;
        }
        // A script that the plan itself changes can be the program that is tested.
        if self.verdicts.contains(path) && (is_new || !self.planned.contains(path)) {
            return FileRole::Test;
        }
        match name {
            "Cargo.toml" => FileRole::Manifest(ManifestKind::Cargo),
            "pyproject.toml" => FileRole::Manifest(ManifestKind::Pyproject),
            "package.json" | "composer.json" => FileRole::Manifest(ManifestKind::Scripts),
            "setup.cfg" => FileRole::Manifest(ManifestKind::SetupCfg),
            "Makefile" | "makefile" | "GNUmakefile" => FileRole::Manifest(ManifestKind::Make),
            _ if self.locks.iter().any(|glob| glob.matches(path)) => FileRole::Lock,
            _ => FileRole::Code,
        }
    }

    /// Whether a script or a target with this name runs tests: by its name, or because a command names it.
    pub(crate) fn is_test_target(&self, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        ["test", "check", "spec", "coverage"].iter().any(|word| lower.contains(word))
            || self.words.contains(name)
    }
}

fn globs(patterns: &[&str]) -> Vec<Glob> {
    patterns.iter().map(|pattern| Glob::new(pattern)).collect::<Vec<_>>()
}

/// Whether a file of this name would run in the place of a runner.
fn is_program(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, end)| match end {
        "py" | "js" | "mjs" | "cjs" | "sh" | "cmd" | "bat" | "exe" => stem,
        _ => name,
    });
    // Modules named `node.py` or `make.py` are usual; those that shadow a test framework are not.
    if stem == name {
        PROGRAMS.contains(&name)
    } else {
        matches!(stem, "pytest" | "unittest" | "jest" | "mocha" | "vitest")
    }
}

/// The words of a command, without what the shell does with them.
fn words(command: &str) -> Vec<String> {
    command
        .split(|c: char| c.is_whitespace() || "|&;<>()=\"'`".contains(c))
        .filter(|word| !word.is_empty())
        .map(plain)
        .collect()
}

fn plain(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// The scripts whose exit code a command ends with, or that must succeed for the rest to run: `sh a.sh`, `./a.sh && b`.
fn verdicts(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in command.split("&&") {
        if part.contains(['|', ';', '&', '`', '>', '<', '!', '(', '[']) {
            continue;
        }
        let words = words(part);
        let mut words = words.iter().skip_while(|word| word.as_str() == "env").map(String::as_str);
        let Some(first) = words.next() else { continue };
        let script = if INTERPRETERS.contains(&first) {
            words.find(|word| !word.starts_with('-'))
        } else {
            Some(first)
        };
        found.extend(script.filter(|script| script.contains(['.', '/'])).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests;
