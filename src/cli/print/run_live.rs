//! A run while it is under way: a line on stderr for each thing that happens.

use std::io::{BufRead, Write};

use crate::agent::process::Interrupts;
use crate::model::id::SolutionId;
use crate::ops::work::run::{Told, Watch};
use crate::rules::command_line::CommandLine;
use crate::trail::record_words::run_event;
use crate::ui::text::clean_line;
use crate::ui::{self, Painter, Remarks, style};

/// Tells what happens, line by line; nothing if the answer is JSON.
pub(in crate::cli) struct Lines {
    interrupts: Interrupts,
    out: Option<Remarks>,
    painter: Painter,
    /// Whether the tests of plans may be run unseen.
    is_agreed: bool,
    stops: usize,
}

impl Lines {
    pub(in crate::cli) fn new(interrupts: Interrupts, is_agreed: bool, json: bool) -> Self {
        let out = if json { None } else { Some(Remarks::new()) };
        Self { interrupts, out, painter: Painter::stderr(), is_agreed, stops: 0 }
    }

    fn line(&mut self, text: &str) {
        if let Some(out) = &mut self.out {
            // A reader that has gone stops nothing.
            let _ = writeln!(out, "{text}");
        }
    }
}

impl Watch for Lines {
    fn told(&mut self, told: &Told<'_>) {
        match told {
            Told::Logged(event) => self.line(&clean_line(&run_event(event))),
            Told::Began { issue, step, agent } => {
                let issue = self.painter.paint(style::ID, issue.as_str());
                self.line(&format!("{issue} {step} by {}", clean_line(agent)));
            }
            Told::Said { .. } => {}
        }
    }

    fn stop(&mut self) -> bool {
        let is_wished = self.interrupts.take();
        if is_wished {
            self.stops += 1;
            self.line(match self.stops {
                1 => "stopping after the steps that are under way; Ctrl-C again stops at once",
                _ => "stopping",
            });
        }
        is_wished
    }

    fn agree(&mut self, solution: &SolutionId, commands: &[&CommandLine]) -> bool {
        if self.is_agreed {
            return true;
        }
        if self.out.is_none() || !ui::can_ask() {
            return false;
        }
        self.line(&format!("the tests of {solution}:"));
        for command in commands {
            self.line(&format!("  {}", clean_line(command.as_str())));
        }
        ui::ask("Run them, now and whenever this plan is verified here? [y/N] ");
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }
}
