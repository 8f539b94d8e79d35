//! Reports that test commands write: `wf.test.report` says where.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::Code;
use crate::ops::{Refusal, Session};
use crate::rules::junit::JunitReport;
use crate::rules::{CountedTests, Glob};

/// The setting.
const REPORT: &str = "wf.test.report";
/// The form of its value, before the pattern.
const JUNIT: &str = "--junit";
/// A larger report is not read.
const LARGEST: u64 = 8 * 1024 * 1024;
/// At most this many reports are read.
const MOST_REPORTS: usize = 200;
/// At most this many files and directories are looked at.
const MOST_SEEN: usize = 100_000;

/// Which files are reports.
#[derive(Debug, Default)]
pub(in crate::ops::work) struct TestReports {
    globs: Vec<Glob>,
}

/// The reports of a directory, each with what tells whether it was written since.
pub(in crate::ops::work) type KnownReports = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl TestReports {
    /// Reads the setting.
    ///
    /// # Errors
    /// `config` if a value is not `--junit GLOB`.
    pub(in crate::ops::work) fn load(session: &Session) -> Result<Self, Refusal> {
        let mut globs = Vec::new();
        for value in session.store().config_all(REPORT) {
            let glob = value.trim().strip_prefix(JUNIT).map(|rest| rest.trim_start_matches('=').trim());
            let Some(glob) = glob.filter(|glob| !glob.is_empty()) else {
                return Err(Refusal::new(Code::Config, format!("`{REPORT}` is `{value}`")).command(
                    format!("git config {REPORT} '{JUNIT} target/junit/*.xml'"),
                    "names JUnit reports",
                ));
            };
            globs.push(Glob::new(glob));
        }
        Ok(Self { globs })
    }

    /// The reports that are there before a command runs.
    pub(in crate::ops::work) fn known(&self, folder: &Path) -> KnownReports {
        let mut found = KnownReports::new();
        if self.globs.is_empty() {
            return found;
        }
        let (mut open, mut seen) = (vec![PathBuf::new()], 0);
        while let Some(inner) = open.pop() {
            // What cannot be read holds no report.
            let Ok(entries) = fs::read_dir(folder.join(&inner)) else { continue };
            for entry in entries.filter_map(Result::ok) {
                seen += 1;
                if seen > MOST_SEEN || found.len() >= MOST_REPORTS {
                    return found;
                }
                let path = inner.join(entry.file_name());
                // Links are not followed: what runs here may have made them.
                let Ok(about) = entry.metadata() else { continue };
                if about.is_dir() && entry.file_name() != ".git" {
                    open.push(path);
                } else if about.is_file() && self.names(&path) {
                    found.insert(path, mark(&about));
                }
            }
        }
        found
    }

    fn names(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.globs.iter().any(|glob| glob.matches(path)))
    }

    /// Counts the tests in the reports that a command has written since, if there are any: they say more than its output, unless they say less.
    pub(in crate::ops::work) fn add_to(
        &self,
        counted: CountedTests,
        folder: &Path,
        before: &KnownReports,
    ) -> CountedTests {
        let mut report = JunitReport::default();
        let mut is_any = false;
        for (path, mark) in self.known(folder) {
            if before.get(&path) == Some(&mark) || mark.0 > LARGEST {
                continue;
            }
            let Some(bytes) = read(&folder.join(&path)) else { continue };
            // A file that is no report is one of something else.
            is_any |= report.read(&bytes).is_ok();
        }
        if !is_any {
            return counted;
        }
        let Some(printed) = counted.tests else {
            return CountedTests { tests: Some(report.count), named: report.named, ..counted };
        };
        // A report of something else is empty, and one that hides failures says fewer than the runner printed. Where the runner
        // itself ran nothing, whatever wrote the report was no test.
        let is_more =
            printed.run() > 0 && report.count.run() >= printed.run() && report.count.failed >= printed.failed;
        let tests = if is_more { report.count } else { printed };
        CountedTests { tests: Some(tests), named: report.named, ..counted }
    }
}

fn mark(about: &Metadata) -> (u64, Option<SystemTime>) {
    (about.len(), about.modified().ok())
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
